//! What the robot did in a recorded session: its plans and presses, told again beside the pictures.

use crate::edge::camera::SourceSpec;
use crate::edge::session::{SessionReader, SessionSource};
use crate::game::orientation::{Orientation, Pose};
use crate::message::{RelayMask, RunEvent};
use crate::profile::calibration::Calibration;
use crate::time::HostTime;
use crate::web::Deeds;
use std::collections::BTreeMap;

/// A picture's plan is made within this time of its arrival, ms: less than a picture lasts.
const DECIDED_WITHIN_MS: f64 = 15.0;
/// Presses so long ago are shown, ms: what the page draws, and the change before it.
const SHOWN_MS: f64 = 8000.0;

/// What happened to the plan.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Turn {
    Planned { pose: Pose, certainty: f64, is_ahead: bool },
    Over,
}

/// A change of the relays.
#[derive(Debug, Clone, Copy)]
struct Change {
    at_ms: f64,
    due_ms: f64,
    mask: u8,
}

/// All that a recorded session tells besides its pictures.
#[derive(Debug, Default)]
pub struct Told {
    /// What was told, in its order; without what only the robot takes in.
    pub events: Vec<RunEvent>,
    /// Which relay was which button.
    pub buttons: BTreeMap<String, u8>,
}

impl Told {
    /// By a recorded session; `None` for other recordings, and where nothing says what its relays were.
    ///
    /// # Errors
    /// When the session cannot be read.
    pub fn by(recording: &str) -> anyhow::Result<Option<Self>> {
        let SourceSpec::Session(path) = SourceSpec::parse(recording)? else { return Ok(None) };
        let calibration = SessionSource::open(&path)?.calibration().map(|text| Calibration::parse(text, &path));
        let Some(calibration) = calibration.transpose()? else { return Ok(None) };
        // Whoever reads the pictures tells what is damaged.
        let mut reader = SessionReader::open(&path)?.quiet();
        let mut events = Vec::new();
        while let Some(line) = reader.next_event()? {
            let event = RunEvent::from_line(&line);
            let is_told = !matches!(event, RunEvent::Input(_) | RunEvent::Frame { .. } | RunEvent::Other);
            events.extend(is_told.then_some(event));
        }
        Ok(Some(Self { events, buttons: calibration.buttons }))
    }

    /// Whether it tells of pieces.
    pub fn has_pieces(&self) -> bool {
        self.events.iter().any(|event| matches!(event, RunEvent::Spawn { .. }))
    }
}

/// A recorded run, from its first picture on.
#[derive(Debug, Default)]
pub struct Track {
    /// With their times, ms.
    turns: Vec<(f64, Turn)>,
    /// When pieces locked elsewhere than planned, ms.
    misplaced_ms: Vec<f64>,
    changes: Vec<Change>,
    buttons: BTreeMap<String, u8>,
    /// Turns told so far, and what they left.
    told: usize,
    plan: Option<(Pose, f64, bool)>,
    misplaced: u64,
}

impl Track {
    /// What a recorded session says about the robot; `None` for other recordings, and where no robot played.
    ///
    /// # Errors
    /// When the session cannot be read.
    pub fn of(recording: &str) -> anyhow::Result<Option<Self>> {
        Ok(Told::by(recording)?.and_then(|told| Self::from_told(&told)))
    }

    /// The same, of what was told in it.
    pub fn from_told(told: &Told) -> Option<Self> {
        let track = Self::read(&told.events);
        let has_deeds = !track.changes.is_empty() || !track.turns.is_empty();
        has_deeds.then_some(Self { buttons: told.buttons.clone(), ..track })
    }

    fn read(events: &[RunEvent]) -> Self {
        let mut track = Self::default();
        for event in events {
            match *event {
                RunEvent::Plan { t_ms, piece, x, y, orientation, certainty, ahead, .. } => {
                    let turned = Orientation::from_id(orientation).filter(|turned| turned.piece() == piece);
                    let turn = turned.map(|orientation| Pose { orientation, x, y });
                    track.turns.extend(turn.map(|pose| (t_ms, Turn::Planned { pose, certainty, is_ahead: ahead })));
                }
                RunEvent::Lock { t_ms, intended, .. } => {
                    track.misplaced_ms.extend((intended == Some(false)).then_some(t_ms))
                }
                RunEvent::GameOver { t_ms } => track.turns.push((t_ms, Turn::Over)),
                RunEvent::Relay { t_ms, due_ms, mask, .. } => track.changes.push(Change { at_ms: t_ms, due_ms, mask }),
                _ => {}
            }
        }
        track.turns.sort_by(|a, b| a.0.total_cmp(&b.0));
        track.changes.sort_by(|a, b| a.at_ms.total_cmp(&b.at_ms));
        track
    }

    /// Which relay was which button.
    pub fn buttons(&self) -> &BTreeMap<String, u8> {
        &self.buttons
    }

    /// Pieces that locked elsewhere than planned, so far.
    pub fn misplaced(&self) -> u64 {
        self.misplaced
    }

    /// What was done up to the picture of this time, which told that a piece had locked, or did not. Pictures come in order.
    pub fn at(&mut self, time: HostTime, has_locked: bool) -> Deeds {
        let now_ms = time.ms();
        if has_locked {
            // What was planned ahead is the falling piece's plan from now on.
            self.plan = self.plan.filter(|plan| plan.2).map(|plan| (plan.0, plan.1, false));
            // Where a piece lies is seen before it is known that it has locked there.
            self.misplaced = self.misplaced_ms.iter().filter(|at_ms| **at_ms <= now_ms).count() as u64;
        }
        while let Some((_, turn)) = self.turns.get(self.told).filter(|turn| turn.0 <= now_ms + DECIDED_WITHIN_MS) {
            self.plan = match *turn {
                Turn::Planned { pose, certainty, is_ahead } => Some((pose, certainty, is_ahead)),
                Turn::Over => None,
            };
            self.told += 1;
        }
        let until = self.changes.partition_point(|change| change.at_ms <= now_ms);
        let since = self.changes.partition_point(|change| change.at_ms < now_ms - SHOWN_MS);
        let round = |ms: f64| (ms * 100.0).round() / 100.0;
        let shown = |c: &Change| (round(c.at_ms - now_ms), c.mask, round(c.at_ms - c.due_ms));
        let lamps = RelayMask(until.checked_sub(1).map_or(0, |last| self.changes[last].mask));
        Deeds { plan: self.plan, lamps, presses: self.changes[since..until].iter().map(shown).collect() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plans_and_presses_are_told_as_they_came() {
        let lines = [
            r#"{"event":"plan","t_ms":1000.5,"piece":"T","x":4,"y":18,"orientation":2,"certainty":0.9,"ahead":false,"presses":[]}"#,
            r#"{"event":"relay","t_ms":1100.25,"due_ms":1100.0,"mask":2,"reason":"planned"}"#,
            r#"{"event":"relay","t_ms":1133.0,"due_ms":1133.0,"mask":0,"reason":"planned"}"#,
            "no line of this version",
            r#"{"event":"lock","t_ms":3000.0,"piece":"T","x":4,"y":18,"orientation":2,"lines":0,"intended":false}"#,
        ];
        let mut track = Track::read(&lines.map(RunEvent::from_line));
        let before = track.at(HostTime::from_ms(900.0), false);
        assert_eq!(before, Deeds::default());
        let during = track.at(HostTime::from_ms(1110.0), false);
        assert_eq!(during.plan.map(|plan| (plan.0.x, plan.0.y, plan.1)), Some((4, 18, 0.9)));
        assert_eq!((during.lamps, during.presses), (RelayMask(2), vec![(-9.75, 2, 0.25)]));
        // It lies there, but may still be moved.
        assert!(track.at(HostTime::from_ms(3010.0), false).plan.is_some());
        let after = track.at(HostTime::from_ms(3200.0), true);
        assert_eq!((after.plan, after.lamps, after.presses.len(), track.misplaced()), (None, RelayMask(0), 2, 1));
    }
}
