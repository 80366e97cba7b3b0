//! JPEG's cosine transform and quantisation, of several 8 × 8 parts at a time.
//!
//! Parts side by side in a vector need no exchange of rows and columns, and loops over neighbouring values become vector
//! instructions of whatever width the caller is built for: plain loops, for closures and iterators are not always made one
//! with their caller where the compiler is in a hurry, as for tests. Nothing here is fused or reordered, so the result has
//! the same bits everywhere.

use std::f32::consts::SQRT_2;

/// Values of a part.
pub const PART_AREA: usize = 64;

/// Parts side by side, `ROW` / 8 of them: in each row the values of the first place, a part after the other, then those of the
/// next. What is turned has rows and places exchanged.
pub type Parts<const ROW: usize> = [[f32; ROW]; 8];

/// Factors from the transform's coefficients to quantised steps and back.
pub struct Steps {
    quantise: [f32; PART_AREA],
    restore: [f32; PART_AREA],
}

impl Steps {
    /// From one of the standard's tables and a quality of 1–100, as libjpeg scales it.
    fn new(base: &[u8; PART_AREA], quality: f64) -> Self {
        let percent = if quality < 50.0 { 5000.0 / quality.max(1.0) } else { 200.0 - 2.0 * quality };
        let mut steps = Self { quantise: [0.0; PART_AREA], restore: [0.0; PART_AREA] };
        for (i, step) in base.iter().enumerate() {
            let step = ((f64::from(*step) * percent + 50.0) / 100.0).floor().clamp(1.0, 255.0);
            let scale = AAN_SCALE[i % 8] * AAN_SCALE[i / 8];
            steps.quantise[i] = (1.0 / (step * scale * 8.0)) as f32;
            steps.restore[i] = (step * scale / 8.0) as f32;
        }
        steps
    }

    /// The steps of luma.
    pub fn luma(quality: f64) -> Self {
        Self::new(&LUMA_STEPS, quality)
    }

    /// The steps of chroma.
    pub fn chroma(quality: f64) -> Self {
        Self::new(&CHROMA_STEPS, quality)
    }
}

/// Transforms, quantises, and transforms back; the result is turned.
#[inline(always)]
pub fn compress<const ROW: usize>(mut parts: Parts<ROW>, steps: &Steps) -> Parts<ROW> {
    of_columns(&mut parts, transform);
    let mut turned = turn(&parts);
    of_columns(&mut turned, transform);
    // Adding and subtracting 1.5 · 2^23 rounds to the nearest whole number.
    const ROUNDER: f32 = 12_582_912.0;
    let turned = turn(&turned);
    let lanes = ROW / 8;
    for i in 0..PART_AREA {
        let (step, size) = (steps.quantise[i], steps.restore[i]);
        for at in i % 8 * lanes..(i % 8 + 1) * lanes {
            parts[i / 8][at] = ((turned[i / 8][at] * step + ROUNDER) - ROUNDER) * size;
        }
    }
    of_columns(&mut parts, restore);
    let mut turned = turn(&parts);
    of_columns(&mut turned, restore);
    turned
}

/// Rows and places exchanged.
#[inline(always)]
fn turn<const ROW: usize>(parts: &Parts<ROW>) -> Parts<ROW> {
    let mut turned = [[0.0; ROW]; 8];
    let lanes = ROW / 8;
    for y in 0..8 {
        for x in 0..8 {
            for lane in 0..lanes {
                turned[x][y * lanes + lane] = parts[y][x * lanes + lane];
            }
        }
    }
    turned
}

/// Applies `change` to the eight values of each column of each part: one long loop over the rows.
#[inline(always)]
fn of_columns<const ROW: usize>(parts: &mut Parts<ROW>, change: impl Fn([f32; 8]) -> [f32; 8]) {
    let [r0, r1, r2, r3, r4, r5, r6, r7] = parts;
    for i in 0..ROW {
        let column = [r0[i], r1[i], r2[i], r3[i], r4[i], r5[i], r6[i], r7[i]];
        [r0[i], r1[i], r2[i], r3[i], r4[i], r5[i], r6[i], r7[i]] = change(column);
    }
}

/// The scaled cosine transform of eight values (Arai, Agui and Nakajima 1988).
#[inline(always)]
fn transform([v0, v1, v2, v3, v4, v5, v6, v7]: [f32; 8]) -> [f32; 8] {
    let (s0, s1, s2, s3) = (v0 + v7, v1 + v6, v2 + v5, v3 + v4);
    let (d0, d1, d2, d3) = (v0 - v7, v1 - v6, v2 - v5, v3 - v4);

    let (e0, e1, e2, e3) = (s0 + s3, s1 + s2, s1 - s2, s0 - s3);
    let z = (e2 + e3) * 0.707_106_77;

    let (o0, o1, o2) = (d3 + d2, d2 + d1, d1 + d0);
    let z5 = (o0 - o2) * 0.382_683_43;
    let z2 = o0 * 0.541_196_1 + z5;
    let z4 = o2 * 1.306_563 + z5;
    let z3 = o1 * 0.707_106_77;
    let (z11, z13) = (d0 + z3, d0 - z3);
    [e0 + e1, z11 + z4, e3 + z, z13 - z2, e0 - e1, z13 + z2, e3 - z, z11 - z4]
}

/// The inverse of [`transform`], but for a factor of 8.
#[inline(always)]
fn restore([v0, v1, v2, v3, v4, v5, v6, v7]: [f32; 8]) -> [f32; 8] {
    let (a, b, c) = (v0 + v4, v0 - v4, v2 + v6);
    let d = (v2 - v6) * SQRT_2 - c;
    let (e0, e1, e2, e3) = (a + c, b + d, b - d, a - c);

    let (z13, z10, z11, z12) = (v5 + v3, v5 - v3, v1 + v7, v1 - v7);
    let o0 = z11 + z13;
    let z5 = (z10 + z12) * 1.847_759;
    let o1 = (z5 - z10 * 2.613_126) - o0;
    let o2 = (z11 - z13) * SQRT_2 - o1;
    let o3 = (z5 - z12 * 1.082_392_2) - o2;
    [e0 + o0, e1 + o1, e2 + o2, e3 + o3, e3 - o3, e2 - o2, e1 - o1, e0 - o0]
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_of_one_give_the_values_back() {
        let mut parts: Parts<32> = [[0.0; 32]; 8];
        for i in 0..PART_AREA {
            for lane in 0..4 {
                parts[i / 8][i % 8 * 4 + lane] = ((i * (31 + lane) + i * i * 7) % 251) as f32 - 125.0;
            }
        }
        let turned = compress(parts, &Steps::luma(100.0));
        for i in 0..PART_AREA {
            for lane in 0..4 {
                let (before, after) = (parts[i / 8][i % 8 * 4 + lane], turned[i % 8][i / 8 * 4 + lane]);
                // Half a step of rounding in each of 64 coefficients: far below 2 in the mean, rarely above.
                assert!((before - after).abs() < 2.0, "{i}: {before} {after}");
            }
        }
    }
}
