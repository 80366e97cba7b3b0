//! Sensor noise, the rolling bar, and what JPEG compression does to a picture.
//!
//! Only the lossy half of JPEG changes a picture: colour conversion, halved chroma, cosine transform and quantisation.
//! The entropy coding after it is exact, and costs most of the time, so it is left out. A test holds the result
//! against a real encoder and decoder.

use super::flaws::Flaws;
use super::transform::{Lanes, PART_AREA, Parts, Steps, compress};
use super::warp::{BLOCK_AREA, BLOCK_PX, BlockRgb};
use crate::twin::exact::Dice;

/// Fixed-point steps per unit of 255 in which the clean picture is kept, so that weak noise does not vanish.
const FINE: f32 = 16.0;
/// Length of the noise table; each block starts at a random place in it. A power of two.
const NOISE_LENGTH: usize = 1 << 16;

/// Four parts in 16ths, row by row, one value of each part after the other.
type CleanParts = [[i16; 4]; PART_AREA];

/// Two neighbouring blocks without noise.
#[derive(Clone)]
pub struct CleanPair {
    /// Luma − 128 of each block; its parts are upper left, upper right, lower left, lower right.
    luma: [CleanParts; 2],
    /// Blue and red chroma of the first block, then of the second.
    chroma: CleanParts,
}

impl CleanPair {
    /// Two grey blocks.
    pub fn new() -> Self {
        Self { luma: [[[0; 4]; PART_AREA]; 2], chroma: [[0; 4]; PART_AREA] }
    }

    /// Stores one of the two blocks.
    pub fn set(&mut self, which: usize, rgb: &BlockRgb) {
        let [reds, greens, blues] = rgb;
        for i in 0..BLOCK_AREA {
            let (x, y) = (i % BLOCK_PX, i / BLOCK_PX);
            // Rec. 601 weights in 4096ths; the sum is in 16ths after the shift.
            let value = (1225 * reds[i] + 2404 * greens[i] + 467 * blues[i] + 128) >> 8;
            self.luma[which][y % 8 * 8 + x % 8][y / 8 * 2 + x / 8] = (value - 2048) as i16;
        }
        for (i, values) in self.chroma.iter_mut().enumerate() {
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
    luma: [(Lanes, Lanes); 8],
    chroma: [(Lanes, Lanes); 8],
}

impl BarGains {
    /// From the gains of the sixteen picture lines.
    pub fn new(line_gains: [f32; BLOCK_PX]) -> Self {
        let mut gains = Self { luma: [Default::default(); 8], chroma: [Default::default(); 8] };
        for y in 0..8 {
            let (upper, lower) = (line_gains[y], line_gains[y + 8]);
            let both = Lanes([upper, upper, lower, lower]);
            // Luma is kept less 128.
            gains.luma[y] = (both * (1.0 / FINE), (both - Lanes([1.0; 4])) * 128.0);
            gains.chroma[y] = (Lanes([line_gains[2 * y] / FINE; 4]), Lanes([0.0; 4]));
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
        let noise_from = |shift: usize| (bits >> shift) % (NOISE_LENGTH / 4);
        let mut chroma = [Lanes([0.0; 4]); PART_AREA];
        load(&clean.chroma, &self.chroma_noise[noise_from(0)..], &bar.chroma, &mut chroma);
        compress(&mut chroma, &self.chroma_steps);
        for (which, (clean, rows)) in clean.luma.iter().zip(rows).enumerate() {
            let mut luma = [Lanes([0.0; 4]); PART_AREA];
            load(clean, &self.luma_noise[noise_from(16 + 16 * which)..], &bar.luma, &mut luma);
            compress(&mut luma, &self.luma_steps);
            rows.fill(&luma, &chroma, which);
        }
    }
}

/// Adds noise to clean parts, then the bar.
fn load(clean: &CleanParts, noise: &[[i16; 4]], bar: &[(Lanes, Lanes); 8], parts: &mut Parts) {
    let rows = parts.chunks_exact_mut(8).zip(clean.chunks_exact(8)).zip(noise.chunks_exact(8)).zip(bar);
    for (((parts, clean), noise), (gain, offset)) in rows {
        for ((out, value), noise) in parts.iter_mut().zip(clean).zip(noise) {
            let sum = |lane: usize| f32::from(value[lane].wrapping_add(noise[lane]));
            *out = Lanes([sum(0), sum(1), sum(2), sum(3)]) * *gain + *offset;
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

    /// Converts a block back to RGB; `which` of the pair's chroma belongs to it.
    fn fill(&mut self, luma: &Parts, chroma: &Parts, which: usize) {
        let mut values = [[0.0f32; BLOCK_PX]; BLOCK_PX];
        for (i, Lanes(v)) in luma.iter().enumerate() {
            let (x, y) = (i % 8, i / 8);
            values[y][x] = v[0];
            values[y][x + 8] = v[1];
            values[y + 8][x] = v[2];
            values[y + 8][x + 8] = v[3];
        }
        let pairs = self.0.chunks_exact_mut(2).zip(values.chunks_exact(2)).zip(chroma.chunks_exact(8));
        for ((rows, values), chroma) in pairs {
            let mut tint = [[0.0f32; BLOCK_PX]; 3];
            for (x, Lanes(v)) in chroma.iter().enumerate() {
                let (cb, cr) = (v[2 * which], v[2 * which + 1]);
                // 128 here spares an addition for each pixel.
                let rgb = [128.0 + 1.402 * cr, 128.0 - 0.344_136 * cb - 0.714_136 * cr, 128.0 + 1.772 * cb];
                for (tint, value) in tint.iter_mut().zip(rgb) {
                    tint[2 * x] = value;
                    tint[2 * x + 1] = value;
                }
            }
            for (row, values) in rows.iter_mut().zip(values) {
                let mut packed = [0u32; BLOCK_PX];
                for (x, pixel) in packed.iter_mut().enumerate() {
                    let [red, green, blue] = [
                        to_byte(values[x] + tint[0][x]),
                        to_byte(values[x] + tint[1][x]),
                        to_byte(values[x] + tint[2][x]),
                    ];
                    *pixel = red | green << 8 | blue << 16;
                }
                write_packed(&packed, row);
            }
        }
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

/// Writes each pixel as four bytes, of which the next pixel covers the last.
#[inline(always)]
fn write_packed(packed: &[u32; BLOCK_PX], row: &mut [u8; BLOCK_PX * 3 + 1]) {
    for (x, pixel) in packed.iter().enumerate() {
        row[3 * x..3 * x + 4].copy_from_slice(&pixel.to_le_bytes());
    }
}
