//! When the camera's pictures were really taken, give or take a constant: their arrivals jitter, the camera's crystal
//! does not. A line through the arrivals, fitted anew with every picture, forgets slowly and ignores what is late.

use crate::time::{CameraFrame, HostTime};

/// Pictures that count fully in the fit; older ones fade.
const MEMORY_PICTURES: f64 = 300.0;
/// Pictures from which on the line is believed.
const ENOUGH_PICTURES: f64 = 8.0;
/// Scatter of arrivals before it is known, and the least that is ever believed, ms.
const FIRST_SCATTER_MS: f64 = 5.0;
const LEAST_SCATTER_MS: f64 = 0.3;
/// An arrival further off than this many deviations says nothing; each counts two, others
/// take one back, and at this many the camera has changed.
const OUTLIER: f64 = 3.5;
const PATIENCE: u32 = 24;
/// This many pictures in a row that are off by the same, more than a period, say that pictures were missed and not counted.
const AGREED: u32 = 3;
/// A picture whose arrival lies this many deviations from where a missed one would have put it has missed that one.
const NEAR: f64 = 2.5;

/// A picture's time without the jitter of its arrival.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Taken {
    /// When it would have arrived on average, ms on the host's clock.
    pub ms: f64,
    /// One standard deviation of that, ms.
    pub sigma_ms: f64,
    /// From picture to picture, ms; 0 while unknown.
    pub period_ms: f64,
}

/// The line through the arrivals: sums over (pictures before the present one, ms), weights fading.
#[derive(Debug, Clone, Default)]
pub struct PictureClock {
    last: Option<(CameraFrame, HostTime)>,
    /// Host time that the sums' times count from.
    origin: HostTime,
    weight: f64,
    sum_x: f64,
    sum_xx: f64,
    sum_y: f64,
    sum_xy: f64,
    variance: f64,
    /// Gaps from picture to picture until there is a line, ms.
    first_gaps_ms: Vec<f64>,
    outliers: u32,
    /// By how much the last pictures were off, ms, and how many of them alike.
    stray: Option<(f64, u32)>,
}

impl PictureClock {
    /// Takes in an arrival; when the picture was taken. Pictures that the source missed may be counted in `index` or not.
    /// `None` of a picture that is late by more than a period: it may have waited on its way, or others may have been
    /// missed, so nobody knows.
    pub fn take(&mut self, index: CameraFrame, time: HostTime) -> Option<Taken> {
        let taken = self.place(index, time);
        match self.stray {
            None => Some(taken),
            Some((error_ms, AGREED..)) => {
                self.move_on(error_ms);
                Some(self.taken(time))
            }
            Some(_) => None,
        }
    }

    fn place(&mut self, index: CameraFrame, time: HostTime) -> Taken {
        let arrived = |clock: &Self| time.ms_since(clock.origin);
        let Some((last_index, last_time)) = self.last.replace((index, time)) else { return self.begin(time) };
        if time <= last_time || self.outliers >= PATIENCE {
            return self.begin(time);
        }
        let mut steps = index.0.saturating_sub(last_index.0).max(1) as f64;
        if let Some((_, period_ms)) = self.line() {
            let missed = ((arrived(self) - self.at(steps)) / period_ms).round();
            // The index did not count what was missed. A picture that is merely late comes at no whole number of periods.
            let rest_ms = arrived(self) - self.at(steps + missed);
            if steps + missed >= 1.0 && rest_ms.abs() < NEAR * self.scatter_ms().min(FIRST_SCATTER_MS / 2.0) {
                steps += missed;
            }
        } else {
            steps = self.first_steps(steps, (time - last_time) as f64 / 1000.0);
        }
        self.shift(steps);
        let error_ms = arrived(self) - self.at(0.0);
        let known = self.line().is_some();
        self.stray = self.line().filter(|(_, period_ms)| error_ms > *period_ms).map(|_| self.strayed(error_ms));
        if known && error_ms.abs() > OUTLIER * self.scatter_ms() {
            self.outliers += 2;
        } else {
            self.outliers = self.outliers.saturating_sub(1);
            self.add(arrived(self));
            if known {
                self.variance += (error_ms * error_ms - self.variance) / self.weight.min(60.0);
            }
        }
        self.taken(time)
    }

    /// A picture is off by so much, as those before it were, or not.
    fn strayed(&self, error_ms: f64) -> (f64, u32) {
        match self.stray {
            Some((before_ms, count)) if (error_ms - before_ms).abs() < OUTLIER * self.scatter_ms() => {
                (error_ms, count + 1)
            }
            _ => (error_ms, 1),
        }
    }

    /// All later pictures come so much later than the line says.
    fn move_on(&mut self, ms: f64) {
        self.sum_y += ms * self.weight;
        self.sum_xy += ms * self.sum_x;
        (self.stray, self.outliers) = (None, 0);
    }

    /// Periods in a gap while no line is known: by the median of the gaps so far.
    fn first_steps(&mut self, counted: f64, gap_ms: f64) -> f64 {
        let mut sorted = self.first_gaps_ms.clone();
        sorted.sort_by(f64::total_cmp);
        let usual_ms = sorted.get(sorted.len() / 2).copied().unwrap_or(gap_ms);
        // At high rates jitter alone makes a gap half as long again.
        let steps = (gap_ms / usual_ms + 0.3).floor().max(counted);
        self.first_gaps_ms.push(gap_ms / steps);
        steps
    }

    fn begin(&mut self, time: HostTime) -> Taken {
        let last = self.last;
        *self = Self { last, origin: time, variance: FIRST_SCATTER_MS * FIRST_SCATTER_MS, ..Self::default() };
        self.add(0.0);
        self.taken(time)
    }

    fn taken(&self, time: HostTime) -> Taken {
        match self.line() {
            // A line's end is known half as well as its middle.
            Some((ms, period_ms)) => {
                let sigma_ms = 2.0 * self.scatter_ms() / self.weight.sqrt();
                Taken { ms: self.origin.ms() + ms, sigma_ms, period_ms }
            }
            None => Taken { ms: time.ms(), sigma_ms: FIRST_SCATTER_MS, period_ms: 0.0 },
        }
    }

    fn scatter_ms(&self) -> f64 {
        self.variance.sqrt().max(LEAST_SCATTER_MS)
    }

    /// The fitted time of the present picture and the period, ms.
    fn line(&self) -> Option<(f64, f64)> {
        let determinant = self.weight * self.sum_xx - self.sum_x * self.sum_x;
        if self.weight < ENOUGH_PICTURES || determinant <= 0.0 {
            return None;
        }
        let period_ms = (self.weight * self.sum_xy - self.sum_x * self.sum_y) / determinant;
        let ms = (self.sum_y - period_ms * self.sum_x) / self.weight;
        (period_ms > 0.0).then_some((ms, period_ms))
    }

    /// The line's time this many pictures after the present one, ms.
    fn at(&self, pictures: f64) -> f64 {
        self.line().map_or(0.0, |(ms, period_ms)| ms + pictures * period_ms)
    }

    /// Makes the picture `steps` after the present one the present one.
    fn shift(&mut self, steps: f64) {
        self.sum_xx += steps * (steps * self.weight - 2.0 * self.sum_x);
        self.sum_xy -= steps * self.sum_y;
        self.sum_x -= steps * self.weight;
    }

    fn add(&mut self, y: f64) {
        let keep = 1.0 - 1.0 / MEMORY_PICTURES;
        for sum in [&mut self.weight, &mut self.sum_x, &mut self.sum_xx, &mut self.sum_y, &mut self.sum_xy] {
            *sum *= keep;
        }
        // The present picture is at x = 0.
        self.weight += 1.0;
        self.sum_y += y;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Arrivals up to 3 ms early or late.
    fn jitter_ms(i: u64) -> f64 {
        ((i * 2_654_435_761) % 1000) as f64 * 0.006 - 3.0
    }

    #[test]
    fn jitter_is_averaged_out_and_the_rate_found() {
        let mut clock = PictureClock::default();
        let period_ms = 33.337;
        for i in 0..900 {
            let late_ms = if i % 50 == 49 { 25.0 } else { 0.0 };
            let true_ms = 70.0 + i as f64 * period_ms;
            let taken = clock.take(CameraFrame(i), HostTime::from_ms(true_ms + jitter_ms(i) + late_ms)).unwrap();
            if i > 100 {
                assert!((taken.ms - true_ms).abs() < 1.0, "{i}: {taken:?} {true_ms}");
                assert!((taken.period_ms - period_ms).abs() < 0.03, "{taken:?}");
            }
        }
    }

    #[test]
    fn missed_pictures_may_be_counted_or_not() {
        let mut clocks = [PictureClock::default(), PictureClock::default()];
        for (counted, i) in (0..400).filter(|i| i % 11 != 7 && !(200..230).contains(i)).enumerate() {
            let time = HostTime::from_ms(33.3 * i as f64 + jitter_ms(i));
            for (clock, index) in clocks.iter_mut().zip([i, counted as u64]) {
                let taken = clock.take(CameraFrame(index), time).unwrap();
                assert!(i < 100 || (taken.ms - 33.3 * i as f64).abs() < 1.0, "{i}: {taken:?}");
            }
        }
    }

    #[test]
    fn a_jump_in_time_or_another_rate_begins_anew() {
        let mut clock = PictureClock::default();
        let mut ms = 0.0;
        for i in 0..600 {
            ms += if i < 200 { 33.3 } else { 50.0 };
            ms += if i == 400 { -3000.0 } else { 0.0 };
            let taken = clock.take(CameraFrame(i), HostTime::from_ms(ms));
            let is_settled = (100..200).contains(&i) || (300..400).contains(&i) || i > 450;
            assert!(!is_settled || taken.is_some_and(|taken| (taken.ms - ms).abs() < 1.0), "{i}: {taken:?} {ms}");
        }
    }

    #[test]
    fn after_a_stall_of_no_whole_number_of_periods_the_clock_is_right_with_the_third_picture() {
        for stall_ms in [48.0, 316.0, 712.0, 3050.0] {
            let mut clock = PictureClock::default();
            for i in 0..400 {
                let ms = 33.3 * i as f64 + jitter_ms(i) + if i < 200 { 0.0 } else { stall_ms };
                let taken = clock.take(CameraFrame(i), HostTime::from_ms(ms));
                assert!((200..202).contains(&i) || taken.is_some(), "{stall_ms}: {i}");
                let off_ms = taken.map_or(0.0, |taken| taken.ms - ms + jitter_ms(i));
                assert!(i < 100 || off_ms.abs() < 4.0, "{stall_ms}: {i}: {off_ms}");
                assert!(i < 320 || off_ms.abs() < 1.5, "{stall_ms}: {i}: {off_ms}");
            }
        }
    }
}
