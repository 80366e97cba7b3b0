//! How a camera sees the screen: a homography, then a lens that bends straight lines a little.

use super::geometry::Homography;

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
}
