//! Devantech's USB-RLY08 and USB-RLY16: single bytes, and `5C mask` for all relays (source: the maker's command list).

use crate::edge::relay::Capabilities;
use crate::edge::relay::codec::{Codec, Question, USB_FRAME_MS};
use crate::message::RelayMask;
use crate::profile::wire::Wire;

/// Sets all relays to the byte that follows.
const SET_ALL: u8 = 0x5C;
/// Asks for the module's number and its firmware's version, a byte each.
pub(crate) const ASK_VERSION: u8 = 0x5A;
/// Asks for the relays' state, a byte.
const ASK_STATES: u8 = 0x5B;
/// Asks for the serial number, eight digits.
pub(crate) const ASK_SERIAL: u8 = 0x38;
/// Module numbers lie below this (the RLY08's is 8); text and noise mostly do not.
const MODULES: std::ops::Range<u8> = 1..32;

/// A USB-RLY's language.
#[derive(Debug, Clone, Default)]
pub struct UsbRly;

impl Codec for UsbRly {
    fn board(&self) -> String {
        "USB-RLY board".into()
    }

    fn capabilities(&self) -> Capabilities {
        Capabilities { relays: 8, wire: Wire::at_once(USB_FRAME_MS), reads_back: true }
    }

    fn encode(&self, _before: Option<RelayMask>, after: RelayMask) -> Vec<Vec<u8>> {
        vec![vec![SET_ALL, after.0]]
    }

    fn questions(&self) -> Vec<Question> {
        // A single byte of state could be anything's; the module's number before it tells. Should a program have left
        // half a command, its mask is the first of these bytes, and the second try is heard out.
        vec![Question::plain([ASK_VERSION, ASK_STATES]); 2]
    }

    fn answer(&self, _question: usize, heard: &[u8]) -> Option<RelayMask> {
        match heard {
            [module, _, states] if is_module(*module) => Some(RelayMask(*states)),
            _ => None,
        }
    }
}

pub(crate) fn is_module(number: u8) -> bool {
    MODULES.contains(&number)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_are_as_published() {
        assert_eq!(UsbRly.encode(None, RelayMask(0xA5)), [[0x5C, 0xA5]]);
        assert_eq!(UsbRly.answer(0, &[8, 2, 0xA5]), Some(RelayMask(0xA5)));
        for heard in [&[8, 2][..], &[8, 2, 1, 1], b"ERR", &[0, 0, 0], &[]] {
            assert_eq!(UsbRly.answer(0, heard), None);
        }
    }
}
