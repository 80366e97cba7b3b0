//! Quadrilaterals that might be the frame around the field, from the picture's straight edges.

use super::lines::Line;
use super::plane::Gradient;
use super::support::Supported;
use crate::layout::{FrameMark, Layout, Outward, Side};
use crate::vision::geometry::{distance, is_convex};
use crate::vision::marks::{Segment, segments};
use crate::vision::view::View;

/// The width over the height may differ from the layout's by this factor: pixels are not square everywhere, and a
/// camera looks from the side.
const ASPECT_TOLERANCE: f64 = 1.4;
/// The least height of the frame, as a share of the picture's height.
const LEAST_HEIGHT: f64 = 0.12;

/// Quadrilaterals with all corners closer than this are the same one, px of the coarse picture.
const SAME_PX: f64 = 4.0;
/// So many quadrilaterals are looked at twice.
const FIRST_LOOK: usize = 200;

/// A possible pose, and how much it looks like one (0–1).
#[derive(Debug, Clone, Copy)]
pub struct Candidate {
    /// The pose.
    pub pose: View,
    /// The mean agreement of gradients with the layout's edges.
    pub score: f64,
}

/// The `most` most promising poses, best first. `lines` are sorted by the way their brighter side lies: right, down,
/// left, up. `strong` is the gradient of a full-blown edge.
pub fn find(layout: &Layout, lines: &[Vec<Line>; 4], gradient: &Gradient, strong: f64, most: usize) -> Vec<Candidate> {
    let all = points(&segments(layout), 1.25);
    let size = [gradient.width, gradient.height];
    let supported = [0, 1, 2, 3].map(|quarter: usize| {
        lines[quarter].iter().map(|line| Supported::new(*line, gradient, strong)).collect::<Vec<_>>()
    });
    let mut best = Best::new(most);
    for frame in anchors(layout) {
        let mut quads = quadrilaterals(layout, &frame, &supported, size);
        quads.sort_by(|a, b| b.0.total_cmp(&a.0));
        let mut first: Vec<[[f64; 2]; 4]> = Vec::new();
        for (_, corners) in quads {
            if first.len() < FIRST_LOOK && !first.iter().any(|known| is_same(known, &corners)) {
                first.push(corners);
            }
        }
        for corners in first {
            for turn in turns(layout, &frame, corners) {
                let turned = std::array::from_fn(|i| corners[(i + turn) % 4]);
                let Some(pose) = View::new(frame.rect, turned, size) else {
                    continue;
                };
                let score = score(&pose, &all, gradient, strong, &[-1.5, 0.0, 1.5]);
                best.offer(Candidate { pose, score });
            }
        }
    }
    best.kept
}

/// Neighbouring lines give many quadrilaterals that the fit moves to the same place: one of them will do.
fn is_same(a: &[[f64; 2]; 4], b: &[[f64; 2]; 4]) -> bool {
    a.iter().zip(b).all(|(a, b)| distance(*a, *b) < SAME_PX)
}

/// The frames that candidates are made from: the first, and every whole one around the field. (Where blocks touch the
/// field's inner edge that edge is gone, and only the outer one is left.) Walls that end where the first frame ends make
/// a whole frame with its top and bottom.
fn anchors(layout: &Layout) -> Vec<FrameMark> {
    let [columns, rows] = [layout.field.columns as f64, layout.field.rows as f64];
    let Some((first, others)) = layout.locate.frames.split_first() else { return Vec::new() };
    let encloses = |f: &FrameMark| {
        let [left, top, right, bottom] = f.rect;
        left <= 0.0 && top <= 0.0 && right >= columns && bottom >= rows
    };
    let are_walls = |f: &FrameMark| {
        let ends_alike = f.rect[1] == first.rect[1] && f.rect[3] == first.rect[3] && f.outward == first.outward;
        first.sides.len() == 4 && ends_alike && [Side::Left, Side::Right].iter().all(|s| f.sides.contains(s))
    };
    let around = others.iter().filter(|f| encloses(f) && (f.sides.len() == 4 || are_walls(f)));
    let whole =
        around.map(|f| FrameMark { sides: vec![Side::Left, Side::Top, Side::Right, Side::Bottom], ..f.clone() });
    std::iter::once(first.clone()).chain(whole).collect()
}

/// The best few candidates so far, best first.
struct Best {
    kept: Vec<Candidate>,
    most: usize,
}

impl Best {
    fn new(most: usize) -> Self {
        Self { kept: Vec::with_capacity(most + 1), most }
    }

    fn offer(&mut self, candidate: Candidate) {
        let is_full = self.kept.len() == self.most;
        if is_full && self.kept.last().is_some_and(|worst| worst.score >= candidate.score) {
            return;
        }
        let is_same = |c: &Candidate| is_same(&c.pose.corners(), &candidate.pose.corners());
        if self.kept.iter().any(|c| c.score >= candidate.score && is_same(c)) {
            return;
        }
        self.kept.retain(|c| !is_same(c));
        let at = self.kept.partition_point(|c| c.score >= candidate.score);
        self.kept.insert(at, candidate);
        self.kept.truncate(self.most);
    }
}

/// Points every `spacing` field units on the segments, each with a point a little to its brighter side.
fn points(segments: &[Segment], spacing: f64) -> Vec<[[f64; 2]; 2]> {
    let beside = |s: &Segment, p: [f64; 2]| [0, 1].map(|i| p[i] + 0.1 * s.brighter[i]);
    segments.iter().flat_map(|s| s.points(spacing).map(move |p| [p, beside(s, p)])).collect()
}

/// The mean agreement, −0.5 to 1, of the picture's gradients with the layout's edges; the best of these places across
/// the edge (px) counts.
fn score(pose: &View, points: &[[[f64; 2]; 2]], gradient: &Gradient, strong: f64, places: &[f64]) -> f64 {
    let mut sum = 0.0;
    for &[at, bright] in points {
        let (here, bright) = (pose.map(at), pose.map(bright));
        let length = distance(here, bright);
        let normal = [(bright[0] - here[0]) / length, (bright[1] - here[1]) / length];
        let agreement = |by: &f64| {
            let [x, y] = gradient.at([here[0] + by * normal[0], here[1] + by * normal[1]])?;
            Some(((x * normal[0] + y * normal[1]) / strong).clamp(-0.5, 1.0))
        };
        sum += places.iter().filter_map(agreement).fold(-0.5, f64::max);
    }
    sum / points.len().max(1) as f64
}

/// Which of the four ways to turn the quadrilateral have the layout's aspect; the corners come in the picture's order.
fn turns(layout: &Layout, frame: &FrameMark, corners: [[f64; 2]; 4]) -> impl Iterator<Item = usize> {
    let wanted = aspect(layout, frame);
    let side = |i: usize| distance(corners[i], corners[(i + 1) % 4]);
    let seen = (side(0) + side(2)) / (side(1) + side(3));
    let fits = move |ratio: f64| (1.0 / ASPECT_TOLERANCE..ASPECT_TOLERANCE).contains(&ratio);
    (0..4).filter(move |turn| fits(if turn % 2 == 0 { seen / wanted } else { 1.0 / (seen * wanted) }))
}

/// The frame's width over its height on the screen.
fn aspect(layout: &Layout, frame: &FrameMark) -> f64 {
    let [left, top, right, bottom] = frame.rect;
    (right - left) * layout.field.cell_aspect / (bottom - top)
}

/// All quadrilaterals whose sides are lines of the right polarity, each with the mean agreement along these sides; if
/// the frame lacks a side, that side follows from the other three and the layout's aspect.
fn quadrilaterals(
    layout: &Layout,
    frame: &FrameMark,
    lines: &[Vec<Supported>; 4],
    size: [usize; 2],
) -> Vec<(f64, [[f64; 2]; 4])> {
    // Seen from the frame's right side, the bright side lies to the right (index 0) if it is brighter outside.
    let side = |quarter: usize| match frame.outward {
        Outward::Brighter => &lines[quarter],
        Outward::Darker => &lines[(quarter + 2) % 4],
    };
    let [rights, bottoms, lefts, tops] = [0, 1, 2, 3].map(side);
    let is_whole = frame.sides.len() == 4;
    let ratio = 1.0 / aspect(layout, frame);
    let mut found = Vec::new();
    let mut offer = |corners: [[f64; 2]; 4], sides: [Option<&Supported>; 4]| {
        if is_plausible(&corners, size) && turns(layout, frame, corners).next().is_some() {
            let ends = |i: usize| (corners[i], corners[(i + 1) % 4]);
            let (mut agreement, mut length) = (0.0, 0.0);
            for (i, side) in sides.into_iter().enumerate() {
                let (a, b) = ends(i);
                agreement += side.map_or(0.0, |s| s.between(a, b));
                length += if side.is_some() { distance(a, b) } else { 0.0 };
            }
            found.push((agreement / length, corners));
        }
    };
    for left in lefts {
        for right in rights {
            let (l, r) = (&left.line, &right.line);
            if is_whole {
                for top in tops {
                    let upper = [l.crossing(&top.line), r.crossing(&top.line)];
                    for bottom in bottoms {
                        let corners = [upper[0], upper[1], r.crossing(&bottom.line), l.crossing(&bottom.line)];
                        offer(corners, [Some(top), Some(right), Some(bottom), Some(left)]);
                    }
                }
            } else {
                for top in tops {
                    if let Some(corners) = completed(l, r, &top.line, ratio, false) {
                        offer(corners, [Some(top), Some(right), None, Some(left)]);
                    }
                }
                for bottom in bottoms {
                    if let Some(corners) = completed(l, r, &bottom.line, ratio, true) {
                        offer(corners, [None, Some(right), Some(bottom), Some(left)]);
                    }
                }
            }
        }
    }
    found
}

/// The quadrilateral between two upright lines and one across, whose height is `ratio` times its width.
fn completed(left: &Line, right: &Line, across: &Line, ratio: f64, is_bottom: bool) -> Option<[[f64; 2]; 4]> {
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
    Some(if is_bottom { [c, d, b, a] } else { [a, b, d, c] })
}

fn is_plausible(corners: &[[f64; 2]; 4], size: [usize; 2]) -> bool {
    let inside = |p: &[f64; 2]| (0..2).all(|i| (-0.05..1.05).contains(&(p[i] / size[i] as f64)));
    let side = |i: usize| distance(corners[i], corners[(i + 1) % 4]);
    let opposite = |a: f64, b: f64| a.max(b) < 1.6 * a.min(b);
    corners.iter().all(inside)
        && is_convex(*corners)
        && side(1) + side(3) > 2.0 * LEAST_HEIGHT * size[1] as f64
        && opposite(side(0), side(2))
        && opposite(side(1), side(3))
}
