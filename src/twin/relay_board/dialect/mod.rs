//! What the simulated boards understand: one language a file, each written from the published tables and not from the
//! driver that is tested against it.

mod adr;
mod firmata;
mod frames;
mod modbus;
mod numato;

pub(super) use adr::Adr;
use firmata::Firmata;
pub(super) use frames::Hid;
use frames::{Conrad, Kmtronic, Lcus, UsbRly};
use modbus::Modbus;
use numato::Numato;

use crate::profile::protocol::Protocol;
use crate::time::HostTime;
use crate::twin::relay_board::coils::Coils;
use crate::twin::relay_board::settings::DeviceSettings;

/// A board's firmware.
#[derive(Debug, Clone)]
pub(super) enum Dialect {
    Adr(Adr),
    Lcus(Lcus),
    Kmtronic(Kmtronic),
    UsbRly(UsbRly),
    Numato(Numato),
    Conrad(Conrad),
    Modbus(Modbus),
    Firmata(Firmata),
    Hid(Hid),
}

impl Dialect {
    pub(super) fn new(settings: &DeviceSettings) -> Self {
        let options = settings.options;
        match settings.protocol {
            Protocol::Adr2200 => Self::Adr(Adr::new(settings.address, settings.is_clone, settings.guards_itself)),
            Protocol::Lcus => Self::Lcus(Lcus::new(settings.is_clone)),
            Protocol::Kmtronic => Self::Kmtronic(Kmtronic::default()),
            Protocol::UsbRly => Self::UsbRly(UsbRly::default()),
            Protocol::Numato => Self::Numato(Numato::default()),
            Protocol::Conrad => Self::Conrad(Conrad::default()),
            Protocol::Modbus => Self::Modbus(Modbus::new(options.address, options.first_coil)),
            Protocol::Firmata => Self::Firmata(Firmata::new(options.first_pin, options.active_low)),
        }
    }

    /// Takes a byte that arrived at `at`; what it causes happens `firmware_us` later. Returns the answer.
    pub(super) fn feed(&mut self, byte: u8, at: HostTime, firmware_us: i64, coils: &mut Coils) -> Vec<u8> {
        let acts_at = HostTime(at.0.saturating_add(firmware_us));
        match self {
            Self::Adr(it) => it.feed(byte, acts_at, coils),
            Self::Lcus(it) => it.feed(byte, acts_at, coils),
            Self::Kmtronic(it) => it.feed(byte, acts_at, coils),
            Self::UsbRly(it) => it.feed(byte, acts_at, coils),
            Self::Numato(it) => it.feed(byte, acts_at, coils),
            Self::Conrad(it) => it.feed(byte, acts_at, coils),
            Self::Modbus(it) => it.feed(byte, at, firmware_us, coils),
            Self::Firmata(it) => it.feed(byte, acts_at, coils),
            Self::Hid(it) => it.feed(byte, acts_at, coils),
        }
    }

    /// Drops what was received of an unfinished command.
    pub(super) fn forget_line(&mut self) {
        match self {
            Self::Adr(it) => it.line.clear(),
            Self::Lcus(it) => it.frame.clear(),
            Self::Kmtronic(it) => it.frame.clear(),
            Self::UsbRly(it) => it.frame.clear(),
            Self::Numato(it) => it.line.clear(),
            Self::Conrad(it) => it.frame.clear(),
            Self::Modbus(it) => it.frame.clear(),
            Self::Firmata(it) => it.message.clear(),
            Self::Hid(it) => it.frame.clear(),
        }
    }
}
