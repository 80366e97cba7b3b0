//! StandardFirmata on an Arduino with relays at its pins (source: the Firmata protocol, version 2; that a new output is low
//! is from its program).

use crate::time::HostTime;
use crate::twin::relay_board::coils::Coils;

const PINS: usize = 128;
const INPUT: u8 = 0;
const OUTPUT: u8 = 1;
/// Longer than any message that is understood.
const MESSAGE_MAX: usize = 64;

/// The program on the Arduino, and which relay hangs on which pin.
#[derive(Debug, Clone)]
pub(in super::super) struct Firmata {
    first_pin: u8,
    active_low: bool,
    modes: Vec<u8>,
    levels: Vec<bool>,
    pub(super) message: Vec<u8>,
}

impl Firmata {
    pub(super) fn new(first_pin: u8, active_low: bool) -> Self {
        Self { first_pin, active_low, modes: vec![INPUT; PINS], levels: vec![false; PINS], message: Vec::new() }
    }

    pub(super) fn feed(&mut self, byte: u8, acts_at: HostTime, coils: &mut Coils) -> Vec<u8> {
        let in_sysex = self.message.first() == Some(&0xF0);
        match byte {
            // A new message ends an unfinished one; data without a message is noise.
            0x80.. if !(in_sysex && byte == 0xF7) => self.message = vec![byte],
            _ if self.message.is_empty() || self.message.len() > MESSAGE_MAX => self.message.clear(),
            _ => self.message.push(byte),
        }
        let answer = match self.message[..] {
            [0xF9] => vec![0xF9, 2, 5],
            [0xFF] => {
                self.modes.fill(INPUT);
                Vec::new()
            }
            [0xF4, pin, mode] => {
                let pin = usize::from(pin) % PINS;
                (self.modes[pin], self.levels[pin]) = (mode, false);
                Vec::new()
            }
            [port @ 0x90..=0x9F, low, high] => {
                let levels = low | high << 7;
                for bit in 0..8 {
                    self.levels[usize::from((port & 15) * 8 + bit)] = levels >> bit & 1 == 1;
                }
                Vec::new()
            }
            [0xF0, 0x6D, pin, 0xF7] => {
                let at = usize::from(pin) % PINS;
                vec![0xF0, 0x6E, pin, self.modes[at], u8::from(self.levels[at]), 0xF7]
            }
            [0xF0, .., 0xF7] => Vec::new(),
            _ => return Vec::new(),
        };
        self.message.clear();
        coils.set(self.closed(coils.relays()), acts_at);
        answer
    }

    /// A pin that is no output floats, and holds its relay open.
    fn closed(&self, relays: u8) -> u8 {
        let is_closed = |relay: u8| {
            let pin = usize::from(self.first_pin + relay) % PINS;
            self.modes[pin] == OUTPUT && self.levels[pin] != self.active_low
        };
        (0..relays).fold(0, |mask, relay| mask | u8::from(is_closed(relay)) << relay)
    }
}
