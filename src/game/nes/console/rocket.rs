//! A-Type's ending: one of five rockets stands on a pad, lifts off, and is gone. $A96E, $A9B1.

/// The highest two digits of the score (two decimal digits in a byte) from which on the second to fifth rocket is shown.
/// $A974–$A992.
const SCORES: [u8; 4] = [0x05, 0x07, 0x10, 0x12];
/// Where each rocket stands, pixels from the top. $AA2A.
const STANDS_AT: [u8; 5] = [0xBF, 0xBF, 0xBF, 0xBF, 0xC7];
/// Where its left edge is, pixels. $AA25.
const X: [u8; 5] = [0x54, 0x54, 0x50, 0x48, 0xA0];
/// It stands for as many frames.
const STANDS_FRAMES: u8 = 0xF0;
/// Not above this it rises in every other frame only, and above the second by two pixels.
const SLOW_FROM: u8 = 0xB0;
const FAST_ABOVE: u8 = 0x80;

/// The rocket's variables.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rocket {
    /// Which of the five, 0–4 by the score. $00C4.
    pub size: u8,
    /// Where it is, pixels from the top; 0 when it is gone. $00C5.
    pub y: u8,
    /// Frames that it has stood, at most 240. $00C6.
    pub stood: u8,
}

impl Rocket {
    /// The rocket for a score of which this byte holds the highest two digits.
    pub(super) fn of(highest: u8) -> Self {
        let size = SCORES.iter().take_while(|from| highest >= **from).count();
        Self { size: size as u8, y: STANDS_AT[size], stood: 0 }
    }

    /// Its left edge, pixels.
    pub fn x(&self) -> u8 {
        X[usize::from(self.size).min(X.len() - 1)]
    }

    /// One frame. $A9B1–$AA10.
    pub(super) fn frame(&mut self, frame: u8) {
        if self.y == 0 {
            return;
        }
        if self.stood != STANDS_FRAMES {
            self.stood += 1;
        } else if self.y < SLOW_FROM || frame.is_multiple_of(2) {
            self.y -= 1;
            if self.y < FAST_ABOVE {
                self.y = self.y.wrapping_sub(1);
            }
        }
    }
}
