//! Opening what presses buttons, in the one safe order: the net that opens relays on signals and panics, the watchdog, the
//! board, the thread that serves it, the count of its wear. Nothing else in the program starts any of these at a board.

use super::caretaker::Caretaker;
use crate::edge::relay::{self, Executor, Limits, RelayBoard, RelaySpec, RelayStats, Reopening, SafetyNet, StopFlag};
use crate::profile::calibration::Calibration;
use crate::time::Clock;
use std::sync::Arc;

/// What presses buttons, with all that watches over it.
pub struct Rig {
    /// Opens the relays on signals and panics.
    pub net: SafetyNet,
    /// Serves the board.
    pub executor: Executor,
    /// Its watchdog and its wear.
    pub caretaker: Caretaker,
}

/// A board that was opened, and what came with it.
pub struct Opened<T> {
    /// The board.
    pub board: Box<dyn RelayBoard>,
    /// How it is opened again when it is lost, if it is.
    pub reopening: Option<Reopening>,
    /// How it is wired.
    pub calibration: Calibration,
    /// What else was opened or found on the way.
    pub rest: T,
}

/// Opens the board that the user calls `name`; `open` does so when net and watchdog stand, and the watchdog inherits nothing
/// of its port; what it waits for is to end when the flag says so.
///
/// # Errors
/// When one of them does not start; what stands by then is taken down again.
pub fn open<T>(
    name: &str,
    relay: &RelaySpec,
    clock: &Arc<dyn Clock>,
    open: impl FnOnce(&mut Caretaker, &StopFlag) -> anyhow::Result<Opened<T>>,
) -> anyhow::Result<(Rig, Calibration, T)> {
    let net = SafetyNet::install()?;
    let mut caretaker = Caretaker::start(name, relay)?;
    let Opened { board, reopening, calibration, rest } = open(&mut caretaker, &net.stop_flag())?;
    let executor = Executor::start_patient(board, reopening, clock.clone(), Limits::of(&calibration))?;
    net.watch(executor.handle());
    caretaker.count(&calibration, &executor);
    Ok((Rig { net, executor, caretaker }, calibration, rest))
}

/// A board and what looks after it, or why it does not open.
pub type ByHand = Result<(Box<dyn RelayBoard>, Caretaker), relay::RelayError>;

/// A board without a thread that serves it, for a few commands by hand; with a watchdog if it is to close relays.
///
/// # Errors
/// When the watchdog does not start, or the board does not open.
pub fn open_by_hand(name: &str, relay: &RelaySpec, clock: &Arc<dyn Clock>, closes: bool) -> anyhow::Result<ByHand> {
    let mut caretaker = if closes { Caretaker::start(name, relay)? } else { Caretaker::default() };
    Ok(relay::open(relay, clock.clone()).map(|board| {
        caretaker.arm();
        (board, caretaker)
    }))
}

impl Rig {
    /// Opens all relays; false, and told, if the board did not confirm it.
    pub fn open_relays(&self) -> bool {
        let is_open = self.executor.open_all();
        if !is_open {
            tracing::error!("the board did not confirm that its relays are open; release the buttons by hand");
        }
        is_open
    }

    /// Ends everything in the other order after the relays were opened, or were not; what was done.
    ///
    /// # Errors
    /// The error that stopped the board, or that its relays did not open.
    pub fn close(self, is_open: bool) -> Result<RelayStats, relay::RelayError> {
        let Self { net, executor, mut caretaker } = self;
        caretaker.stop_counting();
        let stopped = executor.stop();
        caretaker.dismiss(is_open && stopped.is_ok());
        drop(net);
        stopped
    }
}
