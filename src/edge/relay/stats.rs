//! What the relays did, in numbers.

use super::lateness::Lateness;
use crate::message::RelayMask;

/// Press errors kept for percentiles; older ones are overwritten.
const ERRORS_KEPT: usize = 65_536;

/// What an executor has done so far.
#[derive(Debug, Clone, Default)]
pub struct RelayStats {
    /// Masks handed to the board, those that open included.
    pub sent: u64,
    /// Commands whose closing came too late and was left out.
    pub dropped_stale: u64,
    /// Commands refused because they would close a forbidden chord.
    pub refused: u64,
    /// Openings that came after their expiry, and were sent all the same.
    pub late_openings: u64,
    /// Relays opened because they were held over the limit.
    pub held_too_long: u64,
    /// Times the plan ran out with relays closed.
    pub ran_dry: u64,
    /// Times the relays opened because no picture came.
    pub went_blind: u64,
    /// Times the board was lost.
    pub board_lost: u64,
    /// Times that all was opened because the board had opened by itself, or held other relays than it was told.
    pub distrusted: u64,
    /// Times that all was opened and the plan forgotten because this program stood still, or had no watchdog.
    pub interrupted: u64,
    /// "Open all" said once more, in case that a byte was lost on the way.
    pub repeated: u64,
    /// Unsent commands that a newer schedule replaced.
    pub replaced: u64,
    /// Closings of each relay, K0 first. Relays live 10⁵ to 10⁷ of them.
    pub operations: [u64; 8],
    lateness: Lateness,
    press_errors_us: Vec<i32>,
    oldest: usize,
}

/// How late commands were handed over, µs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Spread {
    /// Commands counted.
    pub count: usize,
    /// Half were at most this late.
    pub p50_us: i32,
    /// 99 of 100 were at most this late.
    pub p99_us: i32,
    /// The latest.
    pub max_us: i32,
}

impl RelayStats {
    /// The errors of planned commands, actual minus due; `None` before the first.
    pub fn press_error(&self) -> Option<Spread> {
        let mut sorted = self.press_errors_us.clone();
        sorted.sort_unstable();
        let at = |share: f64| sorted.get(((sorted.len() - 1) as f64 * share).round() as usize).copied();
        let max_us = *sorted.last()?;
        Some(Spread { count: sorted.len(), p50_us: at(0.5)?, p99_us: at(0.99)?, max_us })
    }

    /// All press errors of the run, counted by size.
    pub fn lateness(&self) -> &Lateness {
        &self.lateness
    }

    /// Counts a mask that follows another.
    pub(super) fn count_change(&mut self, before: RelayMask, after: RelayMask) {
        self.sent += 1;
        let closing = after.0 & !before.0;
        for (relay, count) in self.operations.iter_mut().enumerate() {
            *count += u64::from(closing >> relay & 1);
        }
    }

    /// Counts how late a planned command was, µs.
    pub(crate) fn count_press_error(&mut self, error_us: i64) {
        self.lateness.count(error_us);
        let error_us = error_us.clamp(i64::from(i32::MIN), i64::from(i32::MAX)) as i32;
        if self.press_errors_us.len() < ERRORS_KEPT {
            self.press_errors_us.push(error_us);
        } else {
            self.press_errors_us[self.oldest] = error_us;
            self.oldest = (self.oldest + 1) % ERRORS_KEPT;
        }
    }
}
