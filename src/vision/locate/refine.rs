//! Moving a pose until the layout's edges lie on edges of the picture, to a fraction of a pixel.

use super::bleeding::Bleeding;
use super::fit::{Equations, K1_SPREAD, Slopes};
use super::plane::Plane;
use crate::vision::view::marks::Segment;
use crate::vision::view::{PARAMETERS, Spot, View};

/// The most samples on either side of an edge.
const REACH_MAX: usize = 16;
/// Points on the layout's edges lie this far apart, field units.
pub const SPACING: f64 = 0.5;

/// An edge this near, field units, is in its place.
const NEAR: f64 = 0.12;

/// An edge of the picture, found beside a point of the layout's edge.
struct Found {
    at: [f64; 2],
    spot: Spot,
    normal: [f64; 2],
    kind: usize,
    /// How far along the normal the picture's edge lies, px.
    offset_px: f64,
    /// The size of a cell here, across the edge, px.
    cell_px: f64,
    weight: f64,
}

/// Points on the layout's edges, with their segments.
pub struct EdgePoints(Vec<([f64; 2], Segment)>);

impl EdgePoints {
    /// Points every `spacing` field units along the segments.
    pub fn new(segments: &[Segment], spacing: f64) -> Self {
        Self(segments.iter().flat_map(|s| s.points(spacing).map(|p| (p, *s))).collect())
    }

    /// The share (0–1) of the points beside which there is an edge near its place; `bleeds`: where bleeding would have it.
    pub fn agreement(&self, plane: &Plane, pose: &View, least: f64, bleeds: bool) -> f64 {
        let found: Vec<Found> = self.search(plane, pose, 2.0 * NEAR, least).collect();
        let offsets = found.iter().filter(|_| bleeds).map(|f| (f.offset_px, f.cell_px));
        let bleeding = Bleeding::of(offsets);
        let near = |f: &&Found| bleeding.rest(f.offset_px).abs() < (NEAR * f.cell_px).max(1.0);
        found.iter().filter(near).count() as f64 / self.0.len().max(1) as f64
    }

    /// The edges found beside the points.
    fn search(&self, plane: &Plane, pose: &View, reach: f64, least: f64) -> impl Iterator<Item = Found> {
        self.0.iter().filter_map(move |(at, segment)| search_across(plane, pose, *at, segment, reach, least))
    }
}

/// Moves `pose` towards the picture's edges: one least-squares step. Edges are sought up to `reach` field units away
/// and must rise by `least` grey levels.
pub fn step(plane: &Plane, pose: &View, points: &EdgePoints, reach: f64, least: f64, bend: bool) -> Option<View> {
    let mut found = Vec::with_capacity(points.0.len());
    found.extend(points.search(plane, pose, reach, least));
    if found.len() < 2 * PARAMETERS {
        return None;
    }
    solve(pose, &found, reach, bend)
}

/// The edge beside a point; `None` where there is none, and near or beyond the picture's border.
fn search_across(plane: &Plane, pose: &View, at: [f64; 2], segment: &Segment, reach: f64, least: f64) -> Option<Found> {
    let Across { spot, normal, cell_px } = across(pose, at, segment);
    let reach_px = (reach * cell_px).max(1.5).min(REACH_MAX as f64 - 2.0);
    let n = reach_px.ceil() as usize + 2;
    let mut profile = [0.0f32; 2 * REACH_MAX + 1];
    plane.profile(spot.at, normal, &mut profile[..=2 * n])?;
    let (offset_px, rise) = steepest(&profile[..=2 * n], reach_px)?;
    let weight = f64::from(rise);
    (weight >= least).then_some(Found { at, spot, normal, kind: segment.kind, offset_px, cell_px, weight })
}

/// How a point of an edge is seen.
pub struct Across {
    /// Where.
    pub spot: Spot,
    /// The unit vector across the edge towards its brighter side, px.
    pub normal: [f64; 2],
    /// A cell's size that way, px.
    pub cell_px: f64,
}

/// How the point `at` of an edge is seen.
pub fn across(pose: &View, at: [f64; 2], segment: &Segment) -> Across {
    let spot = pose.spot(at);
    let [bright_x, bright_y] = segment.brighter;
    let towards = pose.way(&spot, segment.brighter);
    let [x, y] = pose.way(&spot, [bright_y, -bright_x]);
    let length = (x * x + y * y).sqrt();
    let normal = [-y / length, x / length];
    let cell_px = normal[0] * towards[0] + normal[1] * towards[1];
    let sign = if cell_px < 0.0 { -1.0 } else { 1.0 };
    Across { spot, normal: normal.map(|v| sign * v), cell_px: sign * cell_px }
}

/// Where a profile (a value a pixel, the middle one at 0) rises most, among places up to `reach_px` from its middle;
/// nearer places are preferred. The place to a fraction of a pixel, and the rise over four pixels.
pub fn steepest(profile: &[f32], reach_px: f64) -> Option<(f64, f32)> {
    let middle = profile.len() / 2;
    let rise = |i: usize| profile[i + 2] + profile[i + 1] - profile[i - 1] - profile[i - 2];
    let per_reach = 1.0 / (reach_px as f32 + 1.0);
    let (mut best, mut most) = (2, f32::MIN);
    for (i, values) in profile.windows(5).enumerate() {
        let away = (i as f32 + 2.0 - middle as f32) * per_reach;
        let preferred = (values[4] + values[3] - values[1] - values[0]) * (1.0 - 0.5 * away * away);
        if preferred >= most {
            (best, most) = (i + 2, preferred);
        }
    }
    let top = if profile.len() < 5 { 0.0 } else { rise(best) };
    if top <= 0.0 {
        return None;
    }
    let mut offset = best as f64 - middle as f64;
    if best > 2 && best + 3 < profile.len() {
        let (low, high) = (rise(best - 1), rise(best + 1));
        let bend = low - 2.0 * top + high;
        if bend < 0.0 {
            offset += f64::from(0.5 * (low - high) / bend).clamp(-0.5, 0.5);
        }
    }
    Some((offset, top / 2.0))
}

/// One damped Gauss–Newton step with Tukey's weights, which ignore edges far from where the others say.
fn solve(pose: &View, found: &[Found], reach: f64, bend: bool) -> Option<View> {
    let slopes = Slopes::of(pose)?;
    let mut rises: Vec<f64> = found.iter().map(|f| f.weight).collect();
    let (_, median, _) = rises.select_nth_unstable_by(found.len() / 2, f64::total_cmp);
    let usual = median.max(1e-6);
    let mut equations = Equations::new(1.0);
    for f in found {
        let away = f.offset_px / (reach * f.cell_px).max(2.0) / 1.2;
        if away.abs() < 1.0 {
            let tukey = (1.0 - away * away).powi(2);
            // A faint edge may be noise, a very bright one is worth no more than a usual one.
            let weight = tukey * (f.weight / usual).min(1.0);
            equations.add(&slopes.along(f.normal, f.at, &f.spot), f.kind, f.offset_px, weight);
        }
    }
    (0..PARAMETERS - 1).for_each(|corner| equations.hold(corner, 0.0, 1e-3));
    // A lens is straight until the picture says otherwise; in the first steps it stays so.
    let (change, belief) = if bend { (-pose.k1(), 1.0 / (K1_SPREAD * K1_SPREAD)) } else { (0.0, 1e12) };
    equations.hold(PARAMETERS - 1, change, belief);
    pose.moved(&equations.solution()?)
}
