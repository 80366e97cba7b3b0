//! Pressing keys in one window.

use super::grab::Grabs;
use super::window::Found;
use super::{DesktopError, Display, Key, KeyMap};
use x11rb::connection::{Connection, RequestConnection};
use x11rb::protocol::xproto::{ConnectionExt as _, KEY_PRESS_EVENT, KEY_RELEASE_EVENT, Keycode};
use x11rb::protocol::xtest::{self, ConnectionExt as _};

/// Eight keys of this computer, of which bit n is the n-th. They are pressed only while their window has the focus, and
/// released at any time.
pub struct Keyboard {
    display: Display,
    keycodes: [Keycode; 8],
    title: String,
    /// The window that keys go to; without a title the one that has the focus when the first is pressed.
    target: Option<Found>,
    grabs: Grabs,
}

impl Keyboard {
    /// The keys of a map, for the window with this title.
    ///
    /// # Errors
    /// When there is no display, no such window on it, or no such key on its keyboard.
    pub fn open(title: &str, keys: &KeyMap) -> Result<Self, DesktopError> {
        let keyboard = Self::open_anywhere(title, keys)?;
        let target = if title.is_empty() { None } else { Some(keyboard.display.find(title)?) };
        Ok(Self { target, ..keyboard })
    }

    /// The same for whoever only releases: the window may be gone.
    ///
    /// # Errors
    /// As [`Self::open`].
    pub fn open_anywhere(title: &str, keys: &KeyMap) -> Result<Self, DesktopError> {
        let display = Display::open()?;
        if display.connection.extension_information(xtest::X11_EXTENSION_NAME)?.is_none() {
            return Err(DesktopError::NoTest);
        }
        let keycodes = keycodes(&display, keys)?;
        Ok(Self { display, keycodes, title: title.into(), target: None, grabs: Grabs::new() })
    }

    /// What to call it.
    pub fn name(&self) -> String {
        match (&self.target, self.title.as_str()) {
            (Some(target), _) => format!("keys of {:?}", target.title),
            (None, "") => "keys of the window in front".into(),
            (None, title) => format!("keys of {title:?}"),
        }
    }

    /// Whether a key that is pressed now would arrive in the window.
    ///
    /// # Errors
    /// [`DesktopError::Unfocused`] or [`DesktopError::Grabbed`] if not, and when the window is gone.
    pub fn check_focus(&mut self) -> Result<(), DesktopError> {
        let focused = self.display.focused()?;
        if self.target.is_none() && self.title.is_empty() {
            let Some(window) = focused else { return Err(DesktopError::Unfocused { title: "in front".into() }) };
            let title = self.display.title(window).unwrap_or_default();
            tracing::warn!("keys are pressed in the window {title:?} from now on, and in no other");
            self.target = Some(Found { window, title });
            return Ok(());
        }
        let Some(target) = &self.target else {
            return Err(DesktopError::Unfocused { title: self.title.clone() });
        };
        let gone = || DesktopError::NoWindow { title: target.title.clone(), found: "it was closed".into() };
        let own = self.display.outermost(target.window)?.ok_or_else(gone)?;
        if focused != Some(own) {
            return Err(DesktopError::Unfocused { title: target.title.clone() });
        }
        match self.grabs.is_held(&self.display)? {
            true => Err(DesktopError::Grabbed { title: target.title.clone() }),
            false => Ok(()),
        }
    }

    /// Presses and releases keys; releases come first.
    ///
    /// # Errors
    /// When the window has not the focus, and something was to be pressed: then nothing was done.
    pub fn change(&mut self, press: u8, release: u8) -> Result<(), DesktopError> {
        if press != 0 {
            self.check_focus()?;
        }
        self.send(KEY_RELEASE_EVENT, release)?;
        self.send(KEY_PRESS_EVENT, press)?;
        Ok(self.display.connection.flush()?)
    }

    /// Releases all that are down.
    ///
    /// # Errors
    /// When the display refuses.
    pub fn release_all(&mut self) -> Result<(), DesktopError> {
        let down = self.down()?;
        self.send(KEY_RELEASE_EVENT, down)?;
        // What was sent has been done when the answer is there.
        self.display.connection.get_input_focus()?.reply()?;
        Ok(())
    }

    /// Which of the keys are down, whoever holds them.
    ///
    /// # Errors
    /// When the display refuses.
    pub fn down(&self) -> Result<u8, DesktopError> {
        let keys = self.display.connection.query_keymap()?.reply()?.keys;
        let is_down = |code: Keycode| keys[usize::from(code / 8)] >> (code % 8) & 1 == 1;
        Ok((0..8).filter(|&n| is_down(self.keycodes[n])).fold(0, |down, n| down | 1 << n))
    }

    fn send(&self, event: u8, keys: u8) -> Result<(), DesktopError> {
        for (_, &code) in self.keycodes.iter().enumerate().filter(|(n, _)| keys >> n & 1 == 1) {
            self.display.connection.xtest_fake_input(event, code, x11rb::CURRENT_TIME, self.display.root, 0, 0, 0)?;
        }
        Ok(())
    }
}

/// The keyboard's own numbers of keys.
fn keycodes(display: &Display, keys: &KeyMap) -> Result<[Keycode; 8], DesktopError> {
    let setup = display.connection.setup();
    let (first, last) = (setup.min_keycode, setup.max_keycode);
    let mapping = display.connection.get_keyboard_mapping(first, last - first + 1)?.reply()?;
    let per_key = usize::from(mapping.keysyms_per_keycode).max(1);
    // Only what a key makes by itself: Shift is not pressed.
    let plain = |key: Key| mapping.keysyms.chunks(per_key).position(|made| made.first() == Some(&key.keysym));
    let mut codes = [0; 8];
    for (code, key) in codes.iter_mut().zip(keys.0) {
        let place = plain(key).ok_or_else(|| DesktopError::NoKey { name: key.to_string() })?;
        *code = first + place as u8;
    }
    Ok(codes)
}
