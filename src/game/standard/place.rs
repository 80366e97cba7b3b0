//! Where a piece is on a board of any of the article's sizes.

use crate::game::{Orientation, Piece, Pose, RotationSystem};

/// Where a piece is: its pivot's column and row, and its orientation. As [`Pose`], but boards may be far larger.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Place {
    /// Column of the pivot.
    pub x: i16,
    /// Row of the pivot, 0 at the top.
    pub y: i16,
    /// Orientation.
    pub orientation: Orientation,
}

impl From<Pose> for Place {
    fn from(pose: Pose) -> Self {
        Self { x: pose.x.into(), y: pose.y.into(), orientation: pose.orientation }
    }
}

impl Place {
    /// Where a piece appears on a board of so many columns: flat at the top, around the column right of the middle.
    pub fn of_spawn(piece: Piece, columns: usize) -> Self {
        Self { x: (columns / 2) as i16, y: 0, orientation: Orientation::spawn(piece) }
    }

    /// The piece.
    pub fn piece(self) -> Piece {
        self.orientation.piece()
    }

    /// The four cells as (column, row).
    pub fn cells(self) -> [(i16, i16); 4] {
        self.orientation.cells().map(|(dx, dy)| (self.x + i16::from(dx), self.y + i16::from(dy)))
    }

    /// The place as robots know it; `None` where they know no such column or row.
    pub fn pose(self) -> Option<Pose> {
        Some(Pose { x: self.x.try_into().ok()?, y: self.y.try_into().ok()?, orientation: self.orientation })
    }

    /// Moved by columns and rows.
    #[must_use]
    pub fn moved(self, dx: i16, dy: i16) -> Self {
        Self { x: self.x + dx, y: self.y + dy, ..self }
    }

    /// A counter-clockwise turn further.
    #[must_use]
    pub fn turned(self) -> Self {
        let turned = RotationSystem::standard().turned(Pose { x: 0, y: 0, orientation: self.orientation }, false);
        Self { orientation: turned.orientation, ..self.moved(turned.x.into(), turned.y.into()) }
    }
}
