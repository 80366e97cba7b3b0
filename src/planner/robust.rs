//! Does a schedule put the piece where it should, whatever the clock and the contacts do within their bounds?
//!
//! The console's frame boundaries are not known, nor is the exact frame of the spawn; contacts close and open early or
//! late. All of that is tried: a grid of spawn times over the window that the camera left open, times a set of contact
//! errors that holds all extremes. Only a schedule that ends alike in every case is used.

use crate::calibration::Timing;
use crate::game::Board;
use crate::game::orientation::Pose;
use crate::game::rules::{Faller, Rules};
use crate::message::Buttons;
use crate::schedule::{ButtonSchedule, Change};
use crate::time::HostTime;

/// Bounce after the contact first moves, ms (datasheets: 1–5; the console reads the pad twice, so it only delays).
const BOUNCE_MS: f64 = 1.0;
/// The spawn window is tried in steps of this share of a frame.
const STEP_FRAMES: f64 = 0.25;
/// At most so many steps; wider windows are tried more coarsely.
const MAX_STEPS: usize = 48;
/// A piece that has not locked after so many frames never will (level 0: 20 rows of 48).
const MAX_FRAMES: usize = 2000;
/// Contact errors tried besides none and the four extremes: single edges off by a pseudo-random share.
const RANDOM_PATTERNS: u32 = 4;

/// When the poll of the frame in which the piece appeared may have been.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SpawnWindow {
    /// Not before.
    pub earliest: HostTime,
    /// Not after.
    pub latest: HostTime,
}

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
    pub window: SpawnWindow,
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

impl Situation<'_> {
    /// Where and when the piece locks under this schedule; `None` if that depends on chance.
    pub fn certain_lock(&self, schedule: &ButtonSchedule) -> Option<Lock> {
        let mut lock: Option<Lock> = None;
        for pattern in 0..5 + RANDOM_PATTERNS {
            let changes = self.disturbed(schedule.changes(), pattern);
            for spawn in self.spawn_times() {
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

    fn spawn_times(&self) -> impl Iterator<Item = HostTime> {
        let SpawnWindow { earliest, latest } = self.window;
        let width_ms = latest.ms_since(earliest).max(0.0);
        let fine = (width_ms / (STEP_FRAMES * self.rules.frame_ms())).ceil() as usize;
        let steps = fine.clamp(1, MAX_STEPS);
        (0..=steps).map(move |i| earliest.plus_ms(width_ms * i as f64 / steps as f64))
    }

    /// The contacts' true changes in one case of errors.
    fn disturbed(&self, changes: &[Change], pattern: u32) -> Vec<Change> {
        let close = self.timing.close.spread_ms + BOUNCE_MS;
        let open = self.timing.open.spread_ms + BOUNCE_MS;
        let mut noise = Noise(pattern.wrapping_mul(0x9E37_79B9) | 1);
        let mut before = Buttons::NONE;
        changes
            .iter()
            .map(|change| {
                let closes = change.buttons.without(before) != Buttons::NONE;
                before = change.buttons;
                let bound = if closes { close } else { open };
                let share = match pattern {
                    0 => 0.0,
                    1 => 1.0,
                    2 => -1.0,
                    3 => {
                        if closes {
                            1.0
                        } else {
                            -1.0
                        }
                    }
                    4 => {
                        if closes {
                            -1.0
                        } else {
                            1.0
                        }
                    }
                    _ => noise.share(),
                };
                Change { at: change.at.plus_ms(share * bound), ..*change }
            })
            .collect()
    }

    fn play(&self, start: &Faller, spawn: HostTime, changes: &[Change]) -> Option<(Pose, HostTime)> {
        let mut faller = start.clone();
        let mut next_change = 0;
        let mut held = Buttons::NONE;
        for frame in 1..=MAX_FRAMES {
            let poll = spawn.plus_ms(frame as f64 * self.rules.frame_ms());
            while changes.get(next_change).is_some_and(|c| c.at <= poll) {
                held = changes[next_change].buttons;
                next_change += 1;
            }
            if faller.frame(self.rules, self.board, held) {
                return Some((faller.pose(), poll));
            }
        }
        None
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
