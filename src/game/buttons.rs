//! The buttons of a game pad.

use std::ops::{BitOr, BitOrAssign, Not};

/// A set of the eight buttons of a game pad, one bit each as the NES keeps them at $00B6.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, PartialOrd, Ord)]
pub struct Buttons(pub u8);

#[allow(missing_docs)]
impl Buttons {
    pub const NONE: Self = Self(0);
    pub const RIGHT: Self = Self(1);
    pub const LEFT: Self = Self(2);
    pub const DOWN: Self = Self(4);
    pub const UP: Self = Self(8);
    pub const START: Self = Self(16);
    pub const SELECT: Self = Self(32);
    pub const B: Self = Self(64);
    pub const A: Self = Self(128);
    /// Each button with its name, in the order of a movie line (RLDUTSBA).
    pub const NAMED: [(Self, &'static str); 8] = [
        (Self::RIGHT, "right"),
        (Self::LEFT, "left"),
        (Self::DOWN, "down"),
        (Self::UP, "up"),
        (Self::START, "start"),
        (Self::SELECT, "select"),
        (Self::B, "b"),
        (Self::A, "a"),
    ];

    /// Whether all of `other` are in this set.
    pub fn contains(self, other: Self) -> bool {
        self.0 & other.0 == other.0
    }

    /// Whether any of `other` is in this set.
    pub fn intersects(self, other: Self) -> bool {
        self.0 & other.0 != 0
    }

    /// This set without `other`.
    pub fn without(self, other: Self) -> Self {
        Self(self.0 & !other.0)
    }

    /// One of them, if there is any.
    #[must_use]
    pub fn first(self) -> Self {
        Self(self.0 & self.0.wrapping_neg())
    }

    /// Whether the set holds opposite directions, which no pad can press.
    pub fn has_opposites(self) -> bool {
        self.contains(Self(3)) || self.contains(Self(12))
    }

    /// The button of this name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::NAMED.into_iter().find(|(_, n)| *n == name).map(|(b, _)| b)
    }
}

impl BitOr for Buttons {
    type Output = Self;
    fn bitor(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }
}

impl BitOrAssign for Buttons {
    fn bitor_assign(&mut self, other: Self) {
        self.0 |= other.0;
    }
}

impl Not for Buttons {
    type Output = Self;
    fn not(self) -> Self {
        Self(!self.0)
    }
}
