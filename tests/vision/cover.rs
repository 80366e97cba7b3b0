//! Things that come before the field, drawn at random: hands of several skins, sleeves, a head, notes. What they hide is
//! unknown, what they leave is read on, and nothing is made of them.
#![allow(clippy::unwrap_used, clippy::expect_used)]

use crate::support::spoil::{Fault, Place, SPOILED, Tally, run};
use image::{Rgb, RgbImage};
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

/// Skins under warm and cold light, cloth, hair, paper.
const COLOURS: [[f64; 3]; 9] = [
    [238.0, 198.0, 172.0],
    [205.0, 150.0, 120.0],
    [160.0, 105.0, 78.0],
    [110.0, 68.0, 50.0],
    [62.0, 40.0, 32.0],
    [70.0, 90.0, 140.0],
    [45.0, 30.0, 25.0],
    [240.0, 225.0, 90.0],
    [200.0, 60.0, 60.0],
];

/// A shape in the field's own measure (width 1, height 1), and its colour.
#[derive(Debug, Clone, Copy)]
enum Shape {
    /// From one point to beyond another, so thick, with a round end.
    Arm { from: [f64; 2], to: [f64; 2], half: f64 },
    /// An upright oval and what is below it.
    Head { at: [f64; 2], half: [f64; 2] },
    /// A rectangle.
    Note { at: [f64; 2], half: [f64; 2] },
}

impl Shape {
    /// One that covers part of the field, drawn at random.
    fn draw(dice: &mut Xoshiro256PlusPlus) -> Self {
        match dice.random_range(0..4) {
            0 | 1 => {
                let side = if dice.random_range(0..2) == 0 { -0.8 } else { 1.8 };
                let from = [side, dice.random_range(-0.2..1.2)];
                let to = [dice.random_range(0.2..0.8), dice.random_range(0.1..0.9)];
                Self::Arm { from, to, half: dice.random_range(0.04..0.12) }
            }
            2 => {
                let half = [dice.random_range(0.2..0.35), dice.random_range(0.12..0.2)];
                Self::Head { at: [dice.random_range(0.0..1.0), dice.random_range(0.6..0.9)], half }
            }
            _ => {
                let half = [dice.random_range(0.15..0.35), dice.random_range(0.07..0.15)];
                Self::Note { at: [dice.random_range(0.1..0.9), dice.random_range(0.1..0.9)], half }
            }
        }
    }

    /// Whether it lies before a point (field widths and heights).
    fn covers(self, [x, y]: [f64; 2]) -> bool {
        match self {
            Self::Arm { from, to, half } => {
                // A field is twice as high as wide.
                let (along, at) = ([(to[0] - from[0]) / 2.0, to[1] - from[1]], [(x - from[0]) / 2.0, y - from[1]]);
                let length = along[0].hypot(along[1]);
                let t = ((at[0] * along[0] + at[1] * along[1]) / (length * length)).clamp(0.0, 1.0);
                (at[0] - t * along[0]).hypot(at[1] - t * along[1]) < half
            }
            Self::Head { at, half } => {
                let [u, v] = [(x - at[0]) / half[0], (y - at[1]) / half[1]];
                u.hypot(v) < 1.0 || v > 0.8 && u.abs() < 1.6 * (v - 0.3).sqrt()
            }
            Self::Note { at, half } => (x - at[0]).abs() < half[0] && (y - at[1]).abs() < half[1],
        }
    }
}

/// A picture's point in widths and heights of the field, near enough for shapes.
fn of_field(place: &Place, [x, y]: [f64; 2]) -> [f64; 2] {
    let [a, b, c, d] = place.corners;
    let across = [0, 1].map(|i| (b[i] + c[i] - a[i] - d[i]) / 2.0);
    let down = [0, 1].map(|i| (c[i] + d[i] - a[i] - b[i]) / 2.0);
    let middle = [0, 1].map(|i| (a[i] + b[i] + c[i] + d[i]) / 4.0);
    let [p, q] = [x - middle[0], y - middle[1]];
    let area = across[0] * down[1] - across[1] * down[0];
    [(p * down[1] - q * down[0]) / area + 0.5, (across[0] * q - across[1] * p) / area + 0.5]
}

fn add(all: &mut Tally, one: &Tally) {
    (0..3).for_each(|i| {
        all.cells[i] += one.cells[i];
        all.covered[i] += one.covered[i];
        all.next[i] += one.next[i];
    });
    all.pictures += one.pictures;
    all.read += one.read;
    all.wrong_spawns += one.wrong_spawns;
    (0..2).for_each(|i| all.after[i] += one.after[i]);
}

/// Things before the field, at one hardness; all that was read.
fn tally(hard: f64, seeds: std::ops::Range<u64>) -> Tally {
    let mut all = Tally::default();
    for seed in seeds {
        let mut dice = Xoshiro256PlusPlus::seed_from_u64(seed ^ 0x6861_6e64);
        let (shape, colour) = (Shape::draw(&mut dice), COLOURS[dice.random_range(0..COLOURS.len())]);
        let covers = |point: [f64; 2], place: &Place| shape.covers(of_field(place, point));
        let spoil = |now: &RgbImage, _: &RgbImage, place: &Place| {
            RgbImage::from_fn(now.width(), now.height(), |x, y| {
                let [u, v] = [f64::from(x), f64::from(y)];
                // Nothing is of one colour: folds, light from one side.
                let shade = 1.0 - 0.1 * (u / 9.0).sin() * (v / 7.0).cos() - 0.1 * (u / 70.0).sin();
                if covers([u, v], place) { Rgb(colour.map(|c| (c * shade) as u8)) } else { *now.get_pixel(x, y) }
            })
        };
        let one = run(hard, seed..seed + 1, &Fault { spoil: &spoil, covers: &covers, when: SPOILED });
        println!("hard {hard}, seed {seed}: {shape:.2?} of {colour:?}: {one:?}");
        add(&mut all, &one);
    }
    all
}

/// What is read of the field beside what covers it is right, and behind it hardly anything is read wrongly.
fn check(hard: f64, seeds: std::ops::Range<u64>) {
    let all = tally(hard, seeds);
    let covered: usize = all.covered.iter().sum();
    assert!(all.covered[2] * 200 <= covered, "{} of {covered} covered cells are surely wrong", all.covered[2]);
    let cells: usize = all.cells.iter().sum();
    assert!(all.cells[2] * 2000 <= cells, "{} of {cells} cells beside are surely wrong", all.cells[2]);
    assert!(all.after[0] * 100 >= all.after[1] * 95, "not read again: {all:?}");
}

#[test]
fn what_a_hand_hides_is_unknown() {
    check(0.0, 900..903);
}

#[test]
fn what_a_hand_hides_from_a_bad_camera_is_unknown() {
    check(0.5, 910..913);
}

#[test]
fn what_a_hand_hides_from_the_worst_cameras_is_unknown() {
    check(1.0, 920..923);
}
