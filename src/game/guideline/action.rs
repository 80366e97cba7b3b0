//! What a lock down was: line clears, T-spins, and what they are worth.

use super::spin::Spin;

/// What the lock down of a piece did (seed 002:1746–1815).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[allow(missing_docs)]
pub enum Action {
    /// No line and no spin.
    Nothing,
    Single,
    Double,
    Triple,
    Tetris,
    MiniTSpin,
    MiniTSpinSingle,
    TSpin,
    TSpinSingle,
    TSpinDouble,
    TSpinTriple,
}

impl Action {
    /// Of so many lines, 0–4, completed by a piece that did or did not spin.
    ///
    /// A mini T-spin that clears two lines is possible, and the guideline knows none: it counts as the T-spin double here, the only
    /// spin of two lines that has a value.
    pub fn of(lines: usize, spin: Spin) -> Self {
        match (spin, lines) {
            (Spin::None, 0) => Self::Nothing,
            (Spin::None, 1) => Self::Single,
            (Spin::None, 2) => Self::Double,
            (Spin::None, 3) => Self::Triple,
            (Spin::None, _) => Self::Tetris,
            (Spin::Mini, 0) => Self::MiniTSpin,
            (Spin::Mini, 1) => Self::MiniTSpinSingle,
            (Spin::Full, 0) => Self::TSpin,
            (Spin::Full, 1) => Self::TSpinSingle,
            (Spin::Mini | Spin::Full, 2) => Self::TSpinDouble,
            (Spin::Mini | Spin::Full, _) => Self::TSpinTriple,
        }
    }

    /// Points at level 1 (seed 002:1752–1810).
    pub fn points(self) -> u64 {
        match self {
            Self::Nothing => 0,
            Self::Single | Self::MiniTSpin => 100,
            Self::MiniTSpinSingle => 200,
            Self::Double => 300,
            Self::TSpin => 400,
            Self::Triple => 500,
            Self::Tetris | Self::TSpinSingle => 800,
            Self::TSpinDouble => 1200,
            Self::TSpinTriple => 1600,
        }
    }

    /// Lines sent to an opponent (seed 002:5819–5854), without the one that a back-to-back adds.
    fn attack(self) -> u32 {
        match self {
            Self::Nothing | Self::Single | Self::MiniTSpin | Self::MiniTSpinSingle | Self::TSpin => 0,
            Self::Double => 1,
            Self::Triple | Self::TSpinSingle => 2,
            Self::Tetris | Self::TSpinDouble => 4,
            Self::TSpinTriple => 6,
        }
    }

    /// Whether a T was spun.
    pub fn is_spin(self) -> bool {
        !matches!(self, Self::Nothing | Self::Single | Self::Double | Self::Triple | Self::Tetris)
    }

    /// Whether it begins and continues a back-to-back sequence (seed 002:1814).
    pub fn is_back_to_back(self) -> bool {
        use Action::{MiniTSpinSingle, TSpinDouble, TSpinSingle, TSpinTriple, Tetris};
        matches!(self, Tetris | MiniTSpinSingle | TSpinSingle | TSpinDouble | TSpinTriple)
    }

    /// Whether it ends one; a piece that clears nothing, spun or not, does neither (seed 002:1831, 002:1915).
    pub fn breaks_back_to_back(self) -> bool {
        matches!(self, Self::Single | Self::Double | Self::Triple)
    }
}

/// An action in its sequence.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Award {
    /// What was done.
    pub action: Action,
    /// Whether it gets the back-to-back bonus: it belongs to a sequence and is not the first of it (seed 002:1912).
    pub has_bonus: bool,
}

impl Award {
    /// Points at a level (seed 002:1741, 002:1812).
    pub fn points(self, level: u8) -> u64 {
        self.with_half(self.action.points()) * u64::from(level)
    }

    /// Lines that count towards a variable goal: a hundredth of the points at level 1 (seed 002:1586, 002:1591–1633).
    pub fn lines(self) -> u32 {
        (self.with_half(self.action.points()) / 100) as u32
    }

    /// Lines sent to an opponent. A back-to-back adds one (seed 002:5856), but to nothing that sends none: the table of counter
    /// attacks sends none for a mini T-spin single, back-to-back or not (seed 002:6011–6038).
    pub fn attack(self) -> u32 {
        match self.action.attack() {
            0 => 0,
            lines => lines + u32::from(self.has_bonus),
        }
    }

    fn with_half(self, total: u64) -> u64 {
        if self.has_bonus { total + total / 2 } else { total }
    }
}

/// Whether a back-to-back sequence is going on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Sequence {
    is_on: bool,
}

impl Sequence {
    /// One that is going on, or not.
    pub fn of(is_on: bool) -> Self {
        Self { is_on }
    }

    /// The next action. Holding a piece is none (seed 002:1915).
    pub fn next(&mut self, action: Action) -> Award {
        let has_bonus = self.is_on && action.is_back_to_back();
        self.is_on = (self.is_on || action.is_back_to_back()) && !action.breaks_back_to_back();
        Award { action, has_bonus }
    }

    /// Whether the next qualifying action gets the bonus.
    pub fn is_on(self) -> bool {
        self.is_on
    }
}
