//! A session's pictures as a source.

use super::SessionError;
use super::read::SessionReader;
use super::record::Record;
use crate::edge::{CameraError, FrameSource};
use crate::message::Frame;
use crate::time::HostTime;
use std::path::Path;

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

    fn read_share(&self) -> Option<f64> {
        self.reader.read_share()
    }

    /// Places where records were damaged: a picture each, if no event or calibration was.
    fn dropped(&self) -> u64 {
        self.reader.damaged()
    }
}
