//! Moving a pose until the layout's edges lie on edges of the picture, to a fraction of a pixel.

use super::plane::Plane;
use crate::vision::geometry::distance;
use crate::vision::marks::{KINDS, Segment};
use crate::vision::view::{PARAMETERS, View};
use nalgebra::{SMatrix, SVector};

/// The most samples on either side of an edge.
const REACH_MAX: usize = 16;
/// How strongly the lens is believed straight: one standard deviation of k1.
pub const K1_SPREAD: f64 = 0.04;
/// How far light may bleed over edges, px: one standard deviation. Blur, gamma and what stands beside an edge move all
/// edges of a kind the same way, most often to their darker side.
const BLEED_SPREAD_PX: f64 = 0.5;
/// What a fit determines: a view, and the bleeding of each kind of edge.
pub const UNKNOWNS: usize = PARAMETERS + KINDS;
/// Points on the layout's edges lie this far apart, field units.
pub const SPACING: f64 = 0.5;

/// An edge this near, field units, is in its place.
const NEAR: f64 = 0.12;

/// An edge of the picture, found beside a point of the layout's edge.
struct Found {
    at: [f64; 2],
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

    /// The share (0–1) of the points beside which there is an edge near its place.
    pub fn agreement(&self, plane: &Plane, pose: &View, least: f64) -> f64 {
        let near = |f: &Found| f.offset_px.abs() < (NEAR * f.cell_px).max(1.0);
        let found = self.search(plane, pose, 2.0 * NEAR, least);
        found.iter().flatten().filter(|f| near(f)).count() as f64 / self.0.len().max(1) as f64
    }

    /// What is found beside the points; nothing for those near or beyond the picture's border.
    fn search(&self, plane: &Plane, pose: &View, reach: f64, least: f64) -> Vec<Option<Found>> {
        self.0.iter().filter_map(|(at, segment)| search_across(plane, pose, *at, segment, reach, least)).collect()
    }
}

/// Moves `pose` towards the picture's edges: one least-squares step. Edges are sought up to `reach` field units away
/// and must rise by `least` grey levels.
pub fn step(plane: &Plane, pose: &View, points: &EdgePoints, reach: f64, least: f64, bend: bool) -> Option<View> {
    let found: Vec<Found> = points.search(plane, pose, reach, least).into_iter().flatten().collect();
    if found.len() < 2 * PARAMETERS {
        return None;
    }
    solve(pose, &found, reach, bend)
}

fn search_across(
    plane: &Plane,
    pose: &View,
    at: [f64; 2],
    segment: &Segment,
    reach: f64,
    least: f64,
) -> Option<Option<Found>> {
    let (center, normal, cell_px) = across(pose, at, segment);
    let reach_px = (reach * cell_px).max(1.5).min(REACH_MAX as f64 - 2.0);
    let n = reach_px.ceil() as usize + 2;
    let mut profile = [0.0f32; 2 * REACH_MAX + 1];
    plane.profile(center, normal, &mut profile[..=2 * n])?;
    let edge = steepest(&profile[..=2 * n], reach_px).filter(|(_, rise)| f64::from(*rise) >= least);
    Some(edge.map(|(offset_px, rise)| Found {
        at,
        normal,
        kind: segment.kind,
        offset_px,
        cell_px,
        weight: f64::from(rise),
    }))
}

/// How a point of an edge is seen: where, px; the unit vector across the edge towards its brighter side; and a cell's
/// size that way, px.
pub fn across(pose: &View, at: [f64; 2], segment: &Segment) -> ([f64; 2], [f64; 2], f64) {
    let along = [segment.to[0] - segment.from[0], segment.to[1] - segment.from[1]];
    let length = segment.length();
    let near = |direction: [f64; 2], by: f64| pose.map([0, 1].map(|i| at[i] + by * direction[i]));
    let center = pose.map(at);
    let (a, b) = (near(along, -0.05 / length), near(along, 0.05 / length));
    let tangent = [(b[0] - a[0]) / distance(a, b), (b[1] - a[1]) / distance(a, b)];
    let bright = near(segment.brighter, 0.1);
    let towards = [bright[0] - center[0], bright[1] - center[1]];
    let mut normal = [-tangent[1], tangent[0]];
    if normal[0] * towards[0] + normal[1] * towards[1] < 0.0 {
        normal = normal.map(|v| -v);
    }
    (center, normal, 10.0 * (normal[0] * towards[0] + normal[1] * towards[1]))
}

/// Where a profile (a value a pixel, the middle one at 0) rises most, among places up to `reach_px` from its middle;
/// nearer places are preferred. The place to a fraction of a pixel, and the rise over four pixels.
pub fn steepest(profile: &[f32], reach_px: f64) -> Option<(f64, f32)> {
    let middle = profile.len() / 2;
    let rise = |i: usize| profile[i + 2] + profile[i + 1] - profile[i - 1] - profile[i - 2];
    let preferred = |i: usize| {
        let away = (i as f64 - middle as f64) / (reach_px + 1.0);
        rise(i) * (1.0 - 0.5 * away * away) as f32
    };
    let best = (2..profile.len() - 2).max_by(|a, b| preferred(*a).total_cmp(&preferred(*b)))?;
    let top = rise(best);
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

/// How points move with the pose's parameters, by differences.
pub struct Derivatives([View; PARAMETERS]);

/// Steps of the differences: px, and for the lens.
fn difference_step(parameter: usize) -> f64 {
    if parameter + 1 == PARAMETERS { 0.01 } else { 0.5 }
}

/// The derivatives at a pose; `None` if it is hardly one.
pub fn derivatives(pose: &View) -> Option<Derivatives> {
    let mut moved = [*pose; PARAMETERS];
    for (i, moved) in moved.iter_mut().enumerate() {
        let mut by = [0.0; PARAMETERS];
        by[i] = difference_step(i);
        *moved = pose.moved(&by)?;
    }
    Some(Derivatives(moved))
}

impl Derivatives {
    /// How a point (field units), seen at `from`, moves with a parameter, px a unit.
    pub fn of(&self, parameter: usize, point: [f64; 2], from: [f64; 2]) -> [f64; 2] {
        let to = self.0[parameter].map(point);
        [0, 1].map(|i| (to[i] - from[i]) / difference_step(parameter))
    }

    /// How an edge's point moves along `normal` with each unknown.
    pub fn across(&self, point: [f64; 2], from: [f64; 2], normal: [f64; 2], kind: usize) -> SVector<f64, UNKNOWNS> {
        SVector::from_fn(|i, _| {
            if i < PARAMETERS {
                let [x, y] = self.of(i, point, from);
                x * normal[0] + y * normal[1]
            } else {
                f64::from(u8::from(i == PARAMETERS + kind))
            }
        })
    }
}

/// The normal matrix of nothing but what is believed about bleeding, where edges have this variance, px².
pub fn bleed_belief(variance: f64) -> SMatrix<f64, UNKNOWNS, UNKNOWNS> {
    let mut matrix = SMatrix::zeros();
    for i in PARAMETERS..UNKNOWNS {
        matrix[(i, i)] = variance / (BLEED_SPREAD_PX * BLEED_SPREAD_PX);
    }
    matrix
}

/// One damped Gauss–Newton step with Tukey's weights, which ignore edges far from where the others say.
fn solve(pose: &View, found: &[Found], reach: f64, bend: bool) -> Option<View> {
    let moves = derivatives(pose)?;
    let mut rises: Vec<f64> = found.iter().map(|f| f.weight).collect();
    rises.sort_by(f64::total_cmp);
    let usual = rises[rises.len() / 2].max(1e-6);
    let mut normal_matrix = bleed_belief(1.0);
    let mut right = SVector::<f64, UNKNOWNS>::zeros();
    for f in found {
        let row = moves.across(f.at, pose.map(f.at), f.normal, f.kind);
        let away = f.offset_px / (reach * f.cell_px).max(2.0) / 1.2;
        let tukey = (1.0 - away * away).max(0.0).powi(2);
        // A faint edge may be noise, a very bright one is worth no more than a usual one.
        let weight = tukey * (f.weight / usual).min(1.0);
        normal_matrix += row * row.transpose() * weight;
        right += row * (f.offset_px * weight);
    }
    for i in 0..PARAMETERS - 1 {
        normal_matrix[(i, i)] += 1e-3;
    }
    // A lens is straight until the picture says otherwise; in the first steps it stays so.
    let last = PARAMETERS - 1;
    let belief = if bend { 1.0 / (K1_SPREAD * K1_SPREAD) } else { 1e12 };
    normal_matrix[(last, last)] += belief;
    right[last] -= belief * if bend { pose.k1() } else { 0.0 };
    let by = normal_matrix.cholesky()?.solve(&right);
    let by: [f64; PARAMETERS] = std::array::from_fn(|i| by[i]);
    by.iter().all(|v| v.is_finite()).then(|| pose.moved(&by))?
}
