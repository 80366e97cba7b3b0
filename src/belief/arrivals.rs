//! When pictures would have arrived had nothing held them up.
//!
//! A picture's time is when the host noticed it, which is late when the host is busy, and never early. A spawn lies after
//! the last picture without it; if that picture's time is late, so would be the earliest spawn, and the true one might be
//! missed. Cameras are regular: a picture is late when it comes later than its predecessors promised.

use crate::time::{CameraFrame, HostTime};
use std::collections::VecDeque;

/// Pictures remembered.
const KEPT: usize = 64;
/// Gaps from which the period is taken (their median).
const GAPS: usize = 31;
/// A promise is trusted this much less with every picture, ms: a camera's clock drifts, and its rate may change.
const DOUBT_MS: f64 = 0.5;

/// The arrivals of a camera's pictures.
#[derive(Debug, Clone, Default)]
pub struct Arrivals {
    /// Time as noticed, time as promised.
    pictures: VecDeque<(HostTime, HostTime)>,
    gaps_us: VecDeque<i64>,
    last: Option<(CameraFrame, HostTime)>,
}

impl Arrivals {
    /// Takes in a picture.
    pub fn take(&mut self, index: CameraFrame, time: HostTime) {
        let mut promised = time;
        if let (Some((last_index, last_time)), Some((_, last_promised))) = (self.last, self.pictures.back()) {
            let steps = index.0.saturating_sub(last_index.0).max(1) as i64;
            if let Some(period_us) = self.period_us() {
                let way_us = steps.saturating_mul(period_us);
                let due = HostTime(last_promised.0.saturating_add(way_us)).plus_ms(DOUBT_MS);
                promised = time.min(due);
            }
            self.gaps_us.push_back((time - last_time) / steps);
            if self.gaps_us.len() > GAPS {
                self.gaps_us.pop_front();
            }
        }
        self.last = Some((index, time));
        self.pictures.push_back((time, promised));
        if self.pictures.len() > KEPT {
            self.pictures.pop_front();
        }
    }

    /// When the picture noticed at `time` would have arrived; `time` itself if it is not remembered.
    pub fn promised(&self, time: HostTime) -> HostTime {
        let picture = self.pictures.iter().rev().find(|(noticed, _)| *noticed == time);
        picture.map_or(time, |(_, promised)| *promised)
    }

    fn period_us(&self) -> Option<i64> {
        if self.gaps_us.len() < GAPS / 4 {
            return None;
        }
        let mut sorted: Vec<i64> = self.gaps_us.iter().copied().collect();
        sorted.sort_unstable();
        sorted.get(sorted.len() / 2).copied()
    }
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
        for i in 200..1600 {
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
}
