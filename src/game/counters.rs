//! What a game counts on its screen.

/// The counters on the screen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Counters {
    /// Lines cleared in this game. NES: $0050–$0051.
    pub lines: u32,
    /// Level, 0–255, then 0 again. NES: $0044.
    pub level: u8,
    /// Score. NES: 0–999,999; up to 1,009,999 between PAL's Select and the lock after it. $0053–$0055.
    pub score: u32,
}

impl Counters {
    /// At the start of a game.
    pub fn new(start_level: u8) -> Self {
        Self { lines: 0, level: start_level, score: 0 }
    }
}
