//! Reading whole files, up to a limit.

use super::FileError;
use std::fs::File;
use std::io::{Error, ErrorKind, Read};
use std::path::Path;

/// Settings that a person writes: calibrations, layouts. Thousands of times what they need.
pub const SETTINGS_BYTES_MAX: u64 = 1 << 20;
/// Files of many lines: movies, truths, test vectors. Ten million frames of a movie are a third of it.
pub const LINES_BYTES_MAX: u64 = 512 << 20;

/// A file's bytes.
///
/// # Errors
/// When it cannot be read, or is longer than `bytes_max`.
pub fn read_bytes(path: &Path, bytes_max: u64) -> Result<Vec<u8>, FileError> {
    let failed = |source| FileError::Read { path: path.into(), source };
    let mut bytes = Vec::new();
    // The length that the system names may be wrong: of a pipe, a device, a file that grows.
    File::open(path).map_err(failed)?.take(bytes_max + 1).read_to_end(&mut bytes).map_err(failed)?;
    match bytes.len() as u64 > bytes_max {
        true => Err(FileError::TooLong { path: path.into(), bytes_max }),
        false => Ok(bytes),
    }
}

/// A file's text.
///
/// # Errors
/// When it cannot be read, is longer than `bytes_max`, or no text (UTF-8).
pub fn read_text(path: &Path, bytes_max: u64) -> Result<String, FileError> {
    let no_text =
        |_| FileError::Read { path: path.into(), source: Error::new(ErrorKind::InvalidData, "it is no text") };
    String::from_utf8(read_bytes(path, bytes_max)?).map_err(no_text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_read_up_to_its_limit_and_not_beyond() {
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), "twelve bytes").unwrap();
        assert_eq!(read_text(file.path(), 12).unwrap(), "twelve bytes");
        assert!(matches!(read_bytes(file.path(), 11), Err(FileError::TooLong { bytes_max: 11, .. })));
        std::fs::write(file.path(), [0xff, 0xfe]).unwrap();
        assert!(read_text(file.path(), 12).unwrap_err().to_string().contains("check that the path is right"));
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_file_without_end_is_refused() {
        assert!(matches!(read_bytes(Path::new("/dev/zero"), 1000), Err(FileError::TooLong { .. })));
    }
}
