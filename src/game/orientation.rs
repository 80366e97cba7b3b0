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

/// What a shape covers, row by row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Footprint {
    /// Rows from the pivot down to the topmost cells: 0 or less.
    pub top: i8,
    /// Columns from the pivot to the leftmost cells: 0 or less.
    pub left: i8,
    /// How many rows there are, 1–4.
    pub height: u8,
    /// 16 bits a row, the topmost first (the lowest bits); bit = columns from the leftmost.
    pub rows: u64,
}

/// By piece and shape, as [`CELLS`].
static FOOTPRINTS: [[Footprint; Rotation::COUNT]; 7] = footprints();

const fn footprints() -> [[Footprint; Rotation::COUNT]; 7] {
    let mut all = [[Footprint { top: 0, left: 0, height: 0, rows: 0 }; Rotation::COUNT]; 7];
    let mut piece = 0;
    while piece < 7 {
        let mut shape = 0;
        while shape < SHAPES_OF[piece] {
            all[piece][shape] = footprint(&CELLS[piece][shape]);
            shape += 1;
        }
        piece += 1;
    }
    all
}

const fn footprint(cells: &[(i8, i8); 4]) -> Footprint {
    let (mut top, mut left, mut cell) = (0, 0, 0);
    while cell < 4 {
        let (x, y) = cells[cell];
        left = if x < left { x } else { left };
        top = if y < top { y } else { top };
        cell += 1;
    }
    let (mut rows, mut height) = (0, 0);
    cell = 0;
    while cell < 4 {
        let (x, y) = cells[cell];
        rows |= 1 << (16 * (y - top) + x - left);
        height = if y - top + 1 > height { y - top + 1 } else { height };
        cell += 1;
    }
    Footprint { top, left, height: height as u8, rows }
}

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

    /// The same cells, row by row.
    pub fn footprint(self) -> &'static Footprint {
        &FOOTPRINTS[self.piece.index()][self.shape_index()]
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

    /// What it covers of a board, if it lies within the walls: the topmost row, and from there down 16 bits a row, bit = column.
    #[inline]
    pub fn covered(self) -> (i8, u64) {
        let Footprint { top, left, rows, .. } = *self.orientation.footprint();
        (self.y + top, rows << ((self.x + left) as u32 & 15))
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
    #[inline]
    pub fn fits(self, board: &Board) -> bool {
        let Footprint { top, left, height, rows } = *self.orientation.footprint();
        let (top, left, height) = (self.y + top, self.x + left, height as i8);
        let is_inside =
            0 <= left && (left as usize) < board.width() && -2 <= top && top + height <= board.height() as i8;
        let wall = u32::MAX << board.width();
        is_inside
            && (0..height).all(|y| {
                let full = if top + y < 0 { 0 } else { u32::from(board.row((top + y) as usize)) };
                let covered = u32::from((rows >> (16 * y)) as u16) << left;
                covered & (full | wall) == 0
            })
    }

    /// Whether no cell is above the field, where some games let none be.
    pub fn is_below_top(self) -> bool {
        self.rows_above() == 0
    }

    /// How many rows of the piece are above the field.
    pub fn rows_above(self) -> u8 {
        (-self.y - self.orientation.footprint().top).max(0) as u8
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
    fn what_a_pose_covers_are_its_cells() {
        for piece in Piece::ALL {
            for rotation in Rotation::ALL {
                let pose = Pose { x: 5, y: 7, orientation: Orientation::of(piece, rotation) };
                let (first, covered) = pose.covered();
                let mut cells: Vec<(i8, i8)> =
                    (0..64).filter(|bit| covered >> bit & 1 == 1).map(|bit| (bit % 16, first + bit / 16)).collect();
                let mut expected = pose.cells();
                cells.sort_unstable();
                expected.sort_unstable();
                assert_eq!(cells, expected, "{piece} {rotation:?}");
                let Footprint { height, rows, .. } = *pose.orientation.footprint();
                assert_eq!(u32::from(height), (64 - rows.leading_zeros()).div_ceil(16));
            }
        }
    }

    /// The rule of $948B cell by cell: inside the walls, at most two rows above the field, on empty cells.
    #[test]
    fn a_piece_fits_where_each_of_its_cells_does() {
        for (width, height) in [(10, 20), (16, 24), (4, 3), (1, 40)] {
            let mut board = Board::new(width, height);
            for cell in (0..width * height).filter(|cell| cell * 37 % 11 < 3) {
                board.fill(cell % width, cell / width);
            }
            let is_free = |(x, y): (i8, i8)| {
                let is_inside = (0..width as i8).contains(&x) && (-2..height as i8).contains(&y);
                is_inside && !(y >= 0 && board.is_full(x as usize, y as usize))
            };
            let mut fitting = 0;
            for piece in Piece::ALL {
                for rotation in Rotation::ALL {
                    let orientation = Orientation::of(piece, rotation);
                    for (x, y) in (-6..44).flat_map(|y| (-6..22).map(move |x| (x, y))) {
                        let pose = Pose { x, y, orientation };
                        let expected = pose.cells().into_iter().all(is_free);
                        assert_eq!(
                            pose.fits(&board),
                            expected,
                            "{piece} {rotation:?} at {x}, {y} of {width} × {height}"
                        );
                        fitting += usize::from(expected);
                    }
                }
            }
            assert!(fitting > 0);
        }
    }
}
