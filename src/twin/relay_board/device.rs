//! The board itself: bytes in, answers out, coils switched. Pure; the caller says when each byte arrived.

use super::coils::Coils;
use super::dialect::{Dialect, Hid};
use super::settings::{DeviceSettings, Fault};
use crate::message::RelayMask;
use crate::time::HostTime;
use rand::SeedableRng;
use rand_xoshiro::Xoshiro256PlusPlus;

/// The console reads its pad twice in a row and takes the AND; this far apart.
const DOUBLE_READ_US: i64 = 20;

/// A simulated relay board.
#[derive(Debug, Clone)]
pub struct Device {
    settings: DeviceSettings,
    coils: Coils,
    dialect: Dialect,
    fault: Fault,
}

/// A simulated board that speaks the ADR2200's dialect, as the settings say by default.
pub type AdrDevice = Device;

impl Device {
    /// A board just switched on: all relays open.
    pub fn new(settings: DeviceSettings) -> Self {
        let dialect = Dialect::new(&settings);
        Self::speaking(dialect, settings)
    }

    /// A HID board, which is fed the nine bytes of each report.
    pub fn hid(settings: DeviceSettings) -> Self {
        Self::speaking(Dialect::Hid(Hid::default()), settings)
    }

    fn speaking(dialect: Dialect, settings: DeviceSettings) -> Self {
        let rng = Xoshiro256PlusPlus::seed_from_u64(settings.seed);
        let relays = settings.options.relays.min(8);
        let (times, fault) = (settings.contact, settings.fault);
        let coils = Coils { contacts: Default::default(), relays, times, fault, slips: Vec::new(), rng };
        Self { settings, coils, dialect, fault: Fault::None }
    }

    /// Takes a byte whose last bit arrived at `at`, no earlier than the byte before. Returns the answer, which leaves
    /// the board [`DeviceSettings::firmware_us`] later; mostly empty.
    pub fn feed(&mut self, byte: u8, at: HostTime) -> Vec<u8> {
        if self.fault == Fault::Deaf {
            return Vec::new();
        }
        self.pass(at);
        let answer = self.dialect.feed(byte, at, self.settings.firmware_us, &mut self.coils);
        if self.fault == Fault::Garbled && !answer.is_empty() {
            return format!("?{}\r", answer.len()).into_bytes();
        }
        answer
    }

    /// Time passes, up to `at`: a board that guards itself opens when it has heard nothing for too long.
    pub fn pass(&mut self, at: HostTime) {
        if let Dialect::Adr(adr) = &mut self.dialect
            && self.fault != Fault::Deaf
        {
            adr.pass(at, &mut self.coils);
        }
    }

    /// Which contacts are closed at `at`: exact for the last 1000 and more presses of each relay, whatever came after.
    /// Behind a wire that is off or swapped: which of them the pad feels.
    pub fn closed_at(&self, at: HostTime) -> RelayMask {
        let closed = RelayMask(self.coils.collect(|contact| contact.is_closed(at)));
        self.settings.fault.map_or(closed, |fault| fault.through_wires(closed, at))
    }

    /// When contacts did not follow their coils, and which. For tests only: nobody at a real table knows.
    pub fn slips(&self) -> &[(HostTime, u8)] {
        &self.coils.slips
    }

    /// What a console that polls at `at` sees: closed in both of two reads 20 µs apart.
    pub fn polled_at(&self, at: HostTime) -> RelayMask {
        RelayMask(self.closed_at(at).0 & self.closed_at(HostTime(at.0 + DOUBLE_READ_US)).0)
    }

    /// Which relays were set last, moved yet or not.
    pub fn coils(&self) -> RelayMask {
        RelayMask(self.coils.mask())
    }

    /// The power goes and comes: all relays open, all settings are forgotten.
    pub fn restart(&mut self) {
        *self = Self::new(self.settings.clone());
    }

    /// Breaks or mends the board.
    pub fn set_fault(&mut self, fault: Fault) {
        self.fault = fault;
        self.dialect.forget_line();
    }

    /// Applies a level to an input, 0–3, of a board that has some. With interrupts on, returns what the board says
    /// unasked: its address and the input's number. A rising edge of input 0 counts as an event.
    pub fn set_input(&mut self, input: u8, high: bool) -> Vec<u8> {
        match &mut self.dialect {
            Dialect::Adr(adr) if self.fault != Fault::Deaf => adr.set_input(input & 3, high),
            _ => Vec::new(),
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
        assert_eq!((talk(&mut device, "MK1\rRPK\r").as_str(), device.coils().0), ("?9\r", 1));
    }
}
