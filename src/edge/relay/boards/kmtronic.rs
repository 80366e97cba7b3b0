//! KMTronic's USB and RS-232 boards: `FF n state`, one command a relay (source: the maker's table).
//!
//! Boards of four and eight relays answer `FF 09 00` with a byte for each relay, smaller ones `FF n 03` with `FF n state`.
//! There is no checksum, so a garbled byte may move another relay; the maker says nothing of what a lost byte does.

use super::lcus::as_bytes;
use crate::edge::relay::codec::{self, Codec, Question};
use crate::edge::relay::{Capabilities, SerialSpec};
use crate::message::RelayMask;
use crate::profile::wire::Wire;

/// The first byte of every command.
const HEAD: u8 = 0xFF;
const COMMAND_BYTES: f64 = 3.0;
/// Asks for all relays' states.
pub(crate) const QUESTION: [u8; 3] = [HEAD, 9, 0];
/// Instead of a state, asks for one relay's.
const ASK_ONE: u8 = 3;

/// A KMTronic board's language.
#[derive(Debug, Clone)]
pub struct Kmtronic {
    relays: u8,
    baud: u32,
}

impl Kmtronic {
    /// For a board as named on the command line.
    pub fn new(spec: &SerialSpec) -> Self {
        Self { relays: spec.options.relays, baud: spec.baud }
    }

    /// Boards of one or two relays know no question for all.
    fn asks_each(&self) -> bool {
        self.relays <= 2
    }
}

impl Codec for Kmtronic {
    fn board(&self) -> String {
        format!("KMTronic board of {} relays", self.relays)
    }

    fn capabilities(&self) -> Capabilities {
        let wire = Wire::one_by_one(COMMAND_BYTES * codec::byte_ms(self.baud));
        Capabilities { relays: self.relays, wire, reads_back: true }
    }

    fn encode(&self, before: Option<RelayMask>, after: RelayMask) -> Vec<Vec<u8>> {
        let single = |(relay, mask): (u8, RelayMask)| {
            vec![HEAD, relay.trailing_zeros() as u8 + 1, u8::from(mask.0 & relay != 0)]
        };
        codec::steps(self, before, after).into_iter().map(single).collect()
    }

    fn questions(&self) -> Vec<Question> {
        let bytes = match self.asks_each() {
            true => (1..=self.relays).flat_map(|number| [HEAD, number, ASK_ONE]).collect(),
            false => QUESTION.to_vec(),
        };
        // Two zeros end the beginning of any command; what it may then do is open a relay.
        vec![Question::plain(bytes.clone()), Question::after([0, 0], bytes)]
    }

    fn answer(&self, _question: usize, heard: &[u8]) -> Option<RelayMask> {
        if !self.asks_each() {
            return as_bytes(heard, self.relays).map(RelayMask);
        }
        let state = |number: u8| {
            let said = heard.windows(3).find(|w| w[..2] == [HEAD, number] && w[2] <= 1)?;
            Some(said[2] << (number - 1))
        };
        (1..=self.relays).try_fold(0, |mask, number| Some(mask | state(number)?)).map(RelayMask)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::profile::protocol::Protocol;

    fn board(relays: u8) -> Kmtronic {
        let mut spec = SerialSpec::new(Protocol::Kmtronic, "x");
        spec.options.relays = relays;
        Kmtronic::new(&spec)
    }

    #[test]
    fn commands_are_as_published() {
        let board = board(8);
        assert_eq!(board.encode(Some(RelayMask(0)), RelayMask(1)), [[0xFF, 1, 1]]);
        assert_eq!(board.encode(Some(RelayMask(0x80)), RelayMask(1)), [[0xFF, 8, 0], [0xFF, 1, 1]]);
        assert_eq!(board.questions()[0].bytes, [0xFF, 9, 0]);
    }

    #[test]
    fn answers_are_a_byte_a_relay_or_a_frame_a_relay() {
        assert_eq!(board(8).answer(0, &[1, 0, 1, 0, 0, 0, 0, 1]), Some(RelayMask(0x85)));
        assert_eq!(board(8).answer(0, &[1, 0, 1, 0]), None);
        assert_eq!(board(2).questions()[0].bytes, [0xFF, 1, 3, 0xFF, 2, 3]);
        assert_eq!(board(2).answer(0, &[0xFF, 1, 0, 0xFF, 2, 1]), Some(RelayMask(2)));
        assert_eq!(board(2).answer(0, &[0xFF, 1, 0, 0xFF, 2]), None);
    }
}
