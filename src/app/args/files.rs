//! Small questions about the file system.

use crate::edge::camera::SourceSpec;
use crate::file::Existing;

/// Whether files that exist may be written over.
#[derive(clap::Args, Debug, Clone, Copy)]
pub struct Overwrite {
    /// Write over files that exist already.
    #[arg(help_heading = "Files", long)]
    force: bool,
}

impl Overwrite {
    /// Whether that was said.
    pub fn is_given(self) -> bool {
        self.force
    }

    /// What becomes of a file that exists already.
    pub fn existing(self) -> Existing {
        if self.force { Existing::Replace } else { Existing::Keep }
    }
}

/// Whether the source is a folder of pictures or one picture.
pub fn is_pictures(source: &str) -> bool {
    matches!(SourceSpec::parse(source), Ok(SourceSpec::Pictures(_)))
}
