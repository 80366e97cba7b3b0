//! The simulated camera: films the console's pictures with the flaws of a real one.
//!
//! Light takes this way: `LitScreen` mixes the pictures that were shown during the exposure, with scan lines,
//! blur and tone curve; `Warp` looks at that through the `Lens`, with vignetting, glare and room;
//! `Codec` adds noise and the rolling bar, and compresses. Only the last step has to be done for the whole
//! picture each time. Nothing here reads a clock, and equal seeds give equal bytes on every machine.

mod codec;
mod disturbed;
mod flaws;
mod lens;
mod screen;
mod transform;
mod warp;

pub use flaws::Flaws;

use super::effects::Effects;
use super::look::Look;
use super::picture::{CELL_PX, FIELD_PX, Picture};
use crate::twin::exact::Dice;
use codec::{BarGains, BlockRows, CleanPair, Codec};
use disturbed::Disturbed;
use image::RgbImage;
use lens::Lens;
use screen::LitScreen;
use warp::{BLOCK_AREA, BLOCK_PX, BlockRgb, Warp, block_columns};

/// The usual size of a webcam's picture, px.
pub const DEFAULT_SIZE: [u32; 2] = [640, 480];
/// Share of a period, at 30 pictures a second 16 of 33 ms, in which the shutter is open; and its longest time.
const EXPOSURE_SHARE: f64 = 0.48;
const EXPOSURE_MS_MAX: f64 = 16.0;

/// A simulated camera.
pub struct CameraModel {
    size: [u32; 2],
    fps: f64,
    seed: u64,
    flaws: Flaws,
    lens: Lens,
    screen: LitScreen,
    warp: Warp,
    /// What the beat leaves of each pixel.
    beat: Vec<[u16; 3]>,
    stage: Stage,
}

/// What is kept from one exposure to the next.
enum Stage {
    /// A camera without noise or compression: its picture.
    Plain(RgbImage),
    /// The clean blocks that noise is added to.
    Coded(Box<Codec>, Vec<CleanPair>),
}

impl CameraModel {
    /// A camera with the flaws of this seed at hardness `hard` (0: none, to 1), `fps` pictures a second of `size` px.
    ///
    /// Numbers out of range are taken as the nearest sensible ones: `fps` 1–1000 (30 if it is no number), sides
    /// 16–4096 px.
    pub fn new(hard: f64, seed: u64, fps: f64, size: [u32; 2]) -> Self {
        Self::affected(hard, &Effects::default(), seed, fps, size)
    }

    /// As [`Self::new`], before a screen and in a room with these effects (the console's own excepted: those are its
    /// [`Look`]).
    pub fn affected(hard: f64, effects: &Effects, seed: u64, fps: f64, size: [u32; 2]) -> Self {
        let fps = if fps.is_finite() { fps.clamp(1.0, 1000.0) } else { 30.0 };
        let mut flaws = Flaws::draw(hard, seed, fps);
        flaws.disturbed = Disturbed::draw(effects, seed);
        Self::before(&Look::draw_of(effects, seed), flaws, seed, fps, size)
    }

    /// A camera with exactly these flaws; `seed` only chooses its noise.
    pub fn with_flaws(flaws: Flaws, seed: u64, fps: f64, size: [u32; 2]) -> Self {
        Self::before(&Look::default(), flaws, seed, fps, size)
    }

    /// The same before a screen that looks like this.
    pub fn before(look: &Look, flaws: Flaws, seed: u64, fps: f64, size: [u32; 2]) -> Self {
        let size = size.map(|side| side.clamp(16, 4096));
        let lens = Lens::new(&flaws, size);
        let screen = LitScreen::new(&flaws, &look.colours(), lens.scale(), f64::from(size[0]) / 640.0);
        let warp = Warp::new(&flaws, &lens, size);
        let stage = match Codec::new(&flaws, seed) {
            Some(codec) => Stage::Coded(Box::new(codec), vec![CleanPair::new(); warp.block_count() / 2]),
            None => Stage::Plain(RgbImage::new(size[0], size[1])),
        };
        let beat = flaws.disturbed.beat(size);
        Self { size, fps, seed, flaws, lens, screen, warp, beat, stage }
    }

    /// The playfield's true outer corners (top-left, top-right, bottom-right, bottom-left), px; pixel centres are at .5.
    ///
    /// For tests and proofs only: the player has to find them.
    pub fn corners(&self) -> [[f64; 2]; 4] {
        let [left, top] = FIELD_PX.map(|v| v as f64);
        let [right, bottom] = [left + (10 * CELL_PX) as f64, top + (20 * CELL_PX) as f64];
        [[left, top], [right, top], [right, bottom], [left, bottom]].map(|p| self.image_from_console(p))
    }

    /// Where the camera sees a point of the console's 256 × 240 picture, px. For tests and proofs only.
    pub fn image_from_console(&self, point: [f64; 2]) -> [f64; 2] {
        self.lens.image_from_console(point)
    }

    /// How long the shutter is open, ms: 16 at 30 pictures a second, 8 at 60.
    pub fn exposure_ms(&self) -> f64 {
        (EXPOSURE_SHARE * 1000.0 / self.fps).min(EXPOSURE_MS_MAX)
    }

    /// The picture's size, px.
    pub fn size(&self) -> [u32; 2] {
        self.size
    }

    /// The flaws. For tests and reports only.
    pub fn flaws(&self) -> &Flaws {
        &self.flaws
    }

    /// Takes picture number `index` of what was `shown`: each picture with its share of the exposure.
    ///
    /// Shares that do not add up to 1 are taken in proportion; of nothing, the picture is a dark screen. The result
    /// depends on nothing but the arguments and the camera's own.
    pub fn expose(&mut self, shown: &[(f32, &Picture)], index: u64) -> RgbImage {
        let mut picture = RgbImage::new(self.size[0], self.size[1]);
        self.expose_into(shown, index, &mut picture);
        picture
    }

    /// The same into a picture that is there already; one of another size is replaced.
    pub fn expose_into(&mut self, shown: &[(f32, &Picture)], index: u64, into: &mut RgbImage) {
        if into.dimensions() != (self.size[0], self.size[1]) {
            *into = RgbImage::new(self.size[0], self.size[1]);
        }
        // All blocks are touched by the first exposure but those beside the screen, which change only under moving light.
        let is_first = self.screen.is_unlit() || self.flaws.disturbed.moves();
        let t_s = index as f64 / self.fps;
        let changed = self.screen.show(shown);
        let texture = self.screen.texture();
        let mut rgb: BlockRgb = [[0; BLOCK_AREA]; 3];
        let mut rows = [BlockRows::new(), BlockRows::new()];
        let blocks = (0..self.warp.block_count()).filter(|b| is_first || self.warp.is_touched(*b, &changed));
        match &mut self.stage {
            Stage::Plain(kept) => {
                for block in blocks {
                    self.warp.render(block, texture, &mut rgb);
                    self.flaws.disturbed.lay_on(block, &self.beat, self.size, t_s, &mut rgb);
                    rows[0].fill_clean(&rgb);
                    place_block(&rows[0], block, kept);
                }
                into.copy_from_slice(kept);
            }
            Stage::Coded(codec, clean) => {
                for block in blocks {
                    self.warp.render(block, texture, &mut rgb);
                    self.flaws.disturbed.lay_on(block, &self.beat, self.size, t_s, &mut rgb);
                    clean[block / 2].set(block % 2, &rgb);
                }
                let mut dice = Dice::new(self.seed ^ index.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15));
                let pairs_a_row = block_columns(self.size[0]) / 2;
                for (block_row, pairs) in clean.chunks(pairs_a_row).enumerate() {
                    let bar = BarGains::new(line_gains(&self.flaws, block_row, self.size[1], index));
                    for (column, pair) in pairs.iter().enumerate() {
                        codec.develop(pair, &bar, &mut dice, &mut rows);
                        for (which, rows) in rows.iter().enumerate() {
                            place_block(rows, 2 * (block_row * pairs_a_row + column) + which, into);
                        }
                    }
                }
            }
        }
    }
}

/// The rolling bar's gain in the lines of a row of blocks.
fn line_gains(flaws: &Flaws, block_row: usize, height_px: u32, index: u64) -> [f32; BLOCK_PX] {
    let mut gains = [1.0; BLOCK_PX];
    for (i, gain) in gains.iter_mut().enumerate() {
        let line = (block_row * BLOCK_PX + i) as f64 + 0.5;
        *gain = flaws.bar_gain(line / f64::from(height_px), index) as f32;
    }
    gains
}

/// Copies what of a block is inside the picture.
fn place_block(rows: &BlockRows, block: usize, into: &mut RgbImage) {
    let columns = block_columns(into.width());
    let (width, height) = (into.width() as usize, into.height() as usize);
    let [left, top] = [block % columns * BLOCK_PX, block / columns * BLOCK_PX];
    let length = BLOCK_PX.min(width.saturating_sub(left)) * 3;
    let pixels: &mut [u8] = into;
    for (row, line) in rows.0.iter().zip(top..height) {
        let start = (line * width + left) * 3;
        if length == BLOCK_PX * 3 {
            // A length known in advance spares a call.
            pixels[start..start + BLOCK_PX * 3].copy_from_slice(&row[..BLOCK_PX * 3]);
        } else if length > 0 {
            pixels[start..start + length].copy_from_slice(&row[..length]);
        }
    }
}
