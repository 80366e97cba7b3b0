//! Edges beside the field that show whether the camera still sees what it saw, and if not, how far it moved.

use crate::profile::layout::{Layout, Polarity};
use crate::vision::read::sampling::Samples;
use crate::vision::view::View;
use crate::vision::view::geometry::{distance, middle};
use crate::vision::view::marks::{self, Segment};
use nalgebra::{Matrix4, Vector4};

/// How far an edge may be from its place, field units.
const REACH: f64 = 0.3;
/// This many standard errors make an edge: in pure noise, with all places tried, about one in ten passes.
const SIGNIFICANCE: f32 = 3.5;
/// Points along a piece of an edge.
const POINTS: usize = 8;
/// Lines on either side of the steepest that belong to the same edge.
const RISE_LINES: usize = 2;
/// The most lines of points across an edge.
const MOST_LINES: usize = 61;
/// The share of all edges that must be about where they should be, and of those of each direction, as long as their usual
/// places are not known. (A picture that moved along one direction keeps all edges of that direction.)
const LEAST_HELD: f32 = 0.55;
const LEAST_HELD_EACH: f32 = 0.3;
/// Afterwards this share of each direction, to a fraction of a pixel: what stands beside an edge hides it or moves it,
/// and after a bump other edges stand about where these were.
const LEAST_SAME: f32 = 0.4;
/// An edge nearer to its usual place than this is where it was, px.
const SAME_PX: f64 = 1.2;
/// An edge's usual place is the mean over this many pictures: blur and what stands beside it move it a little.
const USUAL_AFTER: u16 = 6;
/// An edge that is further from where the others say than this has something beside it, px.
const OUTLIER_PX: f64 = 1.0;
/// A movement is only told from this many edges.
const LEAST_EDGES: usize = 8;

/// Pixels across one edge.
#[derive(Debug, Clone)]
struct Witness {
    samples: Samples,
    lines: usize,
    /// Its middle, px from the field's centre, over half the field's size.
    at: [f64; 2],
    /// Across it, towards the evidence, in the picture.
    normal: [f64; 2],
    /// Whether it lies across the game's picture rather than upright.
    is_level: bool,
    /// The mean place of the first pictures' edges along the normal, px, and how many they were.
    usual_px: f64,
    pictures: u16,
}

/// All edges around one field.
#[derive(Debug, Clone)]
pub struct Witnesses {
    edges: Vec<Witness>,
    values: Vec<u8>,
    places: Vec<Option<f64>>,
    brightest: Vec<f32>,
    /// Half the field's size, px.
    half_px: f64,
}

/// What the edges around the field say in one picture.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Standing {
    /// Edges in their places, upright and level ones.
    pub held: [u16; 2],
    /// Of these, edges that are exactly where they used to be, or all have moved alike.
    pub same: [u16; 2],
    /// Whether the usual places of most edges are known.
    pub is_known: bool,
    /// All edges that the picture could show, upright and level ones.
    pub of: [u16; 2],
    /// How the picture lies against those before, if enough edges tell.
    pub movement: Option<Movement>,
}

/// A small movement of the picture: shift, turn and growth about the field's centre.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Movement {
    /// Shift to the right, shift down, growth and turn (the last two at half the field's size from its centre); px.
    pub px: [f64; 4],
}

impl Standing {
    /// Where no edge can be looked for.
    pub const ABSENT: Self = Self { held: [0; 2], same: [0; 2], is_known: false, of: [1; 2], movement: None };

    /// Whether the edges are where they were, both upright and level ones.
    pub fn holds(&self) -> bool {
        let all = |found: [u16; 2], least: f32| (0..2).all(|i| f32::from(found[i]) >= least * f32::from(self.of[i]));
        if self.is_known {
            all(self.same, LEAST_SAME)
        } else {
            self.share() >= LEAST_HELD && all(self.held, LEAST_HELD_EACH)
        }
    }

    /// The share of all edges that are in their places, 0–1; 1 where there are none.
    pub fn share(&self) -> f32 {
        let of = self.of[0] + self.of[1];
        if of == 0 { 1.0 } else { f32::from(self.held[0] + self.held[1]) / f32::from(of) }
    }
}

impl Movement {
    /// Where these corners of the field are after the movement, px.
    pub fn applied(&self, corners: [[f64; 2]; 4]) -> [[f64; 2]; 4] {
        let [x, y, growth, turn] = self.px;
        let center = middle(&corners);
        let middles =
            [[corners[0], corners[1]], [corners[3], corners[2]]].map(|[a, b]| [0, 1].map(|i| (a[i] + b[i]) / 2.0));
        let half_px = distance(middles[0], middles[1]) / 2.0;
        corners.map(|corner| {
            let [u, v] = [0, 1].map(|i| (corner[i] - center[i]) / half_px);
            [corner[0] + x + growth * u - turn * v, corner[1] + y + growth * v + turn * u]
        })
    }

    /// How far an edge has moved along its normal, px.
    fn across(&self, edge: &Witness) -> f64 {
        edge.moves().dot(&Vector4::from(self.px))
    }

    /// How far a corner of the field moved, px, at most.
    pub fn most_px(&self) -> f64 {
        let [x, y, growth, turn] = self.px;
        x.hypot(y) + std::f64::consts::SQRT_2 * growth.hypot(turn)
    }
}

impl Witnesses {
    /// The edges of a layout that lie wholly in the picture.
    pub fn new(layout: &Layout, view: &View, picture: [u32; 2]) -> Self {
        let [columns, rows] = [layout.field.columns as f64, layout.field.rows as f64];
        let center = view.map([columns / 2.0, rows / 2.0]);
        let half_px = distance(view.map([columns / 2.0, 0.0]), view.map([columns / 2.0, rows])) / 2.0;
        let segments = marks::segments(layout);
        let edges = segments.iter().filter_map(|s| Witness::new(s, view, picture, layout.polarity, center, half_px));
        Self { edges: edges.collect(), values: Vec::new(), places: Vec::new(), brightest: Vec::new(), half_px }
    }

    /// Looks for every edge. Evidence must rise across it within two pixels: by at least `least` steps, and by clearly
    /// more than what scatters along the edge explains.
    pub fn look(&mut self, bytes: &[u8], least: f32) -> Standing {
        let mut standing = Standing::default();
        self.places.clear();
        self.brightest.clear();
        for edge in &self.edges {
            let (place, brightest) = edge.place(bytes, least, &mut self.values);
            self.brightest.push(brightest);
            let level = usize::from(edge.is_level);
            standing.of[level] += 1;
            standing.held[level] += u16::from(place.is_some());
            self.places.push(place);
        }
        let known = self.edges.iter().filter(|edge| edge.pictures >= USUAL_AFTER).count();
        standing.is_known = 2 * known > self.edges.len();
        standing.movement = self.movement();
        let movement = standing.movement.unwrap_or_default();
        for (edge, place) in self.edges.iter().zip(&self.places) {
            let is_same = place.is_some_and(|place| edge.is_usual(place - movement.across(edge)));
            standing.same[usize::from(edge.is_level)] += u16::from(is_same);
        }
        standing
    }

    /// The evidence in each edge's brightest line in the picture just looked at, steps.
    pub fn brightest(&self) -> &[f32] {
        &self.brightest
    }

    /// Takes the picture just looked at for one that shows the edges in their usual places, while these are not known.
    pub fn learn(&mut self) {
        for (edge, place) in self.edges.iter_mut().zip(&self.places) {
            if let Some(place) = place.filter(|_| edge.pictures < USUAL_AFTER) {
                edge.pictures += 1;
                edge.usual_px += (place - edge.usual_px) / f64::from(edge.pictures);
            }
        }
    }

    /// Forgets the usual places, to learn them anew.
    pub fn forget(&mut self) {
        self.edges.iter_mut().for_each(|edge| edge.pictures = 0);
    }

    /// The movement that explains where the edges are now: least squares, twice, the second time without outliers.
    fn movement(&self) -> Option<Movement> {
        let mut movement = Vector4::zeros();
        for round in 0..3 {
            let mut normal_matrix = Matrix4::from_diagonal(&Vector4::new(1e-3, 1e-3, 1.0, 1.0));
            let mut right = Vector4::zeros();
            let mut count = 0;
            for (edge, place) in self.edges.iter().zip(&self.places) {
                let Some(place) = place.filter(|_| edge.pictures >= USUAL_AFTER) else { continue };
                let row = edge.moves();
                let away = place - edge.usual_px;
                if round > 0 && (away - row.dot(&movement)).abs() > OUTLIER_PX {
                    continue;
                }
                count += 1;
                normal_matrix += row * row.transpose();
                right += row * away;
            }
            if count < LEAST_EDGES {
                return None;
            }
            movement = normal_matrix.cholesky()?.solve(&right);
        }
        let found = Movement { px: movement.into() };
        (found.most_px() < self.half_px).then_some(found)
    }
}

impl Witness {
    fn new(
        segment: &Segment,
        view: &View,
        picture: [u32; 2],
        polarity: Polarity,
        center: [f64; 2],
        half_px: f64,
    ) -> Option<Self> {
        // From the darker to the brighter side, a pixel a step; evidence runs the other way for dark blocks.
        let direction = if polarity == Polarity::LightOnDark { 1.0 } else { -1.0 };
        let middle = segment.at(0.5);
        let [a, b] = [-1.0, 1.0]
            .map(|side| view.map([0, 1].map(|i| middle[i] + direction * side * REACH * segment.brighter[i])));
        let length = distance(a, b);
        let steps = length.round().clamp(3.0, (MOST_LINES - 1) as f64) as usize;
        let points = (0..=steps).flat_map(|step| {
            (0..POINTS).map(move |i| {
                let along = (i as f64 + 0.5) / POINTS as f64;
                // Each point lies a little further across than the one before, a step in all: so an edge between two
                // columns of pixels is seen where it is, not rounded to one of them.
                let across = direction * REACH * (2.0 * (step as f64 + along - 0.5) / steps as f64 - 1.0);
                let at = segment.at(along);
                view.map([0, 1].map(|k| at[k] + across * segment.brighter[k]))
            })
        });
        let samples = Samples::new(points, picture, polarity);
        let at = view.map(middle);
        samples.all_inside().then_some(Self {
            samples,
            lines: steps + 1,
            at: [0, 1].map(|i| (at[i] - center[i]) / half_px),
            normal: [0, 1].map(|i| (b[i] - a[i]) / length),
            is_level: segment.brighter[0].abs() < segment.brighter[1].abs(),
            usual_px: 0.0,
            pictures: 0,
        })
    }

    /// How far the edge moves along its normal with each number of a [`Movement`].
    fn moves(&self) -> Vector4<f64> {
        let ([x, y], [nx, ny]) = (self.at, self.normal);
        Vector4::new(nx, ny, nx * x + ny * y, ny * x - nx * y)
    }

    fn is_usual(&self, place_px: f64) -> bool {
        self.pictures >= USUAL_AFTER && (place_px - self.usual_px).abs() < SAME_PX
    }

    /// Where evidence rises most across the edge, px from its middle, `None` if it does not rise enough anywhere; and the evidence
    /// in the brightest line beside it.
    fn place(&self, bytes: &[u8], least: f32, values: &mut Vec<u8>) -> (Option<f64>, f32) {
        self.samples.load(bytes, values);
        let (lines, _) = values.as_chunks::<POINTS>();
        let mut means = [0.0f32; MOST_LINES];
        for (mean, line) in means.iter_mut().zip(lines) {
            *mean = line.iter().map(|&v| u32::from(v)).sum::<u32>() as f32 / POINTS as f32;
        }
        let means = &means[..self.lines.min(MOST_LINES)];
        let rise = |i: usize| means[i + 1] - means[i - 1];
        let is_edge = |i: &usize| {
            let rise = rise(*i);
            rise > least
                && rise * rise
                    > SIGNIFICANCE * SIGNIFICANCE * (scatter(lines, *i + 1, means) + scatter(lines, *i - 1, means))
        };
        let steepest = (1..means.len() - 1).filter(is_edge).max_by(|a, b| rise(*a).total_cmp(&rise(*b)));
        let middle = (means.len() - 1) as f64 / 2.0;
        let brightest = means.iter().copied().fold(0.0, f32::max);
        (steepest.map(|steepest| center_of_rise(means, steepest) - middle), brightest)
    }
}

/// The square of how far a line's mean may be off by what scatters along it.
fn scatter(lines: &[[u8; POINTS]], line: usize, means: &[f32]) -> f32 {
    let n = POINTS as f32;
    let squares: u32 = lines[line].iter().map(|&v| u32::from(v) * u32::from(v)).sum();
    let before = line.checked_sub(1).map(|before| lines[before][POINTS - 1]);
    let evenly = evenly_squared(&lines[line], [before, lines.get(line + 1).map(|after| after[0])]);
    (squares as f32 / n - means[line] * means[line] - evenly).max(0.0) / n
}

/// The part of a line's scatter that is none: each of its points lies a little further across than the one before, so that
/// what changes evenly along them, and goes on so in the lines before and after, is the edge itself. Without it a line one
/// pixel wide is no edge unless it lies between two lines of points. An edge that runs askew begins anew in each line.
fn evenly_squared(values: &[u8; POINTS], [before, after]: [Option<u8>; 2]) -> f32 {
    let n = POINTS as f32;
    let slant: f32 = (0u8..).zip(values).map(|(i, &v)| (f32::from(i) - (n - 1.0) / 2.0) * f32::from(v)).sum();
    let by_point = slant * 12.0 / (n * (n * n - 1.0));
    let (first, last) = (values[0], values[POINTS - 1]);
    let gap = before.unwrap_or(first).abs_diff(first).max(after.unwrap_or(last).abs_diff(last));
    let goes_on = 2.0 * f32::from(gap) < (by_point * (n - 1.0)).abs();
    if goes_on { by_point * slant / n } else { 0.0 }
}

/// The mean place of the rise around its steepest line, in lines: exact for a sharp edge as for a blurred one.
fn center_of_rise(means: &[f32], steepest: usize) -> f64 {
    let first = steepest.saturating_sub(RISE_LINES);
    let last = (steepest + RISE_LINES).min(means.len() - 1);
    let (mut sum, mut moment) = (0.0, 0.0);
    for i in first..last {
        let step = f64::from(means[i + 1] - means[i]).max(0.0);
        sum += step;
        moment += step * (i as f64 + 0.5);
    }
    if sum > 0.0 { moment / sum } else { steepest as f64 }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    /// A light frame around a dark field of 10 × 20 cells of 16 px, with the field's corner at `at`.
    fn picture(at: [f64; 2]) -> Vec<u8> {
        let share = |low: f64, high: f64, x: f64| (x + 1.0).min(high) - x.max(low);
        let covered = |grow: f64, x: f64, y: f64| {
            let across = share(at[0] - grow, at[0] + 160.0 + grow, x).clamp(0.0, 1.0);
            across * share(at[1] - grow, at[1] + 320.0 + grow, y).clamp(0.0, 1.0)
        };
        let mut bytes = Vec::new();
        for y in 0..480 {
            for x in 0..640 {
                let (x, y) = (f64::from(x), f64::from(y));
                let value = 40.0 + 160.0 * covered(8.0, x, y) - 190.0 * covered(2.0, x, y);
                bytes.extend([value as u8; 3]);
            }
        }
        bytes
    }

    fn witnesses() -> Witnesses {
        let mut layout = Layout::load("nes").unwrap();
        layout.locate.frames.truncate(2);
        let corners = [[200.0, 80.0], [360.0, 80.0], [360.0, 400.0], [200.0, 400.0]];
        let view = View::new([0.0, 0.0, 10.0, 20.0], corners, [640, 480]).unwrap();
        let mut witnesses = Witnesses::new(&layout, &view, [640, 480]);
        for _ in 0..USUAL_AFTER {
            assert!(witnesses.look(&picture([200.0, 80.0]), 10.0).holds());
            witnesses.learn();
        }
        witnesses
    }

    #[test]
    fn a_line_one_pixel_wide_is_an_edge_wherever_it_lies_between_pixels() {
        let layout = Layout::load("bastet").unwrap();
        let mut bytes = vec![0u8; 3 * 640 * 480];
        let [left, top, right, bottom] = [145, 41, 356, 461];
        for (x, y) in (left..=right)
            .flat_map(|x| [(x, top), (x, bottom)])
            .chain((top..=bottom).flat_map(|y| [(left, y), (right, y)]))
        {
            bytes[3 * (640 * y + x)..][..3].fill(229);
        }
        for off in [-0.5, -0.25, 0.0, 0.25, 0.5] {
            let [x, y] = [150.0 + off, 50.0 + off];
            let corners = [[x, y], [x + 200.0, y], [x + 200.0, y + 400.0], [x, y + 400.0]];
            let view = View::new([0.0, 0.0, 10.0, 20.0], corners, [640, 480]).unwrap();
            let mut field_only = layout.clone();
            field_only.locate.frames.truncate(2);
            let standing = Witnesses::new(&field_only, &view, [640, 480]).look(&bytes, 10.0);
            assert!(standing.share() > 0.9, "{off}: {standing:?}");
        }
    }

    #[test]
    fn only_what_goes_on_in_the_next_line_is_the_edge_itself() {
        let half = [0, 0, 0, 0, 240, 240, 240, 240];
        let straight = evenly_squared(&half, [Some(0), Some(240)]);
        assert!((10_000.0..14_400.0).contains(&straight), "{straight}");
        // An edge that runs askew begins anew in each line.
        assert_eq!(evenly_squared(&half, [Some(240), Some(0)]), 0.0);
        assert_eq!(evenly_squared(&half, [Some(0), Some(0)]), 0.0);
        assert_eq!(evenly_squared(&[9; POINTS], [None, None]), 0.0);
    }

    #[test]
    fn a_small_shift_is_measured() {
        let mut witnesses = witnesses();
        for shift in [[0.0, 0.0], [0.7, 0.0], [-1.5, 2.25], [3.0, -3.0]] {
            let standing = witnesses.look(&picture([200.0 + shift[0], 80.0 + shift[1]]), 10.0);
            let [x, y, growth, turn] = standing.movement.unwrap().px;
            let off = (x - shift[0]).hypot(y - shift[1]);
            assert!(off < 0.25 && growth.abs() < 0.2 && turn.abs() < 0.2, "{shift:?}: {standing:?}");
        }
    }

    #[test]
    fn a_shift_along_one_direction_is_no_place_kept() {
        let mut witnesses = witnesses();
        let standing = witnesses.look(&picture([200.0, 96.0]), 10.0);
        assert_eq!(standing.held[0], standing.of[0], "upright edges hold");
        assert!(!standing.holds(), "{standing:?}");
        assert!(!witnesses.look(&picture([208.0, 80.0]), 10.0).holds());
        assert!(!witnesses.look(&vec![90; 640 * 480 * 3], 10.0).holds());
    }
}
