//! Moving a pose until the layout's edges lie on edges of the picture, to a fraction of a pixel.

use super::plane::Plane;
use super::pose::{PARAMETERS, Pose};
use crate::vision::geometry::distance;
use crate::vision::marks::Segment;
use nalgebra::{SMatrix, SVector};

/// The most samples on either side of an edge.
const REACH_MAX: usize = 16;
/// How strongly the lens is believed straight: one standard deviation of k1.
const K1_SPREAD: f64 = 0.04;
/// A found edge nearer to its place than this, field units, is one with the layout's.
const HIT: f64 = 0.12;

/// Points on the layout's edges lie this far apart, field units.
pub const SPACING: f64 = 0.5;
/// A piece of an edge longer than this says something by itself, field units.
const LONG: f64 = 3.0;

/// How well a pose fits.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Fit {
    /// The share (0–1) of the layout's edge points that lie on an edge of the picture with the right bright side.
    pub share: f64,
    /// The lowest share among the layout's longer straight pieces.
    pub weakest: f64,
    /// The root mean square of those points' distances from their edges, px.
    pub residual_px: f64,
}

impl Fit {
    /// What decides between poses: that most edges are there, and that none is missing altogether.
    pub fn merit(&self) -> f64 {
        self.share + 0.25 * self.weakest
    }
}

/// An edge of the picture, found beside a point of the layout's edge.
struct Found {
    at: [f64; 2],
    normal: [f64; 2],
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

    /// What is found beside the points; nothing for those near or beyond the picture's border.
    fn search(&self, plane: &Plane, pose: &Pose, reach: f64, least: f64) -> Vec<Option<Found>> {
        self.0.iter().filter_map(|(at, segment)| search_across(plane, pose, *at, segment, reach, least)).collect()
    }
}

/// Moves `pose` towards the picture's edges: one least-squares step. Edges are sought up to `reach` field units away
/// and must rise by `least` grey levels.
pub fn step(plane: &Plane, pose: &Pose, points: &EdgePoints, reach: f64, least: f64, bend: bool) -> Option<Pose> {
    let found: Vec<Found> = points.search(plane, pose, reach, least).into_iter().flatten().collect();
    if found.len() < 2 * PARAMETERS {
        return None;
    }
    solve(pose, &found, reach, bend)
}

/// How well the pose fits.
pub fn fit(plane: &Plane, pose: &Pose, segments: &[Segment], reach: f64, least: f64) -> Fit {
    let (mut points, mut visible, mut hits, mut squares, mut weakest) = (0usize, 0usize, 0usize, 0.0, 1.0f64);
    for segment in segments {
        let own = EdgePoints::new(std::slice::from_ref(segment), SPACING);
        let found = own.search(plane, pose, reach, least);
        let hit = found.iter().flatten().filter(|f| f.offset_px.abs() < (HIT * f.cell_px).max(1.0));
        let own_hits = hit.clone().count();
        squares += hit.map(|f| f.offset_px * f.offset_px).sum::<f64>();
        points += own.0.len();
        visible += found.len();
        hits += own_hits;
        if segment.length() > LONG && found.len() * 2 > own.0.len() {
            weakest = weakest.min(own_hits as f64 / found.len() as f64);
        }
    }
    // What lies beyond the picture says nothing, but most of the layout must be in it.
    let judged = visible.max(points.div_ceil(2)).max(1);
    let share = hits as f64 / judged as f64;
    Fit { share, weakest, residual_px: (squares / hits.max(1) as f64).sqrt() }
}

fn search_across(
    plane: &Plane,
    pose: &Pose,
    at: [f64; 2],
    segment: &Segment,
    reach: f64,
    least: f64,
) -> Option<Option<Found>> {
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
    let cell_px = 10.0 * (normal[0] * towards[0] + normal[1] * towards[1]);
    let reach_px = (reach * cell_px).max(1.5).min(REACH_MAX as f64 - 2.0);
    let n = reach_px.ceil() as usize + 2;
    let mut profile = [0.0f32; 2 * REACH_MAX + 1];
    for (i, value) in profile[..=2 * n].iter_mut().enumerate() {
        let by = i as f64 - n as f64;
        *value = plane.at([center[0] + by * normal[0], center[1] + by * normal[1]])?;
    }
    let edge = steepest(&profile[..=2 * n], reach_px).filter(|(_, rise)| f64::from(*rise) >= least);
    Some(edge.map(|(offset_px, rise)| Found { at, normal, offset_px, cell_px, weight: f64::from(rise) }))
}

/// Where a profile (a value a pixel, the middle one at 0) rises most, among places up to `reach_px` from its middle;
/// nearer places are preferred. The place to a fraction of a pixel, and the rise over four pixels.
fn steepest(profile: &[f32], reach_px: f64) -> Option<(f64, f32)> {
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

/// One damped Gauss–Newton step with Tukey's weights, which ignore edges far from where the others say.
fn solve(pose: &Pose, found: &[Found], reach: f64, bend: bool) -> Option<Pose> {
    let steps_px = |i: usize| if i + 1 == PARAMETERS { 0.01 } else { 0.5 };
    let mut moved = Vec::with_capacity(PARAMETERS);
    for i in 0..PARAMETERS {
        let mut by = [0.0; PARAMETERS];
        by[i] = steps_px(i);
        moved.push(pose.moved(&by)?);
    }
    let mut rises: Vec<f64> = found.iter().map(|f| f.weight).collect();
    rises.sort_by(f64::total_cmp);
    let usual = rises[rises.len() / 2].max(1e-6);
    let mut normal_matrix = SMatrix::<f64, PARAMETERS, PARAMETERS>::zeros();
    let mut right = SVector::<f64, PARAMETERS>::zeros();
    for f in found {
        let center = pose.map(f.at);
        let row = SVector::<f64, PARAMETERS>::from_fn(|i, _| {
            let p = moved[i].map(f.at);
            ((p[0] - center[0]) * f.normal[0] + (p[1] - center[1]) * f.normal[1]) / steps_px(i)
        });
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
