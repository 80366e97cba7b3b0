//! What a level means for a falling piece, in a game that is known to the frame.

use super::nes::{Control, Region};

/// How fast pieces fall, and how a held direction repeats, all in frames.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Pace {
    /// Frames a row, 1–48.
    pub frames_per_row: u8,
    /// Rows that it falls at once then: 1 on the console, 2 where a game is made to fall faster than a row a frame.
    pub rows_at_once: u8,
    /// The auto-shift counter at which a held direction shifts, and what a blocked shift sets it to.
    pub auto_shift: u8,
    /// The auto-shift counter after a repeat.
    pub reload: u8,
}

impl Pace {
    /// The pace of the console at a level (0–255).
    pub fn of(region: Region, level: u8) -> Self {
        Self {
            frames_per_row: region.frames_per_row(level),
            rows_at_once: 1,
            auto_shift: region.auto_shift_frames(),
            reload: region.auto_shift_reload(),
        }
    }

    /// The same, but pieces fall two rows at once.
    #[must_use]
    pub fn doubled(self) -> Self {
        Self { rows_at_once: 2, ..self }
    }

    /// Frames from one repeat of a held direction to the next.
    pub fn repeat_frames(self) -> u8 {
        self.auto_shift.saturating_sub(self.reload)
    }

    /// Frames until a piece in this state falls for the first time if nothing is pressed; at least 1.
    pub fn first_fall(self, start: &Control) -> usize {
        let due = match start.fall_timer {
            // The timer is one byte and counts before it is looked at.
            u8::MAX => usize::from(self.frames_per_row) + 1,
            timer => usize::from(self.frames_per_row.saturating_sub(timer)),
        };
        due.max(start.hang_frames() + 1)
    }
}
