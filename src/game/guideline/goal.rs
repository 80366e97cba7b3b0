//! Levels and goals.

use super::action::Award;
use super::speed::LEVELS;

/// How lines lead to the next level.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Goals {
    /// Ten lines a level; who starts higher clears the lines of the levels before, too (seed 002:1565, 002:1572–1579).
    #[default]
    Fixed,
    /// Five lines more with every level, and more lines awarded than cleared (seed 002:1566, 002:1582, 002:1586).
    Variable,
}

impl Goals {
    /// The lines that lead from this level to the next.
    pub fn lines(self, level: u8, start: u8) -> u32 {
        match self {
            Self::Fixed if level == start => 10 * u32::from(level),
            Self::Fixed => 10,
            Self::Variable => 5 * u32::from(level),
        }
    }

    /// The lines that an action counts for.
    pub fn counted(self, award: Award, cleared: u32) -> u32 {
        match self {
            Self::Fixed => cleared,
            Self::Variable => award.lines(),
        }
    }
}

/// Where a player is on the way to the last level.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Progress {
    goals: Goals,
    start: u8,
    level: u8,
    /// Lines that lack to the next level.
    lacking: u32,
    /// Whether the last level's goal is met.
    is_complete: bool,
}

impl Progress {
    /// At the beginning of a game; the level is taken into 1–15.
    pub fn new(goals: Goals, level: u8) -> Self {
        let level = level.clamp(*LEVELS.start(), *LEVELS.end());
        Self { goals, start: level, level, lacking: goals.lines(level, level), is_complete: false }
    }

    /// The level, 1–15.
    pub fn level(self) -> u8 {
        self.level
    }

    /// Lines to the next level.
    pub fn lacking(self) -> u32 {
        self.lacking
    }

    /// Whether the goal of the last level is met (seed 002:2241).
    pub fn is_complete(self) -> bool {
        self.is_complete
    }

    /// Counts an action. Lines beyond a goal count towards the next one, so that 150 lines, or 600, are enough for all of them
    /// (seed 002:1568–1570).
    pub fn count(&mut self, award: Award, cleared: u32) {
        let mut lines = self.goals.counted(award, cleared);
        while lines >= self.lacking && !self.is_complete {
            lines -= self.lacking;
            if self.level == *LEVELS.end() {
                self.is_complete = true;
                self.lacking = 0;
            } else {
                self.level += 1;
                self.lacking = self.goals.lines(self.level, self.start);
            }
        }
        self.lacking = self.lacking.saturating_sub(lines);
    }
}
