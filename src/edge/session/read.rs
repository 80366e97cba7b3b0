//! Reading a session back: every whole record, also after damaged ones.

use super::record::{BEGINNING_BYTES, HEADER_BYTES, PAYLOAD_BYTES_MAX, Packed, Record, checksum, may_begin};
use super::{MAGIC, SessionError};
use std::fs::File;
use std::io::{BufReader, Error, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

/// Bytes that are looked through at a time for the next record after damage.
const SCANNED_BYTES: usize = 1 << 18;
/// Bytes that are read again in search of the next record: a file made to look full of beginnings ends the search.
const SEARCH_BYTES_MAX: u64 = 4 << 30;

/// What a session is read from.
trait Source: Read + Seek + Send {}

impl<T: Read + Seek + Send> Source for T {}

/// Reads a session's records in the order in which they were written.
pub struct SessionReader {
    path: PathBuf,
    input: BufReader<Box<dyn Source>>,
    position: u64,
    /// All bytes there are, as far as that is known.
    length: Option<u64>,
    ended: bool,
    damaged: u64,
    search_bytes: u64,
    is_quiet: bool,
}

impl SessionReader {
    /// Opens a session.
    ///
    /// # Errors
    /// When the file cannot be read or is no session.
    pub fn open(path: &Path) -> Result<Self, SessionError> {
        let file = File::open(path).map_err(|source| SessionError::Read { path: path.into(), source })?;
        Self::over(file, path)
    }

    /// Reads a session from anywhere; `path` is what messages call it.
    ///
    /// # Errors
    /// When it cannot be read or is no session.
    pub fn over(input: impl Read + Seek + Send + 'static, path: &Path) -> Result<Self, SessionError> {
        let input: BufReader<Box<dyn Source>> = BufReader::new(Box::new(input));
        let mut reader = Self {
            path: path.into(),
            input,
            position: 0,
            length: None,
            ended: false,
            damaged: 0,
            search_bytes: SEARCH_BYTES_MAX,
            is_quiet: false,
        };
        reader.length = reader.input.seek(SeekFrom::End(0)).ok();
        reader.seek(0)?;
        let start = reader.take(MAGIC.len())?;
        if start != MAGIC {
            return Err(SessionError::NotASession { path: path.into() });
        }
        Ok(reader)
    }

    /// Damage is not told: another reader of the same file does so.
    #[must_use]
    pub fn quiet(self) -> Self {
        Self { is_quiet: true, ..self }
    }

    /// Places where records were damaged, so far; each was passed over and told.
    pub fn damaged(&self) -> u64 {
        self.damaged
    }

    /// How much of it has been read, 0 to 1.
    pub fn read_share(&self) -> Option<f64> {
        self.length.filter(|length| *length > 0).map(|length| self.position as f64 / length as f64)
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
        let whole = match self.header()? {
            None => {
                self.ended = true;
                return Ok(None);
            }
            Some(header) => self.payload(header)?,
        };
        let whole = match whole {
            None => self.after_damage(position)?,
            whole => whole,
        };
        let Some((kind, payload)) = whole else {
            self.ended = true;
            return Ok(None);
        };
        let what = "record of an unknown kind";
        let unknown = SessionError::Content { path: self.path.clone(), what, position };
        Packed::from_payload(kind, payload).map(Some).ok_or(unknown)
    }

    /// The bytes of a record's header, fewer if they end within it; `None` at the end.
    fn header(&mut self) -> Result<Option<Vec<u8>>, SessionError> {
        let header = self.take(HEADER_BYTES)?;
        Ok((!header.is_empty()).then_some(header))
    }

    /// A record's kind and payload; `None` if the record is cut off or damaged.
    fn payload(&mut self, header: Vec<u8>) -> Result<Option<(u8, Vec<u8>)>, SessionError> {
        let &[kind, l0, l1, l2, l3, c0, c1, c2, c3] = header.as_slice() else { return Ok(None) };
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

    /// The next whole record after a damaged one that begins at this position; `None` if there is none: then the recording
    /// was cut off here.
    fn after_damage(&mut self, damaged: u64) -> Result<Option<(u8, Vec<u8>)>, SessionError> {
        let name = self.path.display().to_string();
        let mut from = damaged + 1;
        while let Some(candidate) = self.next_beginning(from)? {
            self.seek(candidate)?;
            let found = match self.header()? {
                Some(header) => self.payload(header)?,
                None => None,
            };
            let tried_bytes = self.position - candidate + SCANNED_BYTES as u64;
            self.search_bytes = self.search_bytes.saturating_sub(tried_bytes);
            if found.is_some() {
                self.damaged += 1;
                if !self.is_quiet {
                    tracing::warn!(
                        "the recording {name} is damaged from byte {damaged} to {candidate}; what is there is lost, the rest is read"
                    );
                }
                return Ok(found);
            }
            if self.search_bytes == 0 {
                break;
            }
            from = candidate + 1;
        }
        if !self.is_quiet {
            tracing::warn!("the recording {name} breaks off at byte {damaged}; what came before is good");
        }
        Ok(None)
    }

    /// The first position from here on at which a record may begin.
    fn next_beginning(&mut self, mut from: u64) -> Result<Option<u64>, SessionError> {
        loop {
            self.seek(from)?;
            let bytes = self.take(SCANNED_BYTES)?;
            let found = (0..bytes.len()).find(|&at| may_begin(&bytes[at..bytes.len().min(at + BEGINNING_BYTES)]));
            // Near the end of what was looked through not all that is asked for may be in it.
            match found {
                Some(at) => return Ok(Some(from + at as u64)),
                None if bytes.len() < SCANNED_BYTES => return Ok(None),
                None => from += (SCANNED_BYTES - BEGINNING_BYTES) as u64,
            }
        }
    }

    fn seek(&mut self, position: u64) -> Result<(), SessionError> {
        let moved = self.input.seek(SeekFrom::Start(position));
        moved.map_err(|source| SessionError::Read { path: self.path.clone(), source })?;
        self.position = position;
        Ok(())
    }

    /// Up to `count` bytes; fewer only at the end of the file.
    fn take(&mut self, count: usize) -> Result<Vec<u8>, SessionError> {
        let mut bytes = Vec::new();
        let read = self.input.by_ref().take(count as u64).read_to_end(&mut bytes);
        read.map_err(|source: Error| SessionError::Read { path: self.path.clone(), source })?;
        self.position += bytes.len() as u64;
        Ok(bytes)
    }
}
