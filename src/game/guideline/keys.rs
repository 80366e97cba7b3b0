//! What a player holds down.

use std::ops::{BitOr, BitOrAssign};

/// Buttons that are held, by what they do (seed 002:1337–1430).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Keys(u8);

impl Keys {
    /// No button.
    pub const NONE: Self = Self(0);
    /// A column to the left.
    pub const LEFT: Self = Self(1);
    /// A column to the right.
    pub const RIGHT: Self = Self(1 << 1);
    /// Faster downwards.
    pub const SOFT_DROP: Self = Self(1 << 2);
    /// Down and locked at once.
    pub const HARD_DROP: Self = Self(1 << 3);
    /// A quarter turn clockwise.
    pub const CLOCKWISE: Self = Self(1 << 4);
    /// A quarter turn counter-clockwise.
    pub const COUNTER_CLOCKWISE: Self = Self(1 << 5);
    /// Into the hold queue.
    pub const HOLD: Self = Self(1 << 6);
    /// Pause, and on again.
    pub const PAUSE: Self = Self(1 << 7);

    /// Whether all of these are held.
    pub fn holds(self, keys: Self) -> bool {
        self.0 & keys.0 == keys.0
    }

    /// Those of these that were not held before.
    #[must_use]
    pub fn pressed_since(self, before: Self) -> Self {
        Self(self.0 & !before.0)
    }
}

impl BitOr for Keys {
    type Output = Self;

    fn bitor(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }
}

impl BitOrAssign for Keys {
    fn bitor_assign(&mut self, other: Self) {
        *self = *self | other;
    }
}
