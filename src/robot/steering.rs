//! Whether somebody steers the falling piece.

use super::notice::Why;
use crate::game::Buttons;
use crate::game::orientation::Pose;
use crate::planner::Plan;
use crate::schedule::Change;
use crate::time::HostTime;

/// A piece without a plan is planned again this often, ms.
const AGAIN_MS: f64 = 100.0;

/// A piece that is still falling so long after its plan should be seen done is not where that has put it, ms: some pictures.
const OVERDUE_MS: f64 = 200.0;

/// A piece that was dropped and is seen to hang for so long is not another that has come in its place, ms: some pictures.
const HANGS_MS: f64 = 150.0;

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
    /// The piece was to be dropped there, from this pose.
    dropped_from: Option<Pose>,
    /// All pictures since then show it there, or further down.
    hangs_since: Option<HostTime>,
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

    /// A plan is in force, which ends at `end` and is seen `eye_ms` later; where the piece is that it drops, if it does.
    pub(super) fn planned(&mut self, plan: &Plan, dropped_from: Option<Pose>, end: Option<HostTime>, eye_ms: f64) {
        // A plan that is kept holds what is pressed ahead for the piece after it, too.
        let is_own = |change: &&Change| change.buttons != Buttons::NONE && change.at <= plan.lock.latest;
        let pressed = plan.schedule.changes().iter().rev().find(is_own);
        // A drop that may not be felt is seen not to be, long before the piece has come down by itself.
        let lock = if dropped_from.is_some() { plan.lock.earliest } else { plan.lock.latest };
        let by = end.map_or(lock, |end| end.max(lock)).plus_ms(eye_ms + OVERDUE_MS);
        let promise = Promise {
            pose: plan.lock.pose,
            by,
            last_press: pressed.map(|change| change.at),
            dropped_from,
            hangs_since: None,
            is_kept: false,
        };
        self.state = State::Planned(promise);
    }

    /// What was planned before the piece appeared is in force.
    pub(super) fn foreseen(&mut self, pose: Pose) {
        self.state = State::Planned(Promise {
            pose,
            by: HostTime(i64::MAX),
            last_press: None,
            dropped_from: None,
            hangs_since: None,
            is_kept: false,
        });
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
    pub(super) fn is_due(&self, now: HostTime) -> bool {
        let State::Adrift { tried, .. } = self.state else { return false };
        tried.is_none_or(|tried| now.ms_since(tried) >= AGAIN_MS)
    }

    /// The piece is seen there.
    pub(super) fn see(&mut self, pose: Pose) {
        if let State::Planned(promise) = &mut self.state {
            promise.is_kept |= promise.pose == pose;
        }
    }

    /// Whether a piece that has moved into `pose` at `since` should not have been on its way any more. One that lies
    /// elsewhere than it should does not move.
    pub(super) fn is_overdue(&self, pose: Pose, since: HostTime) -> bool {
        let State::Planned(promise) = self.state else { return false };
        // No piece rises: what lies where a piece above the field would land is the piece itself.
        let has_risen = promise.dropped_from.is_some_and(|from| pose.y < from.y);
        since > promise.by && !promise.is_kept && !has_risen && pose != promise.pose
    }

    /// A picture shows the piece in mid-air, or does not.
    pub(super) fn see_hanging(&mut self, pose: Option<Pose>, now: HostTime) {
        let State::Planned(promise) = &mut self.state else { return };
        let is_there = promise.dropped_from.zip(pose).is_some_and(|(from, pose)| {
            (pose.x, pose.orientation.shape()) == (from.x, from.orientation.shape()) && pose.y >= from.y
        });
        promise.hangs_since = promise.hangs_since.or(Some(now)).filter(|_| is_there);
    }

    /// As [`Self::is_overdue`], of a piece that was to be dropped and has been seen to hang there for long: it need not move
    /// first. (The next one may look like it for some pictures.)
    pub(super) fn is_undropped(&self, pose: Pose, now: HostTime) -> bool {
        let State::Planned(Promise { hangs_since: Some(since), .. }) = self.state else { return false };
        now.ms_since(since) >= HANGS_MS && self.is_overdue(pose, now)
    }

    /// Whether a piece falls that nobody steers.
    pub(super) fn is_adrift(&self) -> bool {
        matches!(self.state, State::Adrift { .. })
    }

    /// Why nobody steers the piece, if that has lasted so long, ms, and was not told yet.
    pub(super) fn tell(&mut self, now: HostTime, after_ms: f64) -> Option<Why> {
        let State::Adrift { since, why, .. } = self.state else { return None };
        let is_due = now.ms_since(since) >= after_ms && !self.is_told;
        self.is_told |= is_due;
        is_due.then_some(why)
    }
}
