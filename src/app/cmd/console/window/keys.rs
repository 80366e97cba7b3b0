//! The keyboard as a pad, and the keys that are for the window itself.

use crate::game::Buttons;
#[cfg(feature = "window")]
use winit::keyboard::KeyCode;

/// What a key is for.
#[cfg_attr(not(feature = "window"), allow(dead_code))]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Key {
    /// A button of the pad.
    Pad(Buttons),
    /// A button of the second pad.
    SecondPad(Buttons),
    /// A number, for reference pictures.
    Digit(u8),
    /// C: between the game and reference pictures.
    SwitchReference,
    /// P: save the picture.
    SavePicture,
    /// R: the console's reset button.
    Reset,
    /// Space: the drop, at a computer.
    Drop,
    /// Something that a player of Standard Tetris changes.
    Command(Command),
    /// F11: in and out of full screen.
    FullScreen,
    /// Escape.
    Close,
}

/// What a player of Standard Tetris changes.
#[cfg_attr(not(feature = "window"), allow(dead_code))]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Command {
    /// Shift+J: a row of junk below the pile.
    Junk,
    /// Plus: a step of the speed bias up.
    Faster,
    /// Minus: a step down.
    Slower,
    /// N: the next piece is shown or not.
    Next,
    /// Shift+S: S and Z in turn, or all pieces.
    SAndZ,
    /// Shift+W: save the game.
    Save,
    /// Shift+L: go on with the one that was saved.
    Load,
    /// Shift+K: all blocks in one colour, or in many.
    Monochrome,
    /// Shift+D: a shadow where the piece will land, or none. (The article names no key of it.)
    Shadow,
    /// Shift+H: where the AI would move, or not.
    Hint,
    /// I: a page that says what the keys do, or the game again.
    Instructions,
    /// Ctrl and an arrow: so many columns and rows more; the game begins anew.
    Grow(i8, i8),
}

/// Which keys are held with another.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct With {
    /// Shift.
    pub shift: bool,
    /// Ctrl.
    pub ctrl: bool,
}

#[cfg(feature = "window")]
impl Key {
    /// The key of a computer's game at this place, held with others. (Shift is no Select there.)
    pub fn of_computer(code: KeyCode, with: With, is_standard: bool) -> Option<Self> {
        let command = match code {
            KeyCode::ArrowLeft if with.ctrl => Some(Command::Grow(-1, 0)),
            KeyCode::ArrowRight if with.ctrl => Some(Command::Grow(1, 0)),
            KeyCode::ArrowDown if with.ctrl => Some(Command::Grow(0, -1)),
            KeyCode::ArrowUp if with.ctrl => Some(Command::Grow(0, 1)),
            KeyCode::KeyJ if with.shift => Some(Command::Junk),
            KeyCode::KeyS if with.shift => Some(Command::SAndZ),
            KeyCode::KeyW if with.shift => Some(Command::Save),
            KeyCode::KeyL if with.shift => Some(Command::Load),
            KeyCode::KeyK if with.shift => Some(Command::Monochrome),
            KeyCode::KeyD if with.shift => Some(Command::Shadow),
            KeyCode::KeyH if with.shift => Some(Command::Hint),
            KeyCode::KeyI => Some(Command::Instructions),
            KeyCode::KeyN => Some(Command::Next),
            KeyCode::Equal | KeyCode::NumpadAdd => Some(Command::Faster),
            KeyCode::Minus | KeyCode::NumpadSubtract => Some(Command::Slower),
            _ => None,
        };
        match code {
            KeyCode::Space => Some(Self::Drop),
            KeyCode::ShiftLeft | KeyCode::ShiftRight if is_standard => None,
            _ => command.filter(|_| is_standard).map(Self::Command).or_else(|| Self::of(code)),
        }
    }

    /// The key of the console with two players. The second pad's Start and Select are not looked at.
    pub fn of_two(code: KeyCode) -> Option<Self> {
        let second = match code {
            KeyCode::KeyF => Buttons::LEFT,
            KeyCode::KeyH => Buttons::RIGHT,
            KeyCode::KeyT => Buttons::UP,
            KeyCode::KeyG => Buttons::DOWN,
            KeyCode::KeyW => Buttons::A,
            KeyCode::KeyQ => Buttons::B,
            code => return Self::of(code),
        };
        Some(Self::SecondPad(second))
    }

    /// The key at this place of an American keyboard. B is reached by Z where that is, on any keyboard.
    pub fn of(code: KeyCode) -> Option<Self> {
        Some(match code {
            KeyCode::ArrowLeft => Self::Pad(Buttons::LEFT),
            KeyCode::ArrowRight => Self::Pad(Buttons::RIGHT),
            KeyCode::ArrowUp => Self::Pad(Buttons::UP),
            KeyCode::ArrowDown => Self::Pad(Buttons::DOWN),
            KeyCode::KeyX | KeyCode::KeyA => Self::Pad(Buttons::A),
            KeyCode::KeyZ | KeyCode::KeyY | KeyCode::KeyB => Self::Pad(Buttons::B),
            KeyCode::Enter | KeyCode::NumpadEnter => Self::Pad(Buttons::START),
            KeyCode::ShiftLeft | KeyCode::ShiftRight => Self::Pad(Buttons::SELECT),
            KeyCode::KeyC => Self::SwitchReference,
            KeyCode::KeyP => Self::SavePicture,
            KeyCode::KeyR => Self::Reset,
            KeyCode::F11 => Self::FullScreen,
            KeyCode::Escape => Self::Close,
            code => Self::Digit(digit(code)?),
        })
    }
}

#[cfg(feature = "window")]
fn digit(code: KeyCode) -> Option<u8> {
    use KeyCode::{Digit0, Digit1, Digit2, Digit3, Digit4, Digit5, Digit6, Digit7, Digit8, Digit9};
    use KeyCode::{Numpad0, Numpad1, Numpad2, Numpad3, Numpad4, Numpad5, Numpad6, Numpad7, Numpad8, Numpad9};
    let rows = [
        [Digit0, Digit1, Digit2, Digit3, Digit4, Digit5, Digit6, Digit7, Digit8, Digit9],
        [Numpad0, Numpad1, Numpad2, Numpad3, Numpad4, Numpad5, Numpad6, Numpad7, Numpad8, Numpad9],
    ];
    rows.iter().find_map(|row| row.iter().position(|&key| key == code)).map(|n| n as u8)
}

/// Which buttons are down. One that was pressed and let go between two polls counts for one poll.
#[derive(Debug, Clone, Copy, Default)]
pub struct Pad {
    down: Buttons,
    pressed: Buttons,
}

impl Pad {
    /// A key went down.
    pub fn press(&mut self, buttons: Buttons) {
        self.down |= buttons;
        self.pressed |= buttons;
    }

    /// A key went up.
    pub fn release(&mut self, buttons: Buttons) {
        self.down = self.down.without(buttons);
    }

    /// The keyboard went to another window.
    pub fn release_all(&mut self) {
        *self = Self::default();
    }

    /// What the console reads. No pad can press opposite directions: together they are none.
    pub fn poll(&mut self) -> Buttons {
        let mut held = self.down | std::mem::take(&mut self.pressed);
        for axis in [Buttons::LEFT | Buttons::RIGHT, Buttons::UP | Buttons::DOWN] {
            if held.contains(axis) {
                held = held.without(axis);
            }
        }
        held
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_short_tap_is_seen_once_and_opposites_never() {
        let mut pad = Pad::default();
        pad.press(Buttons::A);
        pad.release(Buttons::A);
        assert_eq!([pad.poll(), pad.poll()], [Buttons::A, Buttons::NONE]);
        pad.press(Buttons::LEFT);
        assert_eq!([pad.poll(), pad.poll()], [Buttons::LEFT; 2]);
        pad.press(Buttons::RIGHT | Buttons::B);
        assert_eq!(pad.poll(), Buttons::B);
        pad.release(Buttons::RIGHT);
        assert_eq!(pad.poll(), Buttons::LEFT | Buttons::B);
        pad.release_all();
        assert_eq!(pad.poll(), Buttons::NONE);
    }

    #[cfg(feature = "window")]
    #[test]
    fn every_button_of_the_pad_has_a_key() {
        let keys = [
            (KeyCode::ArrowUp, Buttons::UP),
            (KeyCode::KeyX, Buttons::A),
            (KeyCode::KeyZ, Buttons::B),
            (KeyCode::Enter, Buttons::START),
            (KeyCode::ShiftLeft, Buttons::SELECT),
        ];
        assert!(keys.iter().all(|&(code, button)| Key::of(code) == Some(Key::Pad(button))));
        assert_eq!([Key::of(KeyCode::Digit7), Key::of(KeyCode::Numpad0)], [Some(Key::Digit(7)), Some(Key::Digit(0))]);
        assert_eq!(Key::of(KeyCode::F1), None);
    }

    #[cfg(feature = "window")]
    #[test]
    fn two_players_have_keys_of_their_own() {
        assert_eq!(Key::of_two(KeyCode::KeyG), Some(Key::SecondPad(Buttons::DOWN)));
        assert_eq!(Key::of_two(KeyCode::ArrowDown), Some(Key::Pad(Buttons::DOWN)));
        assert_eq!(Key::of(KeyCode::KeyG), None);
    }

    #[cfg(feature = "window")]
    #[test]
    fn a_computer_has_the_articles_keys_in_its_game_alone() {
        // seed 004:1195–1245.
        let (alone, shift, ctrl) =
            (With::default(), With { shift: true, ctrl: false }, With { shift: false, ctrl: true });
        let keys = [
            (KeyCode::KeyK, shift, Command::Monochrome),
            (KeyCode::KeyD, shift, Command::Shadow),
            (KeyCode::KeyH, shift, Command::Hint),
            (KeyCode::KeyJ, shift, Command::Junk),
            (KeyCode::KeyW, shift, Command::Save),
            (KeyCode::KeyL, shift, Command::Load),
            (KeyCode::KeyS, shift, Command::SAndZ),
            (KeyCode::Equal, shift, Command::Faster),
            (KeyCode::Minus, alone, Command::Slower),
            (KeyCode::KeyN, alone, Command::Next),
            (KeyCode::KeyI, alone, Command::Instructions),
        ];
        for (code, with, command) in keys {
            assert_eq!(Key::of_computer(code, with, true), Some(Key::Command(command)));
            assert_eq!(Key::of_computer(code, with, false), None);
        }
        let arrows = [
            (KeyCode::ArrowLeft, Buttons::LEFT, (-1, 0)),
            (KeyCode::ArrowRight, Buttons::RIGHT, (1, 0)),
            (KeyCode::ArrowDown, Buttons::DOWN, (0, -1)),
            (KeyCode::ArrowUp, Buttons::UP, (0, 1)),
        ];
        for (code, button, (columns, rows)) in arrows {
            assert_eq!(Key::of_computer(code, ctrl, true), Some(Key::Command(Command::Grow(columns, rows))));
            assert_eq!(Key::of_computer(code, alone, true), Some(Key::Pad(button)));
            assert_eq!(Key::of_computer(code, ctrl, false), Some(Key::Pad(button)));
        }
        assert_eq!(Key::of_computer(KeyCode::Space, alone, false), Some(Key::Drop));
        assert_eq!(Key::of_computer(KeyCode::KeyC, alone, true), Some(Key::SwitchReference));
        assert_eq!(Key::of_computer(KeyCode::KeyJ, alone, true), None);
    }
}
