//! LC Technology's LCUS-1 to LCUS-8: a CH340 and one command a relay (source: the maker's four bytes `A0 n state sum`, as
//! public clients send them).
//!
//! Many of these boards answer nothing. Of those that do, most answer `FF` with a line for each relay (`CH1: ON`); one
//! client has seen a byte for each relay instead. How a board finds its way back after a lost byte no source says.

use crate::edge::relay::codec::{self, Codec, Question};
use crate::edge::relay::{Capabilities, SerialSpec};
use crate::message::RelayMask;
use crate::profile::wire::Wire;

/// The first byte of every command.
const HEAD: u8 = 0xA0;
const COMMAND_BYTES: f64 = 4.0;
/// Asks for all relays' states.
const QUESTION: u8 = 0xFF;

/// An LCUS board's language.
#[derive(Debug, Clone)]
pub struct Lcus {
    relays: u8,
    baud: u32,
}

impl Lcus {
    /// For a board as named on the command line.
    pub fn new(spec: &SerialSpec) -> Self {
        Self { relays: spec.options.relays, baud: spec.baud }
    }
}

/// The command that closes or opens relay 0–7.
fn command(relay: u8, close: bool) -> Vec<u8> {
    let (number, state) = (relay + 1, u8::from(close));
    vec![HEAD, number, state, HEAD.wrapping_add(number).wrapping_add(state)]
}

impl Codec for Lcus {
    fn board(&self) -> String {
        format!("LCUS board of {} relays", self.relays)
    }

    fn capabilities(&self) -> Capabilities {
        let wire = Wire::one_by_one(COMMAND_BYTES * codec::byte_ms(self.baud));
        Capabilities { relays: self.relays, wire, reads_back: true }
    }

    fn encode(&self, before: Option<RelayMask>, after: RelayMask) -> Vec<Vec<u8>> {
        let single = |(relay, mask): (u8, RelayMask)| command(relay.trailing_zeros() as u8, mask.0 & relay != 0);
        codec::steps(self, before, after).into_iter().map(single).collect()
    }

    fn questions(&self) -> Vec<Question> {
        vec![Question::plain([QUESTION]), Question::after([0, 0, 0], [QUESTION])]
    }

    fn answer(&self, _question: usize, heard: &[u8]) -> Option<RelayMask> {
        as_text(heard, self.relays).or_else(|| as_bytes(heard, self.relays)).map(RelayMask)
    }

    fn answer_bytes(&self) -> f64 {
        // `CH1: OFF` and a line's end, for each.
        10.0 * f64::from(self.relays)
    }

    fn may_be_silent(&self) -> bool {
        true
    }
}

/// `CH1: ON`, `CH2:OFF`, … in any spacing.
fn as_text(heard: &[u8], relays: u8) -> Option<u8> {
    let text: String = String::from_utf8_lossy(heard).split_ascii_whitespace().collect::<String>().to_ascii_uppercase();
    (1..=relays).try_fold(0, |mask, number| {
        let rest = text.split(&format!("CH{number}:")).nth(1)?;
        let is_closed = rest.starts_with("ON");
        (is_closed || rest.starts_with("OFF")).then_some(mask | u8::from(is_closed) << (number - 1))
    })
}

/// One byte a relay, 0 or 1.
pub(crate) fn as_bytes(heard: &[u8], relays: u8) -> Option<u8> {
    let is_state = heard.len() == usize::from(relays) && heard.iter().all(|byte| *byte <= 1);
    is_state.then(|| heard.iter().rev().fold(0, |mask, byte| mask << 1 | byte))
}

/// How many relays an LCUS board says it has.
pub(crate) fn relays_in(heard: &[u8]) -> Option<u8> {
    (1..=8).rev().find(|relays| as_text(heard, *relays).is_some())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::profile::protocol::Protocol;

    #[test]
    fn commands_are_as_published_and_openings_come_first() {
        let lcus = Lcus::new(&SerialSpec::new(Protocol::Lcus, "x"));
        assert_eq!(lcus.encode(Some(RelayMask(0)), RelayMask(1)), [[0xA0, 1, 1, 0xA2]]);
        assert_eq!(lcus.encode(Some(RelayMask(1)), RelayMask(0)), [[0xA0, 1, 0, 0xA1]]);
        assert_eq!(lcus.encode(Some(RelayMask(1)), RelayMask(0x82)).concat()[..4], [0xA0, 1, 0, 0xA1]);
        assert_eq!(lcus.encode(Some(RelayMask(0)), RelayMask(0x80)), [[0xA0, 8, 1, 0xA9]]);
        assert_eq!(lcus.encode(None, RelayMask(0)).len(), 8, "what is not known is told to every relay");
        assert!((lcus.capabilities().wire.skew_ms() - 4.1667).abs() < 1e-3);
    }

    #[test]
    fn answers_are_read_in_both_forms() {
        let mut spec = SerialSpec::new(Protocol::Lcus, "x");
        spec.options.relays = 2;
        let lcus = Lcus::new(&spec);
        for (heard, mask) in [
            (&b"CH1: OFF\r\nCH2: ON \r\n"[..], Some(2)),
            (b"CH1:ON\r\nCH2:ON", Some(3)),
            (b"CH1:ON\r\nCH2:OF", None),
            (b"CH1:ON\r\n", None),
            (&[0, 1], Some(2)),
            (&[2, 0], None),
            (b"", None),
        ] {
            assert_eq!(lcus.answer(0, heard), mask.map(RelayMask), "{}", heard.escape_ascii());
        }
    }
}
