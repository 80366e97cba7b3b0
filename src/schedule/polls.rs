//! When a piece may have appeared: an interval, or a few of the console's polls where those are known.

use crate::time::HostTime;

/// An interval is tried in steps of this share of a frame.
const STEP_FRAMES: f64 = 0.25;
/// At most this many steps; wider intervals are tried more coarsely.
const MAX_STEPS: usize = 48;

/// When the poll of the frame in which the piece appeared may have been.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SpawnWindow {
    /// Not before.
    pub earliest: HostTime,
    /// Not after.
    pub latest: HostTime,
}

impl SpawnWindow {
    /// The part of it after a time that lies in it.
    #[must_use]
    pub fn after(self, time: Option<HostTime>) -> Self {
        let inside = time.filter(|time| (self.earliest..self.latest).contains(time));
        inside.map_or(self, |time| Self { earliest: HostTime(time.0 + 1), ..self })
    }
}

/// The console's polls in host time.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Polls {
    /// One of them.
    pub at: HostTime,
    /// The number of the frame that it belongs to.
    pub frame: i64,
    /// From poll to poll, ms.
    pub frame_ms: f64,
    /// By how much all of them may be off, ms.
    pub error_ms: f64,
}

impl Polls {
    /// When a frame is polled.
    pub fn time(&self, frame: i64) -> HostTime {
        self.at.plus_ms((frame - self.frame) as f64 * self.frame_ms)
    }

    /// The frame whose poll is nearest to a time.
    pub fn nearest(&self, time: HostTime) -> i64 {
        self.frame + (time.ms_since(self.at) / self.frame_ms).round() as i64
    }

    /// The first time from `start` on that is mid-way between two polls: contacts may be late or early by most there.
    pub fn between(&self, start: HostTime) -> HostTime {
        let gaps = (start.ms_since(self.at) / self.frame_ms - 0.5).ceil();
        self.at.plus_ms((gaps + 0.5) * self.frame_ms)
    }
}

/// When a piece may have appeared, each time with its probability.
#[derive(Debug, Clone, PartialEq)]
pub struct Spawns {
    times: Vec<(HostTime, f64)>,
    polls: Option<Polls>,
}

impl Spawns {
    /// Anywhere in an interval, while nothing is known about the console's polls.
    pub fn within(window: SpawnWindow, frame_ms: f64) -> Self {
        let SpawnWindow { earliest, latest } = window;
        let width_ms = latest.ms_since(earliest).max(0.0);
        let fine = (width_ms / (STEP_FRAMES * frame_ms)).ceil() as usize;
        let steps = fine.clamp(1, MAX_STEPS);
        let share = 1.0 / (steps + 1) as f64;
        let times = (0..=steps).map(|i| (earliest.plus_ms(width_ms * i as f64 / steps as f64), share)).collect();
        Self { times, polls: None }
    }

    /// In one of these frames, each with its weight; the polls may all be early or late by their error.
    pub fn at_frames(polls: Polls, frames: &[(i64, f64)]) -> Self {
        let total: f64 = frames.iter().map(|(_, weight)| weight).sum();
        let times = frames.iter().flat_map(|&(frame, weight)| {
            let poll = polls.time(frame);
            let shifted = [0.0, -polls.error_ms, polls.error_ms];
            shifted.map(|error_ms| (poll.plus_ms(error_ms), weight / total / 3.0))
        });
        Self { times: times.collect(), polls: Some(polls) }
    }

    /// All cases, with probabilities that sum to 1.
    pub fn times(&self) -> &[(HostTime, f64)] {
        &self.times
    }

    /// The console's polls, if they are known.
    pub fn polls(&self) -> Option<&Polls> {
        self.polls.as_ref()
    }

    /// The likeliest time; of equals the first.
    pub fn likeliest(&self) -> Option<HostTime> {
        let best = self.times.iter().fold(None, |best: Option<(HostTime, f64)>, &(time, weight)| match best {
            Some((_, most)) if most >= weight => best,
            _ => Some((time, weight)),
        });
        best.map(|(time, _)| time)
    }

    /// Where a first contact from `start` on is best put.
    pub fn aimed(&self, start: HostTime) -> HostTime {
        self.polls.map_or(start, |polls| polls.between(start))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn contacts_are_aimed_mid_way_between_polls() {
        let polls = Polls { at: HostTime::from_ms(1000.0), frame: 7, frame_ms: 16.0, error_ms: 1.0 };
        assert_eq!(polls.between(HostTime::from_ms(1000.0)), HostTime::from_ms(1008.0));
        assert_eq!(polls.between(HostTime::from_ms(1008.1)), HostTime::from_ms(1024.0));
        assert_eq!(polls.between(HostTime::from_ms(901.0)), HostTime::from_ms(912.0));
        assert_eq!(polls.nearest(HostTime::from_ms(1017.0)), 8);
        assert_eq!(polls.time(5), HostTime::from_ms(968.0));
    }

    #[test]
    fn known_polls_leave_three_cases_a_frame() {
        let polls = Polls { at: HostTime(0), frame: 0, frame_ms: 16.0, error_ms: 1.5 };
        let spawns = Spawns::at_frames(polls, &[(1, 3.0), (2, 1.0)]);
        assert_eq!(spawns.times().len(), 6);
        assert!((spawns.times().iter().map(|(_, w)| w).sum::<f64>() - 1.0).abs() < 1e-9);
        assert_eq!(spawns.likeliest(), Some(HostTime::from_ms(16.0)));
    }
}
