//! A Modbus RTU slave with coils (source: the Modbus application protocol and its serial line guide).

use crate::time::HostTime;
use crate::twin::relay_board::coils::Coils;

/// A frame that is not whole after this long a silence is dropped: 3.5 bytes at 9600 bits a second.
const SILENCE_US: i64 = 3646;
const FRAME_MAX: usize = 32;
const ILLEGAL_FUNCTION: u8 = 1;
const ILLEGAL_ADDRESS: u8 = 2;
const ILLEGAL_VALUE: u8 = 3;

/// A slave's firmware.
#[derive(Debug, Clone)]
pub(in super::super) struct Modbus {
    slave: u8,
    first: u16,
    pub(super) frame: Vec<u8>,
    last: HostTime,
}

impl Modbus {
    pub(super) fn new(slave: u8, first: u16) -> Self {
        Self { slave, first, frame: Vec::new(), last: HostTime(i64::MIN) }
    }

    /// The silence at a frame's end is part of what it takes to act.
    pub(super) fn feed(&mut self, byte: u8, at: HostTime, firmware_us: i64, coils: &mut Coils) -> Vec<u8> {
        if at - self.last > SILENCE_US || self.frame.len() >= FRAME_MAX {
            self.frame.clear();
        }
        self.last = at;
        self.frame.push(byte);
        let length = match self.frame[..] {
            [_, 15, _, _, _, _, bytes, ..] => 9 + usize::from(bytes),
            [_, 1..=6, ..] => 8,
            // Of other functions only the check tells the end.
            [_, _, ..] if checks(&self.frame) && self.frame.len() >= 4 => self.frame.len(),
            _ => usize::MAX,
        };
        if self.frame.len() != length || !checks(&self.frame) {
            return Vec::new();
        }
        let frame = std::mem::take(&mut self.frame);
        // Slave 0 is everybody, and nobody answers.
        if frame[0] != self.slave && frame[0] != 0 {
            return Vec::new();
        }
        let acts_at = HostTime(at.0.saturating_add(SILENCE_US + firmware_us));
        let said = self.obey(frame[1], &frame[2..frame.len() - 2], acts_at, coils);
        if frame[0] == 0 {
            return Vec::new();
        }
        let said = said.unwrap_or_else(|exception| vec![frame[1] | 0x80, exception]);
        let said = [&[self.slave][..], &said].concat();
        [&said[..], &check(&said)].concat()
    }

    fn obey(&self, function: u8, data: &[u8], at: HostTime, coils: &mut Coils) -> Result<Vec<u8>, u8> {
        let word = |i: usize| Some(u16::from_be_bytes([*data.get(i)?, *data.get(i + 1)?]));
        let (Some(first), Some(value)) = (word(0), word(2)) else { return Err(ILLEGAL_VALUE) };
        let offset = first.checked_sub(self.first).filter(|n| *n < u16::from(coils.relays())).ok_or(ILLEGAL_ADDRESS)?;
        let is_inside = |count: u16| count >= 1 && offset + count.min(9) <= u16::from(coils.relays());
        match (function, value) {
            (1 | 15, count) if !is_inside(count) => Err(ILLEGAL_ADDRESS),
            (1, count) => Ok(vec![1, 1, coils.mask() >> offset & (u8::MAX >> (8 - count))]),
            (5, 0 | 0xFF00) => {
                coils.switch(offset as u8, value != 0, at);
                Ok([&[5], data].concat())
            }
            (15, count) => {
                let &[_, _, _, _, 1, levels] = data else { return Err(ILLEGAL_VALUE) };
                let relays = u8::MAX >> (8 - count) << offset;
                coils.set(coils.mask() & !relays | levels << offset & relays, at);
                Ok([&[15], &data[..4]].concat())
            }
            (5, _) => Err(ILLEGAL_VALUE),
            _ => Err(ILLEGAL_FUNCTION),
        }
    }
}

/// CRC-16 with the reflected polynomial A001, low byte first.
fn check(bytes: &[u8]) -> [u8; 2] {
    let step = |crc: u16, _| if crc & 1 == 1 { crc >> 1 ^ 0xA001 } else { crc >> 1 };
    bytes.iter().fold(0xFFFF, |crc, byte| (0..8).fold(crc ^ u16::from(*byte), step)).to_le_bytes()
}

fn checks(frame: &[u8]) -> bool {
    frame.split_last_chunk::<2>().is_some_and(|(said, sum)| check(said) == *sum)
}
