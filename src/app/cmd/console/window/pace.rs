//! The console's frames in host time: each has its own deadline, counted from the first, so nothing drifts.

use crate::time::HostTime;
use std::fmt;

/// After a longer interruption (a suspended computer, a window being dragged) the missed frames are not made up for, ms.
const CATCH_UP_MS_MAX: f64 = 500.0;
/// A frame that is shown later than this after its time was late, ms: half a frame.
const LATE_MS: f64 = 8.3;

/// When frames are due, and how they kept to it.
#[derive(Debug, Clone)]
pub struct Pace {
    frame_ms: f64,
    /// When the first frame was due; moved by interruptions.
    start: HostTime,
    /// Frames taken since `start`.
    taken: u64,
    began: Option<HostTime>,
    ended: HostTime,
    frames: u64,
    shown: u64,
    late: u64,
    latest_ms: f64,
    interruptions: u64,
}

impl Pace {
    /// This many frames a second, from now on.
    pub fn new(frames_per_s: f64, now: HostTime) -> Self {
        Self {
            frame_ms: 1000.0 / frames_per_s,
            start: now,
            taken: 0,
            began: None,
            ended: now,
            frames: 0,
            shown: 0,
            late: 0,
            latest_ms: 0.0,
            interruptions: 0,
        }
    }

    /// When the next frame is due.
    pub fn due(&self) -> HostTime {
        self.start.plus_ms(self.taken as f64 * self.frame_ms)
    }

    /// How many frames are due by now; they are taken. More than one means that the others will not be seen.
    pub fn take(&mut self, now: HostTime) -> u32 {
        if now < self.due() {
            return 0;
        }
        if now.ms_since(self.due()) > CATCH_UP_MS_MAX {
            (self.start, self.taken) = (now, 0);
            self.interruptions += 1;
        }
        self.began.get_or_insert(now);
        let due = (now.ms_since(self.due()) / self.frame_ms) as u32 + 1;
        self.taken += u64::from(due);
        self.frames += u64::from(due);
        due
    }

    /// The last frame taken is on the screen.
    pub fn shown(&mut self, now: HostTime) {
        let late_ms = now.ms_since(self.due()) + self.frame_ms;
        self.shown += 1;
        self.late += u64::from(late_ms > LATE_MS);
        self.latest_ms = self.latest_ms.max(late_ms);
        self.ended = now;
    }

    /// Frames taken so far.
    pub fn frames(&self) -> u64 {
        self.frames
    }
}

impl fmt::Display for Pace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let seconds = self.began.map_or(0.0, |began| self.ended.ms_since(began) / 1000.0);
        let rate = (self.frames.max(1) - 1) as f64 / seconds.max(0.001);
        write!(
            f,
            "{} frames in {seconds:.3} s ({rate:.4} a second); {} late by more than {LATE_MS} ms, the latest by {:.1} ms; \
             {} not shown",
            self.frames,
            self.late,
            self.latest_ms,
            self.frames - self.shown
        )?;
        if self.interruptions > 0 {
            write!(f, "; {} interruptions left out", self.interruptions)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Whoever waits always wakes a little late.
    fn run(seconds: f64, late_ms: impl Fn(u64) -> f64) -> (Pace, HostTime) {
        let mut pace = Pace::new(60.0988, HostTime(0));
        let mut now = HostTime(0);
        while now.ms() < seconds * 1000.0 {
            now = pace.due().max(now).plus_ms(late_ms(pace.frames));
            if pace.take(now) > 0 {
                pace.shown(now.plus_ms(1.0));
            }
        }
        (pace, now)
    }

    #[test]
    fn waking_late_adds_no_drift() {
        let (pace, now) = run(600.0, |frame| (frame % 7) as f64 * 0.4);
        let expected = now.ms() / 1000.0 * 60.0988;
        assert!((pace.frames as f64 - expected).abs() < 1.5, "{} frames, {expected:.1} expected", pace.frames);
        assert_eq!((pace.late, pace.frames - pace.shown, pace.interruptions), (0, 0, 0));
        assert!((pace.latest_ms - 3.4).abs() < 0.01, "{}", pace.latest_ms);
    }

    #[test]
    fn late_frames_are_counted_and_made_up_for() {
        let (pace, now) = run(10.0, |frame| if frame == 100 { 60.0 } else { 0.1 });
        assert_eq!((pace.late, pace.frames - pace.shown), (1, 3));
        assert!((pace.frames as f64 - now.ms() / 1000.0 * 60.0988).abs() < 1.5);
    }

    #[test]
    fn a_long_interruption_is_left_out() {
        let mut pace = Pace::new(60.0, HostTime(0));
        assert_eq!(pace.take(HostTime(0)), 1);
        assert_eq!(pace.take(HostTime::from_ms(60_000.0)), 1);
        assert_eq!(pace.due(), HostTime::from_ms(60_016.667));
        assert!(pace.to_string().contains("1 interruptions left out"), "{pace}");
    }
}
