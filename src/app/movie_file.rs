//! `.fm2` movies on the disk.

use crate::game::nes::movie::Movie;
use anyhow::{Context, bail};
use std::fs::File;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};

/// Larger files are not read: ten million frames are a third of it.
const BYTES_MAX: u64 = 512 << 20;

/// Reads a movie.
///
/// # Errors
/// When the file cannot be read or is no movie that can be played here.
pub fn read(path: &Path) -> anyhow::Result<Movie> {
    let name = path.display();
    let cannot = || format!("cannot read the movie {name}; check that the path is right and that you may read it");
    let mut bytes = Vec::new();
    File::open(path).with_context(cannot)?.take(BYTES_MAX + 1).read_to_end(&mut bytes).with_context(cannot)?;
    if bytes.len() as u64 > BYTES_MAX {
        bail!("the movie {name} is larger than {} MiB; shorten it", BYTES_MAX >> 20);
    }
    Movie::parse(&bytes).with_context(|| format!("cannot play the movie {name}"))
}

/// Where a run's movie goes; the file is made before the run, so that a wrong name costs no run.
pub struct MovieFile(Option<(PathBuf, File)>);

impl MovieFile {
    /// A new file; nothing if no name is given.
    ///
    /// # Errors
    /// When there is such a file already, or it cannot be made.
    pub fn create(path: Option<&Path>) -> anyhow::Result<Self> {
        let Some(path) = path else { return Ok(Self(None)) };
        let cannot = || format!("cannot write the movie {}; choose a file that does not exist yet", path.display());
        Ok(Self(Some((path.into(), File::create_new(path).with_context(cannot)?))))
    }

    /// Writes the movie.
    ///
    /// # Errors
    /// When the disk is full or gone.
    pub fn write(self, movie: &Movie) -> anyhow::Result<()> {
        let Some((path, mut file)) = self.0 else { return Ok(()) };
        let text = movie.to_text();
        file.write_all(text.as_bytes())
            .with_context(|| format!("cannot write the movie {}; check that the disk is not full", path.display()))
    }
}
