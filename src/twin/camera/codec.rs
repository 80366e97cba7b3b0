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

/// Eight parts of luma and four of chroma side by side: values of a row.
const LUMA_ROW: usize = 8 * 8;
const CHROMA_ROW: usize = 8 * 4;
/// [`Parts`] in 16ths.
type CleanParts<const ROW: usize> = [[i16; ROW]; 8];
/// Noise of four parts, in 16ths.
type Noise = [[i16; 4]; PART_AREA];

/// Two neighbouring blocks without noise.
#[derive(Clone)]
pub struct CleanPair {
    /// Luma − 128. The parts are upper left, upper right, lower left, lower right of the first block, then of the second.
    luma: CleanParts<LUMA_ROW>,
    /// Blue and red chroma of the first block, then of the second.
    chroma: CleanParts<CHROMA_ROW>,
}

impl CleanPair {
    /// Two grey blocks.
    pub fn new() -> Self {
        Self { luma: [[0; LUMA_ROW]; 8], chroma: [[0; CHROMA_ROW]; 8] }
    }

    /// Stores one of the two blocks.
    pub fn set(&mut self, which: usize, rgb: &BlockRgb) {
        let [reds, greens, blues] = rgb;
        for i in 0..BLOCK_AREA {
            let (x, y) = (i % BLOCK_PX, i / BLOCK_PX);
            // Rec. 601 weights in 4096ths; the sum is in 16ths after the shift.
            let value = (1225 * reds[i] + 2404 * greens[i] + 467 * blues[i] + 128) >> 8;
            self.luma[y % 8][x % 8 * 8 + 4 * which + y / 8 * 2 + x / 8] = (value - 2048) as i16;
        }
        for i in 0..PART_AREA {
            let first = i / 8 * 2 * BLOCK_PX + i % 8 * 2;
            let four = |c: &[i32; BLOCK_AREA]| c[first] + c[first + 1] + c[first + BLOCK_PX] + c[first + BLOCK_PX + 1];
            let (r, g, b) = (four(reds), four(greens), four(blues));
            let (row, at) = (&mut self.chroma[i / 8], i % 8 * 4 + 2 * which);
            row[at] = ((-691 * r - 1357 * g + 2048 * b + 512) >> 10) as i16;
            row[at + 1] = ((2048 * r - 1715 * g - 333 * b + 512) >> 10) as i16;
        }
    }
}

/// The rolling bar in one row of blocks: what to multiply with and then to add, for each row of the parts.
pub struct BarGains {
    luma: [[[f32; LUMA_ROW]; 2]; 8],
    chroma: [[[f32; CHROMA_ROW]; 2]; 8],
}

impl BarGains {
    /// From the gains of the sixteen picture lines.
    pub fn new(line_gains: [f32; BLOCK_PX]) -> Self {
        let mut gains = Self { luma: [[[0.0; LUMA_ROW]; 2]; 8], chroma: [[[0.0; CHROMA_ROW]; 2]; 8] };
        for y in 0..8 {
            for i in 0..LUMA_ROW {
                let gain = line_gains[y + i % 4 / 2 * 8];
                // Luma is kept less 128.
                (gains.luma[y][0][i], gains.luma[y][1][i]) = (gain * (1.0 / FINE), (gain - 1.0) * 128.0);
            }
            gains.chroma[y] = [[line_gains[2 * y] / FINE; CHROMA_ROW], [0.0; CHROMA_ROW]];
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
    for i in 0..PART_AREA {
        let values = &mut noisy[i / 8][i % 8 * 8..i % 8 * 8 + 8];
        for lane in 0..4 {
            values[lane] = values[lane].wrapping_add(luma_noise[0][i][lane]);
            values[lane + 4] = values[lane + 4].wrapping_add(luma_noise[1][i][lane]);
        }
    }
    let luma = compress(under_bar(&noisy, &bar.luma), luma_steps);
    let mut noisy = clean.chroma;
    for i in 0..PART_AREA {
        let values = &mut noisy[i / 8][i % 8 * 4..i % 8 * 4 + 4];
        for lane in 0..4 {
            values[lane] = values[lane].wrapping_add(chroma_noise[i][lane]);
        }
    }
    let chroma = compress(under_bar(&noisy, &bar.chroma), chroma_steps);
    fill(rows, &to_rgb(&luma, &chroma));
}

/// The parts as the bar leaves them.
#[inline(always)]
fn under_bar<const ROW: usize>(noisy: &CleanParts<ROW>, bar: &[[[f32; ROW]; 2]; 8]) -> Parts<ROW> {
    let mut parts = [[0.0; ROW]; 8];
    for y in 0..8 {
        let [gain, offset] = &bar[y];
        for i in 0..ROW {
            parts[y][i] = f32::from(noisy[y][i]) * gain[i] + offset[i];
        }
    }
    parts
}

/// Pixels of two blocks, red in the lowest byte, laid out as the turned parts they come from.
#[inline(always)]
fn to_rgb(luma: &Parts<LUMA_ROW>, chroma: &Parts<CHROMA_ROW>) -> [[u32; LUMA_ROW]; 8] {
    let mut pixels = [[0; LUMA_ROW]; 8];
    for x in 0..8 {
        for y in 0..8 {
            // Four pixels share a chroma; each part looks at another quarter of the chroma's part.
            let (mut blues, mut reds) = ([0.0; 8], [0.0; 8]);
            for lane in 0..8 {
                let at = (y / 2 + lane / 2 % 2 * 4) * 4 + lane / 4 * 2;
                let row = &chroma[x / 2 + lane % 2 * 4];
                (blues[lane], reds[lane]) = (row[at], row[at + 1]);
            }
            for lane in 0..8 {
                let (cb, cr, value) = (blues[lane], reds[lane], luma[x][y * 8 + lane]);
                // 128 here makes up for the 128 that luma lacks.
                let red = to_byte(value + (128.0 + 1.402 * cr));
                let green = to_byte(value + (128.0 - 0.344_136 * cb - 0.714_136 * cr));
                let blue = to_byte(value + (128.0 + 1.772 * cb));
                pixels[x][y * 8 + lane] = red | green << 8 | blue << 16;
            }
        }
    }
    pixels
}

/// Puts the pixels of two blocks in rows. Each is written as four bytes, of which the next pixel covers the last.
#[inline(always)]
fn fill(blocks: &mut [BlockRows; 2], pixels: &[[u32; LUMA_ROW]; 8]) {
    for (which, block) in blocks.iter_mut().enumerate() {
        for (y, row) in block.0.iter_mut().enumerate() {
            for x in 0..BLOCK_PX {
                let pixel = pixels[x % 8][y % 8 * 8 + 4 * which + y / 8 * 2 + x / 8];
                if let Some(bytes) = row[3 * x..].first_chunk_mut() {
                    *bytes = pixel.to_le_bytes();
                }
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
