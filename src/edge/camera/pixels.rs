//! From a camera's own pixel layout to RGB, 8 bits a channel. Cameras send garbage now and then, so every length is
//! checked.

use super::jpeg;
use crate::file;
use image::RgbImage;
use std::borrow::Cow;
use std::sync::Arc;

/// A camera's pixel layout.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Layout {
    /// JPEG pictures, one after the other.
    Mjpeg,
    /// Y0 U Y1 V for two pixels.
    Yuyv,
    /// U Y0 V Y1 for two pixels.
    Uyvy,
    /// A plane of Y, then one of U V pairs at half the size.
    Nv12,
    /// A plane of Y, then one of U and one of V at half the size.
    Yuv420,
    /// One byte a pixel.
    Gray,
    /// R G B.
    Rgb,
    /// B G R.
    Bgr,
}

impl Layout {
    /// What Linux calls it.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Mjpeg => "MJPEG",
            Self::Yuyv => "YUYV",
            Self::Uyvy => "UYVY",
            Self::Nv12 => "NV12",
            Self::Yuv420 => "YU12",
            Self::Gray => "GREY",
            Self::Rgb => "RGB3",
            Self::Bgr => "BGR3",
        }
    }

    /// For the choice among layouts: less is better.
    pub(super) fn cost(self) -> u32 {
        match self {
            Self::Mjpeg => 1,
            // No colours.
            Self::Gray => 2,
            _ => 0,
        }
    }

    /// Bytes of a picture whose rows begin `stride` bytes apart (0: without a gap); 0 for JPEG, which has no fixed size.
    pub(super) fn bytes(self, width: usize, height: usize, stride: usize) -> usize {
        self.planes(width, height, stride).iter().map(|plane| plane.rows * plane.stride).sum()
    }

    fn planes(self, width: usize, height: usize, stride: usize) -> Vec<Plane> {
        let plane = |rows: usize, used: usize, stride: usize| Plane { rows, used, stride: stride.max(used) };
        let (half_width, half_height) = (width.div_ceil(2), height.div_ceil(2));
        match self {
            Self::Mjpeg => Vec::new(),
            Self::Yuyv | Self::Uyvy => vec![plane(height, width * 2, stride)],
            Self::Nv12 => vec![plane(height, width, stride), plane(half_height, half_width * 2, stride)],
            Self::Yuv420 => {
                let small = plane(half_height, half_width, stride / 2);
                vec![plane(height, width, stride), small, small]
            }
            Self::Gray => vec![plane(height, width, stride)],
            Self::Rgb | Self::Bgr => vec![plane(height, width * 3, stride)],
        }
    }
}

/// Rows of bytes of which the first `used` are pixels.
#[derive(Clone, Copy)]
struct Plane {
    rows: usize,
    used: usize,
    stride: usize,
}

/// A picture, and the file that has the same pixels, if they came as one.
pub(super) type Decoded = (RgbImage, Option<Arc<[u8]>>);

/// Decodes one picture of `width` × `height`, whose rows begin `stride` bytes apart (0: without a gap); the text says why
/// not.
pub(super) fn decode(layout: Layout, width: u32, height: u32, stride: usize, bytes: &[u8]) -> Result<Decoded, String> {
    if layout != Layout::Mjpeg {
        return Ok((decode_raw(layout, width, height, stride, bytes)?, None));
    }
    let repaired = jpeg::repair(bytes).map_err(|flaw| flaw.to_string())?;
    let image = file::decode_jpeg(&repaired.bytes).map_err(|e| e.to_string())?.into_rgb8();
    Ok((image, Some(Arc::from(&*repaired.bytes))))
}

fn decode_raw(layout: Layout, width: u32, height: u32, stride: usize, bytes: &[u8]) -> Result<RgbImage, String> {
    match u64::from(width) * u64::from(height) {
        0 => return Err(jpeg::Flaw::Empty.to_string()),
        pixels if pixels > jpeg::PIXELS_MAX => return Err(jpeg::Flaw::TooLarge.to_string()),
        _ => {}
    }
    let (columns, rows) = (width as usize, height as usize);
    let need = layout.bytes(columns, rows, stride);
    let bytes = bytes.get(..need).ok_or_else(|| format!("{} bytes instead of {need}", bytes.len()))?;
    let bytes = &*without_gaps(bytes, &layout.planes(columns, rows, stride));
    let rgb = match layout {
        Layout::Yuyv => pairs(bytes, |p| [p[0], p[1], p[2], p[3]]),
        Layout::Uyvy => pairs(bytes, |p| [p[1], p[0], p[3], p[2]]),
        Layout::Nv12 => planar(bytes, columns, rows, |chroma, x, y| {
            let at = (y * columns.div_ceil(2) + x) * 2;
            [chroma[at], chroma[at + 1]]
        }),
        Layout::Yuv420 => planar(bytes, columns, rows, |chroma, x, y| {
            let at = y * columns.div_ceil(2) + x;
            [chroma[at], chroma[chroma.len() / 2 + at]]
        }),
        Layout::Gray => bytes.iter().flat_map(|&y| [y; 3]).collect(),
        Layout::Bgr => bytes.chunks_exact(3).flat_map(|p| [p[2], p[1], p[0]]).collect(),
        Layout::Rgb | Layout::Mjpeg => bytes.to_vec(),
    };
    RgbImage::from_raw(width, height, rgb).ok_or_else(|| "the picture has an odd width".into())
}

/// Decodes a camera's JPEG picture, put right as far as it can be; the text says why not. It must be whole: decoders
/// accept a broken-off one and paint the rest grey.
///
/// # Errors
/// When the bytes are no JPEG, or only a part of one.
pub fn decode_jpeg(bytes: &[u8]) -> Result<RgbImage, String> {
    decode(Layout::Mjpeg, 0, 0, 0, bytes).map(|(image, _)| image)
}

fn without_gaps<'a>(bytes: &'a [u8], planes: &[Plane]) -> Cow<'a, [u8]> {
    if planes.iter().all(|plane| plane.used == plane.stride) {
        return Cow::Borrowed(bytes);
    }
    let (mut tight, mut rest) = (Vec::with_capacity(bytes.len()), bytes);
    for plane in planes {
        let (own, after) = rest.split_at(plane.rows * plane.stride);
        own.chunks_exact(plane.stride).for_each(|row| tight.extend_from_slice(&row[..plane.used]));
        rest = after;
    }
    Cow::Owned(tight)
}

/// Two pixels in four bytes, which `order` brings into the order Y0 U Y1 V.
fn pairs(bytes: &[u8], order: impl Fn(&[u8]) -> [u8; 4]) -> Vec<u8> {
    let mut rgb = Vec::with_capacity(bytes.len() / 2 * 3);
    for pair in bytes.chunks_exact(4) {
        let [y0, u, y1, v] = order(pair);
        rgb.extend(to_rgb(y0, u, v));
        rgb.extend(to_rgb(y1, u, v));
    }
    rgb
}

/// A plane of Y, then colours at half the size, of which `colour` gives U and V at a place.
fn planar(bytes: &[u8], width: usize, height: usize, colour: impl Fn(&[u8], usize, usize) -> [u8; 2]) -> Vec<u8> {
    let (luma, chroma) = bytes.split_at(width * height);
    let mut rgb = Vec::with_capacity(width * height * 3);
    for (y, row) in luma.chunks_exact(width).enumerate() {
        for (x, &value) in row.iter().enumerate() {
            let [u, v] = colour(chroma, x / 2, y / 2);
            rgb.extend(to_rgb(value, u, v));
        }
    }
    rgb
}

/// ITU-R BT.601 with Y in 16–235, what USB video cameras send unless they say otherwise; in 1/256.
fn to_rgb(y: u8, u: u8, v: u8) -> [u8; 3] {
    let y = 298 * (i32::from(y) - 16) + 128;
    let (u, v) = (i32::from(u) - 128, i32::from(v) - 128);
    [y + 409 * v, y - 100 * u - 208 * v, y + 516 * u].map(|value| (value >> 8).clamp(0, 255) as u8)
}

#[cfg(test)]
mod tests {
    use super::Layout::{Bgr, Gray, Mjpeg, Nv12, Rgb, Uyvy, Yuv420, Yuyv};
    use super::*;

    const LAYOUTS: [Layout; 8] = [Mjpeg, Yuyv, Uyvy, Nv12, Yuv420, Gray, Rgb, Bgr];

    #[test]
    fn known_colours_come_out() {
        // Black, white, and pure red as BT.601 defines them.
        for (yuv, rgb) in
            [((16, 128, 128), [0, 0, 0]), ((235, 128, 128), [255, 255, 255]), ((82, 90, 240), [255, 1, 0])]
        {
            let (y, u, v) = yuv;
            assert_eq!(to_rgb(y, u, v), rgb);
            let image = decode(Layout::Yuyv, 2, 1, 0, &[y, u, y, v]).unwrap().0;
            assert_eq!((image.get_pixel(0, 0).0, image.get_pixel(1, 0).0), (rgb, rgb));
            let image = decode(Layout::Uyvy, 2, 1, 0, &[u, y, v, y]).unwrap().0;
            assert_eq!((image.get_pixel(0, 0).0, image.get_pixel(1, 0).0), (rgb, rgb));
            for layout in [Layout::Nv12, Layout::Yuv420] {
                let image = decode(layout, 2, 2, 0, &[y, y, y, y, u, v]).unwrap().0;
                assert_eq!(image.get_pixel(1, 1).0, rgb);
            }
        }
        assert_eq!(decode(Layout::Bgr, 1, 1, 0, &[1, 2, 3]).unwrap().0.get_pixel(0, 0).0, [3, 2, 1]);
        assert_eq!(decode(Layout::Rgb, 1, 1, 0, &[1, 2, 3]).unwrap().0.get_pixel(0, 0).0, [1, 2, 3]);
        assert_eq!(decode(Layout::Gray, 1, 1, 0, &[9]).unwrap().0.get_pixel(0, 0).0, [9, 9, 9]);
    }

    #[test]
    fn short_and_odd_data_is_refused() {
        for layout in LAYOUTS {
            assert!(decode(layout, 4, 2, 0, &[0; 7]).is_err(), "{layout:?}");
            assert!(decode(layout, 4, 2, 0, &[]).is_err(), "{layout:?}");
        }
        assert!(decode(Layout::Nv12, 3, 3, 0, &[128; 17]).is_ok());
        assert!(decode(Layout::Yuv420, 3, 3, 0, &[128; 17]).is_ok());
        assert!(decode(Layout::Gray, u32::MAX, u32::MAX, 0, &[0; 7]).is_err());
    }

    #[test]
    fn rows_with_a_gap_between_them_are_read_without_it() {
        for layout in LAYOUTS.into_iter().filter(|l| *l != Layout::Mjpeg) {
            let tight: Vec<u8> = (0..layout.bytes(4, 2, 0)).map(|i| (i * 37 % 251) as u8).collect();
            let stride = 24;
            let (mut wide, mut rest) = (Vec::new(), tight.as_slice());
            for plane in layout.planes(4, 2, stride) {
                for _ in 0..plane.rows {
                    let (row, after) = rest.split_at(plane.used);
                    wide.extend_from_slice(row);
                    wide.resize(wide.len() + plane.stride - plane.used, 0xee);
                    rest = after;
                }
            }
            assert!(rest.is_empty() && wide.len() == layout.bytes(4, 2, stride), "{layout:?}");
            assert_eq!(decode(layout, 4, 2, stride, &wide), decode(layout, 4, 2, 0, &tight), "{layout:?}");
        }
    }

    /// A JPEG of 32 × 24 px with something in it.
    fn jpeg() -> Vec<u8> {
        let mut whole = Vec::new();
        let pixels: Vec<u8> = (0..32 * 24 * 3).map(|i| (i * 7 % 251) as u8).collect();
        jpeg_encoder::Encoder::new(&mut whole, 80).encode(&pixels, 32, 24, jpeg_encoder::ColorType::Rgb).unwrap();
        whole
    }

    proptest::proptest! {
        #[test]
        fn damaged_jpegs_are_refused_or_decoded_never_worse(
            at in proptest::collection::vec((0usize..2000, proptest::num::u8::ANY), 0..12),
            cut in 0usize..2000,
            ends in proptest::bool::ANY,
        ) {
            let mut bytes = jpeg();
            for (place, value) in at {
                let place = place % bytes.len();
                bytes[place] = value;
            }
            bytes.truncate(cut);
            if ends {
                bytes.extend([0xff, 0xd9]);
            }
            if let Ok((picture, _)) = decode(Layout::Mjpeg, 32, 24, 0, &bytes) {
                proptest::prop_assert!(picture.width() > 0 && picture.height() > 0);
            }
        }

        #[test]
        fn any_bytes_in_any_layout_do_no_harm(
            which in 0usize..LAYOUTS.len(),
            width in 1u32..40,
            height in 1u32..40,
            stride in proptest::sample::select(vec![0usize, 1, 39, 120]),
            bytes in proptest::collection::vec(proptest::num::u8::ANY, 0..6000),
        ) {
            if let Ok((picture, _)) = decode(LAYOUTS[which], width, height, stride, &bytes) {
                proptest::prop_assert!(which == 0 || picture.dimensions() == (width, height));
            }
        }
    }
}
