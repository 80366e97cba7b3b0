//! From the lit screen to the camera's clean picture: each pixel's place on the screen, and what lens and room add.
//!
//! The picture is made in blocks of 16 × 16 pixels, the unit of the compression that follows, so that only blocks that
//! look at a changed tile are made again.

use super::flaws::Flaws;
use super::lens::Lens;
use super::screen::{PAD, TEXTURE_HEIGHT, TEXTURE_WIDTH, TILE_PX, TILE_ROWS, TileMask};
use crate::twin::exact::bump;

/// Side of a block, px.
pub const BLOCK_PX: usize = 16;
/// Pixels of a block.
pub const BLOCK_AREA: usize = BLOCK_PX * BLOCK_PX;

/// One block's red, green and blue, each row by row, 0–255.
pub type BlockRgb = [[i32; BLOCK_AREA]; 3];

/// How one pixel is made.
#[derive(Debug, Clone, Copy)]
struct Pixel {
    /// The upper left of the four texels around it.
    texel: u32,
    /// Share of the right and of the lower ones, in 256ths.
    right: u8,
    lower: u8,
    /// Gain by vignetting, in 256ths less one.
    gain: u8,
    /// Black level and glare, of 255.
    offset: u8,
    /// What is seen where the screen is not.
    room: [u8; 3],
}

/// Blocks in a row of a picture of this width: an even number, because they are compressed in pairs.
pub fn block_columns(width_px: u32) -> usize {
    (width_px as usize).div_ceil(2 * BLOCK_PX) * 2
}

/// The tiles that a block looks at.
#[derive(Debug, Clone, Copy, Default)]
struct Reach {
    columns: u32,
    first_row: usize,
    end_row: usize,
}

/// The map from the screen's texels to the picture.
pub struct Warp {
    /// Block by block, row by row within a block.
    pixels: Vec<Pixel>,
    reaches: Vec<Reach>,
}

impl Warp {
    /// The map for a picture of `size` px.
    pub fn new(flaws: &Flaws, lens: &Lens, size: [u32; 2]) -> Self {
        let (columns, rows) = (block_columns(size[0]), (size[1] as usize).div_ceil(BLOCK_PX));
        let mut pixels = Vec::with_capacity(columns * rows * BLOCK_AREA);
        let mut reaches = Vec::with_capacity(columns * rows);
        for block in 0..columns * rows {
            let corner = [block % columns * BLOCK_PX, block / columns * BLOCK_PX];
            let mut reach = Reach { columns: 0, first_row: TILE_ROWS, end_row: 0 };
            for i in 0..BLOCK_AREA {
                let point = [(corner[0] + i % BLOCK_PX) as f64 + 0.5, (corner[1] + i / BLOCK_PX) as f64 + 0.5];
                let texel = texel_at(lens.console_from_image(point));
                if let Some((x, y, _)) = texel {
                    reach.include(x, y);
                }
                pixels.push(pixel(flaws, size, point, texel));
            }
            reaches.push(reach);
        }
        Self { pixels, reaches }
    }

    /// Whether a block looks at a changed tile.
    pub fn is_touched(&self, block: usize, changed: &TileMask) -> bool {
        let Reach { columns, first_row, end_row } = self.reaches[block];
        changed.get(first_row..end_row).is_some_and(|rows| rows.iter().any(|row| row & columns != 0))
    }

    /// Number of blocks.
    pub fn block_count(&self) -> usize {
        self.reaches.len()
    }

    /// Makes one block.
    pub fn render(&self, block: usize, texture: &[u32], into: &mut BlockRgb) {
        let [reds, greens, blues] = into;
        let pixels = &self.pixels[block * BLOCK_AREA..(block + 1) * BLOCK_AREA];
        let outs = reds.iter_mut().zip(greens.iter_mut()).zip(blues.iter_mut());
        for (pixel, ((red, green), blue)) in pixels.iter().zip(outs) {
            let texel = pixel.texel as usize;
            let upper = &texture[texel..texel + 2];
            let lower = &texture[texel + TEXTURE_WIDTH..texel + TEXTURE_WIDTH + 2];
            let mixed = lerp(lerp(upper[0], upper[1], pixel.right), lerp(lower[0], lower[1], pixel.right), pixel.lower);
            let uncovered = 255 - (mixed >> 24);
            let value = |channel: usize| {
                let lit = (mixed >> (8 * channel)) & 0xff;
                let seen = lit + ((u32::from(pixel.room[channel]) * uncovered + 128) >> 8);
                let value = ((seen * (u32::from(pixel.gain) + 1) + 128) >> 8) + u32::from(pixel.offset);
                value.min(255) as i32
            };
            (*red, *green, *blue) = (value(0), value(1), value(2));
        }
    }
}

impl Reach {
    /// Adds the tiles of the four texels right and below of this one.
    fn include(&mut self, x: usize, y: usize) {
        let tile = |texel: usize, count: usize| (texel.saturating_sub(PAD) / (2 * TILE_PX)).min(count - 1);
        self.columns |= 1 << tile(x, 32) | 1 << tile(x + 1, 32);
        self.first_row = self.first_row.min(tile(y, TILE_ROWS));
        self.end_row = self.end_row.max(tile(y + 1, TILE_ROWS) + 1);
    }
}

/// The upper left of the four texels around a point of the console's picture, and the shares of the right and the
/// lower ones in 256ths; none beside the screen.
fn texel_at([x, y]: [f64; 2]) -> Option<(usize, usize, [u8; 2])> {
    let place = [x * 2.0 + PAD as f64 - 0.5, (y - 8.0) * 2.0 + PAD as f64 - 0.5];
    let is_on = place[0] >= 0.0
        && place[1] >= 0.0
        && place[0] < (TEXTURE_WIDTH - 1) as f64
        && place[1] < (TEXTURE_HEIGHT - 1) as f64;
    is_on.then(|| {
        let whole = place.map(f64::floor);
        let share = [0, 1].map(|i| ((place[i] - whole[i]) * 256.0) as u8);
        (whole[0] as usize, whole[1] as usize, share)
    })
}

fn pixel(flaws: &Flaws, size: [u32; 2], point: [f64; 2], texel: Option<(usize, usize, [u8; 2])>) -> Pixel {
    let [width, height] = size.map(f64::from);
    let [x, y] = [point[0] / width, point[1] / height];
    let from_center = [point[0] - width / 2.0, point[1] - height / 2.0];
    let radius_square =
        (from_center[0] * from_center[0] + from_center[1] * from_center[1]) * 4.0 / (width * width + height * height);
    let gain = 1.0 - flaws.vignetting * radius_square;

    let [glare_x, glare_y, glare_radius] = flaws.glare_at;
    let glare_from = [(x - glare_x) / glare_radius, (y - glare_y) * height / width / glare_radius];
    let glare_distance = (glare_from[0] * glare_from[0] + glare_from[1] * glare_from[1]).sqrt();
    let offset = flaws.black_level + flaws.glare * bump(glare_distance);

    // A lamp somewhere above: the wall behind the screen fades downwards and to the right.
    let shade = 1.15 - 0.4 * y - 0.25 * x;
    let room = [0, 1, 2].map(|i| (flaws.room[i] * shade * flaws.gain[i]).round() as u8);
    // Texel 0 is one of the transparent ones around the screen.
    let (texel, [right, lower]) = texel.map_or((0, [0, 0]), |(x, y, share)| (y * TEXTURE_WIDTH + x, share));
    Pixel {
        texel: texel as u32,
        right,
        lower,
        gain: (gain * 256.0 - 1.0).round().clamp(0.0, 255.0) as u8,
        offset: offset.round() as u8,
        room,
    }
}

/// Four bytes at once, `share` 256ths of the way from `a` to `b`.
fn lerp(a: u32, b: u32, share: u8) -> u32 {
    const EVEN: u32 = 0x00ff_00ff;
    const HALF: u32 = 0x0080_0080;
    let (to_b, to_a) = (u32::from(share), 256 - u32::from(share));
    let even = ((a & EVEN) * to_a + (b & EVEN) * to_b + HALF) >> 8;
    let odd = ((a >> 8) & EVEN) * to_a + ((b >> 8) & EVEN) * to_b + HALF;
    (even & EVEN) | (odd & !EVEN)
}
