//! The relays' own thread.

use super::calls::Calls;
use super::{Hold, Sent};
use crate::edge::relay::Health;
use crate::edge::relay::executor::handle::{Shared, State, Verdict};
use crate::edge::relay::gate::{Gate, Order, Reason};
use crate::edge::relay::keep_alive::complaint;
use crate::edge::relay::reopen::Reconnect;
use crate::edge::relay::{Heard, Link, NoBoard, RelayBoard, RelayError, Say, raise_own_priority};
use crate::message::RelayMask;
use crate::time::{Clock, HostTime};
use std::sync::Arc;
use std::time::Duration;

/// The thread looks at its clock at least this often; a simulated clock moves without waking it.
const HEARTBEAT_US: i64 = 20_000;
/// The end of each wait is spent looking at the clock: waking a sleeping thread takes 20–100 µs on a PC, and up to 600 µs
/// in a virtual machine whose processors sleep, too (both measured). A few hundredths of a processor are a fair price.
const SPIN_US: i64 = 700;
/// Spins between two looks: up to a microsecond, on some processors a tenth of one. A clock that has not moved after this many
/// looks is a simulated one that stands still; it is looked at less often.
const SPINS: usize = 20;
const LOOKS: usize = 100;
const STILL_US: i64 = 120;
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
/// Serves the board until told to stop.
pub(super) struct Worker {
    pub(super) board: Box<dyn RelayBoard>,
    pub(super) clock: Arc<dyn Clock>,
    pub(super) gate: Gate,
    pub(super) shared: Arc<Shared>,
    /// When "open all" was said last and how often since, if nothing else was said after it.
    pub(super) opened: Option<(HostTime, u8)>,
    /// How to find a lost board again.
    pub(super) reconnect: Option<Reconnect>,
    /// How the board is called while no command is due.
    pub(super) calls: Calls,
    /// To the watchdog.
    pub(super) link: Option<Link>,
}

impl Worker {
    pub(super) fn run(mut self) {
        raise_own_priority();
        while !self.take_orders() {
            if !self.is_guarded() {
                self.nap(HEARTBEAT_US);
                continue;
            }
            let now = self.clock.now();
            if self.is_lost() {
                if !self.look_for_board(now) {
                    self.nap(HEARTBEAT_US);
                }
                continue;
            }
            if !self.act(now) {
                self.wait(now);
            }
        }
        if self.is_lost() && !self.look_for_board_now() {
            self.give_up(HostTime(i64::MAX));
        }
        self.open();
        self.check_open();
        // Nobody is alone who is about to end.
        self.shared.lock().alone = false;
    }

    /// Says to the board what is to be said now; false if nothing is.
    pub(super) fn act(&mut self, now: HostTime) -> bool {
        let order = self.gate.step(now, &mut self.shared.lock().stats);
        match order {
            Some(order) => self.send(order),
            None if self.repeat_due(now).is_some_and(|due| due <= now) => self.repeat(now),
            None if self.is_call_due(now) => self.call(now),
            None => return false,
        }
        true
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
            if state.hold.is_some() {
                drop(state);
                self.confirm(is_open);
                state = shared.lock();
            }
        }
        self.link = state.link.take().or(self.link.take());
        if let Some(until) = state.sighted_until.take() {
            self.gate.sighted(until);
        }
        if let Some((since, commands)) = state.schedule.take()
            && !state.failed
            && !state.lost
            && !state.alone
            && state.hold.is_none()
        {
            self.gate.schedule(since, commands, &mut state.stats);
        }
        false
    }

    /// Tells the watchdog that this thread lives. False while no watchdog stands: then the relays are open, and nothing is
    /// pressed.
    fn is_guarded(&mut self) -> bool {
        let state = self.shared.lock();
        let say = match (state.lost, state.hold) {
            (true, _) => Say::Lost,
            (_, Some(Hold::Pause)) => Say::Paused,
            (_, Some(Hold::End)) => Say::Quiet,
            _ => Say::Beat,
        };
        let was_alone = state.alone;
        drop(state);
        let heard = self.link.as_mut().map_or(Heard::Well, |link| link.look(say));
        match (heard, was_alone) {
            (Heard::Well, false) => {}
            (Heard::Alone, true) => return false,
            (Heard::Alone, false) => {
                self.interrupt(
                    "the watchdog process is gone; the relays are open, and nothing is pressed until another stands",
                );
                self.shared.lock().alone = true;
                return false;
            }
            (Heard::Interrupted, _) => {
                self.interrupt("this program stood still; its relays were opened, and everything is planned anew");
                self.shared.lock().alone = false;
            }
            (Heard::Well, true) => {
                tracing::warn!("a new watchdog process stands; playing on");
                self.shared.lock().alone = false;
            }
        }
        true
    }

    /// Opens everything and forgets the plan, which was made for another moment.
    fn interrupt(&mut self, why: &str) {
        self.open();
        let mut state = self.shared.lock();
        state.schedule = None;
        state.stats.interrupted += 1;
        state.news.push(why.into());
        drop(state);
        tracing::error!("{why}");
    }

    /// Asks once whether the relays are open. Nobody presses meanwhile.
    fn confirm(&mut self, is_told: bool) {
        if let Some(link) = &mut self.link {
            let is_pause = self.shared.lock().hold == Some(Hold::Pause);
            link.look(if is_pause { Say::Paused } else { Say::Quiet });
        }
        let verdict = match is_told.then(|| self.board.read_back_once()) {
            Some(Ok(Some(RelayMask(0)))) => Verdict::Open,
            Some(Ok(None)) => Verdict::Told,
            _ => Verdict::Doubt,
        };
        self.shared.judge(verdict);
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
                state.verdict = None;
                if order.reason == Reason::Planned {
                    state.stats.count_press_error(late_us);
                }
                keep(&mut state, Sent { due: order.due, at, mask: order.mask, reason: order.reason });
            }
            Err(error) => self.fail(error),
        }
        match order.reason {
            Reason::Planned => tracing::trace!(mask = order.mask.0, late_us, "relays set"),
            reason => {
                let relays = in_words(order.mask);
                tracing::warn!("{}: {relays} ({:.1} ms after it was due)", reason.words(), late_us as f64 / 1000.0);
            }
        }
    }

    /// Opens all relays and forgets the schedule; true if the board took it.
    pub(super) fn open(&mut self) -> bool {
        self.gate.open_all();
        // A board that is well can be told whatever it presses.
        let is_well = self.reconnect.as_ref().is_none_or(Reconnect::is_well);
        if self.is_lost() && !is_well {
            return false;
        }
        for _ in 0..OPEN_ATTEMPTS {
            match self.board.open_all() {
                Ok(()) => {
                    let now = self.clock.now();
                    self.opened = Some((now, 0));
                    let mut state = self.shared.lock();
                    state.stats.sent += 1;
                    if state.closed != RelayMask(0) {
                        keep(&mut state, Sent { due: now, at: now, mask: RelayMask(0), reason: Reason::Opened });
                    }
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
        match self.board.open_all() {
            Ok(()) => {
                self.opened = Some((now, times + 1));
                self.shared.lock().stats.repeated += 1;
            }
            Err(error) => self.fail(error),
        }
    }

    pub(super) fn fail(&mut self, error: RelayError) {
        self.gate.open_all();
        // Some errors pass: then the relays are open at once.
        if self.reconnect.is_none() || error.is_absence() || self.board.open_all().is_err() {
            return self.lose(error);
        }
        let mut state = self.shared.lock();
        state.stats.board_lost += 1;
        state.closed = RelayMask(0);
    }

    /// The board is not to be reached: it is looked for, where somebody has said how.
    pub(super) fn lose(&mut self, error: RelayError) {
        let Some(reconnect) = &mut self.reconnect else {
            self.report(error);
            self.open();
            return;
        };
        self.gate.open_all();
        // One that does not answer may still obey.
        let is_told = self.board.open_all().is_ok();
        if error.is_absence() && is_told {
            tracing::warn!("{error}");
        } else {
            self.shared.judge(Verdict::Doubt);
            tracing::error!("{error}; looking for it for {:?}", reconnect.patience());
        }
        // Closed, so that the system gives the adapter its old name when it is plugged in again.
        if !error.is_absence() {
            self.board = Box::new(NoBoard);
        }
        reconnect.lost(self.clock.now(), error);
        self.calls = Calls::default();
        let mut state = self.shared.lock();
        state.stats.board_lost += 1;
        state.closed = RelayMask(0);
        state.lost = true;
    }

    fn is_lost(&self) -> bool {
        self.shared.lock().lost
    }

    /// Tries to open a lost board if it is time to; false if there was nothing to do.
    fn look_for_board(&mut self, now: HostTime) -> bool {
        if self.give_up(now) {
            return true;
        }
        self.reconnect.as_ref().is_some_and(|reconnect| reconnect.is_due(now)) && self.look_for_board_now()
    }

    /// Takes the board for lost for good if it has been away for too long at `now`.
    fn give_up(&mut self, now: HostTime) -> bool {
        let Some(error) = self.reconnect.as_mut().and_then(|reconnect| reconnect.over(now)) else { return false };
        self.shared.lock().lost = false;
        self.report(error);
        true
    }

    fn look_for_board_now(&mut self) -> bool {
        let now = self.clock.now();
        let Some(board) = self.reconnect.as_mut().and_then(|reconnect| reconnect.attempt(now)) else { return false };
        self.board = board;
        let mut state = self.shared.lock();
        // What was planned meanwhile was planned for another moment.
        state.schedule = None;
        state.lost = false;
        // What was said of the lost board is over.
        (state.verdict, state.doubt_told) = (None, false);
        drop(state);
        tracing::warn!("{} is back; its relays are open", self.board.name());
        let is_open = self.open();
        self.begin_calls();
        is_open
    }

    /// Keeps the first error: it is the cause of those that follow.
    fn report(&mut self, error: RelayError) {
        let mut state = self.shared.lock();
        if !state.failed {
            state.failed = true;
            state.error = Some(error);
        }
    }

    /// At the end there is time to ask whether the relays are open; after a signal for one more question.
    fn check_open(&mut self) {
        let state = self.shared.lock();
        let (has_failed, is_hurried, verdict) = (state.failed, state.hold == Some(Hold::End), state.verdict);
        drop(state);
        if has_failed {
            return self.shared.judge(Verdict::Doubt);
        }
        if verdict == Some(Verdict::Open) {
            return;
        }
        if let Some(link) = &mut self.link {
            link.look(Say::Quiet);
        }
        let first = self.board.read_back_once();
        let answer = match first {
            Ok(Some(RelayMask(0)) | None) => first,
            // Told before anything else: the next questions take seconds, and the program may be killed meanwhile.
            _ => {
                self.shared.judge(Verdict::Doubt);
                self.open();
                if is_hurried { first } else { self.board.read_back() }
            }
        };
        match answer {
            Ok(Some(RelayMask(0))) => self.shared.judge(Verdict::Open),
            Ok(None) => {
                self.open_again();
                self.shared.judge(Verdict::Told);
            }
            Ok(Some(mask)) => self.report(RelayError::StillClosed { board: self.board.name(), got: mask.0 }),
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
            for _ in 0..LOOKS {
                (0..SPINS).for_each(|_| std::hint::spin_loop());
                if self.clock.now() > now {
                    return;
                }
            }
            // Do not burn a processor until it moves.
            nap_us = STILL_US;
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
            && let Err(error) = self.board.open_all()
        {
            tracing::error!("{error}");
        }
        let mut state = self.shared.lock();
        state.ended = true;
        drop(state);
        self.shared.opened.notify_all();
    }
}

/// Between a call's answer and the next command: the thread may wake late.
const ROOM: Duration = Duration::from_millis(2);

/// A board that complains this often in a row, although all was opened each time, does not obey.
const COMPLAINTS_MAX: u32 = 3;

impl Worker {
    /// Whether the board is to be called now: it is time, and no command is due before its answer is over. While relays
    /// are closed only boards that would open them are called.
    pub(super) fn is_call_due(&self, now: HostTime) -> bool {
        let Some(plan) = self.calls.plan else { return false };
        let is_time = self.calls.last.is_none_or(|last| now >= last + plan.every);
        let has_room = self.gate.next_wake().is_none_or(|next| next > now + plan.takes + ROOM);
        is_time && has_room && (plan.guards_itself || self.shared.lock().closed == RelayMask(0))
    }

    pub(super) fn call(&mut self, now: HostTime) {
        self.calls.last = Some(now);
        let health = match self.board.call() {
            Ok(health) => health,
            Err(error) => return self.fail(error),
        };
        let Some(complaint) = complaint(health, self.board.name()) else {
            self.calls.complaints = 0;
            return;
        };
        self.calls.complaints += 1;
        if matches!(health, Health::Silent(_)) || self.calls.complaints >= COMPLAINTS_MAX {
            return self.lose(complaint);
        }
        tracing::error!("{complaint}; all relays are opened, and everything is planned anew");
        self.open();
        let mut state = self.shared.lock();
        state.schedule = None;
        state.stats.distrusted += 1;
        state.news.push(complaint.to_string());
    }

    /// Begins the calls to a board that was opened again.
    pub(super) fn begin_calls(&mut self) {
        match Calls::begin(self.board.as_mut()) {
            Ok(calls) => self.calls = calls,
            Err(error) => self.fail(error),
        }
    }
}

/// Which relays are closed now.
fn in_words(mask: RelayMask) -> String {
    let closed: Vec<String> =
        (0..8).filter(|relay| mask.0 >> relay & 1 == 1).map(|relay| format!("K{relay}")).collect();
    if closed.is_empty() { "all relays are open".into() } else { format!("only {} closed", closed.join(", ")) }
}

/// For whoever wants to know what was sent.
fn keep(state: &mut State, one: Sent) {
    let Some(sent) = &mut state.sent else { return };
    if sent.len() == SENT_KEPT {
        sent.pop_front();
    }
    sent.push_back(one);
}
