//! What looks after a real board while this program uses it: a process that opens its relays if this one is killed, and the
//! count of their operations.

use crate::calibration::Calibration;
use crate::relay::{Executor, RATED_OPERATIONS, RelaySpec, Watchdog, Wear, WearKeeper};
use anyhow::Context;
use std::time::Duration;

/// The watchdog process looks for a port that is gone for so long after this program's end.
const WATCHDOG_PATIENCE: Duration = Duration::from_secs(600);

/// Looks after one board; after a simulated one, not at all.
#[derive(Default)]
pub struct Minder {
    name: String,
    /// The process that opens the relays if this one is killed.
    watchdog: Option<Watchdog>,
    /// The board was opened: relays may be closed.
    is_armed: bool,
    wear: Option<WearKeeper>,
}

impl Minder {
    /// Before the board's port is opened, so that the watchdog inherits nothing of it.
    ///
    /// # Errors
    /// When the process cannot be started.
    pub fn start(name: &str, relay: &RelaySpec) -> anyhow::Result<Self> {
        if !relay.is_real() {
            return Ok(Self::default());
        }
        let program =
            std::env::current_exe().context("the system does not say where this program is; start it by its path")?;
        let watchdog = Watchdog::start(&program, name, WATCHDOG_PATIENCE)?;
        Ok(Self { name: name.into(), watchdog: Some(watchdog), is_armed: false, wear: None })
    }

    /// The board is open: from now on the watchdog opens the relays unless it is dismissed.
    pub fn arm(&mut self) {
        self.is_armed = true;
    }

    /// Counts the relays' operations from now on, and warns of worn ones; without a count one can play, too.
    pub fn count(&mut self, calibration: &Calibration, executor: &Executor) {
        self.arm();
        if self.watchdog.is_none() {
            return;
        }
        let rated = calibration.rated_operations.unwrap_or(RATED_OPERATIONS);
        let counted = Wear::of(&self.name).and_then(|wear| {
            for (relay, share) in wear.worn(rated) {
                let percent = share * 100.0;
                tracing::warn!(
                    "relay {relay} has closed {percent:.0} % of the {rated} times it is rated for; have a spare board"
                );
            }
            WearKeeper::start(wear, executor.handle())
        });
        self.wear = counted.map_err(|e| tracing::warn!("the relays' wear is not counted: {e}")).ok();
    }

    /// The last operation is over: writes the count once more. Before the executor is stopped.
    pub fn stop_counting(&mut self) {
        drop(self.wear.take());
    }

    /// The end: if all relays are open, there is nothing left to do for the watchdog.
    pub fn dismiss(mut self, is_open: bool) {
        self.stop_counting();
        if let (Some(watchdog), true) = (self.watchdog.take(), is_open) {
            watchdog.dismiss();
        }
    }
}

impl Drop for Minder {
    /// A board that could not be opened was not touched, and nobody has to look for it.
    fn drop(&mut self) {
        if let Some(watchdog) = self.watchdog.take_if(|_| !self.is_armed) {
            watchdog.dismiss();
        }
    }
}
