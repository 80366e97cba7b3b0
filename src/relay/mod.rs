//! Closing contacts.

use crate::message::RelayMask;
use std::time::Duration;

/// Why a board does not do what it is told.
#[derive(Debug, thiserror::Error)]
pub enum RelayError {}

/// A relay board. Its first verb is "set this mask".
pub trait RelayBoard: Send {
    /// Sets all relays at once. Returns when the bytes are handed to the system.
    ///
    /// # Errors
    /// When the port is gone or refuses.
    fn set(&mut self, mask: RelayMask) -> Result<(), RelayError>;

    /// How long the bytes of one `set` are on the wire.
    fn wire_time(&self) -> Duration;
}
