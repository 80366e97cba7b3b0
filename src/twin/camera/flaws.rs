//! What is wrong with one simulated camera: drawn once from its seed, in proportion to its hardness.

use super::disturbed::Disturbed;
use crate::twin::exact::{Dice, bump};

/// The bounds at hardness 1; see DESIGN, “What `--hard` means”.
mod bound {
    /// Shift of each corner of the screen, px of a picture 640 wide.
    pub const CORNER_PX: f64 = 22.0;
    pub const ROLL_DEG: f64 = 6.0;
    pub const RADIAL_K1: (f64, f64) = (-0.10, 0.02);
    /// Standard deviation, px of a picture 640 wide.
    pub const BLUR_PX: (f64, f64) = (0.3, 1.7);
    /// Standard deviation, of 255.
    pub const NOISE: (f64, f64) = (1.0, 12.0);
    pub const GAMMA: (f64, f64) = (0.7, 1.4);
    pub const BRIGHTNESS: (f64, f64) = (0.65, 1.25);
    pub const CHANNEL_GAIN: (f64, f64) = (0.75, 1.15);
    /// Of 255.
    pub const BLACK_LEVEL: f64 = 28.0;
    pub const VIGNETTING: f64 = 0.45;
    /// Of 255, at the patch's centre.
    pub const GLARE: f64 = 55.0;
    /// Loss of a gap line's value, and the share of clips that show gap lines.
    pub const SCAN_LINE_LOSS: f64 = 0.45;
    pub const SCAN_LINE_SHARE: f64 = 0.6;
    pub const BAR_LOSS: f64 = 0.25;
    pub const JPEG_QUALITY: (f64, f64) = (60.0, 95.0);
    /// Height of the screen over the picture's height.
    pub const SCREEN_HEIGHT: (f64, f64) = (0.6, 0.9);
}

/// Height of the screen over the picture's height for a camera that someone took the trouble to place well.
const SCREEN_HEIGHT_NEUTRAL: f64 = 0.85;

/// The NTSC console's frame rate, Hz.
const CONSOLE_HZ: f64 = 60.0988;

/// One camera's flaws. At hardness 0 every one of them is neutral.
#[derive(Debug, Clone, PartialEq)]
pub struct Flaws {
    /// Shift of the screen's corners (top-left, top-right, bottom-right, bottom-left), px of a picture 640 wide.
    pub corner_shift_px: [[f64; 2]; 4],
    /// Roll in radians, clockwise.
    pub roll_rad: f64,
    /// Radial distortion: a point at radius r (1 at the picture's corner) is seen at r·(1 + k1·r²).
    pub radial_k1: f64,
    /// Blur, standard deviation in px of a picture 640 wide.
    pub blur_px: f64,
    /// Noise, standard deviation of 255; 0 for none.
    pub noise: f64,
    /// Exponent on the picture's values, 1 for none.
    pub gamma: f64,
    /// Gain of red, green and blue, brightness included.
    pub gain: [f64; 3],
    /// Added to every value, of 255.
    pub black_level: f64,
    /// Loss in the picture's corners, 0–0.45.
    pub vignetting: f64,
    /// Added at the glare patch's centre, of 255.
    pub glare: f64,
    /// The patch's centre (0–1 of the picture's width and height) and radius (of its width).
    pub glare_at: [f64; 3],
    /// Value of a gap line over that of a lit line, 0.55–1.
    pub gap_line: f64,
    /// Loss in the middle of the rolling bar, 0–0.25.
    pub bar: f64,
    /// Half the bar's height, its place at the first picture, and its way from picture to picture, all over the
    /// picture's height.
    pub bar_half_height: f64,
    /// See `bar_half_height`.
    pub bar_start: f64,
    /// See `bar_half_height`.
    pub bar_step: f64,
    /// JPEG quality 60–100; none when the picture is not compressed at all.
    pub jpeg_quality: Option<f64>,
    /// Height of the screen over the picture's height.
    pub screen_height: f64,
    /// What surrounds the screen, RGB of 255.
    pub room: [f64; 3],
    /// What else lies on the picture; nothing, whatever the hardness.
    pub disturbed: Disturbed,
}

impl Flaws {
    /// Draws the flaws of the camera with this seed, at hardness `hard` (0–1; outside it the nearer bound).
    ///
    /// Equal seeds draw equal numbers at every hardness, so a clip gets harder without becoming another clip.
    pub fn draw(hard: f64, seed: u64, fps: f64) -> Self {
        let hard = if hard.is_finite() { hard.clamp(0.0, 1.0) } else { 0.0 };
        let mut dice = Dice::new(seed);
        let mut ranged = |(low, high): (f64, f64), neutral: f64| neutral + hard * (dice.between(low, high) - neutral);
        let symmetric = |bound: f64| (-bound, bound);

        let screen_height = ranged(bound::SCREEN_HEIGHT, SCREEN_HEIGHT_NEUTRAL);
        let roll_rad = ranged(symmetric(bound::ROLL_DEG), 0.0).to_radians();
        let corner_shift_px = [(); 4].map(|()| [(); 2].map(|()| ranged(symmetric(bound::CORNER_PX), 0.0)));
        let radial_k1 = ranged(bound::RADIAL_K1, 0.0);
        let blur_px = ranged(bound::BLUR_PX, 0.0);
        let noise = ranged(bound::NOISE, 0.0);
        let gamma = ranged(bound::GAMMA, 1.0);
        let brightness = ranged(bound::BRIGHTNESS, 1.0);
        let gain = [(); 3].map(|()| brightness * ranged(bound::CHANNEL_GAIN, 1.0));
        let black_level = ranged((0.0, bound::BLACK_LEVEL), 0.0);
        let vignetting = ranged((0.0, bound::VIGNETTING), 0.0);
        let glare = ranged((0.0, bound::GLARE), 0.0);
        let bar = ranged((0.0, bound::BAR_LOSS), 0.0);
        let scan_line_loss = ranged((0.0, bound::SCAN_LINE_LOSS), 0.0);
        let quality = ranged(bound::JPEG_QUALITY, 100.0);

        let has_scan_lines = dice.between(0.0, 1.0) < bound::SCAN_LINE_SHARE;
        let glare_at = [dice.between(0.1, 0.9), dice.between(0.1, 0.9), dice.between(0.1, 0.3)];
        let bar_half_height = dice.between(0.08, 0.25);
        let bar_start = dice.between(0.0, 1.0);
        // The bar is the beat of screen and camera; no camera's rate is exact to better than about 2 %.
        let beat = CONSOLE_HZ / fps;
        let bar_step = beat - beat.round() + dice.between(-0.02, 0.02);
        let room = [(); 3].map(|()| dice.between(22.0, 46.0));
        Self {
            corner_shift_px,
            roll_rad,
            radial_k1,
            blur_px,
            noise,
            gamma,
            gain,
            black_level,
            vignetting,
            glare,
            glare_at,
            gap_line: if has_scan_lines { 1.0 - scan_line_loss } else { 1.0 },
            bar,
            bar_half_height,
            bar_start,
            bar_step,
            jpeg_quality: (hard > 0.0).then_some(quality),
            screen_height,
            room,
            disturbed: Disturbed::default(),
        }
    }

    /// Gain of a picture line by the rolling bar; `line` is 0 at the picture's top, 1 at its bottom.
    pub fn bar_gain(&self, line: f64, index: u64) -> f64 {
        if self.bar == 0.0 {
            return 1.0;
        }
        let way = 1.0 + 2.0 * self.bar_half_height;
        let travelled = self.bar_start + self.bar_step * index as f64;
        let center = (travelled - (travelled / way).floor() * way) - self.bar_half_height;
        1.0 - self.bar * bump((line - center) / self.bar_half_height)
    }
}
