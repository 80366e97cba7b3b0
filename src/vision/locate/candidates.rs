//! Quadrilaterals that might be the frame around the field, from the picture's straight edges.

use super::line::Line;
use super::plane::Gradient;
use super::quads::{self, Quad, aspect, fits};
use super::support::Supported;
use crate::profile::layout::{FrameMark, Layout, Side};
use crate::vision::view::View;
use crate::vision::view::geometry::distance;
use crate::vision::view::marks::{Segment, segments};

/// Quadrilaterals with all corners closer than this are the same one, px of the coarse picture.
const SAME_PX: f64 = 4.0;
/// Of candidates whose corners are all nearer than this, as a share of the side between the first two, the best few stay:
/// what lies beside them is tried later, and a rectangle that looks like the field must not take every place.
const ALIKE: f64 = 0.3;
const MOST_ALIKE: usize = 4;
/// This many quadrilaterals are looked at twice.
const FIRST_LOOK: usize = 200;
/// Points on the layout's edges lie this far apart, field units.
const SPACING: f64 = 1.25;
/// Edges are sought this far across, px towards the brighter side.
pub const SHARP_PX: &[f32] = &[-1.5, 0.0, 1.5];
/// The same where light may have bled over the darker side.
pub const SOFT_PX: &[f32] = &[-3.0, -1.5, 0.0, 1.5];
/// One in this many points is looked at first: the others only if these come near to what is wanted, their mean being so
/// uncertain (three standard errors).
const SHARES: usize = 4;
const DOUBT: f64 = 0.2;

/// A possible pose, and how much it looks like one (0–1).
#[derive(Debug, Clone, Copy)]
pub struct Candidate {
    /// The pose.
    pub pose: View,
    /// The mean agreement of gradients with the layout's edges.
    pub score: f64,
}

/// The `most` most promising poses, best first. `lines` are sorted by the way their brighter side lies: right, down,
/// left, up. `strong` is the gradient of a full-blown edge, which may lie this far `beside` its place, px.
pub fn find(
    layout: &Layout,
    lines: &[Vec<Line>; 4],
    gradient: &Gradient,
    strong: f64,
    beside: &'static [f32],
    most: usize,
) -> Vec<Candidate> {
    let marks = Marks::new(&segments(layout), beside);
    let size = [gradient.width, gradient.height];
    let supported = [0, 1, 2, 3].map(|quarter: usize| {
        lines[quarter].iter().map(|line| Supported::new(*line, gradient, strong)).collect::<Vec<_>>()
    });
    let mut best = Best::new(most);
    for frame in anchors(layout) {
        for corners in first_look(&quads::find(layout, &frame, &supported, size)) {
            for turn in turns(layout, &frame, corners) {
                let turned = std::array::from_fn(|i| corners[(i + turn) % 4]);
                let Some(pose) = View::new(frame.rect, turned, size) else {
                    continue;
                };
                let score = marks.score(&pose, gradient, strong, best.least());
                score.into_iter().for_each(|score| best.offer(Candidate { pose, score }));
            }
        }
    }
    best.kept
}

/// The quadrilaterals with the most edge along their sides, none like another.
fn first_look(quads: &[Quad]) -> Vec<[[f64; 2]; 4]> {
    // Of equal ones the first: sorting is quicker without keeping their order, but must not depend on it.
    let better = |a: &usize, b: &usize| quads[*b].0.total_cmp(&quads[*a].0).then(a.cmp(b));
    let mut order: Vec<usize> = (0..quads.len()).collect();
    let mut rest = order.as_mut_slice();
    let mut first: Vec<[[f64; 2]; 4]> = Vec::with_capacity(FIRST_LOOK);
    while first.len() < FIRST_LOOK && !rest.is_empty() {
        let sorted = rest.len().min(4 * FIRST_LOOK);
        if sorted < rest.len() {
            rest.select_nth_unstable_by(sorted, better);
        }
        let (best, others) = rest.split_at_mut(sorted);
        best.sort_unstable_by(better);
        for corners in best.iter().map(|at| quads[*at].1) {
            if first.len() < FIRST_LOOK && !first.iter().any(|known| is_same(known, &corners)) {
                first.push(corners);
            }
        }
        rest = others;
    }
    first
}

/// Neighbouring lines give many quadrilaterals that the fit moves to the same place: one of them will do.
fn is_same(a: &[[f64; 2]; 4], b: &[[f64; 2]; 4]) -> bool {
    a.iter().zip(b).all(|(a, b)| distance(*a, *b) < SAME_PX)
}

/// Whether two quadrilaterals are about the same place, turned the same way.
fn are_alike(a: &[[f64; 2]; 4], b: &[[f64; 2]; 4]) -> bool {
    let reach_px = ALIKE * distance(a[0], a[1]).max(distance(b[0], b[1]));
    a.iter().zip(b).all(|(a, b)| distance(*a, *b) < reach_px)
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

    /// What is not better than this is not kept.
    fn least(&self) -> f64 {
        self.kept.get(self.most - 1).map_or(f64::NEG_INFINITY, |worst| worst.score)
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
        let alike = |c: &Candidate| are_alike(&c.pose.corners(), &candidate.pose.corners());
        if self.kept.iter().filter(|c| c.score >= candidate.score && alike(c)).count() >= MOST_ALIKE {
            return;
        }
        self.kept.retain(|c| !is_same(c));
        let at = self.kept.partition_point(|c| c.score >= candidate.score);
        self.kept.insert(at, candidate);
        let mut count = 0;
        self.kept.retain(|c| {
            let is_alike = alike(c);
            count += usize::from(is_alike);
            !is_alike || count <= MOST_ALIKE
        });
        self.kept.truncate(self.most);
    }
}

/// Points on the layout's edges.
struct Marks {
    /// Points of one part of [`SHARES`], and the others; each part holds points of every edge.
    parts: [Vec<Points>; 2],
    /// How far across edges are sought, px.
    beside: &'static [f32],
}

/// So many points are looked at together.
const TOGETHER: usize = 8;

/// A few points and the unit vectors towards their edge's brighter side, field units; x and y apart, so that one instruction
/// does the same for several.
struct Points {
    at: [[f32; TOGETHER]; 2],
    brighter: [[f32; TOGETHER]; 2],
    /// How many of them there are.
    count: usize,
}

impl Marks {
    fn new(segments: &[Segment], beside: &'static [f32]) -> Self {
        let points = segments.iter().flat_map(|s| s.points(SPACING).map(move |p| [p, s.brighter]));
        let points: Vec<[[f64; 2]; 2]> = points.collect();
        let part = |is_first: bool| {
            let chosen =
                points.iter().enumerate().filter(|(i, _)| (i % SHARES == 0) == is_first).map(|(_, point)| *point);
            chosen.collect::<Vec<_>>().chunks(TOGETHER).map(Points::new).collect()
        };
        Self { parts: [part(true), part(false)], beside }
    }

    /// The mean agreement, −0.5 to 1, of the picture's gradients with the layout's edges; `None` if it is hardly above
    /// `least`.
    fn score(&self, pose: &View, gradient: &Gradient, strong: f64, least: f64) -> Option<f64> {
        let matrix = pose.straight().map(|row| row.map(|v| v as f32));
        let count = |part: &[Points]| part.iter().map(|points| points.count).sum::<usize>() as f64;
        let [first, rest] = &self.parts;
        let mut left = count(first);
        let enough = (least - DOUBT) * left;
        let mut sum = 0.0;
        for points in first {
            // Even if all the others agreed wholly it would come to less.
            if sum + left < enough {
                return None;
            }
            sum += points.agreement(&matrix, gradient, strong as f32, self.beside);
            left -= points.count as f64;
        }
        if sum < enough {
            return None;
        }
        sum += rest.iter().map(|points| points.agreement(&matrix, gradient, strong as f32, self.beside)).sum::<f64>();
        Some(sum / (count(first) + count(rest)).max(1.0))
    }
}

impl Points {
    fn new(points: &[[[f64; 2]; 2]]) -> Self {
        let of = |kind: usize, axis: usize| {
            std::array::from_fn(|i| points.get(i).map_or(0.0, |point| point[kind][axis] as f32))
        };
        let both = |kind: usize| [of(kind, 0), of(kind, 1)];
        Self { at: both(0), brighter: both(1), count: points.len() }
    }

    /// The sum of their agreement, where the matrix says where points are seen.
    fn agreement(&self, matrix: &[[f32; 3]; 3], gradient: &Gradient, strong: f32, beside: &[f32]) -> f64 {
        let ([x, y], [along_x, along_y]) = (&self.at, &self.brighter);
        let mut seen = [[0.0; 4]; TOGETHER];
        for (i, seen) in seen.iter_mut().enumerate() {
            let [u, v, depth] = matrix.map(|row| row[0] * x[i] + row[1] * y[i] + row[2]);
            let [by_u, by_v, by_depth] = matrix.map(|row| row[0] * along_x[i] + row[1] * along_y[i]);
            let at = [u / depth, v / depth];
            // The direction only: its length is taken off below.
            let way = [by_u - at[0] * by_depth, by_v - at[1] * by_depth];
            let length = (way[0] * way[0] + way[1] * way[1]).sqrt() * depth.signum();
            *seen = [at[0], at[1], way[0] / length, way[1] / length];
        }
        seen.iter().take(self.count).map(|seen| f64::from(agreement(*seen, gradient, strong, beside))).sum()
    }
}

/// The agreement of one point, px, with the unit vector across its edge: the best of some places across the edge counts.
fn agreement([x, y, across_x, across_y]: [f32; 4], gradient: &Gradient, strong: f32, beside: &[f32]) -> f32 {
    let at = |by: &f32| {
        let [gx, gy] = gradient.at([x + by * across_x, y + by * across_y])?;
        Some(gx * across_x + gy * across_y)
    };
    let best = beside.iter().filter_map(at).fold(f32::NEG_INFINITY, f32::max);
    (best / strong).clamp(-0.5, 1.0)
}

/// Which of the four ways to turn the quadrilateral have the layout's aspect; the corners come in the picture's order.
fn turns(layout: &Layout, frame: &FrameMark, corners: [[f64; 2]; 4]) -> impl Iterator<Item = usize> {
    let wanted = aspect(layout, frame);
    let side = |i: usize| distance(corners[i], corners[(i + 1) % 4]);
    let seen = (side(0) + side(2)) / (side(1) + side(3));
    let [upright, lying] = fits(seen, wanted);
    (0..4).filter(move |turn| if turn % 2 == 0 { upright } else { lying })
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    /// A field's frame of 100 × 200 px with its corner at `x`, 50.
    fn candidate(x: f64, score: f64) -> Candidate {
        let corners = [[x, 50.0], [x + 100.0, 50.0], [x + 100.0, 250.0], [x, 250.0]];
        Candidate { pose: View::new([0.0, 0.0, 10.0, 20.0], corners, [640, 480]).unwrap(), score }
    }

    #[test]
    fn a_rectangle_that_looks_like_the_field_leaves_room_for_others() {
        let mut best = Best::new(6);
        // Found one after the other from the left to the right: eight near each other, and a worse one elsewhere.
        (0..8).for_each(|i| best.offer(candidate(40.0 + 4.5 * f64::from(i), 0.7 + 0.01 * f64::from(i))));
        best.offer(candidate(300.0, 0.5));
        let scores: Vec<f64> = best.kept.iter().map(|c| c.score).collect();
        assert!(scores.contains(&0.5), "{scores:?}");
        assert!(scores.is_sorted_by(|a, b| a >= b) && scores[0] == 0.77, "{scores:?}");
        assert_eq!(best.kept.len(), MOST_ALIKE + 1, "{scores:?}");
    }
}
