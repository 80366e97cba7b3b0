//! Who plays: what a name or a file after `--ai` means.

use crate::app::out;
use crate::file::{self, FileError, SETTINGS_BYTES_MAX};
use crate::planner::{Evaluator, Weights, WeightsError};
use std::io;
use std::path::Path;

/// What is given instead of a name to see all of them.
pub const LIST: &str = "list";

/// Why there is no such player.
#[derive(Debug, thiserror::Error)]
pub enum AiError {
    /// No name, or no good file.
    #[error(transparent)]
    Weights(#[from] WeightsError),
    /// The file.
    #[error("cannot take the weights from a file; `--ai list` shows those that come with the program")]
    File(#[from] FileError),
}

/// What `--ai` means: weights that come with the program, by name, or those of a .toml file.
///
/// # Errors
/// When there are none of this name, or the file cannot be read or is not valid.
pub fn load(spec: &str) -> Result<Box<dyn Evaluator>, AiError> {
    let path = Path::new(spec);
    if path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("toml")) {
        return Ok(Box::new(Weights::parse(spec, &file::read_text(path, SETTINGS_BYTES_MAX)?)?));
    }
    Ok(Box::new(Weights::named(spec)?))
}

/// Prints what comes with the program: a line each, its name and what it is.
///
/// # Errors
/// When standard output is closed or full.
pub fn print_list() -> io::Result<()> {
    let width = Weights::names().map(str::len).max().unwrap_or(0);
    for name in Weights::names() {
        let about = Weights::named(name).map_or_else(|error| error.to_string(), |weights| weights.about().to_string());
        out::line(format_args!("{name:width$}  {about}"))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_files_are_taken_and_others_refused_with_what_there_is() {
        assert!(Weights::names().all(|name| load(name).is_ok()));
        let refusal = |spec: &str| load(spec).err().map(|error| format!("{:#}", anyhow::Error::from(error))).unwrap();
        assert!(refusal("nobody").contains("birken-2019") && refusal("nobody").contains(".toml"));
        assert!(refusal("nope.toml").contains("nope.toml") && refusal("nope.toml").contains("--ai list"));
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("mine.toml");
        std::fs::write(&path, "about = \"\"\nbetter = \"lower\"\n[weights]\nholes = 1\n").unwrap();
        assert!(load(path.to_str().unwrap()).is_ok());
        std::fs::write(&path, "about = \"\"\nbetter = \"lower\"\n[weights]\nhats = 1\n").unwrap();
        assert!(refusal(path.to_str().unwrap()).contains("a feature \"hats\""));
    }
}
