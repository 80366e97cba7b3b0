//! Films of a game whose pictures are spoiled for a while, and what was read of them.
#![allow(dead_code, clippy::unwrap_used)]

use super::play::{Film, Setup, Truth};
use image::{Rgb, RgbImage};
use stackhand::message::{CellGrid, Frame, ScreenState};
use stackhand::profile::layout::Layout;
use stackhand::vision::read::Reader;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Pictures of every clip; what spoils pictures for a while does so in those between the two.
const PICTURES: u64 = 300;
pub const SPOILED: std::ops::Range<u64> = 120..180;

/// The left part of the next box, in widths and heights of the field.
const NEXT_BOX: [f64; 2] = [1.3, 0.5];

/// What was read of the spoiled pictures.
#[derive(Debug, Default)]
pub struct Tally {
    pub pictures: usize,
    /// Pictures of a game under way that were read as one.
    pub read: usize,
    /// Cells that showed one thing in this picture and the one before: surely right, unknown, surely wrong.
    pub cells: [usize; 3],
    /// The same of cells that were covered.
    pub covered: [usize; 3],
    /// Next pieces right, unknown, wrong; wrong pieces in the spawn place.
    pub next: [usize; 3],
    pub wrong_spawns: usize,
    /// What the pictures of play were called.
    pub states: BTreeMap<String, usize>,
    /// Pictures of play among the 30 after the last spoiled one that were read again, and how many there were.
    pub after: [usize; 2],
}

/// What becomes of a picture (with the one as shown before it), and which points of it are covered.
pub struct Fault<'a> {
    pub spoil: &'a dyn Fn(&RgbImage, &RgbImage, &Place) -> RgbImage,
    pub covers: &'a dyn Fn([f64; 2], &Place) -> bool,
    /// In which pictures.
    pub when: std::ops::Range<u64>,
}

/// Where the field is in the picture.
pub struct Place {
    pub corners: [[f64; 2]; 4],
}

impl Place {
    /// The picture's point for one of the field, both from 0 to 1.
    pub fn at(&self, u: f64, v: f64) -> [f64; 2] {
        let [a, b, c, d] = self.corners;
        [0, 1].map(|i| (a[i] * (1.0 - u) + b[i] * u) * (1.0 - v) + (d[i] * (1.0 - u) + c[i] * u) * v)
    }
}

pub fn nothing_covered(_: [f64; 2], _: &Place) -> bool {
    false
}

pub fn run(hard: f64, seeds: std::ops::Range<u64>, fault: &Fault) -> Tally {
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
            let is_spoiled = fault.when.contains(&index);
            let last = before.as_ref().map_or(&frame.image, |(last, _)| last);
            let image =
                if is_spoiled { Arc::new((fault.spoil)(&frame.image, last, &place)) } else { frame.image.clone() };
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
pub fn mix(a: &RgbImage, b: &RgbImage, of: impl Fn(u32, u32, f64, f64) -> f64) -> RgbImage {
    RgbImage::from_fn(a.width(), a.height(), |x, y| {
        let (p, q) = (a.get_pixel(x, y), b.get_pixel(x, y));
        Rgb(std::array::from_fn(|i| of(x, y, f64::from(p[i]), f64::from(q[i])).round().clamp(0.0, 255.0) as u8))
    })
}
