//! The Ontrak ADR2200: eight relays behind an RS-232 line (source: the manual's command list). Our own board speaks the
//! same.
//!
//! Every change is one `MKddd` and so one moment for all relays. The board has no watchdog: whatever was set last stays
//! until something else is set, so opening the relays is this program's job. What it answers to garbage no source says.

use super::codec::{self, Codec, Question};
use super::{Adr2200Spec, Capabilities, RelayBoard, RelayError, SerialBoard};
use crate::message::RelayMask;
use crate::time::Clock;
use crate::wire::Wire;
use std::sync::Arc;

/// The bytes that set all relays at once: `MKddd` and a carriage return, after the address digit unless that is 0.
pub fn encode_mask(address: u8, mask: RelayMask) -> Vec<u8> {
    command(address, &format!("MK{}", mask.0))
}

/// How long such a command is on a line of `baud` bits a second.
pub fn wire(address: u8, baud: u32) -> Wire {
    let byte_ms = codec::byte_ms(baud);
    Wire::decimal(command(address, "MK").len() as f64 * byte_ms, byte_ms)
}

/// A command for the board of this address.
pub(super) fn command(address: u8, text: &str) -> Vec<u8> {
    match address {
        0 => format!("{text}\r"),
        digit => format!("{digit}{text}\r"),
    }
    .into_bytes()
}

/// The ADR2200's language.
#[derive(Debug, Clone)]
pub struct Adr {
    address: u8,
    baud: u32,
}

/// What an interrupt says: the board's address and the input's number.
const INTERRUPT_DIGITS: usize = 2;

/// How the state is asked for. The plain question comes first: a known clone goes deaf after an empty command.
const QUESTIONS: [(&str, &str); 3] = [("", "RPK"), ("\r", "RPK"), ("", "PK")];

impl Adr {
    /// For a board as named on the command line.
    pub fn new(spec: &Adr2200Spec) -> Self {
        Self { address: spec.address, baud: spec.baud }
    }
}

impl Codec for Adr {
    fn board(&self) -> String {
        match self.address {
            0 => "ADR2200".into(),
            address => format!("ADR2200 with address {address}"),
        }
    }

    fn capabilities(&self) -> Capabilities {
        Capabilities { relays: 8, wire: wire(self.address, self.baud), reads_back: true }
    }

    fn encode(&self, _before: Option<RelayMask>, after: RelayMask) -> Vec<Vec<u8>> {
        vec![encode_mask(self.address, after)]
    }

    fn questions(&self) -> Vec<Question> {
        QUESTIONS.map(|(before, text)| Question::after(before, command(self.address, text))).to_vec()
    }

    fn answer(&self, question: usize, heard: &[u8]) -> Option<RelayMask> {
        mask_in(heard, QUESTIONS.get(question)?.1)
    }
}

/// An interrupt's three bytes take 3.1 ms at 9600 baud, and a USB adapter holds them back for up to 16.
const SETTLE_MS: f64 = 20.0;

/// A connected ADR2200: a [`RelayBoard`] with what only this one can do.
pub struct Adr2200 {
    board: SerialBoard,
    address: u8,
    interrupts: bool,
}

/// What an ADR2200 says besides its relays' state.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ask {
    /// The product's number, four digits (`IDN?`).
    Product,
    /// The levels of the inputs PA0–PA3, bit n for PAn (`RPA`).
    Inputs,
    /// How many events were counted, 0–65535 (`RE`).
    Events,
    /// The same, and counts from 0 again (`REC`).
    EventsAndClear,
}

impl Adr2200 {
    /// Opens the port for this program alone and, unless told otherwise, waits until the board answers.
    ///
    /// # Errors
    /// When there is no such port, it is not ours, it is in use, or no ADR2200 answers on it.
    pub fn open(spec: &Adr2200Spec, clock: Arc<dyn Clock>) -> Result<Self, RelayError> {
        let codec = Box::new(Adr::new(spec));
        let board = SerialBoard::open(&spec.path, spec.baud, spec.verify, codec, clock)?;
        Ok(Self { board, address: spec.address, interrupts: false })
    }

    /// Asks something; never while presses are due, because it waits for the answer.
    ///
    /// # Errors
    /// When the port is gone, or no such answer comes.
    pub fn ask(&mut self, what: Ask) -> Result<u16, RelayError> {
        let (text, radix, digits) = match what {
            Ask::Product => ("IDN?", 10, 4..=4),
            Ask::Inputs => ("RPA", 2, 4..=4),
            Ask::Events => ("RE", 10, 1..=5),
            Ask::EventsAndClear => ("REC", 10, 1..=5),
        };
        let interrupts = self.interrupts;
        let found = |heard: &[u8]| {
            let mut lines: Vec<&[u8]> = heard.split(|b| matches!(b, b'\r' | b'\n')).collect();
            // The last has no end yet.
            lines.pop();
            lines.into_iter().find_map(|line| {
                let line = std::str::from_utf8(line).ok()?.trim();
                let is_answer = digits.contains(&line.len()) && line.chars().all(|c| c.is_digit(radix));
                // Whether counts are padded to five digits is not known, so only now may two digits be a count.
                let is_interrupt = interrupts && line.len() == INTERRUPT_DIGITS;
                u16::from_str_radix(line, radix).ok().filter(|_| is_answer && !is_interrupt)
            })
        };
        if interrupts {
            self.board.settle(SETTLE_MS)?;
        }
        self.board.question(&command(self.address, text), found)
    }

    /// Sets the event counter to 0.
    ///
    /// # Errors
    /// When the port is gone.
    pub fn clear_events(&mut self) -> Result<(), RelayError> {
        self.board.send(&[command(self.address, "CE")])
    }

    /// Lets the board say by itself when an input changes, or forbids it. Such bytes may stand anywhere between answers.
    ///
    /// # Errors
    /// When the port is gone.
    pub fn set_interrupts(&mut self, on: bool) -> Result<(), RelayError> {
        self.board.send(&[command(self.address, if on { "IE" } else { "ID" })])?;
        self.interrupts = on;
        Ok(())
    }
}

impl RelayBoard for Adr2200 {
    fn set(&mut self, mask: RelayMask) -> Result<(), RelayError> {
        self.board.set(mask)
    }

    fn open_all(&mut self) -> Result<(), RelayError> {
        self.board.open_all()
    }

    fn capabilities(&self) -> Capabilities {
        self.board.capabilities()
    }

    fn name(&self) -> String {
        self.board.name()
    }

    fn read_back(&mut self) -> Result<Option<RelayMask>, RelayError> {
        self.board.read_back()
    }

    fn read_back_once(&mut self) -> Result<Option<RelayMask>, RelayError> {
        self.board.read_back_once()
    }
}

/// The answer to `RPK` (8 binary digits, K7 first) or `PK` (decimal) in what was heard. Other whole lines are passed
/// over: an echo of the question, or the two digits of an interrupt.
fn mask_in(heard: &[u8], question: &str) -> Option<RelayMask> {
    let mut lines: Vec<&[u8]> = heard.split(|b| matches!(b, b'\r' | b'\n')).collect();
    let unfinished = lines.pop()?;
    // Eight binary digits are a whole answer even before the line's end.
    if question == "RPK" && unfinished.len() == 8 {
        lines.push(unfinished);
    }
    lines.into_iter().find_map(|line| {
        let text = std::str::from_utf8(line).ok()?.trim();
        match question {
            "RPK" if text.len() == 8 => u8::from_str_radix(text, 2).ok(),
            "PK" if matches!(text.len(), 1 | 3) && text.bytes().all(|b| b.is_ascii_digit()) => text.parse().ok(),
            _ => None,
        }
        .map(RelayMask)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn masks_are_encoded_as_the_manual_says() {
        for (address, mask, bytes) in
            [(0, 0, "MK0\r"), (0, 5, "MK5\r"), (0, 255, "MK255\r"), (3, 5, "3MK5\r"), (9, 128, "9MK128\r")]
        {
            assert_eq!(encode_mask(address, RelayMask(mask)), bytes.as_bytes());
        }
    }

    #[test]
    fn answers_are_found_among_other_lines() {
        for (heard, question, mask) in [
            ("00000101\r", "RPK", Some(5)),
            ("00000101\r\n", "RPK", Some(5)),
            ("\r\n10000000", "RPK", Some(128)),
            ("RPK\r00000001\r", "RPK", Some(1)),
            ("03\r00000001\r", "RPK", Some(1)),
            ("RPK\r", "RPK", None),
            ("0000010", "RPK", None),
            ("00000201\r", "RPK", None),
            ("005\r", "PK", Some(5)),
            ("5\r", "PK", Some(5)),
            ("005", "PK", None),
            ("256\r", "PK", None),
        ] {
            assert_eq!(mask_in(heard.as_bytes(), question), mask.map(RelayMask), "{heard:?}");
        }
    }
}
