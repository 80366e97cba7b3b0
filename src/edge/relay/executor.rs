//! The thread that owns the board and sends each command at its time.
//!
//! It waits on absolute deadlines of the clock, so being late once does not make it late for ever. Its inbox holds one
//! schedule: a newer one replaces it, so nothing can pile up.
//!
//! A board that is lost is opened again where the caller said how; until then nothing is played, and afterwards only what
//! is scheduled anew. The same holds while no watchdog stands beside this process.

mod calls;
mod doubt;
mod handle;
mod worker;

use super::gate::{Gate, Limits};
use super::reopen::{Reconnect, Reopening};
use super::{RelayBoard, RelayError, RelayStats};
use crate::message::RelayCommand;
use crate::time::{Clock, HostTime};
use calls::Calls;
use handle::Shared;
pub use handle::{ExecutorHandle, Hold, Missing, Sent};
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::Duration;
use worker::Worker;

/// How long [`Executor::open_all`] waits: longer than the writes of all attempts may block.
const OPEN_TIMEOUT: Duration = Duration::from_secs(1);

/// A running executor. Dropping it opens all relays and ends its thread.
pub struct Executor {
    handle: ExecutorHandle,
    thread: Option<JoinHandle<()>>,
}

impl Executor {
    /// Opens all relays, then starts the thread that serves the board.
    ///
    /// # Errors
    /// When the relays cannot be opened, or there is no thread to be had.
    pub fn start(board: Box<dyn RelayBoard>, clock: Arc<dyn Clock>, limits: Limits) -> Result<Self, RelayError> {
        Self::start_patient(board, None, clock, limits)
    }

    /// The same; a board that is lost later is opened again as `reopening` says.
    ///
    /// # Errors
    /// As [`Self::start`].
    pub fn start_patient(
        mut board: Box<dyn RelayBoard>,
        reopening: Option<Reopening>,
        clock: Arc<dyn Clock>,
        limits: Limits,
    ) -> Result<Self, RelayError> {
        board.open_all()?;
        let calls = Calls::begin(board.as_mut())?;
        let shared = Arc::new(Shared::default());
        shared.lock().board = board.name();
        let worker = Worker {
            opened: Some((clock.now(), 0)),
            reconnect: reopening.map(Reconnect::new),
            board,
            clock,
            gate: Gate::new(limits),
            calls,
            link: None,
            shared: shared.clone(),
        };
        let thread = std::thread::Builder::new()
            .name("relays".into())
            .spawn(move || worker.run())
            .map_err(|source| RelayError::System { source })?;
        Ok(Self { handle: ExecutorHandle { shared }, thread: Some(thread) })
    }

    /// Replaces all commands that are not sent yet.
    ///
    /// # Errors
    /// When the executor has stopped or the schedule is longer than any plan.
    pub fn schedule(&self, commands: Vec<RelayCommand>) -> Result<(), RelayError> {
        self.handle.schedule(commands)
    }

    /// Replaces all commands that are not sent yet and due from `since` on.
    ///
    /// # Errors
    /// As [`Self::schedule`].
    pub fn schedule_since(&self, since: HostTime, commands: Vec<RelayCommand>) -> Result<(), RelayError> {
        self.handle.schedule_since(since, commands)
    }

    /// Forgets the schedule and opens all relays; see [`ExecutorHandle::open_all`].
    pub fn open_all(&self) -> bool {
        self.handle.open_all(OPEN_TIMEOUT)
    }

    /// For other threads: the safety net, the dashboard.
    pub fn handle(&self) -> ExecutorHandle {
        self.handle.clone()
    }

    /// What was done so far.
    pub fn stats(&self) -> RelayStats {
        self.handle.stats()
    }

    /// The error that stopped the executor, once.
    pub fn take_error(&self) -> Option<RelayError> {
        self.handle.take_error()
    }

    /// Opens all relays, ends the thread, and says what was done.
    ///
    /// # Errors
    /// The error that stopped the executor, if nobody took it, or that the relays did not open.
    pub fn stop(mut self) -> Result<RelayStats, RelayError> {
        self.join();
        match self.take_error() {
            Some(error) => Err(error),
            None => Ok(self.stats()),
        }
    }

    fn join(&mut self) {
        self.handle.shared.lock().stop = true;
        self.handle.shared.wake.notify_all();
        if let Some(thread) = self.thread.take()
            && thread.join().is_err()
        {
            tracing::error!("the relay thread panicked; it opened the relays on its way out");
        }
    }
}

impl Drop for Executor {
    fn drop(&mut self) {
        self.join();
        if let Some(error) = self.take_error() {
            tracing::error!("{error}");
        }
    }
}
