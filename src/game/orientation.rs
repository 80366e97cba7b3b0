//! Pieces in their rotations, and where they are. How a game turns them: [`super::rotation`].

use super::{Board, Piece};

/// A quarter turn's place in the circle, named by where a T points.
///
/// What the guideline counts as 0, R, 2 and L. In pieces that look the same after half a turn (I, S, Z) `Up` and `Down` lie
/// flat; games may still tell them apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Rotation {
    /// A T points upwards.
    Up,
    /// A T points to the right.
    Right,
    /// A T points downwards.
    Down,
    /// A T points to the left.
    Left,
}

impl Rotation {
    /// How many there are.
    pub const COUNT: usize = 4;
    /// All of them, clockwise.
    pub const ALL: [Self; Self::COUNT] = [Self::Up, Self::Right, Self::Down, Self::Left];

    /// A quarter turn further.
    pub const fn turned(self, clockwise: bool) -> Self {
        Self::ALL[(self as usize + if clockwise { 1 } else { Self::COUNT - 1 }) % Self::COUNT]
    }
}

/// How many shapes each piece has, half turns that look the same counted once, by [`Piece::index`].
const SHAPES_OF: [usize; 7] = [4, 4, 2, 1, 2, 4, 2];

/// Cells as (x, y) from the pivot; y grows downwards. By piece, in its rotations clockwise from [`Rotation::Up`]. $8A9C.
const CELLS: [&[[(i8, i8); 4]]; 7] = [
    &[
        [(-1, 0), (0, 0), (1, 0), (0, -1)], // T
        [(0, -1), (0, 0), (1, 0), (0, 1)],
        [(-1, 0), (0, 0), (1, 0), (0, 1)],
        [(0, -1), (-1, 0), (0, 0), (0, 1)],
    ],
    &[
        [(-1, -1), (-1, 0), (0, 0), (1, 0)], // J
        [(0, -1), (1, -1), (0, 0), (0, 1)],
        [(-1, 0), (0, 0), (1, 0), (1, 1)],
        [(0, -1), (0, 0), (-1, 1), (0, 1)],
    ],
    &[
        [(-1, 0), (0, 0), (0, 1), (1, 1)], // Z
        [(1, -1), (0, 0), (1, 0), (0, 1)],
    ],
    &[[(-1, 0), (0, 0), (-1, 1), (0, 1)]], // O
    &[
        [(0, 0), (1, 0), (-1, 1), (0, 1)], // S
        [(0, -1), (0, 0), (1, 0), (1, 1)],
    ],
    &[
        [(1, -1), (-1, 0), (0, 0), (1, 0)], // L
        [(0, -1), (0, 0), (0, 1), (1, 1)],
        [(-1, 0), (0, 0), (1, 0), (-1, 1)],
        [(-1, -1), (0, -1), (0, 0), (0, 1)],
    ],
    &[
        [(-2, 0), (-1, 0), (0, 0), (1, 0)], // I
        [(0, -2), (0, -1), (0, 0), (0, 1)],
    ],
];

/// The number of each shape in the console's tables, in the order of [`CELLS`]. $8A9C.
const IDS: [&[u8]; 7] = [
    &[0x00, 0x01, 0x02, 0x03],
    &[0x05, 0x06, 0x07, 0x04],
    &[0x08, 0x09],
    &[0x0A],
    &[0x0B, 0x0C],
    &[0x10, 0x0D, 0x0E, 0x0F],
    &[0x12, 0x11],
];

/// A piece in one of its rotations.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Orientation {
    piece: Piece,
    rotation: Rotation,
}

impl Orientation {
    /// A piece in a rotation.
    pub fn of(piece: Piece, rotation: Rotation) -> Self {
        Self { piece, rotation }
    }

    /// The shape of this number in the console's tables, 0–18, as JSON lines name it too, if there is one.
    pub fn from_id(id: u8) -> Option<Self> {
        let of_piece = |piece: Piece| IDS[piece.index()].iter().position(|&other| other == id);
        Piece::ALL.into_iter().find_map(|piece| Some(Self::of(piece, Rotation::ALL[of_piece(piece)?])))
    }

    /// The number of its shape in the console's tables, 0–18. $8A9C.
    pub fn id(self) -> u8 {
        IDS[self.piece.index()][self.shape_index()]
    }

    /// All shapes of a piece, each once.
    pub fn shapes(piece: Piece) -> impl Iterator<Item = Self> {
        Rotation::ALL.into_iter().take(SHAPES_OF[piece.index()]).map(move |rotation| Self { piece, rotation })
    }

    /// In which `piece` appears in most games without kicks: flat, T, J and L pointing down. $994E.
    pub fn spawn(piece: Piece) -> Self {
        let rotation = if SHAPES_OF[piece.index()] == Rotation::COUNT { Rotation::Down } else { Rotation::Up };
        Self { piece, rotation }
    }

    /// The piece.
    pub fn piece(self) -> Piece {
        self.piece
    }

    /// Its rotation.
    pub fn rotation(self) -> Rotation {
        self.rotation
    }

    /// The same piece in another rotation.
    #[must_use]
    pub fn rotated_to(self, rotation: Rotation) -> Self {
        Self { rotation, ..self }
    }

    /// The first rotation that looks the same: what a picture can tell.
    #[must_use]
    pub fn shape(self) -> Self {
        Self { rotation: Rotation::ALL[self.shape_index()], ..self }
    }

    /// Its cells as (x, y) from the pivot, the same in all rotations that look the same.
    pub fn cells(self) -> &'static [(i8, i8); 4] {
        &CELLS[self.piece.index()][self.shape_index()]
    }

    fn shape_index(self) -> usize {
        self.rotation as usize % SHAPES_OF[self.piece.index()]
    }
}

/// Where a piece is: its pivot's column and row, and its orientation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
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

    /// The same cells in the first rotation that looks the same.
    #[must_use]
    pub fn shape(self) -> Self {
        Self { orientation: self.orientation.shape(), ..self }
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
