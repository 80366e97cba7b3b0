//! The thread that owns the board and sends each command at its time.
//!
//! It waits on absolute deadlines of the clock, so being late once does not make it late for ever. Its inbox holds one
//! schedule: a newer one replaces it, so nothing can pile up.

use super::gate::{Gate, Limits, Order, Reason};
use super::{RelayBoard, RelayError, RelayStats, raise_own_priority};
use crate::message::{RelayCommand, RelayMask};
use crate::time::{Clock, HostTime};
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
    error: Option<RelayError>,
    stats: RelayStats,
    closed: RelayMask,
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
    pub fn start(mut board: Box<dyn RelayBoard>, clock: Arc<dyn Clock>, limits: Limits) -> Result<Self, RelayError> {
        board.set(RelayMask(0))?;
        let shared = Arc::new(Shared::default());
        let worker = Worker { board, clock, gate: Gate::new(limits), shared: shared.clone() };
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

    /// Planned presses that were not made, because they were late or forbidden. Cheap enough for every picture.
    pub fn missed(&self) -> u64 {
        let state = self.shared.lock();
        state.stats.dropped_stale + state.stats.refused
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
}

impl Worker {
    fn run(mut self) {
        raise_own_priority();
        loop {
            if self.take_orders() {
                break;
            }
            let now = self.clock.now();
            let order = self.gate.step(now, &mut self.shared.lock().stats);
            match order {
                Some(order) => self.send(order),
                None => self.wait(now),
            }
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
        if let Some((since, commands)) = state.schedule.take()
            && !state.failed
        {
            self.gate.schedule(since, commands, &mut state.stats);
        }
        false
    }

    fn send(&mut self, order: Order) {
        let result = self.board.set(order.mask);
        let late_us = self.clock.now() - order.due;
        match result {
            Ok(()) => {
                let mut state = self.shared.lock();
                state.closed = order.mask;
                if order.reason == Reason::Planned {
                    state.stats.count_press_error(late_us);
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
        for _ in 0..OPEN_ATTEMPTS {
            match self.board.set(RelayMask(0)) {
                Ok(()) => {
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

    fn fail(&mut self, error: RelayError) {
        self.report(error);
        self.open();
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
            Ok(None | Some(RelayMask(0))) => {}
            Ok(Some(mask)) => {
                self.open();
                self.report(RelayError::StillClosed { board: self.board.name(), got: mask.0 });
            }
            Err(error) => self.report(error),
        }
    }

    /// Waits until there is something to do, at most a heartbeat.
    fn wait(&self, now: HostTime) {
        let until = self.gate.next_wake().map_or(HEARTBEAT_US, |due| (due - now).min(HEARTBEAT_US));
        let mut nap_us = until - SPIN_US;
        if nap_us <= 0 {
            (0..SPINS).for_each(|_| std::hint::spin_loop());
            if self.clock.now() > now {
                return;
            }
            // A simulated clock stands still; do not burn a processor until it moves.
            nap_us = SPIN_US;
        }
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
