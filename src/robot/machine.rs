//! The robot as one machine: inputs in, outputs out, and no other way to change it.

use super::appearance::polls;
use super::deciding::NEXT_LOOK_MS;
use super::falling::Seen;
use super::foresight::Foretold;
use super::state::{Decision, Mind, Robot};
use super::task::{News, Task};
use super::watcher::Look;
use crate::belief::blame::{Record, View};
use crate::belief::{Belief, Event, Surprise};
use crate::game::guideline::Sequence;
use crate::message::{Frame, Observation};
use crate::schedule::START_EVERY_MS;
use crate::time::HostTime;

/// What the robot learns.
#[derive(Debug)]
pub enum Input<'a> {
    /// A picture came.
    Picture(&'a Frame),
    /// A picture came that somebody else has read.
    Observation(Observation),
    /// It is that late now: is anything to be pressed?
    Time(HostTime),
    /// The decision before was handed to the board. One that was not, because it was ready too late or a person held the hand,
    /// changes nothing, and is made anew.
    Sent,
    /// By then presses were not made as planned, or nothing was seen for a while; what was still to be pressed was called off.
    CalledOff(HostTime),
    /// A person holds the hand: what was planned will not be pressed.
    Held,
    /// A person wants play to go on. That nothing moved meanwhile does not mean that the game is over.
    GoOn(HostTime),
}

/// What the robot has to say.
pub enum Output {
    /// What a picture showed, and what became certain with it.
    Look(Look),
    /// What is to be pressed.
    Decision(Decision),
    /// When it wants to hear of the time, to decide something; always the last output. Without it nothing is to be decided.
    Wake(HostTime),
}

impl Robot {
    /// Takes an input. The same inputs to the same robot give the same outputs on any machine.
    pub fn handle(&mut self, input: Input<'_>) -> Vec<Output> {
        let proposed = self.proposed.take();
        let mut outputs = Vec::with_capacity(2);
        match input {
            Input::Picture(frame) => {
                let look = self.watcher.look(frame);
                outputs.push(Output::Look(self.ponder(look)));
            }
            Input::Observation(observation) => {
                let look = self.watcher.take(observation, None);
                outputs.push(Output::Look(self.ponder(look)));
            }
            Input::Time(now) => outputs.extend(self.propose(now).map(Output::Decision)),
            Input::Sent => proposed.into_iter().for_each(|mind| self.adopt(mind)),
            Input::CalledOff(now) => self.lose_track(now),
            Input::Held => self.hold_back(),
            Input::GoOn(now) => self.go_on(now),
        }
        outputs.extend(self.wakes_at().map(Output::Wake));
        outputs
    }

    /// How often rows were cleared by a T that was spun to where it locked, as it was meant to; `None` where nobody plays for that.
    pub fn spins(&self) -> Option<u64> {
        self.planner.looks_ahead().then_some(self.mind.spins)
    }

    /// What the game's state must be.
    pub fn belief(&self) -> &Belief {
        &self.watcher.belief
    }

    /// A decision, which counts once it was sent. That nothing can be done counts at once.
    fn propose(&mut self, now: HostTime) -> Option<Decision> {
        let (decision, mind) = self.decide(now);
        match decision {
            Some(_) => self.proposed = Some(mind),
            None => self.adopt(mind),
        }
        decision
    }

    fn adopt(&mut self, mut mind: Mind) {
        mind.intended.take().into_iter().for_each(|pose| self.watcher.belief.intend(pose));
        self.mind = mind;
        self.watcher.belief.expect_hold(Some(matches!(self.mind.task, Task::Swap(_))));
    }

    /// What a picture means for the presses, and what there is to tell.
    fn ponder(&mut self, mut look: Look) -> Look {
        let (frame, now) = (look.observation.frame, look.observation.time);
        self.arrivals.take(frame, now);
        let previous = std::mem::replace(&mut self.last_look, now);
        let eye_ms = self.calibration.timing.eye.ms;
        self.polls = look.clock.map(|clock| polls(&clock, eye_ms, now));
        let mut locked = None;
        for event in &look.events {
            match event {
                Event::Locked(lock) => locked = Some(*lock),
                Event::Spawned(spawned) => self.appeared(spawned, locked.take(), now),
                Event::GameOver { time, .. } => {
                    self.mind.next_start = Some(time.plus_ms(START_EVERY_MS));
                    self.end_steering(None, now);
                    self.mind.falling = None;
                    self.mind.sequence = Sequence::default();
                    self.mind.hear(News::Gone);
                }
                // What is believed stays as it was.
                Event::Surprise(Surprise::Impossible { .. }, _) => {}
                Event::Surprise(..) => {
                    self.mind.foreseen = None;
                    self.let_go();
                }
            }
        }
        if let Some(falling) = &mut self.mind.falling {
            // The box may be read better later on.
            falling.spawned.next = self.watcher.belief.next();
        }
        self.remember();
        self.watch_times(previous, now);
        self.follow(now);
        self.watch_trial();
        self.watch_moves(now);
        match self.mind.rest {
            Some(_) => self.watch_rest(&look),
            None => self.watch_motion(look.observation.state, now),
        }
        self.watch_steering(look.observation.state, now);
        look.told = std::mem::take(&mut self.mind.told);
        look
    }

    /// Remembers where the falling piece was seen.
    fn remember(&mut self) {
        let Some(falling) = &mut self.mind.falling else { return };
        if matches!(self.mind.task, Task::Watch(_)) {
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
        let (Some(falling), Some(polls)) = (&mut self.mind.falling, &self.polls) else {
            return self.follow_roughly(now);
        };
        let (rules, timing) = (self.mind.variants.rules(), &self.calibration.timing);
        let is_watched = self.mind.task.is_watched();
        let sight = self.watcher.sight();
        let presses = falling.presses(&self.mind.schedule);
        let seen = sight.filter(|_| is_watched).map(|sight| falling.see(&sight, rules, timing, polls, &presses));
        if let Some(seen) = seen.filter(|seen| *seen != Seen::Expected) {
            let view = View { rules, timing, polls, trust: self.ledger.trust() };
            if falling.explain(view, &self.mind.schedule) {
                tracing::debug!(%now, causes = ?falling.causes, "a press went wrong; planning on from there");
                self.mind.foreseen = None;
                self.mind.hear(News::Explained);
                return;
            }
            if seen == Seen::Lost {
                tracing::debug!(%now, ?sight, "the piece is not where the presses should have taken it");
                self.mind.foreseen = None;
                self.mind.hear(News::Lost);
                return;
            }
        }
        if is_watched && !self.mind.task.is_pending() && !falling.looked_ahead {
            let foretold = self.foretell(now);
            self.mind.hear(News::Foretold(foretold));
        }
    }

    /// The same while the console's polls are not known: as far as it can be told which press did nothing.
    fn follow_roughly(&mut self, now: HostTime) {
        let by_sight = self.corrects_by_sight();
        let Some(falling) = &mut self.mind.falling else { return };
        let Some(polls) = falling.record.as_ref().and_then(Record::rough).copied() else { return };
        let (rules, timing) = (self.mind.variants.rules(), &self.calibration.timing);
        let view = View { rules, timing, polls: &polls, trust: self.ledger.trust() };
        let is_placed = !matches!(self.mind.task, Task::Place(_) | Task::Find(_));
        if is_placed && !by_sight && falling.explain(view, &self.mind.schedule) {
            tracing::debug!(%now, causes = ?falling.causes, "a press went wrong; planning on from there");
            self.mind.hear(News::Explained);
        }
    }

    /// What the next piece will find, if it must be planned before the next picture.
    fn foretell(&self, now: HostTime) -> Option<Foretold> {
        let (falling, polls) = (self.mind.falling.as_ref()?, self.polls.as_ref()?);
        // How it will stand is not known before it is seen.
        if self.planner.movement.appears_turned() {
            return None;
        }
        let (rules, timing) = (self.mind.variants.rules(), &self.calibration.timing);
        let landing = falling.landing(rules, timing, polls, &falling.presses(&self.mind.schedule))?;
        let counters = self.watcher.belief.counters();
        let foretold = Foretold::after(falling, &landing, &self.clears, counters, rules)?;
        let first = foretold.appearance.frames().first()?.0;
        let needed_ms = polls.time(first).plus_ms(polls.frame_ms / 2.0).ms_since(now);
        let moment = self.moment(now);
        (needed_ms < moment.first_contact.ms_since(now) + NEXT_LOOK_MS).then_some(foretold)
    }

    /// What the turn that is being tried has done, if that can be seen yet.
    fn watch_trial(&mut self) {
        let Task::Watch(trial) = &mut self.mind.task else { return };
        let before = self.planner.movement.spawn_of(trial.spawned.pose);
        if let Some((piece, pose)) = self.watcher.belief.falling()
            && piece == trial.spawned.piece
            && pose.orientation != before.orientation.shape()
            && trial.seen.is_none()
            && self.mind.variants.learn(before, pose)
        {
            trial.seen = Some(pose);
            let rules = self.mind.variants.rules();
            self.planner.turn_by(rules.rotation());
            if let Some(falling) = &mut self.mind.falling {
                falling.follow(rules);
            }
        }
    }
}
