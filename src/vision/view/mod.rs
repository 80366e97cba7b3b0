//! How a camera sees the screen: a homography, then a lens that bends straight lines a little.

pub mod geometry;
pub mod marks;
use crate::vision::view::geometry::Homography;

/// The place of the screen in the picture.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct View {
    rectangle: [f64; 4],
    /// Where the rectangle's corners would be seen without the lens's bend, px.
    corners: [[f64; 2]; 4],
    /// A point at radius r (1 at the picture's corner) is seen at r·(1 + k1·r²).
    k1: f64,
    center_px: [f64; 2],
    half_diagonal_px: f64,
    map: Homography,
}

/// Numbers that describe a view: eight corner coordinates, and the lens.
pub const PARAMETERS: usize = 9;

impl View {
    /// The view that shows a rectangle (left, top, right, bottom; field units) between these corners, px, through a
    /// straight lens; `None` if there is none.
    pub fn new(rectangle: [f64; 4], corners: [[f64; 2]; 4], size: [usize; 2]) -> Option<Self> {
        let center_px = size.map(|s| s as f64 / 2.0);
        let half_diagonal_px = center_px[0].hypot(center_px[1]);
        let map = Homography::from_rectangle(rectangle, corners)?;
        Some(Self { rectangle, corners, k1: 0.0, center_px, half_diagonal_px, map })
    }

    /// The view that shows a rectangle with its corners *seen* at these places, px, through a lens of this bend; `None` if
    /// there is none.
    pub fn through(rectangle: [f64; 4], seen: [[f64; 2]; 4], k1: f64, size: [usize; 2]) -> Option<Self> {
        let straight = Self::new(rectangle, seen, size)?;
        let corners = seen.map(|corner| straight.unbent(corner, k1));
        Some(Self { k1, ..Self::new(rectangle, corners, size)? })
    }

    /// Where a point seen at `seen` through a lens of bend `k1` would be seen without it, px.
    fn unbent(&self, seen: [f64; 2], k1: f64) -> [f64; 2] {
        let away = [0, 1].map(|i| (seen[i] - self.center_px[i]) / self.half_diagonal_px);
        let bent = away[0].hypot(away[1]);
        let mut radius = bent;
        // Newton's steps on r + k1 r³ = bent: three are exact to a millionth for any camera's lens.
        for _ in 0..4 {
            let slope = (1.0 + 3.0 * k1 * radius * radius).max(0.1);
            radius -= (radius + k1 * radius.powi(3) - bent) / slope;
        }
        let factor = if bent > 1e-9 { radius / bent } else { 1.0 };
        [0, 1].map(|i| self.center_px[i] + factor * (seen[i] - self.center_px[i]))
    }

    /// The same view in a picture `factor` times as large.
    pub fn scaled(&self, factor: f64, size: [usize; 2]) -> Option<Self> {
        let corners = self.corners.map(|c| c.map(|v| v * factor));
        Some(Self { k1: self.k1, ..Self::new(self.rectangle, corners, size)? })
    }

    /// The view with its parameters changed by so much (px; the last one is k1); `None` if that is no view.
    pub fn moved(&self, by: &[f64; PARAMETERS]) -> Option<Self> {
        let mut corners = self.corners;
        corners.iter_mut().flatten().zip(by).for_each(|(v, d)| *v += d);
        let map = Homography::from_rectangle(self.rectangle, corners)?;
        Some(Self { corners, k1: self.k1 + by[PARAMETERS - 1], map, ..*self })
    }

    /// Where the rectangle's corners would be seen without the lens's bend, px.
    pub fn corners(&self) -> [[f64; 2]; 4] {
        self.corners
    }

    /// The lens's bend.
    pub fn k1(&self) -> f64 {
        self.k1
    }

    /// Where a point (field units) is seen, px.
    pub fn map(&self, point: [f64; 2]) -> [f64; 2] {
        let flat = self.map.map(point);
        let r = [0, 1].map(|i| (flat[i] - self.center_px[i]) / self.half_diagonal_px);
        let scale = self.k1 * (r[0] * r[0] + r[1] * r[1]);
        [0, 1].map(|i| flat[i] + scale * (flat[i] - self.center_px[i]))
    }

    /// How wide the field unit is for its height, on a flat screen seen by a camera of this focal length (as a share of half
    /// the picture's diagonal) that looks at the picture's centre. (Zhang and He, "Whiteboard scanning and image enhancement",
    /// 2007.)
    pub(super) fn cell_aspect(&self, focal: f64) -> f64 {
        let matrix = self.map.matrix();
        let focal_px = focal * self.half_diagonal_px;
        let length = |axis: usize| {
            let [x, y, depth] = matrix.map(|row| row[axis]);
            let across = [x - self.center_px[0] * depth, y - self.center_px[1] * depth];
            across[0].hypot(across[1]).hypot(focal_px * depth)
        };
        length(0) / length(1)
    }

    /// The matrix of the view without the lens's bend.
    pub(super) fn matrix(&self) -> [[f64; 3]; 3] {
        self.map.matrix()
    }

    /// A point (field units) as it is seen, and what is around it.
    pub(super) fn spot(&self, [x, y]: [f64; 2]) -> Spot {
        let matrix = self.map.matrix();
        let [u, v, depth] = matrix.map(|row| row[0] * x + row[1] * y + row[2]);
        let flat = [u / depth, v / depth];
        let from_center = [flat[0] - self.center_px[0], flat[1] - self.center_px[1]];
        let r = from_center.map(|d| d / self.half_diagonal_px);
        let square = r[0] * r[0] + r[1] * r[1];
        let scale = self.k1 * square;
        let bend = |i: usize, k: usize| 2.0 * self.k1 * r[i] * r[k] + if i == k { 1.0 + scale } else { 0.0 };
        Spot {
            at: [0, 1].map(|i| flat[i] + scale * from_center[i]),
            flat,
            per_depth: 1.0 / depth,
            lens: [[bend(0, 0), bend(0, 1)], [bend(1, 0), bend(1, 1)]],
            by_k1: from_center.map(|d| square * d),
        }
    }

    /// Where points (field units) would be seen without the lens's bend: rows of three, px times the third row's.
    pub(super) fn straight(&self) -> [[f64; 3]; 3] {
        self.map.matrix()
    }

    /// How a small way on the screen from a spot is seen, px a field unit.
    pub(super) fn way(&self, spot: &Spot, [x, y]: [f64; 2]) -> [f64; 2] {
        let [u, v, depth] = self.map.matrix().map(|row| row[0] * x + row[1] * y);
        let flat = [(u - spot.flat[0] * depth) * spot.per_depth, (v - spot.flat[1] * depth) * spot.per_depth];
        spot.lens.map(|row| row[0] * flat[0] + row[1] * flat[1])
    }
}

/// A point of the screen as a view shows it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Spot {
    /// Where it is seen, px.
    pub at: [f64; 2],
    /// Where it would be seen without the lens's bend, px.
    flat: [f64; 2],
    /// One over the homography's third coordinate.
    per_depth: f64,
    /// How a small way seen without the bend is seen with it.
    lens: [[f64; 2]; 2],
    by_k1: [f64; 2],
}

impl Spot {
    /// How far it moves along `normal`, px, with each of the three coordinates that the homography gives it.
    pub fn pull(&self, normal: [f64; 2]) -> [f64; 3] {
        let [x, y] = [0, 1].map(|i| self.lens[0][i] * normal[0] + self.lens[1][i] * normal[1]);
        [x, y, -(x * self.flat[0] + y * self.flat[1])].map(|v| v * self.per_depth)
    }

    /// How it moves with k1, px a unit.
    pub fn by_k1(&self) -> [f64; 2] {
        self.by_k1
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_spot_is_where_the_point_is_seen_and_its_ways_are_differences() {
        let corners = [[120.0, 40.0], [330.0, 60.0], [300.0, 420.0], [90.0, 440.0]];
        let view = View::through([0.0, 0.0, 10.0, 20.0], corners, -0.08, [640, 480]).unwrap();
        for point in [[0.0, 0.0], [10.5, 3.0], [16.0, 12.0]] {
            let spot = view.spot(point);
            assert_eq!(spot.at, view.map(point));
            for direction in [[1.0, 0.0], [0.0, -1.0]] {
                let ends = [-1e-4, 1e-4].map(|by| view.map([0, 1].map(|i| point[i] + by * direction[i])));
                let way = view.way(&spot, direction);
                (0..2).for_each(|i| assert!((way[i] - (ends[1][i] - ends[0][i]) / 2e-4).abs() < 1e-4));
            }
            let flat = View::new([0.0, 0.0, 10.0, 20.0], corners, [640, 480]).unwrap();
            let [u, v, depth] = flat.straight().map(|row| row[0] * point[0] + row[1] * point[1] + row[2]);
            let place = flat.map(point);
            assert!((u / depth - place[0]).abs() + (v / depth - place[1]).abs() < 1e-9);
        }
    }
}
