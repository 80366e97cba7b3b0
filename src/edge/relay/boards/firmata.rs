//! An Arduino with StandardFirmata and up to eight pins in a row (source: the Firmata protocol, version 2).
//!
//! A port of eight pins is set by one message. Eight pins that lie in two ports take two, or three where one of them both
//! opens and closes. Opening the port resets most Arduinos: they are asked until they have started.

use crate::edge::relay::codec::{self, Codec, Question};
use crate::edge::relay::{Capabilities, SerialSpec};
use crate::message::RelayMask;
use crate::profile::protocol::Options;
use crate::profile::wire::Wire;

/// Sets a port's pins; the low four bits are the port.
const DIGITAL_MESSAGE: u8 = 0x90;
const SET_PIN_MODE: u8 = 0xF4;
const OUTPUT: u8 = 1;
/// Asks for the protocol's version, and begins the answer.
pub(crate) const VERSION: u8 = 0xF9;
const SYSEX: u8 = 0xF0;
const SYSEX_END: u8 = 0xF7;
const ASK_PIN: u8 = 0x6D;
const PIN_ANSWER: u8 = 0x6E;
const MESSAGE_BYTES: f64 = 3.0;
/// The longest that boot loaders wait before they start the program, ms; how often the question fits into it.
const BOOT_MS: f64 = 3000.0;
const QUESTIONS: usize = 10;

/// The language of an Arduino with relays at some of its pins.
#[derive(Debug, Clone)]
pub struct Firmata {
    options: Options,
    baud: u32,
}

impl Firmata {
    /// For a board as named on the command line.
    pub fn new(spec: &SerialSpec) -> Self {
        Self { options: spec.options, baud: spec.baud }
    }

    fn pins(&self) -> impl Iterator<Item = u8> {
        self.options.first_pin..self.options.first_pin + self.options.relays
    }

    /// The relays of each port that has some.
    fn groups(&self) -> [u8; 8] {
        let mut groups = [0; 8];
        for (relay, pin) in self.pins().enumerate() {
            groups[usize::from(pin / 8 - self.options.first_pin / 8)] |= 1 << relay;
        }
        groups
    }

    /// The message that gives the pins of a group of relays their levels.
    fn message(&self, group: u8, mask: RelayMask) -> Vec<u8> {
        let levels = if self.options.active_low { !mask.0 } else { mask.0 };
        let port = (self.options.first_pin + group.trailing_zeros() as u8) / 8;
        let pins = self.pins().enumerate().filter(|(relay, _)| levels & group & 1 << relay != 0);
        let bits = pins.fold(0_u8, |bits, (_, pin)| bits | 1 << (pin % 8));
        vec![DIGITAL_MESSAGE | port, bits & 0x7F, bits >> 7]
    }
}

impl Codec for Firmata {
    fn board(&self) -> String {
        let last = self.options.first_pin + self.options.relays - 1;
        format!("Firmata board with relays at pins {} to {last}", self.options.first_pin)
    }

    fn capabilities(&self) -> Capabilities {
        let wire = Wire::grouped(self.groups(), MESSAGE_BYTES * codec::byte_ms(self.baud));
        Capabilities { relays: self.options.relays, wire, reads_back: true }
    }

    fn encode(&self, before: Option<RelayMask>, after: RelayMask) -> Vec<Vec<u8>> {
        let steps = codec::steps(self, before, after);
        // A board whose pins share a port has one group only, which the steps call "all".
        let groups = self.groups();
        steps
            .into_iter()
            .map(|(group, mask)| self.message(if group == 255 { groups[0] } else { group }, mask))
            .collect()
    }

    /// Each pin becomes an output and gets its open level at once: StandardFirmata makes a new output low, which closes an
    /// active-low relay's coil circuit for the half millisecond until the next message. No relay operates in that time.
    fn greeting(&self) -> Vec<Vec<u8>> {
        let groups = self.groups();
        let group = |relay: usize| groups.into_iter().find(|group| group >> relay & 1 == 1).unwrap_or(groups[0]);
        let pin = |(relay, pin)| [vec![SET_PIN_MODE, pin, OUTPUT], self.message(group(relay), RelayMask(0))];
        self.pins().enumerate().flat_map(pin).collect()
    }

    fn questions(&self) -> Vec<Question> {
        let ask: Vec<u8> = self.pins().flat_map(|pin| [SYSEX, ASK_PIN, pin, SYSEX_END]).collect();
        vec![Question::after([SYSEX_END], ask); QUESTIONS]
    }

    /// `F0 6E pin mode state… F7` for every pin; one that is no output holds its relay open.
    fn answer(&self, _question: usize, heard: &[u8]) -> Option<RelayMask> {
        let says = |asked: u8| {
            let mut messages = heard.split(|byte| *byte == SYSEX);
            messages.find_map(|message| match message {
                [PIN_ANSWER, pin, mode, state, end @ ..] if *pin == asked && end.contains(&SYSEX_END) => {
                    Some(*mode == OUTPUT && (*state == 0) == self.options.active_low)
                }
                _ => None,
            })
        };
        let relay = |mask, (relay, pin)| Some(mask | u8::from(says(pin)?) << relay);
        self.pins().enumerate().try_fold(0, relay).map(RelayMask)
    }

    fn answer_bytes(&self) -> f64 {
        6.0 * f64::from(self.options.relays)
    }

    fn boot_ms(&self) -> f64 {
        BOOT_MS
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::edge::relay::RelaySpec;
    use crate::profile::protocol::Protocol;

    fn board(options: &str) -> Firmata {
        match RelaySpec::parse(&format!("firmata:x?{options}")).unwrap() {
            RelaySpec::Serial(spec) if spec.protocol == Protocol::Firmata => Firmata::new(&spec),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn messages_are_as_published() {
        // Pins 2–7 are in port 0, 8 and 9 in port 1.
        let high = board("pins=2-9");
        assert_eq!(high.encode(Some(RelayMask(0)), RelayMask(1)), [[0x90, 0b100, 0]]);
        assert_eq!(high.encode(Some(RelayMask(0)), RelayMask(0x20)), [[0x90, 0, 1]]);
        assert_eq!(high.encode(Some(RelayMask(0)), RelayMask(0x40)), [[0x91, 1, 0]]);
        assert_eq!(high.encode(Some(RelayMask(1)), RelayMask(0x80)), [[0x90, 0, 0], [0x91, 2, 0]]);
        let low = board("pins=2-9&active=low");
        assert_eq!(low.encode(Some(RelayMask(0)), RelayMask(1)), [[0x90, 0x78, 1]]);
        let one_port = board("pins=8-15");
        assert_eq!(one_port.encode(Some(RelayMask(5)), RelayMask(0x8A)), [[0x91, 0x0A, 1]]);
        assert!(one_port.capabilities().wire.is_at_once());
        assert_eq!(low.greeting()[..2], [vec![0xF4, 2, 1], vec![0x90, 0x7C, 1]]);
        assert_eq!(board("pins=4").encode(None, RelayMask(1)), [[0x90, 0x10, 0]]);
    }

    #[test]
    fn pin_states_are_read() {
        let two = board("pins=4-5");
        let heard = [&[0xF9, 2, 5][..], &[0xF0, 0x6E, 4, 1, 1, 0xF7], &[0xF0, 0x6E, 5, 1, 0, 0xF7]].concat();
        assert_eq!(two.answer(0, &heard), Some(RelayMask(1)));
        assert_eq!(board("pins=4-5&active=low").answer(0, &heard), Some(RelayMask(2)));
        assert_eq!(two.answer(0, &heard[..heard.len() - 1]), None);
        assert_eq!(two.answer(0, &[0xF0, 0x6E, 4, 0, 1, 0xF7, 0xF0, 0x6E, 5, 0, 1, 0xF7]), Some(RelayMask(0)));
    }
}
