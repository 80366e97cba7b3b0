//! Long straight edges of a picture: a Hough transform in which every pixel votes only for lines across its gradient,
//! so that an edge from dark to bright and one from bright to dark are different lines.

use super::plane::Gradient;

/// Directions, of the whole turn.
const DIRECTIONS: usize = 240;
/// Width of a bin of distances, px.
const STEP_PX: f64 = 2.0;
/// A pixel votes for directions up to this many bins from its own.
const VOTE_REACH: usize = 3;
/// Lines of fewer votes are none.
const LEAST_VOTES: f32 = 4.0;
/// Lines nearer than this to a stronger one are the same line: bins of direction and of distance.
const SAME: [isize; 2] = [4, 2];

/// A straight edge.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Line {
    /// The unit vector across the line towards its brighter side.
    pub normal: [f64; 2],
    /// All points p of the line have normal·p = distance, px.
    pub distance: f64,
    /// The sum of its votes: about the number of edge pixels on it.
    pub votes: f64,
}

impl Line {
    /// Where two lines cross; not finite if they do not.
    pub fn crossing(&self, other: &Self) -> [f64; 2] {
        let ([a, b], [c, d]) = (self.normal, other.normal);
        let det = a * d - b * c;
        [(self.distance * d - b * other.distance) / det, (a * other.distance - self.distance * c) / det]
    }
}

/// The strongest lines in each of the four quarter turns around right, down, left and up (the way their brighter side
/// lies), at most `most` each, strongest first. Gradients shorter than `least` do not vote.
pub fn find(gradient: &Gradient, least: f64, most: usize) -> [Vec<Line>; 4] {
    let center = [gradient.width as f64 / 2.0, gradient.height as f64 / 2.0];
    let radius = center[0].hypot(center[1]);
    let distances = (2.0 * radius / STEP_PX).ceil() as usize + 3;
    let normals: Vec<[f64; 2]> = (0..DIRECTIONS)
        .map(|i| (i as f64 * std::f64::consts::TAU / DIRECTIONS as f64).sin_cos())
        .map(|(sin, cos)| [cos, sin])
        .collect();
    let votes = vote(gradient, least, &normals, [center[0], center[1], radius], distances);
    let mut found: [Vec<Line>; 4] = Default::default();
    for (quarter, lines) in found.iter_mut().enumerate() {
        for (direction, bin, strength) in peaks(&votes, distances, quarter, most) {
            let normal = normals[direction];
            let from_center = (bin - 1.0) * STEP_PX - radius;
            let distance = from_center + normal[0] * center[0] + normal[1] * center[1];
            lines.push(Line { normal, distance, votes: strength });
        }
    }
    found
}

fn vote(
    gradient: &Gradient,
    least: f64,
    normals: &[[f64; 2]],
    [cx, cy, radius]: [f64; 3],
    distances: usize,
) -> Vec<f32> {
    let mut votes = vec![0f32; DIRECTIONS * distances];
    // Bins a pixel, and where each direction's votes begin; those beyond the turn's ends are there once more.
    let around = |i: usize| {
        let direction = (i + DIRECTIONS - VOTE_REACH) % DIRECTIONS;
        (normals[direction].map(|n| (n / STEP_PX) as f32), direction * distances)
    };
    let directions: Vec<([f32; 2], usize)> = (0..DIRECTIONS + 2 * VOTE_REACH).map(around).collect();
    let [cx, cy, radius] = [cx as f32, cy as f32, (radius / STEP_PX) as f32];
    for [column, row] in gradient.ridge(least) {
        let [gx, gy] = gradient.vectors[row * gradient.width + column].map(f32::from);
        let [x, y] = [column as f32 + 0.5 - cx, row as f32 + 0.5 - cy];
        // Strong edges count more, but not in proportion: a long faint border outweighs a short bright letter.
        let weight = ((gx * gx + gy * gy).sqrt() / least as f32).min(3.0) / 3.0;
        let turn = gy.atan2(gx) / std::f32::consts::TAU * DIRECTIONS as f32;
        // The turn's own bin, from 0 up: half a bin is added for the rounding.
        let own = (turn + DIRECTIONS as f32 + 0.5) as usize % DIRECTIONS;
        for ([nx, ny], start) in &directions[own..=own + 2 * VOTE_REACH] {
            let bin = x * nx + y * ny + radius + 1.0;
            // Shared between two bins, so that a peak's place can be found between them.
            let low = bin as usize;
            let share = bin - low as f32;
            let at = start + low.min(distances - 2);
            votes[at] += weight * (1.0 - share);
            votes[at + 1] += weight * share;
        }
    }
    votes
}

/// The strongest local maxima among the directions of one quarter: direction, bin (with its fraction), votes.
fn peaks(votes: &[f32], distances: usize, quarter: usize, most: usize) -> Vec<(usize, f64, f64)> {
    let first = (quarter * DIRECTIONS / 4 + DIRECTIONS - DIRECTIONS / 8) as isize;
    let of = |direction: isize| {
        let start = direction.rem_euclid(DIRECTIONS as isize) as usize * distances;
        &votes[start..start + distances]
    };
    // Sorting only what beats its direct neighbours keeps this cheap.
    let mut maxima: Vec<(isize, isize, f32)> = Vec::new();
    for d in first..first + (DIRECTIONS / 4) as isize {
        let [before, own, after] = [d - 1, d, d + 1].map(of);
        for (b, w) in own.windows(3).enumerate().map(|(i, w)| (i + 1, w)) {
            let v = w[1];
            if v > LEAST_VOTES && v >= w[0] && v > w[2] && v >= before[b] && v > after[b] {
                maxima.push((d, b as isize, v));
            }
        }
    }
    maxima.sort_by(|a, b| b.2.total_cmp(&a.2));
    let mut chosen: Vec<(isize, isize, f32)> = Vec::new();
    for candidate in maxima {
        let is_same =
            |c: &(isize, isize, f32)| (c.0 - candidate.0).abs() <= SAME[0] && (c.1 - candidate.1).abs() <= SAME[1];
        if chosen.len() < most && !chosen.iter().any(is_same) {
            chosen.push(candidate);
        }
    }
    let exact = |(d, b, v): (isize, isize, f32)| {
        let (low, high) = (of(d)[b as usize - 1], of(d)[b as usize + 1]);
        let shift = f64::from(high - low) / f64::from(low + v + high);
        (d.rem_euclid(DIRECTIONS as isize) as usize, b as f64 + shift, f64::from(v))
    };
    chosen.into_iter().map(exact).collect()
}
