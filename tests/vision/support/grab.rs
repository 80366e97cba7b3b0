//! Pictures that no camera took: a game's screen as capture cards, emulators and screen recorders give it, cut close and
//! stretched.
#![allow(dead_code, clippy::unwrap_used)]

use super::steep::{self, Flat};
use image::RgbImage;
use image::imageops::{FilterType, crop_imm, resize};
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use stackhand::profile::layout::Layout;

/// A picture, and where the field's corners are in it, px.
pub struct Grab {
    pub image: RgbImage,
    pub corners: [[f64; 2]; 4],
}

impl Grab {
    /// The whole of a game's screen.
    pub fn new(layout: &Layout, seed: u64) -> Option<Self> {
        let Flat { image, field: [left, top, right, bottom], .. } = steep::flat(layout, seed)?;
        Some(Self { image, corners: [[left, top], [right, top], [right, bottom], [left, bottom]] })
    }

    /// Cut to what the layout describes, and this many cells around it; nothing is added.
    pub fn cut(&self, layout: &Layout, around: f64) -> Self {
        let field = [0.0, 0.0, layout.field.columns as f64, layout.field.rows as f64];
        let rects = layout.locate.frames.iter().map(|f| f.rect).chain([field]);
        let bounds = rects.fold(field, |b, r| [b[0].min(r[0]), b[1].min(r[1]), b[2].max(r[2]), b[3].max(r[3])]);
        let [left, top, right, bottom] =
            [bounds[0] - around, bounds[1] - around, bounds[2] + around, bounds[3] + around];
        let pitch = [0, 1].map(|i| (self.corners[2][i] - self.corners[0][i]) / field[i + 2]);
        let at = |u: f64, axis: usize| {
            let most = f64::from([self.image.width(), self.image.height()][axis]);
            (self.corners[0][axis] + u * pitch[axis]).round().clamp(0.0, most)
        };
        self.part([at(left, 0), at(top, 1), at(right, 0), at(bottom, 1)])
    }

    /// The part between these sides, px: left, top, right, bottom.
    pub fn part(&self, [left, top, right, bottom]: [f64; 4]) -> Self {
        let image = crop_imm(&self.image, left as u32, top as u32, (right - left) as u32, (bottom - top) as u32);
        Self { image: image.to_image(), corners: self.corners.map(|[x, y]| [x - left, y - top]) }
    }

    /// Stretched to this size, px, smoothly or in whole pixels.
    pub fn sized(&self, size: [u32; 2], is_smooth: bool) -> Self {
        let filter = if is_smooth { FilterType::Triangle } else { FilterType::Nearest };
        let scale = [size[0] as f64 / f64::from(self.image.width()), size[1] as f64 / f64::from(self.image.height())];
        let corners = self.corners.map(|c| [c[0] * scale[0], c[1] * scale[1]]);
        Self { image: resize(&self.image, size[0], size[1], filter), corners }
    }

    /// With noise of up to so many steps.
    pub fn noisy(mut self, seed: u64, steps: f64) -> Self {
        let mut dice = Xoshiro256PlusPlus::seed_from_u64(seed);
        self.image.iter_mut().for_each(|v| {
            *v = (f64::from(*v) + steps * dice.random_range(-1.0..1.0)).round().clamp(0.0, 255.0) as u8;
        });
        self
    }
}
