//! Reading a session back, up to the last whole record.

use super::record::{HEADER_BYTES, PAYLOAD_BYTES_MAX, Packed, Record, checksum};
use super::{MAGIC, SessionError};
use crate::camera::{CameraError, FrameSource};
use crate::message::Frame;
use crate::time::HostTime;
use std::fs::File;
use std::io::{BufReader, Error, Read};
use std::path::{Path, PathBuf};

/// Reads a session's records in the order in which they were written.
pub struct SessionReader {
    path: PathBuf,
    file: BufReader<File>,
    position: u64,
    ended: bool,
}

impl SessionReader {
    /// Opens a session.
    ///
    /// # Errors
    /// When the file cannot be read or is no session.
    pub fn open(path: &Path) -> Result<Self, SessionError> {
        let file = File::open(path).map_err(|source| SessionError::Read { path: path.into(), source })?;
        let mut reader = Self { path: path.into(), file: BufReader::new(file), position: 0, ended: false };
        let start = reader.take(MAGIC.len())?;
        if start != MAGIC {
            return Err(SessionError::NotASession { path: path.into() });
        }
        Ok(reader)
    }

    /// The next record; `None` after the last whole one.
    ///
    /// # Errors
    /// When reading fails, or a whole record makes no sense.
    pub fn next_record(&mut self) -> Result<Option<Record>, SessionError> {
        let position = self.position;
        let Some(packed) = self.next_packed()? else { return Ok(None) };
        let undecodable = SessionError::Content { path: self.path.clone(), what: "picture", position };
        packed.unpack().map(Some).ok_or(undecodable)
    }

    /// The next event's line; pictures are passed over undecoded. `None` after the last.
    ///
    /// # Errors
    /// As [`Self::next_record`].
    pub fn next_event(&mut self) -> Result<Option<String>, SessionError> {
        while let Some(packed) = self.next_packed()? {
            if let Packed::Event(line) = packed {
                return Ok(Some(line));
            }
        }
        Ok(None)
    }

    pub(super) fn next_packed(&mut self) -> Result<Option<Packed>, SessionError> {
        if self.ended {
            return Ok(None);
        }
        let position = self.position;
        let header = self.take(HEADER_BYTES)?;
        if header.is_empty() {
            self.ended = true;
            return Ok(None);
        }
        let Some((kind, payload)) = self.payload(&header)? else {
            tracing::warn!(
                "the recording {} breaks off at byte {position}; what came before is good",
                self.path.display()
            );
            self.ended = true;
            return Ok(None);
        };
        let what = "record of an unknown kind";
        let unknown = SessionError::Content { path: self.path.clone(), what, position };
        Packed::from_payload(kind, payload).map(Some).ok_or(unknown)
    }

    /// A record's kind and payload; `None` if the record is cut off or damaged.
    fn payload(&mut self, header: &[u8]) -> Result<Option<(u8, Vec<u8>)>, SessionError> {
        let &[kind, l0, l1, l2, l3, c0, c1, c2, c3] = header else { return Ok(None) };
        let length_bytes = [l0, l1, l2, l3];
        let length = u32::from_le_bytes(length_bytes);
        if length > PAYLOAD_BYTES_MAX {
            return Ok(None);
        }
        let payload = self.take(length as usize)?;
        let is_whole = payload.len() == length as usize
            && checksum(kind, length_bytes, &payload) == u32::from_le_bytes([c0, c1, c2, c3]);
        Ok(is_whole.then_some((kind, payload)))
    }

    /// Up to `count` bytes; fewer only at the end of the file.
    fn take(&mut self, count: usize) -> Result<Vec<u8>, SessionError> {
        let mut bytes = Vec::new();
        let read = self.file.by_ref().take(count as u64).read_to_end(&mut bytes);
        read.map_err(|source: Error| SessionError::Read { path: self.path.clone(), source })?;
        self.position += bytes.len() as u64;
        Ok(bytes)
    }
}

/// A session's pictures as a source, at the session's own times from 0 at its first picture.
pub struct SessionSource {
    reader: SessionReader,
    calibration: Option<String>,
    /// The first picture, found while looking for the calibration.
    first: Option<Frame>,
    start: Option<HostTime>,
}

impl SessionSource {
    /// Opens a session and reads up to its first picture.
    ///
    /// # Errors
    /// When the file cannot be read or is no session.
    pub fn open(path: &Path) -> Result<Self, SessionError> {
        let mut reader = SessionReader::open(path)?;
        let mut calibration = None;
        let mut first = None;
        // What follows the first picture is not to be read yet.
        while first.is_none() {
            let Some(record) = reader.next_record()? else { break };
            match record {
                Record::Frame(frame) => first = Some(frame),
                Record::Calibration(text) => calibration = Some(text),
                Record::Event(_) => {}
            }
        }
        Ok(Self { reader, calibration, start: first.as_ref().map(|f| f.time), first })
    }

    /// The text of the calibration that was in use, if it was recorded before the first picture.
    pub fn calibration(&self) -> Option<&str> {
        self.calibration.as_deref()
    }

    fn next_as_recorded(&mut self) -> Result<Option<Frame>, SessionError> {
        if let Some(frame) = self.first.take() {
            return Ok(Some(frame));
        }
        while let Some(record) = self.reader.next_record()? {
            if let Record::Frame(frame) = record {
                return Ok(Some(frame));
            }
        }
        Ok(None)
    }
}

impl FrameSource for SessionSource {
    fn next_frame(&mut self) -> Result<Option<Frame>, CameraError> {
        let Some(mut frame) = self.next_as_recorded()? else { return Ok(None) };
        let start = *self.start.get_or_insert(frame.time);
        frame.time = HostTime(frame.time - start);
        Ok(Some(frame))
    }

    fn is_live(&self) -> bool {
        false
    }
}
