//! One pure step from a picture to commands: see, believe, decide, schedule. `play`, `dry-run` and `replay` run this same
//! code and differ only in what stands at its two edges.

use crate::belief::arrivals::Arrivals;
use crate::belief::clock_watch::ClockWatch;
use crate::belief::game_clock::GameClock;
use crate::belief::{Belief, Event, Spawned};
use crate::calibration::Calibration;
use crate::game::orientation::Pose;
use crate::game::rules::Faller;
use crate::handling::Handling;
use crate::layout::Layout;
use crate::message::{Buttons, Frame, Observation, RelayCommand};
use crate::planner::robust::{Situation, SpawnWindow};
use crate::planner::{Filters, Movement, Plan, Planner, Weights};
use crate::schedule::{ButtonSchedule, Finger};
use crate::time::{ConsoleFrame, HostTime};
use crate::vision::{Change, VisionError, Watch};

/// A Start press that begins the next game, ms: long enough for any console to see it.
const START_PRESS_MS: f64 = 100.0;
/// After game over, Start is pressed this often, ms: a menu takes about a second to come up, and a second press too
/// early would pause the new game.
const START_EVERY_MS: f64 = 2000.0;
/// A game of which nothing was seen for so much longer than a piece takes to fall is over, ms: the longest pause that
/// games make by themselves is a few seconds. Not all of them draw a curtain at the end.
const OVER_AFTER_MS: f64 = 6000.0;
/// Points of the first-piece wait that are tried: the whole wait, or almost none of it left.
const FIRST_WAITS: [f64; 4] = [0.0, 0.35, 0.7, 0.98];

/// A turn that is to be looked at may take this much longer to be seen than the eye says, ms: some pictures.
const TRIAL_PATIENCE_MS: f64 = 200.0;
/// Confidence in a spawn from which something may be learned.
const SURE_ENOUGH: f32 = 0.9;
/// A turning key that showed no effect so often will not be tried again.
const TRIALS_MAX: u8 = 3;

/// Why no robot can be built.
#[derive(Debug, thiserror::Error)]
pub enum RobotError {
    /// The picture cannot be read with this calibration.
    #[error(transparent)]
    Vision(#[from] VisionError),
    /// The layout's pieces are not those of the model.
    #[error("the layout {0:?} spawns a piece in a shape this program does not know; correct its [spawn] section")]
    Movement(String),
}

/// Sees and believes; decides nothing.
pub struct Watcher {
    watch: Watch,
    /// What the game's state must be.
    pub belief: Belief,
    clock: ClockWatch,
}

/// What came of one picture.
pub struct Look {
    /// The picture, read.
    pub observation: Observation,
    /// What became certain.
    pub events: Vec<Event>,
    /// What became of the field's place in the picture, if anything did.
    pub change: Option<Change>,
    /// When the console's frames begin, if that is known.
    pub clock: Option<GameClock>,
    /// Which console frame the picture shows for at least half of its exposure, by that clock.
    pub console_frame: Option<ConsoleFrame>,
}

impl Watcher {
    /// A watcher of one game through one calibration.
    ///
    /// # Errors
    /// When the corners span no field, or the layout's pieces are unknown.
    pub fn new(layout: &Layout, calibration: &Calibration, level: u8) -> Result<Self, RobotError> {
        let watch = Watch::new(layout, calibration.corners, calibration.lens_k1, calibration.picture)?;
        let movement = Movement::of(layout).ok_or_else(|| RobotError::Movement(layout.name.clone()))?;
        let belief = Belief::new(movement, layout.field.columns, layout.field.rows, level);
        let clock = ClockWatch::new(layout.game_rules());
        Ok(Self { watch, belief, clock })
    }

    /// Reads a picture and brings the belief up to date.
    pub fn look(&mut self, frame: &Frame) -> Look {
        let (observation, change) = self.watch.look(frame);
        let events = self.belief.observe(&observation);
        let (belief, falling) = (&self.belief, self.belief.falling().map(|(_, pose)| pose));
        self.clock.take(&observation, &events, belief.pile(), falling, belief.counters().level);
        let (clock, console_frame) = (self.clock.clock(), self.clock.console_frame());
        Look { observation, events, change, clock, console_frame }
    }
}

/// What the robot is told besides layout and calibration.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Settings {
    /// What the finger can do.
    pub finger: Finger,
    /// Level at which games start.
    pub start_level: u8,
    /// How long a command's bytes are on the wire, ms.
    pub wire_ms: f64,
    /// Time from a picture's arrival to the first byte that may answer it, ms.
    pub lead_ms: f64,
    /// Whether to press Start after a game.
    pub restart: bool,
    /// Which placements may be chosen.
    pub filters: Filters,
}

/// Sees, believes, decides.
pub struct Robot {
    /// Its eyes and memory.
    pub watcher: Watcher,
    arrivals: Arrivals,
    planner: Planner,
    handling: Handling,
    trial: Option<Trial>,
    trials_failed: u8,
    /// The falling piece as it appeared, and when the last picture of it came.
    current: Option<(Spawned, HostTime)>,
    /// When the falling piece was last seen somewhere else than before.
    moved: Option<(Pose, HostTime)>,
    /// When to plan the falling piece again, from where it is then.
    again: Option<HostTime>,
    calibration: Calibration,
    settings: Settings,
    to_plan: Option<Spawned>,
    /// The new piece that the last decision was about.
    planned: Option<Spawned>,
    next_start: Option<HostTime>,
}

/// A piece that was turned once to see what that does.
#[derive(Debug, Clone)]
struct Trial {
    spawned: Spawned,
    tap: ButtonSchedule,
    /// When its effect must have been seen.
    until: HostTime,
    /// Where the piece was seen after it.
    seen: Option<Pose>,
}

impl Trial {
    /// Whether the tap has ended and its effect was seen, or never will be.
    fn is_over(&self, now: HostTime) -> bool {
        self.until <= now || self.seen.is_some() && self.tap.end().is_none_or(|end| end <= now)
    }
}

/// A decision, for the log and the board.
pub struct Decision {
    /// The plan; `None` for presses that place no piece.
    pub plan: Option<Plan>,
    /// The commands, which replace all that were not sent yet.
    pub commands: Vec<RelayCommand>,
}

impl Robot {
    /// A robot for one game through one calibration.
    ///
    /// # Errors
    /// As [`Watcher::new`].
    pub fn new(layout: &Layout, calibration: &Calibration, settings: Settings) -> Result<Self, RobotError> {
        let watcher = Watcher::new(layout, calibration, settings.start_level)?;
        let movement = Movement::of(layout).ok_or_else(|| RobotError::Movement(layout.name.clone()))?;
        let planner = Planner {
            movement,
            evaluator: Box::new(Weights::default()),
            finger: settings.finger,
            filters: settings.filters,
        };
        Ok(Self {
            watcher,
            arrivals: Arrivals::default(),
            planner,
            handling: Handling::new(layout.rule_variants(), layout.game_rules()),
            trial: None,
            trials_failed: 0,
            current: None,
            moved: None,
            again: None,
            calibration: calibration.clone(),
            settings,
            to_plan: None,
            planned: None,
            next_start: None,
        })
    }

    /// Reads a picture and brings the belief up to date; a decision may be due afterwards.
    pub fn look(&mut self, frame: &Frame) -> Look {
        self.arrivals.take(frame.index, frame.time);
        let look = self.watcher.look(frame);
        for event in &look.events {
            match event {
                Event::Spawned(spawned) => {
                    // One first seen pushed or turned is planned from there, not from its spawn place.
                    let spawn = self.planner.movement.spawn(spawned.piece);
                    let is_moved = (spawned.pose.x, spawned.pose.orientation) != (spawn.x, spawn.orientation);
                    self.to_plan = (!is_moved).then_some(*spawned);
                    self.again = is_moved.then_some(frame.time);
                    self.trial = None;
                    self.current = Some((*spawned, frame.time));
                    self.next_start = None;
                }
                Event::GameOver { time, .. } => self.next_start = Some(time.plus_ms(START_EVERY_MS)),
                Event::Locked(_) | Event::Surprise(..) => {}
            }
        }
        if let Some((_, last_look)) = &mut self.current {
            *last_look = frame.time;
        }
        self.watch_trial();
        self.watch_motion(frame.time);
        look
    }

    /// Takes a game in which nothing moves any more for over.
    fn watch_motion(&mut self, now: HostTime) {
        let Some((_, pose)) = self.watcher.belief.falling() else {
            self.moved = None;
            return;
        };
        let since = self.moved.filter(|(seen, _)| *seen == pose).map_or(now, |(_, since)| since);
        self.moved = Some((pose, since));
        let level = self.watcher.belief.counters().level;
        let fall_ms = self.handling.rules().row_ms(level) * self.watcher.belief.pile().height() as f64;
        if self.next_start.is_none() && now.ms_since(since) > fall_ms + OVER_AFTER_MS {
            tracing::warn!("nothing has moved for long: taking the game for over");
            self.next_start = Some(now);
        }
    }

    /// What the turn that is being tried has done, if that can be seen yet.
    fn watch_trial(&mut self) {
        let Some(trial) = &mut self.trial else { return };
        let before = self.planner.movement.spawn(trial.spawned.piece);
        if let Some((piece, pose)) = self.watcher.belief.falling()
            && piece == trial.spawned.piece
            && pose.orientation != before.orientation
            && trial.seen.is_none()
            && self.handling.learn(before, pose)
        {
            trial.seen = Some(pose);
            self.planner.movement = self.planner.movement.with_hand(self.handling.rules().hand());
        }
    }

    /// A press was not made as planned, and what followed it was called off: the piece is planned again from where it is
    /// seen when all that was pressed up to `now` must show.
    pub fn lose_track(&mut self, now: HostTime) {
        let eye = self.calibration.timing.eye;
        self.to_plan = None;
        self.trial = None;
        self.again = self.current.is_some().then(|| now.plus_ms(eye.ms + eye.spread_ms));
    }

    /// Takes the last decision back, to be made again for a later time; false if it was not about a new piece.
    pub fn reconsider(&mut self) -> bool {
        self.to_plan = self.planned.take();
        self.trial = self.trial.take().filter(|_| self.to_plan.is_none());
        self.to_plan.is_some()
    }

    /// Whether [`Self::decide`] has something to do at `now`.
    pub fn has_to_decide(&self, now: HostTime) -> bool {
        self.to_plan.is_some()
            || self.trial.as_ref().is_some_and(|trial| trial.is_over(now))
            || self.again.is_some_and(|due| due <= now)
            || self.settings.restart && self.next_start.is_some_and(|due| due <= now)
    }

    /// Plans what a new piece needs, or the press of Start after a game.
    pub fn decide(&mut self, now: HostTime) -> Option<Decision> {
        let first_contact =
            now.plus_ms(self.settings.lead_ms + self.settings.wire_ms + self.calibration.timing.close.ms);
        self.planned = self.to_plan;
        if let Some(spawned) = self.to_plan.take() {
            return match self.question(&spawned) {
                Some(key) => self.try_turn(spawned, key, first_contact),
                None => self.decide_piece(&spawned, first_contact),
            };
        }
        if let Some(trial) = self.trial.take_if(|trial| trial.is_over(now)) {
            let gap_ms = self.settings.finger.gap_frames * self.handling.rules().frame_ms();
            let after_tap = trial.tap.end().map_or(first_contact, |end| end.plus_ms(gap_ms));
            return self.decide_tried_piece(&trial, first_contact.max(after_tap));
        }
        if self.again.take_if(|due| *due <= now).is_some() {
            return self.decide_again(first_contact);
        }
        if !self.has_to_decide(now) {
            return None;
        }
        self.next_start = Some(now.plus_ms(START_EVERY_MS));
        let mut schedule = ButtonSchedule::default();
        schedule.press(first_contact, Buttons::START, START_PRESS_MS);
        self.decision(None, &schedule)
    }

    /// The key to try before the piece is placed, while it is open how the game turns it.
    fn question(&self, spawned: &Spawned) -> Option<Buttons> {
        // A piece that is only guessed at may be another one, and teach something wrong.
        let is_seen = spawned.confidence >= SURE_ENOUGH && !self.settings.filters.no_rotation;
        let pose = self.planner.movement.spawn(spawned.piece);
        is_seen.then(|| self.handling.question(pose, &spawned.board)).flatten()
    }

    fn try_turn(&mut self, spawned: Spawned, key: Buttons, first_contact: HostTime) -> Option<Decision> {
        let eye = self.calibration.timing.eye;
        let press_ms = self.settings.finger.press_frames * self.handling.rules().frame_ms();
        let mut tap = ButtonSchedule::default();
        tap.press(first_contact, key, press_ms);
        let until = first_contact.plus_ms(press_ms + eye.ms + eye.spread_ms + TRIAL_PATIENCE_MS);
        self.trial = Some(Trial { spawned, tap: tap.clone(), until, seen: None });
        self.decision(None, &tap)
    }

    fn decide_tried_piece(&mut self, trial: &Trial, first_contact: HostTime) -> Option<Decision> {
        if let Some(pose) = trial.seen {
            return self.decide_from(&trial.spawned, pose, &trial.tap, first_contact);
        }
        self.trials_failed += 1;
        if self.trials_failed >= TRIALS_MAX {
            self.handling.settle();
        }
        // The press had no effect that can be seen: the piece may be anywhere, so nothing is certain about it.
        None
    }

    /// Plans the falling piece from where it was last seen.
    fn decide_again(&mut self, first_contact: HostTime) -> Option<Decision> {
        let (spawned, last_look) = self.current?;
        let (piece, pose) = self.watcher.belief.falling().filter(|(piece, _)| *piece == spawned.piece)?;
        let level = self.watcher.belief.counters().level;
        let eye = self.calibration.timing.eye;
        // It came into its row at most a row's time before the picture, and has not left it since the next was due.
        let seen = last_look.plus_ms(-eye.ms);
        let row_ms = self.handling.rules().row_ms(level);
        let window =
            SpawnWindow { earliest: seen.plus_ms(-row_ms - eye.spread_ms), latest: seen.plus_ms(eye.spread_ms) };
        let starts = [self.handling.rules().spawn(piece, pose, level, false)];
        let situation = Situation {
            rules: self.handling.rules(),
            board: self.watcher.belief.pile(),
            starts: &starts,
            window,
            timing: &self.calibration.timing,
        };
        let plan = self.planner.plan(&situation, pose, spawned.next, first_contact)?;
        self.watcher.belief.intend(plan.lock.pose);
        let schedule = plan.schedule.clone();
        self.decision(Some(plan), &schedule)
    }

    fn decide_piece(&mut self, spawned: &Spawned, first_contact: HostTime) -> Option<Decision> {
        let from = self.planner.movement.spawn(spawned.piece);
        self.decide_from(spawned, from, &ButtonSchedule::default(), first_contact)
    }

    /// Plans a piece that is at `from` because of the presses in `done`.
    fn decide_from(
        &mut self,
        spawned: &Spawned,
        from: Pose,
        done: &ButtonSchedule,
        first_contact: HostTime,
    ) -> Option<Decision> {
        let level = self.watcher.belief.counters().level;
        let starts = self.starts(spawned, level);
        let situation = Situation {
            rules: self.handling.rules(),
            board: &spawned.board,
            starts: &starts,
            window: self.window(spawned, level),
            timing: &self.calibration.timing,
        };
        let plan = self.planner.plan_after(done, &situation, from, spawned.next, first_contact)?;
        self.watcher.belief.intend(plan.lock.pose);
        let schedule = plan.schedule.clone();
        self.decision(Some(plan), &schedule)
    }

    fn decision(&self, plan: Option<Plan>, schedule: &ButtonSchedule) -> Option<Decision> {
        // Strokes hold no opposite directions; should one ever, nothing is pressed.
        let commands = schedule.commands(&self.calibration, self.settings.wire_ms).ok()?;
        Some(Decision { plan, commands })
    }

    /// The piece at the frame of its spawn; a game's first piece may still hang for an unknown time.
    fn starts(&self, spawned: &Spawned, level: u8) -> Vec<Faller> {
        let pose = self.planner.movement.spawn(spawned.piece);
        let falls = self.handling.rules().spawn(spawned.piece, pose, level, false);
        if !spawned.first_of_game || self.handling.rules().first_piece_ms() == 0.0 {
            return vec![falls];
        }
        let hangs = self.handling.rules().spawn(spawned.piece, pose, level, true);
        let waits = FIRST_WAITS.map(|share| {
            let mut hangs = hangs.clone();
            let frames = self.handling.rules().first_piece_ms() / self.handling.rules().frame_ms() * share;
            (0..frames as u32).for_each(|_| {
                hangs.frame(self.handling.rules(), &spawned.board, Buttons::NONE);
            });
            hangs
        });
        std::iter::once(falls).chain(waits).collect()
    }

    /// When the piece appeared: between the last picture without it and the first with it, less the way of the light.
    fn window(&self, spawned: &Spawned, level: u8) -> SpawnWindow {
        let eye = self.calibration.timing.eye;
        let row_ms = self.handling.rules().row_ms(level);
        let rows = f64::from(spawned.pose.y - self.planner.movement.spawn(spawned.piece).y);
        let latest = spawned.time.plus_ms(eye.spread_ms - eye.ms - rows * row_ms);
        // In its spawn row it has been no longer than a row takes, seen before or not.
        let one_row = latest.plus_ms(-row_ms - 2.0 * eye.spread_ms);
        let unseen = spawned.not_before.map(|t| self.arrivals.promised(t).plus_ms(-eye.ms - eye.spread_ms));
        let earliest = match unseen {
            Some(unseen) if rows == 0.0 => unseen.max(one_row),
            _ => one_row,
        };
        SpawnWindow { earliest: earliest.min(latest), latest }
    }
}
