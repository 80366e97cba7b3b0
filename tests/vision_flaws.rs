//! What a camera or a screen does to a picture beyond the simulated camera's own flaws: combs, ghosts, glare that comes,
//! a hand, an exposure that jumps. Nothing may be read as what it is not.
#![allow(clippy::unwrap_used, clippy::expect_used)]

mod vision_support;

use image::{Rgb, RgbImage};
use stackhand::layout::Layout;
use stackhand::message::{CellGrid, Frame, ScreenState};
use stackhand::vision::Reader;
use std::collections::BTreeMap;
use std::sync::Arc;
use vision_support::play::{Film, Setup, Truth};

/// Pictures of every clip; what spoils pictures for a while does so in those between the two.
const PICTURES: u64 = 300;
const SPOILED: std::ops::Range<u64> = 120..180;

/// The left part of the next box, in widths and heights of the field.
const NEXT_BOX: [f64; 2] = [1.3, 0.5];

/// What was read of the spoiled pictures.
#[derive(Debug, Default)]
struct Tally {
    pictures: usize,
    /// Pictures of a game under way that were read as one.
    read: usize,
    /// Cells that showed one thing in this picture and the one before: surely right, unknown, surely wrong.
    cells: [usize; 3],
    /// The same of cells that were covered.
    covered: [usize; 3],
    /// Next pieces right, unknown, wrong; wrong pieces in the spawn place.
    next: [usize; 3],
    wrong_spawns: usize,
    /// What the pictures of play were called.
    states: BTreeMap<String, usize>,
    /// Pictures of play among the 30 after the last spoiled one that were read again, and how many there were.
    after: [usize; 2],
}

/// What becomes of a picture (with the one as shown before it), and which points of it are covered.
struct Fault<'a> {
    spoil: &'a dyn Fn(&RgbImage, &RgbImage, &Place) -> RgbImage,
    covers: &'a dyn Fn([f64; 2], &Place) -> bool,
    /// In which pictures.
    when: std::ops::Range<u64>,
}

/// Where the field is in the picture.
struct Place {
    corners: [[f64; 2]; 4],
}

impl Place {
    /// The picture's point for one of the field, both from 0 to 1.
    fn at(&self, u: f64, v: f64) -> [f64; 2] {
        let [a, b, c, d] = self.corners;
        [0, 1].map(|i| (a[i] * (1.0 - u) + b[i] * u) * (1.0 - v) + (d[i] * (1.0 - u) + c[i] * u) * v)
    }
}

fn nothing_covered(_: [f64; 2], _: &Place) -> bool {
    false
}

fn run(hard: f64, seeds: std::ops::Range<u64>, fault: &Fault) -> Tally {
    let layout = Layout::load("nes").unwrap();
    let mut tally = Tally::default();
    for seed in seeds {
        let mut film = Film::new(Setup::new(hard, seed), &layout);
        let (corners, k1) = (film.camera.corners(), film.camera.flaws().radial_k1);
        let mut reader = Reader::through(&layout, corners, k1, film.camera.size()).unwrap();
        let place = Place { corners };
        let mut before: Option<(Arc<RgbImage>, Truth)> = None;
        for index in 0..PICTURES {
            let (frame, truth) = film.shoot();
            let is_spoiled = fault.when.contains(&index) && before.is_some();
            let image = match &before {
                Some((last, _)) if is_spoiled => Arc::new((fault.spoil)(&frame.image, last, &place)),
                _ => frame.image.clone(),
            };
            let seen = reader.read(&Frame { image, ..frame.clone() });
            if let (Some((_, last)), true) = (&before, is_spoiled && truth.is_play()) {
                tally.pictures += 1;
                *tally.states.entry(format!("{:?}", seen.state)).or_default() += 1;
                if matches!(seen.state, ScreenState::Playing | ScreenState::LineClear) {
                    tally.read += 1;
                    count(&mut tally, &seen.grid, [&truth, last], &|p| (fault.covers)(p, &place), &place);
                    let is_hidden = (fault.covers)(place.at(NEXT_BOX[0], NEXT_BOX[1]), &place);
                    let next = truth.next().filter(|next| last.next() == Some(*next) && !is_hidden);
                    if let (Some(next), Some(seen)) = (next, Some(seen.next.piece())) {
                        tally.next[if seen == Some(next) { 0 } else { 1 + usize::from(seen.is_some()) }] += 1;
                    }
                    let shown = |piece| [&truth, last].iter().any(|t| t.shows_somewhile(&layout.spawn_cells(piece)));
                    tally.wrong_spawns += usize::from(seen.spawn.piece().is_some_and(|piece| !shown(piece)));
                }
            } else if (fault.when.end..fault.when.end + 30).contains(&index) && truth.is_play() {
                tally.after[0] += usize::from(matches!(seen.state, ScreenState::Playing | ScreenState::LineClear));
                tally.after[1] += 1;
            }
            before = Some((frame.image, truth));
        }
    }
    assert!(tally.pictures > 50, "too few pictures of play: {tally:?}");
    tally
}

fn count(tally: &mut Tally, grid: &CellGrid, truths: [&Truth; 2], covers: &dyn Fn([f64; 2]) -> bool, place: &Place) {
    let (low, high) = CellGrid::SURE;
    for (x, y) in (0..200).map(|i| (i % 10, i / 10)) {
        let shares = truths.map(|truth| truth.full(x, y));
        let is_one_thing = shares.iter().all(|s| *s < 0.02) || shares.iter().all(|s| *s > 0.98);
        if !is_one_thing {
            continue;
        }
        let p = grid.p_full(x, y);
        let outcome = match p < low || p > high {
            false => 1,
            true => 2 * usize::from((p > 0.5) != (shares[0] > 0.5)),
        };
        // A cell counts as covered when something lies on any part of it, or beside it, for it may cast a shadow.
        let corner = |i: usize| {
            place.at((x as f64 - 0.2 + 0.7 * (i % 3) as f64) / 10.0, (y as f64 - 0.2 + 0.7 * (i / 3) as f64) / 20.0)
        };
        let is_covered = (0..9).any(|i| covers(corner(i)));
        if is_covered { tally.covered[outcome] += 1 } else { tally.cells[outcome] += 1 }
    }
}

/// Each pixel of a picture from that of two.
fn mix(a: &RgbImage, b: &RgbImage, of: impl Fn(u32, u32, f64, f64) -> f64) -> RgbImage {
    RgbImage::from_fn(a.width(), a.height(), |x, y| {
        let (p, q) = (a.get_pixel(x, y), b.get_pixel(x, y));
        Rgb(std::array::from_fn(|i| of(x, y, f64::from(p[i]), f64::from(q[i])).round().clamp(0.0, 255.0) as u8))
    })
}

/// Cells that showed one thing are hardly ever unknown, and practically never surely wrong.
fn assert_cells(tally: &Tally, most_unknown_percent: usize) {
    println!("{tally:?}");
    let [right, unknown, wrong] = tally.cells;
    let all = right + unknown + wrong;
    assert!(wrong * 10_000 <= all, "{wrong} of {all} cells are surely wrong");
    assert!(unknown * 100 <= most_unknown_percent * all, "{unknown} of {all} cells are unknown");
    assert_eq!(tally.next[2], 0, "no next piece is taken for another");
    // A piece that turns, combed, may for one picture look like another one, fainter.
    assert!(tally.wrong_spawns * 100 <= tally.pictures, "{} wrong pieces in the spawn place", tally.wrong_spawns);
    assert!(tally.after[0] * 100 >= tally.after[1] * 95, "not read again: {tally:?}");
}

/// The whole clip is spoiled and yet read.
fn assert_read(tally: &Tally) {
    assert_cells(tally, 1);
    assert!(tally.read * 100 >= tally.pictures * 98, "only {} of {} pictures are read", tally.read, tally.pictures);
    assert!(tally.next[1] * 10 <= tally.next[0], "the next piece is unknown too often: {:?}", tally.next);
}

#[test]
fn interlaced_pictures_are_read() {
    let comb = |now: &RgbImage, last: &RgbImage, _: &Place| mix(now, last, |_, y, a, b| if y % 2 == 1 { b } else { a });
    for (hard, seeds) in [(0.0, 810..812), (0.5, 812..815)] {
        assert_read(&run(hard, seeds, &Fault { spoil: &comb, covers: &nothing_covered, when: 1..270 }));
    }
}

#[test]
fn what_is_left_of_the_last_picture_is_no_block() {
    let ghost = |now: &RgbImage, last: &RgbImage, _: &Place| mix(now, last, |_, _, a, b| 0.7 * a + 0.3 * b);
    for (hard, seeds) in [(0.0, 820..822), (0.5, 822..825)] {
        assert_read(&run(hard, seeds, &Fault { spoil: &ghost, covers: &nothing_covered, when: 1..270 }));
    }
}

#[test]
fn glare_that_comes_and_goes_is_no_block() {
    for (at, radius, strength) in [((0.5, 0.6), 0.25, 60.0), ((0.2, 0.85), 0.12, 60.0), ((0.7, 0.3), 0.3, 120.0)] {
        let glare = |now: &RgbImage, _: &RgbImage, place: &Place| {
            let [cx, cy] = place.at(at.0, at.1);
            let size = radius * f64::from(now.width());
            mix(now, now, |x, y, a, _| {
                let far = ((f64::from(x) - cx).hypot(f64::from(y) - cy) / size).min(1.0);
                a + strength * (1.0 - far * far).powi(2)
            })
        };
        let tally = run(0.5, 830..833, &Fault { spoil: &glare, covers: &nothing_covered, when: SPOILED });
        println!("glare {strength} at {at:?}");
        assert_cells(&tally, 25);
    }
}

#[test]
fn one_picture_of_another_exposure_is_read() {
    for gain in [0.6, 1.5] {
        let step = |now: &RgbImage, _: &RgbImage, _: &Place| mix(now, now, |_, _, a, _| a * gain);
        let mut all = Tally::default();
        for picture in [60, 110, 160, 210] {
            let fault = Fault { spoil: &step, covers: &nothing_covered, when: picture..picture + 20 };
            let tally = run(0.5, 840..843, &fault);
            all.read += tally.read;
            all.pictures += tally.pictures;
            assert_cells(&tally, 2);
        }
        assert!(all.read * 100 >= all.pictures * 95, "gain {gain}: {} of {} read", all.read, all.pictures);
    }
}

/// A hand that comes from the right of the field and hides what is under it.
#[test]
fn a_hand_before_the_field_makes_no_pile() {
    for colour in [[205.0, 150.0, 120.0], [12.0, 10.0, 10.0]] {
        for (reach, height) in [(0.75, 0.5), (0.45, 0.8), (0.6, 0.2)] {
            let covers = |p: [f64; 2], place: &Place| {
                let ([x, y], [right, _]) = (place.at(reach, height), place.at(1.4, height));
                let half = 0.12 * (place.corners[3][1] - place.corners[0][1]).abs();
                p[0] < right && (p[1] - y).abs() < half && p[0] > x + (p[1] - y).powi(2) / half
            };
            let hand = |now: &RgbImage, _: &RgbImage, place: &Place| {
                RgbImage::from_fn(now.width(), now.height(), |x, y| {
                    let hidden = covers([f64::from(x), f64::from(y)], place);
                    // Skin is not one colour: folds and shadows.
                    let shade = 1.0 - 0.12 * (f64::from(x) / 9.0).sin() * (f64::from(y) / 7.0).cos();
                    if hidden { Rgb(colour.map(|c: f64| (c * shade) as u8)) } else { *now.get_pixel(x, y) }
                })
            };
            let tally = run(0.5, 850..852, &Fault { spoil: &hand, covers: &covers, when: SPOILED });
            println!("colour {colour:?} at {reach} {height}");
            assert_cells(&tally, 5);
        }
    }
}
