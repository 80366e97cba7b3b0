//! Keys by name, and which one stands for which button.

use super::DesktopError;
use crate::game::Buttons;
use std::fmt;

/// X keysyms of keys that have names here (X11 protocol, appendix A), the name that is written first.
const NAMED: [(&str, u32); 27] = [
    ("left", 0xFF51),
    ("up", 0xFF52),
    ("right", 0xFF53),
    ("down", 0xFF54),
    ("space", 0x20),
    ("enter", 0xFF0D),
    ("return", 0xFF0D),
    ("tab", 0xFF09),
    ("escape", 0xFF1B),
    ("backspace", 0xFF08),
    ("shift", 0xFFE1),
    ("control", 0xFFE3),
    ("alt", 0xFFE9),
    ("pageup", 0xFF55),
    ("pagedown", 0xFF56),
    ("keypadenter", 0xFF8D),
    ("home", 0xFF50),
    ("end", 0xFF57),
    ("insert", 0xFF63),
    ("delete", 0xFFFF),
    ("keypad0", 0xFFB0),
    ("keypad2", 0xFFB2),
    ("keypad4", 0xFFB4),
    ("keypad5", 0xFFB5),
    ("keypad6", 0xFFB6),
    ("keypad8", 0xFFB8),
    ("keypadenter", 0xFF8D),
];
/// The keysym of F1; the others follow.
const F1: u32 = 0xFFBE;
const F_KEYS: u32 = 12;

/// A key, by what it makes without any other key held.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Key {
    /// The X keysym.
    pub keysym: u32,
}

impl Key {
    /// The key of this name, in upper or lower case; a single letter, digit or sign stands for itself.
    ///
    /// # Errors
    /// [`DesktopError::NoKeyName`] if there is none.
    pub fn from_name(name: &str) -> Result<Self, DesktopError> {
        let lower = name.to_ascii_lowercase();
        let mut letters = lower.chars();
        let keysym = match (letters.next(), letters.next()) {
            // Latin-1 characters are their own keysyms.
            (Some(letter), None) if letter.is_ascii_graphic() => Some(letter as u32),
            _ => NAMED.iter().find(|(known, _)| *known == lower).map(|(_, keysym)| *keysym).or_else(|| f_key(&lower)),
        };
        keysym.map(|keysym| Self { keysym }).ok_or_else(|| DesktopError::NoKeyName { name: name.into() })
    }
}

fn f_key(name: &str) -> Option<u32> {
    let number: u32 = name.strip_prefix('f')?.parse().ok()?;
    (1..=F_KEYS).contains(&number).then(|| F1 + number - 1)
}

impl fmt::Display for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some((name, _)) = NAMED.iter().find(|(_, keysym)| *keysym == self.keysym) {
            return f.write_str(name);
        }
        match self.keysym.checked_sub(F1).filter(|number| *number < F_KEYS) {
            Some(number) => write!(f, "f{}", number + 1),
            None => write!(f, "{}", char::from_u32(self.keysym).unwrap_or('?')),
        }
    }
}

/// Which key stands for which button of a pad, in the order of [`Buttons::NAMED`], as relays are numbered by default.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct KeyMap(pub [Key; 8]);

impl Default for KeyMap {
    /// The arrows; Enter is Start, Tab is Select, Z and X are B and A.
    fn default() -> Self {
        let key = |keysym| Key { keysym };
        Self([0xFF53, 0xFF51, 0xFF54, 0xFF52, 0xFF0D, 0xFF09, u32::from(b'z'), u32::from(b'x')].map(key))
    }
}

impl KeyMap {
    /// From now on this key stands for the button of this name.
    ///
    /// # Errors
    /// In words, when there is no such button or key.
    pub fn set(&mut self, button: &str, key: &str) -> Result<(), String> {
        let place = Buttons::NAMED.iter().position(|(_, name)| *name == button).ok_or_else(|| {
            let names = Buttons::NAMED.map(|(_, name)| name).join(", ");
            format!("there is no button {button:?}; there are {names}")
        })?;
        self.0[place] = Key::from_name(key).map_err(|error| error.to_string())?;
        Ok(())
    }

    /// The same by the button itself.
    pub fn put(&mut self, button: Buttons, key: Key) {
        let places = Buttons::NAMED.into_iter().zip(&mut self.0);
        places.filter(|((named, _), _)| *named == button).for_each(|(_, place)| *place = key);
    }

    /// The buttons whose keys are not the usual ones, with these keys.
    pub fn unusual(&self) -> impl Iterator<Item = (Buttons, Key)> {
        let usual = Self::default();
        let both = Buttons::NAMED.into_iter().zip(self.0).zip(usual.0);
        both.filter(|((_, key), usual)| key != usual).map(|(((button, _), key), _)| (button, key))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_written_as_they_are_read() {
        for name in ["left", "space", "enter", "z", "/", "7", "f1", "f12", "keypad5", "shift"] {
            assert_eq!(Key::from_name(name).unwrap().to_string(), name);
        }
        assert_eq!(Key::from_name("Z").unwrap(), Key::from_name("z").unwrap());
        assert_eq!(Key::from_name("Return").unwrap().to_string(), "enter");
        for name in ["", "lef", "f0", "f13", "é", "  "] {
            let error = Key::from_name(name).unwrap_err().to_string();
            assert!(error.contains("f1 to f12"), "{name:?}: {error}");
        }
    }

    #[test]
    fn a_map_says_only_what_is_unusual() {
        let mut map = KeyMap::default();
        assert_eq!(map.unusual().count(), 0);
        map.set("a", "space").unwrap();
        map.set("left", "left").unwrap();
        assert_eq!(map.unusual().collect::<Vec<_>>(), [(Buttons::A, Key { keysym: 0x20 })]);
        assert!(map.set("fire", "space").unwrap_err().contains("there are right, left"));
        assert!(map.set("a", "fire").unwrap_err().contains("no key \"fire\""));
    }
}
