//! What screens, rooms and cameras do beyond hardness, as the twin does it: nothing is changed unasked, and it is read.
#![allow(clippy::unwrap_used)]

use stackhand::message::{Cell, Frame, ScreenState};
use stackhand::profile::layout::Layout;
use stackhand::time::{CameraFrame, HostTime};
use stackhand::twin::camera::{CameraModel, DEFAULT_SIZE};
use stackhand::twin::effects::{Effect, Effects};
use stackhand::twin::look::Look;
use stackhand::twin::picture::Picture;
use stackhand::twin::player::Player;
use stackhand::twin::table::{Exposure, Scene, Table, TableSettings};
use stackhand::twin::view::{Screen, Tile};
use stackhand::vision::read::Reader;
use stackhand::vision::read::worths::Worths;
use std::sync::Arc;

const FPS: f64 = 30.0;

struct Film {
    table: Table,
    player: Player,
    camera: CameraModel,
}

impl Film {
    /// Begins with the game's first piece.
    fn new(effects: &Effects, hard: f64, seed: u64) -> Self {
        let Self { mut table, mut player, camera } = Self::from_menu(effects, hard, seed);
        while !table.is_falling() {
            table.play_ahead(1, |console| player.hold(console));
        }
        if let Some(rows) = effects.rows_of_garbage(seed) {
            table.heap(rows);
        }
        Self { table, player, camera }
    }

    fn from_menu(effects: &Effects, hard: f64, seed: u64) -> Self {
        let camera = CameraModel::affected(hard, effects, seed, FPS, DEFAULT_SIZE);
        let exposure_ms = camera.exposure_ms();
        let settings = TableSettings { start_level: 3, seed, fps: FPS, exposure_ms, camera_latency_ms: 0.0 };
        let (table, player) = (Table::new(settings).with_look(Look::draw_of(effects, seed)), Player::new(seed));
        Self { table, player, camera }
    }

    fn shoot(&mut self) -> (Frame, Exposure) {
        let Self { table, player, camera } = self;
        let exposure = table.expose_played(|console, _| player.hold(console));
        let shown: Vec<(f32, &Picture)> = exposure.shown.iter().map(|(share, p)| (*share, p.as_ref())).collect();
        let image = Arc::new(camera.expose(&shown, exposure.index));
        let time = HostTime::from_ms(exposure.index as f64 * 1000.0 / FPS);
        (Frame { index: CameraFrame(exposure.index), time, name: None, file: None, image }, exposure)
    }
}

/// A seed of whose clip this effect is strong.
fn strong(effect: Effect) -> u64 {
    let effects = Effects::default().with(effect, 1.0);
    (1..200).find(|seed| effects.strength(effect, *seed) >= 0.9).unwrap()
}

#[test]
fn every_effect_changes_the_pictures_and_none_does_unasked() {
    let film = |effects: &Effects, seed| {
        let mut film = Film::new(effects, 0.3, seed);
        (0..40).map(|_| film.shoot().0.image).collect::<Vec<_>>()
    };
    for effect in Effect::ALL {
        let seed = strong(effect);
        let plain = film(&Effects::default(), seed);
        let (affected, again) = (Effects::default().with(effect, 1.0), Effects::default().with(effect, 1.0));
        // Words come after a while, and cover a part of the time only; lively is the modern game's, and this is the console.
        if !matches!(effect, Effect::Words | Effect::Lively) {
            assert!(film(&affected, seed) != plain, "{effect:?}");
        }
        assert!(film(&affected, seed) == film(&again, seed), "{effect:?}");
        assert!(film(&Effects::default().with(effect, 0.0), seed) == plain, "{effect:?}");
    }
}

/// Cells that showed one thing all the time: surely right, unknown, surely wrong; and pictures of play, read and in all.
fn read(effect: Effect, strength: f64, hard: f64, seeds: std::ops::Range<u64>, pictures: u64) -> ([u64; 3], [u64; 2]) {
    read_by(|reader| reader, effect, [strength, hard], seeds, pictures)
}

/// The same by a reader made of the usual one; at these strengths of the effect and of the camera's hardness.
fn read_by(
    made: fn(Reader) -> Reader,
    effect: Effect,
    [strength, hard]: [f64; 2],
    seeds: std::ops::Range<u64>,
    pictures: u64,
) -> ([u64; 3], [u64; 2]) {
    let (mut cells, mut read) = ([0; 3], [0; 2]);
    for seed in seeds {
        let film = Film::new(&Effects::default().with(effect, strength), hard, seed);
        count(film, made, pictures, &mut cells, &mut read);
    }
    println!("{effect:?} {strength}: cells {cells:?}, pictures {read:?}");
    (cells, read)
}

/// Adds what is read in a film's next pictures.
fn count(mut film: Film, made: fn(Reader) -> Reader, pictures: u64, cells: &mut [u64; 3], read: &mut [u64; 2]) {
    let layout = Layout::load("nes").unwrap();
    let (corners, k1) = (film.camera.corners(), film.camera.flaws().radial_k1);
    let mut reader = made(Reader::through(&layout, corners, k1, DEFAULT_SIZE).unwrap());
    for _ in 0..pictures {
        let (frame, exposure) = film.shoot();
        let seen = reader.read(&frame);
        let scenes = &exposure.scenes;
        let is_play = |scene: &Scene| {
            scene.state == Some(ScreenState::Playing) && scene.view.screen == Screen::Game && scene.glide_px == 0
        };
        if !scenes.iter().all(|scene| is_play(scene)) {
            continue;
        }
        read[1] += 1;
        read[0] += u64::from(seen.state.shows_cells());
        for (x, y) in (0..200).map(|i| (i % 10, i / 10)) {
            let full = |scene: &Scene| {
                let falls = scene.view.falling.is_some_and(|(cells, _)| cells.contains(&(x as i8, y as i8)));
                falls || scene.view.playfield[y][x] != Tile::Empty
            };
            let is_full = full(&scenes[0]);
            if !seen.state.shows_cells() || scenes.iter().any(|scene| full(scene) != is_full) {
                continue;
            }
            let outcome = match seen.grid.cell(x, y) {
                Cell::Unknown => 1,
                cell => 2 * usize::from((cell == Cell::Full) != is_full),
            };
            cells[outcome] += 1;
        }
    }
}

#[test]
fn blocks_that_are_drawn_as_outlines_or_as_dark_as_the_field_are_read() {
    // At level D0 of the console three pieces are dark blue outlines; at B8 two are black, with a glint.
    for seed in [1_200_019, 1_200_021] {
        let ([right, unknown, wrong], [read, pictures]) = read(Effect::Pale, 0.5, 0.3, seed..seed + 1, 600);
        assert!(read * 100 >= 99 * pictures, "{read} of {pictures}");
        assert!((unknown + wrong) * 200 <= right, "{unknown} unknown and {wrong} wrong beside {right}");
    }
}

/// Displays fade: in the game's first picture the menu still shines through the field.
#[test]
fn a_menu_that_fades_is_not_read_as_blocks() {
    let (mut cells, mut read) = ([0; 3], [0; 2]);
    for seed in 301..311 {
        let film = Film::from_menu(&Effects::default().with(Effect::Afterglow, 0.5), 0.5, seed);
        count(film, |reader| reader, 20, &mut cells, &mut read);
    }
    println!("cells {cells:?}, pictures {read:?}");
    assert!(read[1] > 100 && read[1] - read[0] <= 20, "{read:?}");
    assert_eq!(cells[2], 0, "{cells:?}");
}

/// The game draws another picture behind its field every few seconds, and goes on.
#[test]
fn a_field_is_read_on_when_the_picture_behind_it_moves_and_changes() {
    let (cells, read) = read(Effect::Background, 0.5, 0.5, 301..304, 300);
    assert!(read[0] * 1000 >= read[1] * 995, "{read:?}");
    assert!(cells[2] * 100_000 <= cells[0], "{cells:?}");
}

/// What stands out but is drawn otherwise than the game's blocks, as a word's strokes are, is no block.
#[test]
fn words_over_the_field_are_told_from_blocks_by_how_those_are_drawn() {
    let wrong = |made: fn(Reader) -> Reader| read_by(made, Effect::Words, [0.7, 0.5], 501..507, 450).0[2];
    let (alone, by_all) = (wrong(|reader| reader.judging_by(None)), wrong(|reader| reader));
    assert!(alone > 50, "{alone} cells are wrong by their contrast alone: too few to tell anything");
    assert!(by_all * 20 < alone, "{by_all} cells are wrong, {alone} by their contrast alone");
}

/// A reader to which these clues are worth nothing.
fn without(reader: Reader, clues: &[&str]) -> Reader {
    let text = Worths::built_in().unwrap().to_text();
    let flat = |line: &str| match line.split_once(" = ") {
        Some((clue, worths)) if clues.contains(&clue) => {
            format!("{clue} = {:?}", vec![0.0; worths.split(',').count()])
        }
        _ => line.to_string(),
    };
    let text: Vec<String> = text.lines().map(flat).collect();
    reader.judging_by(Some(Arc::new(Worths::parse(&text.join("\n")).unwrap())))
}

/// One that does not ask whether what it sees came at once.
fn without_sudden(reader: Reader) -> Reader {
    without(reader, &["sudden"])
}

/// One that does not ask from where what it sees came, and with how much else.
fn without_far(reader: Reader) -> Reader {
    without(reader, &["crowd", "far", "alone"])
}

/// As a game begins nothing is known yet of how its blocks are drawn.
#[test]
fn words_that_come_as_a_game_begins_are_told_from_blocks_by_where_they_come() {
    let wrong = |made: fn(Reader) -> Reader| read_by(made, Effect::Words, [0.5, 0.3], 621..661, 45).0[2];
    let (without, with) = (wrong(without_far), wrong(|reader| reader));
    assert!(without > 40, "{without} cells are wrong where it is not asked: too few to tell anything");
    assert!(with * 2 < without, "{with} cells are wrong, {without} where it is not asked");
}

/// At level 17 some blocks are as dark as the field, and known by a glint in their corner; a letter's stroke is none.
#[test]
fn a_words_stroke_in_a_cells_corner_is_no_glint() {
    let cells = read(Effect::Words, 0.5, 0.3, 643..644, 120).0;
    assert!(cells[2] <= 5, "{cells:?}");
}

/// Light that wanders over the pile lies in its gaps as evenly as a block's, but comes little by little.
#[test]
fn gaps_into_which_light_wanders_are_no_blocks() {
    let wrong = |made: fn(Reader) -> Reader| read_by(made, Effect::Spot, [0.7, 0.3], 701..705, 450).0[2];
    let (without, with) = (wrong(without_sudden), wrong(|reader| reader));
    assert!(without > 40, "{without} cells are wrong where it is not asked: too few to tell anything");
    assert!(with * 4 < without, "{with} cells are wrong, {without} where it is not asked");
}
