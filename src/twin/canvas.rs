//! A picture of 256 × 240 pixels in the console's colours, and what is drawn into it first: areas and letters.

use super::font::glyph;
use image::RgbImage;

/// Width of the console's picture, pixels.
pub const WIDTH_PX: usize = 256;
/// Height of the console's picture, lines; a television shows the middle 224.
pub const HEIGHT_PX: usize = 240;
/// Colours by their number in the console's own scheme.
pub(super) const GREY: u8 = 0x00;
pub(super) const BLACK: u8 = 0x0F;
pub(super) const RUST: u8 = 0x16;
pub(super) const WHITE: u8 = 0x30;
pub(super) const PALE: u8 = 0x3C;

/// RGB of the console's colour numbers.
///
/// Approximate: the console makes a composite signal, and every decoder sees it a little differently.
#[rustfmt::skip]
pub const COLOURS: [[u8; 3]; 64] = [
    [98, 98, 98], [0, 30, 116], [8, 16, 144], [48, 0, 136],
    [68, 0, 100], [112, 8, 48], [84, 4, 0], [60, 24, 0],
    [32, 42, 0], [8, 58, 0], [0, 64, 0], [0, 60, 0],
    [0, 50, 60], [0, 0, 0], [0, 0, 0], [0, 0, 0],
    [152, 150, 152], [8, 76, 196], [62, 44, 230], [98, 28, 220],
    [142, 20, 180], [158, 20, 90], [150, 40, 4], [120, 60, 0],
    [84, 90, 0], [40, 114, 0], [6, 128, 4], [0, 118, 40],
    [0, 102, 120], [0, 0, 0], [0, 0, 0], [0, 0, 0],
    [236, 238, 236], [84, 166, 255], [134, 132, 255], [176, 98, 236],
    [212, 98, 255], [236, 88, 180], [236, 106, 100], [212, 138, 34],
    [160, 170, 0], [126, 200, 10], [84, 210, 46], [66, 206, 112],
    [56, 180, 204], [60, 60, 60], [0, 0, 0], [0, 0, 0],
    [254, 254, 254], [168, 204, 236], [188, 188, 236], [212, 178, 236],
    [236, 174, 236], [236, 174, 212], [236, 180, 176], [228, 196, 144],
    [204, 210, 120], [180, 222, 120], [168, 226, 144], [152, 226, 180],
    [204, 250, 255], [160, 162, 160], [0, 0, 0], [0, 0, 0],
];

/// A picture of 256 × 240 pixels, each one of the console's 64 colour numbers, or past these one of a [look's](super::look). One
/// for a window can be finer, with so many pixels along each side of one of these.
#[derive(Clone, PartialEq, Eq)]
pub struct Picture {
    /// Pixels along a side of one of the console's.
    pub(super) fine: usize,
    /// Row by row from the top; always `WIDTH_PX * fine` a row and `HEIGHT_PX * fine` rows, of the console's own all below 64.
    pub(super) pixels: Vec<u8>,
}

impl Default for Picture {
    fn default() -> Self {
        Self::new()
    }
}

impl std::fmt::Debug for Picture {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let [width, height] = self.size();
        write!(f, "Picture({width}x{height})")
    }
}

impl Picture {
    /// A black picture.
    pub fn new() -> Self {
        Self::finer(1)
    }

    /// A black picture with so many pixels along each side of one of the console's.
    pub fn finer(fine: usize) -> Self {
        let fine = fine.max(1);
        Self { fine, pixels: vec![BLACK; WIDTH_PX * HEIGHT_PX * fine * fine] }
    }

    /// Pixels along a side of one of the console's: 1, but in a finer picture.
    pub fn fine(&self) -> usize {
        self.fine
    }

    /// Width and height, pixels.
    pub fn size(&self) -> [usize; 2] {
        [WIDTH_PX * self.fine, HEIGHT_PX * self.fine]
    }

    /// The colour numbers, row by row from the top; index [`COLOURS`] with them.
    pub fn pixels(&self) -> &[u8] {
        &self.pixels
    }

    /// The picture in RGB.
    pub fn to_rgb(&self) -> RgbImage {
        let [width, height] = self.size();
        RgbImage::from_fn(width as u32, height as u32, |x, y| {
            let number = self.pixels[y as usize * width + x as usize];
            image::Rgb(COLOURS[usize::from(number & 63)])
        })
    }

    /// Sets one pixel; outside the picture nothing happens.
    pub(super) fn set(&mut self, x: usize, y: usize, colour: u8) {
        self.fill([x, y], [1, 1], colour);
    }

    /// Fills a rectangle of the console's pixels; what of it is outside of the picture is left out.
    pub(super) fn fill(&mut self, at: [usize; 2], size: [usize; 2], colour: u8) {
        let fine = self.fine;
        self.fill_fine(at.map(|v| v * fine), size.map(|v| v * fine), colour);
    }

    /// The same of the picture's own pixels.
    pub(super) fn fill_fine(&mut self, [x, y]: [usize; 2], [width, height]: [usize; 2], colour: u8) {
        let [columns, rows] = self.size();
        let right = (x + width).min(columns);
        for line in y..(y + height).min(rows) {
            if x < right {
                self.pixels[line * columns + x..line * columns + right].fill(colour);
            }
        }
    }

    /// Moves what is in a rectangle of the console's pixels; what it leaves is black, and what leaves the picture is lost.
    pub(super) fn shift(&mut self, [x, y]: [usize; 2], [width, height]: [usize; 2], by: [i8; 2]) {
        let fine = self.fine;
        let before = self.pixels.clone();
        let [columns, rows] = self.size();
        self.fill([x, y], [width, height], BLACK);
        for line in y * fine..((y + height) * fine).min(rows) {
            for column in x * fine..((x + width) * fine).min(columns) {
                let to = [(column, columns), (line, rows)].map(|(at, most)| (at as isize, most as isize));
                let moved = [0, 1].map(|i| to[i].0 + isize::from(by[i]) * fine as isize);
                if (0..2).all(|i| (0..to[i].1).contains(&moved[i])) {
                    self.pixels[moved[1] as usize * columns + moved[0] as usize] = before[line * columns + column];
                }
            }
        }
    }

    /// Writes `text` with its first letter's top-left corner at `at`; `columns` is [`WIDE`](super::font::WIDE) or
    /// [`NARROW`](super::font::NARROW).
    pub(super) fn write(&mut self, text: &str, at: [usize; 2], columns: &[u8], colour: u8) {
        for (i, character) in text.bytes().enumerate() {
            let left = at[0] + i * (columns.len() + 1);
            for (y, row) in glyph(character).into_iter().enumerate() {
                for (x, column) in columns.iter().enumerate() {
                    if row >> (4 - column) & 1 == 1 {
                        self.set(left + x, at[1] + y, colour);
                    }
                }
            }
        }
    }

    /// Changes one pixel's number, if it is in the picture, which is no finer one.
    pub fn change(&mut self, [x, y]: [usize; 2], change: impl Fn(u8) -> u8) {
        if x < WIDTH_PX && y < HEIGHT_PX {
            let pixel = &mut self.pixels[y * WIDTH_PX + x];
            *pixel = change(*pixel);
        }
    }
}
