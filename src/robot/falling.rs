//! The falling piece as the robot knows it: what it was when it appeared, and when that was.

use super::appearance::Appearance;
use crate::belief::Spawned;
use crate::belief::clock_watch::Sight;
use crate::calibration::Timing;
use crate::game::orientation::Pose;
use crate::game::rules::{Faller, Rules};
use crate::planner::robust::{Run, Situation};
use crate::planner::spawns::{Polls, SpawnWindow};
use crate::schedule::ButtonSchedule;
use crate::time::HostTime;

/// A piece seen so often in a column or an orientation in which no press can have put it was not pressed as planned.
const STRIKES: u8 = 2;
/// A picture blends frames, and the clock may be off: a column counts if the piece was there so many frames before or after.
const FRAMES_BEFORE: i64 = 2;
const FRAMES_AFTER: usize = 4;

/// The falling piece.
#[derive(Debug, Clone)]
pub struct Falling {
    /// As it was first seen.
    pub spawned: Spawned,
    /// At the frame of its appearance; several if it may be the first of a game or not.
    pub starts: Vec<Faller>,
    /// When it appeared, by the pictures.
    pub window: SpawnWindow,
    /// When it appeared, by the console's clock.
    pub appearance: Appearance,
    /// Its appearance came after full rows.
    pub after_clear: bool,
    /// The next piece was planned already, or shall not be.
    pub looked_ahead: bool,
    strikes: u8,
}

/// How the falling piece comes to rest.
#[derive(Debug, Clone, PartialEq)]
pub struct Landing {
    /// Where; the same on all frames.
    pub pose: Pose,
    /// On which frames, each with its weight.
    pub frames: Vec<(i64, f64)>,
}

impl Falling {
    /// A piece that has just appeared.
    pub fn new(
        spawned: Spawned,
        starts: Vec<Faller>,
        window: SpawnWindow,
        appearance: Appearance,
        after_clear: bool,
    ) -> Self {
        Self { spawned, starts, window, appearance, after_clear, looked_ahead: false, strikes: 0 }
    }

    /// What is to be planned for.
    pub fn situation<'a>(&'a self, rules: &'a Rules, timing: &'a Timing, polls: Option<&Polls>) -> Situation<'a> {
        let spawns = self.appearance.spawns(polls, self.window, rules.frame_ms());
        Situation { rules, board: &self.spawned.board, starts: &self.starts, spawns, timing }
    }

    /// The presses of a schedule that can move this piece.
    pub fn presses(&self, schedule: &ButtonSchedule) -> ButtonSchedule {
        let mut own = schedule.clone();
        own.forget_before(self.window.earliest);
        own
    }

    /// Learns from a picture when the piece appeared, and whether it is where the presses should have taken it; true if it
    /// is not.
    pub fn see(
        &mut self,
        sight: &Sight,
        rules: &Rules,
        timing: &Timing,
        polls: &Polls,
        schedule: &ButtonSchedule,
    ) -> bool {
        let mut appearance = std::mem::take(&mut self.appearance);
        let situation = self.situation(rules, timing, None);
        if self.starts.len() == 1 {
            appearance.weigh(sight, &situation, schedule, polls);
        }
        let is_expected = appearance.likely().frames().iter().any(|&(frame, _)| {
            let mut run = Run::new(&situation.starts[0], &situation, polls.time(frame), schedule.changes());
            let before = sight.frames.floor() as i64 - FRAMES_BEFORE - frame;
            let mut has_locked = (0..before.max(0)).any(|_| run.frame());
            (0..FRAMES_AFTER).any(|_| {
                let pose = run.faller.pose();
                has_locked = has_locked || run.frame();
                (pose.x, pose.orientation) == (sight.pose.x, sight.pose.orientation)
            })
        });
        let is_known = appearance.is_known() && self.starts.len() == 1;
        self.strikes = if is_known && !is_expected { self.strikes + 1 } else { 0 };
        self.appearance = appearance;
        self.strikes >= STRIKES
    }

    /// Where and when it locks under a schedule, contacts on time; `None` while its appearance is not known to the frame,
    /// or if the place depends on that.
    pub fn landing(&self, rules: &Rules, timing: &Timing, polls: &Polls, schedule: &ButtonSchedule) -> Option<Landing> {
        let [start] = self.starts.as_slice() else { return None };
        let situation = self.situation(rules, timing, Some(polls));
        let mut landing: Option<Landing> = None;
        for &(frame, weight) in self.appearance.likely().frames() {
            let mut run = Run::new(start, &situation, polls.time(frame), schedule.changes());
            let frames = run.to_lock()?;
            let pose = run.faller.pose();
            let known = landing.get_or_insert_with(|| Landing { pose, frames: Vec::new() });
            if known.pose != pose {
                return None;
            }
            known.frames.push((frame + frames, weight));
        }
        landing
    }

    /// The piece is somewhere else than it should be: from now on it is a piece that came into this place in this window.
    pub fn restart(&mut self, start: Faller, window: SpawnWindow, polls: Option<&Polls>) {
        self.starts = vec![start];
        self.window = window;
        self.appearance =
            polls.map(|polls| Appearance::seen(polls, window, &Appearance::default())).unwrap_or_default();
        self.strikes = 0;
        self.looked_ahead = false;
    }

    /// Whether a press of this schedule may have moved the piece before `time`.
    pub fn was_pressed(&self, schedule: &ButtonSchedule, time: HostTime) -> bool {
        self.presses(schedule).changes().iter().any(|change| change.at > self.window.earliest && change.at < time)
    }
}
