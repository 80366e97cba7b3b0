//! Where a piece can rest.

use crate::game::{Orientation, Pose};

/// A place in which a piece can rest.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Place {
    /// The piece in its rotation; of rotations that look the same, the first.
    pub orientation: Orientation,
    /// Column of its pivot, from 0 on the left.
    pub column: usize,
    /// Row of its pivot, from 0 at the floor.
    pub row: usize,
}

impl Place {
    /// The same as a pose on a board of so many rows.
    pub fn pose(self, rows: usize) -> Pose {
        let y = rows as i64 - 1 - self.row as i64;
        Pose { x: self.column as i8, y: y as i8, orientation: self.orientation }
    }
}
