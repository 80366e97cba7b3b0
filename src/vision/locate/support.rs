//! How much edge lies along a line, between any two of its points: sums worked out once, so that a quadrilateral of
//! four lines is judged by a few subtractions.

use super::line::Line;
use super::plane::Gradient;

/// Distance between samples along a line, px.
const STEP_PX: f64 = 2.0;
/// The edge is sought so far beside the line, px: a line of votes lies on it only roughly.
const BESIDE_PX: [f64; 3] = [-1.5, 0.0, 1.5];

/// A line with the sums of its agreement with the picture's gradients.
#[derive(Debug, Clone)]
pub struct Supported {
    /// The line.
    pub line: Line,
    /// The place of the first sample along the line, px.
    start: f64,
    /// Sums of agreement (−0.5 to 1 a sample) before each sample.
    sums: Vec<f32>,
}

impl Supported {
    /// Sums up a line; `strong` is the gradient of a full-blown edge.
    pub fn new(line: Line, gradient: &Gradient, strong: f64) -> Self {
        let [nx, ny] = line.normal;
        let reach = (gradient.width as f64).hypot(gradient.height as f64);
        let samples = (2.0 * reach / STEP_PX) as usize;
        let mut sums = Vec::with_capacity(samples + 1);
        let mut sum = 0.0f32;
        sums.push(sum);
        for i in 0..samples {
            let along = (i as f64 + 0.5) * STEP_PX - reach;
            if !is_near([line.distance * nx - along * ny, line.distance * ny + along * nx], gradient) {
                sum -= 0.5;
                sums.push(sum);
                continue;
            }
            let agreement = |by: &f64| {
                let across = line.distance + by;
                let at = [across * nx - along * ny, across * ny + along * nx].map(|v| v as f32);
                let [gx, gy] = gradient.at(at)?.map(f64::from);
                Some(gx * nx + gy * ny)
            };
            let best = BESIDE_PX.iter().filter_map(agreement).fold(f64::NEG_INFINITY, f64::max);
            sum += (best / strong).clamp(-0.5, 1.0) as f32;
            sums.push(sum);
        }
        Self { line, start: -reach, sums }
    }

    /// What the line's sums are at one of its points.
    pub fn stop(&self, [x, y]: [f64; 2]) -> Stop {
        let [nx, ny] = self.line.normal;
        let along = y * nx - x * ny;
        let at = ((along - self.start) / STEP_PX).clamp(0.0, (self.sums.len() - 1) as f64);
        Stop { along, sum: self.sums[at as usize] }
    }
}

/// Whether a point, px, lies in the picture or hardly beside it.
fn is_near([x, y]: [f64; 2], gradient: &Gradient) -> bool {
    let [width, height] = [gradient.width as f64, gradient.height as f64];
    let beside = BESIDE_PX[2];
    x > -beside && y > -beside && x < width + beside && y < height + beside
}

/// A point on a line with the sum of agreement before it.
#[derive(Debug, Clone, Copy)]
pub struct Stop {
    along: f64,
    sum: f32,
}

impl Stop {
    /// The agreement between two points of a line, summed over their distance, px.
    pub fn until(&self, other: &Self) -> f64 {
        f64::from(other.sum - self.sum) * STEP_PX * (other.along - self.along).signum()
    }
}
