//! Where each point of the console's picture is seen: a homography, then a radial term.

use super::flaws::Flaws;
use crate::twin::exact::sin_cos;

/// The console's visible picture: all 256 columns, lines 8 to 232.
const VISIBLE_LEFT_TOP: [f64; 2] = [0.0, 8.0];
const VISIBLE_SIZE: [f64; 2] = [256.0, 224.0];
/// Width over height of the screen.
const SCREEN_ASPECT: f64 = 4.0 / 3.0;

/// Maps the console's picture to the camera's and back. Pixel centres are at .5.
#[derive(Debug, Clone)]
pub struct Lens {
    /// From the unit square of the screen to the picture without radial distortion, px; and back.
    forward: [[f64; 3]; 3],
    backward: [[f64; 3]; 3],
    center_px: [f64; 2],
    half_diagonal_px: f64,
    k1: f64,
}

impl Lens {
    /// The lens of a camera with these flaws and this picture size, px.
    pub fn new(flaws: &Flaws, size: [u32; 2]) -> Self {
        let [width, height] = size.map(f64::from);
        let center_px = [width / 2.0, height / 2.0];
        let screen_height = flaws.screen_height * height;
        let half = [screen_height * SCREEN_ASPECT / 2.0, screen_height / 2.0];
        let (sin, cos) = sin_cos(flaws.roll_rad);
        let corner = |i: usize, x: f64, y: f64| {
            let [dx, dy] = flaws.corner_shift_px[i].map(|d| d * width / 640.0);
            let (x, y) = (x * half[0], y * half[1]);
            [center_px[0] + x * cos - y * sin + dx, center_px[1] + x * sin + y * cos + dy]
        };
        let corners = [corner(0, -1.0, -1.0), corner(1, 1.0, -1.0), corner(2, 1.0, 1.0), corner(3, -1.0, 1.0)];
        let forward = square_to_quad(corners);
        Self {
            forward,
            backward: adjugate(forward),
            center_px,
            half_diagonal_px: (center_px[0] * center_px[0] + center_px[1] * center_px[1]).sqrt(),
            k1: flaws.radial_k1,
        }
    }

    /// Where the camera sees a point of the console's picture (x 0–256, y 0–240), px.
    pub fn image_from_console(&self, point: [f64; 2]) -> [f64; 2] {
        let unit = [0, 1].map(|i| (point[i] - VISIBLE_LEFT_TOP[i]) / VISIBLE_SIZE[i]);
        let flat = project(&self.forward, unit);
        let from_center = [0, 1].map(|i| (flat[i] - self.center_px[i]) / self.half_diagonal_px);
        let square = from_center[0] * from_center[0] + from_center[1] * from_center[1];
        let scale = 1.0 + self.k1 * square;
        [0, 1].map(|i| self.center_px[i] + from_center[i] * scale * self.half_diagonal_px)
    }

    /// The point of the console's picture that the camera sees at `point`, px; far outside it for the room.
    pub fn console_from_image(&self, point: [f64; 2]) -> [f64; 2] {
        let seen = [0, 1].map(|i| (point[i] - self.center_px[i]) / self.half_diagonal_px);
        let seen_square = seen[0] * seen[0] + seen[1] * seen[1];
        // r_seen = r·(1 + k1·r²): a fixed point of s = 1 / (1 + k1·(s·r_seen)²), contracting by 2·|k1| or better.
        let scale = (0..14).fold(1.0, |s, _| 1.0 / (1.0 + self.k1 * s * s * seen_square));
        let flat = [0, 1].map(|i| self.center_px[i] + seen[i] * scale * self.half_diagonal_px);
        let unit = project(&self.backward, flat);
        [0, 1].map(|i| VISIBLE_LEFT_TOP[i] + unit[i] * VISIBLE_SIZE[i])
    }

    /// Camera pixels per console pixel, across and down, in the picture's middle.
    pub fn scale(&self) -> [f64; 2] {
        let [a, b, c] = [[127.5, 120.0], [128.5, 120.0], [127.5, 121.0]].map(|point| self.image_from_console(point));
        [b, c].map(|p| ((p[0] - a[0]) * (p[0] - a[0]) + (p[1] - a[1]) * (p[1] - a[1])).sqrt())
    }
}

fn project(matrix: &[[f64; 3]; 3], [x, y]: [f64; 2]) -> [f64; 2] {
    let [u, v, w] = matrix.map(|row| row[0] * x + row[1] * y + row[2]);
    [u / w, v / w]
}

/// The homography that takes (0,0), (1,0), (1,1), (0,1) to four points (Heckbert 1989).
fn square_to_quad([a, b, c, d]: [[f64; 2]; 4]) -> [[f64; 3]; 3] {
    let [d1, d2, sum] =
        [[b[0] - c[0], b[1] - c[1]], [d[0] - c[0], d[1] - c[1]], [0, 1].map(|i| a[i] - b[i] + c[i] - d[i])];
    let det = d1[0] * d2[1] - d2[0] * d1[1];
    let g = (sum[0] * d2[1] - d2[0] * sum[1]) / det;
    let h = (d1[0] * sum[1] - sum[0] * d1[1]) / det;
    let row = |i: usize| [b[i] - a[i] + g * b[i], d[i] - a[i] + h * d[i], a[i]];
    [row(0), row(1), [g, h, 1.0]]
}

/// The inverse up to a factor, which a homography does not feel.
fn adjugate(m: [[f64; 3]; 3]) -> [[f64; 3]; 3] {
    let minor = |r0: usize, r1: usize, c0: usize, c1: usize| m[r0][c0] * m[r1][c1] - m[r0][c1] * m[r1][c0];
    [
        [minor(1, 2, 1, 2), -minor(0, 2, 1, 2), minor(0, 1, 1, 2)],
        [-minor(1, 2, 0, 2), minor(0, 2, 0, 2), -minor(0, 1, 0, 2)],
        [minor(1, 2, 0, 1), -minor(0, 2, 0, 1), minor(0, 1, 0, 1)],
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_and_back_is_the_same_point() {
        for seed in 0..20 {
            let lens = Lens::new(&Flaws::draw(1.0, seed, 30.0), [640, 480]);
            for point in [[0.0, 8.0], [96.0, 48.0], [200.0, 130.0], [256.0, 232.0]] {
                let back = lens.console_from_image(lens.image_from_console(point));
                assert!((back[0] - point[0]).abs() + (back[1] - point[1]).abs() < 1e-6, "{seed}: {point:?} {back:?}");
            }
        }
    }

    #[test]
    fn a_perfect_camera_sees_an_upright_screen() {
        let lens = Lens::new(&Flaws::draw(0.0, 7, 30.0), [640, 480]);
        let [x, y] = lens.image_from_console([0.0, 8.0]);
        assert!((x - 48.0).abs() < 1e-9 && (y - 36.0).abs() < 1e-9, "{x} {y}");
        let [x, y] = lens.image_from_console([256.0, 232.0]);
        assert!((x - 592.0).abs() < 1e-9 && (y - 444.0).abs() < 1e-9, "{x} {y}");
    }
}
