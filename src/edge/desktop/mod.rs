//! This computer as the other machine: what is on its screen, and its keys.
//!
//! An X server shows both (XWayland's windows, too). Only windows that are named are looked at or pressed in.

#[cfg(feature = "desktop")]
mod display;
mod error;
#[cfg(feature = "desktop")]
mod grab;
mod key;
#[cfg(feature = "desktop")]
mod keyboard;
#[cfg(feature = "desktop")]
mod pixels;
#[cfg(feature = "desktop")]
mod view;
#[cfg(feature = "desktop")]
mod window;

#[cfg(feature = "desktop")]
pub use display::Display;
pub use error::DesktopError;
pub use key::{Key, KeyMap};
#[cfg(feature = "desktop")]
pub use keyboard::Keyboard;
#[cfg(feature = "desktop")]
pub use view::View;
