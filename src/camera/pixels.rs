//! From a camera's own pixel layout to RGB, 8 bits a channel. Cameras send garbage now and then, so every length is
//! checked.

use crate::file;
use image::RgbImage;

/// A camera's pixel layout.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Layout {
    /// JPEG pictures, one after the other.
    Mjpeg,
    /// Y0 U Y1 V for two pixels.
    Yuyv,
    /// A plane of Y, then one of U V pairs at half the size.
    Nv12,
    /// One byte a pixel.
    Gray,
    /// R G B.
    Rgb,
    /// B G R.
    Bgr,
}

/// Decodes one picture of `width` × `height`; the text says why not.
pub(super) fn decode(layout: Layout, width: u32, height: u32, bytes: &[u8]) -> Result<RgbImage, String> {
    let pixels = width as usize * height as usize;
    let need = match layout {
        Layout::Mjpeg => return decode_jpeg(bytes),
        Layout::Yuyv => pixels * 2,
        Layout::Nv12 => pixels + width.div_ceil(2) as usize * height.div_ceil(2) as usize * 2,
        Layout::Gray => pixels,
        Layout::Rgb | Layout::Bgr => pixels * 3,
    };
    let bytes = bytes.get(..need).ok_or_else(|| format!("{} bytes instead of {need}", bytes.len()))?;
    let rgb = match layout {
        Layout::Yuyv => yuyv(bytes),
        Layout::Nv12 => nv12(bytes, width as usize, height as usize),
        Layout::Gray => bytes.iter().flat_map(|&y| [y; 3]).collect(),
        Layout::Bgr => bytes.chunks_exact(3).flat_map(|p| [p[2], p[1], p[0]]).collect(),
        Layout::Rgb | Layout::Mjpeg => bytes.to_vec(),
    };
    RgbImage::from_raw(width, height, rgb).ok_or_else(|| "the picture has an odd width".into())
}

/// Decodes a camera's JPEG picture; the text says why not. It must be whole: decoders accept a broken-off one and paint
/// the rest grey.
///
/// # Errors
/// When the bytes are no JPEG, or only a part of one.
pub fn decode_jpeg(bytes: &[u8]) -> Result<RgbImage, String> {
    // Some cameras fill their buffer up with zeros.
    let end = bytes.iter().rposition(|b| *b != 0).map_or(0, |last| last + 1);
    let bytes = &bytes[..end];
    if !bytes.starts_with(&[0xff, 0xd8]) {
        return Err("the data is no JPEG".into());
    }
    if !bytes.ends_with(&[0xff, 0xd9]) {
        return Err("a JPEG that breaks off".into());
    }
    Ok(file::decode_jpeg(bytes).map_err(|e| e.to_string())?.into_rgb8())
}

fn yuyv(bytes: &[u8]) -> Vec<u8> {
    let mut rgb = Vec::with_capacity(bytes.len() / 2 * 3);
    for pair in bytes.chunks_exact(4) {
        rgb.extend(to_rgb(pair[0], pair[1], pair[3]));
        rgb.extend(to_rgb(pair[2], pair[1], pair[3]));
    }
    rgb
}

fn nv12(bytes: &[u8], width: usize, height: usize) -> Vec<u8> {
    let (luma, chroma) = bytes.split_at(width * height);
    let stride = width.div_ceil(2) * 2;
    let mut rgb = Vec::with_capacity(width * height * 3);
    for (y, row) in luma.chunks_exact(width).enumerate() {
        let pairs = &chroma[y / 2 * stride..];
        for (x, &value) in row.iter().enumerate() {
            rgb.extend(to_rgb(value, pairs[x / 2 * 2], pairs[x / 2 * 2 + 1]));
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
    use super::*;

    #[test]
    fn known_colours_come_out() {
        // Black, white, and pure red as BT.601 defines them.
        for (yuv, rgb) in
            [((16, 128, 128), [0, 0, 0]), ((235, 128, 128), [255, 255, 255]), ((82, 90, 240), [255, 1, 0])]
        {
            let (y, u, v) = yuv;
            assert_eq!(to_rgb(y, u, v), rgb);
            let image = decode(Layout::Yuyv, 2, 1, &[y, u, y, v]).unwrap();
            assert_eq!((image.get_pixel(0, 0).0, image.get_pixel(1, 0).0), (rgb, rgb));
            let image = decode(Layout::Nv12, 2, 2, &[y, y, y, y, u, v]).unwrap();
            assert_eq!(image.get_pixel(1, 1).0, rgb);
        }
        assert_eq!(decode(Layout::Bgr, 1, 1, &[1, 2, 3]).unwrap().get_pixel(0, 0).0, [3, 2, 1]);
        assert_eq!(decode(Layout::Rgb, 1, 1, &[1, 2, 3]).unwrap().get_pixel(0, 0).0, [1, 2, 3]);
        assert_eq!(decode(Layout::Gray, 1, 1, &[9]).unwrap().get_pixel(0, 0).0, [9, 9, 9]);
    }

    #[test]
    fn short_and_odd_data_is_refused() {
        for layout in [Layout::Yuyv, Layout::Nv12, Layout::Gray, Layout::Rgb, Layout::Bgr, Layout::Mjpeg] {
            assert!(decode(layout, 4, 2, &[0; 7]).is_err(), "{layout:?}");
            assert!(decode(layout, 4, 2, &[]).is_err(), "{layout:?}");
        }
        assert!(decode(Layout::Nv12, 3, 3, &[128; 17]).is_ok());
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
            if let Ok(picture) = decode(Layout::Mjpeg, 32, 24, &bytes) {
                proptest::prop_assert!(picture.width() > 0 && picture.height() > 0);
            }
        }

        #[test]
        fn any_bytes_in_any_layout_do_no_harm(
            which in 0usize..6,
            width in 1u32..40,
            height in 1u32..40,
            bytes in proptest::collection::vec(proptest::num::u8::ANY, 0..6000),
        ) {
            let layouts = [Layout::Mjpeg, Layout::Yuyv, Layout::Nv12, Layout::Gray, Layout::Rgb, Layout::Bgr];
            if let Ok(picture) = decode(layouts[which], width, height, &bytes) {
                proptest::prop_assert!(which == 0 || picture.dimensions() == (width, height));
            }
        }
    }

    #[test]
    fn a_jpeg_that_breaks_off_is_refused_and_padding_is_not() {
        let mut whole = Vec::new();
        let pixels = [120; 16 * 16 * 3];
        jpeg_encoder::Encoder::new(&mut whole, 90).encode(&pixels, 16, 16, jpeg_encoder::ColorType::Rgb).unwrap();
        assert!(decode(Layout::Mjpeg, 16, 16, &whole).is_ok());
        assert!(decode(Layout::Mjpeg, 16, 16, &whole[..whole.len() - 20]).is_err());
        whole.extend([0; 50]);
        assert!(decode(Layout::Mjpeg, 16, 16, &whole).is_ok());
    }
}
