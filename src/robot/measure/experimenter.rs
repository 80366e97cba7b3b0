//! The experimenter: presses, watches, and presses where it learns most. One pure step a picture, like the robot.

use super::aim::Aim;
use super::estimate::{Fit, fit};
use super::release::{Release, fit_release};
use super::trial::{Kind, Picture, Trial, share_between};
use crate::belief::Event;
use crate::belief::clock::game_clock::GameClock;
use crate::belief::clock::picture_clock::{PictureClock, Taken};
use crate::game::Board;
use crate::game::Buttons;
use crate::game::orientation::Pose;
use crate::game::rules::{Move, Rules};
use crate::message::{CellGrid, Frame, RelayCommand};
use crate::profile::calibration::Calibration;
use crate::profile::layout::Layout;
use crate::profile::wire::Wire;
use crate::robot::{Look, RobotError, Watcher};
use crate::schedule::{START_EVERY_MS, START_PRESS_MS};
use crate::time::HostTime;

/// Trials: taps of directions.
pub const TAPS: usize = 60;
/// Holds of directions.
pub const HOLDS: usize = 300;
/// Turns with each key.
pub const TURNS: usize = 24;
/// The first taps sweep the whole frame; then all go where the poll is.
pub const SWEEPING_TAPS: usize = 40;
/// The values are fitted anew after this many trials.
pub const REFIT_TRIALS: usize = 48;
/// After so long what there is must do, ms.
const LONGEST_MS: f64 = 360_000.0;
/// A picture of an effect may come this late, ms, while nothing is known.
const FIRST_WAY_MS: f64 = 450.0;
/// A trial may take so long, ms; the piece must not come to rest meanwhile.
const TRIAL_MS: f64 = 700.0;
/// After this many presses without any effect, presses reach no game.
const HOPELESS: u32 = 10;
/// This many moves to the wrong side are no accident.
const WRONG_WAYS: u32 = 3;
/// Without a falling piece for this long no game runs, ms.
const NO_GAME_MS: f64 = 15_000.0;
/// A command is stale so much after it was due, ms: a trial sent late would tell a lie.
const PATIENCE_MS: f64 = 0.7;
/// A release is better late than never.
const LAST_RELEASE_MS: f64 = 1000.0;

/// Why the rig's times cannot be learned.
#[derive(Debug, thiserror::Error)]
pub enum RigError {
    /// Nothing falls.
    #[error(
        "no piece is seen falling, so nothing can be measured; start a game at level 0 by hand, check that the field is where the profile says (`stackhand calibrate` finds it anew), and try again"
    )]
    NoGame,
    /// Nothing moves when pressed.
    #[error(
        "the piece did not move in {0} presses; check the relay board's power, that each relay's contact goes to the pad's button, and the profile's [buttons]"
    )]
    NothingMoves(u32),
    /// It moves to the other side.
    #[error(
        "pressing {0} moves the piece to the other side; swap left and right in the profile's [buttons], or their wires"
    )]
    WrongWay(&'static str),
    /// Too little was seen.
    #[error(
        "only {trials} of the presses could be followed in the pictures, too few to measure anything; start at level 0, and give the camera a sharper or steadier view"
    )]
    TooFew {
        /// Usable presses.
        trials: usize,
    },
    /// The layout's game cannot be learned from.
    #[error(
        "the game of the layout {0:?} does not move by frames that are known, and so its times cannot be measured (only those of `nes` can); play with the typical ones"
    )]
    Game(String),
    /// The picture cannot be read.
    #[error(transparent)]
    Robot(#[from] RobotError),
}

/// What has been learned.
#[derive(Debug, Clone, PartialEq)]
pub struct Learned {
    /// From the presses.
    pub fit: Fit,
    /// From the releases.
    pub release: Release,
    /// Pictures arrive so much early or late at most, ms (the worst of a hundred are left out).
    pub jitter_ms: f64,
    /// Presses that had no effect, and that had two.
    pub missed: u32,
    /// See `missed`.
    pub doubled: u32,
    /// From the first picture to the last, ms.
    pub took_ms: f64,
}

/// How far it is.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Progress {
    /// Trials made, of this many.
    pub trials: usize,
    /// See `trials`.
    pub of: usize,
    /// Since the first picture, ms.
    pub took_ms: f64,
    /// No more is needed.
    pub is_done: bool,
}

/// A trial under way.
#[derive(Debug)]
struct Running {
    trial: Trial,
    from: Pose,
    to: Pose,
    pile: Board,
    pictures: Vec<(Taken, CellGrid)>,
    /// Pictures since the piece was seen to have moved.
    moved_pictures: u32,
    /// When the last effect must have been seen.
    until: HostTime,
}

/// See the module.
pub struct Experimenter {
    watcher: Watcher,
    calibration: Calibration,
    rules: Rules,
    wire: Wire,
    lead_ms: f64,
    pictures: PictureClock,
    jitters_ms: Vec<f64>,
    clock: Option<GameClock>,
    picture_ms: f64,
    period_ms: f64,
    first: Option<HostTime>,
    now: HostTime,
    last_piece: HostTime,
    target_x: i8,
    running: Option<Running>,
    trials: Vec<Trial>,
    started: u32,
    missed: u32,
    doubled: u32,
    wrong_ways: u32,
    fitted: usize,
    fit: Option<Fit>,
    release: Option<Release>,
    next_start: Option<HostTime>,
}

/// Refuses a game from which no times can be learned.
///
/// # Errors
/// When the layout has no rules, or its game does not go by frames.
pub fn check_game(layout: &Layout) -> Result<(), RigError> {
    layout.check_rules().map_err(RobotError::from)?;
    if layout.game_rules().auto_shift().is_none() {
        return Err(RigError::Game(layout.name.clone()));
    }
    Ok(())
}

impl Experimenter {
    /// An experimenter at a rig: its field and its wiring are in the calibration, its times are not.
    ///
    /// # Errors
    /// When the layout cannot be read, or its game does not go by frames.
    pub fn new(layout: &Layout, calibration: &Calibration, wire: Wire, lead_ms: f64) -> Result<Self, RigError> {
        check_game(layout)?;
        let rules = layout.game_rules();
        Ok(Self {
            watcher: Watcher::new(layout, calibration, 0)?,
            calibration: calibration.clone(),
            rules,
            wire,
            lead_ms,
            pictures: PictureClock::default(),
            jitters_ms: Vec::new(),
            clock: None,
            picture_ms: 0.0,
            period_ms: 0.0,
            first: None,
            now: HostTime::default(),
            last_piece: HostTime::default(),
            target_x: 5,
            running: None,
            trials: Vec::new(),
            started: 0,
            missed: 0,
            doubled: 0,
            wrong_ways: 0,
            fitted: 0,
            fit: None,
            release: None,
            next_start: None,
        })
    }

    /// Takes in a picture; what to press now.
    ///
    /// # Errors
    /// When there is nothing to be learned from what is seen.
    pub fn look(&mut self, frame: &Frame) -> Result<Vec<RelayCommand>, RigError> {
        let taken = self.pictures.take(frame.index, frame.time);
        let look = self.watcher.look(frame);
        self.now = frame.time;
        if self.first.is_none() {
            (self.first, self.last_piece) = (Some(frame.time), frame.time);
        }
        if let Some(taken) = taken.filter(|taken| taken.period_ms > 0.0) {
            self.jitters_ms.push((frame.time.ms() - taken.ms).abs());
            (self.picture_ms, self.period_ms) = (taken.ms, taken.period_ms);
        }
        self.clock = look.clock.or(self.clock);
        self.take_events(&look);
        self.watch(&look, taken);
        self.give_up()?;
        self.refit();
        Ok(self.next())
    }

    /// How far it is.
    pub fn progress(&self) -> Progress {
        let count = |kind, wanted| self.count(kind).min(wanted);
        let turns = self.turns();
        let trials =
            count(Kind::Tap, TAPS) + count(Kind::Hold, HOLDS) + turns.map(|n| n.min(TURNS)).iter().sum::<usize>();
        let took_ms = self.first.map_or(0.0, |first| self.now.ms_since(first));
        let of = TAPS + HOLDS + 2 * TURNS;
        Progress { trials, of, took_ms, is_done: trials == of || took_ms > LONGEST_MS }
    }

    /// What has been learned.
    ///
    /// # Errors
    /// When that is too little.
    pub fn finish(self) -> Result<Learned, RigError> {
        let too_few = RigError::TooFew { trials: self.trials.len() };
        let took_ms = self.progress().took_ms;
        let fit = self.clock.and_then(|clock| fit(&self.trials, &clock, self.period_ms, self.fit.as_ref()));
        let release = fit.as_ref().and_then(|fit| fit_release(&self.trials, fit, self.shift_frames()));
        let (Some(fit), Some(release)) = (fit, release) else { return Err(too_few) };
        let mut jitters_ms = self.jitters_ms;
        jitters_ms.sort_by(f64::total_cmp);
        let jitter_ms = jitters_ms.get(jitters_ms.len() * 99 / 100).copied().unwrap_or(0.0);
        Ok(Learned { fit, release, jitter_ms, missed: self.missed, doubled: self.doubled, took_ms })
    }

    /// The trials so far.
    pub fn trials(&self) -> &[Trial] {
        &self.trials
    }

    fn shift_frames(&self) -> i64 {
        self.rules.auto_shift().map_or(0, |(delay, _)| i64::from(delay))
    }

    fn is_turn(trial: &Trial) -> bool {
        trial.button == Buttons::A || trial.button == Buttons::B
    }

    fn count(&self, kind: Kind) -> usize {
        self.trials.iter().filter(|trial| trial.kind == kind && !Self::is_turn(trial)).count()
    }

    fn turns(&self) -> [usize; 2] {
        [Buttons::A, Buttons::B].map(|button| self.trials.iter().filter(|trial| trial.button == button).count())
    }

    fn take_events(&mut self, look: &Look) {
        for event in &look.events {
            match event {
                Event::Spawned(spawned) => {
                    self.running = None;
                    self.next_start = None;
                    self.target_x = lowest_place(&spawned.board, spawned.pose, self.started);
                }
                Event::GameOver { time, .. } => self.next_start = Some(time.plus_ms(START_EVERY_MS)),
                Event::Locked(_) | Event::Surprise(..) => self.running = None,
            }
        }
        if self.watcher.belief.falling().is_some() || self.next_start.is_some() {
            self.last_piece = self.now;
        }
    }

    fn give_up(&self) -> Result<(), RigError> {
        if self.now.ms_since(self.last_piece) > NO_GAME_MS {
            return Err(RigError::NoGame);
        }
        if self.missed >= HOPELESS && self.trials.is_empty() {
            return Err(RigError::NothingMoves(self.missed));
        }
        if self.wrong_ways >= WRONG_WAYS && self.wrong_ways as usize > self.trials.len() {
            return Err(RigError::WrongWay("left or right"));
        }
        Ok(())
    }

    /// Follows the trial under way.
    fn watch(&mut self, look: &Look, taken: Option<Taken>) {
        let Some(running) = &mut self.running else { return };
        let Some((_, pose)) = self.watcher.belief.falling() else { return };
        if let Some(taken) = taken.filter(|_| look.observation.state.shows_cells()) {
            running.pictures.push((taken, look.observation.grid.clone()));
        }
        let has_moved = (pose.x, pose.orientation) != (running.from.x, running.from.orientation);
        running.moved_pictures = if has_moved { running.moved_pictures + 1 } else { 0 };
        let is_seen = running.trial.kind == Kind::Tap
            && running.moved_pictures > 2
            && self.now.ms() > running.trial.released_ms + self.calibration.timing.open.ms;
        if (is_seen || self.now >= running.until)
            && let Some(running) = self.running.take()
        {
            self.ended(running, pose);
        }
    }

    fn ended(&mut self, running: Running, pose: Pose) {
        let Running { mut trial, from, to, pile, pictures, .. } = running;
        let way = to.x - from.x;
        let moves = match way {
            _ if Self::is_turn(&trial) => i8::from(pose.orientation == to.orientation),
            way => (pose.x - from.x) * way.signum(),
        };
        if moves < 0 {
            self.wrong_ways += 1;
            return;
        }
        self.missed += u32::from(moves == 0);
        self.doubled += u32::from(trial.kind == Kind::Tap && moves > 1);
        trial.moves = moves as u8;
        for (taken, grid) in &pictures {
            if let Some(share) = share_between(grid, &pile, from, to) {
                trial.pictures.push(Picture { taken_ms: taken.ms, share });
            }
            // What follows may be the second move.
            if trial.pictures.iter().filter(|picture| picture.share >= 0.5).count() > 1 {
                break;
            }
        }
        let surplus = trial.pictures.len().saturating_sub(5);
        trial.pictures.drain(..surplus);
        if trial.moves > 0 && trial.seen_ms().is_some() {
            self.trials.push(trial);
        }
    }

    fn refit(&mut self) {
        let Some(clock) = self.clock.filter(|_| self.running.is_none()) else { return };
        if self.trials.len() < SWEEPING_TAPS || self.fit.is_some() && self.trials.len() < self.fitted + REFIT_TRIALS {
            return;
        }
        self.fitted = self.trials.len();
        self.fit = fit(&self.trials, &clock, self.period_ms, self.fit.as_ref());
        self.release = self.fit.as_ref().and_then(|fit| fit_release(&self.trials, fit, self.shift_frames()));
        tracing::debug!(trials = self.trials.len(), fit = ?self.fit, release = ?self.release, "learned so far");
    }

    /// What to press now, if anything.
    fn next(&mut self) -> Vec<RelayCommand> {
        if let Some(due) = self.next_start.filter(|due| *due <= self.now) {
            self.next_start = Some(due.plus_ms(START_EVERY_MS));
            let press = self.earliest_ms();
            return self.commands(Buttons::START, press, press + START_PRESS_MS);
        }
        if self.running.is_some() || self.next_start.is_some() || self.clock.is_none() || self.progress().is_done {
            return Vec::new();
        }
        let Some((_, from)) = self.watcher.belief.falling() else { return Vec::new() };
        let pile = *self.watcher.belief.pile();
        let Some((kind, button, to)) = self.choose(&pile, from) else { return Vec::new() };
        let (pressed_ms, released_ms) = self.aim().times_ms(kind, button, self.started, self.earliest_ms());
        self.started += 1;
        let trial = Trial { kind, button, pressed_ms, released_ms, pictures: Vec::new(), moves: 0 };
        let until = HostTime::from_ms(released_ms + self.way_ms() + 3.0 * self.period_ms);
        self.running = Some(Running { trial, from, to, pile, pictures: Vec::new(), moved_pictures: 0, until });
        self.commands(button, pressed_ms, released_ms)
    }

    fn earliest_ms(&self) -> f64 {
        self.now.ms() + self.lead_ms + self.wire.longest_ms(1)
    }

    /// From a command to the picture of its effect, at most, ms.
    fn way_ms(&self) -> f64 {
        match &self.fit {
            Some(fit) => fit.delay_ms + 2.0 * fit.frame_ms,
            None => FIRST_WAY_MS,
        }
    }

    fn aim(&self) -> Aim<'_> {
        let timing = &self.calibration.timing;
        Aim {
            fit: self.fit.as_ref(),
            release: self.release,
            typical_later_ms: timing.open.ms - timing.close.ms,
            frame_ms: self.rules.frame_ms(),
            shift_frames: self.shift_frames(),
            picture_ms: self.picture_ms,
            period_ms: self.period_ms,
        }
    }

    /// What to try with the piece where it is; `None` if it is about to come to rest.
    fn choose(&self, pile: &Board, from: Pose) -> Option<(Kind, Buttons, Pose)> {
        let level = self.watcher.belief.counters().level;
        let rows = (TRIAL_MS / self.rules.row_ms(level)).ceil() as i8 + 1;
        let is_free = |pose: Pose| (0..=rows).all(|row| pose.moved(0, row).fits(pile));
        let [turns_a, turns_b] = self.turns();
        let (step, wanted) =
            if turns_a <= turns_b { (Move::Clockwise, turns_a) } else { (Move::CounterClockwise, turns_b) };
        let can_turn = step.apply(from, self.rules.rotation()).orientation != from.orientation;
        let is_swept = self.fit.is_some();
        if is_swept && can_turn && wanted < TURNS && self.started.is_multiple_of(4) {
            let to = step.apply(from, self.rules.rotation());
            if is_free(from) && is_free(to) {
                return Some((Kind::Tap, self.rules.button(step), to));
            }
        }
        let wish = match self.target_x - from.x {
            0 if self.started.is_multiple_of(2) => 1,
            0 => -1,
            away => away.signum(),
        };
        let is_hold = is_swept && self.count(Kind::Hold) < HOLDS && self.started % 4 != 1;
        let kinds = if is_hold { [Kind::Hold, Kind::Tap] } else { [Kind::Tap, Kind::Tap] };
        let ways = kinds.into_iter().flat_map(|kind| [wish, -wish].map(|way| (kind, way)));
        let (kind, way) = ways.into_iter().find(|&(kind, way)| {
            let columns = if kind == Kind::Hold { 3 } else { 1 };
            (0..=columns).all(|column| is_free(from.moved(column * way, 0)))
        })?;
        let button = if way < 0 { Buttons::LEFT } else { Buttons::RIGHT };
        Some((kind, button, from.moved(way, 0)))
    }

    fn commands(&self, button: Buttons, pressed_ms: f64, released_ms: f64) -> Vec<RelayCommand> {
        let (open, closed) = (self.calibration.relays(Buttons::NONE), self.calibration.relays(button));
        let command = |from, mask, at_ms: f64| {
            let due = HostTime::from_ms(at_ms - self.wire.ms(from, mask));
            RelayCommand { due, expires: due.plus_ms(PATIENCE_MS), mask }
        };
        let release = command(closed, open, released_ms);
        let expires = release.due.plus_ms(LAST_RELEASE_MS);
        vec![command(open, closed, pressed_ms), RelayCommand { expires, ..release }]
    }
}

/// The column in which a piece would lie lowest, so that the pile grows slowly; of equals now one, now another.
fn lowest_place(pile: &Board, pose: Pose, turn: u32) -> i8 {
    let rest = |x: i8| {
        let at = Pose { x, ..pose };
        let fits = |rows: &i8| at.moved(0, *rows).fits(pile);
        fits(&0).then(|| (0..pile.height() as i8).take_while(fits).last().unwrap_or(0))
    };
    let places: Vec<(i8, i8)> = (0..pile.width() as i8).filter_map(|x| Some((rest(x)?, x))).collect();
    let lowest = places.iter().map(|(rest, _)| *rest).max().unwrap_or(0);
    let best: Vec<i8> = places.iter().filter(|(rest, _)| *rest == lowest).map(|(_, x)| *x).collect();
    best.get(turn as usize % best.len().max(1)).copied().unwrap_or(pose.x)
}
