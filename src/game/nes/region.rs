//! What differs between the two television standards.

use serde::{Deserialize, Serialize};

/// NTSC, levels 0–28; one frame a row from level 29 on. $898E.
const NTSC_FRAMES_PER_ROW: [u8; 29] =
    [48, 43, 38, 33, 28, 23, 18, 13, 8, 6, 5, 5, 5, 4, 4, 4, 3, 3, 3, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2];
/// PAL, levels 0–18; one frame a row from level 19 on. The European cartridge has the table in the same place.
const PAL_FRAMES_PER_ROW: [u8; 19] = [36, 32, 29, 25, 22, 18, 15, 11, 7, 5, 4, 4, 4, 3, 3, 3, 2, 2, 2];

/// A television standard, and the cartridge made for it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Region {
    /// America and Japan: 60.0988 frames a second.
    #[default]
    Ntsc,
    /// Europe: 50.0070 frames a second.
    Pal,
}

impl Region {
    /// Frames a second.
    pub fn frames_per_s(self) -> f64 {
        match self {
            Self::Ntsc => 39_375_000.0 / 655_171.0,
            // A sixteenth of the crystal, in Hz, over the processor's cycles in 312 lines.
            Self::Pal => 26_601_712.5 / 16.0 / 33_247.5,
        }
    }

    /// Frames the game waits between rows at a level (0–255).
    pub fn frames_per_row(self, level: u8) -> u8 {
        let table = match self {
            Self::Ntsc => &NTSC_FRAMES_PER_ROW[..],
            Self::Pal => &PAL_FRAMES_PER_ROW[..],
        };
        table.get(level as usize).copied().unwrap_or(1)
    }

    /// Held frames before auto-shift, and what a blocked shift sets the counter to ("wall charge"). $89C8, $8A05.
    pub fn auto_shift_frames(self) -> u8 {
        match self {
            Self::Ntsc => 16,
            Self::Pal => 12,
        }
    }

    /// The auto-shift counter after a repeat: the next comes 6 frames later (PAL: 4). $89CC.
    pub fn auto_shift_reload(self) -> u8 {
        match self {
            Self::Ntsc => 10,
            Self::Pal => 8,
        }
    }

    /// The first piece of a game hangs for as many frames. $8739.
    pub fn first_piece_frames(self) -> i8 {
        match self {
            Self::Ntsc => 96,
            Self::Pal => 76,
        }
    }
}
