//! A run, recorded: pictures, events and the calibration in one append-only file that survives a crash.
//!
//! The file starts with the line `STACKHAND SESSION 1`. Then come records: one byte of kind, the payload's length (u32), a CRC-32 of kind,
//! length and payload (u32), the payload. Numbers are little-endian. A damaged record is passed over: the next one is where the
//! bytes look like a record's beginning and the checksum agrees. Where there is none any more the recording was cut off.

mod cut;
mod read;
mod record;
mod source;
mod write;

pub use cut::cut;
pub use read::SessionReader;
pub use record::Record;
pub use source::SessionSource;
pub use write::{Losses, PictureFormat, SessionOptions, SessionSummary, SessionWriter, Storage};

use crate::file::FileError;
use std::io::Read;
use std::path::{Path, PathBuf};
use thiserror::Error;

/// A session file's first bytes.
pub(in crate::edge) const MAGIC: &[u8] = b"STACKHAND SESSION 1\n";

/// Why a recording cannot be written or read.
#[derive(Debug, Error)]
pub enum SessionError {
    /// The file exists already, or cannot be created.
    #[error(transparent)]
    Create(#[from] FileError),
    /// The system gives no thread to write with.
    #[error("the system gives no thread to write the recording {path} with; close other programs, then start again")]
    Thread {
        /// The file.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// The file cannot be written any more.
    #[error(
        "cannot go on writing the recording {path}; check that the disk is not full (what was written so far is good)"
    )]
    Write {
        /// The file.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// The file cannot be read.
    #[error("cannot read the recording {path}; check that the path is right and that you may read it")]
    Read {
        /// The file.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// Another kind of file, or another version.
    #[error("{path} is no recorded session of this version; record one with `stackhand play --record`")]
    NotASession {
        /// The file.
        path: PathBuf,
    },
    /// A whole record whose content makes no sense.
    #[error(
        "the recording {path} holds a {what} that cannot be decoded, at byte {position}; record it again with this version"
    )]
    Content {
        /// The file.
        path: PathBuf,
        /// Which kind of record.
        what: &'static str,
        /// Where the record starts.
        position: u64,
    },
}

/// Whether the file starts like a recorded session.
pub fn is_session(path: &Path) -> bool {
    let mut start = [0; MAGIC.len()];
    std::fs::File::open(path).and_then(|mut file| file.read_exact(&mut start)).is_ok() && start == *MAGIC
}
