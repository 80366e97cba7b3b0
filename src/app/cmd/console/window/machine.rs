//! What stands behind the window: the console, or a computer with another game.

use super::computer::Computer;
use super::keys::{Command, Pad};
#[cfg(feature = "window")]
use super::keys::{Key, With};
use super::television::Television;
use crate::game::Buttons;
use crate::game::machine::Recording;
use crate::game::machine::demo::Demo;
use crate::twin::picture::Picture;
#[cfg(feature = "window")]
use winit::keyboard::KeyCode;

/// One of them.
pub enum Machine {
    /// The console.
    Console(Box<Television>),
    /// A computer.
    Computer(Box<Computer>),
}

#[cfg_attr(not(feature = "window"), allow(dead_code))]
impl Machine {
    /// Which keys there are, in a line.
    pub fn help(&self) -> String {
        match self {
            Self::Console(television) if television.has_two_players() => {
                "arrows, X and Z are A and B of the first pad, Enter Start; T F G H, W and Q those of the second; R reset, \
                 P saves the picture, F11 fills the screen, Esc closes"
                    .into()
            }
            Self::Console(_) => {
                "arrows, X and Z are A and B, Enter Start, Shift Select; C reference pictures, R reset, \
                                 P saves the picture, F11 fills the screen, Esc closes"
                    .into()
            }
            Self::Computer(computer) => computer.help(),
        }
    }

    /// What a key is for.
    #[cfg(feature = "window")]
    pub fn key(&self, code: KeyCode, with: With) -> Option<Key> {
        match self {
            Self::Console(television) if television.has_two_players() => Key::of_two(code),
            Self::Console(_) => Key::of(code),
            Self::Computer(computer) => Key::of_computer(code, with, computer.is_standard()),
        }
    }

    /// The buttons held.
    pub fn keys(&mut self) -> &mut Pad {
        match self {
            Self::Console(television) => &mut television.keys,
            Self::Computer(computer) => &mut computer.keys,
        }
    }

    /// The buttons held on the second pad.
    pub fn second_keys(&mut self) -> Option<&mut Pad> {
        match self {
            Self::Console(television) => Some(&mut television.second_keys),
            Self::Computer(_) => None,
        }
    }

    /// The keyboard went to another window.
    pub fn release_all(&mut self) {
        self.keys().release_all();
        if let Some(keys) = self.second_keys() {
            keys.release_all();
        }
    }

    /// Frames a second.
    pub fn frames_per_s(&self) -> f64 {
        match self {
            Self::Console(television) => television.frames_per_s(),
            Self::Computer(computer) => computer.frames_per_s(),
        }
    }

    /// One frame.
    pub fn frame(&mut self) {
        match self {
            Self::Console(television) => television.frame(),
            Self::Computer(computer) => computer.frame(),
        }
    }

    /// A button's key goes down.
    pub fn press(&mut self, buttons: Buttons) {
        match self {
            Self::Console(television) => television.press(buttons),
            Self::Computer(computer) => computer.press(buttons),
        }
    }

    /// The drop key of a computer goes down or up.
    pub fn drop_button(&self) -> Buttons {
        match self {
            Self::Console(_) => Buttons::NONE,
            Self::Computer(computer) => computer.drop_button(),
        }
    }

    /// A number key goes down.
    pub fn digit(&mut self, digit: u8) {
        match self {
            Self::Console(television) => television.digit(digit),
            Self::Computer(computer) => computer.digit(digit),
        }
    }

    /// To the reference pictures and back.
    pub fn switch_reference(&mut self) {
        match self {
            Self::Console(television) => television.switch_reference(),
            Self::Computer(computer) => computer.switch_reference(),
        }
    }

    /// The reset button.
    pub fn reset(&mut self) {
        match self {
            Self::Console(television) => television.reset(),
            Self::Computer(computer) => computer.reset(),
        }
    }

    /// A player changes the game; what there is to say of it.
    pub fn command(&mut self, command: Command) -> Option<String> {
        match self {
            Self::Console(_) => None,
            Self::Computer(computer) => computer.command(command),
        }
    }

    /// The game as text, if it can be saved.
    pub fn saved(&self) -> Option<String> {
        match self {
            Self::Console(_) => None,
            Self::Computer(computer) => computer.saved(),
        }
    }

    /// The demo that was recorded, if any was begun, and how that went.
    pub fn recorded_demo(&self) -> Option<(Demo, Recording)> {
        match self {
            Self::Console(television) => television.recorded_demo(),
            Self::Computer(_) => None,
        }
    }

    /// What is on the screen of a window in which so many pixels stand along each side of one of the picture's. Where a board has
    /// too many cells for those the picture is finer.
    pub fn picture(&self, zoom: usize) -> Picture {
        match self {
            Self::Console(television) => television.picture(),
            Self::Computer(computer) => computer.picture(zoom),
        }
    }
}
