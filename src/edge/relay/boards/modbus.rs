//! Modbus RTU: relays as coils, all set by one "write multiple coils" (source: the Modbus application protocol and its
//! serial line guide, both public).
//!
//! A slave acts after a silence of 3.5 bytes and then answers on the same pair of wires, so the next command waits until
//! that answer must be over. How soon a given board answers no source says.

use crate::edge::relay::codec::{self, Codec, Question};
use crate::edge::relay::{Capabilities, SerialSpec};
use crate::message::RelayMask;
use crate::profile::wire::Wire;

const READ_COILS: u8 = 1;
const WRITE_COILS: u8 = 15;
/// The CRC of the serial line guide; its low byte goes first.
const CRC: crc::Crc<u16> = crc::Crc::<u16>::new(&crc::CRC_16_MODBUS);
/// The silence that ends a frame, bytes.
const SILENCE_BYTES: f64 = 3.5;
/// "Write multiple coils" for up to eight coils, and its answer.
const COMMAND_BYTES: f64 = 10.0;
const ANSWER_BYTES: f64 = 8.0;
/// How long a slave may think before it answers, ms (a guess).
const THINKING_MS: f64 = 5.0;

/// A slave's language.
#[derive(Debug, Clone)]
pub struct Modbus {
    slave: u8,
    first: u16,
    relays: u8,
    baud: u32,
}

impl Modbus {
    /// For a board as named on the command line.
    pub fn new(spec: &SerialSpec) -> Self {
        let options = spec.options;
        Self { slave: options.address, first: options.first_coil, relays: options.relays, baud: spec.baud }
    }

    fn frame(&self, function: u8, data: &[u8]) -> Vec<u8> {
        let [high, low] = self.first.to_be_bytes();
        with_crc(&[&[self.slave, function, high, low, 0, self.relays], data].concat())
    }
}

/// A frame with its check.
pub(crate) fn with_crc(frame: &[u8]) -> Vec<u8> {
    [frame, &CRC.checksum(frame).to_le_bytes()].concat()
}

impl Codec for Modbus {
    fn board(&self) -> String {
        format!("Modbus slave {}", self.slave)
    }

    fn capabilities(&self) -> Capabilities {
        let wire = Wire::at_once((COMMAND_BYTES + SILENCE_BYTES) * codec::byte_ms(self.baud));
        Capabilities { relays: self.relays, wire, reads_back: true }
    }

    fn encode(&self, _before: Option<RelayMask>, after: RelayMask) -> Vec<Vec<u8>> {
        vec![self.frame(WRITE_COILS, &[1, after.0])]
    }

    fn questions(&self) -> Vec<Question> {
        // Half a frame of another program ends by itself in the silence.
        vec![Question::plain(self.frame(READ_COILS, &[])); 2]
    }

    fn answer(&self, _question: usize, heard: &[u8]) -> Option<RelayMask> {
        let is_answer = |f: &&[u8]| f[..3] == [self.slave, READ_COILS, 1] && with_crc(&f[..4]) == **f;
        let answer = heard.windows(6).find(is_answer)?;
        Some(RelayMask(answer[3] & codec::all_of(self.relays)))
    }

    fn rest_ms(&self) -> f64 {
        THINKING_MS + (ANSWER_BYTES + SILENCE_BYTES) * codec::byte_ms(self.baud)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::profile::protocol::Protocol;

    /// The frames of the Modbus specification's own examples: coils 20–29 of slave 17 are read, 10 coils from 20 written.
    #[test]
    fn frames_are_as_in_the_specification() {
        assert_eq!(with_crc(&[0x11, 1, 0, 0x13, 0, 0x25]), [0x11, 1, 0, 0x13, 0, 0x25, 0x0E, 0x84]);
        assert_eq!(
            with_crc(&[0x11, 15, 0, 0x13, 0, 10, 2, 0xCD, 1]),
            [0x11, 15, 0, 0x13, 0, 10, 2, 0xCD, 1, 0xBF, 0x0B]
        );
        let slave = Modbus::new(&SerialSpec::new(Protocol::Modbus, "x"));
        assert_eq!(slave.questions()[0].bytes, [1, 1, 0, 0, 0, 8, 0x3D, 0xCC]);
        assert_eq!(slave.encode(None, RelayMask(0xFF)), [[1, 15, 0, 0, 0, 8, 1, 0xFF, 0xBE, 0xD5]]);
    }

    #[test]
    fn answers_are_found_behind_others_and_checked() {
        let slave = Modbus::new(&SerialSpec::new(Protocol::Modbus, "x"));
        let answer = with_crc(&[1, 1, 1, 5]);
        assert_eq!(slave.answer(0, &answer), Some(RelayMask(5)));
        assert_eq!(slave.answer(0, &[with_crc(&[1, 15, 0, 0, 0, 8]), answer.clone()].concat()), Some(RelayMask(5)));
        assert_eq!(slave.answer(0, &answer[..5]), None);
        assert_eq!(slave.answer(0, &with_crc(&[2, 1, 1, 5])), None);
        assert_eq!(slave.answer(0, &[1, 1, 1, 4, answer[4], answer[5]]), None);
    }
}
