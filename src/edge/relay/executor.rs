//! The thread that owns the board and sends each command at its time.
//!
//! It waits on absolute deadlines of the clock, so being late once does not make it late for ever. Its inbox holds one
//! schedule: a newer one replaces it, so nothing can pile up.
//!
//! A board that is lost is opened again where the caller said how; until then nothing is played, and afterwards only what
//! is scheduled anew. The same holds while no watchdog stands beside this process.

mod calls;
mod doubt;
mod worker;

use super::gate::{Gate, Limits, Reason};
use super::reopen::{Comeback, Reopening};
use super::{Link, RelayBoard, RelayError, RelayStats};
use crate::message::{RelayCommand, RelayMask};
use crate::time::{Clock, HostTime};
use calls::Calls;
use doubt::Verdict;
use std::collections::VecDeque;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;
use worker::Worker;

/// The longest schedule: 4096 changes are minutes of play, where a plan is one piece.
const COMMANDS_MAX: usize = 4096;
/// How long [`Executor::open_all`] waits: longer than the writes of all attempts may block.
const OPEN_TIMEOUT: Duration = Duration::from_secs(1);

/// A running executor. Dropping it opens all relays and ends its thread.
pub struct Executor {
    handle: ExecutorHandle,
    thread: Option<JoinHandle<()>>,
}

/// A way to reach the executor from other threads. It does not keep the relays' thread alive.
#[derive(Clone)]
pub struct ExecutorHandle {
    shared: Arc<Shared>,
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
struct Shared {
    state: Mutex<State>,
    /// Something for the thread to do.
    wake: Condvar,
    /// The thread has opened the relays, or has ended.
    opened: Condvar,
}

#[derive(Default)]
struct State {
    /// New commands, and from which due time on they replace others.
    schedule: Option<(HostTime, Vec<RelayCommand>)>,
    opens_asked: u64,
    opens_done: u64,
    /// Whether the last opening worked.
    is_open: bool,
    stop: bool,
    ended: bool,
    failed: bool,
    /// The board is away and may come back.
    lost: bool,
    /// No watchdog stands.
    alone: bool,
    hold: Option<Hold>,
    /// For the thread to take along.
    link: Option<Link>,
    /// What to call the board.
    board: String,
    /// What is known of the relays since they were told to open last.
    verdict: Option<Verdict>,
    /// It was said that relays may be closed, and nothing better since.
    doubt_told: bool,
    /// What a person should read, oldest first.
    news: Vec<String>,
    error: Option<RelayError>,
    stats: RelayStats,
    closed: RelayMask,
    /// Until when the last picture allows presses.
    sighted_until: Option<HostTime>,
    /// What was sent, if somebody wants to know.
    sent: Option<VecDeque<Sent>>,
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
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
            comeback: reopening.map(Comeback::new),
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

    fn open_and_wait(&self, mut state: MutexGuard<'_, State>, timeout: Duration) -> bool {
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

    /// The error that stopped the executor, once.
    pub fn take_error(&self) -> Option<RelayError> {
        self.shared.lock().error.take()
    }
}
