//! When pictures would have arrived had nothing held them up.
//!
//! A picture's time is when the host noticed it, which is late when the host is busy, and never early. A spawn lies after
//! the last picture without it; if that picture's time is late, so would be the earliest spawn, and the true one might be
//! missed. Cameras are regular: a picture is late when it comes later than its predecessors promised.

use crate::time::{CameraFrame, HostTime};
use std::collections::VecDeque;

/// Pictures remembered.
const KEPT: usize = 64;
/// With fewer pictures nothing is promised.
const ENOUGH: usize = 8;
/// The period is the median over pairs of pictures so far apart: jitter counts little then, and what is late or was missed
/// is in few of them.
const APART: usize = 16;
/// A promise is trusted this much less with every picture, ms: a camera's clock drifts, and its rate may change.
const DOUBT_MS: f64 = 0.5;
/// Only pictures of the last while promise anything, ms. Pictures may have been missed without being counted, and what came
/// before says then that all others are late; so that is forgotten.
const MEMORY_MS: f64 = 1000.0;

/// A picture that came.
#[derive(Debug, Clone, Copy)]
struct Arrival {
    index: CameraFrame,
    /// When it was noticed.
    time: HostTime,
    /// When it would have come had nothing held it up.
    promised: HostTime,
}

/// The arrivals of a camera's pictures.
#[derive(Debug, Clone, Default)]
pub struct Arrivals {
    pictures: VecDeque<Arrival>,
}

impl Arrivals {
    /// Takes in a picture.
    pub fn take(&mut self, index: CameraFrame, time: HostTime) {
        let promised = self.period_ms().and_then(|period_ms| self.due(index, time, period_ms));
        self.pictures.push_back(Arrival { index, time, promised: promised.map_or(time, |due| due.min(time)) });
        if self.pictures.len() > KEPT {
            self.pictures.pop_front();
        }
    }

    /// When the picture noticed at `time` would have arrived; `time` itself if it is not remembered.
    pub fn promised(&self, time: HostTime) -> HostTime {
        let picture = self.pictures.iter().rev().find(|arrival| arrival.time == time);
        picture.map_or(time, |arrival| arrival.promised)
    }

    /// When a picture is due by the earliest of all that its predecessors promise.
    fn due(&self, index: CameraFrame, time: HostTime, period_ms: f64) -> Option<HostTime> {
        let recent = self.pictures.iter().rev().take_while(|arrival| time.ms_since(arrival.time) < MEMORY_MS);
        recent.map(|arrival| arrival.time.plus_ms(steps(arrival.index, index) as f64 * (period_ms + DOUBT_MS))).min()
    }

    /// From picture to picture; `None` while too few have come.
    fn period_ms(&self) -> Option<f64> {
        let count = self.pictures.len();
        if count < ENOUGH {
            return None;
        }
        let later = self.pictures.iter().skip(APART.min(count / 2));
        let means = self.pictures.iter().zip(later);
        let mut means: Vec<f64> =
            means.map(|(a, b)| b.time.ms_since(a.time) / steps(a.index, b.index) as f64).collect();
        means.sort_by(f64::total_cmp);
        means.get(means.len() / 2).copied()
    }
}

/// Periods from one picture to another.
fn steps(from: CameraFrame, to: CameraFrame) -> u64 {
    to.0.saturating_sub(from.0).max(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(ms: f64) -> HostTime {
        HostTime::from_ms(ms)
    }

    #[test]
    fn a_late_picture_is_put_back_to_where_it_belongs() {
        let mut arrivals = Arrivals::default();
        for i in 0..40 {
            let late_ms = if i == 30 { 20.0 } else { 0.0 };
            arrivals.take(CameraFrame(i), at(33.0 * i as f64 + late_ms));
        }
        let promised = arrivals.promised(at(33.0 * 30.0 + 20.0));
        assert!((promised.ms() - 33.0 * 30.0).abs() < 1.0, "{promised}");
        let on_time = at(33.0 * 35.0);
        assert_eq!(arrivals.promised(on_time), on_time);
    }

    #[test]
    fn a_slower_camera_is_believed_after_a_while() {
        let mut arrivals = Arrivals::default();
        let mut time = at(0.0);
        for i in 0..200 {
            time = time.plus_ms(if i < 100 { 33.0 } else { 66.0 });
            arrivals.take(CameraFrame(i), time);
        }
        assert!(time.ms_since(arrivals.promised(time)) < 700.0);
        for i in 200..230 {
            time = time.plus_ms(66.0);
            arrivals.take(CameraFrame(i), time);
        }
        assert_eq!(arrivals.promised(time), time);
    }

    #[test]
    fn dropped_pictures_leave_gaps_in_the_count() {
        let mut arrivals = Arrivals::default();
        for i in (0..60).filter(|i| i % 7 != 3) {
            arrivals.take(CameraFrame(i), at(33.0 * i as f64));
        }
        assert_eq!(arrivals.promised(at(33.0 * 50.0)), at(33.0 * 50.0));
    }

    /// Arrivals up to 3 ms early or late.
    fn jitter_ms(i: u64) -> f64 {
        ((i * 2_654_435_761) % 1000) as f64 * 0.006 - 3.0
    }

    /// The most that a promise was early, ms, in each second after pictures had stopped for this long; the camera counts those
    /// that did not come, or does not.
    fn early_ms(stall_ms: f64, is_counted: bool) -> [f64; 4] {
        let mut arrivals = Arrivals::default();
        let mut early = [0.0f64; 4];
        for i in 0..420 {
            let missed = if i < 300 { 0 } else { (stall_ms / 33.3).round() as u64 };
            let true_ms = 33.3 * (i + missed) as f64;
            let time = at(true_ms + jitter_ms(i));
            arrivals.take(CameraFrame(if is_counted { i + missed } else { i }), time);
            let seconds = (time.ms() - 33.3 * 300.0 - stall_ms) / 1000.0;
            if let Some(most) = early.get_mut(seconds.floor() as usize).filter(|_| seconds >= 0.0) {
                *most = most.max(time.ms_since(arrivals.promised(time)));
            }
        }
        early
    }

    #[test]
    fn a_stall_is_forgotten_within_a_second_whether_the_pictures_missed_were_counted_or_not() {
        for stall_ms in [300.0, 700.0, 3000.0] {
            let (uncounted, counted) = (early_ms(stall_ms, false), early_ms(stall_ms, true));
            assert!(uncounted[1..].iter().chain(&counted).all(|early_ms| *early_ms < 8.0), "{uncounted:?} {counted:?}");
            assert!(uncounted[0] < stall_ms.min(MEMORY_MS) + 8.0, "{uncounted:?}");
        }
    }

    #[test]
    fn one_picture_in_twenty_late_by_more_than_a_period_is_put_back_and_no_other() {
        let mut arrivals = Arrivals::default();
        let (mut late, mut on_time) = (0, 0);
        let mut last = at(0.0);
        for i in 0..1200 {
            let is_late = i % 20 == 13;
            // Pictures never overtake each other.
            let time = at(33.3 * i as f64 + jitter_ms(i) + if is_late { 40.0 } else { 0.0 }).max(last.plus_ms(0.1));
            last = time;
            arrivals.take(CameraFrame(i), time);
            if i < 60 {
                continue;
            }
            let off_ms = arrivals.promised(time).ms() - 33.3 * i as f64;
            assert!(off_ms.abs() < 10.0, "{i}: {off_ms}");
            *(if is_late { &mut late } else { &mut on_time }) += 1;
        }
        assert!(late == 57 && on_time == 1083, "{late} {on_time}");
    }

    #[test]
    fn a_camera_that_drifts_is_followed() {
        for period_ms in [33.3, 33.3 * 1.0005, 33.3 * 0.9995, 16.7, 66.7, 200.0] {
            let mut arrivals = Arrivals::default();
            for i in 0..600 {
                let time = at(period_ms * i as f64 + jitter_ms(i));
                arrivals.take(CameraFrame(i), time);
                assert!(time.ms_since(arrivals.promised(time)) < 8.0, "{period_ms}: {i}");
            }
        }
    }
}
