//! The lit screen: console pictures mixed by their share of the exposure, scan lines, blur, and the camera's tone curve.
//!
//! Blur belongs to the camera, but is done here, on the screen's own grid, where most tiles do not change from one
//! exposure to the next and need not be done again.

use super::flaws::Flaws;
use crate::twin::exact::{exp, pow};
use crate::twin::picture::{HEIGHT_PX, Picture, WIDTH_PX};

/// Texels per console pixel, across and down: with one, smooth interpolation would blur the picture by itself.
const TEXELS: usize = 2;
/// Dark, transparent texels around the screen.
pub const PAD: usize = 2;
/// First line that a television shows, and how many it shows.
const FIRST_LINE: usize = 8;
const LINES: usize = 224;
/// Texture size, texels.
pub const TEXTURE_WIDTH: usize = WIDTH_PX * TEXELS + 2 * PAD;
/// See [`TEXTURE_WIDTH`].
pub const TEXTURE_HEIGHT: usize = LINES * TEXELS + 2 * PAD;
/// The screen is kept up to date in tiles of 8 × 8 console pixels.
pub const TILE_PX: usize = 8;
const TILE_COLUMNS: usize = WIDTH_PX / TILE_PX;
/// Tile rows of the visible lines.
pub const TILE_ROWS: usize = LINES / TILE_PX;
/// Unlit border of the light planes, console pixels: the blur's reach.
const MARGIN: usize = 4;
const STRIDE: usize = WIDTH_PX + 2 * MARGIN;
/// The blur is cut off here, texels; with two texels a pixel this stays within `MARGIN`.
const REACH_MAX: i32 = 7;
/// Entries of the tone curve; it is looked up by the square root of the light, to be fine in the dark.
const TONES: usize = 4096;
/// Exponent from a picture's value to light, and back.
const DISPLAY_GAMMA: f64 = 2.2;

/// Which tiles changed: a bit a column, for each tile row.
pub type TileMask = [u32; TILE_ROWS];

/// Weights of neighbouring console pixels for the first and for the second texel of a pixel.
type Taps = [Vec<(isize, f32)>; TEXELS];

/// The screen as the camera's sensor sees it, before perspective.
pub struct LitScreen {
    light_of_colour: Vec<[f32; 3]>,
    across: Taps,
    down: Taps,
    tone: Vec<[u8; 3]>,
    /// Light of each channel with an unlit margin around it.
    light: [Vec<f32>; 3],
    /// Red, green, blue and coverage in one number, row by row.
    texture: Vec<u32>,
    /// What each tile shows, and which tiles show a mixture instead.
    shown: Vec<u8>,
    mixed: TileMask,
    is_first: bool,
    /// One channel of one tile row, blurred across, for each texel of a pixel.
    rows: [Vec<f32>; TEXELS],
}

impl LitScreen {
    /// A dark screen that shows these colours for a picture's numbers; `scale` is camera pixels per console pixel, `size_scale` the picture's width over 640.
    pub fn new(flaws: &Flaws, colours: &[[u8; 3]; 256], scale: [f64; 2], size_scale: f64) -> Self {
        let light = |value: u8| pow(f64::from(value) / 255.0, DISPLAY_GAMMA) as f32;
        let sigma = scale.map(|s| flaws.blur_px * size_scale * TEXELS as f64 / s);
        let gap = pow(flaws.gap_line, DISPLAY_GAMMA);
        let plane = vec![0.0; STRIDE * (LINES + 2 * MARGIN)];
        Self {
            light_of_colour: colours.iter().map(|rgb| rgb.map(light)).collect(),
            across: taps(sigma[0], [1.0, 1.0]),
            down: taps(sigma[1], [1.0, gap]),
            tone: tone_curve(flaws),
            light: [plane.clone(), plane.clone(), plane],
            texture: vec![0; TEXTURE_WIDTH * TEXTURE_HEIGHT],
            shown: vec![0; WIDTH_PX * HEIGHT_PX],
            mixed: [0; TILE_ROWS],
            is_first: true,
            rows: [(); TEXELS].map(|()| vec![0.0; WIDTH_PX * (TILE_PX + 2 * MARGIN)]),
        }
    }

    /// Whether nothing was shown yet.
    pub fn is_unlit(&self) -> bool {
        self.is_first
    }

    /// The texels, red in the lowest byte, coverage (255 on the screen, 0 beside it) in the highest.
    pub fn texture(&self) -> &[u32] {
        &self.texture
    }

    /// Shows these pictures, each for its share of the exposure; returns the tiles whose texels changed.
    ///
    /// Shares that do not add up to 1 are taken in proportion; those that are not positive are left out.
    pub fn show(&mut self, pictures: &[(f32, &Picture)]) -> TileMask {
        let is_usable = |share: f32| share.is_finite() && share > 0.0;
        let total: f32 = pictures.iter().map(|(share, _)| *share).filter(|s| is_usable(*s)).sum();
        let dark = (total <= 0.0 || !total.is_finite()).then(Picture::new);
        let mut parts: Vec<(f32, &[u8])> = match &dark {
            Some(dark) => vec![(1.0, dark.pixels())],
            None => pictures.iter().filter(|(s, _)| is_usable(*s)).map(|(s, p)| (s / total, p.pixels())).collect(),
        };
        parts.dedup_by(|later, earlier| {
            let is_same = std::ptr::eq(later.1, earlier.1);
            earlier.0 += if is_same { later.0 } else { 0.0 };
            is_same
        });
        let changed = self.find_changes(&parts);
        for (row, mask) in changed.iter().enumerate() {
            for span in spans(*mask) {
                self.mix(&parts, row, span);
            }
        }
        let touched = if self.across[0].len() + self.down[0].len() > 2 { grown(&changed) } else { changed };
        for (row, mask) in touched.iter().enumerate() {
            for span in spans(*mask) {
                self.develop(row, span);
            }
        }
        touched
    }

    /// The tiles that no longer show what they showed; remembers what they show now.
    fn find_changes(&mut self, parts: &[(f32, &[u8])]) -> TileMask {
        let mut changed = [0; TILE_ROWS];
        let Some((&(_, last), others)) = parts.split_last() else { return changed };
        for (row, changed) in changed.iter_mut().enumerate() {
            let lines = (FIRST_LINE + row * TILE_PX) * WIDTH_PX..(FIRST_LINE + (row + 1) * TILE_PX) * WIDTH_PX;
            let now = &last[lines.clone()];
            let differing = differing_tiles(now, &self.shown[lines.clone()]);
            let mixed = others.iter().fold(0, |mask, (_, other)| mask | differing_tiles(now, &other[lines.clone()]));
            *changed = differing | mixed | self.mixed[row];
            self.mixed[row] = mixed;
            self.shown[lines].copy_from_slice(now);
            if self.is_first {
                *changed = u32::MAX;
            }
        }
        self.is_first = false;
        changed
    }

    /// Mixes the light of a run of tiles.
    fn mix(&mut self, parts: &[(f32, &[u8])], row: usize, (first, end): (usize, usize)) {
        for line in row * TILE_PX..(row + 1) * TILE_PX {
            let from = (FIRST_LINE + line) * WIDTH_PX;
            let to = (MARGIN + line) * STRIDE + MARGIN;
            for x in first * TILE_PX..end * TILE_PX {
                let mut sum = [0.0f32; 3];
                for (share, pixels) in parts {
                    let light = self.light_of_colour[usize::from(pixels[from + x])];
                    sum = [sum[0] + share * light[0], sum[1] + share * light[1], sum[2] + share * light[2]];
                }
                for (plane, value) in self.light.iter_mut().zip(sum) {
                    plane[to + x] = value;
                }
            }
        }
    }

    /// Blurs a run of tiles and turns its light into texels.
    fn develop(&mut self, row: usize, (first, end): (usize, usize)) {
        let width = (end - first) * TILE_PX;
        let left = first * TILE_PX;
        let mut line_light = [0.0f32; WIDTH_PX];
        for channel in 0..3 {
            self.blur_across(channel, row, left, width);
            for line in 0..TILE_PX {
                for (sub_y, taps) in self.down.iter().enumerate() {
                    let y = PAD + (row * TILE_PX + line) * TEXELS + sub_y;
                    let start = y * TEXTURE_WIDTH + PAD + left * TEXELS;
                    let texels = &mut self.texture[start..start + width * TEXELS];
                    for (sub_x, rows) in self.rows.iter().enumerate() {
                        let light = &mut line_light[..width];
                        light.fill(0.0);
                        for (offset, weight) in taps {
                            let from = (line + MARGIN).saturating_add_signed(*offset) * WIDTH_PX;
                            add_scaled(light, &rows[from..from + width], *weight);
                        }
                        store_channel(light, &self.tone, channel, sub_x, texels);
                    }
                }
            }
        }
    }

    /// Fills `rows` with one channel's lines of a tile row and the lines that its blur reaches.
    fn blur_across(&mut self, channel: usize, row: usize, left: usize, width: usize) {
        let plane = &self.light[channel];
        for (taps, rows) in self.across.iter().zip(&mut self.rows) {
            for line in 0..TILE_PX + 2 * MARGIN {
                let start = (row * TILE_PX + line) * STRIDE + MARGIN + left;
                let out = &mut rows[line * WIDTH_PX..line * WIDTH_PX + width];
                out.fill(0.0);
                for (offset, weight) in taps {
                    let from = start.saturating_add_signed(*offset);
                    add_scaled(out, &plane[from..from + width], *weight);
                }
            }
        }
    }
}

fn add_scaled(sum: &mut [f32], values: &[f32], weight: f32) {
    for (s, v) in sum.iter_mut().zip(values) {
        *s += v * weight;
    }
}

/// Puts one channel of every second texel, and its coverage, in place.
fn store_channel(light: &[f32], tone: &[[u8; 3]], channel: usize, sub_x: usize, texels: &mut [u32]) {
    let shift = 8 * channel as u32;
    let keep = !(0xff << shift);
    let mut index = [0u32; WIDTH_PX];
    for (i, light) in index.iter_mut().zip(light) {
        // Adding 2^23 leaves the rounded number in the lowest bits.
        *i = ((light.clamp(0.0, 1.0).sqrt() * (TONES - 1) as f32) + 8_388_608.0).to_bits();
    }
    for (pair, i) in texels.chunks_exact_mut(TEXELS).zip(index) {
        let value = u32::from(tone[i as usize % TONES][channel]);
        pair[sub_x] = (pair[sub_x] & keep) | value << shift | 0xff00_0000;
    }
}

/// A bit for every tile column in which eight lines of two pictures differ.
fn differing_tiles(a: &[u8], b: &[u8]) -> u32 {
    let mut mask = 0;
    for (a, b) in a.chunks_exact(WIDTH_PX).zip(b.chunks_exact(WIDTH_PX)) {
        if a != b {
            let tiles = a.chunks_exact(TILE_PX).zip(b.chunks_exact(TILE_PX));
            mask = tiles.enumerate().fold(mask, |mask, (i, (a, b))| mask | u32::from(a != b) << i);
        }
    }
    mask
}

/// The runs of set bits, as first and end column.
fn spans(mask: u32) -> impl Iterator<Item = (usize, usize)> {
    let mut rest = u64::from(mask);
    std::iter::from_fn(move || {
        let first = rest.trailing_zeros() as usize;
        if first >= TILE_COLUMNS {
            return None;
        }
        let end = first + (rest >> first).trailing_ones() as usize;
        rest &= u64::MAX << end;
        Some((first, end))
    })
}

/// The tiles and all their neighbours.
fn grown(mask: &TileMask) -> TileMask {
    let mut grown = [0; TILE_ROWS];
    for (row, out) in grown.iter_mut().enumerate() {
        let around = row.saturating_sub(1)..(row + 2).min(TILE_ROWS);
        let columns = mask[around].iter().fold(0, |a, b| a | b);
        *out = columns | columns << 1 | columns >> 1;
    }
    grown
}

/// Folds a Gaussian over texels, each lit by its pixel times `factor` of its place in the pixel, into weights of pixels.
fn taps(sigma_texels: f64, factor: [f64; TEXELS]) -> Taps {
    let reach = ((sigma_texels * 2.8).ceil() as i32).clamp(0, REACH_MAX);
    let weight = |k: i32| if k == 0 { 1.0 } else { exp(-f64::from(k * k) / (2.0 * sigma_texels * sigma_texels)) };
    let total: f64 = (-reach..=reach).map(weight).sum();
    [0, 1].map(|texel| {
        let mut folded: Vec<(isize, f64)> = Vec::new();
        for k in -reach..=reach {
            let (offset, sub) = ((texel + k).div_euclid(2) as isize, (texel + k).rem_euclid(2) as usize);
            let value = weight(k) / total * factor[sub];
            match folded.last_mut() {
                Some(last) if last.0 == offset => last.1 += value,
                _ => folded.push((offset, value)),
            }
        }
        folded.into_iter().map(|(offset, value)| (offset, value as f32)).collect()
    })
}

/// The camera's values by the square root of the light: gamma, brightness and channel gains.
fn tone_curve(flaws: &Flaws) -> Vec<[u8; 3]> {
    let exponent = 2.0 / DISPLAY_GAMMA * flaws.gamma;
    let value = |i: usize| 255.0 * pow(i as f64 / (TONES - 1) as f64, exponent);
    (0..TONES).map(|i| flaws.gain.map(|gain| (value(i) * gain).round().clamp(0.0, 255.0) as u8)).collect()
}
