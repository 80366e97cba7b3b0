//! Pictures that no camera took, shown to the search as one would have taken them: with a dark border around, so that the
//! picture's own border is an edge as any other, and with cells of about the usual aspect.
//!
//! Capture cards and emulators give a screen that fills the picture, and lines that were never doubled: cells up to three
//! times as wide as high. Such pictures stand straight, which is cheap to see; of others none of this is tried.

use super::Located;
use super::plane::Plane;
use crate::profile::layout::Layout;
use image::imageops::{self, FilterType};
use image::{Rgb, RgbImage};

/// The border that is added, as a share of the picture's longer side, and px.
const BORDER: f64 = 0.06;
const LEAST_BORDER_PX: u32 = 12;
/// Larger pictures are not made larger still.
const MOST_PX: u32 = 1600;
/// Pictures that are still no larger than this when they are doubled are: the search was made for cells of a camera's size.
const DOUBLED_PX: u32 = 800;
/// Smaller pictures show no field that could be read.
const LEAST_PX: u32 = 32;
/// The picture's edges are judged in a copy of at most this size, px.
const JUDGED_PX: usize = 800;
/// Edges that lie along the pixels lose so much of their sharpness when so many columns, or rows, are averaged; through a
/// camera that is turned by half a degree they had lost it before. (Of 300 such pictures of four games the least sharp has
/// 1.9; half of all photos of handhelds have less than 1.5, the sharpest 2.2.)
const AVERAGED_PX: usize = 5;
const LEAST_SHARP: f64 = 1.8;

/// A way to show a picture.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Reframe {
    /// How many times as wide and as high as usual.
    stretch: [u32; 2],
}

impl Reframe {
    /// All ways, the usual one first.
    pub const ALL: [Self; 3] = [Self { stretch: [1, 1] }, Self { stretch: [1, 2] }, Self { stretch: [2, 1] }];

    /// Whether this changes the cells' aspect.
    pub fn is_stretched(self) -> bool {
        self.stretch != [1, 1]
    }

    /// The picture shown so; `None` if it is too large for that.
    pub fn show(self, image: &RgbImage) -> Option<RgbImage> {
        let times = self.times(image.dimensions());
        let [width, height] = [image.width() * times[0], image.height() * times[1]];
        if self.is_stretched() && width.max(height) > MOST_PX {
            return None;
        }
        let border = border_px([width, height]);
        let mut shown = RgbImage::from_pixel(width + 2 * border, height + 2 * border, Rgb([0; 3]));
        let at = i64::from(border);
        if times != [1, 1] {
            imageops::replace(&mut shown, &imageops::resize(image, width, height, FilterType::Triangle), at, at);
        } else {
            imageops::replace(&mut shown, image, at, at);
        }
        Some(shown)
    }

    /// A place found in the picture shown so, as it is in the picture itself.
    pub fn back(self, found: Located, picture: (u32, u32)) -> Located {
        let times = self.times(picture);
        let border = f64::from(border_px([picture.0 * times[0], picture.1 * times[1]]));
        let corners = found.corners.map(|corner| [0, 1].map(|i| (corner[i] - border) / f64::from(times[i])));
        // Nothing bends such pictures, and a stretched lens is none.
        Located { corners: straightened(corners), k1: 0.0, ..found }
    }

    /// How many times as wide and as high a picture of this size is shown.
    fn times(self, (width, height): (u32, u32)) -> [u32; 2] {
        let times = if 2 * width.max(height) <= DOUBLED_PX { 2 } else { 1 };
        self.stretch.map(|by| by * times)
    }
}

/// The rectangle along rows and columns nearest to these corners.
fn straightened(corners: [[f64; 2]; 4]) -> [[f64; 2]; 4] {
    let mut straight = corners;
    for i in 0..4 {
        let (a, b) = (corners[i], corners[(i + 1) % 4]);
        // What two corners have in common: the column of a side that stands, the row of one that lies.
        let axis = usize::from((a[0] - b[0]).abs() > (a[1] - b[1]).abs());
        let middle = (a[axis] + b[axis]) / 2.0;
        straight[i][axis] = middle;
        straight[(i + 1) % 4][axis] = middle;
    }
    straight
}

fn border_px([width, height]: [u32; 2]) -> u32 {
    LEAST_BORDER_PX.max((BORDER * f64::from(width.max(height))) as u32)
}

/// Whether a picture stands as straight as only those do that no camera took: edges keep to one row, or one column, of
/// pixels all along.
pub fn is_straight(image: &RgbImage, layout: &Layout) -> bool {
    if image.width().min(image.height()) < LEAST_PX {
        return false;
    }
    let plane = Plane::new(image, layout.polarity);
    let small = plane.shrunk(JUDGED_PX);
    let gradient = small.as_ref().unwrap_or(&plane).gradient();
    let [mut columns, mut rows] = [vec![0.0; gradient.width], vec![0.0; gradient.height]];
    for (y, row) in gradient.vectors.chunks_exact(gradient.width).enumerate() {
        for (x, vector) in row.iter().enumerate() {
            columns[x] += f64::from(vector[0]);
            rows[y] += f64::from(vector[1]);
        }
    }
    [columns, rows].iter().all(|sums| sharpness(sums) > LEAST_SHARP)
}

/// How much of the sums' variation is lost when each is averaged with those around it: 1 if none is.
fn sharpness(sums: &[f64]) -> f64 {
    let energy = |values: &[f64]| values.iter().map(|v| v * v).sum::<f64>();
    let averaged: Vec<f64> =
        sums.windows(AVERAGED_PX).map(|near| near.iter().sum::<f64>() / AVERAGED_PX as f64).collect();
    energy(sums) / energy(&averaged).max(1.0)
}
