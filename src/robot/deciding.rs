//! What is pressed, and when: for a new piece, for the next one before it appears, for a piece that is not where it should
//! be, and after a game. Nothing changes by deciding: what the robot has in mind afterwards comes with the decision, and
//! counts once that was sent.

use super::appearing::rested_ms;
use super::effects::Target;
use super::falling::Falling;
use super::foresight::{Foreseen, Foretold};
use super::notice::{Notice, OnBlame, Why};
use super::rest::{Rest, Stage};
use super::state::{Decision, Mind, Moment, Robot};
use super::task::{News, Task, Trial};
use crate::belief::Spawned;
use crate::belief::blame::ledger::{Blame, Culprit, named};
use crate::game::Buttons;
use crate::game::orientation::{Pose, Rotation};
use crate::game::rules::Faller;
use crate::message::BlameKind;
use crate::planner::{Coming, Plan};
use crate::schedule::outcome::Situation;
use crate::schedule::polls::{SpawnWindow, Spawns};
use crate::schedule::{ButtonSchedule, START_EVERY_MS, START_PRESS_MS};
use crate::time::HostTime;

/// The next piece is planned ahead when the picture after this one may come too late for its first press, ms: the period of
/// a slow camera and some jitter.
pub(super) const NEXT_LOOK_MS: f64 = 40.0;
/// A turn that is to be looked at may take this much longer to be seen than the eye says, ms: some pictures.
const TRIAL_PATIENCE_MS: f64 = 200.0;
/// A piece is seen so much later than it could be when a picture is unclear, ms.
const LATE_LOOK_MS: f64 = 15.0;
/// Presses for a piece that has not appeared are made only if they come out with this probability.
const SURE_AHEAD: f64 = 0.9;
/// Presses are remembered for this long, ms: they tell where a piece is that they moved.
const REMEMBERED_MS: f64 = 30_000.0;
/// Confidence in a spawn from which something may be learned.
pub(super) const SURE_ENOUGH: f32 = 0.9;
/// A turning key that showed no effect this often will not be tried again.
const TRIALS_MAX: u8 = 3;
/// After this many presses of Start without a new game it is not the menu that takes its time, nor an ending of nine seconds with
/// the entry of a name behind it.
const STARTS_MAX: u32 = 12;

impl Robot {
    /// What is to be pressed, if anything, and what the robot has in mind then.
    pub(super) fn decide(&self, now: HostTime) -> (Option<Decision>, Mind) {
        let mut draft = Draft { robot: self, mind: self.mind.clone() };
        let decision = draft.decide(self.moment(now));
        (decision, draft.mind)
    }

    /// Whether there is something to decide at `now`.
    pub fn has_to_decide(&self, now: HostTime) -> bool {
        self.wakes_at().is_some_and(|due| due <= now)
    }

    /// When there is something to decide.
    pub(super) fn wakes_at(&self) -> Option<HostTime> {
        match &self.mind.rest {
            Some(rest) => rest.due,
            None => [self.mind.task.due(), self.start_due()].into_iter().flatten().min(),
        }
    }

    /// When Start is to be pressed for a new game.
    fn start_due(&self) -> Option<HostTime> {
        self.mind.next_start.filter(|_| self.settings.restart)
    }
}

/// A decision that is being made.
pub(super) struct Draft<'a> {
    pub(super) robot: &'a Robot,
    pub(super) mind: Mind,
}

impl Draft<'_> {
    /// What a new piece needs, or the next one, or the press of Start after a game.
    fn decide(&mut self, moment: Moment) -> Option<Decision> {
        if let Some(rest) = &self.mind.rest {
            return rest.due.filter(|due| *due <= moment.now).and_then(|_| self.press_start_at_rest(moment));
        }
        if self.mind.task.due().is_some_and(|due| due <= moment.now) {
            return match std::mem::take(&mut self.mind.task) {
                Task::Follow => None,
                Task::Place(spawned) => match (self.question(&spawned), self.hold_key(&spawned)) {
                    (Some(key), _) => self.try_turn(spawned, key, moment),
                    (None, Some(key)) => self.put_aside(key, moment),
                    (None, None) => self.decide_from(self.robot.spawn_pose(&spawned), moment),
                },
                Task::Watch(trial) => self.decide_tried_piece(&trial, moment),
                Task::Swap(_) => self.decide_kept_piece(moment),
                Task::CallOff => self.call_off(moment),
                Task::Correct => self.decide_corrected(moment),
                Task::Confirm(_) => {
                    self.mind.steering.lose(moment.now, Why::Unseen);
                    None
                }
                Task::Find(_) => self.decide_again(moment),
                Task::Foresee(foretold) => self.decide_ahead(&foretold, moment),
            };
        }
        if self.robot.start_due().is_none_or(|due| due > moment.now) {
            return None;
        }
        self.mind.next_start = Some(moment.now.plus_ms(START_EVERY_MS));
        self.count_start(moment.now);
        let mut start = ButtonSchedule::default();
        start.press(moment.first_contact, Buttons::START, START_PRESS_MS);
        self.replace(None, &start, moment)
    }

    /// The key to try before the piece is placed, while it is open how the game turns it.
    fn question(&self, spawned: &Spawned) -> Option<Buttons> {
        // A piece that is only guessed at may be another one, and teach something wrong.
        let is_seen = spawned.confidence >= SURE_ENOUGH && !self.robot.settings.filters.no_rotation;
        let pose = self.robot.spawn_pose(spawned);
        is_seen.then(|| self.mind.variants.question(pose, &spawned.board)).flatten()
    }

    fn try_turn(&mut self, spawned: Spawned, key: Buttons, moment: Moment) -> Option<Decision> {
        let eye = self.robot.calibration.timing.eye;
        let press_ms = self.robot.settings.finger.press_frames * self.mind.variants.rules().frame_ms();
        let mut tap = ButtonSchedule::default();
        tap.press(moment.first_contact, key, press_ms);
        let until = moment.first_contact.plus_ms(press_ms + eye.ms + eye.spread_ms + TRIAL_PATIENCE_MS);
        self.mind.hear(News::Tried(Trial { spawned, tap: tap.clone(), until, seen: None }));
        self.replace(None, &tap, moment)
    }

    fn decide_tried_piece(&mut self, trial: &Trial, moment: Moment) -> Option<Decision> {
        if let Some(pose) = trial.seen {
            return self.decide_from(pose, moment);
        }
        self.mind.trials_failed += 1;
        if self.mind.trials_failed >= TRIALS_MAX {
            self.mind.variants.settle();
        }
        // The press had no effect that can be seen: the piece may be anywhere, so it is looked for.
        self.mind.steering.lose(moment.now, Why::NoEffect);
        None
    }

    /// Ends all presses; the piece is planned again when those that were made must show.
    fn call_off(&mut self, moment: Moment) -> Option<Decision> {
        let eye = self.robot.calibration.timing.eye;
        let (kept, _) = self.robot.cut(moment);
        let last = kept.end().map_or(moment.now, |end| end.plus_ms(eye.ms + eye.spread_ms));
        self.mind.hear(News::CalledOff(Some(last.max(moment.now))));
        self.mind.steering.lose(moment.now, Why::Astray);
        self.replace(None, &ButtonSchedule::default(), moment)
    }

    /// Plans the falling piece from where the presses have taken it that did their work.
    fn decide_corrected(&mut self, moment: Moment) -> Option<Decision> {
        let falling = self.mind.falling.as_ref()?;
        let done = falling.presses(&self.robot.cut(moment).0);
        let situation =
            falling.situation(self.mind.variants.rules(), &self.robot.calibration.timing, self.robot.polls.as_ref());
        match situation.likely_pose(&done, self.robot.after(&done, moment.first_contact)) {
            Some(from) => self.decide_from(from, moment),
            None => self.replace_none(None, moment),
        }
    }

    /// Plans the falling piece from where it was last seen: in the last picture, where a drop cannot be taken back.
    pub(super) fn decide_again(&mut self, moment: Moment) -> Option<Decision> {
        let piece = self.mind.falling.as_ref()?.spawned.piece;
        let Some((_, pose)) = self.robot.sighted().filter(|(seen, _)| *seen == piece) else {
            self.mind.steering.lose(moment.now, Why::Unseen);
            return None;
        };
        let level = self.robot.watcher.belief.counters().level;
        let eye = self.robot.calibration.timing.eye;
        // It came into its row at most a row's time before the picture, unless it rests, and has not left it since the
        // next was due.
        let seen = self.robot.last_look.plus_ms(-eye.ms);
        let (rules, board) = (self.mind.variants.rules(), *self.robot.watcher.belief.pile());
        let pose = self.mind.falling.as_ref().map_or(pose, |falling| self.as_turned(falling, pose, seen));
        let waited_ms = rules.row_ms(level) + rested_ms(rules, &board, pose);
        let window =
            SpawnWindow { earliest: seen.plus_ms(-waited_ms - eye.spread_ms), latest: seen.plus_ms(eye.spread_ms) };
        let mut start = rules.spawn(piece, pose, level, false);
        let movement = &self.robot.planner.movement;
        let first = self.mind.falling.as_ref().map(|falling| movement.spawn_of(falling.spawned.pose));
        if first != Some(pose) {
            start.unguard();
        }
        let polls = self.robot.polls;
        tracing::trace!(%seen, ?pose, "planning from where it is seen");
        if let Some(falling) = &mut self.mind.falling {
            falling.spawned.board = board;
            falling.restart(start, window, seen.plus_ms(-eye.spread_ms), polls.as_ref());
        }
        self.decide_from(pose, moment)
    }

    /// The pose of a piece that was seen at a time. In which of the rotations that look the same it is no picture tells, but turns
    /// lead on from there: it is in the one that the presses have led to.
    fn as_turned(&self, falling: &Falling, pose: Pose, seen: HostTime) -> Pose {
        let Some(start) = falling.starts.first() else { return pose };
        let (rules, first) = (self.mind.variants.rules(), start.pose());
        let situation = falling.situation(rules, &self.robot.calibration.timing, self.robot.polls.as_ref());
        let presses = falling.presses(&self.mind.schedule);
        // It may have been in another one than was thought.
        let rotated = |rotation| Pose { orientation: first.orientation.rotated_to(rotation), ..first };
        let others =
            Rotation::ALL.into_iter().map(rotated).filter(|other| *other != first && other.shape() == first.shape());
        let looks = |other: Pose| (other.x, other.orientation.shape()) == (pose.x, pose.orientation.shape());
        let led = std::iter::once(first).chain(others).find_map(|other| {
            let starts = [rules.spawn(other.orientation.piece(), other, start.level(), false)];
            let situation = Situation { starts: &starts, ..situation.clone() };
            situation.likely_pose(&presses, seen).filter(|led| looks(*led))
        });
        // Or a turn was lost.
        let unturned = Some(first).filter(|first| first.orientation.shape() == pose.orientation.shape());
        led.or(unturned).map_or(pose, |known| Pose { orientation: known.orientation, ..pose })
    }

    /// Plans the falling piece, which was at `origin` when it appeared or when it was last looked for.
    fn decide_from(&mut self, origin: Pose, moment: Moment) -> Option<Decision> {
        let falling = self.mind.falling.as_ref()?;
        let (kept, _) = self.robot.cut(moment);
        let done = falling.presses(&kept);
        let situation =
            falling.situation(self.mind.variants.rules(), &self.robot.calibration.timing, self.robot.polls.as_ref());
        let start = self.robot.after(&kept, self.robot.after(&done, moment.first_contact));
        tracing::trace!(
            appearance = ?falling.appearance.frames(),
            spawns = ?situation.spawns.times(),
            polls = ?self.robot.polls,
            "planning"
        );
        let from = if done.changes().is_empty() { Some(origin) } else { situation.likely_pose(&done, start) };
        let coming = self.coming(falling, &situation, from.unwrap_or(origin));
        // What is in force already may be out of reach by now for a plan that begins later.
        let all = falling.presses(&self.mind.schedule);
        let in_force = (all.changes().len() > done.changes().len())
            .then(|| self.robot.planner.kept(&situation, from.unwrap_or(origin), &coming, &all))
            .flatten();
        let new = from.and_then(|from| self.robot.planner.plan_after(&done, &situation, from, &coming, start));
        match (in_force, new) {
            (Some(kept), new) if new.as_ref().is_none_or(|new| new.certainty < 1.0 || kept.cost <= new.cost) => {
                // What spoke against a better place is known of the one that was looked for now.
                let choices = new.map_or(kept.choices, |new| new.choices);
                let (kept, moved_to) = self.dropped_when_seen(Plan { choices, ..kept }, &done, &situation);
                let all = self.mind.schedule.clone();
                self.command_plan(kept, all, moved_to, moment)
            }
            (_, Some(new)) => {
                let (new, moved_to) = self.dropped_when_seen(new, &done, &situation);
                let all = new.schedule.after(&kept);
                self.command_plan(new, all, moved_to, moment)
            }
            (_, None) if from.is_none() => {
                // It will have come to rest before anything could reach it; what was pressed ahead of it stays.
                if !self.mind.steering.is_planned() {
                    self.mind.steering.lose(moment.now, Why::ShouldRest);
                }
                self.replace_none(None, moment)
            }
            (_, None) => {
                self.mind.steering.lose(moment.now, Why::NoWay);
                None
            }
        }
    }

    /// The falling piece's plan, with all presses; where it is being moved to, if its drop waits for that to be seen.
    fn command_plan(
        &mut self,
        plan: Plan,
        all: ButtonSchedule,
        moved_to: Option<Target>,
        moment: Moment,
    ) -> Option<Decision> {
        let eye = self.robot.calibration.timing.eye;
        self.mind.intended = Some(plan.lock.pose);
        let key = self.mind.variants.rules().hard_drop();
        let is_dropped =
            key.is_some_and(|key| plan.schedule.changes().iter().any(|change| change.buttons.intersects(key)));
        let from = self.mind.falling.as_ref().and_then(|falling| falling.starts.first()).map(Faller::pose);
        self.mind.steering.planned(&plan, from.filter(|_| is_dropped), all.end(), eye.ms + eye.spread_ms);
        if let Some(to) = moved_to {
            let end = all.end().map_or(moment.now, |end| end.max(moment.now));
            self.mind.hear(News::Moved(end.plus_ms(eye.ms + eye.spread_ms), to));
        }
        self.commanded(Some(plan), all, moment)
    }

    /// Plans the next piece before it appears, if what is best would be out of reach once it is seen.
    fn decide_ahead(&mut self, foretold: &Foretold, moment: Moment) -> Option<Decision> {
        let (polls, piece) = (self.robot.polls?, foretold.piece);
        if let Some(falling) = &mut self.mind.falling {
            falling.looked_ahead = true;
        }
        let timing = &self.robot.calibration.timing;
        let rules = self.mind.variants.rules();
        let from = self.robot.planner.movement.spawn(piece);
        let starts = [rules.spawn(piece, from, foretold.level, false)];
        let frames = foretold.appearance.frames();
        let spawns = Spawns::at_frames(polls, frames);
        let situation = Situation { rules, board: &foretold.board, starts: &starts, spawns, timing };
        let plan_at = |frame: i64| {
            let first = polls.time(frame).plus_ms(polls.frame_ms / 4.0).max(moment.first_contact);
            self.robot.planner.plan_after(
                &self.mind.schedule,
                &situation,
                from,
                &Coming::default(),
                self.robot.after(&self.mind.schedule, first),
            )
        };
        let ends = [frames.first(), frames.last().filter(|_| frames.len() > 1)];
        let plans = ends.into_iter().flatten().filter_map(|(frame, _)| plan_at(*frame));
        let best = plans.min_by(|a, b| a.cost.total_cmp(&b.cost)).filter(|plan| plan.certainty > SURE_AHEAD);
        let Some(plan) = best else { return self.replace_none(None, moment) };
        // What can wait is better decided when the piece after it is known.
        let last = frames.last().map_or(moment.now, |(frame, _)| polls.time(*frame));
        let seen = last.plus_ms(timing.eye.ms + timing.eye.spread_ms + NEXT_LOOK_MS + LATE_LOOK_MS);
        let late = self.robot.moment(seen).first_contact;
        if self.robot.planner.certain_way(&self.mind.schedule, &situation, from, plan.lock.pose, late).is_some() {
            return self.replace_none(None, moment);
        }
        self.mind.foreseen = Some(Foreseen { piece, board: foretold.board, pose: plan.lock.pose });
        let all = plan.schedule.after(&self.mind.schedule);
        let mut decision = self.commanded(Some(plan), all, moment)?;
        decision.is_ahead = true;
        Some(decision)
    }

    /// New presses for all that can still be replaced.
    pub(super) fn replace(
        &mut self,
        plan: Option<Plan>,
        schedule: &ButtonSchedule,
        moment: Moment,
    ) -> Option<Decision> {
        let all = schedule.after(&self.robot.cut(moment).0);
        self.commanded(plan, all, moment)
    }

    /// Everything stays as it is.
    fn replace_none(&mut self, plan: Option<Plan>, moment: Moment) -> Option<Decision> {
        let all = self.mind.schedule.clone();
        self.commanded(plan, all, moment)
    }

    fn commanded(&mut self, plan: Option<Plan>, mut schedule: ButtonSchedule, moment: Moment) -> Option<Decision> {
        schedule.forget_before(moment.now.plus_ms(-REMEMBERED_MS));
        // Strokes hold no opposite directions; should one ever, nothing is pressed.
        let mut commands = schedule.commands(&self.robot.calibration, self.robot.settings.wire).ok()?;
        commands.retain(|command| command.due >= moment.since);
        self.mind.schedule = schedule;
        if let Some(outlook) = plan.as_ref().and_then(|plan| plan.outlook.words()) {
            tracing::info!(now = %moment.now, outlook, "what is to be expected");
        }
        Some(Decision { plan, is_ahead: false, since: moment.since, commands })
    }

    /// Start was pressed once more for a new game.
    fn count_start(&mut self, now: HostTime) {
        self.mind.starts += 1;
        if self.mind.starts != STARTS_MAX || self.robot.settings.blame == OnBlame::Ignore {
            return;
        }
        let start = named(Buttons::START, &self.robot.calibration);
        let words = format!(
            "{start} was pressed {STARTS_MAX} times and no game began; start one by hand, and try `stackhand doctor --click`"
        );
        let culprit = Culprit { kind: BlameKind::DeadButton, button: Some(Buttons::START), other: None };
        let blame = Blame { time: now, culprit, count: STARTS_MAX as usize, worked: 0, late_ms: 0.0, is_enough: true };
        tracing::warn!("{words}");
        self.mind.told.push(Notice::Blame { blame, relay: self.robot.relay(Buttons::START), words: words.clone() });
        if self.robot.settings.blame.pauses(BlameKind::DeadButton) {
            self.mind.rest = Some(Rest::new(Stage::Over, None, words));
        }
    }

    /// The press of Start that pauses the game, or lets it go on.
    fn press_start_at_rest(&mut self, moment: Moment) -> Option<Decision> {
        let (kept, _) = self.robot.cut(moment);
        let at = self.robot.after(&kept, moment.first_contact);
        let mut start = ButtonSchedule::default();
        start.press(at, Buttons::START, START_PRESS_MS);
        let eye = self.robot.calibration.timing.eye;
        let shows = at.plus_ms(START_PRESS_MS + eye.ms + eye.spread_ms);
        let rest = self.mind.rest.as_mut()?;
        rest.due = None;
        if rest.stage == Stage::Resuming {
            self.mind.rest = None;
            self.mind.hear(News::CalledOff(self.mind.falling.is_some().then_some(shows)));
        } else {
            rest.tries += 1;
            (rest.stage, rest.still, rest.moved, rest.last) = (Stage::Pressing(shows), 0, 0, None);
        }
        self.replace(None, &start, moment)
    }
}
