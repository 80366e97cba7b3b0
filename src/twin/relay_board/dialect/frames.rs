//! Boards whose commands have a fixed number of bytes: LCUS, KMTronic, USB-RLY, Conrad, HID.

use crate::time::HostTime;
use crate::twin::relay_board::coils::Coils;

/// A Conrad card drops a frame that is not whole after this long a silence (a guess: it must find its way back somehow).
const CONRAD_SILENCE_US: i64 = 10_000;

/// `A0 n state sum`; `FF` asks. What is no frame is skipped byte by byte, so a lost byte costs one command.
#[derive(Debug, Clone)]
pub(in super::super) struct Lcus {
    is_silent: bool,
    pub(super) frame: Vec<u8>,
}

impl Lcus {
    pub(super) fn new(is_silent: bool) -> Self {
        Self { is_silent, frame: Vec::new() }
    }

    pub(super) fn feed(&mut self, byte: u8, acts_at: HostTime, coils: &mut Coils) -> Vec<u8> {
        self.frame.push(byte);
        loop {
            match self.frame[..] {
                [0xFF, ..] => {
                    self.frame.remove(0);
                    if !self.is_silent {
                        return said(coils);
                    }
                }
                [0xA0] | [0xA0, _] | [0xA0, _, _] | [] => return Vec::new(),
                [0xA0, number, state @ 0..=1, sum] if is_relay(number, coils) && sum == 0xA0 + number + state => {
                    coils.switch(number - 1, state == 1, acts_at);
                    self.frame.clear();
                }
                _ => drop(self.frame.remove(0)),
            }
        }
    }
}

fn said(coils: &Coils) -> Vec<u8> {
    let line =
        |relay: u8| format!("CH{}: {}\r\n", relay + 1, if coils.mask() >> relay & 1 == 1 { "ON" } else { "OFF" });
    (0..coils.relays()).map(line).collect::<String>().into_bytes()
}

fn is_relay(number: u8, coils: &Coils) -> bool {
    (1..=coils.relays()).contains(&number)
}

/// `FF n state`; `FF 09 00` asks boards of four and eight relays, `FF n 03` smaller ones.
#[derive(Debug, Clone, Default)]
pub(in super::super) struct Kmtronic {
    pub(super) frame: Vec<u8>,
}

impl Kmtronic {
    pub(super) fn feed(&mut self, byte: u8, acts_at: HostTime, coils: &mut Coils) -> Vec<u8> {
        self.frame.push(byte);
        loop {
            let mask = coils.mask();
            match self.frame[..] {
                [0xFF] | [0xFF, _] | [] => return Vec::new(),
                [0xFF, 9, 0] if coils.relays() > 2 => {
                    self.frame.clear();
                    return (0..coils.relays()).map(|relay| mask >> relay & 1).collect();
                }
                [0xFF, number, 3] if coils.relays() <= 2 && is_relay(number, coils) => {
                    self.frame.clear();
                    return vec![0xFF, number, mask >> (number - 1) & 1];
                }
                [0xFF, number, state @ 0..=1] if is_relay(number, coils) => {
                    coils.switch(number - 1, state == 1, acts_at);
                    self.frame.clear();
                }
                _ => drop(self.frame.remove(0)),
            }
        }
    }
}

/// Single bytes; only `5C` takes another.
#[derive(Debug, Clone, Default)]
pub(in super::super) struct UsbRly {
    pub(super) frame: Vec<u8>,
}

impl UsbRly {
    pub(super) fn feed(&mut self, byte: u8, acts_at: HostTime, coils: &mut Coils) -> Vec<u8> {
        if self.frame.pop().is_some() {
            coils.set(byte, acts_at);
            return Vec::new();
        }
        match byte {
            0x38 => return b"00001543".to_vec(),
            0x5A => return vec![8, 2],
            0x5B => return vec![coils.mask()],
            0x5C => self.frame.push(byte),
            0x64 => coils.set(255, acts_at),
            0x65..=0x6C => coils.switch(byte - 0x65, true, acts_at),
            0x6E => coils.set(0, acts_at),
            0x6F..=0x76 => coils.switch(byte - 0x6F, false, acts_at),
            _ => {}
        }
        Vec::new()
    }
}

/// `command address data xor`, answered with the complement. Has no address until its setup; passes on what is not for it,
/// which at the end of the chain is the host.
#[derive(Debug, Clone, Default)]
pub(in super::super) struct Conrad {
    pub(super) frame: Vec<u8>,
    address: Option<u8>,
    last: HostTime,
}

impl Conrad {
    pub(super) fn feed(&mut self, byte: u8, acts_at: HostTime, coils: &mut Coils) -> Vec<u8> {
        if acts_at - self.last > CONRAD_SILENCE_US {
            self.frame.clear();
        }
        self.last = acts_at;
        self.frame.push(byte);
        let &[command, address, data, sum] = self.frame.as_slice() else { return Vec::new() };
        self.frame.clear();
        if sum != command ^ address ^ data {
            return Vec::new();
        }
        let frame = |command: u8, address: u8, data: u8| vec![command, address, data, command ^ address ^ data];
        if command == 1 {
            self.address = Some(address);
            return [frame(!command, address, 1), frame(1, address.wrapping_add(1), 0)].concat();
        }
        if self.address != Some(address) {
            return frame(command, address, data);
        }
        match command {
            2 => return frame(!command, address, coils.mask()),
            3 => coils.set(data, acts_at),
            6 => coils.set(coils.mask() | data, acts_at),
            7 => coils.set(coils.mask() & !data, acts_at),
            8 => coils.set(coils.mask() ^ data, acts_at),
            _ => {}
        }
        frame(!command, address, data)
    }
}

/// Reports of nine bytes: `00 FF n` closes, `00 FD n` opens, `00 FE` and `00 FC` all.
#[derive(Debug, Clone, Default)]
pub(in super::super) struct Hid {
    pub(super) frame: Vec<u8>,
}

impl Hid {
    pub(super) fn feed(&mut self, byte: u8, acts_at: HostTime, coils: &mut Coils) -> Vec<u8> {
        self.frame.push(byte);
        if self.frame.len() < 9 {
            return Vec::new();
        }
        match self.frame[..3] {
            [0, 0xFF, number] if is_relay(number, coils) => coils.switch(number - 1, true, acts_at),
            [0, 0xFD, number] if is_relay(number, coils) => coils.switch(number - 1, false, acts_at),
            [0, 0xFE, _] => coils.set(255, acts_at),
            [0, 0xFC, _] => coils.set(0, acts_at),
            _ => {}
        }
        self.frame.clear();
        Vec::new()
    }
}
