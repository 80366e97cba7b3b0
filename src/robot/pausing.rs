//! What a piece that has locked says about the rig; and the rest that the robot takes when it is too much: it presses
//! Start, opens all relays, says what to mend, and waits until somebody lets the game go on.
//!
//! Whether the game stands still is seen, not assumed. Where Start has no effect either, that is said, and nothing more is
//! pressed. A paused game that moves again was continued by a person, and so is play; so it is with a new piece after a
//! game's end.

use super::adrift::Why;
use super::standstill::Standstill;
use super::{Decision, Look, Moment, Robot};
use crate::belief::blame::View;
use crate::belief::blame::ledger::{Blame, Culprit, Kind, named};
use crate::belief::{Event, Locked};
use crate::game::Buttons;
use crate::game::Piece;
use crate::game::orientation::Pose;
use crate::message::ScreenState;
use crate::schedule::{ButtonSchedule, START_PRESS_MS};
use crate::time::HostTime;

/// A pause shows so long after the eye's time at the latest, ms; where the field stays visible, a row's fall more.
const PAUSE_SHOWS_MS: f64 = 600.0;
/// Start is pressed so often before the robot says that it cannot pause the game.
const TRIES: u8 = 3;
/// So many pictures of the pause screen are no misreading, and so many with moving pieces no chance.
const PICTURES: u8 = 3;
/// After so many presses of Start without a new game it is not the menu that takes its time.
const STARTS_MAX: u32 = 8;

/// What the robot does when something is to blame.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OnBlame {
    /// It looks for nobody: its presses reach no game.
    Ignore,
    /// It says so and plays on.
    Tell,
    /// It says so, and pauses the game when it is too much; but not for a camera that is later than times which nobody has
    /// measured here.
    PauseUnlessLate,
    /// It says so, and pauses the game when it is too much.
    Pause,
}

impl OnBlame {
    fn pauses(self, kind: Kind) -> bool {
        self == Self::Pause || self == Self::PauseUnlessLate && kind != Kind::LateCamera
    }
}

/// What the robot has to tell about itself.
#[derive(Debug, Clone, PartialEq)]
pub enum Told {
    /// Something is to blame.
    Blame {
        /// What, and how often.
        blame: Blame,
        /// Its relay.
        relay: Option<u8>,
        /// What it is and what to do.
        words: String,
    },
    /// The game stands still until somebody presses Start.
    Paused {
        /// When that was seen.
        time: HostTime,
        /// Why, and what to do.
        words: String,
    },
    /// The game should stand still, but goes on without the robot.
    NotPaused {
        /// When that was seen.
        time: HostTime,
        /// Why, and what to do.
        words: String,
    },
    /// The game stands still, by somebody else's will as it seems.
    Waiting {
        /// When that was told.
        time: HostTime,
        /// Why it is no game's end, and what to do.
        words: String,
    },
    /// Somebody has let the game go on, and the robot plays again.
    Resumed {
        /// When that was seen.
        time: HostTime,
    },
    /// A piece falls that nobody steers.
    Adrift {
        /// When that was known.
        time: HostTime,
        /// The piece.
        piece: Piece,
        /// Why.
        why: Why,
        /// The same in words.
        words: String,
    },
}

impl Told {
    /// When, and in which words; `None` of what needs none.
    pub fn said(&self) -> Option<(HostTime, &str)> {
        match self {
            Self::Blame { blame, words, .. } => Some((blame.time, words)),
            Self::Paused { time, words }
            | Self::NotPaused { time, words }
            | Self::Waiting { time, words }
            | Self::Adrift { time, words, .. } => Some((*time, words)),
            Self::Resumed { .. } => None,
        }
    }
}

/// How far the rest has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Stage {
    /// Start is being pressed; whether it had an effect is to be seen from that time on.
    Pressing(HostTime),
    /// The game stands still.
    Paused,
    /// It goes on all the same.
    Helpless,
    /// It is over: the next piece is a new game's.
    Over,
    /// The robot itself is to let the game go on.
    Resuming,
}

/// The robot presses nothing.
#[derive(Debug, Clone)]
pub(super) struct Rest {
    stage: Stage,
    /// When Start is to be pressed.
    due: Option<HostTime>,
    tries: u8,
    /// Pictures in a row of a pause, and pictures in which the game moved.
    still: u8,
    moved: u8,
    last: Option<Pose>,
    why: String,
}

impl Rest {
    fn new(stage: Stage, due: Option<HostTime>, why: String) -> Self {
        Self { stage, due, tries: 0, still: 0, moved: 0, last: None, why }
    }
}

impl Robot {
    /// Whether the robot has stopped playing because of what it blames, and all is said: nothing happens any more unless a
    /// person does something.
    pub fn is_at_rest(&self) -> bool {
        let is_settled = |rest: &Rest| matches!(rest.stage, Stage::Paused | Stage::Helpless | Stage::Over);
        self.told.is_empty() && self.rest.as_ref().is_some_and(is_settled)
    }

    /// Whether the robot presses nothing because of what it blames.
    pub fn rests(&self) -> bool {
        self.rest.is_some()
    }

    /// A person wants play to go on: a game that the robot has paused is continued. That nothing moved meanwhile does not
    /// mean that the game is over.
    pub fn go_on(&mut self, now: HostTime) {
        self.ledger.clear();
        self.lose_track(now);
        self.standstill = Standstill::default();
        self.next_start = self.next_start.filter(|_| self.watcher.belief.falling().is_none());
        match self.rest.as_mut() {
            // Unless the person has pressed Start already: one more would pause it again.
            Some(rest) if rest.stage == Stage::Paused && rest.still > 0 => {
                (rest.stage, rest.due) = (Stage::Resuming, Some(now));
            }
            _ => self.rest = None,
        }
    }

    /// Somebody else holds the hand, or the hand was not there: what the falling piece does is no relay's fault.
    pub fn let_go(&mut self) {
        if let Some(falling) = &mut self.falling {
            falling.record = None;
        }
    }

    /// The last piece has locked: is somebody to blame for its way?
    pub(super) fn judge(&mut self, locked: Option<&Locked>) {
        let (Some(falling), Some(locked)) = (&self.falling, locked) else { return };
        let Some(record) = falling.record.as_ref().filter(|_| self.rest.is_none()) else { return };
        let Some(polls) = record.rough().or(self.polls.as_ref()) else { return };
        if self.settings.blame == OnBlame::Ignore {
            return;
        }
        let view =
            View { rules: self.handling.rules(), timing: &self.calibration.timing, polls, trust: self.ledger.trust() };
        let conclusion = record.conclude(view, &self.schedule, &falling.causes, locked.pose);
        tracing::debug!(now = %locked.time, ?conclusion, "concluded");
        let blames = conclusion.map(|conclusion| self.ledger.take(&conclusion, locked.time)).unwrap_or_default();
        blames.into_iter().for_each(|blame| self.blame(blame));
    }

    fn blame(&mut self, blame: Blame) {
        let words = blame.words(&self.calibration);
        let relay = blame.culprit.button.and_then(|button| self.relay(button));
        let is_new = !self.blamed.contains(&blame.culprit);
        if is_new {
            self.blamed.push(blame.culprit);
            tracing::warn!(count = blame.count, "{words}");
        } else {
            tracing::info!(count = blame.count, "{words}");
        }
        self.told.push(Told::Blame { blame, relay, words: words.clone() });
        if blame.is_enough && self.settings.blame.pauses(blame.culprit.kind) && self.rest.is_none() {
            tracing::error!("{words}. The game is being paused");
            self.rest = Some(Rest::new(Stage::Pressing(blame.time), Some(blame.time), words));
            self.let_go();
            (self.to_foresee, self.foreseen, self.is_lost, self.is_corrected) = (None, None, false, false);
        }
    }

    fn relay(&self, button: Buttons) -> Option<u8> {
        let mask = self.calibration.relays(button).0;
        (mask != 0).then(|| mask.trailing_zeros() as u8)
    }

    /// Start was pressed once more for a new game.
    pub(super) fn count_start(&mut self, now: HostTime) {
        self.starts += 1;
        if self.starts != STARTS_MAX || self.settings.blame == OnBlame::Ignore {
            return;
        }
        let start = named(Buttons::START, &self.calibration);
        let words = format!(
            "{start} was pressed {STARTS_MAX} times and no game began; start one by hand, and try `stackhand doctor --click`"
        );
        let culprit = Culprit { kind: Kind::DeadButton, button: Some(Buttons::START), other: None };
        let blame = Blame { time: now, culprit, count: STARTS_MAX as usize, worked: 0, late_ms: 0.0, is_enough: true };
        tracing::warn!("{words}");
        self.told.push(Told::Blame { blame, relay: self.relay(Buttons::START), words: words.clone() });
        if self.settings.blame.pauses(Kind::DeadButton) {
            self.rest = Some(Rest::new(Stage::Over, None, words));
        }
    }

    /// When the resting robot has to press Start.
    pub(super) fn rest_due(&self) -> Option<HostTime> {
        self.rest.as_ref().and_then(|rest| rest.due)
    }

    /// The press of Start that pauses the game, or lets it go on.
    pub(super) fn decide_rest(&mut self, moment: Moment) -> Option<Decision> {
        let (kept, _) = self.cut(moment);
        let at = self.after(&kept, moment.first_contact);
        let mut start = ButtonSchedule::default();
        start.press(at, Buttons::START, START_PRESS_MS);
        let eye = self.calibration.timing.eye;
        let shows = at.plus_ms(START_PRESS_MS + eye.ms + eye.spread_ms);
        let rest = self.rest.as_mut()?;
        rest.due = None;
        if rest.stage == Stage::Resuming {
            self.rest = None;
            self.again = self.falling.is_some().then_some(shows);
        } else {
            rest.tries += 1;
            (rest.stage, rest.still, rest.moved, rest.last) = (Stage::Pressing(shows), 0, 0, None);
        }
        self.replace(None, &start, moment)
    }

    /// What becomes of the pause.
    pub(super) fn watch_rest(&mut self, look: &Look) {
        let (now, state) = (look.observation.time, look.observation.state);
        let pose = self.watcher.belief.falling().map(|(_, pose)| pose).filter(|_| state.shows_cells());
        let level = self.watcher.belief.counters().level;
        let row_ms = self.handling.rules().row_ms(level);
        let has_spawned = look.events.iter().any(|event| matches!(event, Event::Spawned(_)));
        let is_over = look.events.iter().any(|event| matches!(event, Event::GameOver { .. }));
        let Some(rest) = self.rest.as_mut() else { return };
        if is_over {
            (rest.stage, rest.due) = (Stage::Over, None);
        }
        if matches!(rest.stage, Stage::Pressing(shows) if now < shows) || rest.due.is_some() {
            return;
        }
        let has_moved = has_spawned || pose.is_some() && rest.last.is_some() && pose != rest.last;
        rest.last = pose.or(rest.last);
        rest.moved = rest.moved.saturating_add(u8::from(has_moved));
        rest.still = if state == ScreenState::Paused { rest.still.saturating_add(1) } else { 0 };
        match rest.stage {
            Stage::Pressing(_) if rest.still >= PICTURES => self.paused(now),
            Stage::Pressing(shows) if now.ms_since(shows) > PAUSE_SHOWS_MS + row_ms => match rest.moved {
                0 => self.paused(now),
                _ if rest.tries < TRIES => rest.due = Some(now),
                _ => self.helpless(now),
            },
            Stage::Paused if rest.moved >= PICTURES || has_spawned => self.resumed(now),
            Stage::Over if has_spawned => self.resumed(now),
            _ => {}
        }
    }

    fn paused(&mut self, now: HostTime) {
        let Some(rest) = &mut self.rest else { return };
        (rest.stage, rest.moved, rest.last) = (Stage::Paused, 0, None);
        let why = &rest.why;
        let words = format!("the game is paused and all relays are open: {why}. Then press Start to go on");
        tracing::error!("{words}");
        self.told.push(Told::Paused { time: now, words });
    }

    fn helpless(&mut self, now: HostTime) {
        let start = named(Buttons::START, &self.calibration);
        let Some(rest) = &mut self.rest else { return };
        rest.stage = Stage::Helpless;
        let why = &rest.why;
        let words = format!(
            "the game could not be paused, {start} has no effect either; nothing more is pressed, pause it by hand: {why}. \
             Then start a new game, or this program anew"
        );
        tracing::error!("{words}");
        self.told.push(Told::NotPaused { time: now, words });
    }

    fn resumed(&mut self, now: HostTime) {
        self.rest = None;
        self.ledger.clear();
        tracing::warn!("the game goes on");
        self.told.push(Told::Resumed { time: now });
        if self.to_plan.is_none() {
            self.lose_track(now);
        }
    }
}
