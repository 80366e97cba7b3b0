//! What a viewer gets in one answer: the state, the picture that it was read from, and perhaps a second picture. Together,
//! so that marks and picture always agree.

use image::RgbImage;
use jpeg_encoder::{ColorType, Encoder};
use serde_json::Value;
use std::borrow::Cow;

/// A live picture's quality: every cell is clear, and 640×480 takes about 40 kB.
const JPEG_QUALITY: u8 = 75;
/// Wider pictures are halved for viewers; the robot reads them whole.
const WIDTH_MAX: u32 = 1300;

/// The parts of an answer.
#[derive(Default)]
pub struct Packet {
    /// The state.
    pub json: Value,
    /// The camera's picture, JPEG.
    pub picture: Vec<u8>,
    /// The field, rectified, JPEG.
    pub strip: Vec<u8>,
}

impl Packet {
    /// As bytes: each part after its length (32 bits, low byte first).
    pub fn to_bytes(&self) -> Vec<u8> {
        let json = self.json.to_string();
        let parts = [json.as_bytes(), &self.picture, &self.strip];
        let mut bytes = Vec::with_capacity(parts.iter().map(|p| p.len() + 4).sum());
        for part in parts {
            bytes.extend((part.len() as u32).to_le_bytes());
            bytes.extend(part);
        }
        bytes
    }
}

/// A picture for viewers; empty if it cannot be encoded, which no picture of a sane size is.
pub fn jpeg(image: &RgbImage) -> Vec<u8> {
    let image = halved(image);
    let (Ok(width), Ok(height)) = (u16::try_from(image.width()), u16::try_from(image.height())) else {
        return Vec::new();
    };
    let mut bytes = Vec::new();
    match Encoder::new(&mut bytes, JPEG_QUALITY).encode(&image, width, height, ColorType::Rgb) {
        Ok(()) => bytes,
        Err(error) => {
            tracing::debug!("a picture cannot be shown: {error}");
            Vec::new()
        }
    }
}

fn halved(image: &RgbImage) -> Cow<'_, RgbImage> {
    let mut image = Cow::Borrowed(image);
    while image.width() > WIDTH_MAX {
        image = Cow::Owned(image::imageops::thumbnail(&*image, image.width() / 2, (image.height() / 2).max(1)));
    }
    image
}
