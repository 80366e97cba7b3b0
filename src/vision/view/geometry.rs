//! The plane of the screen in the picture: a homography between field units and image pixels.

/// A projective map of the plane. Points in, points out; near the horizon the result is not finite.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Homography {
    m: [[f64; 3]; 3],
}

impl Homography {
    /// The map that takes the corners of the rectangle `[left, top, right, bottom]` to these four points, in the order
    /// top-left, top-right, bottom-right, bottom-left. `None` if three of them lie on a line, the quadrilateral is not
    /// convex, or a number is not finite.
    pub fn from_rectangle(rectangle: [f64; 4], corners: [[f64; 2]; 4]) -> Option<Self> {
        let [left, top, right, bottom] = rectangle;
        let (width, height) = (right - left, bottom - top);
        if !(is_convex(corners) && width > 0.0 && height > 0.0) {
            return None;
        }
        let [[x0, y0], [x1, y1], [x2, y2], [x3, y3]] = corners;
        // The map of the unit square (Heckbert, "Fundamentals of Texture Mapping", 1989, section 2.2.3).
        let (dx1, dx2, sx) = (x1 - x2, x3 - x2, x0 - x1 + x2 - x3);
        let (dy1, dy2, sy) = (y1 - y2, y3 - y2, y0 - y1 + y2 - y3);
        let det = dx1 * dy2 - dx2 * dy1;
        let (g, h) = ((sx * dy2 - dx2 * sy) / det, (dx1 * sy - sx * dy1) / det);
        let square = Self {
            m: [[x1 - x0 + g * x1, x3 - x0 + h * x3, x0], [y1 - y0 + g * y1, y3 - y0 + h * y3, y0], [g, h, 1.0]],
        };
        let unit_from_rectangle =
            Self { m: [[1.0 / width, 0.0, -left / width], [0.0, 1.0 / height, -top / height], [0.0, 0.0, 1.0]] };
        let map = square.after(&unit_from_rectangle);
        map.m.iter().flatten().all(|v| v.is_finite()).then_some(map)
    }

    /// The map that does `first`, then this one.
    pub fn after(&self, first: &Self) -> Self {
        let mut m = [[0.0; 3]; 3];
        for (r, row) in m.iter_mut().enumerate() {
            for (c, v) in row.iter_mut().enumerate() {
                *v = (0..3).map(|k| self.m[r][k] * first.m[k][c]).sum();
            }
        }
        Self { m }
    }

    /// The inverse map; `None` if there is none.
    pub fn inverse(&self) -> Option<Self> {
        let m = &self.m;
        let minor = |r: usize, c: usize| {
            let (r1, r2, c1, c2) = ((r + 1) % 3, (r + 2) % 3, (c + 1) % 3, (c + 2) % 3);
            m[r1][c1] * m[r2][c2] - m[r1][c2] * m[r2][c1]
        };
        let det: f64 = (0..3).map(|c| m[0][c] * minor(0, c)).sum();
        let mut inverse = [[0.0; 3]; 3];
        for (r, row) in inverse.iter_mut().enumerate() {
            for (c, v) in row.iter_mut().enumerate() {
                *v = minor(c, r) / det;
            }
        }
        inverse.iter().flatten().all(|v| v.is_finite()).then_some(Self { m: inverse })
    }

    /// The map's matrix.
    pub fn matrix(&self) -> [[f64; 3]; 3] {
        self.m
    }

    /// Where a point goes. Not finite on the horizon.
    pub fn map(&self, [x, y]: [f64; 2]) -> [f64; 2] {
        let [u, v, w] = self.m.map(|row| row[0] * x + row[1] * y + row[2]);
        [u / w, v / w]
    }
}

/// Whether four finite points, in order, are the corners of a convex quadrilateral with some area.
pub fn is_convex(corners: [[f64; 2]; 4]) -> bool {
    let turns = turns(corners);
    turns.iter().all(|t| *t > 1e-9) || turns.iter().all(|t| *t < -1e-9)
}

/// Whether they are so, and in clockwise order: those of a screen that is seen from its front, and not in a mirror.
pub fn is_front(corners: [[f64; 2]; 4]) -> bool {
    turns(corners).iter().all(|t| *t > 1e-9)
}

/// How much the outline turns right at each corner.
fn turns(corners: [[f64; 2]; 4]) -> [f64; 4] {
    [0, 1, 2, 3].map(|i: usize| {
        let (a, b, c) = (corners[i], corners[(i + 1) % 4], corners[(i + 2) % 4]);
        (b[0] - a[0]) * (c[1] - b[1]) - (b[1] - a[1]) * (c[0] - b[0])
    })
}

/// The middle of four points.
pub fn middle(corners: &[[f64; 2]; 4]) -> [f64; 2] {
    [0, 1].map(|i| corners.iter().map(|corner| corner[i]).sum::<f64>() / 4.0)
}

/// The distance between two points.
pub fn distance(a: [f64; 2], b: [f64; 2]) -> f64 {
    // Not hypot: pixels neither overflow nor vanish, and a square root is exact everywhere, and fast.
    let [x, y] = [a[0] - b[0], a[1] - b[1]];
    (x * x + y * y).sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;

    const CORNERS: [[f64; 2]; 4] = [[10.0, 20.0], [110.0, 25.0], [120.0, 230.0], [5.0, 210.0]];

    #[test]
    fn corners_go_to_corners_and_back() {
        let image_from_field = Homography::from_rectangle([0.0, 0.0, 10.0, 20.0], CORNERS).unwrap();
        let field_from_image = image_from_field.inverse().unwrap();
        for (field, image) in [[0.0, 0.0], [10.0, 0.0], [10.0, 20.0], [0.0, 20.0]].into_iter().zip(CORNERS) {
            assert!(distance(image_from_field.map(field), image) < 1e-9);
            assert!(distance(field_from_image.map(image), field) < 1e-9);
        }
    }

    #[test]
    fn an_offset_rectangle_is_respected() {
        let map = Homography::from_rectangle([-1.0, 2.0, 3.0, 6.0], CORNERS).unwrap();
        assert!(distance(map.map([3.0, 6.0]), CORNERS[2]) < 1e-9);
    }

    #[test]
    fn what_is_no_quadrilateral_is_refused() {
        let flat = [[0.0, 0.0], [1.0, 0.0], [2.0, 0.0], [3.0, 0.0]];
        let crossed = [[0.0, 0.0], [1.0, 1.0], [1.0, 0.0], [0.0, 1.0]];
        let endless = [[0.0, 0.0], [f64::NAN, 1.0], [1.0, 0.0], [0.0, 1.0]];
        for corners in [flat, crossed, endless] {
            assert!(Homography::from_rectangle([0.0, 0.0, 10.0, 20.0], corners).is_none());
        }
    }
}
