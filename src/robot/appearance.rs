//! On which frame of the console the falling piece appeared: what the piece before foretells, what the camera saw when it
//! came, and how far down it is in every picture since.

use crate::belief::clock::clock_watch::Sight;
use crate::belief::clock::game_clock::GameClock;
use crate::schedule::ButtonSchedule;
use crate::schedule::outcome::{Run, Situation};
use crate::schedule::polls::{Polls, SpawnWindow, Spawns};

/// How often a measured height is grossly wrong.
const GROSS: f64 = 0.03;
/// Weights below this share are not planned for.
const NEGLIGIBLE: f64 = 0.03;
/// What was foretold and what was seen may differ by so much before the foretelling is given up, as a share of its weight.
const LEAST_AGREEMENT: f64 = 1e-3;
/// More frames than this are no knowledge.
const FRAMES_MAX: i64 = 24;

/// The frames, each with its weight; they sum to 1. Empty while the console's clock is not known.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Appearance {
    frames: Vec<(i64, f64)>,
}

/// The polls by the game's clock: the clock tells when pictures arrive, which is later by the eye's time.
pub fn polls(clock: &GameClock, eye_ms: f64, now: crate::time::HostTime) -> Polls {
    let error_ms = clock.uncertainty_ms(now);
    Polls { at: clock.origin.plus_ms(-eye_ms), frame: clock.frame.0, frame_ms: clock.frame_ms, error_ms }
}

impl Appearance {
    /// From frames with weights of any sum; equal frames are added up.
    pub fn of(weighed: impl IntoIterator<Item = (i64, f64)>) -> Self {
        let mut frames: Vec<(i64, f64)> = Vec::new();
        for (frame, weight) in weighed {
            match frames.iter_mut().find(|(known, _)| *known == frame) {
                Some((_, sum)) => *sum += weight,
                None => frames.push((frame, weight)),
            }
        }
        frames.sort_by_key(|(frame, _)| *frame);
        let mut appearance = Self { frames };
        appearance.normalize();
        appearance
    }

    /// Seen to appear within a window; `foretold` says on which frames it was expected.
    pub fn seen(polls: &Polls, window: SpawnWindow, foretold: &Self) -> Self {
        let first = polls.nearest(window.earliest.plus_ms(-polls.error_ms));
        let last = polls.nearest(window.latest.plus_ms(polls.error_ms)).max(first);
        if last - first > FRAMES_MAX {
            return Self::default();
        }
        let agreed: Vec<(i64, f64)> =
            foretold.frames.iter().filter(|(frame, _)| (first..=last).contains(frame)).copied().collect();
        if agreed.iter().map(|(_, weight)| weight).sum::<f64>() > LEAST_AGREEMENT {
            return Self::of(agreed);
        }
        // One of the two is wrong, and nobody knows which.
        let seen = (first..=last).map(|frame| (frame, 1.0 / (last - first + 1) as f64));
        Self::of(seen.chain(foretold.frames.iter().copied()))
    }

    /// Weighs the frames by where the piece was seen, under the presses that were made.
    pub fn weigh(&mut self, sight: &Sight, situation: &Situation<'_>, schedule: &ButtonSchedule, polls: &Polls) {
        let Some(start) = situation.starts.first() else { return };
        let upper = sight.shown().0;
        for (frame, weight) in &mut self.frames {
            let mut run = Run::new(start, situation, polls.time(*frame), schedule.changes());
            let steps = (upper - *frame).max(0);
            let mut rows = (run.faller.pose().y, run.faller.pose().y);
            for _ in 0..steps {
                rows.0 = run.faller.pose().y;
                if run.frame() {
                    break;
                }
                rows.1 = run.faller.pose().y;
            }
            *weight *= sight.likelihood(rows.0, rows.1) + GROSS;
        }
        self.normalize();
    }

    /// Whether it can be told on which frames the piece appeared.
    pub fn is_known(&self) -> bool {
        !self.frames.is_empty()
    }

    /// The frames that matter, with weights that sum to 1.
    pub fn likely(&self) -> Self {
        let most = self.frames.iter().map(|(_, weight)| *weight).fold(0.0, f64::max);
        Self::of(self.frames.iter().filter(|(_, weight)| *weight >= NEGLIGIBLE * most).copied())
    }

    /// The frames with their weights, in order.
    pub fn frames(&self) -> &[(i64, f64)] {
        &self.frames
    }

    /// The times to plan for; the whole `window` while the frames are not known.
    pub fn spawns(&self, polls: Option<&Polls>, window: SpawnWindow, frame_ms: f64) -> Spawns {
        match polls {
            Some(polls) if self.is_known() => Spawns::at_frames(*polls, self.likely().frames()),
            _ => Spawns::within(window, frame_ms),
        }
    }

    fn normalize(&mut self) {
        let total: f64 = self.frames.iter().map(|(_, weight)| weight).sum();
        if total > 0.0 {
            self.frames.iter_mut().for_each(|(_, weight)| *weight /= total);
        } else {
            self.frames.clear();
        }
    }
}
