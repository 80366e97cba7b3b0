//! What can be chosen before a game.

use super::goal::Goals;
use super::lock::LockDown;

/// Which game is played. Times are in µs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Variant {
    /// For points over 15 levels, at which point it ends (seed 002:2240–2243).
    #[default]
    Marathon,
    /// The same without an end: the last level goes on.
    Endless,
    /// So many lines as fast as possible; no level up (seed 002:2245–2248).
    Sprint {
        /// Lines to clear.
        lines: u32,
    },
    /// As many points or lines as possible in a time; no level up (seed 002:2250–2253).
    Ultra {
        /// How long it lasts.
        us: u64,
    },
    /// Against others, until they are out (seed 002:5728); no level up.
    Versus,
}

impl Variant {
    /// The usual 40 lines (seed 002:2246).
    pub const SPRINT: Self = Self::Sprint { lines: 40 };
    /// Two minutes (seed 002:2252).
    pub const ULTRA_TWO_MINUTES: Self = Self::Ultra { us: 120_000_000 };
    /// Three minutes (seed 002:2252).
    pub const ULTRA_THREE_MINUTES: Self = Self::Ultra { us: 180_000_000 };
}

/// How a game is played.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Settings {
    /// Which game.
    pub variant: Variant,
    /// The level at the start, 1–15; others are taken as the nearest of these (seed 002:551).
    pub level: u8,
    /// How lines lead to the next level.
    pub goals: Goals,
    /// When pieces lock.
    pub lock_down: LockDown,
    /// Next pieces that are shown, 1–6; others are taken as the nearest of these (seed 002:659).
    pub shown_next: usize,
    /// Whether pieces can be held (seed 002:662).
    pub has_hold: bool,
    /// Whether the ghost is shown (seed 002:665).
    pub has_ghost: bool,
    /// Whether lines that opponents send wait for the player's lock down (seed 002:5801). Otherwise they appear as they are
    /// sent, and cannot be countered.
    pub is_buffered: bool,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            variant: Variant::Marathon,
            level: 1,
            goals: Goals::Fixed,
            lock_down: LockDown::Extended,
            shown_next: super::queue::SHOWN_MAX,
            has_hold: true,
            has_ghost: true,
            is_buffered: true,
        }
    }
}
