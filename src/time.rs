//! Time: three clocks that must never be mixed up, and the only place that reads the operating system's.
//!
//! - [`HostTime`]: this computer's monotonic clock, in whole microseconds. Presses are due in it.
//! - [`CameraFrame`]: the camera's picture counter.
//! - [`ConsoleFrame`]: the console's frame counter, which nobody can read, only infer.

use std::fmt;
use std::ops::{Add, Sub};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant, SystemTime};

/// Host time in microseconds since the clock's own start. May be negative (before the start).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct HostTime(pub i64);

impl HostTime {
    /// From milliseconds, rounded to the nearest microsecond.
    pub fn from_ms(ms: f64) -> Self {
        Self((ms * 1000.0).round() as i64)
    }

    /// In milliseconds.
    pub fn ms(self) -> f64 {
        self.0 as f64 / 1000.0
    }

    /// This time moved by `ms` milliseconds (negative: earlier).
    pub fn plus_ms(self, ms: f64) -> Self {
        Self(self.0.saturating_add((ms * 1000.0).round() as i64))
    }

    /// Milliseconds from `earlier` to this time.
    pub fn ms_since(self, earlier: Self) -> f64 {
        (self - earlier) as f64 / 1000.0
    }
}

impl Add<Duration> for HostTime {
    type Output = Self;
    fn add(self, span: Duration) -> Self {
        Self(self.0 + span.as_micros() as i64)
    }
}

impl Sub for HostTime {
    type Output = i64;
    /// Microseconds between two times. (A damaged recording may claim any time.)
    fn sub(self, other: Self) -> i64 {
        self.0.saturating_sub(other.0)
    }
}

impl fmt::Display for HostTime {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:.3} ms", self.ms())
    }
}

/// The camera's picture counter, from 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct CameraFrame(pub u64);

/// The console's frame counter, from power-on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct ConsoleFrame(pub i64);

/// A clock that can be waited on. Only edges hold one.
pub trait Clock: Send + Sync {
    /// The time now.
    fn now(&self) -> HostTime;
    /// Blocks until `due`; returns at once if it has passed.
    fn sleep_until(&self, due: HostTime);
}

/// The operating system's monotonic clock, from 0 at its creation.
#[derive(Debug, Clone, Copy)]
pub struct SystemClock {
    start: Instant,
}

impl SystemClock {
    /// A clock that starts now.
    #[allow(clippy::disallowed_methods)]
    pub fn new() -> Self {
        Self { start: Instant::now() }
    }

    /// The time now, ns: to measure what takes less than a few µs.
    pub fn ns(&self) -> u64 {
        self.start.elapsed().as_nanos() as u64
    }
}

impl Default for SystemClock {
    fn default() -> Self {
        Self::new()
    }
}

impl Clock for SystemClock {
    fn now(&self) -> HostTime {
        HostTime(self.start.elapsed().as_micros() as i64)
    }

    #[allow(clippy::disallowed_methods)]
    fn sleep_until(&self, due: HostTime) {
        let wait_us = due - self.now();
        if wait_us > 0 {
            std::thread::sleep(Duration::from_micros(wait_us as u64));
        }
    }
}

/// What must be added to the system's CLOCK_MONOTONIC, in which drivers stamp pictures, for `clock`'s time, µs; `None` if
/// the system does not say. It never changes for a [`SystemClock`].
#[cfg(target_os = "linux")]
pub fn monotonic_offset_us(clock: &dyn Clock) -> Option<i64> {
    let readings = (0..5).filter_map(|_| {
        let before = clock.now();
        let now = nix::time::clock_gettime(nix::time::ClockId::CLOCK_MONOTONIC).ok()?;
        let after = clock.now();
        let now_us = now.tv_sec() * 1_000_000 + now.tv_nsec() / 1000;
        Some((after - before, before.0 + (after - before) / 2 - now_us))
    });
    // The one that was disturbed least.
    readings.min().map(|(_, offset_us)| offset_us)
}

/// Today's date by the system's calendar clock (UTC), YYYY-MM-DD: for notes in files, never for timing.
#[allow(clippy::disallowed_methods)]
pub fn today() -> String {
    let seconds = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).map_or(0, |since| since.as_secs());
    date_of((seconds / 86_400) as i64)
}

/// The date this many days after 1970-01-01, YYYY-MM-DD: the usual reckoning in years that begin in March.
fn date_of(days: i64) -> String {
    let days = days + 719_468;
    let (era, day) = (days.div_euclid(146_097), days.rem_euclid(146_097));
    let year = (day - day / 1460 + day / 36_524 - day / 146_096) / 365;
    let day = day - (365 * year + year / 4 - year / 100);
    let month = (5 * day + 2) / 153;
    let (day, month) = (day - (153 * month + 2) / 5 + 1, if month < 10 { month + 3 } else { month - 9 });
    format!("{:04}-{month:02}-{day:02}", year + era * 400 + i64::from(month < 3))
}

/// A clock that moves only when told to, for tests and for simulated runs.
#[derive(Debug, Clone, Default)]
pub struct ManualClock {
    state: Arc<(Mutex<HostTime>, Condvar)>,
}

impl ManualClock {
    /// A clock that stands at `start`.
    pub fn new(start: HostTime) -> Self {
        Self { state: Arc::new((Mutex::new(start), Condvar::new())) }
    }

    /// Moves to `to` (never backwards) and wakes all sleepers.
    pub fn advance_to(&self, to: HostTime) {
        let mut now = self.lock();
        if to > *now {
            *now = to;
        }
        self.state.1.notify_all();
    }

    fn lock(&self) -> MutexGuard<'_, HostTime> {
        self.state.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Clock for ManualClock {
    fn now(&self) -> HostTime {
        *self.lock()
    }

    fn sleep_until(&self, due: HostTime) {
        let mut now = self.lock();
        while *now < due {
            now = self.state.1.wait(now).unwrap_or_else(PoisonError::into_inner);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(target_os = "linux")]
    #[test]
    fn the_systems_clock_runs_beside_the_drivers() {
        let clock = SystemClock::new();
        let (first, second) = (monotonic_offset_us(&clock).unwrap(), monotonic_offset_us(&clock).unwrap());
        assert!(first < 0 && first.abs_diff(second) < 5000, "{first} {second}");
    }

    #[test]
    fn days_are_counted_through_leap_years() {
        for (days, date) in [(0, "1970-01-01"), (59, "1970-03-01"), (11_016, "2000-02-29"), (20_779, "2026-11-22")] {
            assert_eq!(date_of(days), date);
        }
    }
}
