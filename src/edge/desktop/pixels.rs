//! From what an X server sends to pictures.

use image::RgbImage;

/// How a server lays out the pixels of its screen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PixelFormat {
    /// Bits a pixel takes: 8, 16, 24 or 32.
    pub bits: u8,
    /// Each row of pixels is a multiple of this many bits.
    pub row_bits: u8,
    /// Whether a pixel's least byte comes first.
    pub least_first: bool,
    /// Which bits of a pixel are red, green and blue.
    pub masks: [u32; 3],
}

impl PixelFormat {
    /// Bytes from one row to the next.
    pub fn stride(&self, width: usize) -> usize {
        let unit = usize::from(self.row_bits).max(8);
        (width * usize::from(self.bits)).div_ceil(unit) * unit / 8
    }

    /// Puts a block of `width` columns into `picture` with its top left at `place`; what lies outside is cut off, and so is what
    /// the server did not send.
    pub fn put(&self, bytes: &[u8], width: usize, place: [usize; 2], picture: &mut RgbImage) {
        let size = usize::from(self.bits / 8).max(1);
        let columns = width.min((picture.width() as usize).saturating_sub(place[0]));
        let (full_width, height) = (picture.width() as usize, picture.height() as usize);
        let out = picture.as_flat_samples_mut().samples;
        for (row, line) in bytes.chunks_exact(self.stride(width).max(1)).enumerate() {
            let y = place[1] + row;
            if y >= height || columns == 0 {
                return;
            }
            let from = (y * full_width + place[0]) * 3;
            let pixels = line.chunks_exact(size).take(columns);
            for (pixel, rgb) in pixels.zip(out[from..].chunks_exact_mut(3)) {
                rgb.copy_from_slice(&self.rgb(pixel));
            }
        }
    }

    fn rgb(&self, pixel: &[u8]) -> [u8; 3] {
        // As nearly every screen has it.
        if let (32 | 24, true, [0xFF_0000, 0xFF00, 0xFF]) = (self.bits, self.least_first, self.masks) {
            return [pixel[2], pixel[1], pixel[0]];
        }
        let shifted = |value: u32, byte: &u8| value << 8 | u32::from(*byte);
        let value = if self.least_first { pixel.iter().rev().fold(0, shifted) } else { pixel.iter().fold(0, shifted) };
        self.masks.map(|mask| {
            let full = u64::from(mask >> mask.trailing_zeros().min(31));
            let part = u64::from((value & mask) >> mask.trailing_zeros().min(31));
            ((part * 255 + full / 2).checked_div(full)).unwrap_or(0) as u8
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn format(bits: u8, least_first: bool, masks: [u32; 3]) -> PixelFormat {
        PixelFormat { bits, row_bits: 32, least_first, masks }
    }

    #[test]
    fn pixels_of_every_kind_become_the_same_picture() {
        let usual = [0xFF_0000, 0xFF00, 0xFF];
        for (format, bytes) in [
            (format(32, true, usual), vec![3, 2, 1, 0]),
            (format(32, false, usual), vec![0, 1, 2, 3]),
            (format(32, true, [0xFF, 0xFF00, 0xFF_0000]), vec![1, 2, 3, 0]),
            // Rows are filled up to 32 bits.
            (format(24, true, usual), vec![3, 2, 1, 9]),
        ] {
            let mut picture = RgbImage::new(1, 1);
            format.put(&bytes, 1, [0, 0], &mut picture);
            assert_eq!(picture.get_pixel(0, 0).0, [1, 2, 3], "{format:?}");
        }
        let mut picture = RgbImage::new(1, 1);
        format(16, true, [0xF800, 0x7E0, 0x1F]).put(&[0x1F, 0xF8, 0, 0], 1, [0, 0], &mut picture);
        assert_eq!(picture.get_pixel(0, 0).0, [255, 0, 255]);
    }

    #[test]
    fn what_lies_outside_is_cut_off() {
        let rgb = format(32, true, [0xFF_0000, 0xFF00, 0xFF]);
        let bytes: Vec<u8> = (0..9u8).flat_map(|n| [n, n, n, 0]).collect();
        let mut picture = RgbImage::new(3, 3);
        rgb.put(&bytes, 3, [1, 2], &mut picture);
        let values: Vec<u8> = picture.pixels().map(|p| p.0[0]).collect();
        assert_eq!(values, [0, 0, 0, 0, 0, 0, 0, 0, 1]);
    }
}
