//! Files: written whole or not at all, read up to a limit.
//!
//! A file is written beside its place under a name that nobody can guess, brought to the disk, and only then renamed: a crash
//! leaves the old file or the new one. Nothing is written through a symbolic link, and nothing that exists is overwritten
//! unless the user said so. What is read is measured before room is made for it.

mod picture;
mod read;
mod save;

pub use picture::{PIXELS_MAX, PictureError, SIDE_MAX, check_size, decode_jpeg, decode_picture, read_picture};
pub use read::{LINES_BYTES_MAX, SETTINGS_BYTES_MAX, read_bytes, read_text};
pub use save::{
    Existing, WholeFile, append, check, create_folder, create_stream, save, save_and_keep_old, save_picture,
};

use std::path::PathBuf;
use thiserror::Error;

/// Lets a write fail that makes a file longer than the system allows; by itself that ends the program (SIGXFSZ), whatever
/// else it is doing.
///
/// # Errors
/// When the system takes no signal handler.
pub fn outlive_size_limits() -> std::io::Result<()> {
    #[cfg(unix)]
    signal_hook::flag::register(signal_hook::consts::SIGXFSZ, std::sync::Arc::default())?;
    Ok(())
}

/// Why a file cannot be written or read.
#[derive(Debug, Error)]
pub enum FileError {
    /// There is such a file.
    #[error("{path} exists already and is not overwritten; choose another name, remove it, or add --force")]
    Exists {
        /// The file.
        path: PathBuf,
    },
    /// The name is a symbolic link.
    #[error(
        "{path} is a symbolic link, and nothing is written through one; name the file that it points to, or remove the link"
    )]
    Link {
        /// The link.
        path: PathBuf,
    },
    /// A folder, a device, a pipe.
    #[error("{path} is no ordinary file; choose another name")]
    Special {
        /// What was named.
        path: PathBuf,
    },
    /// The system says no.
    #[error(
        "cannot write {path}; check that its folder exists, that you may write there and that the disk is not full"
    )]
    Write {
        /// The file.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// The system says no.
    #[error("cannot read {path}; check that the path is right and that you may read it")]
    Read {
        /// The file.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// Longer than such a file can sensibly be.
    #[error("{path} is longer than {bytes_max} bytes, the most that is read of such a file; shorten it")]
    TooLong {
        /// The file.
        path: PathBuf,
        /// The limit.
        bytes_max: u64,
    },
}
