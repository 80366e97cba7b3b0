//! Whether anybody steers the falling piece. One that nobody does is planned again from where it is seen, and told if that
//! does not help.

use super::Robot;
use super::pausing::Told;
use crate::belief::Locked;
use crate::game::Buttons;
use crate::game::Piece;
use crate::game::orientation::Pose;
use crate::message::ScreenState;
use crate::planner::Plan;
use crate::schedule::Change;
use crate::time::HostTime;

/// A piece is told that has fallen so long without a plan, ms: whatever is usual (a press that must be seen first, a turn
/// that is tried) takes less.
const TELL_AFTER_MS: f64 = 500.0;
/// A piece without a plan is planned again this often, ms.
const AGAIN_MS: f64 = 100.0;
/// A piece that is still falling so long after its plan should be seen done is not where that has put it, ms: some pictures.
const OVERDUE_MS: f64 = 200.0;
/// While the game is seen, but nothing in it explained for so long, ms, nobody knows where the falling piece is.
const BLIND_MS: f64 = 1000.0;

/// Why nobody steers a piece.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Why {
    /// Nothing has been decided for it.
    Undecided,
    /// No presses are known that would do any good.
    NoWay,
    /// By what was pressed it should have come to rest already.
    ShouldRest,
    /// Its presses were called off.
    CalledOff,
    /// It is not where its presses should have taken it.
    Astray,
    /// A turn that was tried showed no effect.
    NoEffect,
    /// It is not seen where it should be, or the pile is another than believed.
    Unseen,
}

impl Why {
    /// In words, with what can be done about it.
    pub fn words(self) -> &'static str {
        match self {
            Self::Undecided => {
                "nothing was decided for it in time; close other programs if this computer is busy, and look after the relay \
                 board if it is away"
            }
            Self::NoWay => "no presses were found that would do any good before it comes to rest; a lower level helps",
            Self::ShouldRest => {
                "it should have come to rest already by what was pressed; measure the times with `calibrate --latency`"
            }
            Self::CalledOff => {
                "its presses were called off, because one was late, or because no picture came; see to a steady picture \
                 source, and close other programs"
            }
            Self::Astray => "it is not where its presses should have taken it; try `stackhand doctor --click`",
            Self::NoEffect => "a turn that was tried showed no effect; check the wire of the key that turns",
            Self::Unseen => {
                "it is not seen where it should be; see that nothing covers the field, and that the light is even"
            }
        }
    }
}

/// Whether somebody steers the falling piece.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Steering {
    state: State,
    is_told: bool,
}

#[derive(Debug, Clone, Copy, Default, PartialEq)]
enum State {
    /// There is none, or somebody else has the hand.
    #[default]
    Free,
    /// A plan is in force.
    Planned(Promise),
    /// None is, since that time.
    Adrift { since: HostTime, why: Why, tried: Option<HostTime> },
}

/// What a plan in force promises.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Promise {
    /// Where the piece locks.
    pose: Pose,
    /// When the piece must be seen there at the latest.
    by: HostTime,
    /// The last press of the plan.
    last_press: Option<HostTime>,
    /// The piece was seen there. What is seen above it later is the next piece, if one of the same kind.
    is_kept: bool,
}

impl Steering {
    /// A piece that nothing was planned for yet.
    pub(super) fn begin(&mut self, now: HostTime) {
        *self = Self { state: State::Adrift { since: now, why: Why::Undecided, tried: None }, is_told: false };
    }

    /// Somebody else has the hand, or the robot rests: that is told elsewhere.
    pub(super) fn let_go(&mut self) {
        self.state = State::Free;
    }

    /// A plan is in force, which ends at `end` and is seen `eye_ms` later.
    pub(super) fn planned(&mut self, plan: &Plan, end: Option<HostTime>, eye_ms: f64) {
        // A plan that is kept holds what is pressed ahead for the piece after it, too.
        let is_own = |change: &&Change| change.buttons != Buttons::NONE && change.at <= plan.lock.earliest;
        let pressed = plan.schedule.changes().iter().rev().find(is_own);
        let by = end.map_or(plan.lock.latest, |end| end.max(plan.lock.latest)).plus_ms(eye_ms + OVERDUE_MS);
        let promise = Promise { pose: plan.lock.pose, by, last_press: pressed.map(|change| change.at), is_kept: false };
        self.state = State::Planned(promise);
    }

    /// What was planned before the piece appeared is in force.
    pub(super) fn foreseen(&mut self, pose: Pose) {
        self.state = State::Planned(Promise { pose, by: HostTime(i64::MAX), last_press: None, is_kept: false });
    }

    /// No plan is in force any more, or none could be made.
    pub(super) fn lose(&mut self, now: HostTime, why: Why) {
        let since = match self.state {
            State::Adrift { since, .. } => since,
            _ => now,
        };
        self.state = State::Adrift { since, why, tried: Some(now) };
    }

    /// Whether a plan is in force.
    pub(super) fn is_planned(&self) -> bool {
        matches!(self.state, State::Planned(_))
    }

    /// The last press of the plan in force.
    pub(super) fn last_press(&self) -> Option<HostTime> {
        match self.state {
            State::Planned(promise) => promise.last_press,
            _ => None,
        }
    }

    /// Whether another plan is due.
    fn is_due(&self, now: HostTime) -> bool {
        let State::Adrift { tried, .. } = self.state else { return false };
        tried.is_none_or(|tried| now.ms_since(tried) >= AGAIN_MS)
    }

    /// The piece is seen there.
    fn see(&mut self, pose: Pose) {
        if let State::Planned(promise) = &mut self.state {
            promise.is_kept |= promise.pose == pose;
        }
    }

    /// Whether a piece that has moved into `pose` at `since` should not have been on its way any more. One that lies
    /// elsewhere than it should does not move.
    fn is_overdue(&self, pose: Pose, since: HostTime) -> bool {
        matches!(self.state, State::Planned(promise) if since > promise.by && !promise.is_kept && pose != promise.pose)
    }

    /// Whether a piece falls that nobody steers.
    pub(super) fn is_adrift(&self) -> bool {
        matches!(self.state, State::Adrift { .. })
    }

    /// Why nobody steers the piece, if that has lasted so long, ms, and was not told yet.
    fn tell(&mut self, now: HostTime, after_ms: f64) -> Option<Why> {
        let State::Adrift { since, why, .. } = self.state else { return None };
        let is_due = now.ms_since(since) >= after_ms && !self.is_told;
        self.is_told |= is_due;
        is_due.then_some(why)
    }
}

impl Robot {
    /// Whether a piece falls that nobody steers, for the moment or for good.
    pub fn is_adrift(&self) -> bool {
        self.steering.is_adrift()
    }

    /// A picture was taken in: is the falling piece steered, and if not, is it to be planned again?
    pub(super) fn watch_steering(&mut self, state: ScreenState, now: HostTime) {
        let Some(piece) = self.falling.as_ref().map(|falling| falling.spawned.piece) else {
            return self.steering.let_go();
        };
        if self.rest.is_some() || self.standstill.is_told() {
            return self.steering.let_go();
        }
        if state == ScreenState::Paused {
            return;
        }
        let unseen_since = self.watcher.belief.unexplained_since().filter(|_| state == ScreenState::Playing);
        if let Some(since) = unseen_since.filter(|since| now.ms_since(*since) > BLIND_MS && self.steering.is_planned())
        {
            self.steering.lose(since, Why::Unseen);
        }
        let rests = self.standstill.rests();
        rests.inspect(|(pose, _)| self.steering.see(*pose));
        let is_overdue = rests.is_some_and(|(pose, since)| self.steering.is_overdue(pose, since));
        if is_overdue && self.watcher.belief.falling().is_some_and(|(seen, _)| seen == piece) {
            self.steering.lose(now, Why::Astray);
            self.again.get_or_insert(now);
        }
        let is_pending =
            self.to_plan.is_some() || self.trial.is_some() || self.again.is_some() || self.is_lost || self.is_corrected;
        if !is_pending && self.steering.is_due(now) && self.is_worth_a_look() {
            let eye = self.calibration.timing.eye;
            let (kept, _) = self.cut(self.moment(now));
            // What was pressed must show first.
            self.again = Some(kept.end().map_or(now, |end| now.max(end.plus_ms(eye.ms + eye.spread_ms))));
        }
        if let Some(why) = self.steering.tell(now, TELL_AFTER_MS) {
            self.tell_adrift(piece, why, now);
        }
    }

    /// Whether a picture tells the falling piece's row: not if it falls one sooner than it is known when that was taken.
    fn is_worth_a_look(&self) -> bool {
        let level = self.watcher.belief.counters().level;
        self.handling.rules().row_ms(level) > 2.0 * self.calibration.timing.eye.spread_ms
    }

    /// The falling piece is no more. If nobody steered it to its end, that is told, unless it lies where it was meant to.
    pub(super) fn end_steering(&mut self, locked: Option<&Locked>, now: HostTime) {
        let is_right = locked.is_some_and(|locked| locked.intended == Some(true));
        let piece = self.falling.as_ref().map(|falling| falling.spawned.piece).filter(|_| !is_right);
        if let Some((piece, why)) = piece.and_then(|piece| Some((piece, self.steering.tell(now, 0.0)?))) {
            self.tell_adrift(piece, why, now);
        }
        self.steering.let_go();
    }

    fn tell_adrift(&mut self, piece: Piece, why: Why, now: HostTime) {
        let words = format!("nobody steers the {piece}: {}", why.words());
        tracing::warn!(%now, "{words}");
        self.told.push(Told::Adrift { time: now, piece, why, words });
    }
}
