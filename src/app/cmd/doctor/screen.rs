//! This computer's own screen and keys: can they be used in the place of a camera and a board.

use super::findings::Findings;
use crate::edge::desktop::DesktopError;

/// Says what there is; nobody needs it who has a table.
pub fn check(findings: &mut Findings) -> std::io::Result<()> {
    match look() {
        Ok(words) => findings.note("screen", "", &words, None),
        Err(error) => findings.note("screen", "", &error.to_string(), None),
    }
}

#[cfg(feature = "desktop")]
fn look() -> Result<String, DesktopError> {
    use crate::edge::desktop::{Display, KeyMap, Keyboard};
    let titles = Display::open()?.titles()?;
    Keyboard::open_anywhere("", &KeyMap::default())?;
    let windows = if titles.is_empty() { "no window".into() } else { titles.join(", ") };
    Ok(format!("can be seen, and keys can be pressed; windows: {windows}"))
}

#[cfg(not(feature = "desktop"))]
fn look() -> Result<String, DesktopError> {
    Err(DesktopError::NotBuilt)
}
