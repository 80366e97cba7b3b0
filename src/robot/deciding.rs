//! What is pressed, and when: for a new piece, for the next one before it appears, for a piece that is not where it should
//! be, and after a game.

use super::adrift::Why;
use super::appearing::rested_ms;
use super::foresight::{Foreseen, Foretold};
use super::{Decision, Moment, NEXT_LOOK_MS, Robot, START_EVERY_MS, Trial, Undo};
use crate::belief::Spawned;
use crate::game::Buttons;
use crate::game::orientation::Pose;
use crate::planner::Plan;
use crate::schedule::outcome::Situation;
use crate::schedule::polls::{SpawnWindow, Spawns};
use crate::schedule::{ButtonSchedule, START_PRESS_MS};
use crate::time::HostTime;

/// A turn that is to be looked at may take this much longer to be seen than the eye says, ms: some pictures.
const TRIAL_PATIENCE_MS: f64 = 200.0;
/// A piece is seen so much later than it could be when a picture is unclear, ms.
const LATE_LOOK_MS: f64 = 15.0;
/// Presses for a piece that has not appeared are made only if they come out with this probability.
const SURE_AHEAD: f64 = 0.9;
/// Presses are remembered for so long, ms: they tell where a piece is that they moved.
const REMEMBERED_MS: f64 = 30_000.0;
/// Confidence in a spawn from which something may be learned.
const SURE_ENOUGH: f32 = 0.9;
/// A turning key that showed no effect so often will not be tried again.
const TRIALS_MAX: u8 = 3;
impl Robot {
    /// Plans what a new piece needs, or the next one, or the press of Start after a game.
    pub fn decide(&mut self, now: HostTime) -> Option<Decision> {
        let moment = self.moment(now);
        if self.rest.is_some() {
            return self.rest_due().filter(|due| *due <= now).and_then(|_| self.decide_rest(moment));
        }
        let schedule = self.schedule.clone();
        let (to_foresee, foreseen) = (self.to_foresee.clone(), self.foreseen);
        let steering = self.steering;
        self.undo = Some(Undo { to_plan: self.to_plan, to_foresee, foreseen, schedule, steering });
        if let Some(spawned) = self.to_plan.take() {
            return match self.question(&spawned) {
                Some(key) => self.try_turn(spawned, key, moment),
                None => self.decide_from(self.planner.movement.spawn(spawned.piece), moment),
            };
        }
        if let Some(trial) = self.trial.take_if(|trial| trial.is_over(now)) {
            return self.decide_tried_piece(&trial, moment);
        }
        if std::mem::take(&mut self.is_lost) {
            return self.call_off(moment);
        }
        if std::mem::take(&mut self.is_corrected) {
            return self.decide_corrected(moment);
        }
        if self.again.take_if(|due| *due <= now).is_some() {
            return self.decide_again(moment);
        }
        if let Some(foretold) = self.to_foresee.take() {
            return self.decide_ahead(&foretold, moment);
        }
        if !self.has_to_decide(now) {
            return None;
        }
        self.next_start = Some(now.plus_ms(START_EVERY_MS));
        self.count_start(now);
        let mut start = ButtonSchedule::default();
        start.press(moment.first_contact, Buttons::START, START_PRESS_MS);
        self.replace(None, &start, moment)
    }

    /// The key to try before the piece is placed, while it is open how the game turns it.
    fn question(&self, spawned: &Spawned) -> Option<Buttons> {
        // A piece that is only guessed at may be another one, and teach something wrong.
        let is_seen = spawned.confidence >= SURE_ENOUGH && !self.settings.filters.no_rotation;
        let pose = self.planner.movement.spawn(spawned.piece);
        is_seen.then(|| self.handling.question(pose, &spawned.board)).flatten()
    }

    fn try_turn(&mut self, spawned: Spawned, key: Buttons, moment: Moment) -> Option<Decision> {
        let eye = self.calibration.timing.eye;
        let press_ms = self.settings.finger.press_frames * self.handling.rules().frame_ms();
        let mut tap = ButtonSchedule::default();
        tap.press(moment.first_contact, key, press_ms);
        let until = moment.first_contact.plus_ms(press_ms + eye.ms + eye.spread_ms + TRIAL_PATIENCE_MS);
        self.trial = Some(Trial { spawned, tap: tap.clone(), until, seen: None });
        self.replace(None, &tap, moment)
    }

    fn decide_tried_piece(&mut self, trial: &Trial, moment: Moment) -> Option<Decision> {
        if let Some(pose) = trial.seen {
            return self.decide_from(pose, moment);
        }
        self.trials_failed += 1;
        if self.trials_failed >= TRIALS_MAX {
            self.handling.settle();
        }
        // The press had no effect that can be seen: the piece may be anywhere, so it is looked for.
        self.steering.lose(moment.now, Why::NoEffect);
        None
    }

    /// Ends all presses; the piece is planned again when those that were made must show.
    fn call_off(&mut self, moment: Moment) -> Option<Decision> {
        let eye = self.calibration.timing.eye;
        let (kept, _) = self.cut(moment);
        let last = kept.end().map_or(moment.now, |end| end.plus_ms(eye.ms + eye.spread_ms));
        self.again = Some(last.max(moment.now));
        self.steering.lose(moment.now, Why::Astray);
        self.replace(None, &ButtonSchedule::default(), moment)
    }

    /// Plans the falling piece from where the presses have taken it that did their work.
    fn decide_corrected(&mut self, moment: Moment) -> Option<Decision> {
        let falling = self.falling.as_ref()?;
        let done = falling.presses(&self.cut(moment).0);
        let situation = falling.situation(self.handling.rules(), &self.calibration.timing, self.polls.as_ref());
        match situation.likely_pose(&done, self.after(&done, moment.first_contact)) {
            Some(from) => self.decide_from(from, moment),
            None => self.replace_none(None, moment),
        }
    }

    /// Plans the falling piece from where it was last seen.
    fn decide_again(&mut self, moment: Moment) -> Option<Decision> {
        let piece = self.falling.as_ref()?.spawned.piece;
        let Some((_, pose)) = self.watcher.belief.falling().filter(|(seen, _)| *seen == piece) else {
            self.steering.lose(moment.now, Why::Unseen);
            return None;
        };
        let level = self.watcher.belief.counters().level;
        let eye = self.calibration.timing.eye;
        // It came into its row at most a row's time before the picture, unless it rests, and has not left it since the
        // next was due.
        let seen = self.last_look.plus_ms(-eye.ms);
        let (rules, board) = (self.handling.rules(), *self.watcher.belief.pile());
        let waited_ms = rules.row_ms(level) + rested_ms(rules, &board, pose);
        let window =
            SpawnWindow { earliest: seen.plus_ms(-waited_ms - eye.spread_ms), latest: seen.plus_ms(eye.spread_ms) };
        let start = rules.spawn(piece, pose, level, false);
        let polls = self.polls;
        if let Some(falling) = &mut self.falling {
            falling.spawned.board = board;
            falling.restart(start, window, seen.plus_ms(-eye.spread_ms), polls.as_ref());
        }
        self.decide_from(pose, moment)
    }

    /// Plans the falling piece, which was at `origin` when it appeared or when it was last looked for.
    fn decide_from(&mut self, origin: Pose, moment: Moment) -> Option<Decision> {
        let falling = self.falling.as_ref()?;
        let (kept, _) = self.cut(moment);
        let done = falling.presses(&kept);
        let situation = falling.situation(self.handling.rules(), &self.calibration.timing, self.polls.as_ref());
        let start = self.after(&kept, self.after(&done, moment.first_contact));
        tracing::trace!(
            appearance = ?falling.appearance.frames(),
            spawns = ?situation.spawns.times(),
            polls = ?self.polls,
            "planning"
        );
        let from = if done.changes().is_empty() { Some(origin) } else { situation.likely_pose(&done, start) };
        let next = falling.spawned.next;
        // What is in force already may be out of reach by now for a plan that begins later.
        let all = falling.presses(&self.schedule);
        let in_force = (all.changes().len() > done.changes().len())
            .then(|| self.planner.kept(&situation, from.unwrap_or(origin), next, &all))
            .flatten();
        let new = from.and_then(|from| self.planner.plan_after(&done, &situation, from, next, start));
        match (in_force, new) {
            (Some(kept), new) if new.as_ref().is_none_or(|new| new.certainty < 1.0 || kept.cost <= new.cost) => {
                let all = self.schedule.clone();
                self.command_plan(kept, all, moment)
            }
            (_, Some(new)) => {
                let all = new.schedule.after(&kept);
                self.command_plan(new, all, moment)
            }
            (_, None) if from.is_none() => {
                // It will have come to rest before anything could reach it; what was pressed ahead of it stays.
                if !self.steering.is_planned() {
                    self.steering.lose(moment.now, Why::ShouldRest);
                }
                self.replace_none(None, moment)
            }
            (_, None) => {
                self.steering.lose(moment.now, Why::NoWay);
                None
            }
        }
    }

    /// The falling piece's plan, with all presses.
    fn command_plan(&mut self, plan: Plan, all: ButtonSchedule, moment: Moment) -> Option<Decision> {
        let eye = self.calibration.timing.eye;
        self.watcher.belief.intend(plan.lock.pose);
        self.steering.planned(&plan, all.end(), eye.ms + eye.spread_ms);
        self.commanded(Some(plan), all, moment)
    }

    /// Plans the next piece before it appears, if what is best would be out of reach once it is seen.
    fn decide_ahead(&mut self, foretold: &Foretold, moment: Moment) -> Option<Decision> {
        let (polls, piece) = (self.polls?, foretold.piece);
        if let Some(falling) = &mut self.falling {
            falling.looked_ahead = true;
        }
        let timing = &self.calibration.timing;
        let rules = self.handling.rules();
        let from = self.planner.movement.spawn(piece);
        let starts = [rules.spawn(piece, from, foretold.level, false)];
        let frames = foretold.appearance.frames();
        let spawns = Spawns::at_frames(polls, frames);
        let situation = Situation { rules, board: &foretold.board, starts: &starts, spawns, timing };
        let plan_at = |frame: i64| {
            let first = polls.time(frame).plus_ms(polls.frame_ms / 4.0).max(moment.first_contact);
            self.planner.plan_after(&self.schedule, &situation, from, None, self.after(&self.schedule, first))
        };
        let ends = [frames.first(), frames.last().filter(|_| frames.len() > 1)];
        let plans = ends.into_iter().flatten().filter_map(|(frame, _)| plan_at(*frame));
        let best = plans.min_by(|a, b| a.cost.total_cmp(&b.cost)).filter(|plan| plan.certainty > SURE_AHEAD);
        let Some(plan) = best else { return self.replace_none(None, moment) };
        // What can wait is better decided when the piece after it is known.
        let last = frames.last().map_or(moment.now, |(frame, _)| polls.time(*frame));
        let seen = last.plus_ms(timing.eye.ms + timing.eye.spread_ms + NEXT_LOOK_MS + LATE_LOOK_MS);
        let late = self.moment(seen).first_contact;
        if self.planner.certain_way(&self.schedule, &situation, from, plan.lock.pose, late).is_some() {
            return self.replace_none(None, moment);
        }
        self.foreseen = Some(Foreseen { piece, board: foretold.board, pose: plan.lock.pose });
        let all = plan.schedule.after(&self.schedule);
        let mut decision = self.commanded(Some(plan), all, moment)?;
        decision.is_ahead = true;
        Some(decision)
    }

    /// What stays of the schedule when something new is decided, and how many of its changes have left by then.
    pub(super) fn cut(&self, moment: Moment) -> (ButtonSchedule, usize) {
        let press_ms = self.settings.finger.press_frames * self.handling.rules().frame_ms();
        self.schedule.cut(moment.since, press_ms, &self.calibration, self.settings.wire)
    }

    /// The earliest first contact after the presses that stay.
    pub(super) fn after(&self, kept: &ButtonSchedule, first_contact: HostTime) -> HostTime {
        let gap_ms = self.settings.finger.gap_frames * self.handling.rules().frame_ms();
        kept.end().map_or(first_contact, |end| first_contact.max(end.plus_ms(gap_ms)))
    }

    /// New presses for all that can still be replaced.
    pub(super) fn replace(
        &mut self,
        plan: Option<Plan>,
        schedule: &ButtonSchedule,
        moment: Moment,
    ) -> Option<Decision> {
        let all = schedule.after(&self.cut(moment).0);
        self.commanded(plan, all, moment)
    }

    /// Everything stays as it is.
    fn replace_none(&mut self, plan: Option<Plan>, moment: Moment) -> Option<Decision> {
        let all = self.schedule.clone();
        self.commanded(plan, all, moment)
    }

    fn commanded(&mut self, plan: Option<Plan>, mut schedule: ButtonSchedule, moment: Moment) -> Option<Decision> {
        schedule.forget_before(moment.now.plus_ms(-REMEMBERED_MS));
        // Strokes hold no opposite directions; should one ever, nothing is pressed.
        let mut commands = schedule.commands(&self.calibration, self.settings.wire).ok()?;
        commands.retain(|command| command.due >= moment.since);
        self.schedule = schedule;
        if let Some(outlook) = plan.as_ref().and_then(|plan| plan.outlook.words()) {
            tracing::info!(now = %moment.now, outlook, "what is to be expected");
        }
        Some(Decision { plan, is_ahead: false, since: moment.since, commands })
    }
}
