//! What the robot makes of a game's waits: plans by those that were measured, and tells of each once.

use super::fall_time::Fallen;
use super::guard::{Press, Shows};
use super::notice::{Notice, OnBlame};
use super::speed::KEY_SHOWS_MS;
use super::state::Robot;
use crate::belief::{Locked, Spawned};
use crate::game::Buttons;
use crate::game::lock::LockBegin;
use crate::message::DelayKind;
use crate::profile::calibration::Measured;
use crate::schedule::Change;
use crate::time::HostTime;

/// A lock that comes so much sooner or later than believed, ms, makes no difference for plans.
const LOCK_SAME_MS: f64 = 20.0;

impl Robot {
    /// Takes a picture in.
    pub(super) fn watch_waits(&mut self, look: Option<Fallen>, previous: HostTime, now: HostTime) {
        let since = self.shown_since(previous);
        let rules = self.mind.variants.rules();
        let drop = rules.hard_drop().filter(|_| rules.drop_locks());
        let is_dropped = drop.is_some_and(|key| self.mind.schedule.presses_between(since, now, key));
        self.waits.delays.watch(look, is_dropped, previous, now);
        self.watch_drops(look, now);
    }

    /// The next piece appeared.
    pub(super) fn end_waits(&mut self, spawned: &Spawned, locked: Option<&Locked>, now: HostTime) {
        if self.settings.blame == OnBlame::Ignore {
            return;
        }
        self.end_drops(spawned, locked, now);
        let is_own = self.mind.falling.as_ref().is_some_and(|falling| falling.is_own);
        let is_whole = self.planner.movement.spawn(spawned.piece).cells().iter().all(|(_, y)| *y >= 0);
        match (spawned.not_before, locked) {
            // One that comes from above the field is seen late.
            (Some(before), Some(locked)) if is_whole && is_own => {
                self.waits.delays.appeared([before, spawned.time], locked.lines);
            }
            _ => self.waits.delays.let_go(),
        }
        self.tell_waits(now);
    }

    /// When the drop key was pressed for the falling piece until now; `None` if something else was, too, or nobody knows.
    fn drops(&self, now: HostTime) -> Option<Vec<Press>> {
        let falling = self.mind.falling.as_ref().filter(|falling| falling.is_own)?;
        let (rules, spawned) = (self.mind.variants.rules(), falling.spawned);
        let (key, before) = (rules.hard_drop()?, spawned.not_before?);
        // What was pressed before it had appeared for sure may have been for the piece before.
        let eye = self.calibration.timing.eye;
        let since = spawned.time.plus_ms(eye.spread_ms - eye.ms);
        let is_own = move |change: &&Change| change.at > since && change.at <= now && change.buttons != Buttons::NONE;
        let pressed = self.mind.schedule.changes().iter().filter(is_own);
        let frame_ms = rules.frame_ms();
        let press = move |change: &Change| Press {
            at: change.at,
            age_ms: [
                change.at.ms_since(spawned.time) + eye.ms - eye.spread_ms,
                change.at.ms_since(before) + eye.ms + eye.spread_ms + frame_ms,
            ],
        };
        pressed.clone().all(|change| change.buttons == key).then(|| pressed.map(press).collect())
    }

    /// Looks at what the drop key did to a piece that was not moved before.
    fn watch_drops(&mut self, look: Option<Fallen>, now: HostTime) {
        let Some(falling) = self.mind.falling.as_ref().filter(|falling| falling.is_own) else {
            return self.waits.guard.let_go();
        };
        let Spawned { time: piece, not_before, pose: first, .. } = falling.spawned;
        let Some(presses) = self.drops(now) else { return self.judge_drops(None, now) };
        self.waits.guard.press(piece, &presses);
        let Some((look, before)) = look.zip(not_before) else { return };
        let fallen = f64::from(look.pose.y - first.y);
        let is_gone = fallen > now.ms_since(before) / self.mind.variants.rules().row_ms(look.level) + 1.0;
        match (is_gone, look.rests) {
            // What seems to have risen is not seen: it may have been dropped into the copy of it that the game draws there.
            _ if fallen < 0.0 => {}
            (false, false) => self.waits.guard.hangs(now),
            (is_gone, _) => self.judge_drops(is_gone.then_some(now), now),
        }
    }

    /// The next piece appeared. That the one before is gone is what a drop does, if not its weight.
    fn end_drops(&mut self, spawned: &Spawned, locked: Option<&Locked>, now: HostTime) {
        let before = self.mind.falling.as_ref().map(|falling| falling.spawned);
        let known = before.zip(self.drops(spawned.time)).zip(locked);
        let Some(((Spawned { time, not_before: Some(before), pose: first, .. }, presses), locked)) = known else {
            return self.waits.guard.let_go();
        };
        self.waits.guard.press(time, &presses);
        let row_ms = self.mind.variants.rules().row_ms(self.watcher.belief.counters().level);
        let is_gone = f64::from(locked.pose.y - first.y) > spawned.time.ms_since(before) / row_ms + 1.0;
        self.judge_drops(is_gone.then_some(spawned.time), now);
    }

    /// The falling piece went at this time, or its drops will not be told from its weight any more: believes what follows.
    fn judge_drops(&mut self, gone: Option<HostTime>, now: HostTime) {
        let eye = self.calibration.timing.eye;
        let latest_ms = eye.ms + eye.spread_ms + KEY_SHOWS_MS;
        if !self.waits.guard.end(gone, Shows { soonest_ms: eye.ms - eye.spread_ms, latest_ms }) {
            return;
        }
        let rules = self.mind.variants.rules();
        let believed_ms = rules.drop_guard_ms();
        let Some(ms) = self.waits.guard.longer_than(believed_ms) else { return };
        let minds = std::iter::once(&mut self.mind).chain(&mut self.proposed);
        minds.for_each(|mind| mind.variants.guard_for(ms));
        let words = format!(
            "drops of a piece that was not moved do nothing for {ms:.0} ms after it appeared, not for {believed_ms:.0}; they \
             wait for that from now on (set drop_guard_ms in the game's file)"
        );
        let is_news = self.is_news(DelayKind::DropGuard);
        // Found out by trying, and longer each time: what is kept is the last.
        let length = Measured { ms, spread_ms: 0.0 };
        self.tell_wait(DelayKind::DropGuard, length, Some(believed_ms), words, now, is_news);
    }

    fn tell_waits(&mut self, now: HostTime) {
        let delays = &self.waits.delays;
        let [entry, clear] = [delays.entry(), delays.clear()];
        if let Some(length) = entry.filter(|_| self.is_news(DelayKind::Entry)) {
            let Measured { ms, spread_ms } = length;
            let words = format!(
                "the next piece appears {ms:.0} ms after a lock, ± {spread_ms:.0} (entry_delay_ms in a game's file, for the \
                 simulated table)"
            );
            self.tell_wait(DelayKind::Entry, length, None, words, now, false);
        }
        if let Some(length) = clear.filter(|_| self.is_news(DelayKind::Clear)) {
            let Measured { ms, spread_ms } = length;
            let words = format!(
                "full rows delay the next piece by {ms:.0} ms, ± {spread_ms:.0} (clear_delay_ms in a game's file, for the \
                 simulated table)"
            );
            self.tell_wait(DelayKind::Clear, length, None, words, now, false);
        }
        self.tell_lock(now);
    }

    fn tell_lock(&mut self, now: HostTime) {
        let rules = self.mind.variants.rules();
        let Some(lock) = rules.lock().filter(|_| self.is_news(DelayKind::Lock)) else { return };
        let (begin, believed_ms) = (lock.begin, lock.delay_ms);
        let waits_ms = |level| if begin == LockBegin::Fall { rules.row_ms(level) } else { 0.0 };
        let Some((length, is_known)) = self.waits.delays.lock(waits_ms) else { return };
        let Measured { ms, spread_ms } = length;
        let same_ms = LOCK_SAME_MS.max(spread_ms);
        let is_other = ms < believed_ms - same_ms || is_known && ms > believed_ms + same_ms;
        if !is_other && !is_known {
            return;
        }
        let at_most = if is_known { "" } else { " at most" };
        let words = if is_other {
            let minds = std::iter::once(&mut self.mind).chain(&mut self.proposed);
            minds.for_each(|mind| mind.variants.lock_after(ms - spread_ms));
            format!(
                "a piece that rests locks after {ms:.0} ms{at_most}, ± {spread_ms:.0}, not after {believed_ms:.0}; slides are planned \
                 by that from now on (correct lock_delay_ms in the game's file)"
            )
        } else {
            format!("a piece that rests locks after {ms:.0} ms, ± {spread_ms:.0}, as the game's file has it")
        };
        self.tell_wait(DelayKind::Lock, length, Some(believed_ms), words, now, is_other);
    }

    fn is_news(&self, what: DelayKind) -> bool {
        !self.waits.told.contains(&what)
    }

    fn tell_wait(
        &mut self,
        what: DelayKind,
        length: Measured,
        believed_ms: Option<f64>,
        words: String,
        time: HostTime,
        is_loud: bool,
    ) {
        match is_loud {
            true => tracing::warn!(now = %time, "{words}"),
            false => tracing::debug!(now = %time, "{words}"),
        }
        if self.is_news(what) {
            self.waits.told.push(what);
        }
        self.mind.told.push(Notice::Delay { time, what, length, believed_ms, words });
    }
}
