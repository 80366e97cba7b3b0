//! When a piece is dropped: where a drop cannot be taken back, not before a picture has shown what its moves did.
//!
//! What falls straight below the place that the moves have taken it to locks there, dropped or not. So the moves alone are
//! pressed at first, and the drop when the piece was seen in its column: a press that was lost or counted twice costs a
//! correction, and not the placement. What is moved on below, after Down has taken it to the pile, is looked at twice: before it
//! is lowered, and before it is dropped.

use super::deciding::Draft;
use super::effects::{Target, is_beside};
use super::state::Robot;
use super::task::{News, Task};
use crate::game::orientation::Pose;
use crate::game::rules::Down;
use crate::game::{Buttons, Piece};
use crate::planner::Plan;
use crate::schedule::outcome::{Lock, Situation};
use crate::schedule::{ButtonSchedule, Change};
use crate::time::HostTime;

/// A picture may come so late, ms, and show what was there before the moves, and a camera whose times were not measured may be as
/// late with all of them: what is not as it should be is looked at again. For longer where there is time: up to this, and by
/// this share of what the fall will take.
const LATE_MS: std::ops::Range<f64> = 40.0..130.0;
const LATE_SHARE: f64 = 0.1;
/// Where a row takes less, ms, there is none: the moves are corrected by what is reckoned of each picture.
const HURRIED_ROW_MS: f64 = 75.0;

impl Draft<'_> {
    /// The plan as far as it may be pressed before the next look, after the presses that were made already; and where they take the
    /// piece, if the rest waits for that to be seen.
    pub(super) fn dropped_when_seen(
        &self,
        plan: Plan,
        done: &ButtonSchedule,
        situation: &Situation<'_>,
    ) -> (Plan, Option<Target>) {
        let Some(key) = situation.rules.hard_drop().filter(|_| self.robot.drops_when_seen()) else {
            return (plan, None);
        };
        let presses = plan.schedule.changes();
        let end = presses.iter().position(|change| change.buttons.intersects(key)).unwrap_or(presses.len());
        let is_move = |change: &Change| change.buttons != Buttons::NONE && !change.buttons.intersects(key);
        let is_aside = |change: &Change| is_move(change) && !change.buttons.intersects(Buttons::DOWN);
        let is_lowered = |change: &Change| change.buttons.intersects(Buttons::DOWN);
        let was_moved = done.changes().iter().any(is_move);
        let lowered = presses[..end].iter().position(is_lowered).filter(|_| situation.rules.down() == Down::ToTheFloor);
        // What was moved above is seen to be right before it is lowered.
        let end = lowered.filter(|lowered| was_moved || presses[..*lowered].iter().any(is_aside)).unwrap_or(end);
        let moves = ButtonSchedule::of(presses[..end].to_vec());
        let is_moved = was_moved || moves.changes().iter().any(is_aside);
        let all = moves.after(done);
        let undropped = situation.certain_lock(&all);
        // A piece that has locked by itself cannot be dropped; the next one would be.
        let is_late =
            |end: usize| undropped.is_some_and(|lock| lock.pose == plan.lock.pose && lock.earliest <= presses[end].at);
        if end < presses.len() && !is_moved && !is_late(end) {
            return (plan, None);
        }
        let felt = all.end().unwrap_or(self.robot.last_look).plus_ms(situation.rules.frame_ms());
        let target = is_moved.then(|| Target::of(situation, &all, felt, plan.lock.pose));
        let lock = undropped.map_or(plan.lock, |lock| Lock { pose: plan.lock.pose, ..lock });
        (Plan { lock, schedule: moves, ..plan }, target)
    }
}

impl Robot {
    /// Whether a picture shows where the moves of a piece have taken it that is to be dropped: where they should have, or twice
    /// elsewhere.
    pub(super) fn watch_moves(&mut self, now: HostTime) {
        let patience_ms = self.watcher.belief.falling().map_or(LATE_MS.end, |(_, pose)| self.patience_ms(pose));
        let (Task::Confirm(moves), Some(falling)) = (&mut self.mind.task, &self.mind.falling) else { return };
        let shown = self.watcher.belief.shown_falling().filter(|(piece, _)| *piece == falling.spawned.piece);
        let Some((_, pose)) = shown.filter(|_| now >= moves.shows) else { return };
        let is_still = |(seen, _): &(Pose, HostTime)| is_beside(*seen, pose);
        let astray = moves.astray.filter(is_still);
        if moves.target.is_reached(pose) || astray.is_some_and(|(_, since)| now.ms_since(since) >= patience_ms) {
            let target = moves.target.clone();
            self.mind.hear(News::Shown(now));
            self.judge_effects(&target, pose, now);
        } else {
            moves.astray = astray.or(Some((pose, now)));
        }
    }

    /// How long a piece is looked at that seems astray, ms.
    fn patience_ms(&self, pose: Pose) -> f64 {
        let (belief, rules) = (&self.watcher.belief, self.mind.variants.rules());
        let rows = (1..).take_while(|rows| pose.moved(0, *rows).fits(belief.pile())).count();
        let fall_ms = rows as f64 * rules.row_ms(belief.counters().level);
        (LATE_SHARE * fall_ms).clamp(LATE_MS.start, LATE_MS.end)
    }

    /// The falling piece, where it may be planned for: where drops wait for a look nobody presses what no picture speaks for.
    pub(super) fn sighted(&self) -> Option<(Piece, Pose)> {
        let belief = &self.watcher.belief;
        match (self.drops_when_seen(), self.corrects_by_sight()) {
            (_, true) => belief.shown_falling(),
            (true, false) => belief.falling_in_view(),
            (false, false) => belief.falling(),
        }
    }

    /// Whether what moves and drops did is looked at before anything is corrected, and not reckoned.
    pub(super) fn corrects_by_sight(&self) -> bool {
        let level = self.watcher.belief.counters().level;
        self.drops_when_seen() && self.mind.variants.rules().row_ms(level) > HURRIED_ROW_MS
    }

    /// Whether pieces are dropped when they were seen.
    fn drops_when_seen(&self) -> bool {
        self.mind.variants.rules().hard_drop().is_some() && !self.settings.drops_unseen
    }
}
