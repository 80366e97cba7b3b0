//! The falling piece as the robot knows it: what it was when it appeared, and when that was.

use super::appearance::Appearance;
use crate::belief::Spawned;
use crate::belief::blame::cause::Cause;
use crate::belief::blame::{Record, View};
use crate::belief::clock::clock_watch::Sight;
use crate::game::orientation::Pose;
use crate::game::rules::{Faller, Rules};
use crate::profile::calibration::Timing;
use crate::schedule::ButtonSchedule;
use crate::schedule::outcome::{Run, Situation};
use crate::schedule::polls::{Polls, SpawnWindow};
use crate::schedule::press::{changes, presses};
use crate::time::HostTime;

/// A piece seen this often in a column or an orientation in which no press can have put it was not pressed as planned.
const STRIKES: u8 = 2;
/// A picture blends frames, and the clock may be off: a column counts if the piece was there this many frames before or after.
const FAR: (i64, usize) = (2, 4);
/// One that was not there within fewer frames, or this many rows higher or lower, is looked at more closely.
const NEAR: (i64, usize) = (1, 3);
const ROWS_OFF: f64 = 1.6;

/// A press that took the piece before to its place was felt before the next one appeared, however late its contact may have closed:
/// it is taken for so many frames earlier.
const FELT_FRAMES: f64 = 4.0;

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
    /// All that was seen of it; `None` if nothing can be learned from it.
    pub record: Option<Record>,
    /// All that was pressed for it is known: nobody else held the hand, and nothing was called off.
    pub is_own: bool,
    /// What went wrong with its presses, most likely.
    pub causes: Vec<Cause>,
    /// When it appeared, before it was ever looked for again.
    first_window: SpawnWindow,
    /// What was pressed before is another piece's, or is in what was seen of this one.
    pressed_since: HostTime,
    /// The press that took the piece before to its place: it was felt before this one appeared, and may still be held.
    pub locked_by: Option<HostTime>,
    frame_ms: f64,
    strikes: u8,
}

/// How a sight fits to the presses.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Seen {
    /// The piece is where it should be.
    Expected,
    /// It is somewhere else, or the picture was misread.
    Strange,
    /// It is where no press can have put it, again and again.
    Lost,
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
        record: Option<Record>,
        frame_ms: f64,
    ) -> Self {
        Self {
            spawned,
            starts,
            window,
            appearance,
            after_clear,
            looked_ahead: false,
            record,
            is_own: true,
            causes: Vec::new(),
            first_window: window,
            pressed_since: window.earliest,
            locked_by: None,
            frame_ms,
            strikes: 0,
        }
    }

    /// What is to be planned for.
    pub fn situation<'a>(&'a self, rules: &'a Rules, timing: &'a Timing, polls: Option<&Polls>) -> Situation<'a> {
        let spawns = self.appearance.spawns(polls, self.window, rules.frame_ms());
        Situation { rules, board: &self.spawned.board, starts: &self.starts, spawns, timing }
    }

    /// The presses of a schedule that can move this piece, as the contacts made them: what went wrong is known.
    pub fn presses(&self, schedule: &ButtonSchedule) -> ButtonSchedule {
        let mut own = schedule.clone();
        own.forget_before(self.pressed_since);
        if let Some(felt) = self.locked_by {
            own.hasten(felt, FELT_FRAMES * self.frame_ms);
        }
        if self.causes.is_empty() {
            return own;
        }
        let mut made = presses(own.changes());
        self.causes.iter().for_each(|cause| cause.apply(&mut made, self.frame_ms));
        ButtonSchedule::of(changes(&made))
    }

    /// It has become known which rules of several the game follows: so does the piece.
    pub fn follow(&mut self, rules: &Rules) {
        self.starts.iter_mut().for_each(|start| start.follow(rules));
        if let Some(record) = &mut self.record {
            record.follow(rules);
        }
    }

    /// Whether something else explains better what was seen than what was believed to have gone wrong so far; the piece is
    /// taken for one that moved accordingly then.
    pub fn explain(&mut self, view: View<'_>, schedule: &ButtonSchedule) -> bool {
        let Some(record) = &self.record else { return false };
        let found = record.explain(view, schedule, &self.causes);
        let Some(found) = found.filter(|found| found.causes != self.causes) else { return false };
        let (start, board) = record.start();
        self.starts = vec![start.clone()];
        self.spawned.board = *board;
        (self.window, self.pressed_since) = (self.first_window, self.first_window.earliest);
        // Frames that count by polls of any phase tell nothing about when it appeared.
        self.appearance = if record.rough().is_none() { Appearance::of(found.frames) } else { Appearance::default() };
        self.causes = found.causes;
        (self.strikes, self.looked_ahead) = (0, false);
        true
    }

    /// Learns from a picture when the piece appeared, and whether it is where the presses should have taken it.
    pub fn see(
        &mut self,
        sight: &Sight,
        rules: &Rules,
        timing: &Timing,
        polls: &Polls,
        schedule: &ButtonSchedule,
    ) -> Seen {
        let mut appearance = std::mem::take(&mut self.appearance);
        let situation = self.situation(rules, timing, None);
        if self.starts.len() == 1 {
            appearance.weigh(sight, &situation, schedule, polls);
        }
        let likely = appearance.likely();
        let was_there = |(first, frames): (i64, usize)| {
            likely.frames().iter().any(|&(frame, _)| {
                let mut run = Run::new(&situation.starts[0], &situation, polls.time(frame), schedule.changes());
                let before = sight.frames.floor() as i64 - first - frame;
                let mut has_locked = (0..before.max(0)).any(|_| run.frame());
                (0..frames).any(|_| {
                    let pose = run.faller.pose();
                    has_locked = has_locked || run.frame();
                    (pose.x, pose.orientation) == (sight.pose.x, sight.pose.orientation)
                        && (frames > NEAR.1 || (sight.height - f64::from(pose.y)).abs() < ROWS_OFF)
                })
            })
        };
        let is_known = appearance.is_known() && self.starts.len() == 1;
        let (is_near, is_expected) = (was_there(NEAR), was_there(FAR));
        self.strikes = if is_known && !is_expected { self.strikes + 1 } else { 0 };
        self.appearance = appearance;
        match is_known && !is_near {
            true if self.strikes >= STRIKES => Seen::Lost,
            true => Seen::Strange,
            false => Seen::Expected,
        }
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

    /// The piece is somewhere else than it should be: from now on it is a piece that came into this place in this window, and
    /// was there at `seen`.
    pub fn restart(&mut self, start: Faller, window: SpawnWindow, seen: HostTime, polls: Option<&Polls>) {
        self.starts = vec![start];
        (self.window, self.pressed_since) = (window, seen);
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
