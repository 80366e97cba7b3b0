//! How well the layout's edges are there in the picture, and how well they hold the pose in its place.
//!
//! A piece of an edge is judged by its mean profile: noise, scan lines and letters average out along it.

use super::bleeding::Bleeding;
use super::fit::{Equations, K1_SPREAD, Slopes, UNKNOWNS};
use super::plane::Plane;
use super::refine::{Across, across, steepest};
use crate::profile::layout::{FrameMark, Layout};
use crate::vision::view::marks::{self, KINDS, Segment};
use crate::vision::view::{PARAMETERS, Spot, View};
use nalgebra::SVector;

/// Points on an edge lie this far apart, field units.
const SPACING: f64 = 0.5;
/// Edges are sought this far away, field units.
const REACH: f64 = 0.3;
/// A found edge nearer than this, field units, to where bleeding would have it is the layout's.
const HIT: f64 = 0.15;
/// The same, px, where cells are small.
const HIT_PX: f64 = 1.2;
/// This many standard errors make a rise an edge.
const SIGNIFICANCE: f64 = 4.0;
/// Neighbouring edges are moved together by blur and by what touches them: this many count as one measurement.
const ALIKE: f64 = 2.0;
/// No corner is surer than this, px: the reader's own samples are whole pixels.
const LEAST_ERROR_PX: f64 = 0.2;

/// What the picture shows of the layout's edges.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Edges {
    /// The share (0–1) of the visible edges that are where they should be.
    pub share: f64,
    /// The evidence that these edges are the layout's and not any others: a log of odds.
    pub log_odds: f64,
    /// Two standard deviations of the worst corner, px: from the scatter of the edges and what they leave open.
    pub error_px: f64,
}

/// What is claimed where the edges say nothing, in cells.
const UNKNOWN_CELLS: f64 = 1.0;

/// Of the marks that stand beside the field, such as the next piece's box, at least this share is seen; and the log odds
/// if it is not: any window with a border looks like a bare field.
const LEAST_BESIDE: f64 = 0.35;
const BARE: f64 = -15.0;

/// Whether a mark does not reach around the field, but stands beside it.
fn is_beside(frame: &FrameMark, layout: &Layout) -> bool {
    let [left, top, right, bottom] = frame.rect;
    let [columns, rows] = [layout.field.columns as f64, layout.field.rows as f64];
    right <= 0.0 || bottom <= 0.0 || left >= columns || top >= rows
}

/// A piece of an edge that was found near its place.
struct Held {
    middle: [f64; 2],
    spot: Spot,
    normal: [f64; 2],
    kind: usize,
    offset_px: f64,
    cell_px: f64,
}

/// Judges a pose. Edges must rise by `least` grey levels.
pub fn judge(plane: &Plane, pose: &View, layout: &Layout, least: f64) -> Edges {
    let sides = marks::sides(layout);
    let all: f64 = sides.iter().flatten().map(Segment::length).sum();
    // The pieces of each side that are in the picture: how long they are and, where there is one near, the edge.
    let look = |segment: &Segment| Some((segment.length(), look(plane, pose, segment, least)?));
    let sides: Vec<Vec<(f64, Option<Held>)>> =
        sides.iter().map(|side| side.iter().filter_map(look).collect()).collect();
    let found = || sides.iter().flatten().filter_map(|(_, found)| found.as_ref());
    let bleeding = Bleeding::of(found().map(|f| (f.offset_px, f.cell_px)));
    let is_held = |f: &&Held| bleeding.rest(f.offset_px).abs() < (HIT * f.cell_px).max(HIT_PX);
    let (mut visible, mut there, mut log_odds) = (0.0, 0.0, bleeding.log_odds());
    let (mut beside_visible, mut beside_there) = (0.0, 0.0);
    let frames = layout.locate.frames.iter().flat_map(|f| f.sides.iter().map(move |_| f));
    for (side, frame) in sides.iter().zip(frames) {
        let side_visible: f64 = side.iter().map(|(length, _)| length).sum();
        let held = side.iter().filter(|(_, found)| found.as_ref().is_some_and(|f| is_held(&f)));
        let side_there: f64 = held.map(|(length, _)| length).sum();
        if side_visible > 0.0 {
            log_odds += side_log_odds(side_there / side_visible) * (side_visible / 10.0).clamp(0.25, 1.0);
        }
        visible += side_visible;
        there += side_there;
        if is_beside(frame, layout) {
            beside_visible += side_visible;
            beside_there += side_there;
        }
    }
    if beside_there < LEAST_BESIDE * beside_visible {
        log_odds += BARE;
    }
    // What lies beyond the picture says nothing, but most of the layout must be in it.
    let share = there / f64::max(visible, 0.5 * all).max(1e-6);
    let held: Vec<&Held> = found().filter(is_held).collect();
    Edges { share, log_odds, error_px: error_px(pose, layout, &held) }
}

/// The log odds that a side of which this share was found is the layout's own: those are found nearly whole (Beta(3, 1)
/// with a tenth for what is covered), accidental ones in parts (Beta(1, 2)).
fn side_log_odds(share: f64) -> f64 {
    ((0.1 + 2.7 * share * share) / (0.1 + 1.8 * (1.0 - share))).ln()
}

/// The edge near a segment; `None` outside the picture, `Some(None)` where there is none.
fn look(plane: &Plane, pose: &View, segment: &Segment, least: f64) -> Option<Option<Held>> {
    let middle = segment.at(0.5);
    let seen = across(pose, middle, segment);
    let reach_px = (REACH * seen.cell_px).clamp(1.5, 16.0);
    let n = reach_px.ceil() as usize + 2;
    let samples = 2 * n + 1;
    let mut values = vec![0.0; samples];
    let mut profiles: Vec<f32> = Vec::new();
    let points = segment.points(SPACING);
    let mut count = 0;
    for point in points {
        count += 1;
        let across = across(pose, point, segment);
        if plane.profile(across.spot.at, across.normal, &mut values).is_some() {
            profiles.extend_from_slice(&values);
        }
    }
    let profiles = profiles.chunks_exact(samples);
    if profiles.len() * 2 < count {
        return None;
    }
    let points = profiles.len() as f32;
    values.fill(0.0);
    profiles.clone().for_each(|p| values.iter_mut().zip(p).for_each(|(sum, v)| *sum += v));
    values.iter_mut().for_each(|v| *v /= points);
    let Some((offset_px, rise)) = steepest(&values, reach_px) else { return Some(None) };
    // The rise's own scatter along the edge.
    let at = ((offset_px + n as f64).round() as usize).clamp(2, 2 * n - 2);
    let rises = profiles.map(|p| f64::from(p[at + 2] + p[at + 1] - p[at - 1] - p[at - 2]) / 2.0);
    let squares = rises.map(|r| (r - f64::from(rise)).powi(2)).sum::<f64>();
    let standard_error = (squares / f64::from(points)).sqrt() / f64::from(points).sqrt();
    let is_edge = f64::from(rise) > least.max(SIGNIFICANCE * standard_error);
    let Across { spot, normal, cell_px } = seen;
    Some(is_edge.then_some(Held { middle, spot, normal, kind: segment.kind, offset_px, cell_px }))
}

/// Two standard deviations of the worst corner, px.
fn error_px(pose: &View, layout: &Layout, held: &[&Held]) -> f64 {
    let [columns, rows] = [layout.field.columns as f64, layout.field.rows as f64];
    let corners = [[0.0, 0.0], [columns, 0.0], [columns, rows], [0.0, rows]];
    let unknown = UNKNOWN_CELLS * crate::vision::locate::cell_px(&super::field_corners(pose, layout), layout);
    let Some(slopes) = Slopes::of(pose) else { return unknown };
    // What all edges of a kind have in common is bleeding, and no scatter.
    let mut bleeding = [[0.0; 2]; KINDS];
    for h in held {
        bleeding[h.kind][0] += h.offset_px;
        bleeding[h.kind][1] += 1.0;
    }
    let squares: f64 = held.iter().map(|h| (h.offset_px - bleeding[h.kind][0] / bleeding[h.kind][1]).powi(2)).sum();
    let free = (held.len() as f64 - UNKNOWNS as f64).max(1.0);
    let variance = ALIKE * (squares / free).max(0.1 * 0.1);
    let mut equations = Equations::new(variance);
    held.iter().for_each(|h| equations.add(&slopes.along(h.normal, h.middle, &h.spot), h.kind, 0.0, 1.0));
    (0..PARAMETERS - 1).for_each(|corner| equations.hold(corner, 0.0, 1e-6));
    equations.hold(PARAMETERS - 1, 0.0, variance / (K1_SPREAD * K1_SPREAD));
    let Some(inverse) = equations.matrix().try_inverse() else { return unknown };
    let inverse = inverse.fixed_view::<PARAMETERS, PARAMETERS>(0, 0);
    let spread = |corner: [f64; 2]| {
        let axis = |axis: [f64; 2]| {
            let row = SVector::from(slopes.along(axis, corner, &pose.spot(corner)));
            (row.transpose() * inverse * row)[(0, 0)] * variance
        };
        axis([1.0, 0.0]) + axis([0.0, 1.0])
    };
    let worst = corners.into_iter().map(spread).fold(0.0, f64::max);
    if worst.is_finite() { (2.0 * worst.sqrt()).clamp(LEAST_ERROR_PX, unknown.max(LEAST_ERROR_PX)) } else { unknown }
}
