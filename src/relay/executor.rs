//! The thread that owns the board and sends each command at its time.
//!
//! It waits on absolute deadlines of the clock, so being late once does not make it late for ever. Its inbox holds one
//! schedule: a newer one replaces it, so nothing can pile up.
//!
//! A board that is lost is opened again where the caller said how; until then nothing is played, and afterwards only what
//! is scheduled anew.

use super::gate::{Gate, Limits, Order, Reason};
use super::reopen::{Comeback, Reopening};
use super::{NoBoard, RelayBoard, RelayError, RelayStats, raise_own_priority};
use crate::message::{RelayCommand, RelayMask};
use crate::time::{Clock, HostTime};
use std::collections::VecDeque;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

/// The longest schedule: 4096 changes are minutes of play, where a plan is one piece.
const COMMANDS_MAX: usize = 4096;
/// The thread looks at its clock at least this often; a simulated clock moves without waking it.
const HEARTBEAT_US: i64 = 20_000;
/// The end of each wait is spent looking at the clock: waking a sleeping thread takes 20–100 µs (measured on a PC).
const SPIN_US: i64 = 120;
/// Spins between two looks: a few microseconds.
const SPINS: usize = 100;
/// Attempts to open the relays after the port has failed.
const OPEN_ATTEMPTS: usize = 3;
/// Sent masks that wait to be fetched by [`ExecutorHandle::take_sent`]: minutes of play.
const SENT_KEPT: usize = 4096;
/// "Open all" is said again this long after it was said, twice if nothing else comes: a lost byte must not hold a button
/// down. The first repetition may end a mutilated command and go down with it.
const REPEAT_US: i64 = 30_000;
const REPEATS: u8 = 2;
/// A repetition must be off the wire before the next command may come: plans leave this much time (see `app`'s lead).
const REPEAT_WIRE_MAX: Duration = Duration::from_millis(8);
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
        board.set(RelayMask(0))?;
        let shared = Arc::new(Shared::default());
        let worker = Worker {
            opened: Some((clock.now(), 0)),
            comeback: reopening.map(Comeback::new),
            board,
            clock,
            gate: Gate::new(limits),
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

    /// Forgets the schedule and opens all relays. Waits at most `timeout` of real time; false if the relays were not
    /// opened in it. A schedule sent afterwards is played again.
    pub fn open_all(&self, timeout: Duration) -> bool {
        let mut state = self.shared.lock();
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

    /// Times that planned presses were not made: late, forbidden, nothing was seen, or the board was lost. Cheap enough for
    /// every picture.
    pub fn missed(&self) -> u64 {
        let stats = &self.shared.lock().stats;
        stats.dropped_stale + stats.refused + stats.went_blind + stats.board_lost
    }

    /// A picture came: presses may go on until then. Without the next picture the relays open. Nobody who never calls this
    /// is held to it.
    pub fn sighted(&self, until: HostTime) {
        self.shared.lock().sighted_until = Some(until);
    }

    /// Whether the board is away and is being looked for. What is scheduled meanwhile is dropped.
    pub fn is_lost(&self) -> bool {
        self.shared.lock().lost
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

struct Worker {
    board: Box<dyn RelayBoard>,
    clock: Arc<dyn Clock>,
    gate: Gate,
    shared: Arc<Shared>,
    /// When "open all" was said last and how often since, if nothing else was said after it.
    opened: Option<(HostTime, u8)>,
    /// How to find a lost board again.
    comeback: Option<Comeback>,
}

impl Worker {
    fn run(mut self) {
        raise_own_priority();
        while !self.take_orders() {
            let now = self.clock.now();
            if self.is_lost() {
                if !self.look_for_board(now) {
                    self.nap(HEARTBEAT_US);
                }
                continue;
            }
            let order = self.gate.step(now, &mut self.shared.lock().stats);
            match order {
                Some(order) => self.send(order),
                None if self.repeat_due(now).is_some_and(|due| due <= now) => self.repeat(now),
                None => self.wait(now),
            }
        }
        if self.is_lost() && !self.look_for_board_now() {
            self.give_up(HostTime(i64::MAX));
        }
        self.open();
        self.check_open();
    }

    /// Does what others asked for; true if that is to stop.
    fn take_orders(&mut self) -> bool {
        let shared = self.shared.clone();
        let mut state = shared.lock();
        if state.stop {
            return true;
        }
        if state.opens_done < state.opens_asked {
            let asked = state.opens_asked;
            drop(state);
            let is_open = self.open();
            state = shared.lock();
            state.opens_done = asked;
            state.is_open = is_open;
            shared.opened.notify_all();
        }
        if let Some(until) = state.sighted_until.take() {
            self.gate.sighted(until);
        }
        if let Some((since, commands)) = state.schedule.take()
            && !state.failed
            && !state.lost
        {
            self.gate.schedule(since, commands, &mut state.stats);
        }
        false
    }

    fn send(&mut self, order: Order) {
        let result = self.board.set(order.mask);
        let at = self.clock.now();
        let late_us = at - order.due;
        match result {
            Ok(()) => {
                self.opened = (order.mask == RelayMask(0)).then_some((at, 0));
                let mut state = self.shared.lock();
                state.closed = order.mask;
                if order.reason == Reason::Planned {
                    state.stats.count_press_error(late_us);
                }
                if let Some(sent) = &mut state.sent {
                    if sent.len() == SENT_KEPT {
                        sent.pop_front();
                    }
                    sent.push_back(Sent { due: order.due, at, mask: order.mask, reason: order.reason });
                }
            }
            Err(error) => self.fail(error),
        }
        match order.reason {
            Reason::Planned => tracing::trace!(mask = order.mask.0, late_us, "relays set"),
            reason => tracing::warn!(mask = order.mask.0, late_us, ?reason, "relays set otherwise than planned"),
        }
    }

    /// Opens all relays and forgets the schedule; true if the board took it.
    fn open(&mut self) -> bool {
        self.gate.open_all();
        if self.is_lost() {
            return false;
        }
        for _ in 0..OPEN_ATTEMPTS {
            match self.board.set(RelayMask(0)) {
                Ok(()) => {
                    self.opened = Some((self.clock.now(), 0));
                    let mut state = self.shared.lock();
                    state.stats.sent += 1;
                    state.closed = RelayMask(0);
                    return true;
                }
                Err(error) => self.report(error),
            }
        }
        false
    }

    /// When "open all" is to be said again, if it is.
    fn repeat_due(&self, now: HostTime) -> Option<HostTime> {
        let (at, _) = self.opened.filter(|(_, times)| *times < REPEATS)?;
        let wire = self.board.wire_time();
        // A board in memory loses no bytes; one behind a slow line would be busy when the next press is due.
        if wire.is_zero() || wire > REPEAT_WIRE_MAX {
            return None;
        }
        let due = HostTime(at.0 + REPEAT_US);
        let is_free = self.gate.next_wake().is_none_or(|next| next > now.max(due) + 2 * REPEAT_WIRE_MAX);
        is_free.then_some(due)
    }

    fn repeat(&mut self, now: HostTime) {
        let times = self.opened.map_or(0, |(_, times)| times);
        match self.board.set(RelayMask(0)) {
            Ok(()) => {
                self.opened = Some((now, times + 1));
                self.shared.lock().stats.repeated += 1;
            }
            Err(error) => self.fail(error),
        }
    }

    fn fail(&mut self, error: RelayError) {
        let Some(comeback) = &mut self.comeback else {
            self.report(error);
            self.open();
            return;
        };
        // Some errors pass: then the relays are open at once.
        self.gate.open_all();
        let is_open = self.board.set(RelayMask(0)).is_ok();
        if !is_open {
            tracing::error!("{error}; looking for it for {:?}", comeback.patience());
            comeback.lost(self.clock.now(), error);
            // Closed, so that the system gives the adapter its old name when it is plugged in again.
            self.board = Box::new(NoBoard);
        }
        let mut state = self.shared.lock();
        state.stats.board_lost += 1;
        state.closed = RelayMask(0);
        state.lost = !is_open;
    }

    fn is_lost(&self) -> bool {
        self.shared.lock().lost
    }

    /// Tries to open a lost board if it is time to; false if there was nothing to do.
    fn look_for_board(&mut self, now: HostTime) -> bool {
        if self.give_up(now) {
            return true;
        }
        self.comeback.as_ref().is_some_and(|comeback| comeback.is_due(now)) && self.look_for_board_now()
    }

    /// Takes the board for lost for good if it has been away for too long at `now`.
    fn give_up(&mut self, now: HostTime) -> bool {
        let Some(error) = self.comeback.as_mut().and_then(|comeback| comeback.over(now)) else { return false };
        self.shared.lock().lost = false;
        self.report(error);
        true
    }

    fn look_for_board_now(&mut self) -> bool {
        let now = self.clock.now();
        let Some(board) = self.comeback.as_mut().and_then(|comeback| comeback.attempt(now)) else { return false };
        self.board = board;
        let mut state = self.shared.lock();
        // What was planned meanwhile was planned for another moment.
        state.schedule = None;
        state.lost = false;
        drop(state);
        tracing::warn!("{} is back; its relays are open", self.board.name());
        self.open()
    }

    /// Keeps the first error: it is the cause of those that follow.
    fn report(&mut self, error: RelayError) {
        let mut state = self.shared.lock();
        if !state.failed {
            state.failed = true;
            state.error = Some(error);
        }
    }

    /// At the end there is time to ask whether the relays are open.
    fn check_open(&mut self) {
        if self.shared.lock().failed {
            return;
        }
        match self.board.read_back() {
            Ok(Some(RelayMask(0))) => {}
            Ok(None) => self.open_again(),
            Ok(Some(mask)) => {
                self.open();
                self.report(RelayError::StillClosed { board: self.board.name(), got: mask.0 });
            }
            Err(error) => self.report(error),
        }
    }

    /// A board that cannot be asked is told once more.
    fn open_again(&mut self) {
        if !self.board.wire_time().is_zero() {
            self.clock.sleep_until(HostTime(self.clock.now().0 + REPEAT_US));
            self.open();
        }
    }

    /// Waits until there is something to do, at most a heartbeat.
    fn wait(&self, now: HostTime) {
        let next = self.gate.next_wake().into_iter().chain(self.repeat_due(now)).min();
        let until = next.map_or(HEARTBEAT_US, |due| (due - now).min(HEARTBEAT_US));
        let mut nap_us = until - SPIN_US;
        if nap_us <= 0 {
            (0..SPINS).for_each(|_| std::hint::spin_loop());
            if self.clock.now() > now {
                return;
            }
            // A simulated clock stands still; do not burn a processor until it moves.
            nap_us = SPIN_US;
        }
        self.nap(nap_us);
    }

    fn nap(&self, nap_us: i64) {
        let state = self.shared.lock();
        if state.stop || state.schedule.is_some() || state.opens_done < state.opens_asked {
            return;
        }
        let nap = Duration::from_micros(nap_us as u64);
        drop(self.shared.wake.wait_timeout(state, nap));
    }
}

impl Drop for Worker {
    /// Runs on a panic too: the relays open whatever happened.
    fn drop(&mut self) {
        if std::thread::panicking()
            && let Err(error) = self.board.set(RelayMask(0))
        {
            tracing::error!("{error}");
        }
        let mut state = self.shared.lock();
        state.ended = true;
        drop(state);
        self.shared.opened.notify_all();
    }
}
