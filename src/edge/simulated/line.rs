//! The serial line before the board: bytes take their time on the wire.

use crate::edge::relay::boards::adr2200::{self, encode_mask};
use crate::message::{RelayCommand, RelayMask};
use crate::profile::protocol::Protocol;
use crate::profile::wire::Wire;
use crate::time::HostTime;
use crate::twin::relay_board::{Device, DeviceSettings};

/// A start bit, 8 data bits, a stop bit.
const BITS_PER_BYTE: f64 = 10.0;
/// A full-speed USB bus has a frame a millisecond; a command waits for one at worst.
const USB_FRAME_US: f64 = 1000.0;

/// A serial line's timing: one byte after the other, each at its full time.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Line {
    byte_us: f64,
    /// What is added to each byte.
    delay_us: f64,
    /// Fractions of a microsecond would add up over a command.
    free_at_us: f64,
}

impl Line {
    pub(crate) fn new(baud: u32) -> Self {
        Self { byte_us: BITS_PER_BYTE * 1e6 / f64::from(baud.max(1)), delay_us: 0.0, free_at_us: f64::MIN }
    }

    /// The line of a board of this kind: one that is a USB device itself has no rate, but waits for its frame.
    pub(crate) fn of(protocol: Protocol, baud: u32) -> Self {
        match protocol {
            Protocol::UsbRly | Protocol::Numato => Self { byte_us: 0.0, delay_us: USB_FRAME_US, free_at_us: f64::MIN },
            _ => Self::new(baud),
        }
    }

    /// When the last bit of a byte handed over at `at` has arrived.
    pub(crate) fn carry(&mut self, at: HostTime) -> HostTime {
        self.free_at_us = self.free_at_us.max(at.0 as f64) + self.byte_us;
        HostTime((self.free_at_us + self.delay_us).round() as i64)
    }
}

/// A simulated board at the end of a simulated serial line: due times in, contacts out, no threads.
#[derive(Debug, Clone)]
pub struct SimulatedBoard {
    device: Device,
    address: u8,
    baud: u32,
    line: Line,
}

impl SimulatedBoard {
    /// A board on a line of `baud` bits a second.
    pub fn new(settings: DeviceSettings, baud: u32) -> Self {
        let address = settings.address;
        Self { device: Device::new(settings), address, baud, line: Line::new(baud) }
    }

    /// Sends a mask whose first byte leaves at `at`, or when the line is free. Times must not go backwards. Returns when
    /// the last bit has arrived.
    pub fn send(&mut self, mask: RelayMask, at: HostTime) -> HostTime {
        let mut arrived = at;
        for byte in encode_mask(self.address, mask) {
            arrived = self.line.carry(at);
            self.device.feed(byte, arrived);
        }
        arrived
    }

    /// Plays a command at its due time; see [`Self::send`].
    pub fn play(&mut self, command: RelayCommand) -> HostTime {
        self.send(command.mask, command.due)
    }

    /// The board itself, to ask for its contacts.
    pub fn device(&self) -> &Device {
        &self.device
    }

    /// The board itself, to break it or to drive its inputs.
    pub fn device_mut(&mut self) -> &mut Device {
        &mut self.device
    }

    /// How long a mask's bytes take.
    pub fn wire(&self) -> Wire {
        adr2200::wire(self.address, self.baud)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_take_their_time_on_the_wire() {
        let mut board = SimulatedBoard::new(DeviceSettings::default(), 9600);
        assert_eq!(board.send(RelayMask(255), HostTime(0)), HostTime(6250));
        // Asked for while the line is busy, the next command follows the first.
        assert_eq!(board.send(RelayMask(0), HostTime(2000)), HostTime(6250 + 4167));
        assert!((board.wire().ms(RelayMask(0), RelayMask(255)) - 6.25).abs() < 1e-9);
        // Firmware 1 ms, operate 3–5 ms; then released before most contacts have closed.
        assert_eq!(board.device().coils(), RelayMask(0));
    }

    #[test]
    fn the_same_seed_gives_the_same_contacts() {
        let run = || {
            let mut board = SimulatedBoard::new(DeviceSettings { seed: 42, ..Default::default() }, 9600);
            for n in 0..50 {
                let due = HostTime(n * 40_000);
                board.play(RelayCommand { due, expires: due, mask: RelayMask((n % 2) as u8 * 16) });
            }
            (0..200_000).map(|t| board.device().closed_at(HostTime(t * 10)).0).collect::<Vec<_>>()
        };
        assert_eq!(run(), run());
    }
}
