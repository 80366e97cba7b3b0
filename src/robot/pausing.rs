//! What a piece that has locked says about the rig; and the rest that the robot takes when it is too much: it presses
//! Start, opens all relays, says what to mend, and waits until somebody lets the game go on.
//!
//! Whether the game stands still is seen, not assumed. Where Start has no effect either, that is said, and nothing more is
//! pressed. A paused game that moves again was continued by a person, and so is play; so it is with a new piece after a
//! game's end.

use super::notice::{Notice, OnBlame, Why};
use super::rest::{Rest, Stage};
use super::state::{Robot, Standstill};
use super::task::{News, Task};
use super::watcher::Look;
use crate::belief::blame::View;
use crate::belief::blame::ledger::{Blame, named};
use crate::belief::{Event, Locked};
use crate::game::Buttons;
use crate::message::ScreenState;
use crate::time::HostTime;

/// A pause shows so long after the eye's time at the latest, ms; where the field stays visible, a row's fall more.
const PAUSE_SHOWS_MS: f64 = 600.0;
/// Start is pressed this often before the robot says that it cannot pause the game.
const TRIES: u8 = 3;
/// This many pictures of the pause screen are no misreading, and this many with moving pieces no chance.
const PICTURES: u8 = 3;

impl Robot {
    /// Whether the robot has stopped playing because of what it blames, and all is said: nothing happens any more unless a
    /// person does something.
    pub fn is_at_rest(&self) -> bool {
        let is_settled = |rest: &Rest| matches!(rest.stage, Stage::Paused | Stage::Helpless | Stage::Over);
        self.mind.told.is_empty() && self.mind.rest.as_ref().is_some_and(is_settled)
    }

    /// Whether the robot presses nothing because of what it blames.
    pub fn rests(&self) -> bool {
        self.mind.rest.is_some()
    }

    /// A person wants play to go on: a game that the robot has paused is continued. That nothing moved meanwhile does not
    /// mean that the game is over.
    pub(super) fn go_on(&mut self, now: HostTime) {
        self.ledger.clear();
        self.lose_track(now);
        self.standstill = Standstill::default();
        self.mind.next_start = self.mind.next_start.filter(|_| self.watcher.belief.falling().is_none());
        match self.mind.rest.as_mut() {
            // Unless the person has pressed Start already: one more would pause it again.
            Some(rest) if rest.stage == Stage::Paused && rest.still > 0 => {
                (rest.stage, rest.due) = (Stage::Resuming, Some(now));
            }
            _ => self.mind.rest = None,
        }
    }

    /// A press was not made as planned, and what followed it was called off: the piece is planned again from where it is
    /// seen when all that was pressed up to `now` must show.
    pub(super) fn lose_track(&mut self, now: HostTime) {
        let eye = self.calibration.timing.eye;
        self.mind.foreseen = None;
        self.let_go();
        self.watcher.belief.expect_hold(None);
        self.mind.schedule = self.cut(self.moment(now)).0;
        let shows = self.mind.falling.is_some().then(|| now.plus_ms(eye.ms + eye.spread_ms));
        self.mind.hear(News::CalledOff(shows));
        if shows.is_some() {
            self.mind.steering.lose(now, Why::CalledOff);
        }
    }

    /// The hand is held back: what was planned will not be pressed, so nothing locks elsewhere than it was meant to.
    pub(super) fn hold_back(&mut self) {
        self.let_go();
        self.watcher.belief.intend_nothing();
        self.watcher.belief.expect_hold(None);
        self.mind.foreseen = None;
        self.mind.steering.let_go();
    }

    /// Somebody else holds the hand, or the hand was not there: what the falling piece does is no relay's fault.
    pub(super) fn let_go(&mut self) {
        if let Some(falling) = &mut self.mind.falling {
            (falling.record, falling.is_own) = (None, false);
        }
    }

    /// The last piece has locked: is somebody to blame for its way?
    pub(super) fn judge(&mut self, locked: Option<&Locked>) {
        let (Some(falling), Some(locked)) = (&self.mind.falling, locked) else { return };
        let Some(record) = falling.record.as_ref().filter(|_| self.mind.rest.is_none()) else { return };
        let Some(polls) = record.rough().or(self.polls.as_ref()) else { return };
        if self.settings.blame == OnBlame::Ignore {
            return;
        }
        let view = View {
            rules: self.mind.variants.rules(),
            timing: &self.calibration.timing,
            polls,
            trust: self.ledger.trust(),
        };
        let conclusion = record.conclude(view, &self.mind.schedule, &falling.causes, locked.pose);
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
            tracing::warn!("{words}");
        } else {
            tracing::info!(count = blame.count, "{words}");
        }
        self.mind.told.push(Notice::Blame { blame, relay, words: words.clone() });
        if blame.is_enough && self.settings.blame.pauses(blame.culprit.kind) && self.mind.rest.is_none() {
            tracing::error!("{words}. The game is being paused");
            self.mind.rest = Some(Rest::new(Stage::Pressing(blame.time), Some(blame.time), words));
            self.let_go();
            self.mind.foreseen = None;
            self.mind.hear(News::Rests);
        }
    }

    pub(super) fn relay(&self, button: Buttons) -> Option<u8> {
        let mask = self.calibration.relays(button).0;
        (mask != 0).then(|| mask.trailing_zeros() as u8)
    }

    /// What becomes of the pause.
    pub(super) fn watch_rest(&mut self, look: &Look) {
        let (now, state) = (look.observation.time, look.observation.state);
        let pose = self.watcher.belief.falling().map(|(_, pose)| pose).filter(|_| state.shows_cells());
        let level = self.watcher.belief.counters().level;
        let row_ms = self.mind.variants.rules().row_ms(level);
        let has_spawned = look.events.iter().any(|event| matches!(event, Event::Spawned(_)));
        let is_over = look.events.iter().any(|event| matches!(event, Event::GameOver { .. }));
        let Some(rest) = self.mind.rest.as_mut() else { return };
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
        let Some(rest) = &mut self.mind.rest else { return };
        (rest.stage, rest.moved, rest.last) = (Stage::Paused, 0, None);
        let why = &rest.why;
        let words = format!("the game is paused and all relays are open: {why}. Then press Start to go on");
        tracing::error!("{words}");
        self.mind.told.push(Notice::Paused { time: now, words });
    }

    fn helpless(&mut self, now: HostTime) {
        let start = named(Buttons::START, &self.calibration);
        let Some(rest) = &mut self.mind.rest else { return };
        rest.stage = Stage::Helpless;
        let why = &rest.why;
        let words = format!(
            "the game could not be paused, {start} has no effect either; nothing more is pressed, pause it by hand: {why}. \
             Then start a new game, or this program anew"
        );
        tracing::error!("{words}");
        self.mind.told.push(Notice::NotPaused { time: now, words });
    }

    fn resumed(&mut self, now: HostTime) {
        self.mind.rest = None;
        self.ledger.clear();
        tracing::warn!("the game goes on");
        self.mind.told.push(Notice::Resumed { time: now });
        if !matches!(self.mind.task, Task::Place(_)) {
            self.lose_track(now);
        }
    }
}
