//! What was asked of the relays and what they were told when: the time line of presses.

use crate::edge::relay::{Capabilities, Health, KeepAlive, RelayBoard, RelayError};
use crate::message::{RelayCommand, RelayMask};
use crate::time::{Clock, HostTime};
use serde_json::{Value, json};
use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};

/// Changes kept: some ten pieces' worth.
const KEPT: usize = 160;
/// A change is noted when the board has taken it: so long after it left at most, ms.
const TAKEN_MS: f64 = 2.0;

/// The changes that were handed to a board, newest last. Clones are the same log.
#[derive(Clone, Default)]
pub struct BoardLog(Arc<Mutex<VecDeque<(HostTime, RelayMask)>>>);

impl BoardLog {
    /// The changes, oldest first.
    pub fn changes(&self) -> Vec<(HostTime, RelayMask)> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).iter().copied().collect()
    }

    /// Never waits: a change that cannot be noted at once is missing from the time line.
    fn note(&self, time: HostTime, mask: RelayMask) {
        if let Ok(mut log) = self.0.try_lock() {
            if log.len() == KEPT {
                log.pop_front();
            }
            log.push_back((time, mask));
        }
    }
}

/// A board whose changes are noted.
pub struct LoggedBoard {
    board: Box<dyn RelayBoard>,
    clock: Arc<dyn Clock>,
    log: BoardLog,
}

impl LoggedBoard {
    /// Notes in `log` what `board` is told.
    pub fn new(board: Box<dyn RelayBoard>, clock: Arc<dyn Clock>, log: BoardLog) -> Self {
        Self { board, clock, log }
    }
}

impl RelayBoard for LoggedBoard {
    fn set(&mut self, mask: RelayMask) -> Result<(), RelayError> {
        self.board.set(mask)?;
        self.log.note(self.clock.now(), mask);
        Ok(())
    }

    fn open_all(&mut self) -> Result<(), RelayError> {
        self.board.open_all()?;
        self.log.note(self.clock.now(), RelayMask(0));
        Ok(())
    }

    fn capabilities(&self) -> Capabilities {
        self.board.capabilities()
    }

    fn name(&self) -> String {
        self.board.name()
    }

    fn read_back(&mut self) -> Result<Option<RelayMask>, RelayError> {
        self.board.read_back()
    }

    fn start_calls(&mut self) -> Result<Option<KeepAlive>, RelayError> {
        self.board.start_calls()
    }

    fn call(&mut self) -> Result<Health, RelayError> {
        self.board.call()
    }

    fn read_back_once(&mut self) -> Result<Option<RelayMask>, RelayError> {
        self.board.read_back_once()
    }
}

/// What was planned, newest last.
#[derive(Debug, Clone, Default)]
pub struct Planned(VecDeque<RelayCommand>);

impl Planned {
    /// A schedule replaces what is due from `since` on.
    pub fn schedule(&mut self, since: HostTime, commands: &[RelayCommand]) {
        self.0.retain(|command| command.due < since);
        self.0.extend(commands.iter().copied());
        let excess = self.0.len().saturating_sub(KEPT);
        self.0.drain(..excess);
    }

    /// Each planned change that is over by `now`, with its time before now and how late it was sent; null if it was not.
    pub fn timeline(&self, done: &[(HostTime, RelayMask)], now: HostTime) -> Value {
        let due = self.0.iter().filter(|command| command.due <= now);
        let lines = due.map(|command| {
            let near = done.iter().filter(|(_, mask)| *mask == command.mask);
            // Later than it may leave it was another one that asked for the same.
            let latest_ms = command.expires.ms_since(command.due) + TAKEN_MS;
            let late_ms =
                near.map(|(time, _)| time.ms_since(command.due)).filter(|late| (-1.0..latest_ms).contains(late));
            let late_ms = late_ms.min_by(|a, b| a.abs().total_cmp(&b.abs())).map(|late| (late * 100.0).round() / 100.0);
            json!([(command.due.ms_since(now)).round(), command.mask.0, late_ms])
        });
        lines.collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_press_is_shown_with_its_error_and_a_missed_one_without() {
        let at = HostTime::from_ms;
        let command = |ms, mask| RelayCommand { due: at(ms), expires: at(ms + 9.0), mask: RelayMask(mask) };
        let mut planned = Planned::default();
        planned.schedule(at(0.0), &[command(10.0, 1), command(50.0, 0), command(500.0, 2)]);
        planned.schedule(at(400.0), &[command(600.0, 4)]);
        let done = [(at(10.5), RelayMask(1)), (at(62.0), RelayMask(0)), (at(200.0), RelayMask(0))];
        assert_eq!(planned.timeline(&done, at(550.0)), json!([[-540.0, 1, 0.5], [-500.0, 0, null]]));
    }
}
