//! Simulated relay boards: the same bytes, the same wire time, contacts that move late and bounce.
//!
//! [`Device`] is a board alone, pure. [`crate::edge::simulated::SimulatedBoard`] puts a serial line before it, still without threads, for the
//! simulated clock. [`crate::edge::simulated::PtyBoard`] offers it on a pseudo-terminal, for real time and other programs.

mod coils;
mod contact;
mod device;
mod dialect;
mod settings;

pub use contact::ContactTimes;
pub use device::{AdrDevice, Device};
pub use settings::{DeviceSettings, Fault};
