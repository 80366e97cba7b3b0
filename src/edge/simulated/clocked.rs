//! The simulated board without a pseudo-terminal: what is set now arrives when its bytes have.

use crate::edge::relay::{Capabilities, RelayBoard, RelayError};
use crate::edge::simulated::SimulatedBoard;
use crate::message::RelayMask;
use crate::time::Clock;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// A [`SimulatedBoard`] that a real-time executor can drive: `set` happens now. Clones are the same board.
#[derive(Clone)]
pub struct ClockedBoard {
    board: Arc<Mutex<SimulatedBoard>>,
    clock: Arc<dyn Clock>,
}

impl ClockedBoard {
    /// Puts `board` under `clock`.
    pub fn new(board: SimulatedBoard, clock: Arc<dyn Clock>) -> Self {
        Self { board: Arc::new(Mutex::new(board)), clock }
    }

    /// The board, to ask for its contacts. Do not keep the guard.
    pub fn lock(&self) -> MutexGuard<'_, SimulatedBoard> {
        self.board.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl RelayBoard for ClockedBoard {
    fn set(&mut self, mask: RelayMask) -> Result<(), RelayError> {
        let now = self.clock.now();
        self.lock().send(mask, now);
        Ok(())
    }

    fn capabilities(&self) -> Capabilities {
        Capabilities { relays: 8, wire: self.lock().wire(), reads_back: true }
    }

    fn name(&self) -> String {
        "simulated ADR2200".into()
    }

    fn read_back(&mut self) -> Result<Option<RelayMask>, RelayError> {
        Ok(Some(self.lock().device().coils()))
    }
}
