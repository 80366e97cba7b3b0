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
/// A piece that has not locked after so many frames never will (level 0: 20 rows of 48).
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
        for pattern in 0..EXTREME_PATTERNS + RANDOM_PATTERNS {
            let changes = self.disturbed(schedule.changes(), pattern);
            for &(spawn, _) in self.spawns.times() {
                for start in self.starts {
                    let (pose, at) = self.play(start, spawn, &changes)?;
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
        let share = 1.0 / f64::from(SAMPLED_PATTERNS) / self.starts.len().max(1) as f64;
        for pattern in EXTREME_PATTERNS..EXTREME_PATTERNS + SAMPLED_PATTERNS {
            let changes = self.disturbed(schedule.changes(), pattern);
            for &(spawn, weight) in self.spawns.times() {
                for start in self.starts {
                    let Some((pose, at)) = self.play(start, spawn, &changes) else { continue };
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

    fn play(&self, start: &Faller, spawn: HostTime, changes: &[Change]) -> Option<(Pose, HostTime)> {
        let mut run = Run::new(start, self, spawn, changes);
        run.to_lock().map(|_| (run.faller.pose(), run.poll()))
    }
}

/// A piece on its way, one poll after the other.
pub struct Run<'a> {
    /// The piece.
    pub faller: Faller,
    rules: &'a Rules,
    board: &'a Board,
    spawn: HostTime,
    frame: usize,
    changes: &'a [Change],
    next_change: usize,
    held: Buttons,
}

impl<'a> Run<'a> {
    /// A piece that appeared at the poll `spawn`, with what is held then.
    pub fn new(start: &Faller, situation: &Situation<'a>, spawn: HostTime, changes: &'a [Change]) -> Self {
        let (rules, board) = (situation.rules, situation.board);
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
        self.faller.frame(self.rules, self.board, self.held)
    }

    /// Runs until the piece locks; after how many frames, `None` if it never does.
    pub fn to_lock(&mut self) -> Option<i64> {
        (1..=MAX_FRAMES as i64).find(|_| self.frame())
    }

    /// The poll of the last frame.
    pub fn poll(&self) -> HostTime {
        self.spawn.plus_ms(self.frame as f64 * self.rules.frame_ms())
    }

    fn take_changes(&mut self) {
        let poll = self.poll();
        while let Some(change) = self.changes.get(self.next_change).filter(|c| c.at <= poll) {
            self.held = change.buttons;
            self.next_change += 1;
        }
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
