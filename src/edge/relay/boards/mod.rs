//! The boards, one a file: their bytes, their answers, their times.

pub mod adr2200;
pub(super) mod command;
pub mod conrad;
pub mod firmata;
pub mod hid;
pub(super) mod keys;
pub mod kmtronic;
pub mod lcus;
pub mod modbus;
pub mod numato;
pub mod usb_rly;

pub use adr2200::{Adr2200, Ask, encode_mask};
pub use hid::Reports;
