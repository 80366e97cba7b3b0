//! One number a pixel, and how it changes from pixel to pixel.

use crate::profile::layout::Polarity;
use image::RgbImage;

/// The least side of a plane that has a gradient inside its border, px.
const LEAST_PX: usize = 3;

/// Fixed-point places between pixels: this many bits of fraction.
const FIXED_BITS: u32 = 24;
const FIXED_ONE: f64 = (1 << FIXED_BITS) as f64;
/// Of these, so many weigh one pixel against the next.
const SHARE_BITS: u32 = 10;
const SHARE_ONE: i32 = 1 << SHARE_BITS;

/// A picture of one channel, 0–255.
#[derive(Debug, Clone)]
pub struct Plane {
    /// Width, px.
    pub width: usize,
    /// Height, px.
    pub height: usize,
    data: Vec<u8>,
}

impl Plane {
    /// The brightest channel where blocks are bright (blue and dark red lines vanish in luma), the mean where they are
    /// dark; the darkest where that game's light and dark are reversed.
    pub fn new(image: &RgbImage, polarity: Polarity) -> Self {
        let pixels = image.as_raw().chunks_exact(3);
        let data = match polarity {
            Polarity::LightOnDark => pixels.map(|p| p[0].max(p[1]).max(p[2])).collect(),
            Polarity::ColourOnLight => pixels.map(|p| p[0].min(p[1]).min(p[2])).collect(),
            Polarity::DarkOnLight => {
                pixels.map(|p| ((u32::from(p[0]) + u32::from(p[1]) + u32::from(p[2])) / 3) as u8).collect()
            }
        };
        Self { width: image.width() as usize, height: image.height() as usize, data }
    }

    /// Half the size; an odd last row or column is dropped.
    pub fn halved(&self) -> Self {
        let (width, height) = (self.width / 2, self.height / 2);
        let mut data = Vec::with_capacity(width * height);
        for y in 0..height {
            let [above, below] = [2 * y, 2 * y + 1].map(|row| &self.data[row * self.width..(row + 1) * self.width]);
            data.extend(
                above.chunks_exact(2).zip(below.chunks_exact(2)).map(|(a, b)| {
                    ((u16::from(a[0]) + u16::from(a[1]) + u16::from(b[0]) + u16::from(b[1]) + 2) / 4) as u8
                }),
            );
        }
        Self { width, height, data }
    }

    /// A part of it, twice as large; `corner` is the part's top left pixel. What lies outside repeats the border.
    pub fn enlarged(&self, corner: [usize; 2], size: [usize; 2]) -> Self {
        let [width, height] = size.map(|side| 2 * side);
        // A pixel's centre lies a quarter of a pixel from the centres of the two that are made from it.
        let between = |i: usize, corner: usize, side: usize| {
            let near = (corner + i / 2).min(side - 1);
            let far = if i.is_multiple_of(2) { near.saturating_sub(1) } else { (near + 1).min(side - 1) };
            [near, far]
        };
        let mut data = Vec::with_capacity(width * height);
        for y in 0..height {
            let rows =
                between(y, corner[1], self.height).map(|row| &self.data[row * self.width..(row + 1) * self.width]);
            data.extend((0..width).map(|x| {
                let [near, far] = between(x, corner[0], self.width);
                let [this, other] = rows.map(|row| 3 * u16::from(row[near]) + u16::from(row[far]));
                ((3 * this + other + 8) / 16) as u8
            }));
        }
        Self { width, height, data }
    }

    /// Halved until no side is longer than this, px, or the shorter one would have no gradient; `None` if it is as small
    /// already.
    pub fn shrunk(&self, most: usize) -> Option<Self> {
        let mut small: Option<Self> = None;
        loop {
            let last = small.as_ref().unwrap_or(self);
            if last.width.max(last.height) <= most || last.width.min(last.height) < 2 * LEAST_PX {
                return small;
            }
            small = Some(last.halved());
        }
    }

    /// The median length of the gradient, from one pixel in some dozens: noise and texture, as half of any picture is
    /// flat.
    pub fn usual_gradient(&self) -> f64 {
        let inside = |size: usize| (1..size.saturating_sub(1)).step_by(7);
        let vectors = inside(self.height).flat_map(|y| inside(self.width).map(move |x| (x, y)));
        let at = |x: usize, y: usize| i16::from(self.data[y * self.width + x]);
        let sobel = |(x, y): (usize, usize)| {
            let [l, r, a, b] = [x - 1, x + 1, y - 1, y + 1];
            let [falling, rising] = [at(r, b) - at(l, a), at(r, a) - at(l, b)];
            [falling + rising + 2 * (at(r, y) - at(l, y)), falling - rising + 2 * (at(x, b) - at(x, a))]
        };
        let vectors: Vec<[i16; 2]> = vectors.map(sobel).collect();
        Lengths::of(vectors.iter()).quantile(0.5)
    }

    /// Values between pixels, a pixel apart along a unit vector, the middle one at `center`; `None` if the line leaves
    /// the picture. The centre of the top-left pixel is (0.5, 0.5).
    pub fn profile(&self, center: [f64; 2], direction: [f64; 2], values: &mut [f32]) -> Option<()> {
        let half = (values.len() / 2) as f64;
        let inside = |by: f64| {
            let (x, y) = (center[0] + by * direction[0], center[1] + by * direction[1]);
            x >= 0.5 && y >= 0.5 && x + 0.6 < self.width as f64 && y + 0.6 < self.height as f64
        };
        if !(inside(-half) && inside(half)) {
            return None;
        }
        // Fixed-point numbers: their whole part and their fraction cost no rounding call.
        let fixed = |v: f64| (v * FIXED_ONE) as i64;
        let [mut x, mut y] = [0, 1].map(|i| fixed((center[i] - half * direction[i] - 0.5).max(0.0)));
        let [step_x, step_y] = direction.map(fixed);
        for value in values {
            let [column, row] = [x, y].map(|p| (p >> FIXED_BITS).max(0) as usize);
            let start = row * self.width + column;
            let (above, below) = (self.data.get(start..start + 2)?, self.data.get(start + self.width..)?.get(..2)?);
            let [u, v] = [x, y].map(|p| (p >> (FIXED_BITS - SHARE_BITS)) as i32 & (SHARE_ONE - 1));
            let across = |pair: &[u8]| {
                let [left, right] = [pair[0], pair[1]].map(i32::from);
                left * SHARE_ONE + (right - left) * u
            };
            let (above, below) = (across(above), across(below));
            *value = (above * SHARE_ONE + (below - above) * v) as f32 * (1.0 / (SHARE_ONE * SHARE_ONE) as f32);
            x += step_x;
            y += step_y;
        }
        Some(())
    }

    /// The gradient at every pixel (Sobel, eight times the slope a pixel); 0 on the border.
    pub fn gradient(&self) -> Gradient {
        let (width, height) = (self.width, self.height);
        let mut vectors = vec![[0i16; 2]; width * height];
        for y in 1..height.saturating_sub(1) {
            let [above, row, below] = [y - 1, y, y + 1].map(|r| &self.data[r * width..(r + 1) * width]);
            let out = &mut vectors[y * width + 1..(y + 1) * width - 1];
            let windows = above.windows(3).zip(row.windows(3)).zip(below.windows(3));
            for (vector, ((a, r), b)) in out.iter_mut().zip(windows) {
                let [a0, a1, a2] = [a[0], a[1], a[2]].map(i16::from);
                let [b0, b1, b2] = [b[0], b[1], b[2]].map(i16::from);
                let side = 2 * (i16::from(r[2]) - i16::from(r[0]));
                *vector = [a2 - a0 + side + b2 - b0, b0 - a0 + 2 * (b1 - a1) + b2 - a2];
            }
        }
        Gradient { width, height, vectors }
    }
}

/// A gradient a pixel.
#[derive(Debug, Clone)]
pub struct Gradient {
    /// Width, px.
    pub width: usize,
    /// Height, px.
    pub height: usize,
    /// (x, y) components, row by row.
    pub vectors: Vec<[i16; 2]>,
}

impl Gradient {
    /// The gradient of the pixel at this point; `None` outside.
    #[inline]
    pub fn at(&self, [x, y]: [f32; 2]) -> Option<[f32; 2]> {
        let inside = x >= 0.0 && y >= 0.0 && x < self.width as f32 && y < self.height as f32;
        inside.then(|| self.vectors[y as usize * self.width + x as usize].map(f32::from))
    }

    /// The pixels (column, row) inside the border whose gradient is at least this long and, along the axis that it lies nearer
    /// to, no shorter than those of its two neighbours: an edge, as wide as blur makes it, is one pixel wide there.
    pub fn ridge(&self, least: f64) -> impl Iterator<Item = [usize; 2]> {
        let least_square = (least * least).ceil() as i32;
        let square = |i: usize| {
            let [x, y] = self.vectors[i].map(i32::from);
            x * x + y * y
        };
        let is_ridge = move |i: usize| {
            let own = square(i);
            if own < least_square {
                return false;
            }
            let [x, y] = self.vectors[i].map(i32::from);
            let beside = if x.abs() > y.abs() { 1 } else { self.width };
            own >= square(i - beside) && own > square(i + beside)
        };
        let (width, height) = (self.width, self.height);
        let inside = |size: usize| 1..size.saturating_sub(1);
        inside(height).flat_map(move |row| {
            inside(width).filter(move |column| is_ridge(row * width + column)).map(move |column| [column, row])
        })
    }

    /// How long they are, from some of them.
    pub fn lengths(&self) -> Lengths {
        Lengths::of(self.vectors.iter().step_by(LENGTH_OF))
    }
}

/// One pixel in so many is looked at: no divisor of a usual picture's width.
const LENGTH_OF: usize = 7;
/// Lengths are told apart in steps of this.
const LENGTH_STEP: f32 = 4.0;

/// How many gradients are how long.
#[derive(Debug, Clone)]
pub struct Lengths {
    /// By the length in steps: none is longer than 4 · 255 · √2.
    histogram: [usize; 400],
    count: usize,
}

impl Lengths {
    fn of<'a>(vectors: impl Iterator<Item = &'a [i16; 2]>) -> Self {
        let mut lengths = Self { histogram: [0; 400], count: 0 };
        for [x, y] in vectors.map(|vector| vector.map(i32::from)) {
            lengths.histogram[(((x * x + y * y) as f32).sqrt() / LENGTH_STEP) as usize % 400] += 1;
            lengths.count += 1;
        }
        lengths
    }

    /// The least gradient of an edge: half of any picture is flat, so the median gradient is its noise and texture; an
    /// eighth of the strongest is its edges' fair share where there is no noise at all.
    pub fn least_of_edges(&self) -> f64 {
        (2.5 * self.quantile(0.5)).max(0.125 * self.quantile(0.99)).max(12.0)
    }

    /// The length that this share (0–1) of all gradients stays below.
    pub fn quantile(&self, share: f64) -> f64 {
        let wanted = (share * self.count as f64) as usize;
        let mut sum = 0;
        let found = self.histogram.iter().position(|n| {
            sum += n;
            sum > wanted
        });
        f64::from(LENGTH_STEP) * (found.unwrap_or(0) as f64 + 0.5)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slender_picture_keeps_a_gradient() {
        let plane = Plane::new(&RgbImage::new(33, 14_000), Polarity::LightOnDark);
        let small = plane.shrunk(800).unwrap();
        assert!(small.width >= LEAST_PX, "{}", small.width);
        assert_eq!(small.gradient().vectors.len(), small.width * small.height);
        assert!(plane.shrunk(14_000).is_none());
    }
}
