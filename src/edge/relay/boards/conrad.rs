//! Conrad's relay card 197720: frames of four bytes, `command address data xor`, answered with the command's complement
//! (source: the maker's table, as public clients use it).
//!
//! Cards stand in a chain: each passes on what is not for it. *Setup* gives the first card its address and each further one
//! the next. Whether a setup moves relays, and how a card finds back after a lost byte, no source says.

use crate::edge::relay::codec::{self, Codec, Question};
use crate::edge::relay::{Capabilities, SerialSpec};
use crate::message::RelayMask;
use crate::profile::wire::Wire;

const COMMAND_BYTES: f64 = 4.0;
const SETUP: u8 = 1;
const GET_PORT: u8 = 2;
const SET_PORT: u8 = 3;
/// The address that setup gives to the first card.
const FIRST_CARD: u8 = 1;

/// A Conrad card's language.
#[derive(Debug, Clone)]
pub struct Conrad {
    address: u8,
    baud: u32,
}

impl Conrad {
    /// For a card as named on the command line.
    pub fn new(spec: &SerialSpec) -> Self {
        Self { address: spec.options.address, baud: spec.baud }
    }
}

fn frame(command: u8, address: u8, data: u8) -> Vec<u8> {
    vec![command, address, data, command ^ address ^ data]
}

/// The bytes that give all cards their addresses.
pub(crate) fn setup() -> Vec<u8> {
    frame(SETUP, FIRST_CARD, 0)
}

impl Codec for Conrad {
    fn board(&self) -> String {
        format!("Conrad relay card {}", self.address)
    }

    fn capabilities(&self) -> Capabilities {
        let wire = Wire::at_once(COMMAND_BYTES * codec::byte_ms(self.baud));
        Capabilities { relays: 8, wire, reads_back: true }
    }

    fn encode(&self, _before: Option<RelayMask>, after: RelayMask) -> Vec<Vec<u8>> {
        vec![frame(SET_PORT, self.address, after.0)]
    }

    fn greeting(&self) -> Vec<Vec<u8>> {
        vec![setup()]
    }

    fn questions(&self) -> Vec<Question> {
        // A card that was just switched on has no address before its setup.
        let ask = frame(GET_PORT, self.address, 0);
        vec![Question::plain(ask.clone()), Question::after(setup(), ask)]
    }

    fn answer(&self, _question: usize, heard: &[u8]) -> Option<RelayMask> {
        let is_answer = |f: &&[u8]| f[0] == !GET_PORT && f[1] == self.address && f[3] == f[0] ^ f[1] ^ f[2];
        heard.windows(4).find(is_answer).map(|f| RelayMask(f[2]))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::profile::protocol::Protocol;

    #[test]
    fn frames_are_as_published() {
        let card = Conrad::new(&SerialSpec::new(Protocol::Conrad, "x"));
        assert_eq!(card.greeting(), [[1, 1, 0, 0]]);
        assert_eq!(card.encode(None, RelayMask(0x81)), [[3, 1, 0x81, 0x83]]);
        assert_eq!(card.questions()[0].bytes, [2, 1, 0, 3]);
        assert_eq!(card.answer(0, &[253, 1, 0x81, 0x7D]), Some(RelayMask(0x81)));
        // The answer to an earlier command comes first; wrong sums and other cards do not count.
        assert_eq!(card.answer(0, &[252, 1, 9, 252 ^ 1 ^ 9, 253, 1, 7, 253 ^ 1 ^ 7]), Some(RelayMask(7)));
        assert_eq!(card.answer(0, &[253, 1, 0x81, 0x7C]), None);
        assert_eq!(card.answer(0, &[253, 2, 0x81, 0x7E]), None);
    }
}
