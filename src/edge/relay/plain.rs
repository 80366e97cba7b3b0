//! Boards without hardware: one that closes nothing, and one that remembers.

use super::{Capabilities, Health, KeepAlive, RelayBoard, RelayError};
use crate::message::RelayMask;
use crate::profile::wire::Wire;
use crate::time::{Clock, HostTime};
use std::io::{Error, ErrorKind};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// A board without relays (`none`): everything runs, nothing is pressed.
#[derive(Debug, Clone, Copy, Default)]
pub struct NoBoard;

impl RelayBoard for NoBoard {
    fn set(&mut self, _mask: RelayMask) -> Result<(), RelayError> {
        Ok(())
    }

    fn capabilities(&self) -> Capabilities {
        Capabilities { relays: 8, wire: Wire::at_once(0.0), reads_back: false }
    }

    fn name(&self) -> String {
        "no relay board".into()
    }

    fn read_back(&mut self) -> Result<Option<RelayMask>, RelayError> {
        Ok(None)
    }
}

/// Two boards that do the same: a simulated one that plays, and a real one that clicks along.
pub struct Both {
    first: Box<dyn RelayBoard>,
    second: Box<dyn RelayBoard>,
}

impl Both {
    /// Both boards as one; presses are timed for the first.
    pub fn new(first: Box<dyn RelayBoard>, second: Box<dyn RelayBoard>) -> Self {
        Self { first, second }
    }
}

impl RelayBoard for Both {
    fn set(&mut self, mask: RelayMask) -> Result<(), RelayError> {
        // Each is told whatever became of the other: an opening must reach both.
        let first = self.first.set(mask);
        self.second.set(mask).and(first)
    }

    fn open_all(&mut self) -> Result<(), RelayError> {
        let first = self.first.open_all();
        self.second.open_all().and(first)
    }

    fn capabilities(&self) -> Capabilities {
        self.first.capabilities()
    }

    fn name(&self) -> String {
        format!("{} and {}", self.first.name(), self.second.name())
    }

    fn start_calls(&mut self) -> Result<Option<KeepAlive>, RelayError> {
        // The simulated one wants none.
        let first = self.first.start_calls()?;
        Ok(self.second.start_calls()?.or(first))
    }

    fn call(&mut self) -> Result<Health, RelayError> {
        let first = self.first.call();
        match self.second.call()? {
            Health::Well => first,
            other => Ok(other),
        }
    }

    fn read_back(&mut self) -> Result<Option<RelayMask>, RelayError> {
        let first = self.first.read_back();
        self.second.read_back().and(first)
    }

    fn read_back_once(&mut self) -> Result<Option<RelayMask>, RelayError> {
        let first = self.first.read_back_once();
        self.second.read_back_once().and(first)
    }
}

/// One mask that a [`RecordingBoard`] was told to set, and when.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Written {
    /// When.
    pub at: HostTime,
    /// All relays' state.
    pub mask: RelayMask,
}

/// A board in memory that remembers every mask and can be told to fail. Clones are the same board.
#[derive(Clone)]
pub struct RecordingBoard {
    clock: Arc<dyn Clock>,
    state: Arc<Mutex<Recording>>,
}

#[derive(Default)]
struct Recording {
    written: Vec<Written>,
    broken: bool,
}

impl RecordingBoard {
    /// A working board that takes its times from `clock`.
    pub fn new(clock: Arc<dyn Clock>) -> Self {
        Self { clock, state: Arc::default() }
    }

    /// Everything set so far, in order.
    pub fn written(&self) -> Vec<Written> {
        self.lock().written.clone()
    }

    /// From now on every `set` fails (or works again), as after an unplugged cable.
    pub fn set_broken(&self, broken: bool) {
        self.lock().broken = broken;
    }

    fn lock(&self) -> MutexGuard<'_, Recording> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl RelayBoard for RecordingBoard {
    fn set(&mut self, mask: RelayMask) -> Result<(), RelayError> {
        let at = self.clock.now();
        let mut state = self.lock();
        if state.broken {
            let source = Error::new(ErrorKind::BrokenPipe, "the board was told to fail");
            return Err(RelayError::Write { path: "memory".into(), source });
        }
        state.written.push(Written { at, mask });
        Ok(())
    }

    fn capabilities(&self) -> Capabilities {
        Capabilities { relays: 8, wire: Wire::at_once(0.0), reads_back: true }
    }

    fn name(&self) -> String {
        "recording board".into()
    }

    fn read_back(&mut self) -> Result<Option<RelayMask>, RelayError> {
        Ok(self.lock().written.last().map(|w| w.mask))
    }
}
