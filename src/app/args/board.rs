//! Which relay board, from the command line or a profile.

use crate::edge::relay::{RelayError, RelaySpec};
use crate::profile::layout::Layout;

/// The board that the user names, or else the profile's if it is harmless.
///
/// # Errors
/// When a profile's board would run a program, or names none.
pub fn named<'a>(own: Option<&'a str>, profile: Option<&'a str>) -> Result<Option<&'a str>, RelayError> {
    if let (None, Some(name)) = (own, profile) {
        RelaySpec::parse_profile(name)?;
    }
    Ok(own.or(profile))
}

/// The board's name; of keys the whole one, with those of the game where nothing else is said.
///
/// # Errors
/// When it names none.
pub fn with_keys(name: &str, layout: &Layout) -> Result<String, RelayError> {
    let of_game = layout.keys.iter().map(|(button, key)| (button.as_str(), key.as_str()));
    match RelaySpec::parse(name)?.with_keys(of_game)? {
        keys @ RelaySpec::Keys(_) => Ok(keys.to_string()),
        _ => Ok(name.into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_games_keys_are_pressed_unless_others_are_named() {
        let layout = Layout::load("vitetris").unwrap();
        assert_eq!(with_keys("keys:tetris", &layout).unwrap(), "keys:tetris?a=space");
        assert_eq!(with_keys("keys:tetris?a=q&left=h", &layout).unwrap(), "keys:tetris?left=h&a=q");
        assert_eq!(with_keys("none", &layout).unwrap(), "none");
    }

    #[test]
    fn every_built_in_layout_names_keys_that_there_are() {
        for layout in Layout::built_in() {
            with_keys("keys:game", &layout).unwrap_or_else(|error| panic!("{}: {error}", layout.name));
        }
    }

    #[test]
    fn a_profile_runs_no_program() {
        let error = named(None, Some("command:rm -r .")).unwrap_err().to_string();
        assert!(error.contains("--relay \"command:rm -r .\""), "{error}");
        assert_eq!(named(Some("command:cat"), Some("sim")).unwrap(), Some("command:cat"));
        assert_eq!(named(None, Some("keys:game")).unwrap(), Some("keys:game"));
    }
}
