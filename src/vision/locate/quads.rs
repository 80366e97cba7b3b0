//! Quadrilaterals of four straight edges, each with how much edge lies along its sides.
//!
//! Sixteen lines of each direction make 65,536 of them. What two or three lines say together is worked out once.

use super::line::Line;
use super::support::{Stop, Supported};
use crate::profile::layout::{FrameMark, Layout, Outward};
use crate::vision::view::geometry::{distance, is_front};

/// The least height of the frame, as a share of the picture's height.
const LEAST_HEIGHT: f64 = 0.12;
/// Opposite sides differ by less than this factor.
const MOST_TAPER: f64 = 1.6;
/// Corners lie at most so far outside the picture, as a share of its size.
const OUTSIDE: f64 = 0.05;

/// A quadrilateral's corners, and the mean agreement along its sides.
pub type Quad = (f64, [[f64; 2]; 4]);

/// All quadrilaterals whose sides are lines of the right polarity; if the frame lacks a side, that side follows from the
/// other three and the layout's aspect. `lines` are sorted as for [`super::candidates::find`]; `size` is the picture's.
pub fn find(layout: &Layout, frame: &FrameMark, lines: &[Vec<Supported>; 4], size: [usize; 2]) -> Vec<Quad> {
    // Seen from the frame's right side, the bright side lies to the right (index 0) if it is brighter outside.
    let side = |quarter: usize| match frame.outward {
        Outward::Brighter => lines[quarter].as_slice(),
        Outward::Darker => lines[(quarter + 2) % 4].as_slice(),
    };
    let [rights, bottoms, lefts, tops] = [0, 1, 2, 3].map(side);
    let aspect = aspect(layout, frame);
    if frame.sides.len() == 4 {
        whole(&Uprights::new(lefts, tops, bottoms, size), &Uprights::new(rights, tops, bottoms, size), aspect, size)
    } else {
        open(lefts, rights, [tops, bottoms], aspect, size)
    }
}

/// Stretches of one line or more: how long they are, px, and the agreement along them. One that leaves the picture is NaN
/// long, and so has no place in any quadrilateral.
#[derive(Clone, Default)]
struct Stretches {
    lengths: Vec<f64>,
    agreements: Vec<f64>,
}

impl Stretches {
    fn of(stretches: impl Iterator<Item = [f64; 2]>) -> Self {
        let (lengths, agreements) = stretches.map(|[length, agreement]| (length, agreement)).unzip();
        Self { lengths, agreements }
    }
}

/// Where a line crosses another: on the one, and on the other.
#[derive(Clone, Copy)]
struct Crossing {
    at: [f64; 2],
    is_inside: bool,
    upright: Stop,
    across: Stop,
}

impl Crossing {
    fn new(upright: &Supported, across: &Supported, size: [usize; 2]) -> Self {
        let at = upright.line.crossing(&across.line);
        Self { at, is_inside: is_inside(&at, size), upright: upright.stop(at), across: across.stop(at) }
    }
}

/// The upright lines of one side with all their crossings.
struct Uprights {
    /// For each upright line, the crossings with the tops, and those with the bottoms.
    crossings: Vec<[Vec<Crossing>; 2]>,
    /// For each upright line and top: the stretches down to each bottom.
    stretches: Vec<Vec<Stretches>>,
}

impl Uprights {
    fn new(lines: &[Supported], tops: &[Supported], bottoms: &[Supported], size: [usize; 2]) -> Self {
        let crossings = lines.iter().map(|line| {
            [tops, bottoms].map(|all| all.iter().map(|across| Crossing::new(line, across, size)).collect::<Vec<_>>())
        });
        let crossings: Vec<_> = crossings.collect();
        let stretch =
            |top: &Crossing, bottom: &Crossing| [distance(top.at, bottom.at), top.upright.until(&bottom.upright)];
        let stretches = crossings.iter().map(|[tops, bottoms]: &[Vec<Crossing>; 2]| {
            tops.iter().map(|top| Stretches::of(bottoms.iter().map(|bottom| stretch(top, bottom)))).collect()
        });
        let stretches = stretches.collect();
        Self { crossings, stretches }
    }
}

/// Quadrilaterals of four lines.
fn whole(lefts: &Uprights, rights: &Uprights, aspect: f64, size: [usize; 2]) -> Vec<Quad> {
    let mut found = Vec::new();
    let mut plausible: Vec<bool> = Vec::new();
    for ([left_tops, left_bottoms], left) in lefts.crossings.iter().zip(&lefts.stretches) {
        for ([right_tops, right_bottoms], right) in rights.crossings.iter().zip(&rights.stretches) {
            let upper = Stretches::of(left_tops.iter().zip(right_tops).map(between));
            let lower = Stretches::of(left_bottoms.iter().zip(right_bottoms).map(between));
            for (i, top) in upper.lengths.iter().enumerate().filter(|(_, top)| !top.is_nan()) {
                let sides = right[i].lengths.iter().zip(&lower.lengths).zip(&left[i].lengths);
                plausible.clear();
                plausible.extend(
                    sides.map(|((right, bottom), left)| is_plausible(&[*top, *right, *bottom, *left], aspect, size)),
                );
                for (k, _) in plausible.iter().enumerate().filter(|(_, plausible)| **plausible) {
                    let corners = [left_tops[i].at, right_tops[i].at, right_bottoms[k].at, left_bottoms[k].at];
                    if is_front(corners) {
                        let sum = |of: fn(&Stretches) -> &Vec<f64>| {
                            of(&upper)[i] + of(&right[i])[k] + of(&lower)[k] + of(&left[i])[k]
                        };
                        found.push((sum(|s| &s.agreements) / sum(|s| &s.lengths), corners));
                    }
                }
            }
        }
    }
    found
}

/// The stretch of a line across between its crossings with two upright lines: its length and agreement.
fn between((left, right): (&Crossing, &Crossing)) -> [f64; 2] {
    if left.is_inside && right.is_inside {
        [distance(left.at, right.at), left.across.until(&right.across)]
    } else {
        [f64::NAN, 0.0]
    }
}

/// Quadrilaterals of three lines, two of them upright, and what follows from them.
fn open(
    lefts: &[Supported],
    rights: &[Supported],
    tops_and_bottoms: [&[Supported]; 2],
    aspect: f64,
    size: [usize; 2],
) -> Vec<Quad> {
    let mut found = Vec::new();
    for left in lefts {
        for right in rights {
            for (across, is_bottom) in tops_and_bottoms.into_iter().zip([false, true]) {
                for across in across {
                    let corners = completed(&left.line, &right.line, &across.line, 1.0 / aspect, is_bottom);
                    let side = |i: usize| distance(corners[i], corners[(i + 1) % 4]);
                    let lengths = [0, 1, 2, 3].map(side);
                    let are_inside = corners.iter().all(|c| is_inside(c, size));
                    if !(are_inside && is_plausible(&lengths, aspect, size) && is_front(corners)) {
                        continue;
                    }
                    let seen = if is_bottom { 2 } else { 0 };
                    let lines = [(across, seen), (right, 1), (left, 3)];
                    let agreement =
                        |(line, i): (&Supported, usize)| line.stop(corners[i]).until(&line.stop(corners[(i + 1) % 4]));
                    let length = lengths[seen] + lengths[1] + lengths[3];
                    found.push((lines.into_iter().map(agreement).sum::<f64>() / length, corners));
                }
            }
        }
    }
    found
}

/// The quadrilateral between two upright lines and one across, whose height is `ratio` times its width.
fn completed(left: &Line, right: &Line, across: &Line, ratio: f64, is_bottom: bool) -> [[f64; 2]; 4] {
    let (a, b) = (left.crossing(across), right.crossing(across));
    let height = ratio * distance(a, b);
    // Along the upright lines, downwards from a top, upwards from a bottom.
    let along = |line: &Line| {
        let [nx, ny] = line.normal;
        let down = if nx < 0.0 { [ny, -nx] } else { [-ny, nx] };
        let sign = if (down[1] > 0.0) != is_bottom { 1.0 } else { -1.0 };
        [sign * down[0] * height, sign * down[1] * height]
    };
    let (c, d) = (along(left), along(right));
    let (c, d) = ([a[0] + c[0], a[1] + c[1]], [b[0] + d[0], b[1] + d[1]]);
    if is_bottom { [c, d, b, a] } else { [a, b, d, c] }
}

fn is_inside(point: &[f64; 2], size: [usize; 2]) -> bool {
    (0..2).all(|i| (-OUTSIDE..1.0 + OUTSIDE).contains(&(point[i] / size[i] as f64)))
}

/// Whether these sides (top, right, bottom, left; px) may be those of a frame of this aspect, whichever way it is turned. Asked
/// of tens of thousands, so without a division or a branch.
fn is_plausible(&[top, right, bottom, left]: &[f64; 4], aspect: f64, size: [usize; 2]) -> bool {
    let opposite = |a: f64, b: f64| (a < MOST_TAPER * b) & (b < MOST_TAPER * a);
    let (width, height) = (top + bottom, right + left);
    let fits = |wide: f64, high: f64| (wide * ASPECT_TOLERANCE >= high) & (wide < ASPECT_TOLERANCE * high);
    opposite(top, bottom)
        & opposite(right, left)
        & (height > 2.0 * LEAST_HEIGHT * size[1] as f64)
        & (fits(width, aspect * height) | fits(height, aspect * width))
}

/// The frame's width over its height on the screen.
pub fn aspect(layout: &Layout, frame: &FrameMark) -> f64 {
    let [left, top, right, bottom] = frame.rect;
    (right - left) * layout.field.cell_aspect / (bottom - top)
}

/// Whether a quadrilateral that is `seen` times as wide as high may be a frame of the aspect `wanted`: upright or upside
/// down, and lying on its side.
pub fn fits(seen: f64, wanted: f64) -> [bool; 2] {
    [seen / wanted, 1.0 / (seen * wanted)].map(|ratio| (1.0 / ASPECT_TOLERANCE..ASPECT_TOLERANCE).contains(&ratio))
}

/// The width over the height may differ from the layout's by this factor: pixels are not square everywhere, and a
/// camera looks from the side.
const ASPECT_TOLERANCE: f64 = 1.4;
