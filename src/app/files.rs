//! Small questions about the file system.

use crate::camera::SourceSpec;

/// Whether the source is a folder of pictures or one picture.
pub fn is_pictures(source: &str) -> bool {
    matches!(SourceSpec::parse(source), Ok(SourceSpec::Pictures(_)))
}
