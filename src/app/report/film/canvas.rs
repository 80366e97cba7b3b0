//! What is drawn on: areas, lines with soft edges, masks.

use super::colours::{Colour, mixed};
use image::{Rgb, RgbImage};

/// A rectangle, px.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Area {
    /// Left edge.
    pub x: i32,
    /// Top edge.
    pub y: i32,
    /// Width.
    pub width: i32,
    /// Height.
    pub height: i32,
}

impl Area {
    /// From its upper left corner and its size.
    pub const fn new(x: i32, y: i32, width: i32, height: i32) -> Self {
        Self { x, y, width, height }
    }

    /// The first column to the right of it.
    pub const fn right(self) -> i32 {
        self.x + self.width
    }

    /// The first row below it.
    pub const fn bottom(self) -> i32 {
        self.y + self.height
    }

    /// Smaller by so much on every side.
    #[must_use]
    pub const fn inset(self, by: i32) -> Self {
        Self::new(self.x + by, self.y + by, self.width - 2 * by, self.height - 2 * by)
    }

    /// What both have; nothing of no size at all.
    #[must_use]
    pub fn within(self, other: Self) -> Self {
        let (x, y) = (self.x.max(other.x), self.y.max(other.y));
        let (right, bottom) = (self.right().min(other.right()), self.bottom().min(other.bottom()));
        if right > x && bottom > y { Self::new(x, y, right - x, bottom - y) } else { Self::new(0, 0, 0, 0) }
    }

    /// An area of this size in its middle.
    #[must_use]
    pub const fn middle(self, width: i32, height: i32) -> Self {
        Self::new(self.x + (self.width - width) / 2, self.y + (self.height - height) / 2, width, height)
    }
}

/// How far a small picture covers the pixels under it, 0–255, row by row.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mask {
    /// Its upper left corner, from where it is put, px.
    pub offset: [i32; 2],
    /// Its width, px.
    pub width: i32,
    /// Coverage, row by row from the top.
    pub coverage: Vec<u8>,
}

/// A picture that is drawn.
#[derive(Clone)]
pub struct Canvas {
    /// What was drawn so far.
    pub image: RgbImage,
}

impl Canvas {
    /// Of this size, all in one colour.
    pub fn new([width, height]: [u32; 2], ground: Colour) -> Self {
        Self { image: RgbImage::from_pixel(width, height, Rgb(ground)) }
    }

    /// All of it.
    pub fn area(&self) -> Area {
        Area::new(0, 0, self.image.width() as i32, self.image.height() as i32)
    }

    /// Fills an area.
    pub fn fill(&mut self, area: Area, colour: Colour) {
        let area = area.within(self.area());
        for y in area.y..area.bottom() {
            self.row_mut(area.x, y, area.width).chunks_exact_mut(3).for_each(|pixel| pixel.copy_from_slice(&colour));
        }
    }

    /// Fills an area, so opaque (0–1).
    pub fn veil(&mut self, area: Area, colour: Colour, opacity: f32) {
        let area = area.within(self.area());
        for y in area.y..area.bottom() {
            for x in area.x..area.right() {
                self.blend(x, y, colour, opacity);
            }
        }
    }

    /// Fills an area with round corners of this radius, px, so opaque (0–1).
    pub fn round(&mut self, area: Area, radius: i32, colour: Colour, opacity: f32) {
        let middle = Area { y: area.y + radius, height: area.height - 2 * radius, ..area };
        if opacity < 1.0 {
            self.veil(middle, colour, opacity)
        } else {
            self.fill(middle, colour)
        }
        for ends in [Area { height: radius, ..area }, Area { y: middle.bottom(), height: radius, ..area }] {
            self.round_ends(ends, area, radius as f32, (colour, opacity));
        }
    }

    /// The part `ends` of a round area.
    fn round_ends(&mut self, ends: Area, area: Area, radius: f32, (colour, opacity): (Colour, f32)) {
        let seen = ends.within(self.area());
        let [half_x, half_y] = [area.width as f32 / 2.0, area.height as f32 / 2.0];
        let [middle_x, middle_y] = [area.x as f32 + half_x, area.y as f32 + half_y];
        for y in seen.y..seen.bottom() {
            for x in seen.x..seen.right() {
                let out_x = ((x as f32 + 0.5 - middle_x).abs() - (half_x - radius)).max(0.0);
                let out_y = ((y as f32 + 0.5 - middle_y).abs() - (half_y - radius)).max(0.0);
                let covered = (radius + 0.5 - out_x.hypot(out_y)).clamp(0.0, 1.0);
                self.blend(x, y, colour, covered * opacity);
            }
        }
    }

    /// The edge of an area, inside of it, so wide, px.
    pub fn frame(&mut self, area: Area, width: i32, colour: Colour) {
        self.fill(Area { height: width, ..area }, colour);
        self.fill(Area { y: area.bottom() - width, height: width, ..area }, colour);
        self.fill(Area { width, ..area }, colour);
        self.fill(Area { x: area.right() - width, width, ..area }, colour);
    }

    /// A line through these points, so wide, px, and so opaque (0–1); nothing of it outside of `within`.
    pub fn stroke(&mut self, points: &[[f32; 2]], width: f32, (colour, opacity): (Colour, f32), within: Area) {
        let within = within.within(self.area());
        for pair in points.windows(2) {
            let (a, b) = (pair[0], pair[1]);
            let reach = width / 2.0 + 1.0;
            let [left, top] = [0, 1].map(|i| (a[i].min(b[i]) - reach).floor() as i32);
            let [right, bottom] = [0, 1].map(|i| (a[i].max(b[i]) + reach).ceil() as i32);
            let near = Area::new(left, top, right - left, bottom - top).within(within);
            for y in near.y..near.bottom() {
                for x in near.x..near.right() {
                    let covered = covered([x as f32 + 0.5, y as f32 + 0.5], a, b, width);
                    self.blend(x, y, colour, covered * opacity);
                }
            }
        }
    }

    /// A mask in a colour, its zero at this place.
    pub fn stamp(&mut self, mask: &Mask, [x, y]: [i32; 2], colour: Colour) {
        for (row, line) in mask.coverage.chunks(mask.width.max(1) as usize).enumerate() {
            for (column, coverage) in line.iter().enumerate().filter(|(_, coverage)| **coverage > 0) {
                let [left, top] = [x + mask.offset[0], y + mask.offset[1]];
                self.blend(left + column as i32, top + row as i32, colour, f32::from(*coverage) / 255.0);
            }
        }
    }

    /// Puts a picture down, its upper left corner here; what would be outside is left out.
    pub fn put(&mut self, picture: &RgbImage, [x, y]: [i32; 2]) {
        let place = Area::new(x, y, picture.width() as i32, picture.height() as i32);
        let seen = place.within(self.area());
        let width = picture.width() as usize * 3;
        for row in seen.y..seen.bottom() {
            let from = (row - y) as usize * width + (seen.x - x) as usize * 3;
            let pixels = &picture.as_raw()[from..from + seen.width as usize * 3];
            self.row_mut(seen.x, row, seen.width).copy_from_slice(pixels);
        }
    }

    /// The bytes of so many pixels of a row, all of which are in the picture.
    fn row_mut(&mut self, x: i32, y: i32, width: i32) -> &mut [u8] {
        let begin = (y as usize * self.image.width() as usize + x as usize) * 3;
        let bytes: &mut [u8] = &mut self.image;
        &mut bytes[begin..begin + width as usize * 3]
    }

    fn blend(&mut self, x: i32, y: i32, colour: Colour, opacity: f32) {
        if opacity <= 0.0 || x < 0 || y < 0 {
            return;
        }
        if let Some(pixel) = self.image.get_pixel_mut_checked(x as u32, y as u32) {
            pixel.0 = if opacity >= 1.0 { colour } else { mixed(pixel.0, colour, opacity) };
        }
    }
}

/// How much of a pixel around `point` a line from `a` to `b` covers, about, 0–1.
pub fn covered(point: [f32; 2], a: [f32; 2], b: [f32; 2], width: f32) -> f32 {
    let [along, off] = [[b[0] - a[0], b[1] - a[1]], [point[0] - a[0], point[1] - a[1]]];
    let length_2 = along[0] * along[0] + along[1] * along[1];
    let share = if length_2 > 0.0 { (along[0] * off[0] + along[1] * off[1]) / length_2 } else { 0.0 };
    let share = share.clamp(0.0, 1.0);
    let distance = (off[0] - share * along[0]).hypot(off[1] - share * along[1]);
    (width / 2.0 + 0.5 - distance).clamp(0.0, 1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_drawn_outside_of_where_it_may() {
        let mut canvas = Canvas::new([40, 30], [0; 3]);
        let within = Area::new(10, 10, 20, 10);
        canvas.stroke(&[[-50.0, 15.0], [90.0, 15.0]], 2.0, ([255; 3], 1.0), within);
        canvas.round(Area::new(30, 20, 100, 100), 4, [9; 3], 1.0);
        let at = |x, y| canvas.image.get_pixel(x, y).0[0];
        assert_eq!((at(9, 15), at(10, 15), at(29, 15), at(30, 15)), (0, 255, 255, 0));
        assert_eq!((at(30, 20), at(38, 28)), (0, 9), "a corner is round");
        canvas.fill(Area::new(90, 29, 10, 10), [5; 3]);
        canvas.put(&RgbImage::from_pixel(20, 20, Rgb([7; 3])), [-15, 25]);
        let at = |x, y| canvas.image.get_pixel(x, y).0[0];
        assert_eq!((at(4, 29), at(5, 29), at(0, 24)), (7, 0, 0));
    }
}
