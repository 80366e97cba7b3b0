//! Sensor noise, the rolling bar, and what JPEG compression does to a picture.
//!
//! Only the lossy half of JPEG changes a picture: colour conversion, halved chroma, cosine transform and quantisation.
//! The entropy coding after it is exact, and costs most of the time, so it is left out. A test holds the result
//! against a real encoder and decoder.

use super::exact::Dice;
use super::flaws::Flaws;
use super::warp::{BLOCK_AREA, BLOCK_PX, BlockRgb};

/// Sub-blocks of 8 × 8: four of luma, one of each chroma.
const PARTS: usize = 6;
const PART_AREA: usize = 64;
/// Fixed-point steps per unit of 255 in which the clean picture is kept, so that weak noise does not vanish.
const FINE: f32 = 16.0;
/// Length of the noise table; a block starts at a random place in it. A power of two.
const NOISE_LENGTH: usize = 1 << 16;

/// A block without noise: luma − 128 and chroma in 16ths, part by part.
pub type CleanBlock = [i16; PARTS * PART_AREA];
/// Eight rows of eight values.
type Part = [[f32; 8]; 8];

/// Adds noise and bar to clean blocks and compresses them.
pub struct Codec {
    /// In 16ths.
    noise: Vec<i16>,
    /// Of luma and chroma, transposed: factors from coefficients to quantised steps, and back.
    quantise: [Part; 2],
    restore: [Part; 2],
}

impl Codec {
    /// The codec of a camera with these flaws; none when its pictures are not compressed (and then not noisy either).
    pub fn new(flaws: &Flaws, seed: u64) -> Option<Self> {
        let quality = flaws.jpeg_quality?;
        let mut dice = Dice::new(seed ^ 0x6e6f_6973_6500);
        let mut noise = || (dice.normal() * flaws.noise * f64::from(FINE)).round() as i16;
        let tables = [&LUMA_STEPS, &CHROMA_STEPS].map(|base| factors(base, quality));
        Some(Self {
            noise: (0..NOISE_LENGTH + BLOCK_AREA).map(|_| noise()).collect(),
            quantise: [tables[0].0, tables[1].0],
            restore: [tables[0].1, tables[1].1],
        })
    }

    /// Compresses one block under noise chosen by `dice`; `gains` are the rolling bar's, one a line of the block.
    pub fn develop(&self, clean: &CleanBlock, gains: &[f32], dice: &mut Dice, rows: &mut BlockRows) {
        let bits = dice.bits() as usize;
        let luma_noise = &self.noise[bits % NOISE_LENGTH..][..BLOCK_AREA];
        let chroma_noise = &self.noise[(bits >> 20) % NOISE_LENGTH..][..2 * PART_AREA];
        let mut parts = [[[0.0; 8]; 8]; PARTS];
        for (i, part) in parts.iter_mut().enumerate() {
            let values = &clean[i * PART_AREA..(i + 1) * PART_AREA];
            if i < 4 {
                let gains = &gains[i / 2 * 8..i / 2 * 8 + 8];
                load_luma(values, &luma_noise[i * PART_AREA..(i + 1) * PART_AREA], gains, part);
            } else {
                load_chroma(values, &chroma_noise[(i - 4) * PART_AREA..(i - 3) * PART_AREA], gains, part);
            }
            let table = usize::from(i >= 4);
            compress(part, &self.quantise[table], &self.restore[table]);
        }
        rows.fill(&parts);
    }
}

fn load_luma(values: &[i16], noise: &[i16], gains: &[f32], part: &mut Part) {
    for (y, row) in part.iter_mut().enumerate() {
        let (values, noise) = (&values[y * 8..y * 8 + 8], &noise[y * 8..y * 8 + 8]);
        let (scale, dimmed) = (gains[y] / FINE, 128.0 * (gains[y] - 1.0));
        for ((out, value), noise) in row.iter_mut().zip(values).zip(noise) {
            *out = f32::from(*value) * scale + (f32::from(*noise) * (1.0 / FINE) + dimmed);
        }
    }
}

fn load_chroma(values: &[i16], noise: &[i16], gains: &[f32], part: &mut Part) {
    for (y, row) in part.iter_mut().enumerate() {
        let (values, noise) = (&values[y * 8..y * 8 + 8], &noise[y * 8..y * 8 + 8]);
        let scale = gains[2 * y] / FINE;
        for ((out, value), noise) in row.iter_mut().zip(values).zip(noise) {
            // Four pixels share a chroma value, which halves its noise.
            *out = f32::from(*value) * scale + f32::from(*noise) * (0.5 / FINE);
        }
    }
}

/// Stores a clean block for [`Codec::develop`].
pub fn clean_block(rgb: &BlockRgb, clean: &mut CleanBlock) {
    let [reds, greens, blues] = rgb;
    let (luma, chroma) = clean.split_at_mut(4 * PART_AREA);
    for i in 0..BLOCK_AREA {
        let (x, y) = (i % BLOCK_PX, i / BLOCK_PX);
        // Rec. 601 weights in 4096ths; the sum is in 16ths after the shift.
        let value = (1225 * reds[i] + 2404 * greens[i] + 467 * blues[i] + 128) >> 8;
        luma[(y / 8 * 2 + x / 8) * PART_AREA + y % 8 * 8 + x % 8] = (value - 2048) as i16;
    }
    for i in 0..PART_AREA {
        let first = i / 8 * 2 * BLOCK_PX + i % 8 * 2;
        let [r, g, b] =
            [reds, greens, blues].map(|c| c[first] + c[first + 1] + c[first + BLOCK_PX] + c[first + BLOCK_PX + 1]);
        chroma[i] = ((-691 * r - 1357 * g + 2048 * b + 512) >> 10) as i16;
        chroma[PART_AREA + i] = ((2048 * r - 1715 * g - 333 * b + 512) >> 10) as i16;
    }
}

/// A finished block: sixteen rows of sixteen RGB pixels.
pub struct BlockRows(pub [[u8; BLOCK_PX * 3 + 1]; BLOCK_PX]);

impl BlockRows {
    /// A black block.
    pub fn new() -> Self {
        Self([[0; BLOCK_PX * 3 + 1]; BLOCK_PX])
    }

    /// Converts parts back to RGB.
    fn fill(&mut self, parts: &[Part; PARTS]) {
        for (y, row) in self.0.iter_mut().enumerate() {
            let mut packed = [0u32; BLOCK_PX];
            for half in 0..2 {
                let luma = &parts[y / 8 * 2 + half][y % 8];
                let (cb, cr) = (&parts[4][y / 2], &parts[5][y / 2]);
                for x in 0..8 {
                    let (cb, cr) = (cb[half * 4 + x / 2], cr[half * 4 + x / 2]);
                    let red = to_byte(luma[x] + 1.402 * cr);
                    let green = to_byte(luma[x] - 0.344_136 * cb - 0.714_136 * cr);
                    let blue = to_byte(luma[x] + 1.772 * cb);
                    packed[half * 8 + x] = red | green << 8 | blue << 16;
                }
            }
            write_packed(&packed, row);
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

/// The nearest of 0–255 to `value` + 128.
fn to_byte(value: f32) -> u32 {
    // Adding 2^23 leaves the rounded number in the lowest bits, and compiles to vector code, which a cast does not.
    ((value + 128.0).clamp(0.0, 255.0) + 8_388_608.0).to_bits() & 0xff
}

/// Writes each pixel as four bytes, of which the next pixel covers the last.
fn write_packed(packed: &[u32; BLOCK_PX], row: &mut [u8; BLOCK_PX * 3 + 1]) {
    for (x, pixel) in packed.iter().enumerate() {
        row[3 * x..3 * x + 4].copy_from_slice(&pixel.to_le_bytes());
    }
}

/// Transform, quantise, and back. Both transforms leave the rows and columns exchanged, so the tables are transposed.
fn compress(part: &mut Part, quantise: &Part, restore: &Part) {
    transform_columns(part);
    *part = transposed(part);
    transform_columns(part);
    for ((row, quantise), restore) in part.iter_mut().zip(quantise).zip(restore) {
        for ((value, quantise), restore) in row.iter_mut().zip(quantise).zip(restore) {
            // Adding and subtracting 1.5 · 2^23 rounds to the nearest whole number.
            *value = ((*value * quantise + 12_582_912.0) - 12_582_912.0) * restore;
        }
    }
    restore_columns(part);
    *part = transposed(part);
    restore_columns(part);
}

fn transposed(part: &Part) -> Part {
    let mut out = [[0.0; 8]; 8];
    for (y, row) in part.iter().enumerate() {
        for (x, value) in row.iter().enumerate() {
            out[x][y] = *value;
        }
    }
    out
}

/// The scaled cosine transform of each column (Arai, Agui and Nakajima 1988).
fn transform_columns(part: &mut Part) {
    for x in 0..8 {
        let v = [0, 1, 2, 3, 4, 5, 6, 7].map(|y: usize| part[y][x]);
        let (s0, s1, s2, s3) = (v[0] + v[7], v[1] + v[6], v[2] + v[5], v[3] + v[4]);
        let (d0, d1, d2, d3) = (v[0] - v[7], v[1] - v[6], v[2] - v[5], v[3] - v[4]);

        let (e0, e1, e2, e3) = (s0 + s3, s1 + s2, s1 - s2, s0 - s3);
        let z = (e2 + e3) * 0.707_106_77;
        part[0][x] = e0 + e1;
        part[4][x] = e0 - e1;
        part[2][x] = e3 + z;
        part[6][x] = e3 - z;

        let (o0, o1, o2) = (d3 + d2, d2 + d1, d1 + d0);
        let z5 = (o0 - o2) * 0.382_683_43;
        let z2 = 0.541_196_1 * o0 + z5;
        let z4 = 1.306_563 * o2 + z5;
        let z3 = o1 * 0.707_106_77;
        let (z11, z13) = (d0 + z3, d0 - z3);
        part[5][x] = z13 + z2;
        part[3][x] = z13 - z2;
        part[1][x] = z11 + z4;
        part[7][x] = z11 - z4;
    }
}

/// The inverse of [`transform_columns`], but for a factor of 8.
fn restore_columns(part: &mut Part) {
    for x in 0..8 {
        let v = [0, 1, 2, 3, 4, 5, 6, 7].map(|y: usize| part[y][x]);
        let (a, b) = (v[0] + v[4], v[0] - v[4]);
        let c = v[2] + v[6];
        let d = (v[2] - v[6]) * 1.414_213_5 - c;
        let (e0, e1, e2, e3) = (a + c, b + d, b - d, a - c);

        let (z13, z10, z11, z12) = (v[5] + v[3], v[5] - v[3], v[1] + v[7], v[1] - v[7]);
        let o0 = z11 + z13;
        let z5 = (z10 + z12) * 1.847_759;
        let o1 = (z5 - z10 * 2.613_126) - o0;
        let o2 = (z11 - z13) * 1.414_213_5 - o1;
        let o3 = (z5 - z12 * 1.082_392_2) - o2;
        part[0][x] = e0 + o0;
        part[7][x] = e0 - o0;
        part[1][x] = e1 + o1;
        part[6][x] = e1 - o1;
        part[2][x] = e2 + o2;
        part[5][x] = e2 - o2;
        part[3][x] = e3 + o3;
        part[4][x] = e3 - o3;
    }
}

/// Scale of each coefficient in the transform above: 1, then √2·cos(kπ/16).
const AAN_SCALE: [f64; 8] = [
    1.0,
    1.387_039_845_322_147_5,
    1.306_562_964_876_376_5,
    1.175_875_602_419_358_8,
    1.0,
    0.785_694_958_387_102,
    0.541_196_100_146_197,
    0.275_899_379_282_943_06,
];

/// Factors to quantise with and to restore with, from the standard's table and a quality of 1–100, as libjpeg does.
fn factors(base: &[u8; 64], quality: f64) -> (Part, Part) {
    let percent = if quality < 50.0 { 5000.0 / quality.max(1.0) } else { 200.0 - 2.0 * quality };
    let (mut quantise, mut restore) = ([[0.0; 8]; 8], [[0.0; 8]; 8]);
    for (i, step) in base.iter().enumerate() {
        let (u, v) = (i % 8, i / 8);
        let step = ((f64::from(*step) * percent + 50.0) / 100.0).floor().clamp(1.0, 255.0);
        let scale = AAN_SCALE[u] * AAN_SCALE[v];
        quantise[u][v] = (1.0 / (step * scale * 8.0)) as f32;
        restore[u][v] = (step * scale / 8.0) as f32;
    }
    (quantise, restore)
}

/// Quantisation steps of the JPEG standard (ITU-T T.81, table K.1), row by row.
const LUMA_STEPS: [u8; 64] = [
    16, 11, 10, 16, 24, 40, 51, 61, 12, 12, 14, 19, 26, 58, 60, 55, 14, 13, 16, 24, 40, 57, 69, 56, 14, 17, 22, 29, 51,
    87, 80, 62, 18, 22, 37, 56, 68, 109, 103, 77, 24, 35, 55, 64, 81, 104, 113, 92, 49, 64, 78, 87, 103, 121, 120, 101,
    72, 92, 95, 98, 112, 100, 103, 99,
];

/// The same for chroma (table K.2).
const CHROMA_STEPS: [u8; 64] = [
    17, 18, 24, 47, 99, 99, 99, 99, 18, 21, 26, 66, 99, 99, 99, 99, 24, 26, 56, 99, 99, 99, 99, 99, 47, 66, 99, 99, 99,
    99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99,
    99, 99, 99, 99, 99, 99,
];
