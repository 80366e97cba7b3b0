//! What the robot knows, and what it has in mind.

use super::effects::Effects;
use super::fall_time::FallTime;
use super::falling::Falling;
use super::foresight::{ClearPhase, Foreseen};
use super::notice::{Notice, OnBlame};
use super::rest::Rest;
use super::steering::Steering;
use super::task::{News, Task};
use super::waits::Waits;
use super::watcher::{RobotError, Watcher};
use crate::belief::blame::ledger::{Culprit, Ledger};
use crate::belief::clock::arrivals::Arrivals;
use crate::game::guideline::Sequence;
use crate::game::orientation::Pose;
use crate::game::variants::RuleVariants;
use crate::message::RelayCommand;
use crate::planner::{Brain, Filters, Plan, Planner};
use crate::profile::calibration::Calibration;
use crate::profile::game_times::GameTimes;
use crate::profile::layout::Layout;
use crate::profile::wire::Wire;
use crate::schedule::polls::Polls;
use crate::schedule::{ButtonSchedule, Finger};
use crate::time::HostTime;

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
    /// Whether pieces are dropped with their moves, without a look at what these did.
    pub drops_unseen: bool,
    /// Which placements may be chosen.
    pub filters: Filters,
    /// What to do when a relay, a wire or the camera is to blame.
    pub blame: OnBlame,
}

/// Sees, believes, decides. [`Robot::handle`] is the only way to change it.
pub struct Robot {
    /// Its eyes and memory.
    pub(super) watcher: Watcher,
    pub(super) arrivals: Arrivals,
    /// When the last picture came.
    pub(super) last_look: HostTime,
    /// The console's polls, if its clock is known.
    pub(super) polls: Option<Polls>,
    pub(super) clears: ClearPhase,
    /// How fast pieces fall by themselves.
    pub(super) fall_time: FallTime,
    /// How long the game waits.
    pub(super) waits: Waits,
    /// Whether the game stands still.
    pub(super) standstill: Standstill,
    /// What was blamed, and what of it was said in the log.
    pub(super) ledger: Ledger,
    pub(super) blamed: Vec<Culprit>,
    pub(super) planner: Planner,
    pub(super) calibration: Calibration,
    pub(super) settings: Settings,
    /// What a decision changes.
    pub(super) mind: Mind,
    /// The same after a decision that was not sent yet.
    pub(super) proposed: Option<Mind>,
}

/// What the robot has in mind: everything that a decision changes.
#[derive(Debug, Clone)]
pub(super) struct Mind {
    /// How the game turns its pieces, as far as that is known.
    pub variants: RuleVariants,
    /// Turns that were tried and showed no effect.
    pub trials_failed: u8,
    /// Pieces that were to be put aside, and were not, since one was.
    pub holds_failed: u8,
    /// Whether keys and turns do what they should, as far as that was seen.
    pub effects: Effects,
    /// Rows were cleared so often by a T that was meant to be spun to where it locked.
    pub spins: u64,
    /// Whether a back-to-back sequence is on, as far as it was seen.
    pub sequence: Sequence,
    /// The falling piece.
    pub falling: Option<Falling>,
    /// What is to be done about it, or about the next.
    pub task: Task,
    /// Whether anybody steers it.
    pub steering: Steering,
    /// What was planned before it appeared.
    pub foreseen: Option<Foreseen>,
    /// What was asked of the board, up to now and beyond.
    pub schedule: ButtonSchedule,
    /// Where the falling piece is to lock, if that was decided just now.
    pub intended: Option<Pose>,
    /// Why nothing is pressed.
    pub rest: Option<Rest>,
    /// When Start is to be pressed for a new game.
    pub next_start: Option<HostTime>,
    /// Presses of Start since the last piece came.
    pub starts: u32,
    /// What is still to be told.
    pub told: Vec<Notice>,
}

impl Mind {
    /// Something changes what is to be done.
    pub fn hear(&mut self, news: News) {
        self.task = std::mem::take(&mut self.task).after(news);
    }
}

/// What is known of a game in which nothing moves.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Standstill {
    /// Where the falling piece is, and since when it has been there.
    pub(super) last: Option<(Pose, HostTime)>,
    /// It was told that this is taken for a pause.
    pub(super) is_told: bool,
}

impl Standstill {
    /// Where the falling piece is, and since when it has been there.
    pub(super) fn rests(&self) -> Option<(Pose, HostTime)> {
        self.last
    }

    /// It was told that this is taken for a pause.
    pub(super) fn is_told(&self) -> bool {
        self.is_told
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
pub(super) struct Moment {
    pub(super) now: HostTime,
    /// Commands that leave from here on can still be replaced.
    pub(super) since: HostTime,
    /// The earliest first contact.
    pub(super) first_contact: HostTime,
}

impl Robot {
    /// A robot for one game through one calibration.
    ///
    /// # Errors
    /// As [`Watcher::new`], and when the layout does not say how the game plays.
    pub fn new(layout: &Layout, calibration: &Calibration, settings: Settings) -> Result<Self, RobotError> {
        Self::with_brain(layout, calibration, settings, Brain::default())
    }

    /// The same with another mind.
    ///
    /// # Errors
    /// As [`Self::new`].
    pub fn with_brain(
        layout: &Layout,
        calibration: &Calibration,
        settings: Settings,
        brain: Brain,
    ) -> Result<Self, RobotError> {
        layout.check_rules()?;
        let watcher = Watcher::new(layout, calibration, settings.start_level)?;
        let movement = layout.movement().ok_or_else(|| RobotError::Movement(layout.name.clone()))?;
        let planner = Planner::new(movement, layout.field.rows, brain, settings.finger, settings.filters);
        let mind = Mind {
            variants: variants(layout, &calibration.game_times),
            trials_failed: 0,
            holds_failed: 0,
            effects: Effects::default(),
            spins: 0,
            sequence: Sequence::default(),
            falling: None,
            task: Task::default(),
            steering: Steering::default(),
            foreseen: None,
            schedule: ButtonSchedule::default(),
            intended: None,
            rest: None,
            next_start: None,
            starts: 0,
            told: Vec::new(),
        };
        Ok(Self {
            watcher,
            arrivals: Arrivals::default(),
            last_look: HostTime::default(),
            polls: None,
            clears: ClearPhase::default(),
            fall_time: FallTime::default(),
            waits: Waits::default(),
            standstill: Standstill::default(),
            ledger: Ledger::default(),
            blamed: Vec::new(),
            planner,
            calibration: calibration.clone(),
            settings,
            mind,
            proposed: None,
        })
    }

    pub(super) fn moment(&self, now: HostTime) -> Moment {
        let since = now.plus_ms(self.settings.lead_ms);
        let first_contact =
            since.plus_ms(self.settings.wire.longest_ms(PRESSED_AT_ONCE) + self.calibration.timing.close.ms);
        Moment { now, since, first_contact }
    }

    /// What stays of the schedule when something new is decided, and how many of its changes have left by then.
    pub(super) fn cut(&self, moment: Moment) -> (ButtonSchedule, usize) {
        let press_ms = self.settings.finger.press_frames * self.mind.variants.rules().frame_ms();
        self.mind.schedule.cut(moment.since, press_ms, &self.calibration, self.settings.wire)
    }

    /// The earliest first contact after the presses that stay.
    pub(super) fn after(&self, kept: &ButtonSchedule, first_contact: HostTime) -> HostTime {
        let gap_ms = self.settings.finger.gap_frames * self.mind.variants.rules().frame_ms();
        kept.end().map_or(first_contact, |end| first_contact.max(end.plus_ms(gap_ms)))
    }
}

/// The rules that the game may follow, with the times that were measured in earlier runs.
fn variants(layout: &Layout, times: &GameTimes) -> RuleVariants {
    let mut variants = RuleVariants::new(layout.rule_variants(), layout.game_rules());
    times.row.iter().for_each(|row| variants.fall_by(row.level, row.ms));
    times.lock_delay.iter().for_each(|delay| variants.lock_after(delay.ms - delay.spread_ms));
    times.drop_guard_ms.iter().for_each(|guard_ms| variants.guard_for(*guard_ms));
    variants
}
