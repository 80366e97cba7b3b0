//! Putting a piece aside, where the game can do that: when, and what if it does not.

use super::deciding::{Draft, SURE_ENOUGH};
use super::falling::Falling;
use super::notice::{Notice, OnBlame};
use super::state::{Decision, Moment};
use super::task::News;
use crate::belief::Spawned;
use crate::belief::blame::ledger::{Blame, Culprit, named};
use crate::game::guideline::SHOWN_MAX;
use crate::game::orientation::Pose;
use crate::game::{Buttons, Piece};
use crate::message::BlameKind;
use crate::planner::{Coming, Hold};
use crate::schedule::ButtonSchedule;
use crate::schedule::outcome::Situation;

/// The other piece may be seen so much later than the eye says, ms: some pictures.
const PATIENCE_MS: f64 = 200.0;
/// After so many pieces that could not be put aside it is not tried again.
const FAILED_MAX: u8 = 3;

impl Draft<'_> {
    /// The key that puts the new piece aside, if another in its place is better.
    pub(super) fn hold_key(&self, spawned: &Spawned) -> Option<Buttons> {
        let key = self.mind.variants.rules().hold()?;
        let is_open = !spawned.by_hold && spawned.confidence >= SURE_ENOUGH && self.mind.holds_failed < FAILED_MAX;
        let falling = self.mind.falling.as_ref().filter(|_| is_open)?;
        let (held, later) = (self.robot.watcher.belief.held(), spawned.queue[0]);
        let planner = &self.robot.planner;
        if let Some(is_better) = planner.prefers_hold(&spawned.board, spawned.piece, &self.shown(spawned)) {
            return is_better.then_some(key);
        }
        // What comes in its place, and what follows that.
        let (other, follower) = match held {
            Some(held) => (held, spawned.next),
            None => (spawned.next?, later),
        };
        let situation = self.situation(falling);
        let best = |from: Pose, followers: [Option<Piece>; 2]| {
            let known: Vec<Option<Piece>> = followers.into_iter().filter(Option::is_some).collect();
            planner.least_cost(&situation, from, if known.is_empty() { &[None] } else { &known })
        };
        let stays = best(self.robot.spawn_pose(spawned), [spawned.next, held.or(later)]);
        let goes = best(planner.movement.spawn(other), [follower, Some(spawned.piece)]);
        (goes < stays).then_some(key)
    }

    /// Presses the key; the other piece is placed when it is seen.
    pub(super) fn put_aside(&mut self, key: Buttons, moment: Moment) -> Option<Decision> {
        let eye = self.robot.calibration.timing.eye;
        let press_ms = self.robot.settings.finger.press_frames * self.mind.variants.rules().frame_ms();
        let mut tap = ButtonSchedule::default();
        tap.press(self.robot.after(&self.robot.cut(moment).0, moment.first_contact), key, press_ms);
        let end = tap.end().unwrap_or(moment.first_contact);
        self.mind.hear(News::PutAside(end.plus_ms(eye.ms + eye.spread_ms + PATIENCE_MS)));
        // Counted until another piece was seen in its place.
        self.mind.holds_failed += 1;
        self.mind.steering.let_go();
        self.replace(None, &tap, moment)
    }

    /// No other piece has come: this one is placed from where it is.
    pub(super) fn decide_kept_piece(&mut self, moment: Moment) -> Option<Decision> {
        if self.mind.holds_failed == FAILED_MAX && self.robot.settings.blame != OnBlame::Ignore {
            let hold = self.mind.variants.rules().hold().unwrap_or_default();
            let words = format!(
                "{} was pressed {FAILED_MAX} times to put a piece aside, and none was; pieces are placed as they come from now on \
                 (see that the key is wired, and that the game has a hold: `hold` in its file)",
                named(hold, &self.robot.calibration)
            );
            let culprit = Culprit { kind: BlameKind::DeadButton, button: Some(hold), other: None };
            let count = FAILED_MAX.into();
            let blame = Blame { time: moment.now, culprit, count, worked: 0, late_ms: 0.0, is_enough: true };
            tracing::warn!("{words}");
            self.mind.told.push(Notice::Blame { blame, relay: self.robot.relay(hold), words });
        }
        self.decide_again(moment)
    }

    /// What is known of the pieces after the falling one.
    pub(super) fn coming(&self, falling: &Falling, situation: &Situation<'_>, from: Pose) -> Coming {
        let shown = self.shown(&falling.spawned);
        if self.robot.planner.looks_ahead() {
            return shown;
        }
        let Spawned { next, queue, .. } = falling.spawned;
        let can_hold = shown.hold != Hold::Never;
        let instead = shown.held.or(queue[0]).filter(|_| can_hold && next.is_some());
        let costs = |piece: Option<Piece>| self.robot.planner.least_cost(situation, from, &[piece]);
        let is_better = instead.is_some() && costs(instead) < costs(next);
        Coming { next: if is_better { instead } else { next }, ..shown }
    }

    /// The same as it is shown.
    fn shown(&self, spawned: &Spawned) -> Coming {
        let mut queue = [None; SHOWN_MAX];
        let shown = std::iter::once(spawned.next).chain(spawned.queue);
        queue.iter_mut().zip(shown).for_each(|(place, piece)| *place = piece);
        let has_hold = self.mind.variants.rules().hold().is_some() && self.mind.holds_failed < FAILED_MAX;
        let hold = match (has_hold, spawned.by_hold) {
            (false, _) => Hold::Never,
            (true, true) => Hold::Later,
            (true, false) => Hold::Now,
        };
        let (next, held) = (spawned.next, self.robot.watcher.belief.held());
        Coming { next, queue, held, hold, sequence: self.mind.sequence }
    }

    fn situation<'a>(&'a self, falling: &'a Falling) -> Situation<'a> {
        falling.situation(self.mind.variants.rules(), &self.robot.calibration.timing, self.robot.polls.as_ref())
    }
}
