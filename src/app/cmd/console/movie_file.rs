//! `.fm2` movies on the disk.

use crate::file::{self, Existing, FileError, LINES_BYTES_MAX};
use crate::game::machine::movie::Movie;
use anyhow::Context;
use std::path::{Path, PathBuf};

/// Reads a movie.
///
/// # Errors
/// When the file cannot be read or is no movie that can be played here.
pub fn read(path: &Path) -> anyhow::Result<Movie> {
    let bytes = file::read_bytes(path, LINES_BYTES_MAX)?;
    Movie::parse(&bytes).with_context(|| format!("cannot play the movie {}", path.display()))
}

/// Where a run's movie goes, asked before the run, so that a wrong name costs no run.
pub struct MovieFile(Option<(PathBuf, Existing)>);

impl MovieFile {
    /// A new file; nothing if no name is given.
    ///
    /// # Errors
    /// When there is such a file already and it is to be kept, or it cannot be made.
    pub fn create(path: Option<&Path>, existing: Existing) -> Result<Self, FileError> {
        path.map_or(Ok(()), |path| file::check(path, existing))?;
        Ok(Self(path.map(|path| (path.into(), existing))))
    }

    /// Writes the movie.
    ///
    /// # Errors
    /// When the disk is full or gone.
    pub fn write(self, movie: &Movie) -> Result<(), FileError> {
        let Some((path, existing)) = self.0 else { return Ok(()) };
        file::save(&path, movie.to_text().as_bytes(), existing)
    }
}
