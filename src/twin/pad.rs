//! The simulated console's pad: which relay presses which button.

use crate::game::Buttons;
use crate::message::RelayMask;

/// The pad is wired to relays in the usual order (relay n = bit n of the pad).
pub const WIRING: [Buttons; 8] = [
    Buttons::RIGHT,
    Buttons::LEFT,
    Buttons::DOWN,
    Buttons::UP,
    Buttons::START,
    Buttons::SELECT,
    Buttons::B,
    Buttons::A,
];

/// The buttons that closed relays press on the simulated pad.
pub fn pressed(closed: RelayMask) -> Buttons {
    (0..8).filter(|relay| closed.0 >> relay & 1 == 1).fold(Buttons::NONE, |all, relay| all | WIRING[relay])
}
