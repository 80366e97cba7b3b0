//! What a held direction does: auto-repeat. Times are in µs.

/// From a press to when it repeats (seed 002:1467).
pub const DELAY_US: u64 = 300_000;
/// From one side of the field to the other (seed 002:1464).
pub const ACROSS_US: u64 = 500_000;
/// From one repeated move to the next: the widest way is that of an upright I, nine columns.
pub const REPEAT_US: u64 = ACROSS_US / 9;

/// A side.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Side {
    Left,
    Right,
}

impl Side {
    /// Columns.
    pub fn step(self) -> i8 {
        match self {
            Self::Left => -1,
            Self::Right => 1,
        }
    }

    fn other(self) -> Self {
        match self {
            Self::Left => Self::Right,
            Self::Right => Self::Left,
        }
    }
}

/// The two direction buttons. It knows no piece, so that a button held through a lock down goes on with the next one
/// (seed 002:1468).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Repeat {
    is_held: [bool; 2],
    /// The side that moves, and µs until it moves next.
    active: Option<(Side, u64)>,
}

impl Repeat {
    /// Which buttons are held from now on; the side of a move at once, if one was pressed.
    ///
    /// The side pressed last moves (seed 002:1470). When one of two is let go, the one still held begins anew with the delay
    /// (seed 002:1473), without a move at once: nobody pressed. Both pressed at the same instant move nothing.
    pub fn hold(&mut self, is_held: [bool; 2]) -> Option<Side> {
        let was_held = std::mem::replace(&mut self.is_held, is_held);
        let changed = |side: Side, to: bool| is_held[side as usize] == to && was_held[side as usize] != to;
        let pressed = [Side::Left, Side::Right].map(|side| changed(side, true));
        match pressed {
            [true, true] => self.active = None,
            [true, false] => self.active = Some((Side::Left, DELAY_US)),
            [false, true] => self.active = Some((Side::Right, DELAY_US)),
            [false, false] => {
                let released = [Side::Left, Side::Right].into_iter().find(|side| changed(*side, false));
                if let Some(side) = released {
                    self.active = is_held[side.other() as usize].then_some((side.other(), DELAY_US));
                }
            }
        }
        match pressed {
            [true, false] => Some(Side::Left),
            [false, true] => Some(Side::Right),
            _ => None,
        }
    }

    /// µs until a held button moves again.
    pub fn due_us(&self) -> Option<u64> {
        self.active.map(|(_, left)| left)
    }

    /// Time passes, no more than until it is due; the side that moves then.
    pub fn pass(&mut self, us: u64) -> Option<Side> {
        let (side, left) = self.active.as_mut()?;
        *left = left.saturating_sub(us);
        if *left > 0 {
            return None;
        }
        *left = REPEAT_US;
        Some(*side)
    }
}
