//! Pictures, measured before they are unpacked: a file of a few hundred bytes can claim to be a picture of gigabytes.

use super::{FileError, read_bytes};
use image::{DynamicImage, ImageDecoder, ImageError, ImageFormat, ImageReader, Limits};
use std::io::Cursor;
use std::path::Path;
use thiserror::Error;

/// The most pixels of a picture that is read: a picture of 8K video has 33 million.
pub const PIXELS_MAX: u64 = 40_000_000;
/// No picture's side is longer, px.
pub const SIDE_MAX: u32 = 16_384;
/// Memory that unpacking may take a pixel, bytes: four channels of 16 bits.
const BYTES_PER_PIXEL: u64 = 8;
/// What a decoder may need besides, bytes: tables, colour profiles, one row.
const OVERHEAD_BYTES: u64 = 4 << 20;

/// Why bytes are no picture.
#[derive(Debug, Error)]
pub enum PictureError {
    /// More than is read.
    #[error(
        "it has {width} × {height} pixels, and at most {pixels_max} of them (none of the sides over {SIDE_MAX}) are read; make it smaller"
    )]
    TooLarge {
        /// Its width, px.
        width: u32,
        /// Its height, px.
        height: u32,
        /// The limit.
        pixels_max: u64,
    },
    /// The decoder says no.
    #[error("it cannot be decoded ({0}); save it again as PNG or JPEG")]
    Undecodable(#[from] ImageError),
    /// The file.
    #[error(transparent)]
    File(#[from] FileError),
}

/// Whether a picture of this size is read.
///
/// # Errors
/// When it is too large.
pub fn check_size(width: u32, height: u32, pixels_max: u64) -> Result<(), PictureError> {
    let is_fine = width <= SIDE_MAX && height <= SIDE_MAX && u64::from(width) * u64::from(height) <= pixels_max;
    is_fine.then_some(()).ok_or(PictureError::TooLarge { width, height, pixels_max })
}

/// Unpacks a picture of any known kind that has at most this many pixels.
///
/// # Errors
/// When it is larger, or no picture.
pub fn decode_picture(bytes: &[u8], pixels_max: u64) -> Result<DynamicImage, PictureError> {
    let reader = ImageReader::new(Cursor::new(bytes)).with_guessed_format().map_err(ImageError::from)?;
    unpack(reader, pixels_max)
}

/// Unpacks a JPEG picture that has at most [`PIXELS_MAX`] pixels.
///
/// # Errors
/// When it is larger, or no JPEG.
pub fn decode_jpeg(bytes: &[u8]) -> Result<DynamicImage, PictureError> {
    unpack(ImageReader::with_format(Cursor::new(bytes), ImageFormat::Jpeg), PIXELS_MAX)
}

/// Reads a picture from a file; what it is shows in its bytes, not in its name.
///
/// # Errors
/// When the file cannot be read, or is no picture of at most this many pixels.
pub fn read_picture(path: &Path, pixels_max: u64) -> Result<DynamicImage, PictureError> {
    decode_picture(&read_bytes(path, pixels_max * BYTES_PER_PIXEL + OVERHEAD_BYTES)?, pixels_max)
}

fn unpack(mut reader: ImageReader<Cursor<&[u8]>>, pixels_max: u64) -> Result<DynamicImage, PictureError> {
    let mut limits = Limits::no_limits();
    limits.max_alloc = Some(pixels_max * BYTES_PER_PIXEL + OVERHEAD_BYTES);
    reader.limits(limits);
    // Only the header so far.
    let decoder = reader.into_decoder()?;
    let (width, height) = decoder.dimensions();
    check_size(width, height, pixels_max)?;
    Ok(DynamicImage::from_decoder(decoder)?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use image::RgbImage;

    /// A PNG's header for this size, and no pixel.
    fn png_header(width: u32, height: u32) -> Vec<u8> {
        let body = [b"IHDR", &width.to_be_bytes()[..], &height.to_be_bytes(), &[8, 2, 0, 0, 0]].concat();
        let mut bytes = [b"\x89PNG\r\n\x1a\n", &13u32.to_be_bytes()[..], &body].concat();
        bytes.extend(crc32fast::hash(&body).to_be_bytes());
        bytes.extend([0, 0, 0, 0]);
        bytes.extend(b"IDAT");
        bytes.extend(crc32fast::hash(b"IDAT").to_be_bytes());
        bytes
    }

    #[test]
    fn a_picture_is_measured_before_it_is_unpacked() {
        for (width, height) in [(30_000, 30_000), (16_385, 1), (7000, 7000), (u32::MAX >> 1, 1)] {
            let error = decode_picture(&png_header(width, height), PIXELS_MAX).unwrap_err();
            let is_size =
                matches!(error, PictureError::TooLarge { .. } | PictureError::Undecodable(ImageError::Limits(_)));
            assert!(is_size, "{width} × {height}: {error}");
        }
        let mut jpeg = Vec::new();
        let encoder = jpeg_encoder::Encoder::new(&mut jpeg, 50);
        encoder.encode(&[9; 16 * 8 * 3], 16, 8, jpeg_encoder::ColorType::Rgb).unwrap();
        assert_eq!(decode_jpeg(&jpeg).unwrap().width(), 16);
        assert!(matches!(decode_picture(&jpeg, 127), Err(PictureError::TooLarge { pixels_max: 127, .. })));
        // The frame header says 60,000 × 60,000.
        let frame = jpeg.windows(2).position(|w| w == [0xff, 0xc0]).unwrap();
        jpeg[frame + 5..frame + 9].copy_from_slice(&[0xea, 0x60, 0xea, 0x60]);
        assert!(matches!(decode_jpeg(&jpeg), Err(PictureError::TooLarge { width: 60_000, .. })));
    }

    #[test]
    fn a_picture_of_the_largest_size_is_read() {
        let mut bytes = Vec::new();
        let image = RgbImage::from_pixel(40, 20, image::Rgb([1, 2, 3]));
        image.write_to(&mut Cursor::new(&mut bytes), ImageFormat::Png).unwrap();
        assert_eq!(decode_picture(&bytes, 800).unwrap().into_rgb8(), image);
        assert!(decode_picture(&bytes, 799).is_err());
        assert!(decode_picture(b"no picture", 800).unwrap_err().to_string().contains("save it again"));
    }
}
