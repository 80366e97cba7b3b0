//! What a camera's driver does, as far as the robot needs it. Linux's and the other systems' drivers are behind it, and a
//! script in tests.

use super::mode::Mode;
use crate::time::HostTime;
use std::time::Duration;

/// An open camera that sends pictures.
pub(super) trait Device {
    /// Waits for a picture, at most `patience`; whether there is one.
    fn wait(&mut self, patience: Duration) -> Result<bool, Trouble>;

    /// Takes the oldest picture, after [`Self::wait`] said that there is one; `None` if it is none to look at.
    fn fetch(&mut self) -> Result<Option<Raw>, Trouble>;

    /// Stops the stream and starts it again, without opening the camera a second time.
    fn restart(&mut self) -> Result<(), Trouble>;

    /// What the driver says that it sends.
    fn mode(&self) -> Mode;

    /// The bytes from one row to the next where that is more than the pixels need; else 0.
    fn stride(&self) -> usize {
        0
    }

    /// All controls, with their values; the text says why there are none.
    fn controls(&self) -> Result<Vec<Knob>, String>;

    /// A control's value; `None` if there is no such control.
    fn value(&self, id: u32) -> Option<i64>;

    /// Sets a control; the text says why not. The driver may choose a value nearby.
    fn set(&mut self, id: u32, value: i64) -> Result<(), String>;
}

/// A picture as the driver handed it over.
#[derive(Debug, Clone, Default)]
pub(super) struct Raw {
    /// What the camera sent, no more.
    pub(super) bytes: Vec<u8>,
    /// The driver's number of it.
    pub(super) sequence: Option<u32>,
    /// When the driver says that it came; `None` if it uses another clock.
    pub(super) stamp: Option<HostTime>,
    /// The driver knows that something is missing.
    pub(super) is_marked_bad: bool,
}

/// Why the driver gives no picture.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Trouble {
    /// The camera is not there any more.
    Gone(String),
    /// Anything else; starting again may help.
    Other(String),
}

/// How a control is worked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum KnobKind {
    /// A range of values.
    Range,
    /// On (1) or off (0).
    Switch,
    /// A list of choices.
    Choice,
}

/// A control as the driver describes it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Knob {
    pub(super) id: u32,
    pub(super) name: String,
    pub(super) kind: KnobKind,
    pub(super) value: i64,
    pub(super) min: i64,
    pub(super) max: i64,
    pub(super) step: i64,
    pub(super) default: i64,
}
