//! The window of a game: found by its title, and where the keys go.

use super::{DesktopError, Display};
use x11rb::protocol::xproto::{AtomEnum, ConnectionExt, InputFocus, MapState, Window};

/// Titles listed in a message.
const LISTED_MAX: usize = 8;
/// Characters of a title that are read.
const TITLE_MAX: u32 = 256;
/// A program's own terminal often has the command in its title, and with it the title that is looked for.
const OURSELVES: &str = "stackhand";

/// A window by its number and its title when it was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Found {
    pub(super) window: Window,
    pub(super) title: String,
}

/// Where a window is on the screen, px; it may reach beyond.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Area {
    pub(super) x: i32,
    pub(super) y: i32,
    pub(super) width: u16,
    pub(super) height: u16,
}

impl Display {
    /// The window with this title: exactly, or else beginning with it, or else with it somewhere, in upper or lower case.
    ///
    /// # Errors
    /// When there is none, or more than one.
    pub(super) fn find(&self, title: &str) -> Result<Found, DesktopError> {
        let windows = self.windows()?;
        let listed = |found: &[Found]| {
            let mut titles: Vec<&str> = found.iter().take(LISTED_MAX).map(|found| found.title.as_str()).collect();
            titles.sort_unstable();
            if titles.is_empty() { "none".into() } else { titles.join(", ") }
        };
        match best(&windows, title) {
            matching if matching.len() == 1 => Ok(matching[0].clone()),
            matching if matching.is_empty() => {
                Err(DesktopError::NoWindow { title: title.into(), found: listed(&windows) })
            }
            matching => Err(DesktopError::Windows { title: title.into(), found: listed(&matching) }),
        }
    }

    /// The titles of all windows on the screen.
    ///
    /// # Errors
    /// When the display refuses.
    pub fn titles(&self) -> Result<Vec<String>, DesktopError> {
        Ok(self.windows()?.into_iter().map(|found| found.title).collect())
    }

    /// All windows with a title that are on the screen.
    fn windows(&self) -> Result<Vec<Found>, DesktopError> {
        let managed = self.numbers(self.root)?;
        let candidates = if managed.is_empty() { self.titled_below(self.root)? } else { managed };
        let mut found = Vec::new();
        for window in candidates {
            // One that has just been closed is none.
            let Ok(title) = self.title(window) else { continue };
            if !title.is_empty() && self.is_shown(window) {
                found.push(Found { window, title });
            }
        }
        Ok(found)
    }

    /// What the window manager lists.
    fn numbers(&self, window: Window) -> Result<Vec<Window>, DesktopError> {
        let cookie = self.connection.get_property(
            false,
            window,
            self.atoms.client_list,
            AtomEnum::WINDOW,
            0,
            u32::from(u16::MAX),
        )?;
        Ok(cookie.reply()?.value32().map(Iterator::collect).unwrap_or_default())
    }

    /// Without a window manager that lists them: the screen's own windows, and those within that have a title.
    fn titled_below(&self, window: Window) -> Result<Vec<Window>, DesktopError> {
        let mut found = Vec::new();
        let mut open = vec![window];
        while let Some(window) = open.pop() {
            let Ok(tree) = self.connection.query_tree(window)?.reply() else { continue };
            for child in tree.children {
                if self.title(child).is_ok_and(|title| !title.is_empty()) {
                    found.push(child);
                } else {
                    open.push(child);
                }
            }
        }
        Ok(found)
    }

    pub(super) fn title(&self, window: Window) -> Result<String, DesktopError> {
        let read = |property, kind| -> Result<Vec<u8>, DesktopError> {
            Ok(self.connection.get_property(false, window, property, kind, 0, TITLE_MAX)?.reply()?.value)
        };
        let modern = read(self.atoms.name, self.atoms.utf8)?;
        let bytes = match modern.is_empty() {
            true => read(AtomEnum::WM_NAME.into(), AtomEnum::ANY.into())?,
            false => modern,
        };
        Ok(String::from_utf8_lossy(&bytes).trim().to_string())
    }

    /// Whether it is on the screen, be it behind others; false of one that is gone.
    pub(super) fn is_shown(&self, window: Window) -> bool {
        let asked = self.connection.get_window_attributes(window).ok();
        let attributes = asked.and_then(|cookie| cookie.reply().ok());
        attributes.is_some_and(|attributes| attributes.map_state == MapState::VIEWABLE)
    }

    /// Where it is; `None` of one that is gone.
    pub(super) fn area(&self, window: Window) -> Result<Option<Area>, DesktopError> {
        let Ok(size) = self.connection.get_geometry(window)?.reply() else { return Ok(None) };
        let Ok(place) = self.connection.translate_coordinates(window, self.root, 0, 0)?.reply() else {
            return Ok(None);
        };
        Ok(Some(Area { x: place.dst_x.into(), y: place.dst_y.into(), width: size.width, height: size.height }))
    }

    /// The window in which a pressed key would arrive, as the screen's own child that it is or lies in.
    pub(super) fn focused(&self) -> Result<Option<Window>, DesktopError> {
        let focus = self.connection.get_input_focus()?.reply()?.focus;
        if focus == u32::from(InputFocus::NONE) {
            return Ok(None);
        }
        if focus == u32::from(InputFocus::POINTER_ROOT) || focus == self.root {
            let child = self.connection.query_pointer(self.root)?.reply()?.child;
            return Ok((child != x11rb::NONE).then_some(child));
        }
        self.outermost(focus)
    }

    /// The screen's own child that a window is or lies in; `None` of one that is gone.
    pub(super) fn outermost(&self, window: Window) -> Result<Option<Window>, DesktopError> {
        let mut window = window;
        loop {
            let Ok(tree) = self.connection.query_tree(window)?.reply() else { return Ok(None) };
            if tree.parent == self.root || tree.parent == x11rb::NONE {
                return Ok(Some(window));
            }
            window = tree.parent;
        }
    }
}

/// Those of the best kind of match.
fn best(windows: &[Found], title: &str) -> Vec<Found> {
    let wanted = title.to_lowercase();
    let named: Vec<(String, &Found)> = windows.iter().map(|found| (found.title.to_lowercase(), found)).collect();
    let kinds: [&dyn Fn(&str) -> bool; 4] = [
        &|name| name == wanted,
        &|name| name.starts_with(&wanted) && !name.contains(OURSELVES),
        &|name| name.contains(&wanted) && !name.contains(OURSELVES),
        &|name| name.contains(&wanted),
    ];
    let of_kind = |is: &dyn Fn(&str) -> bool| -> Vec<Found> {
        named.iter().filter(|(name, _)| is(name)).map(|(_, found)| (*found).clone()).collect()
    };
    kinds.into_iter().map(of_kind).find(|found| !found.is_empty()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_game_is_told_from_the_terminal_that_looks_for_it() {
        let windows: Vec<Found> = ["stackhand play --source screen:vitetris", "vitetris 0.59", "My vitetris scores"]
            .iter()
            .zip(1..)
            .map(|(title, window)| Found { window, title: title.to_string() })
            .collect();
        let numbers = |title: &str| best(&windows, title).iter().map(|found| found.window).collect::<Vec<_>>();
        assert_eq!(numbers("Vitetris"), [2]);
        assert_eq!(numbers("tris"), [2, 3]);
        assert_eq!(numbers("my vitetris scores"), [3]);
        assert_eq!(numbers("screen:"), [1]);
        assert_eq!(numbers("ltris"), [0; 0]);
    }
}
