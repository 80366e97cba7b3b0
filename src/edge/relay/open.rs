//! Opening the board that a name means.

use super::board::{RelayBoard, RelayError};
use super::boards;
use super::codec::Codec;
use super::plain::NoBoard;
use super::serial::SerialBoard;
use super::spec::{Adr2200Spec, RelaySpec, SerialSpec};
use crate::profile::protocol::Protocol;
use crate::time::Clock;
use std::sync::Arc;

/// Opens the board that `spec` names and checks that it answers, if boards of its kind do.
///
/// # Errors
/// When there is no such port or board; [`RelayError::Simulated`] for `sim`, which only the simulated table has.
pub fn open(spec: &RelaySpec, clock: Arc<dyn Clock>) -> Result<Box<dyn RelayBoard>, RelayError> {
    match spec {
        RelaySpec::Adr2200(spec) => Ok(Box::new(boards::Adr2200::open(spec, clock)?)),
        RelaySpec::Serial(spec) => {
            let board = SerialBoard::open(&spec.path, spec.baud, spec.verify, codec_of(spec), clock)?;
            Ok(Box::new(board))
        }
        RelaySpec::Hid(serial) => boards::hid::open(serial),
        RelaySpec::Keys(spec) => boards::keys::open(spec),
        RelaySpec::Command(words) => Ok(Box::new(boards::command::Program::start(words)?)),
        RelaySpec::Simulated | RelaySpec::Emulated(_) => Err(RelayError::Simulated),
        RelaySpec::None => Ok(Box::new(NoBoard)),
    }
}

/// The language of a board on a serial line.
pub fn codec_of(spec: &SerialSpec) -> Box<dyn Codec> {
    match spec.protocol {
        Protocol::Adr2200 => {
            let SerialSpec { path, baud, verify, options, .. } = spec.clone();
            Box::new(boards::adr2200::Adr::new(&Adr2200Spec { path, baud, verify, address: options.address }))
        }
        Protocol::Lcus => Box::new(boards::lcus::Lcus::new(spec)),
        Protocol::Kmtronic => Box::new(boards::kmtronic::Kmtronic::new(spec)),
        Protocol::UsbRly => Box::new(boards::usb_rly::UsbRly),
        Protocol::Numato => Box::new(boards::numato::Numato::new(spec)),
        Protocol::Conrad => Box::new(boards::conrad::Conrad::new(spec)),
        Protocol::Modbus => Box::new(boards::modbus::Modbus::new(spec)),
        Protocol::Firmata => Box::new(boards::firmata::Firmata::new(spec)),
    }
}
