//! When a piece that lies on something locks down. Times are in µs.

/// From landing to lock down (seed 002:675).
pub const LOCK_DOWN_US: u64 = 500_000;
/// Moves and turns of a piece that has landed, in extended placement (seed 002:1521).
pub const EXTENDED_MOVES: u8 = 15;

/// What resets the timer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum LockDown {
    /// Every move and turn, fifteen times (seed 002:1515–1530).
    #[default]
    Extended,
    /// Every move and turn (seed 002:1532–1538).
    Infinite,
    /// Falling further, and nothing else (seed 002:1547–1551).
    Classic,
}

/// The lock down timer of the falling piece.
///
/// Rows are those of the piece's visual centre, growing downwards; a plain turn leaves it where it is, a kick moves it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Lock {
    rule: LockDown,
    left_us: u64,
    moves_left: u8,
    lowest_row: i8,
    has_landed: bool,
    is_on_surface: bool,
}

impl Lock {
    /// Of a piece that appeared in this row.
    pub fn new(rule: LockDown, row: i8) -> Self {
        Self {
            rule,
            left_us: LOCK_DOWN_US,
            moves_left: EXTENDED_MOVES,
            lowest_row: row,
            has_landed: false,
            is_on_surface: false,
        }
    }

    /// The piece is in this row now, by a fall, a move or a turn. Only a new lowest row gives all moves and the whole time back
    /// (seed 002:1522–1524, 002:2464).
    pub fn reach(&mut self, row: i8, is_on_surface: bool) {
        if row > self.lowest_row {
            *self = Self::new(self.rule, row);
        }
        self.is_on_surface = is_on_surface;
        self.has_landed |= is_on_surface;
    }

    /// The player moved or turned it; then it was in this row. The moves of a piece count from when it first landed.
    pub fn moved(&mut self, row: i8, is_on_surface: bool, by_turn: bool) {
        // A turn that lifts it off the surface stops the timer and does not reset it (seed 002:2460–2464). One that leaves it on
        // something, kicked upwards or not, resets it like a move.
        let was_lifted = by_turn && self.is_on_surface && !is_on_surface;
        if self.has_landed {
            self.moves_left = self.moves_left.saturating_sub(1);
            if self.rule != LockDown::Classic && !was_lifted {
                self.left_us = LOCK_DOWN_US;
            }
        }
        self.reach(row, is_on_surface);
    }

    /// µs until it locks down where it is; `None` while it lies on nothing, which stops the timer (seed 002:2462).
    ///
    /// With all moves used it locks on the first surface that it touches (seed 002:1527–1528).
    pub fn due_us(&self) -> Option<u64> {
        let is_used_up = self.rule == LockDown::Extended && self.moves_left == 0;
        self.is_on_surface.then_some(if is_used_up { 0 } else { self.left_us })
    }

    /// Time passes.
    pub fn pass(&mut self, us: u64) {
        if self.is_on_surface {
            self.left_us = self.left_us.saturating_sub(us);
        }
    }

    /// Moves and turns that are left of the fifteen.
    pub fn moves_left(&self) -> u8 {
        self.moves_left
    }
}
