//! What each board speaks: masks into bytes, answers into masks. Pure; [`super::SerialBoard`] has the port.

use super::Capabilities;
use super::keep_alive::Sign;
use crate::message::RelayMask;

/// A start bit, 8 data bits, a stop bit.
const BITS_PER_BYTE: f64 = 10.0;
/// A board that is a USB device itself gets a command within one frame of the bus, whatever rate the port claims.
pub(super) const USB_FRAME_MS: f64 = 1.0;

/// A board's language.
pub trait Codec: Send {
    /// What to call the board.
    fn board(&self) -> String;

    /// What the board can do at its line's rate.
    fn capabilities(&self) -> Capabilities;

    /// The commands that bring the relays from one mask to another, in their order; `None` if nobody knows which are
    /// closed.
    fn encode(&self, before: Option<RelayMask>, after: RelayMask) -> Vec<Vec<u8>>;

    /// Ways to ask for the relays' state, the most harmless first.
    fn questions(&self) -> Vec<Question>;

    /// The relays' state in what was heard since a question was asked; `None` if it is not all there. Bytes that belong
    /// to something else are passed over.
    fn answer(&self, question: usize, heard: &[u8]) -> Option<RelayMask>;

    /// What the board must be told before the first mask.
    fn greeting(&self) -> Vec<Vec<u8>> {
        Vec::new()
    }

    /// How long the line stays busy after a command, with the board's answer, ms.
    fn rest_ms(&self) -> f64 {
        0.0
    }

    /// How long the board may take to start when its port is opened, ms.
    fn boot_ms(&self) -> f64 {
        0.0
    }

    /// Whether all that the board says are lines, of which it may say some unasked.
    fn speaks_in_lines(&self) -> bool {
        false
    }

    /// How a board of this kind is told to guard itself, if any can.
    fn guarding(&self) -> Option<&dyn Guarding> {
        None
    }

    /// How long the answer to [`Self::questions`] is, or to [`Guarding::call`].
    fn answer_bytes(&self) -> f64 {
        16.0
    }

    /// Whether boards of this kind are known that never answer.
    fn may_be_silent(&self) -> bool {
        false
    }
}

/// Words of a board that opens all relays by itself when it hears nothing.
pub trait Guarding {
    /// Tells it after how many ms of silence, asks whether it has understood, and then something that every board of its
    /// kind answers, whether it can guard itself or not.
    fn guard(&self, timeout_ms: u32) -> Vec<u8>;

    /// Whether it guards itself now; `None` if the answer is not all there.
    fn is_guarded(&self, timeout_ms: u32, heard: &[u8]) -> Option<bool>;

    /// Asks how it is, and so keeps it from opening.
    fn call(&self) -> Vec<u8>;

    /// What it says to that.
    fn sign(&self, heard: &[u8]) -> Option<Sign>;
}

/// A way to ask.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Question {
    /// What ends a command that another program left unfinished; its answer is not listened to.
    pub before: Vec<u8>,
    /// The question itself.
    pub bytes: Vec<u8>,
}

impl Question {
    pub(super) fn plain(bytes: impl Into<Vec<u8>>) -> Self {
        Self { before: Vec::new(), bytes: bytes.into() }
    }

    pub(super) fn after(before: impl Into<Vec<u8>>, bytes: impl Into<Vec<u8>>) -> Self {
        Self { before: before.into(), bytes: bytes.into() }
    }
}

/// A byte's time on a line of `baud` bits a second, ms.
pub(super) fn byte_ms(baud: u32) -> f64 {
    BITS_PER_BYTE * 1000.0 / f64::from(baud.max(1))
}

/// The commands' steps where the state before may be unknown: then every relay is told.
pub(super) fn steps(codec: &impl Codec, before: Option<RelayMask>, after: RelayMask) -> Vec<(u8, RelayMask)> {
    let Capabilities { relays, wire, .. } = codec.capabilities();
    let all = all_of(relays);
    let before = before.unwrap_or(RelayMask(!after.0 & all));
    wire.steps(before, RelayMask(after.0 & all))
}

/// The mask of a board's relays.
pub(super) fn all_of(relays: u8) -> u8 {
    u8::MAX >> 8_u8.saturating_sub(relays).min(7)
}
