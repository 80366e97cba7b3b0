//! Which of the film's pictures show which of the recording's: real time at a constant rate.

/// The film's pictures a second.
pub const FPS: u32 = 30;

/// The part of a recording that is filmed, and how fast.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Pace {
    /// From then on, ms of the recording.
    pub from_ms: f64,
    /// Until then, ms of the recording.
    pub to_ms: f64,
    /// So many times as fast as it was.
    pub speed: f64,
}

impl Pace {
    /// How many of the film's pictures come before this time of the recording.
    pub fn pictures_until(&self, time_ms: f64) -> u64 {
        let shown_ms = (time_ms.min(self.to_ms) - self.from_ms) / self.speed;
        // To the nearest: pictures that come as often as the film's, but not evenly, are each shown once.
        (shown_ms * f64::from(FPS) / 1000.0).round().max(0.0) as u64
    }

    /// The recording's time that a picture of the film shows, ms.
    pub fn time_ms(&self, picture: u64) -> f64 {
        self.from_ms + picture as f64 * 1000.0 / f64::from(FPS) * self.speed
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// How often each of the pictures of these times is shown before the last of them.
    fn shown(pace: Pace, times_ms: &[f64]) -> Vec<u64> {
        times_ms.windows(2).map(|pair| pace.pictures_until(pair[1]) - pace.pictures_until(pair[0])).collect()
    }

    #[test]
    fn pictures_are_held_or_dropped_so_that_time_stays_true() {
        let pace = Pace { from_ms: 0.0, to_ms: f64::INFINITY, speed: 1.0 };
        let uneven: Vec<f64> = (0..=300).map(|n| f64::from(n) * 1000.0 / 30.0 + f64::from(n * 7 % 5) * 3.0).collect();
        assert!(shown(pace, &uneven).iter().all(|times| *times == 1), "once each, though they come unevenly");
        assert_eq!(shown(pace, &[0.0, 100.0, 1100.0, 1133.0]), [3, 30, 1], "a gap is held");
        let fast: Vec<f64> = (0..=120).map(|n| f64::from(n) * 1000.0 / 60.0).collect();
        assert_eq!(shown(pace, &fast).iter().sum::<u64>(), 60, "every other one of 60 a second");
        let part = Pace { from_ms: 500.0, to_ms: 1500.0, speed: 2.0 };
        assert_eq!(shown(part, &[0.0, 400.0, 700.0, 1000.0, 2000.0]), [0, 3, 5, 7], "half a second of film");
        assert_eq!((part.time_ms(0), part.time_ms(15)), (500.0, 1500.0));
    }
}
