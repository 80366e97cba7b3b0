//! Where a training is written to and goes on from, and its part of a larger one.

use crate::app::args::Misuse;
use crate::app::args::files::Overwrite;
use crate::file::{self, Existing};
use crate::train::training::Shard;
use anyhow::Context;
use std::path::{Path, PathBuf};

/// The option of what can be done on many machines.
#[derive(clap::Args)]
pub struct Part {
    /// Do only this part of the work, such as 2/4, and write it to --out for `train merge`, or for `train mean` if it is a
    /// learned value's.
    #[arg(help_heading = "Machine", long, value_name = "I/N")]
    pub shard: Option<Shard>,
}

/// Options of everything that learns.
#[derive(clap::Args)]
pub struct TrainingFiles {
    /// The file for what was learned.
    #[arg(help_heading = "Files", long, value_name = "FILE")]
    pub out: PathBuf,
    /// Write down here, again and again, how far it is; where there is such a file, go on from there.
    #[arg(help_heading = "Files", long, value_name = "FILE")]
    checkpoint: Option<PathBuf>,
    #[command(flatten)]
    overwrite: Overwrite,
}

impl TrainingFiles {
    /// Before the work, not after it.
    ///
    /// # Errors
    /// When a file could not be written, or both are the same.
    pub fn check(&self) -> anyhow::Result<()> {
        if self.checkpoint.as_ref() == Some(&self.out) {
            return Err(Misuse("--checkpoint and --out name the same file; give two".into()).into());
        }
        file::check(&self.out, self.existing())?;
        Ok(())
    }

    /// Whether the outcome may replace a file.
    pub fn existing(&self) -> Existing {
        self.overwrite.existing()
    }

    /// Where it is written down, if that is wanted.
    pub fn checkpoint(&self) -> Option<&Path> {
        self.checkpoint.as_deref()
    }

    /// The checkpoint from which to go on, if there is one.
    ///
    /// # Errors
    /// When none could be written.
    pub fn begun(&self) -> anyhow::Result<Option<&Path>> {
        let Some(path) = self.checkpoint() else { return Ok(None) };
        if path.try_exists().unwrap_or(true) {
            return Ok(Some(path));
        }
        file::check(path, Existing::Keep)?;
        Ok(None)
    }

    /// Writes down how far it is, if that is wanted.
    ///
    /// # Errors
    /// When it cannot be written; what was written before stays.
    pub fn write_down(&self, bytes: impl FnOnce() -> anyhow::Result<Vec<u8>>) -> anyhow::Result<()> {
        let Some(path) = self.checkpoint() else { return Ok(()) };
        file::save(path, &bytes()?, Existing::Replace).with_context(|| {
            format!("the training ends, for it cannot be written down; {} is as it was last written, and the same command goes on from there", path.display())
        })
    }
}
