//! PPM pictures, one after the other, as ffmpeg writes them.

use crate::file::{PIXELS_MAX, check_size};
use image::RgbImage;
use std::io::{BufRead, Error, ErrorKind, Read};

/// This many bytes are set aside before any of them has come: a picture of 2560 × 1440 px.
const CAPACITY_MAX: usize = 2560 * 1440 * 3;

/// The next picture; `None` at the end, also when it comes within a picture.
///
/// # Errors
/// When reading fails or the data is no PPM of 8 bits a channel.
pub(super) fn read_picture(from: &mut impl BufRead) -> std::io::Result<Option<RgbImage>> {
    let garbage = || Error::new(ErrorKind::InvalidData, "the picture stream is no PPM");
    let Some(magic) = read_word(from)? else { return Ok(None) };
    if magic != "P6" {
        return Err(garbage());
    }
    let mut numbers = [0u32; 3];
    for number in &mut numbers {
        let Some(word) = read_word(from)? else { return Ok(None) };
        *number = word.parse().map_err(|_| garbage())?;
    }
    let [width, height, depth] = numbers;
    if depth != 255 || width == 0 || height == 0 {
        return Err(garbage());
    }
    check_size(width, height, PIXELS_MAX).map_err(Error::other)?;
    let size = width as usize * height as usize * 3;
    // A header may promise what never comes.
    let mut pixels = Vec::with_capacity(size.min(CAPACITY_MAX));
    from.take(size as u64).read_to_end(&mut pixels)?;
    // A short buffer gives no picture: the stream broke off.
    Ok(RgbImage::from_raw(width, height, pixels))
}

/// Text up to one blank, which is consumed; `None` at the end of the stream.
fn read_word(from: &mut impl BufRead) -> std::io::Result<Option<String>> {
    let mut word = String::new();
    for byte in from.by_ref().bytes().take(16) {
        match byte? {
            b' ' | b'\n' => return Ok(Some(word)),
            byte => word.push(char::from(byte)),
        }
    }
    match word.len() {
        16 => Err(Error::new(ErrorKind::InvalidData, "the picture stream is no PPM")),
        _ => Ok(None),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    proptest::proptest! {
        #[test]
        fn no_stream_of_bytes_does_harm(start in 0usize..4, bytes in proptest::collection::vec(proptest::num::u8::ANY, 0..200)) {
            let headers: [&[u8]; 4] = [b"", b"P6\n", b"P6\n4 4\n255\n", b"P6\n16384 16384\n255\n"];
            let stream = [headers[start], &bytes].concat();
            let mut from = &stream[..];
            // Ends for every stream, with pictures, their end, or an error.
            while let Ok(Some(picture)) = read_picture(&mut from) {
                proptest::prop_assert!(picture.width() > 0 && picture.height() > 0);
            }
        }
    }

    #[test]
    fn pictures_are_read_until_the_stream_breaks_off() {
        let stream = b"P6\n2 1\n255\nabcdefP6\n1 1\n255\nxyzP6\n2 2\n255\nabc";
        let mut from = &stream[..];
        assert_eq!(read_picture(&mut from).unwrap().unwrap().dimensions(), (2, 1));
        assert_eq!(read_picture(&mut from).unwrap().unwrap().into_raw(), b"xyz");
        assert!(read_picture(&mut from).unwrap().is_none());
        assert!(read_picture(&mut &b""[..]).unwrap().is_none());
    }

    #[test]
    fn other_data_is_an_error() {
        for data in [
            &b"GIF89a\n"[..],
            b"P5\n1 1\n255\nx",
            b"P6\n99999 1\n255\n",
            b"P6\n1 1\n65535\nxx",
            b"aaaaaaaaaaaaaaaaaaaaaaaaaa",
        ] {
            assert!(read_picture(&mut &data[..]).is_err(), "{data:?}");
        }
    }
}
