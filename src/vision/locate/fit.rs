//! The least-squares problem of a pose: how its edges move with what is unknown, and the equations that follow.

use crate::vision::view::marks::KINDS;
use crate::vision::view::{PARAMETERS, Spot, View};
use nalgebra::{SMatrix, SVector};

/// How strongly the lens is believed straight: one standard deviation of k1.
pub const K1_SPREAD: f64 = 0.04;
/// How far light may bleed over edges, px: one standard deviation. Blur, gamma and what stands beside an edge move all
/// edges of a kind the same way, most often to their darker side.
const BLEED_SPREAD_PX: f64 = 0.5;
/// What a fit determines: a view, and the bleeding of each kind of edge.
pub const UNKNOWNS: usize = PARAMETERS + KINDS;
/// Step of the differences that say how the map changes with the corners, px.
const STEP_PX: f64 = 0.01;

/// How far points move with the pose's parameters.
pub struct Slopes {
    /// How each element of the map's matrix, row by row, changes with the corners' coordinates.
    maps: [[f64; PARAMETERS - 1]; 9],
}

impl Slopes {
    /// Those of a pose; `None` if it is hardly one.
    pub fn of(pose: &View) -> Option<Self> {
        let matrix = pose.matrix();
        let mut maps = [[0.0; PARAMETERS - 1]; 9];
        for i in 0..PARAMETERS - 1 {
            let mut by = [0.0; PARAMETERS];
            by[i] = STEP_PX;
            let moved = pose.moved(&by)?.matrix();
            for (k, map) in maps.iter_mut().enumerate() {
                map[i] = (moved[k / 3][k % 3] - matrix[k / 3][k % 3]) / STEP_PX;
            }
        }
        Some(Self { maps })
    }

    /// How a point (field units), seen at `spot`, moves along `normal` with each parameter, px a unit.
    pub fn along(&self, normal: [f64; 2], point: [f64; 2], spot: &Spot) -> [f64; PARAMETERS] {
        let pull = spot.pull(normal);
        let [x, y] = point;
        let mut row = [0.0; PARAMETERS];
        for (k, map) in self.maps.iter().enumerate() {
            let by = pull[k / 3] * [x, y, 1.0][k % 3];
            row.iter_mut().zip(map).for_each(|(slope, m)| *slope += m * by);
        }
        let [x, y] = spot.by_k1();
        row[PARAMETERS - 1] = x * normal[0] + y * normal[1];
        row
    }
}

/// The normal equations of a fit, summed up edge by edge. (An edge has one kind of many: most of its row is zero.)
pub struct Equations {
    /// Of this part, which mirrors itself, only what is on the diagonal and right of it.
    pose: [[f64; PARAMETERS]; PARAMETERS],
    mixed: [[f64; PARAMETERS]; KINDS],
    bleed: [f64; KINDS],
    right: [f64; UNKNOWNS],
}

impl Equations {
    /// Nothing but what is believed about bleeding, where edges have this variance, px².
    pub fn new(variance: f64) -> Self {
        let bleed = [variance / (BLEED_SPREAD_PX * BLEED_SPREAD_PX); KINDS];
        Self { pose: [[0.0; PARAMETERS]; PARAMETERS], mixed: [[0.0; PARAMETERS]; KINDS], bleed, right: [0.0; UNKNOWNS] }
    }

    /// Adds an edge of this kind that lies so far off, px, and moves like this with the parameters.
    pub fn add(&mut self, row: &[f64; PARAMETERS], kind: usize, offset_px: f64, weight: f64) {
        for (i, slope) in row.iter().enumerate() {
            let weighted = slope * weight;
            self.pose[i][i..].iter_mut().zip(&row[i..]).for_each(|(sum, other)| *sum += weighted * other);
            self.right[i] += weighted * offset_px;
        }
        self.mixed[kind].iter_mut().zip(row).for_each(|(sum, slope)| *sum += slope * weight);
        self.bleed[kind] += weight;
        self.right[PARAMETERS + kind] += offset_px * weight;
    }

    /// Adds a belief about one parameter: that it should change by so much.
    pub fn hold(&mut self, parameter: usize, change: f64, weight: f64) {
        self.pose[parameter][parameter] += weight;
        self.right[parameter] += weight * change;
    }

    /// The matrix, the view's parameters first.
    pub fn matrix(&self) -> SMatrix<f64, UNKNOWNS, UNKNOWNS> {
        SMatrix::from_fn(|r, c| match (r.checked_sub(PARAMETERS), c.checked_sub(PARAMETERS)) {
            (None, None) => self.pose[r.min(c)][r.max(c)],
            (Some(kind), None) => self.mixed[kind][c],
            (None, Some(kind)) => self.mixed[kind][r],
            (Some(kind), Some(other)) => f64::from(u8::from(kind == other)) * self.bleed[kind],
        })
    }

    /// How the parameters should change; `None` if nothing follows.
    pub fn solution(&self) -> Option<[f64; PARAMETERS]> {
        let by = self.matrix().cholesky()?.solve(&SVector::from(self.right));
        let by: [f64; PARAMETERS] = std::array::from_fn(|i| by[i]);
        by.iter().all(|v| v.is_finite()).then_some(by)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slopes_are_what_differences_say() {
        let corners = [[120.0, 40.0], [330.0, 60.0], [300.0, 420.0], [90.0, 440.0]];
        let view = View::through([0.0, 0.0, 10.0, 20.0], corners, -0.08, [640, 480]).unwrap();
        let slopes = Slopes::of(&view).unwrap();
        for point in [[0.0, 0.0], [10.5, 3.0], [16.0, 12.0]] {
            for normal in [[1.0, 0.0], [0.6, -0.8]] {
                let spot = view.spot(point);
                let along = |[x, y]: [f64; 2]| x * normal[0] + y * normal[1];
                for (i, slope) in slopes.along(normal, point, &spot).into_iter().enumerate() {
                    let step = if i + 1 == PARAMETERS { 1e-6 } else { 1e-3 };
                    let moved = |by: f64| {
                        let mut all = [0.0; PARAMETERS];
                        all[i] = by;
                        along(view.moved(&all).unwrap().map(point))
                    };
                    let wanted = (moved(step) - moved(-step)) / (2.0 * step);
                    assert!((slope - wanted).abs() < 1e-3 * wanted.abs().max(1.0), "{i}: {slope} for {wanted}");
                }
            }
        }
    }

    #[test]
    fn known_parameters_are_found() {
        let mut equations = Equations::new(1e6);
        for i in 0..PARAMETERS {
            let mut row = [0.1; PARAMETERS];
            row[i] = 1.0;
            let offset_px = (0..PARAMETERS).map(|k| row[k] * k as f64).sum();
            equations.add(&row, i % KINDS, offset_px, 2.0);
        }
        let by = equations.solution().unwrap();
        by.iter().enumerate().for_each(|(i, v)| assert!((v - i as f64).abs() < 1e-3, "{by:?}"));
    }
}
