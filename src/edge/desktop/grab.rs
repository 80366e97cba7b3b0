//! Another program that takes every key, as a screen lock does: keys pressed now would arrive there, though the window still has
//! the focus.
//!
//! The display tells the window that has the focus when somebody grabs the keyboard (X Window System Protocol, section 10,
//! "FocusOut" with mode "Grab"), and whoever asked to be told of that window's focus, too. Whether the grab is still there is
//! asked by trying to grab the keyboard, which only succeeds when nobody else has.

use super::{DesktopError, Display};
use std::sync::atomic::{AtomicBool, Ordering};
use x11rb::connection::Connection;
use x11rb::protocol::Event;
use x11rb::protocol::xproto::{
    ChangeWindowAttributesAux, ConnectionExt as _, EventMask, GrabMode, GrabStatus, InputFocus, NotifyDetail,
    NotifyMode, Window,
};

/// Whether a grab was there when last asked: keys that are opened anew after it was told must know of it.
static WAS_HELD: AtomicBool = AtomicBool::new(false);

/// What is known of grabs.
#[derive(Debug)]
pub(super) struct Grabs {
    /// The window that tells of them.
    watched: Option<Window>,
    /// Somebody may hold the keyboard, who is not the window itself.
    may_be_held: bool,
}

impl Grabs {
    /// Nothing was told yet. (What was grabbed before is not asked for: it may be the game that has done so.)
    pub(super) fn new() -> Self {
        Self { watched: None, may_be_held: WAS_HELD.load(Ordering::Relaxed) }
    }

    /// Whether another program takes all keys.
    ///
    /// # Errors
    /// When the display refuses.
    pub(super) fn is_held(&mut self, display: &Display) -> Result<bool, DesktopError> {
        self.watch(display)?;
        while let Some(event) = display.connection.poll_for_event()? {
            self.may_be_held |= is_grab(&event);
        }
        if self.may_be_held {
            self.may_be_held = is_held_now(display)?;
            WAS_HELD.store(self.may_be_held, Ordering::Relaxed);
            // What that itself has caused tells nothing.
            while display.connection.poll_for_event()?.is_some() {}
        }
        Ok(self.may_be_held)
    }

    /// Asks to be told of grabs by the window that has the focus.
    fn watch(&mut self, display: &Display) -> Result<(), DesktopError> {
        let focus = display.connection.get_input_focus()?.reply()?.focus;
        let window = match focus == u32::from(InputFocus::NONE) || focus == u32::from(InputFocus::POINTER_ROOT) {
            true => display.root,
            false => focus,
        };
        if self.watched != Some(window) {
            let told = ChangeWindowAttributesAux::new().event_mask(EventMask::FOCUS_CHANGE);
            display.connection.change_window_attributes(window, &told)?;
            // One that is gone by now tells nothing, nor does it have the focus.
            self.watched = Some(window);
        }
        Ok(())
    }
}

/// Whether somebody has grabbed the keyboard; not the window itself, for a part of it.
fn is_grab(event: &Event) -> bool {
    matches!(event, Event::FocusOut(out) if out.mode == NotifyMode::GRAB && out.detail != NotifyDetail::INFERIOR)
}

fn is_held_now(display: &Display) -> Result<bool, DesktopError> {
    let (connection, at) = (&display.connection, x11rb::CURRENT_TIME);
    let grab = connection.grab_keyboard(true, display.root, at, GrabMode::ASYNC, GrabMode::ASYNC)?.reply()?;
    if grab.status == GrabStatus::SUCCESS {
        connection.ungrab_keyboard(at)?;
    }
    // What happened has been told when the answer is there.
    connection.get_input_focus()?.reply()?;
    Ok(grab.status == GrabStatus::ALREADY_GRABBED || grab.status == GrabStatus::FROZEN)
}
