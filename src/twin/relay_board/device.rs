//! The board itself: bytes in, answers out, coils switched. Pure; the caller says when each byte arrived.

use super::contact::{Contact, ContactTimes};
use crate::message::RelayMask;
use crate::time::HostTime;
use rand::SeedableRng;
use rand_xoshiro::Xoshiro256PlusPlus;

/// The longest command, `SPKxxxxxxxx` with an address, with room to spare.
const LINE_MAX: usize = 16;
/// What `IDN?` says.
const PRODUCT: &str = "2200";
/// The console reads its pad twice in a row and takes the AND; this far apart.
const DOUBLE_READ_US: i64 = 20;

/// How a simulated board behaves.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DeviceSettings {
    /// The address it listens to, 0–9; 0 also listens to commands without one.
    pub address: u8,
    /// From a command's last bit to its effect (about 1 ms is a guess; the maker does not say).
    pub firmware_us: i64,
    /// How its contacts move.
    pub contact: ContactTimes,
    /// Seeds what is drawn at random.
    pub seed: u64,
}

impl Default for DeviceSettings {
    fn default() -> Self {
        Self { address: 0, firmware_us: 1000, contact: ContactTimes::default(), seed: 1 }
    }
}

/// What is wrong with a board.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Fault {
    /// Nothing.
    #[default]
    None,
    /// It neither acts nor answers.
    Deaf,
    /// It acts, but its answers are wrong.
    Garbled,
}

/// A simulated ADR2200.
#[derive(Debug, Clone)]
pub struct AdrDevice {
    settings: DeviceSettings,
    rng: Xoshiro256PlusPlus,
    contacts: [Contact; 8],
    line: Vec<u8>,
    inputs: u8,
    counter: u16,
    interrupts: bool,
    trigger: u16,
    fault: Fault,
}

impl AdrDevice {
    /// A board just switched on: all relays open.
    pub fn new(settings: DeviceSettings) -> Self {
        let rng = Xoshiro256PlusPlus::seed_from_u64(settings.seed);
        Self {
            settings,
            rng,
            contacts: Default::default(),
            line: Vec::new(),
            inputs: 0,
            counter: 0,
            interrupts: false,
            trigger: 0,
            fault: Fault::None,
        }
    }

    /// Takes a byte whose last bit arrived at `at`, no earlier than the byte before. Returns the answer, which leaves
    /// the board [`DeviceSettings::firmware_us`] later; mostly empty.
    pub fn feed(&mut self, byte: u8, at: HostTime) -> Vec<u8> {
        if self.fault == Fault::Deaf {
            return Vec::new();
        }
        if byte != b'\r' {
            // One byte over the limit marks the whole line as garbage.
            if self.line.len() <= LINE_MAX {
                self.line.push(byte);
            }
            return Vec::new();
        }
        let line = std::mem::take(&mut self.line);
        let acts_at = HostTime(at.0 + self.settings.firmware_us);
        match self.addressed(&line).and_then(|command| self.obey(command, acts_at)) {
            Some(answer) if self.fault == Fault::Garbled => format!("?{}\r", answer.len()).into_bytes(),
            Some(answer) => format!("{answer}\r").into_bytes(),
            None => Vec::new(),
        }
    }

    /// Which contacts are closed at `at`: exact for the last 1000 and more presses of each relay, whatever came after.
    pub fn closed_at(&self, at: HostTime) -> RelayMask {
        self.mask(|contact| contact.is_closed(at))
    }

    /// What a console that polls at `at` sees: closed in both of two reads 20 µs apart.
    pub fn polled_at(&self, at: HostTime) -> RelayMask {
        RelayMask(self.closed_at(at).0 & self.closed_at(HostTime(at.0 + DOUBLE_READ_US)).0)
    }

    /// Which relays were set last, moved yet or not.
    pub fn coils(&self) -> RelayMask {
        self.mask(Contact::coil)
    }

    /// Breaks or mends the board.
    pub fn set_fault(&mut self, fault: Fault) {
        self.fault = fault;
        self.line.clear();
    }

    /// Applies a level to an input, 0–3. With interrupts on, returns what the board says unasked: its address and the
    /// input's number. A rising edge of input 0 counts as an event.
    pub fn set_input(&mut self, input: u8, high: bool) -> Vec<u8> {
        let bit = 1 << (input & 3);
        let was_high = self.inputs & bit != 0;
        self.inputs = if high { self.inputs | bit } else { self.inputs & !bit };
        if was_high == high {
            return Vec::new();
        }
        if high && bit == 1 {
            self.counter = self.counter.wrapping_add(1);
        }
        if !self.interrupts || self.fault == Fault::Deaf {
            return Vec::new();
        }
        format!("{}{}\r", self.settings.address, input & 3).into_bytes()
    }

    fn mask(&self, is_set: impl Fn(&Contact) -> bool) -> RelayMask {
        RelayMask(self.contacts.iter().enumerate().fold(0, |mask, (i, c)| mask | u8::from(is_set(c)) << i))
    }

    /// The command in a line, if it is meant for this board.
    fn addressed<'a>(&self, line: &'a [u8]) -> Option<&'a str> {
        let text = std::str::from_utf8(line).ok().filter(|t| t.len() <= LINE_MAX)?;
        match text.bytes().next()? {
            digit @ b'0'..=b'9' => (digit - b'0' == self.settings.address).then(|| &text[1..]),
            _ => (self.settings.address == 0).then_some(text),
        }
    }

    /// Carries out a command; the answer, if it has one. Anything unknown is ignored.
    fn obey(&mut self, command: &str, at: HostTime) -> Option<String> {
        let coils = self.coils().0;
        match command {
            "RPK" => return Some(format!("{coils:08b}")),
            "PK" => return Some(format!("{coils:03}")),
            "RPA" => return Some(format!("{:04b}", self.inputs)),
            "PA" => return Some(format!("{:02}", self.inputs)),
            "IDN?" => return Some(PRODUCT.into()),
            "CE" => self.counter = 0,
            "RE" => return Some(format!("{:05}", self.counter)),
            "REC" => return Some(format!("{:05}", std::mem::take(&mut self.counter))),
            "IE" => self.interrupts = true,
            "ID" => self.interrupts = false,
            "IS" => return Some(u8::from(self.interrupts).to_string()),
            "TS" => return Some(format!("{:05}", self.trigger)),
            _ => return self.obey_numbered(command, coils, at),
        }
        None
    }

    fn obey_numbered(&mut self, command: &str, coils: u8, at: HostTime) -> Option<String> {
        let digits_at = command.find(|c: char| c.is_ascii_digit())?;
        let (verb, digits) = command.split_at(digits_at);
        if !digits.bytes().all(|b| b.is_ascii_digit()) {
            return None;
        }
        let below = |limit: u8| digits.parse::<u8>().ok().filter(|n| digits.len() == 1 && *n < limit);
        match verb {
            "SK" => self.set_coils(coils | 1 << below(8)?, at),
            "RK" => self.set_coils(coils & !(1 << below(8)?), at),
            "MK" if digits.len() <= 3 => self.set_coils(digits.parse().ok()?, at),
            "SPK" if digits.len() == 8 => self.set_coils(u8::from_str_radix(digits, 2).ok()?, at),
            "RPK" => return Some((coils >> below(8)? & 1).to_string()),
            "RPA" => return Some((self.inputs >> below(4)? & 1).to_string()),
            "TL" if digits.len() == 5 => self.trigger = digits.parse().ok()?,
            _ => {}
        }
        None
    }

    fn set_coils(&mut self, mask: u8, at: HostTime) {
        for (relay, contact) in self.contacts.iter_mut().enumerate() {
            contact.switch(mask >> relay & 1 == 1, at, self.settings.contact, &mut self.rng);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn talk(device: &mut AdrDevice, text: &str) -> String {
        let bytes = text.bytes().flat_map(|b| device.feed(b, HostTime(0))).collect();
        String::from_utf8(bytes).unwrap()
    }

    /// The maker's command table: what is sent, what is answered, which relays are set afterwards.
    #[test]
    fn the_published_commands_are_obeyed() {
        let mut device = AdrDevice::new(DeviceSettings::default());
        for (sent, answer, coils) in [
            ("SK0\r", "", 1),
            ("SK7\r", "", 129),
            ("RK0\r", "", 128),
            ("SPK00000101\r", "", 5),
            ("RPK\r", "00000101\r", 5),
            ("RPK2\r", "1\r", 5),
            ("RPK1\r", "0\r", 5),
            ("PK\r", "005\r", 5),
            ("MK255\r", "", 255),
            ("PK\r", "255\r", 255),
            ("MK0\r", "", 0),
            ("MK007\r", "", 7),
            ("0MK3\r", "", 3),
            ("RPA\r", "0000\r", 3),
            ("RPA3\r", "0\r", 3),
            ("PA\r", "00\r", 3),
            ("RE\r", "00000\r", 3),
            ("CE\r", "", 3),
            ("REC\r", "00000\r", 3),
            ("IE\r", "", 3),
            ("IS\r", "1\r", 3),
            ("ID\r", "", 3),
            ("IS\r", "0\r", 3),
            ("TL00123\r", "", 3),
            ("TS\r", "00123\r", 3),
            ("IDN?\r", "2200\r", 3),
        ] {
            assert_eq!((talk(&mut device, sent).as_str(), device.coils().0), (answer, coils), "{sent:?}");
        }
    }

    #[test]
    fn garbage_is_ignored_until_the_next_carriage_return() {
        let mut device = AdrDevice::new(DeviceSettings::default());
        for garbage in [
            "\r",
            "MK256\r",
            "MK\r",
            "SK8\r",
            "SK\r",
            "SPK0000012\r",
            "mk5\r",
            "MK5\n\r",
            "7SK4\r",
            "MK5 \r",
            "RPA4\r",
            "MK55555555555555555555555555555555\r",
            "\u{fffd}MK5\r",
            "SK12\r",
        ] {
            assert_eq!((talk(&mut device, garbage).as_str(), device.coils().0), ("", 0), "{garbage:?}");
        }
        assert_eq!(talk(&mut device, "MK9\rRPK\r"), "00001001\r");
    }

    #[test]
    fn only_the_addressed_board_listens() {
        let mut device = AdrDevice::new(DeviceSettings { address: 3, ..Default::default() });
        for (sent, coils) in [("MK1\r", 0), ("0MK1\r", 0), ("4MK1\r", 0), ("3MK1\r", 1)] {
            talk(&mut device, sent);
            assert_eq!(device.coils().0, coils, "{sent:?}");
        }
    }

    #[test]
    fn inputs_count_events_and_interrupt() {
        let mut device = AdrDevice::new(DeviceSettings::default());
        assert_eq!(device.set_input(0, true), b"");
        talk(&mut device, "IE\r");
        assert_eq!((device.set_input(0, false), device.set_input(2, true)), (b"00\r".to_vec(), b"02\r".to_vec()));
        assert_eq!(talk(&mut device, "RPA\rREC\rRE\r"), "0100\r00001\r00000\r");
    }

    #[test]
    fn all_relays_of_a_mask_start_together_after_the_firmware() {
        let mut device = AdrDevice::new(DeviceSettings { seed: 7, ..Default::default() });
        for byte in *b"MK12\r" {
            device.feed(byte, HostTime(10_000));
        }
        assert_eq!(device.closed_at(HostTime(10_000 + 1000 + 2999)), RelayMask(0));
        assert_eq!(device.closed_at(HostTime(10_000 + 1000 + 6000)), RelayMask(12));
        assert_eq!(device.polled_at(HostTime(20_000)), RelayMask(12));
    }

    #[test]
    fn broken_boards_say_nothing_or_nonsense() {
        let mut device = AdrDevice::new(DeviceSettings::default());
        device.set_fault(Fault::Deaf);
        assert_eq!((talk(&mut device, "MK1\rRPK\r").as_str(), device.coils().0), ("", 0));
        device.set_fault(Fault::Garbled);
        assert_eq!((talk(&mut device, "MK1\rRPK\r").as_str(), device.coils().0), ("?8\r", 1));
    }
}
