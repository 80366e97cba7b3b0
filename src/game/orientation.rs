//! The 19 orientations and how the two rotate buttons walk through them (NES tables at $8A9C and $88EE).
//!
//! Games that draw the same shapes in the same order (most of the classic ones without wall kicks) share the table.

use super::{Board, Piece};
use serde::{Deserialize, Serialize};

/// The number of orientations of all pieces together.
pub const ORIENTATIONS: usize = 19;

/// Cells of each orientation as (x, y) from the pivot; y grows downwards. $8A9C.
const CELLS: [[(i8, i8); 4]; ORIENTATIONS] = [
    [(-1, 0), (0, 0), (1, 0), (0, -1)],  // 00 T up
    [(0, -1), (0, 0), (1, 0), (0, 1)],   // 01 T right
    [(-1, 0), (0, 0), (1, 0), (0, 1)],   // 02 T down, spawn
    [(0, -1), (-1, 0), (0, 0), (0, 1)],  // 03 T left
    [(0, -1), (0, 0), (-1, 1), (0, 1)],  // 04 J left
    [(-1, -1), (-1, 0), (0, 0), (1, 0)], // 05 J up
    [(0, -1), (1, -1), (0, 0), (0, 1)],  // 06 J right
    [(-1, 0), (0, 0), (1, 0), (1, 1)],   // 07 J down, spawn
    [(-1, 0), (0, 0), (0, 1), (1, 1)],   // 08 Z flat, spawn
    [(1, -1), (0, 0), (1, 0), (0, 1)],   // 09 Z upright
    [(-1, 0), (0, 0), (-1, 1), (0, 1)],  // 0A O, spawn
    [(0, 0), (1, 0), (-1, 1), (0, 1)],   // 0B S flat, spawn
    [(0, -1), (0, 0), (1, 0), (1, 1)],   // 0C S upright
    [(0, -1), (0, 0), (0, 1), (1, 1)],   // 0D L right
    [(-1, 0), (0, 0), (1, 0), (-1, 1)],  // 0E L down, spawn
    [(-1, -1), (0, -1), (0, 0), (0, 1)], // 0F L left
    [(1, -1), (-1, 0), (0, 0), (1, 0)],  // 10 L up
    [(0, -2), (0, -1), (0, 0), (0, 1)],  // 11 I upright
    [(-2, 0), (-1, 0), (0, 0), (1, 0)],  // 12 I flat, spawn
];

/// For each orientation, the ones that B (counter-clockwise) and A (clockwise) lead to. $88EE.
const ROTATIONS: [[u8; 2]; ORIENTATIONS] = [
    [0x03, 0x01],
    [0x00, 0x02],
    [0x01, 0x03],
    [0x02, 0x00],
    [0x07, 0x05],
    [0x04, 0x06],
    [0x05, 0x07],
    [0x06, 0x04],
    [0x09, 0x09],
    [0x08, 0x08],
    [0x0A, 0x0A],
    [0x0C, 0x0C],
    [0x0B, 0x0B],
    [0x10, 0x0E],
    [0x0D, 0x0F],
    [0x0E, 0x10],
    [0x0F, 0x0D],
    [0x12, 0x12],
    [0x11, 0x11],
];

/// The piece of each orientation. $993B.
const PIECES: [Piece; ORIENTATIONS] = {
    use Piece::{I, J, L, O, S, T, Z};
    [T, T, T, T, J, J, J, J, Z, Z, O, S, S, L, L, L, L, I, I]
};

/// The most orientations of one piece.
pub const TURNS: usize = 4;
/// The first orientation of each piece, by [`Piece::index`].
const FIRST: [u8; 7] = [0x00, 0x04, 0x08, 0x0A, 0x0B, 0x0D, 0x11];

/// The orientation in which each piece appears. $994E.
const SPAWN: [u8; 7] = [0x02, 0x07, 0x08, 0x0A, 0x0B, 0x0E, 0x12];

/// One of the 19 orientations, by its id 0–18.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Orientation(u8);

impl Orientation {
    /// The orientation of this id, if there is one.
    pub fn from_id(id: u8) -> Option<Self> {
        ((id as usize) < ORIENTATIONS).then_some(Self(id))
    }

    /// All of them.
    pub fn all() -> impl Iterator<Item = Self> {
        (0..ORIENTATIONS as u8).map(Self)
    }

    /// The id, 0–18.
    pub fn id(self) -> u8 {
        self.0
    }

    /// In which `piece` appears.
    pub fn spawn(piece: Piece) -> Self {
        Self(SPAWN[piece.index()])
    }

    /// The piece it belongs to.
    pub fn piece(self) -> Piece {
        PIECES[self.0 as usize]
    }

    /// Which of its piece's orientations it is, from 0; below [`TURNS`].
    pub fn turn(self) -> usize {
        usize::from(self.0 - FIRST[self.piece().index()])
    }

    /// Its cells as (x, y) from the pivot.
    pub fn cells(self) -> &'static [(i8, i8); 4] {
        &CELLS[self.0 as usize]
    }

    /// How many columns right of its place on the NES a piece stands that was turned into this orientation.
    pub fn lean(self, hand: Handedness) -> i8 {
        let two_fold = self.turned(true) == self.turned(false) && self.turned(true) != self;
        let upright = self != Self::spawn(self.piece());
        if hand == Handedness::Left && two_fold && upright { -1 } else { 0 }
    }

    /// After a clockwise (A) or counter-clockwise (B) turn.
    pub fn turned(self, clockwise: bool) -> Self {
        Self(ROTATIONS[self.0 as usize][clockwise as usize])
    }
}

/// Where the pieces with two orientations (I, S, Z) stand upright: games without wall kicks come in both kinds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Handedness {
    /// In the column right of the middle, as on the NES.
    #[default]
    Right,
    /// In the column left of it, as on the Game Boy.
    Left,
}

/// Where a piece is: its pivot's column and row, and its orientation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Pose {
    /// Column of the pivot.
    pub x: i8,
    /// Row of the pivot, 0 at the top; rows −2 and −1 are hidden.
    pub y: i8,
    /// Orientation.
    pub orientation: Orientation,
}

impl Pose {
    /// The four cells as (column, row).
    pub fn cells(self) -> [(i8, i8); 4] {
        self.orientation.cells().map(|(dx, dy)| (self.x + dx, self.y + dy))
    }

    /// Moved by columns and rows.
    pub fn moved(self, dx: i8, dy: i8) -> Self {
        Self { x: self.x + dx, y: self.y + dy, ..self }
    }

    /// Turned about the pivot.
    pub fn turned(self, clockwise: bool) -> Self {
        Self { orientation: self.orientation.turned(clockwise), ..self }
    }

    /// Turned in a game of this handedness: there the shapes are the same, but upright I, S and Z may stand one column
    /// further left.
    pub fn turned_in(self, hand: Handedness, clockwise: bool) -> Self {
        let turned = self.turned(clockwise);
        let shift = turned.orientation.lean(hand) - self.orientation.lean(hand);
        turned.moved(shift, 0)
    }

    /// Whether the piece may be there: inside the walls, not below the floor, at most two rows above the field, on
    /// empty cells. $948B.
    pub fn fits(self, board: &Board) -> bool {
        self.cells().iter().all(|&(x, y)| {
            (0..board.width() as i8).contains(&x)
                && (-2..board.height() as i8).contains(&y)
                && !(y >= 0 && board.is_full(x as usize, y as usize))
        })
    }

    /// Fills the piece's cells; those above row 0 are lost, as on the console.
    pub fn stamp(self, board: &mut Board) {
        for (x, y) in self.cells() {
            if x >= 0 && y >= 0 {
                board.fill(x as usize, y as usize);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn left_handed_games_stand_two_fold_pieces_one_column_further_left() {
        let leftmost = |pose: Pose| pose.cells().map(|c| c.0).into_iter().min();
        for piece in Piece::ALL {
            let flat = Pose { x: 5, y: 2, orientation: Orientation::spawn(piece) };
            let [right, left] = [Handedness::Right, Handedness::Left].map(|hand| flat.turned_in(hand, true));
            let shifts = matches!(piece, Piece::I | Piece::S | Piece::Z);
            assert_eq!(leftmost(left), leftmost(right).map(|x| x - i8::from(shifts)), "{piece}");
            for clockwise in [true, false] {
                assert_eq!(left.turned_in(Handedness::Left, clockwise).turned_in(Handedness::Left, !clockwise), left);
                assert_eq!(flat.turned_in(Handedness::Right, clockwise), flat.turned(clockwise));
            }
        }
    }
}
