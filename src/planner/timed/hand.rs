//! What two thumbs can do: one on the pad, one on A and B.

use crate::game::Buttons;
use crate::schedule::Finger;
use thiserror::Error;

/// The longest press that a tap may need, frames: a longer one would shift twice after it was blocked once (PAL).
pub const MAX_PRESS: u8 = 5;
/// The longest press and gap together, frames.
pub const MAX_PERIOD: u8 = 16;

/// Why a finger cannot be planned by frames.
#[derive(Debug, Clone, Copy, PartialEq, Error)]
#[error(
    "a finger that presses for {press_frames:.1} frames and rests for {gap_frames:.1} cannot be planned by frames; \
     give 1 to {MAX_PRESS} for the press and at most {MAX_PERIOD} for both together (that is 3.8 taps a second)"
)]
pub struct HandError {
    /// Frames pressed.
    pub press_frames: f64,
    /// Frames between presses.
    pub gap_frames: f64,
}

/// Two equal thumbs, one on the pad and one on A and B. Each presses one button at a time, for at least `press` frames, and
/// rests at least `gap` frames before its next press, whichever button that is. They may press in the same frame.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Hand {
    press: u8,
    gap: u8,
}

impl Hand {
    /// A hand that presses for at least `press` frames (1–5) and rests at least `gap` frames (from 1) between presses.
    ///
    /// # Errors
    /// When it is too slow, or does not press at all.
    pub fn new(press: u8, gap: u8) -> Result<Self, HandError> {
        let period = press.saturating_add(gap);
        if !(1..=MAX_PRESS).contains(&press) || gap == 0 || period > MAX_PERIOD {
            return Err(HandError { press_frames: f64::from(press), gap_frames: f64::from(gap) });
        }
        Ok(Self { press, gap })
    }

    /// The hand that taps like this finger, to the nearest frame; of a slow one, only the gap is longer than [`MAX_PRESS`].
    ///
    /// # Errors
    /// When it is slower than [`MAX_PERIOD`], or no finger at all.
    pub fn of(finger: Finger) -> Result<Self, HandError> {
        let Finger { press_frames, gap_frames } = finger;
        let period = (press_frames + gap_frames).round();
        if !(press_frames > 0.0 && gap_frames > 0.0 && period <= f64::from(MAX_PERIOD)) {
            return Err(HandError { press_frames, gap_frames });
        }
        let period = (period as u8).max(2);
        let press = (press_frames.round() as u8).clamp(1, MAX_PRESS.min(period - 1));
        Self::new(press, period - press)
    }

    /// The shortest press, frames.
    pub fn press(self) -> usize {
        usize::from(self.press)
    }

    /// The shortest rest, frames.
    pub fn gap(self) -> usize {
        usize::from(self.gap)
    }

    /// From press to press, frames.
    pub fn period(self) -> usize {
        self.press() + self.gap()
    }
}

/// The buttons that a thumb on the pad presses.
pub(super) const PAD: Buttons = Buttons(0x0F);

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::Rules;

    #[test]
    fn fingers_become_whole_frames() {
        let frame_ms = Rules::Nes.frame_ms();
        let hand = |hz| Hand::of(Finger::taps_per_s(hz, frame_ms)).map(|hand| (hand.press(), hand.gap()));
        assert_eq!(hand(30.0), Ok((1, 1)));
        assert_eq!(hand(20.0), Ok((2, 1)));
        assert_eq!(hand(15.0), Ok((2, 2)));
        assert_eq!(hand(10.0), Ok((3, 3)));
        assert_eq!(hand(4.0), Ok((5, 10)));
        assert_eq!(Hand::of(Finger::RELAY), Hand::new(2, 2));
        assert_eq!(Hand::of(Finger::SOLID), Hand::new(1, 1));
    }

    #[test]
    fn fingers_that_cannot_be_are_refused() {
        for (press_frames, gap_frames) in [(0.0, 1.0), (-1.0, 3.0), (f64::NAN, 1.0), (1.0, f64::INFINITY), (9.0, 9.0)] {
            assert!(Hand::of(Finger { press_frames, gap_frames }).is_err(), "{press_frames} {gap_frames}");
        }
        assert!(Hand::new(0, 1).is_err() && Hand::new(1, 0).is_err() && Hand::new(6, 1).is_err());
        assert!(Hand::new(5, 255).unwrap_err().to_string().contains("give 1 to 5"));
    }
}
