//! Why the screen cannot be seen, or a key not be pressed.

use thiserror::Error;

/// Why this computer's screen cannot be seen, or its keys not be pressed.
#[derive(Debug, Error)]
pub enum DesktopError {
    /// The program was built without it.
    #[error(
        "this program was built without this computer's screen and keys; build it with `--features desktop`, or use `ffmpeg:-f x11grab -i :0` and `command:PROGRAM`"
    )]
    NotBuilt,
    /// No X server.
    #[error(
        "there is no X display ({problem}); start in a terminal of your desktop, or name the display: `DISPLAY=:0 stackhand ...`. On another system read the screen with `ffmpeg:ARGS` and press with `command:PROGRAM`"
    )]
    NoDisplay {
        /// What is wrong.
        problem: String,
    },
    /// XWayland shows windows, and not the screen.
    #[error(
        "a Wayland desktop does not let programs see its whole screen; name a window of an X program (`screen:TITLE`), or log in to an X11 session"
    )]
    Wayland,
    /// The server takes no presses from programs.
    #[error(
        "the X display takes no key presses from programs (it has no XTEST); press with `command:PROGRAM` or a relay board"
    )]
    NoTest,
    /// No such window.
    #[error("no window has {title:?} in its title (windows found: {found}); open the game first, or correct the title")]
    NoWindow {
        /// As given.
        title: String,
        /// Titles, or "none".
        found: String,
    },
    /// More than one.
    #[error("more than one window has {title:?} in its title ({found}); give more of the title, or close the others")]
    Windows {
        /// As given.
        title: String,
        /// Their titles.
        found: String,
    },
    /// The window is minimised or on another desk.
    #[error("the window {title:?} is not on the screen; bring it back: nothing is seen of it, and nothing is pressed")]
    Hidden {
        /// Its title.
        title: String,
    },
    /// Keys would go elsewhere.
    #[error("the window {title:?} has not the focus, so no key is pressed; click it, and it goes on")]
    Unfocused {
        /// Its title.
        title: String,
    },
    /// Keys would go to whoever has grabbed all of them.
    #[error(
        "another program takes every key, as a screen lock or an open menu does, so none is pressed for the window {title:?}; close it, and it goes on"
    )]
    Grabbed {
        /// The window's title.
        title: String,
    },
    /// No key has this name.
    #[error(
        "there is no key {name:?}; keys are left, right, up, down, space, enter, tab, escape, backspace, shift, control, alt, f1 to f12, or one letter, digit or sign such as z or /"
    )]
    NoKeyName {
        /// As given.
        name: String,
    },
    /// This keyboard cannot do it without another key.
    #[error("no single key of this keyboard makes {name:?}; name another one in --relay, such as `keys:TITLE?a=space`")]
    NoKey {
        /// As given.
        name: String,
    },
    /// The connection broke, or the server refused.
    #[error("the X display refused ({problem}); is the desktop still there? Start again in a terminal of it")]
    Refused {
        /// What it says.
        problem: String,
    },
}

impl DesktopError {
    /// Whether it passes by itself when the window is where it should be again.
    pub fn passes(&self) -> bool {
        matches!(
            self,
            Self::NoWindow { .. }
                | Self::Windows { .. }
                | Self::Hidden { .. }
                | Self::Unfocused { .. }
                | Self::Grabbed { .. }
        )
    }
}
