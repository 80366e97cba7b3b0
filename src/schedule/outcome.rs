//! Does a schedule put the piece where it should, whatever the clock and the contacts do within their bounds?
//!
//! The console's frame boundaries are not known, or only roughly, nor is the exact frame of the spawn; contacts close and
//! open early or late. All of that is tried: every spawn time that is left open, times a set of contact errors that holds
//! all extremes. A schedule that ends alike in every case is certain; of others it is said how often they end where.

use crate::game::Board;
use crate::game::Buttons;
use crate::game::orientation::Pose;
use crate::game::rules::{Faller, Rules};
use crate::profile::calibration::Timing;
use crate::schedule::polls::Spawns;
use crate::schedule::{ButtonSchedule, Change};
use crate::time::HostTime;

/// Bounce after the contact first moves, ms (datasheets: 1–5; the console reads the pad twice, so it only delays).
pub const BOUNCE_MS: f64 = 1.0;
/// A piece that has not locked after this many frames never will (level 0: 20 rows of 48).
const MAX_FRAMES: usize = 2000;
/// Contact errors in which all edges are off by a bound, or none is.
const EXTREME_PATTERNS: u32 = 5;
/// Contact errors tried besides: single edges off by a pseudo-random share.
const RANDOM_PATTERNS: u32 = 4;
/// The same where a probability is wanted: extremes are too rare to count.
const SAMPLED_PATTERNS: u32 = 8;

/// What is known when a piece is planned.
#[derive(Debug, Clone)]
pub struct Situation<'a> {
    /// The rules.
    pub rules: &'a Rules,
    /// The settled pile.
    pub board: &'a Board,
    /// The piece as it appeared; several if it may be the first of a game or not.
    pub starts: &'a [Faller],
    /// When it appeared.
    pub spawns: Spawns,
    /// The contacts' spread.
    pub timing: &'a Timing,
}

/// When a schedule locks its piece, if it always locks it in the same place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Lock {
    /// Where.
    pub pose: Pose,
    /// Not before.
    pub earliest: HostTime,
    /// Not after.
    pub latest: HostTime,
}

/// Where a schedule may lock its piece, likeliest first, with probabilities that sum to 1.
#[derive(Debug, Clone, PartialEq)]
pub struct Outcomes(pub Vec<(Lock, f64)>);

impl Situation<'_> {
    /// Where and when the piece locks under this schedule; `None` if that depends on chance.
    pub fn certain_lock(&self, schedule: &ButtonSchedule) -> Option<Lock> {
        let mut lock: Option<Lock> = None;
        let mut plays = Plays::default();
        for pattern in 0..EXTREME_PATTERNS + RANDOM_PATTERNS {
            let changes = self.disturbed(schedule.changes(), pattern);
            for &(spawn, _) in self.spawns.times() {
                for start in self.starts {
                    let (pose, at) = plays.lock_of(Run::new(start, self, spawn, &changes))?;
                    let seen = lock.get_or_insert(Lock { pose, earliest: at, latest: at });
                    if seen.pose != pose {
                        return None;
                    }
                    seen.earliest = seen.earliest.min(at);
                    seen.latest = seen.latest.max(at);
                }
            }
        }
        lock
    }

    /// Where and how often the piece locks under this schedule, by samples.
    pub fn outcomes(&self, schedule: &ButtonSchedule) -> Outcomes {
        let mut locks: Vec<(Lock, f64)> = Vec::new();
        let mut plays = Plays::default();
        let share = 1.0 / f64::from(SAMPLED_PATTERNS) / self.starts.len().max(1) as f64;
        for pattern in EXTREME_PATTERNS..EXTREME_PATTERNS + SAMPLED_PATTERNS {
            let changes = self.disturbed(schedule.changes(), pattern);
            for &(spawn, weight) in self.spawns.times() {
                for start in self.starts {
                    let Some((pose, at)) = plays.lock_of(Run::new(start, self, spawn, &changes)) else { continue };
                    match locks.iter_mut().find(|(lock, _)| lock.pose == pose) {
                        Some((lock, probability)) => {
                            lock.earliest = lock.earliest.min(at);
                            lock.latest = lock.latest.max(at);
                            *probability += weight * share;
                        }
                        None => locks.push((Lock { pose, earliest: at, latest: at }, weight * share)),
                    }
                }
            }
        }
        locks.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.pose.cmp(&b.0.pose)));
        Outcomes(locks)
    }

    /// Where the piece most likely is at a time; `None` if it has locked by then.
    pub fn likely_pose(&self, schedule: &ButtonSchedule, at: HostTime) -> Option<Pose> {
        let spawn = self.spawns.likeliest()?;
        let frames = (at.ms_since(spawn) / self.rules.frame_ms()).floor().max(0.0) as usize;
        let mut run = Run::new(self.starts.first()?, self, spawn, schedule.changes());
        let has_locked = (0..frames.min(MAX_FRAMES)).any(|_| run.frame());
        (!has_locked).then(|| run.faller.pose())
    }

    /// The contacts' true changes in one case of errors.
    fn disturbed(&self, changes: &[Change], pattern: u32) -> Vec<Change> {
        let close = self.timing.close.spread_ms + BOUNCE_MS;
        let open = self.timing.open.spread_ms + BOUNCE_MS;
        let mut noise = Noise(pattern.wrapping_mul(0x9E37_79B9) | 1);
        let mut before = Buttons::NONE;
        let mut disturb = |change: &Change| {
            let closes = change.buttons.without(before) != Buttons::NONE;
            before = change.buttons;
            let share = match pattern {
                0 => 0.0,
                1 => 1.0,
                2 => -1.0,
                3 if closes => 1.0,
                3 => -1.0,
                4 if closes => -1.0,
                4 => 1.0,
                _ => noise.share(),
            };
            Change { at: change.at.plus_ms(share * if closes { close } else { open }), ..*change }
        };
        changes.iter().map(&mut disturb).collect()
    }
}

/// A piece on its way, one poll after the other.
#[derive(Debug, Clone)]
pub struct Run<'a> {
    /// The piece.
    pub faller: Faller,
    rules: &'a Rules,
    board: &'a Board,
    spawn: HostTime,
    frame: usize,
    /// What is held from which frame on.
    changes: Vec<(usize, Buttons)>,
    next_change: usize,
    held: Buttons,
}

impl<'a> Run<'a> {
    /// A piece that appeared at the poll `spawn`, with what is held then.
    pub fn new(start: &Faller, situation: &Situation<'a>, spawn: HostTime, changes: &[Change]) -> Self {
        let (rules, board) = (situation.rules, situation.board);
        let changes = by_frame(changes, spawn, rules.frame_ms());
        let mut run =
            Self { faller: start.clone(), rules, board, spawn, frame: 0, changes, next_change: 0, held: Buttons::NONE };
        run.take_changes();
        // What was pressed before is not newly pressed.
        run.faller.hold(run.held);
        run
    }

    /// The next frame; whether the piece locked in it.
    pub fn frame(&mut self) -> bool {
        self.frame += 1;
        self.take_changes();
        self.faller.frame(self.board, self.held)
    }

    /// Runs through the last frame that is polled by `time`; false if the piece locks on the way.
    pub fn runs_to(&mut self, time: HostTime) -> bool {
        let frames = (time.ms_since(self.spawn) / self.rules.frame_ms()).floor().max(0.0) as usize;
        (self.frame..frames).all(|_| !self.frame())
    }

    /// Runs until the piece locks; after how many frames, `None` if it never does.
    pub fn to_lock(&mut self) -> Option<i64> {
        let begin = self.frame;
        while self.frame < begin + MAX_FRAMES {
            if self.frame() {
                return Some((self.frame - begin) as i64);
            }
            self.skip_idle_frames();
        }
        None
    }

    /// The poll of the last frame.
    pub fn poll(&self) -> HostTime {
        self.spawn.plus_ms(self.frame as f64 * self.rules.frame_ms())
    }

    /// Nothing need be played while nothing changes.
    fn skip_idle_frames(&mut self) {
        let next = self.changes.get(self.next_change).map_or(usize::MAX, |&(frame, _)| frame);
        let idle = self.faller.idle_frames().min(next - self.frame - 1);
        self.faller.idle(idle);
        self.frame += idle;
    }

    fn take_changes(&mut self) {
        while let Some(&(_, buttons)) = self.changes.get(self.next_change).filter(|(frame, _)| *frame <= self.frame) {
            self.held = buttons;
            self.next_change += 1;
        }
    }
}

/// The frames from whose polls on the changes count, for a piece that appeared at the poll `spawn`. A change that is
/// overtaken by the one before it counts with that.
fn by_frame(changes: &[Change], spawn: HostTime, frame_ms: f64) -> Vec<(usize, Buttons)> {
    let poll = |frame: usize| spawn.plus_ms(frame as f64 * frame_ms);
    let mut last = 0;
    let frame_of = |change: &Change| {
        let mut frame = (change.at.ms_since(spawn) / frame_ms).ceil().max(0.0) as usize;
        // Polls are rounded to microseconds, which is a frame at most. (Times that no clock tells, centuries apart, are not known
        // to a frame: no search for it would end.)
        if frame > 0 && poll(frame - 1) >= change.at {
            frame -= 1;
        } else if poll(frame) < change.at {
            frame += 1;
        }
        last = last.max(frame);
        (last, change.buttons)
    };
    changes.iter().map(frame_of).collect()
}

/// Plays that were made: contact errors of less than a frame mostly end in the same presses.
#[derive(Default)]
struct Plays<'a>(Vec<(Run<'a>, Option<(Pose, i64)>)>);

impl<'a> Plays<'a> {
    /// Where and when a piece locks that has just appeared; `None` if it never does.
    fn lock_of(&mut self, run: Run<'a>) -> Option<(Pose, HostTime)> {
        let known = self.0.iter().find(|(other, _)| other.is_alike(&run)).map(|(_, lock)| *lock);
        let (spawn, frame_ms) = (run.spawn, run.rules.frame_ms());
        let lock = known.unwrap_or_else(|| {
            let mut played = run.clone();
            // Where half a turn changes nothing that can be seen, it is the same place.
            let lock = played.to_lock().map(|frames| (played.faller.pose().shape(), frames));
            self.0.push((run, lock));
            lock
        });
        lock.map(|(pose, frames)| (pose, spawn.plus_ms(frames as f64 * frame_ms)))
    }
}

impl Run<'_> {
    /// Whether two pieces that have just appeared will go the same way.
    fn is_alike(&self, other: &Self) -> bool {
        self.changes == other.changes && self.faller == other.faller
    }
}

/// A tiny fixed generator: the patterns only have to differ, and to be the same on every machine.
struct Noise(u32);

impl Noise {
    /// Between −1 and 1.
    fn share(&mut self) -> f64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 17;
        self.0 ^= self.0 << 5;
        f64::from(self.0) / f64::from(u32::MAX) * 2.0 - 1.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_change_counts_from_the_first_poll_that_is_not_before_it() {
        let (spawn, frame_ms) = (HostTime(12_345), 1000.0 * 655_171.0 / 39_375_000.0);
        for frame in 0..5000usize {
            let poll = spawn.plus_ms(frame as f64 * frame_ms);
            for (at, counted) in [(poll, frame), (HostTime(poll.0 + 1), frame + 1)] {
                let changes = by_frame(&[Change { at, buttons: Buttons::A }], spawn, frame_ms);
                assert_eq!(changes, [(counted, Buttons::A)], "{at:?}");
            }
        }
    }

    #[test]
    fn times_that_no_clock_tells_are_no_reason_to_search_for_ever() {
        let change = |at| Change { at: HostTime(at), buttons: Buttons::A };
        for (spawn, at) in [(0, i64::MAX), (i64::MAX - 1, i64::MAX), (i64::MIN / 4, i64::MAX / 2), (i64::MAX, 0)] {
            assert_eq!(by_frame(&[change(at)], HostTime(spawn), 16.639).len(), 1);
        }
    }
}
