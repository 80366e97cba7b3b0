//! Who plays: what a name or a file after `--ai` means.

use crate::app::out;
use crate::file::{self, FileError, SETTINGS_BYTES_MAX};
use crate::game::Rules;
use crate::planner::brain::{MODERN, STEADY, UNTURNED};
use crate::planner::modern::Ahead;
use crate::planner::value::patterns::FIELD;
use crate::planner::{Brain, BrainError, Filters, Hand, Value, Weights};
use crate::profile::layout::Layout;
use crate::schedule::Finger;
use std::io;
use std::path::Path;

/// What is given instead of a name to see all of them.
pub const LIST: &str = "list";
/// A file of a learned value is not larger, bytes.
const VALUE_BYTES_MAX: u64 = 16 << 20;

/// Why there is no such player.
#[derive(Debug, thiserror::Error)]
pub enum AiError {
    /// No name, or no good file.
    #[error(transparent)]
    Brain(#[from] BrainError),
    /// The file.
    #[error("cannot take an AI from a file; `stackhand tournament --ai list` shows those that come with the program")]
    File(#[from] FileError),
}

/// What `--ai` means: one that comes with the program, by name, the weights of a .toml file, or a learned value's .value file.
///
/// # Errors
/// When there is none of this name, or the file cannot be read or is not valid.
pub fn load(spec: &str) -> Result<Brain, AiError> {
    let path = Path::new(spec);
    if is_file(spec, "toml") {
        let weights = Weights::parse(spec, &file::read_text(path, SETTINGS_BYTES_MAX)?);
        return Ok(weights.map_err(BrainError::from)?.into());
    }
    if is_file(spec, "value") {
        return Ok(load_value(spec)?.into());
    }
    Ok(Brain::named(spec)?)
}

/// Who decides where nobody is named: on the console whose games values were learned in, the one for such a
/// finger, or the one for games without turns; in games with hold and kicks, who looks ahead as one plays the modern game; in all other
/// games, and where filters ask for more than that, weights that survive.
pub fn usual(layout: &Layout, finger: Finger, filters: &Filters) -> &'static str {
    let (rules, size) = (layout.game_rules(), [layout.field.columns, layout.field.rows]);
    let is_modern = rules.hold().is_some() && rules.unkicked().is_some() && Ahead::knows(size);
    if is_modern && filters.is_empty() {
        return MODERN;
    }
    let is_known = rules == Rules::Nes && size == FIELD;
    match Hand::of(finger).map(Brain::learned_for) {
        Ok(learned) if is_known && filters.is_empty() => learned,
        Ok(_) if is_known && *filters == (Filters { no_rotation: true, ..Filters::default() }) => UNTURNED,
        _ => STEADY,
    }
}

/// A learned value, by name or from a .value file.
///
/// # Errors
/// When there is none of this name, or the file cannot be read or is not valid.
pub fn load_value(spec: &str) -> Result<Value, AiError> {
    if !is_file(spec, "value") {
        return Ok(Brain::value(spec)?);
    }
    let value = Value::from_bytes(spec, &file::read_bytes(Path::new(spec), VALUE_BYTES_MAX)?);
    Ok(value.map_err(BrainError::from)?)
}

fn is_file(spec: &str, ending: &str) -> bool {
    Path::new(spec).extension().is_some_and(|extension| extension.eq_ignore_ascii_case(ending))
}

/// Prints what comes with the program: a line each, its name and what it is.
///
/// # Errors
/// When standard output is closed or full.
pub fn print_list() -> io::Result<()> {
    let width = Brain::names().map(str::len).max().unwrap_or(0);
    for name in Brain::names() {
        let about = Brain::named(name).map_or_else(|error| error.to_string(), |brain| brain.about().to_string());
        out::line(format_args!("{name:width$}  {about}"))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_usual_one_was_learned_with_such_a_finger_and_knows_the_game() {
        let usual = |layout: &str, finger: Finger, filters: &Filters| {
            super::usual(&Layout::load(layout).unwrap(), finger, filters)
        };
        let (none, well) = (Filters::default(), Filters { well: true, ..Filters::default() });
        assert_eq!(usual("nes", Finger::SOLID, &none), "learned-20hz");
        assert_eq!(usual("nes", Finger::RELAY, &none), "learned-12hz");
        assert_eq!(usual("nes", Finger { press_frames: 5.0, gap_frames: 9.0 }, &none), "learned-10hz");
        assert_eq!(usual("nes", Finger { press_frames: 50.0, gap_frames: 9.0 }, &none), STEADY);
        assert_eq!(usual("nes", Finger::SOLID, &well), STEADY);
        let unturned = Filters { no_rotation: true, ..Filters::default() };
        assert_eq!(usual("nes", Finger::RELAY, &unturned), UNTURNED);
        assert_eq!(usual("nes", Finger::RELAY, &Filters { no_rotation: true, ..well }), STEADY);
        assert_eq!(usual("vitetris", Finger::SOLID, &unturned), STEADY);
        assert_eq!(usual("vitetris", Finger::SOLID, &none), STEADY);
        assert_eq!(usual("guideline", Finger::RELAY, &none), MODERN);
        assert_eq!(usual("guideline", Finger::RELAY, &unturned), STEADY);
    }

    #[test]
    fn names_and_files_are_taken_and_others_refused_with_what_there_is() {
        assert!(Brain::names().all(|name| load(name).is_ok()));
        let refusal = |spec: &str| load(spec).err().map(|error| format!("{:#}", anyhow::Error::from(error))).unwrap();
        assert!(refusal("nobody").contains("birken-2019") && refusal("nobody").contains(".toml"));
        assert!(refusal("nope.toml").contains("nope.toml") && refusal("nope.toml").contains("--ai list"));
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("mine.toml");
        std::fs::write(&path, "about = \"\"\nbetter = \"lower\"\n[weights]\nholes = 1\n").unwrap();
        assert!(load(path.to_str().unwrap()).is_ok());
        std::fs::write(&path, "about = \"\"\nbetter = \"lower\"\n[weights]\nhats = 1\n").unwrap();
        assert!(refusal(path.to_str().unwrap()).contains("a feature \"hats\""));
        let path = folder.path().join("mine.value");
        std::fs::write(&path, "no value").unwrap();
        assert!(refusal(path.to_str().unwrap()).contains("is no learned value"));
    }
}
