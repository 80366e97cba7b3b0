//! Sensor noise, the rolling bar, and what JPEG compression does to a picture.
//!
//! Only the lossy half of JPEG changes a picture: colour conversion, halved chroma, cosine transform and quantisation.
//! The entropy coding after it is exact, and costs most of the time, so it is left out. A test holds the result
//! against a real encoder and decoder.

use super::flaws::Flaws;
use super::transform::{PART_AREA, Parts, Steps, compress};
use super::warp::{BLOCK_AREA, BLOCK_PX, BlockRgb};
use crate::twin::exact::Dice;
use multiversion::multiversion;

/// Fixed-point steps per unit of 255 in which the clean picture is kept, so that weak noise does not vanish.
const FINE: f32 = 16.0;
/// Length of the noise table; each block starts at a random place in it. A power of two.
const NOISE_LENGTH: usize = 1 << 16;

/// Parts in 16ths: row, place in the row, part.
type CleanParts<const LANES: usize> = [[[i16; LANES]; 8]; 8];
/// Noise of four parts, in 16ths.
type Noise = [[i16; 4]; PART_AREA];

/// Two neighbouring blocks without noise.
#[derive(Clone)]
pub struct CleanPair {
    /// Luma − 128. The parts are upper left, upper right, lower left, lower right of the first block, then of the second.
    luma: CleanParts<8>,
    /// Blue and red chroma of the first block, then of the second.
    chroma: CleanParts<4>,
}

impl CleanPair {
    /// Two grey blocks.
    pub fn new() -> Self {
        Self { luma: [[[0; 8]; 8]; 8], chroma: [[[0; 4]; 8]; 8] }
    }

    /// Stores one of the two blocks.
    pub fn set(&mut self, which: usize, rgb: &BlockRgb) {
        let [reds, greens, blues] = rgb;
        for i in 0..BLOCK_AREA {
            let (x, y) = (i % BLOCK_PX, i / BLOCK_PX);
            // Rec. 601 weights in 4096ths; the sum is in 16ths after the shift.
            let value = (1225 * reds[i] + 2404 * greens[i] + 467 * blues[i] + 128) >> 8;
            self.luma[y % 8][x % 8][4 * which + y / 8 * 2 + x / 8] = (value - 2048) as i16;
        }
        for (i, values) in self.chroma.as_flattened_mut().iter_mut().enumerate() {
            let first = i / 8 * 2 * BLOCK_PX + i % 8 * 2;
            let four = |c: &[i32; BLOCK_AREA]| c[first] + c[first + 1] + c[first + BLOCK_PX] + c[first + BLOCK_PX + 1];
            let (r, g, b) = (four(reds), four(greens), four(blues));
            values[2 * which] = ((-691 * r - 1357 * g + 2048 * b + 512) >> 10) as i16;
            values[2 * which + 1] = ((2048 * r - 1715 * g - 333 * b + 512) >> 10) as i16;
        }
    }
}

/// The rolling bar in one row of blocks: what to multiply with and then to add, for each row of the parts.
pub struct BarGains {
    luma: [[[f32; 8]; 2]; 8],
    chroma: [[[f32; 4]; 2]; 8],
}

impl BarGains {
    /// From the gains of the sixteen picture lines.
    pub fn new(line_gains: [f32; BLOCK_PX]) -> Self {
        let mut gains = Self { luma: [[[0.0; 8]; 2]; 8], chroma: [[[0.0; 4]; 2]; 8] };
        for y in 0..8 {
            let (upper, lower) = (line_gains[y], line_gains[y + 8]);
            let both = [upper, upper, lower, lower, upper, upper, lower, lower];
            // Luma is kept less 128.
            gains.luma[y] = [both.map(|gain| gain * (1.0 / FINE)), both.map(|gain| (gain - 1.0) * 128.0)];
            gains.chroma[y] = [[line_gains[2 * y] / FINE; 4], [0.0; 4]];
        }
        gains
    }
}

/// Adds noise and bar to clean blocks and compresses them.
pub struct Codec {
    /// For luma and, at half the strength because four pixels share a value, for chroma; in 16ths.
    luma_noise: Vec<[i16; 4]>,
    chroma_noise: Vec<[i16; 4]>,
    luma_steps: Steps,
    chroma_steps: Steps,
}

impl Codec {
    /// The codec of a camera with these flaws; none when its pictures are not compressed (and then not noisy either).
    pub fn new(flaws: &Flaws, seed: u64) -> Option<Self> {
        let quality = flaws.jpeg_quality?;
        let mut dice = Dice::new(seed ^ 0x6e6f_6973_6500);
        let mut table = |strength: f64| -> Vec<[i16; 4]> {
            let mut noise = || (dice.normal() * flaws.noise * strength * f64::from(FINE)).round() as i16;
            (0..NOISE_LENGTH / 4 + PART_AREA).map(|_| [noise(), noise(), noise(), noise()]).collect()
        };
        Some(Self {
            luma_noise: table(1.0),
            chroma_noise: table(0.5),
            luma_steps: Steps::luma(quality),
            chroma_steps: Steps::chroma(quality),
        })
    }

    /// Compresses two blocks under noise chosen by `dice`.
    pub fn develop(&self, clean: &CleanPair, bar: &BarGains, dice: &mut Dice, rows: &mut [BlockRows; 2]) {
        let bits = dice.bits() as usize;
        let noise = |table: &[[i16; 4]], shift: usize| {
            let from = (bits >> shift) % (NOISE_LENGTH / 4);
            std::array::from_fn(|i| table[from + i])
        };
        let luma = [noise(&self.luma_noise, 16), noise(&self.luma_noise, 32)];
        let chroma = noise(&self.chroma_noise, 0);
        develop(clean, bar, (&luma, &chroma), (&self.luma_steps, &self.chroma_steps), rows);
    }
}

/// [`Codec::develop`] under this noise, with the widest vectors that the processor has.
#[multiversion(targets("x86_64+avx2"))]
fn develop(
    clean: &CleanPair,
    bar: &BarGains,
    (luma_noise, chroma_noise): (&[Noise; 2], &Noise),
    (luma_steps, chroma_steps): (&Steps, &Steps),
    rows: &mut [BlockRows; 2],
) {
    let mut noisy = clean.luma;
    for (i, values) in noisy.as_flattened_mut().iter_mut().enumerate() {
        for (lane, value) in values.iter_mut().enumerate() {
            *value = value.wrapping_add(luma_noise[lane / 4][i][lane % 4]);
        }
    }
    let luma = compress(under_bar(&noisy, &bar.luma), luma_steps);
    let mut noisy = clean.chroma;
    for (values, noise) in noisy.as_flattened_mut().iter_mut().zip(chroma_noise) {
        for (value, noise) in values.iter_mut().zip(noise) {
            *value = value.wrapping_add(*noise);
        }
    }
    let chroma = compress(under_bar(&noisy, &bar.chroma), chroma_steps);
    fill(rows, &to_rgb(&luma, &chroma));
}

/// The parts as the bar leaves them.
#[inline(always)]
fn under_bar<const LANES: usize>(noisy: &CleanParts<LANES>, bar: &[[[f32; LANES]; 2]; 8]) -> Parts<LANES> {
    let mut parts = [[[0.0; LANES]; 8]; 8];
    for ((parts, noisy), [gain, offset]) in parts.iter_mut().zip(noisy).zip(bar) {
        for (parts, noisy) in parts.iter_mut().zip(noisy) {
            for lane in 0..LANES {
                parts[lane] = f32::from(noisy[lane]) * gain[lane] + offset[lane];
            }
        }
    }
    parts
}

/// Pixels of two blocks, red in the lowest byte, laid out as the turned parts they come from.
#[inline(always)]
fn to_rgb(luma: &Parts<8>, chroma: &Parts<4>) -> [[[u32; 8]; 8]; 8] {
    let mut pixels = [[[0; 8]; 8]; 8];
    for x in 0..8 {
        for y in 0..8 {
            // Four pixels share a chroma; each part looks at another quarter of the chroma's part.
            let chroma_of = |lane: usize| &chroma[x / 2 + lane % 2 * 4][y / 2 + lane / 2 % 2 * 4];
            let blue: [f32; 8] = std::array::from_fn(|lane| chroma_of(lane)[lane / 4 * 2]);
            let red: [f32; 8] = std::array::from_fn(|lane| chroma_of(lane)[lane / 4 * 2 + 1]);
            for lane in 0..8 {
                let (cb, cr, value) = (blue[lane], red[lane], luma[x][y][lane]);
                // 128 here makes up for the 128 that luma lacks.
                let [red, green, blue] =
                    [128.0 + 1.402 * cr, 128.0 - 0.344_136 * cb - 0.714_136 * cr, 128.0 + 1.772 * cb]
                        .map(|tint| to_byte(value + tint));
                pixels[x][y][lane] = red | green << 8 | blue << 16;
            }
        }
    }
    pixels
}

/// Puts the pixels of two blocks in rows. Each is written as four bytes, of which the next pixel covers the last.
#[inline(always)]
fn fill(blocks: &mut [BlockRows; 2], pixels: &[[[u32; 8]; 8]; 8]) {
    for (which, block) in blocks.iter_mut().enumerate() {
        for (y, row) in block.0.iter_mut().enumerate() {
            for x in 0..BLOCK_PX {
                let pixel = pixels[x % 8][y % 8][4 * which + y / 8 * 2 + x / 8];
                row[3 * x..3 * x + 4].copy_from_slice(&pixel.to_le_bytes());
            }
        }
    }
}

/// A finished block: sixteen rows of sixteen RGB pixels, and a byte that means nothing.
pub struct BlockRows(pub [[u8; BLOCK_PX * 3 + 1]; BLOCK_PX]);

impl BlockRows {
    /// A black block.
    pub fn new() -> Self {
        Self([[0; BLOCK_PX * 3 + 1]; BLOCK_PX])
    }

    /// Takes a clean block as it is.
    pub fn fill_clean(&mut self, [reds, greens, blues]: &BlockRgb) {
        for (y, row) in self.0.iter_mut().enumerate() {
            for x in 0..BLOCK_PX {
                let i = y * BLOCK_PX + x;
                row[3 * x..3 * x + 3].copy_from_slice(&[reds[i] as u8, greens[i] as u8, blues[i] as u8]);
            }
        }
    }
}

/// The nearest of 0–255.
#[inline(always)]
fn to_byte(value: f32) -> u32 {
    // Adding 2^23 leaves the rounded number in the lowest bits, and compiles to vector code, which a cast does not.
    (value.clamp(0.0, 255.0) + 8_388_608.0).to_bits() & 0xff
}
