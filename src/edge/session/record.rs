//! One record of a session, and its bytes.

use crate::file::{self, PIXELS_MAX};
use crate::message::Frame;
use crate::time::{CameraFrame, HostTime};
use std::sync::Arc;

/// Kind, length, checksum.
pub(super) const HEADER_BYTES: usize = 9;
/// Longer than any picture; a length beyond it is damage.
pub(super) const PAYLOAD_BYTES_MAX: u32 = 256 << 20;

/// Events and calibrations after damage are looked for up to this length.
const TEXT_BYTES_MAX: u32 = 1 << 20;

const PICTURE: u8 = 1;
const EVENT: u8 = 2;
const CALIBRATION: u8 = 3;

/// One thing that was recorded.
#[derive(Debug, Clone)]
pub enum Record {
    /// A picture, with the times of the run (not shifted to 0).
    Frame(Frame),
    /// One line of JSON.
    Event(String),
    /// The text of the calibration file in use.
    Calibration(String),
}

/// A record before its picture is decoded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Packed {
    Picture { index: u64, time_us: i64, file: Vec<u8> },
    Event(String),
    Calibration(String),
}

impl Packed {
    /// The record's bytes, header included.
    pub(super) fn to_bytes(&self) -> Vec<u8> {
        let (kind, payload) = match self {
            Self::Picture { index, time_us, file } => {
                (PICTURE, [&index.to_le_bytes()[..], &time_us.to_le_bytes(), file].concat())
            }
            Self::Event(text) => (EVENT, text.as_bytes().to_vec()),
            Self::Calibration(text) => (CALIBRATION, text.as_bytes().to_vec()),
        };
        let length = (payload.len() as u32).to_le_bytes();
        let mut bytes = Vec::with_capacity(HEADER_BYTES + payload.len());
        bytes.push(kind);
        bytes.extend(length);
        bytes.extend(checksum(kind, length, &payload).to_le_bytes());
        bytes.extend(payload);
        bytes
    }

    /// The record of this kind and payload; `None` if it makes no sense.
    pub(super) fn from_payload(kind: u8, mut payload: Vec<u8>) -> Option<Self> {
        match kind {
            PICTURE => {
                let index = u64::from_le_bytes(payload.get(..8)?.try_into().ok()?);
                let time_us = i64::from_le_bytes(payload.get(8..16)?.try_into().ok()?);
                payload.drain(..16);
                Some(Self::Picture { index, time_us, file: payload })
            }
            EVENT => String::from_utf8(payload).ok().map(Self::Event),
            CALIBRATION => String::from_utf8(payload).ok().map(Self::Calibration),
            _ => None,
        }
    }

    /// Decodes a picture; other records are as they are.
    pub(super) fn unpack(self) -> Option<Record> {
        Some(match self {
            Self::Event(text) => Record::Event(text),
            Self::Calibration(text) => Record::Calibration(text),
            Self::Picture { index, time_us, file } => {
                let image = file::decode_picture(&file, PIXELS_MAX).ok()?.into_rgb8();
                let (index, time) = (CameraFrame(index), HostTime(time_us));
                Record::Frame(Frame { index, time, name: None, file: Some(file.into()), image: Arc::new(image) })
            }
        })
    }
}

/// Bytes of a record that [`may_begin`] looks at: header, index and time of a picture, and how its file begins.
pub(super) const BEGINNING_BYTES: usize = HEADER_BYTES + 16 + 4;

/// Whether a record may begin with these bytes; only its checksum says so for certain. For finding the next one after damage:
/// hardly any byte of a picture passes, so few checksums must be made.
pub(super) fn may_begin(bytes: &[u8]) -> bool {
    let Some((&[kind, l0, l1, l2, l3, ..], payload)) = bytes.split_first_chunk::<HEADER_BYTES>() else { return false };
    let length = u32::from_le_bytes([l0, l1, l2, l3]);
    length <= PAYLOAD_BYTES_MAX
        && match kind {
            PICTURE => payload.get(16..).is_some_and(|file| {
                length > 16 && (file.starts_with(&[0xff, 0xd8, 0xff]) || file.starts_with(b"\x89PNG"))
            }),
            EVENT | CALIBRATION => {
                length <= TEXT_BYTES_MAX && payload.first().is_none_or(|first| !first.is_ascii_control())
            }
            _ => false,
        }
}

pub(super) fn checksum(kind: u8, length: [u8; 4], payload: &[u8]) -> u32 {
    let mut hasher = crc32fast::Hasher::new();
    hasher.update(&[kind]);
    hasher.update(&length);
    hasher.update(payload);
    hasher.finalize()
}
