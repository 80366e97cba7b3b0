//! What looks after a real board while this program uses it: a process that opens its relays if this one is killed or stands
//! still, and the count of their operations.

use crate::edge::relay::{
    Entry, Executor, Heard, Journal, Link, RATED_OPERATIONS, RelaySpec, Reopening, Say, Watchdog, Wear, WearKeeper,
};
use crate::profile::calibration::Calibration;
use anyhow::Context;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// The watchdog process looks for a port that is gone for this long after this program's end.
const WATCHDOG_PATIENCE: Duration = Duration::from_secs(600);

/// Looks after one board; after a simulated one, not at all.
#[derive(Default)]
pub struct Caretaker {
    name: String,
    /// The process that opens the relays if this one is killed.
    watchdog: Option<Watchdog>,
    /// What watchdogs did since the last start.
    past: Vec<String>,
    /// To the watchdog, where no executor has it.
    link: Option<Link>,
    /// Its contacts wear.
    wears: bool,
    /// The board was opened: relays may be closed.
    is_armed: bool,
    wear: Option<WearKeeper>,
}

impl Caretaker {
    /// Before the board's port is opened, so that the watchdog inherits nothing of it.
    ///
    /// # Errors
    /// When the process cannot be started.
    pub fn start(name: &str, relay: &RelaySpec) -> anyhow::Result<Self> {
        if !relay.is_real() {
            return Ok(Self::default());
        }
        let watchdog = Watchdog::start(&own_program()?, name, WATCHDOG_PATIENCE)?;
        let mut caretaker = Self::default();
        (caretaker.name, caretaker.watchdog, caretaker.past) = (name.into(), Some(watchdog), tell_past(name));
        caretaker.wears = relay.has_contacts();
        Ok(caretaker)
    }

    /// What watchdogs had to do for this board since the last start, in words; it was told on standard error.
    pub fn take_past(&mut self) -> Vec<String> {
        std::mem::take(&mut self.past)
    }

    /// The watchdog shall reach a board that was lost and is found again, too.
    pub fn again(&self, reopening: Reopening) -> Reopening {
        match &self.watchdog {
            Some(watchdog) => watchdog.again(reopening),
            None => reopening,
        }
    }

    /// Where no executor closes relays: to be called before each command. False if nobody would open them.
    pub fn beat(&mut self) -> bool {
        let Some(watchdog) = &self.watchdog else { return true };
        self.link.get_or_insert_with(|| watchdog.link()).look(Say::Beat) != Heard::Alone
    }

    /// The board is open: from now on the watchdog opens the relays unless it is dismissed.
    pub fn arm(&mut self) {
        self.is_armed = true;
    }

    /// Counts the relays' operations from now on, and warns of worn ones; without a count one can play, too.
    pub fn count(&mut self, calibration: &Calibration, executor: &Executor) {
        self.arm();
        let Some(watchdog) = &self.watchdog else { return };
        executor.handle().guard(watchdog.link());
        if !self.wears {
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

impl Drop for Caretaker {
    /// A board that could not be opened was not touched, and nobody has to look for it.
    fn drop(&mut self) {
        if let Some(watchdog) = self.watchdog.take_if(|_| !self.is_armed) {
            watchdog.dismiss();
        }
    }
}

/// This program, also if its file was replaced since it started.
fn own_program() -> anyhow::Result<PathBuf> {
    let own = Path::new("/proc/self/exe");
    if own.exists() {
        return Ok(own.into());
    }
    std::env::current_exe().context("the system does not say where this program is; start it by its path")
}

/// Tells what watchdogs had to do for this board since the last start.
pub fn tell_past(name: &str) -> Vec<String> {
    let past: Vec<_> = Journal::default().take_untold(name).iter().map(Entry::words).collect();
    past.iter().for_each(|words| tracing::warn!("{words}"));
    past
}
