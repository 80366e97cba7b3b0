//! One pure step from a picture to commands: see, believe, decide, schedule. `play`, `dry-run` and `replay` run this same
//! code and differ only in what stands at its two edges.

mod adrift;
mod appearance;
mod appearing;
mod deciding;
mod falling;
mod foresight;
pub mod measure;
mod pausing;
mod standstill;
mod watcher;

use crate::belief::blame::ledger::{Culprit, Ledger};
use crate::belief::blame::{Record, View};
use crate::belief::clock::arrivals::Arrivals;
use crate::belief::{Event, Spawned};
use crate::game::orientation::Pose;
use crate::game::variants::Handling;
use crate::message::{Frame, Observation, RelayCommand};
use crate::planner::{Filters, Plan, Planner, Weights};
use crate::profile::calibration::Calibration;
use crate::profile::layout::Layout;
use crate::profile::wire::Wire;
use crate::schedule::polls::Polls;
use crate::schedule::{ButtonSchedule, Finger};
use crate::time::HostTime;
use adrift::Steering;
pub use adrift::Why;
use appearance::polls;
use falling::{Falling, Seen};
use foresight::{ClearPhase, Foreseen, Foretold};
use pausing::Rest;
pub use pausing::{OnBlame, Told};
use standstill::Standstill;
pub use watcher::{Look, RobotError, Watcher};

/// After game over, Start is pressed this often, ms: a menu takes about a second to come up, and a second press too
/// early would pause the new game.
const START_EVERY_MS: f64 = 2000.0;

/// The next piece is planned ahead when the picture after this one may come too late for its first press, ms: the period of
/// a slow camera and some jitter.
const NEXT_LOOK_MS: f64 = 40.0;

/// The most buttons that any stroke presses together.
const PRESSED_AT_ONCE: u32 = 2;

/// What the robot is told besides layout and calibration.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Settings {
    /// What the finger can do.
    pub finger: Finger,
    /// Level at which games start.
    pub start_level: u8,
    /// How long commands are on the wire.
    pub wire: Wire,
    /// Time from a picture's arrival to the first byte that may answer it, ms.
    pub lead_ms: f64,
    /// Whether to press Start after a game.
    pub restart: bool,
    /// Which placements may be chosen.
    pub filters: Filters,
    /// What to do when a relay, a wire or the camera is to blame.
    pub blame: OnBlame,
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
    /// The falling piece, and when the last picture of it came.
    falling: Option<Falling>,
    last_look: HostTime,
    /// The console's polls, if its clock is known.
    polls: Option<Polls>,
    clears: ClearPhase,
    /// Whether the game stands still.
    standstill: Standstill,
    /// When to plan the falling piece again, from where it is then.
    again: Option<HostTime>,
    /// Whether anybody steers it.
    steering: Steering,
    /// The presses shall end: the piece is not where they should have taken it.
    is_lost: bool,
    /// A press was lost or counted twice: the piece shall be planned anew from where that has taken it.
    is_corrected: bool,
    /// What was blamed, and what of it was said in the log.
    ledger: Ledger,
    blamed: Vec<Culprit>,
    /// What is still to be told.
    told: Vec<Told>,
    /// Why nothing is pressed.
    rest: Option<Rest>,
    /// Presses of Start since the last piece came.
    starts: u32,
    calibration: Calibration,
    settings: Settings,
    to_plan: Option<Spawned>,
    /// The next piece shall be planned before it appears.
    to_foresee: Option<Foretold>,
    /// What was planned before it appeared.
    foreseen: Option<Foreseen>,
    /// What was asked of the board, up to now and beyond.
    schedule: ButtonSchedule,
    /// What the last decision changed, to be taken back.
    undo: Option<Undo>,
    next_start: Option<HostTime>,
}

/// A decision taken back.
struct Undo {
    to_plan: Option<Spawned>,
    to_foresee: Option<Foretold>,
    foreseen: Option<Foreseen>,
    schedule: ButtonSchedule,
    steering: Steering,
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
    /// The plan is for a piece that has not appeared yet.
    pub is_ahead: bool,
    /// Commands that are due from this time on are replaced.
    pub since: HostTime,
    /// By these.
    pub commands: Vec<RelayCommand>,
}

/// The times of a decision.
#[derive(Debug, Clone, Copy)]
struct Moment {
    now: HostTime,
    /// Commands that leave from here on can still be replaced.
    since: HostTime,
    /// The earliest first contact.
    first_contact: HostTime,
}

impl Robot {
    /// A robot for one game through one calibration.
    ///
    /// # Errors
    /// As [`Watcher::new`], and when the layout does not say how the game plays.
    pub fn new(layout: &Layout, calibration: &Calibration, settings: Settings) -> Result<Self, RobotError> {
        layout.check_rules()?;
        let watcher = Watcher::new(layout, calibration, settings.start_level)?;
        let movement = layout.movement().ok_or_else(|| RobotError::Movement(layout.name.clone()))?;
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
            falling: None,
            last_look: HostTime::default(),
            polls: None,
            clears: ClearPhase::default(),
            standstill: Standstill::default(),
            again: None,
            steering: Steering::default(),
            is_lost: false,
            is_corrected: false,
            ledger: Ledger::default(),
            blamed: Vec::new(),
            told: Vec::new(),
            rest: None,
            starts: 0,
            calibration: calibration.clone(),
            settings,
            to_plan: None,
            to_foresee: None,
            foreseen: None,
            schedule: ButtonSchedule::default(),
            undo: None,
            next_start: None,
        })
    }

    /// Reads a picture and brings the belief up to date; a decision may be due afterwards.
    pub fn look(&mut self, frame: &Frame) -> Look {
        let look = self.watcher.look(frame);
        self.ponder(look)
    }

    /// The same for a picture that somebody else has read.
    pub fn take(&mut self, observation: Observation) -> Look {
        let look = self.watcher.take(observation, None);
        self.ponder(look)
    }

    /// What a picture means for the presses, and what there is to tell.
    fn ponder(&mut self, mut look: Look) -> Look {
        let (frame, now) = (look.observation.frame, look.observation.time);
        self.arrivals.take(frame, now);
        self.last_look = now;
        let eye_ms = self.calibration.timing.eye.ms;
        self.polls = look.clock.map(|clock| polls(&clock, eye_ms, now));
        let mut locked = None;
        for event in &look.events {
            match event {
                Event::Locked(lock) => locked = Some(*lock),
                Event::Spawned(spawned) => self.appeared(spawned, locked.take(), now),
                Event::GameOver { time, .. } => {
                    self.next_start = Some(time.plus_ms(START_EVERY_MS));
                    self.end_steering(None, now);
                    self.falling = None;
                }
                Event::Surprise(..) => {
                    self.foreseen = None;
                    self.let_go();
                }
            }
        }
        if let Some(falling) = &mut self.falling {
            // The box may be read better later on.
            falling.spawned.next = self.watcher.belief.next();
        }
        self.remember();
        self.follow(now);
        self.watch_trial();
        match self.rest {
            Some(_) => self.watch_rest(&look),
            None => self.watch_motion(look.observation.state, now),
        }
        self.watch_steering(look.observation.state, now);
        look.told = std::mem::take(&mut self.told);
        look
    }

    /// Remembers where the falling piece was seen.
    fn remember(&mut self) {
        let Some(falling) = &mut self.falling else { return };
        if self.trial.is_some() {
            falling.record = None;
        }
        let Some(record) = &mut falling.record else { return };
        let sight = match record.rough() {
            Some(polls) => self.watcher.sight_by(HostTime::default(), polls.frame_ms),
            None => self.watcher.sight(),
        };
        if let Some(sight) = sight {
            record.see(&sight);
        }
    }

    /// Compares the falling piece with where it should be, and asks whether the next must be planned now.
    fn follow(&mut self, now: HostTime) {
        let (Some(falling), Some(polls)) = (&mut self.falling, &self.polls) else { return self.follow_roughly(now) };
        let (rules, timing) = (self.handling.rules(), &self.calibration.timing);
        let is_watched = self.trial.is_none() && self.again.is_none() && !self.is_lost;
        let sight = self.watcher.sight();
        let presses = falling.presses(&self.schedule);
        let seen = sight.filter(|_| is_watched).map(|sight| falling.see(&sight, rules, timing, polls, &presses));
        if let Some(seen) = seen.filter(|seen| *seen != Seen::Expected) {
            let view = View { rules, timing, polls, trust: self.ledger.trust() };
            if falling.explain(view, &self.schedule) {
                tracing::debug!(%now, causes = ?falling.causes, "a press went wrong; planning on from there");
                (self.is_corrected, self.foreseen, self.to_foresee) = (true, None, None);
                return;
            }
            if seen == Seen::Lost {
                tracing::debug!(%now, ?sight, "the piece is not where the presses should have taken it");
                (self.is_lost, self.foreseen) = (true, None);
                return;
            }
        }
        if is_watched && self.to_plan.is_none() && !falling.looked_ahead {
            self.to_foresee = self.foretell(now);
        }
    }

    /// The same while the console's polls are not known: as far as it can be told which press did nothing.
    fn follow_roughly(&mut self, now: HostTime) {
        let Some(falling) = &mut self.falling else { return };
        let Some(polls) = falling.record.as_ref().and_then(Record::rough).copied() else { return };
        let (rules, timing) = (self.handling.rules(), &self.calibration.timing);
        let view = View { rules, timing, polls: &polls, trust: self.ledger.trust() };
        if self.to_plan.is_none() && self.again.is_none() && falling.explain(view, &self.schedule) {
            tracing::debug!(%now, causes = ?falling.causes, "a press went wrong; planning on from there");
            self.is_corrected = true;
        }
    }

    /// What the next piece will find, if it must be planned before the next picture.
    fn foretell(&self, now: HostTime) -> Option<Foretold> {
        let (falling, polls) = (self.falling.as_ref()?, self.polls.as_ref()?);
        let (rules, timing) = (self.handling.rules(), &self.calibration.timing);
        let landing = falling.landing(rules, timing, polls, &falling.presses(&self.schedule))?;
        let counters = self.watcher.belief.counters();
        let foretold = Foretold::after(falling, &landing, &self.clears, counters, rules)?;
        let first = foretold.appearance.frames().first()?.0;
        let needed_ms = polls.time(first).plus_ms(polls.frame_ms / 2.0).ms_since(now);
        let moment = self.moment(now);
        (needed_ms < moment.first_contact.ms_since(now) + NEXT_LOOK_MS).then_some(foretold)
    }

    fn moment(&self, now: HostTime) -> Moment {
        let since = now.plus_ms(self.settings.lead_ms);
        let first_contact =
            since.plus_ms(self.settings.wire.longest_ms(PRESSED_AT_ONCE) + self.calibration.timing.close.ms);
        Moment { now, since, first_contact }
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
        (self.to_foresee, self.foreseen, self.is_lost, self.is_corrected) = (None, None, false, false);
        self.let_go();
        self.schedule = self.cut(self.moment(now)).0;
        self.again = None;
        if self.falling.is_some() {
            self.again = Some(now.plus_ms(eye.ms + eye.spread_ms));
            self.steering.lose(now, Why::CalledOff);
        }
    }

    /// The hand is held back: what was planned will not be pressed, so nothing locks elsewhere than it was meant to.
    pub fn hold_back(&mut self) {
        self.let_go();
        self.watcher.belief.intend_nothing();
        self.foreseen = None;
        self.steering.let_go();
    }

    /// Takes the last decision back, to be made again for a later time; false if it was not about a new piece.
    pub fn reconsider(&mut self) -> bool {
        let Some(undo) = self.undo.take().filter(|undo| undo.to_plan.is_some() || undo.to_foresee.is_some()) else {
            return false;
        };
        if undo.to_foresee.is_some()
            && let Some(falling) = &mut self.falling
        {
            falling.looked_ahead = false;
        }
        Undo {
            to_plan: self.to_plan,
            to_foresee: self.to_foresee,
            foreseen: self.foreseen,
            schedule: self.schedule,
            steering: self.steering,
        } = undo;
        self.trial = self.trial.take().filter(|_| self.to_plan.is_none());
        true
    }

    /// Whether [`Self::decide`] has something to do at `now`.
    pub fn has_to_decide(&self, now: HostTime) -> bool {
        if self.rest.is_some() {
            return self.rest_due().is_some_and(|due| due <= now);
        }
        self.to_plan.is_some()
            || self.is_lost
            || self.is_corrected
            || self.to_foresee.is_some()
            || self.trial.as_ref().is_some_and(|trial| trial.is_over(now))
            || self.again.is_some_and(|due| due <= now)
            || self.settings.restart && self.next_start.is_some_and(|due| due <= now)
    }
}
