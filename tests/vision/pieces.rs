//! Pieces as games differ in showing them: several next ones, ghosts, pieces that fall pixel by pixel, dark blocks.
#![allow(clippy::unwrap_used, clippy::expect_used)]

use crate::support::flat::{Camera, Ghost, SIZE, Scene, corners, layout};
use crate::support::play::{Film, Setup};
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use stackhand::game::Piece;
use stackhand::message::{Cell, Frame, Observation, ScreenState, Sighting};
use stackhand::profile::layout::Layout;
use stackhand::time::{CameraFrame, HostTime};
use stackhand::twin::camera::CameraModel;
use stackhand::twin::picture::{Picture, draw};
use stackhand::twin::view::{ConsoleView, Screen, Tile};
use stackhand::vision::Locator;
use stackhand::vision::follow::Watch;
use stackhand::vision::read::Reader;
use std::sync::Arc;

/// A game of flat blocks with a random pile, and the pictures of one piece's fall, in steps of this many rows.
fn fall(seed: u64, layout: &Layout, scene: &Scene, step: f64, mut each: impl FnMut(&Scene, &Observation)) {
    let mut dice = Xoshiro256PlusPlus::seed_from_u64(seed);
    let mut camera = Camera::new(seed);
    let mut reader = Reader::new(layout, corners(), SIZE).unwrap();
    let height = dice.random_range(2..9);
    let is_pile = |(x, y): &(usize, usize)| {
        (x * 7 + y * 5 + seed as usize) % 10 < 7 && *x != seed as usize % 10 || *y == 19 && *x < 5
    };
    let mut scene = Scene {
        pile: (0..200).map(|i| (i % 10, i / 10)).filter(|c| c.1 >= 20 - height && is_pile(c)).collect(),
        ..scene.clone()
    };
    for fall in 0..3 {
        let piece = Piece::from_index(dice.random_range(0..7));
        scene.next = [(); 3].map(|()| Some(Piece::from_index(dice.random_range(0..7))));
        // Nothing falls while the game draws breath.
        scene.falling = None;
        for _ in 0..6 {
            let seen = reader.read(&camera.shoot(&scene, layout));
            if fall > 0 {
                each(&scene, &seen);
            }
        }
        let mut fallen = 0.0;
        while fallen < 17.0 - height as f64 {
            scene.falling = Some((piece, 3, fallen));
            let seen = reader.read(&camera.shoot(&scene, layout));
            each(&scene, &seen);
            fallen += step;
        }
    }
}

fn blank(is_light: bool, ghost: Ghost) -> Scene {
    Scene { pile: Vec::new(), falling: None, ghost, next: [None; 3], is_light, behind: 0.0, has_cursor: false }
}

/// Cells of the pile and of the background that are right, unknown, wrong; those that the falling piece touches are left
/// out.
fn count(scene: &Scene, seen: &Observation, layout: &Layout, tally: &mut [usize; 3]) {
    let touched: Vec<(usize, usize)> = scene.falling.map_or(Vec::new(), |(piece, column, fallen)| {
        let at = |row: f64| Scene::cells_at(layout, piece, column, row as usize);
        [at(fallen.floor()), at(fallen.ceil())].concat()
    });
    for (x, y) in (0..200).map(|i| (i % 10, i / 10)).filter(|c| !touched.contains(c)) {
        let outcome = match seen.grid.cell(x, y) {
            Cell::Unknown => 1,
            cell => 2 * usize::from((cell == Cell::Full) != scene.pile.contains(&(x, y))),
        };
        tally[outcome] += 1;
    }
}

#[test]
fn a_new_picture_behind_the_field_hides_nothing_for_long() {
    let layout = layout(false, "");
    let mut tally = [0; 3];
    for seed in 40..46 {
        let mut camera = Camera::new(seed);
        let mut watch = Watch::new(&layout, corners(), 0.0, SIZE).unwrap();
        let is_pile = |i: usize| i / 10 >= 19 - seed as usize % 7 && (i * 7 + seed as usize) % 10 < 7;
        let pile = (0..200).filter(|i| is_pile(*i)).map(|i| (i % 10, i / 10)).collect();
        let next = [Piece::T, Piece::J, Piece::S].map(Some);
        let mut scene = Scene { pile, next, ..blank(false, Ghost::None) };
        // A level begins with another picture: brighter, brighter still, and dark again.
        for (level, behind) in [0.0, 40.0, 70.0, 10.0].into_iter().enumerate() {
            scene.behind = behind;
            for picture in 0..40 {
                scene.falling = Some((Piece::from_index(level), 3, f64::from(picture) / 5.0));
                let (seen, change) = watch.look(&camera.shoot(&scene, &layout));
                assert!(change.is_none(), "seed {seed}, level {level}: {change:?}");
                // 0.3 s.
                if picture >= 9 {
                    assert!(
                        seen.state.shows_cells(),
                        "seed {seed}, level {level}, picture {picture}: {:?}",
                        seen.state
                    );
                    count(&scene, &seen, &layout, &mut tally);
                }
            }
        }
    }
    println!("cells right/unknown/wrong {tally:?}");
    assert!(tally[2] * 10_000 <= tally[0] && tally[1] * 100 <= tally[0], "{tally:?}");
}

#[test]
fn three_next_pieces_are_read() {
    for is_light in [false, true] {
        let layout = layout(is_light, "");
        let mut outcomes = [0; 3];
        for seed in 900..902 {
            fall(seed, &layout, &blank(is_light, Ghost::None), 1.0, |scene, seen| {
                assert_eq!(seen.queue.len(), 2);
                for (truth, seen) in scene.next.iter().zip([seen.next].iter().chain(&seen.queue)) {
                    outcomes[if seen.piece() == *truth { 0 } else { 1 + usize::from(seen.piece().is_some()) }] += 1;
                }
            });
        }
        println!("light field {is_light}: next right/unknown/wrong {outcomes:?}");
        assert_eq!(outcomes[2], 0);
        assert!(outcomes[0] > 150 && outcomes[1] * 50 <= outcomes[0], "{outcomes:?}");
    }
}

#[test]
fn a_queue_is_checked_like_the_next_box() {
    let text = include_str!("../../calibration/layouts/nes.toml");
    let with = |more: &str| Layout::parse("test", &text.replace("[locate]", &format!("{more}\n[locate]")));
    assert_eq!(with("[[queue]]\ncenter = [14.0, 15.0]\nsize = [4.1, 3.0]\n").unwrap().queue.len(), 1);
    for wrong in
        ["center = [14.0, 1e9]\nsize = [4.1, 3.0]", "center = [14.0, 9.0]\nsize = [0.0, 3.0]", "size = [1.0, 3.0]"]
    {
        assert!(with(&format!("[[queue]]\n{wrong}\n")).is_err(), "{wrong}");
    }
    let nine = "[[queue]]\ncenter = [14.0, 15.0]\nsize = [4.1, 3.0]\n".repeat(9);
    assert!(with(&nine).is_err(), "nine boxes");
}

#[test]
fn ghosts_are_no_blocks() {
    for is_light in [false, true] {
        for ghost in [Ghost::Dim(0.35), Ghost::Outline] {
            let [mut with, mut without] = [[0; 3]; 2];
            for seed in 910..911 {
                let scene = blank(is_light, ghost);
                let told = layout(is_light, "ghost = true");
                fall(seed, &told, &scene, 0.25, |scene, seen| count(scene, seen, &told, &mut with));
                let untold = layout(is_light, "");
                fall(seed, &untold, &scene, 0.25, |scene, seen| count(scene, seen, &untold, &mut without));
            }
            println!("light field {is_light}, {ghost:?}: cells right/unknown/wrong {with:?}, not told {without:?}");
            let all: usize = with.iter().sum();
            assert!(with[2] * 10_000 <= all, "light field {is_light}, {ghost:?}: {with:?} of {all}");
            assert!(with[1] * 200 <= all, "light field {is_light}, {ghost:?}: {with:?} of {all}");
            assert!(without[1] + without[2] > 5 * (with[1] + with[2]), "a ghost must be worth telling: {without:?}");
        }
    }
}

#[test]
fn the_ghost_option_harms_no_game_without_one() {
    for is_light in [false, true] {
        let layout = layout(is_light, "ghost = true");
        let mut cells = [0; 3];
        for seed in 920..922 {
            fall(seed, &layout, &blank(is_light, Ghost::None), 1.0, |scene, seen| {
                count(scene, seen, &layout, &mut cells)
            });
        }
        println!("light field {is_light}: {cells:?}");
        assert!(cells[2] == 0 && cells[1] * 200 <= cells.iter().sum(), "{cells:?}");
    }
}

#[test]
fn pieces_that_fall_pixel_by_pixel_are_never_another_piece() {
    for is_light in [false, true] {
        let layout = layout(is_light, "");
        let (mut cells, mut spawns) = ([0; 3], [0; 3]);
        for seed in 930..931 {
            // Two pixels a picture.
            fall(seed, &layout, &blank(is_light, Ghost::None), 2.0 / 17.0, |scene, seen| {
                count(scene, seen, &layout, &mut cells);
                let Some((piece, _, fallen)) = scene.falling else { return };
                match seen.spawn {
                    Sighting::Piece(found, _) => spawns[if found == piece && fallen < 0.5 { 0 } else { 2 }] += 1,
                    _ => spawns[1] += usize::from(fallen < 0.15),
                }
            });
        }
        println!("light field {is_light}: cells {cells:?}, spawn right/unknown/wrong {spawns:?}");
        assert_eq!(cells[2], 0, "the pile stays right");
        assert!(cells[1] * 200 <= cells.iter().sum(), "{cells:?}");
        assert_eq!(spawns[2], 0, "{spawns:?}");
        assert!(spawns[0] >= 8, "whole pieces are seen: {spawns:?}");
    }
}

/// It stands for as long as the piece does, a third of a second here.
#[test]
fn a_terminals_cursor_beside_a_piece_is_no_block() {
    for (is_light, seed) in [(false, 0), (true, 2)] {
        let layout = layout(is_light, "");
        let mut camera = Camera::new(seed);
        let mut reader = Reader::new(&layout, corners(), SIZE).unwrap();
        let pile = (0..40).filter(|i| i % 10 != 3).map(|i| (i % 10, 16 + i / 10)).collect();
        let next = [Some(Piece::J), None, None];
        let mut scene = Scene { pile, next, has_cursor: true, ..blank(is_light, Ghost::None) };
        let (mut cursors, mut cells) = ([0; 3], [0; 3]);
        for _ in 0..6 {
            reader.read(&camera.shoot(&scene, &layout));
        }
        for (piece, row) in Piece::ALL.into_iter().flat_map(|piece| (1..13).step_by(4).map(move |row| (piece, row))) {
            scene.falling = Some((piece, 1 + row / 3, row as f64));
            for picture in 0..12 {
                let seen = reader.read(&camera.shoot(&scene, &layout));
                let Some((x, y)) = scene.cursor(&layout).filter(|_| picture > 0) else { continue };
                cursors[seen.grid.cell(x, y) as usize] += 1;
                let of_piece = Scene::cells_at(&layout, piece, 1 + row / 3, row);
                for (x, y) in (0..200).map(|i| (i % 10, i / 10)).filter(|cell| *cell != (x, y)) {
                    let is_full = of_piece.contains(&(x, y)) || scene.pile.contains(&(x, y));
                    let cell = seen.grid.cell(x, y);
                    cells[if cell == Cell::Unknown { 1 } else { 2 * usize::from((cell == Cell::Full) != is_full) }] +=
                        1;
                }
            }
        }
        println!("light field {is_light}: cursor {cursors:?}, other cells right/unknown/wrong {cells:?}");
        let of = cursors.iter().sum::<usize>();
        assert!(of > 200 && cursors[Cell::Full as usize] * 100 <= of, "{cursors:?}");
        assert!(cells[2] == 0 && cells[1] * 200 <= cells.iter().sum(), "{cells:?}");
    }
}

#[test]
fn what_hangs_in_the_air_is_no_block_though_none_is_known_yet() {
    let layout = layout(false, "");
    let word = [(1, 7), (2, 7), (4, 7), (5, 7), (7, 7), (8, 7), (1, 8), (3, 8), (4, 8), (6, 8), (8, 8)];
    // The same on the floor are blocks.
    for (down, is_block) in [(0, false), (11, true)] {
        let mut camera = Camera::new(3);
        let mut reader = Reader::new(&layout, corners(), SIZE).unwrap();
        let pile: Vec<(usize, usize)> = word.iter().map(|(x, y)| (*x, y + down)).collect();
        let scene = Scene { pile: pile.clone(), next: [Some(Piece::J); 3], ..blank(false, Ghost::None) };
        for _ in 0..6 {
            let scene = Scene { falling: Some((Piece::T, 3, 1.0)), ..scene.clone() };
            let seen = reader.read(&camera.shoot(&scene, &layout));
            let wanted = if is_block { Cell::Full } else { Cell::Unknown };
            assert!(pile.iter().all(|(x, y)| seen.grid.cell(*x, *y) == wanted), "{:?}", seen.grid);
            let of_piece = Scene::cells_at(&layout, Piece::T, 3, 1);
            assert!(of_piece.iter().all(|(x, y)| seen.grid.cell(*x, *y) == Cell::Full), "{:?}", seen.grid);
        }
    }
}

#[test]
fn the_wrong_polarity_sees_no_game() {
    let mut playing = 0;
    for is_light in [false, true] {
        let wrong = layout(!is_light, "");
        for seed in 945..946 {
            let scene = blank(is_light, Ghost::None);
            fall(seed, &wrong, &scene, 0.5, |_, seen| playing += usize::from(seen.state == ScreenState::Playing));
        }
    }
    assert_eq!(playing, 0);
}

/// The console's screen with this pile.
fn shown(playfield: [[Tile; 10]; 20], level: u8, next: Piece) -> Picture {
    let mut picture = Picture::new();
    let (lines, score, statistics) = (33, 54_321, [7; 7]);
    let (screen, falling, next) = (Screen::Game, None, Some(next));
    let top = 10_000;
    let view = ConsoleView { screen, playfield, falling, next, level, lines, top, score, statistics, flash: false };
    draw(&view, &mut picture);
    picture
}

/// What S and Z have in common looks like O between them, with a column of half blocks beside it.
#[test]
fn two_next_pieces_in_one_exposure_are_no_third() {
    let layout = Layout::load("nes").unwrap();
    let picture = |level: u8, next: Piece| {
        let mut playfield = [[Tile::Empty; 10]; 20];
        (0..40).filter(|i| i * 3 % 10 != 1).for_each(|i| playfield[16 + i / 10][i % 10] = Tile::Light);
        shown(playfield, level, next)
    };
    let (mut wholes, mut wrong) = (0, Vec::new());
    for (seed, hard, level) in [(9501, 0.3, 18), (961, 0.3, 5), (962, 0.6, 8), (963, 1.0, 2)] {
        let pictures = Piece::ALL.map(|next| picture(level, next));
        let mut camera = CameraModel::new(hard, seed, 30.0, [640, 480]);
        let (corners, k1) = (camera.corners(), camera.flaws().radial_k1);
        let mut reader = Reader::through(&layout, corners, k1, camera.size()).unwrap();
        let mut index = 0;
        let mut read = |shown: &[(f32, &Picture)]| {
            index += 1;
            let image = Arc::new(camera.expose(shown, index));
            reader
                .read(&Frame { index: CameraFrame(index), time: HostTime(0), name: None, file: None, image })
                .next
                .piece()
        };
        // By then it knows how bright blocks are.
        (0..21).for_each(|i| {
            read(&[(1.0, &pictures[i % 7])]);
        });
        let seen = pictures.each_ref().map(|picture| read(&[(1.0, picture)]));
        wholes += seen.iter().zip(Piece::ALL).filter(|(seen, piece)| **seen == Some(*piece)).count();
        for (a, b) in (0..7).flat_map(|a| (0..7).map(move |b| (a, b))).filter(|(a, b)| a != b) {
            for share in [0.2, 0.25, 0.28, 0.3, 0.32, 0.35, 0.4, 0.5] {
                let seen = read(&[(1.0 - share, &pictures[a]), (share, &pictures[b])]);
                if seen.is_some_and(|seen| seen != Piece::ALL[a] && seen != Piece::ALL[b]) {
                    wrong.push((hard, Piece::ALL[a], Piece::ALL[b], share, seen));
                }
            }
        }
    }
    assert!(wholes >= 27, "{wholes} of 28 whole pieces");
    assert!(wrong.is_empty(), "{wrong:?}");
}

#[test]
fn a_next_boxs_frame_does_not_hide_its_piece() {
    // A camera that bends the box's frame into it; L and J were pulled to its side.
    let layout = Layout::load("nes").unwrap();
    for seed in [41_001, 41_101] {
        let mut film = Film::new(Setup::new(1.0, seed), &layout);
        let (corners, k1) = (film.camera.corners(), film.camera.flaws().radial_k1);
        let mut reader = Reader::through(&layout, corners, k1, film.camera.size()).unwrap();
        let (mut right, mut all) = (0, 0);
        for _ in 0..360 {
            let (frame, truth) = film.shoot();
            let seen = reader.read(&frame);
            let Some(next) = truth.next().filter(|_| truth.is_play() && seen.state == ScreenState::Playing) else {
                continue;
            };
            all += 1;
            right += usize::from(seen.next.piece() == Some(next));
            assert!(seen.next.piece().is_none_or(|piece| piece == next), "{seed}: {next} seen as {:?}", seen.next);
        }
        assert!(right * 50 >= all * 49 && all > 200, "{seed}: {right} of {all} next pieces");
    }
}

#[test]
fn no_field_has_a_row_that_is_full_in_all_pictures() {
    let layout = Layout::load("nes").unwrap();
    let mut camera = CameraModel::new(0.3, 9502, 30.0, [640, 480]);
    let mut playfield = [[Tile::Empty; 10]; 20];
    playfield[18][2..7].fill(Tile::Dark);
    playfield[19].fill(Tile::Light);
    let full = shown(playfield, 4, Piece::T);
    playfield[19][9] = Tile::Empty;
    let open = shown(playfield, 4, Piece::T);
    let mut locator = Locator::new(&layout);
    let mut look = |picture: &Picture, index: u64| {
        locator.look(&camera.expose(&[(1.0, picture)], index));
        locator.verdict().is_ok()
    };
    // For a moment it may be one that is about to be cleared.
    let found: Vec<bool> = (0..12).map(|index| look(&full, index)).collect();
    assert!(found[9..].iter().all(|found| !found), "{found:?}");
    assert!(look(&open, 12), "it is gone in one");
}
