//! What the relays' thread and those who command it share.

use crate::edge::relay::gate::Reason;
use crate::edge::relay::{Link, RelayError, RelayStats};
use crate::message::{RelayCommand, RelayMask};
use crate::time::HostTime;
use std::collections::VecDeque;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// The longest schedule: 4096 changes are minutes of play, where a plan is one piece.
const COMMANDS_MAX: usize = 4096;

/// A way to reach the executor from other threads. It does not keep the relays' thread alive.
#[derive(Clone)]
pub struct ExecutorHandle {
    pub(super) shared: Arc<Shared>,
}

/// One mask that was handed to the board.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Sent {
    /// When it should have been.
    pub due: HostTime,
    /// When it was.
    pub at: HostTime,
    /// All relays' new state.
    pub mask: RelayMask,
    /// Why.
    pub reason: Reason,
}

/// Why nothing may be pressed until further notice.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Hold {
    /// The program will stand still.
    Pause,
    /// The program ends.
    End,
}

/// Who is away, so that nothing is pressed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Missing {
    /// The board; it is being looked for.
    Board,
    /// The watchdog; another is being started.
    Watchdog,
}

#[derive(Default)]
pub(super) struct Shared {
    pub(super) state: Mutex<State>,
    /// Something for the thread to do.
    pub(super) wake: Condvar,
    /// The thread has opened the relays, or has ended.
    pub(super) opened: Condvar,
}

#[derive(Default)]
pub(super) struct State {
    /// New commands, and from which due time on they replace others.
    pub(super) schedule: Option<(HostTime, Vec<RelayCommand>)>,
    pub(super) opens_asked: u64,
    pub(super) opens_done: u64,
    /// Whether the last opening worked.
    pub(super) is_open: bool,
    pub(super) stop: bool,
    pub(super) ended: bool,
    pub(super) failed: bool,
    /// The board is away and may come back.
    pub(super) lost: bool,
    /// No watchdog stands.
    pub(super) alone: bool,
    pub(super) hold: Option<Hold>,
    /// For the thread to take along.
    pub(super) link: Option<Link>,
    /// What to call the board.
    pub(super) board: String,
    /// What is known of the relays since they were told to open last.
    pub(super) verdict: Option<Verdict>,
    /// It was said that relays may be closed, and nothing better since.
    pub(super) doubt_told: bool,
    /// What a person should read, oldest first.
    pub(super) news: Vec<String>,
    pub(super) error: Option<RelayError>,
    pub(super) stats: RelayStats,
    pub(super) closed: RelayMask,
    /// Until when the last picture allows presses.
    pub(super) sighted_until: Option<HostTime>,
    /// What was sent, if somebody wants to know.
    pub(super) sent: Option<VecDeque<Sent>>,
}

impl Shared {
    pub(super) fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl ExecutorHandle {
    /// Replaces all commands that are not sent yet.
    ///
    /// # Errors
    /// When the executor has stopped or the schedule is longer than any plan.
    pub fn schedule(&self, commands: Vec<RelayCommand>) -> Result<(), RelayError> {
        self.schedule_since(HostTime(i64::MIN), commands)
    }

    /// Replaces all commands that are not sent yet and due from `since` on.
    ///
    /// # Errors
    /// As [`Self::schedule`].
    pub fn schedule_since(&self, since: HostTime, mut commands: Vec<RelayCommand>) -> Result<(), RelayError> {
        if commands.len() > COMMANDS_MAX {
            return Err(RelayError::TooMany { count: commands.len(), limit: COMMANDS_MAX });
        }
        let mut state = self.shared.lock();
        if state.failed || state.ended || state.stop {
            return Err(RelayError::Stopped);
        }
        let mut from = since;
        if let Some((earlier, waiting)) = state.schedule.take() {
            // The thread has not taken the last schedule yet.
            from = from.min(earlier);
            commands.extend(waiting.into_iter().filter(|command| command.due < since));
        }
        state.schedule = Some((from, commands));
        drop(state);
        self.shared.wake.notify_all();
        Ok(())
    }

    /// From now on the relays' thread tells this link's watchdog that it lives, and presses only while the watchdog stands.
    pub fn guard(&self, link: Link) {
        self.shared.lock().link = Some(link);
        self.shared.wake.notify_all();
    }

    /// Forgets the schedule and opens all relays. Waits at most `timeout` of real time; false if the relays were not
    /// opened in it. A schedule sent afterwards is played again.
    pub fn open_all(&self, timeout: Duration) -> bool {
        self.open_and_wait(self.shared.lock(), timeout)
    }

    pub(super) fn open_and_wait(&self, mut state: MutexGuard<'_, State>, timeout: Duration) -> bool {
        state.schedule = None;
        state.opens_asked += 1;
        let ticket = state.opens_asked;
        self.shared.wake.notify_all();
        let waiting = |s: &mut State| s.opens_done < ticket && !s.ended;
        let waited = self.shared.opened.wait_timeout_while(state, timeout, waiting);
        let (state, _) = waited.unwrap_or_else(PoisonError::into_inner);
        if state.ended { !state.failed } else { state.opens_done >= ticket && state.is_open }
    }

    /// What was done so far.
    pub fn stats(&self) -> RelayStats {
        self.shared.lock().stats.clone()
    }

    /// Closings of each relay so far, K0 first.
    pub fn operations(&self) -> [u64; 8] {
        self.shared.lock().stats.operations
    }

    /// Times that planned presses were not made: late, forbidden, nothing was seen, or the board was lost or not to be trusted. Cheap enough for
    /// every picture.
    pub fn missed(&self) -> u64 {
        let stats = &self.shared.lock().stats;
        stats.dropped_stale + stats.refused + stats.went_blind + stats.board_lost + stats.interrupted + stats.distrusted
    }

    /// A picture came: presses may go on until then. Without the next picture the relays open. Nobody who never calls this
    /// is held to it.
    pub fn sighted(&self, until: HostTime) {
        self.shared.lock().sighted_until = Some(until);
    }

    /// Whether the board is away and is being looked for. What is scheduled meanwhile is dropped.
    pub fn is_lost(&self) -> bool {
        self.missing() == Some(Missing::Board)
    }

    /// Who is away, if anybody is. What is scheduled meanwhile is dropped.
    pub fn missing(&self) -> Option<Missing> {
        let state = self.shared.lock();
        match (state.lost, state.alone) {
            (true, _) => Some(Missing::Board),
            (_, true) => Some(Missing::Watchdog),
            _ => None,
        }
    }

    /// What a person should read and was not shown yet, oldest first.
    pub fn take_news(&self) -> Vec<String> {
        std::mem::take(&mut self.shared.lock().news)
    }

    /// From now on what is sent is kept for [`Self::take_sent`].
    pub fn keep_sent(&self) {
        self.shared.lock().sent.get_or_insert_default();
    }

    /// What was sent since the last call, oldest first; the newest 4096 if nobody asked for long.
    pub fn take_sent(&self) -> Vec<Sent> {
        self.shared.lock().sent.as_mut().map(|sent| sent.drain(..).collect()).unwrap_or_default()
    }

    /// Which relays are closed, as far as commands were sent.
    pub fn closed(&self) -> RelayMask {
        self.shared.lock().closed
    }

    /// Whether the port has failed; commands are refused then.
    pub fn has_failed(&self) -> bool {
        self.shared.lock().failed
    }

    /// Whether the relays' thread has opened them and ended.
    pub fn has_ended_well(&self) -> bool {
        let state = self.shared.lock();
        state.ended && !state.failed
    }

    /// The error that stopped the executor, once.
    pub fn take_error(&self) -> Option<RelayError> {
        self.shared.lock().error.take()
    }
}

/// What is known of the relays since they were told to open last.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Verdict {
    /// The board says that all are open.
    Open,
    /// The board took the command, and cannot be asked.
    Told,
    /// It does not answer, says otherwise, or is gone.
    Doubt,
}
