//! Where the pieces of a rule stand: in their frames, and in the field as they appear.

use super::entries::{Entries, RuleFileError};
use crate::game::{Orientation, Piece, Rotation};

/// The pieces in the order of their numbers.
pub const ORDER: [Piece; 7] = [Piece::I, Piece::L, Piece::O, Piece::Z, Piece::T, Piece::J, Piece::S];

/// How far an offset may lead.
const OFFSETS: [i32; 2] = [-3, 3];
/// Where a piece can appear, as moved from the usual place.
const SPAWNS: [i32; 2] = [-100, 100];

/// Column and row of each piece's pivot in its frame of up to 4 × 4 cells, by [`ORDER`] and direction, before offsets.
const PIVOTS: [[(i32, i32); Rotation::COUNT]; 7] = [
    [(2, 1), (2, 2), (2, 2), (1, 2)],
    [(1, 1); 4],
    [(1, 0); 4],
    [(1, 0), (1, 1), (1, 1), (0, 1)],
    [(1, 1); 4],
    [(1, 1); 4],
    [(1, 0), (1, 1), (1, 1), (0, 1)],
];

/// Cells as (column, row).
pub type Cells = [(i32, i32); 4];

/// Where a piece stands.
#[derive(Debug, Clone, Copy)]
pub struct Places {
    /// Which piece.
    pub piece: Piece,
    /// Its cells in a frame that stays as it turns, clockwise from the state in which it appears.
    pub states: [Cells; Rotation::COUNT],
    /// Its cells in the field as it appears; rows above it are below 0.
    pub spawn: Cells,
}

impl Places {
    /// Those of a rule whose field has so many columns, by [`ORDER`].
    ///
    /// # Errors
    /// When a number cannot be, or a piece appears beside the field or below its top rows.
    pub fn take(entries: &mut Entries, columns: i32, enter_above: bool) -> Result<Vec<Self>, RuleFileError> {
        let enumerated = ORDER.into_iter().enumerate();
        enumerated.map(|(number, piece)| Self::of(entries, number, piece, columns, enter_above)).collect()
    }

    fn of(
        entries: &mut Entries,
        number: usize,
        piece: Piece,
        columns: i32,
        enter_above: bool,
    ) -> Result<Self, RuleFileError> {
        let key = format!("pieceDefaultDirection.{number}");
        let begin: usize = entries.number(&key, 0, [0, Rotation::COUNT])?;
        if begin == Rotation::COUNT {
            return Err(
                entries.unplayable(&key, "each piece appears turned at random, so that nobody can tell which it is")
            );
        }
        let mut row = |table: &str, bounds| -> Result<Vec<i32>, RuleFileError> {
            (0..Rotation::COUNT).map(|way| entries.number(&format!("{table}.{number}.{way}"), 0, bounds)).collect()
        };
        let offsets = [row("pieceOffsetX", OFFSETS)?, row("pieceOffsetY", OFFSETS)?];
        let shifts = [row("pieceSpawnX", SPAWNS)?, row("pieceSpawnY", SPAWNS)?];
        let states = std::array::from_fn(|turns| {
            let way = (begin + turns) % Rotation::COUNT;
            let (x, y) = PIVOTS[number][way];
            let pivot = (x + offsets[0][way], y + offsets[1][way]);
            let cells = Orientation::of(piece, Rotation::ALL[way]).cells();
            cells.map(|(dx, dy)| (pivot.0 + i32::from(dx), pivot.1 + i32::from(dy)))
        });
        let [left, top, right, bottom] = bounds(&states[0]);
        let x = -1 + (columns - (right - left) + 1) / 2 + shifts[0][begin];
        let y = if enter_above { -1 - bottom } else { -top } + shifts[1][begin];
        let spawn: Cells = states[0].map(|(dx, dy)| (x + dx, y + dy));
        if !spawn.iter().all(|(x, _)| (0..columns).contains(x)) {
            let key = format!("pieceSpawnX.{number}.{begin}");
            return Err(entries.unplayable(&key, &format!("{piece} appears partly beside the field")));
        }
        if !(-8..=8).contains(&(y + top)) {
            let key = format!("pieceSpawnY.{number}.{begin}");
            return Err(entries.unplayable(&key, &format!("{piece} appears far from the top of the field")));
        }
        Ok(Self { piece, states, spawn })
    }
}

/// The least column and row of cells, and the greatest.
pub fn bounds(cells: &[(i32, i32)]) -> [i32; 4] {
    let columns = cells.iter().map(|cell| cell.0);
    let rows = cells.iter().map(|cell| cell.1);
    [columns.clone().min(), rows.clone().min(), columns.max(), rows.max()].map(Option::unwrap_or_default)
}
