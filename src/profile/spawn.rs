//! Where a piece appears in a game, as a picture.

use crate::game::Piece;
use serde::Deserialize;
use std::collections::BTreeMap;

/// The most rows above the field in which a piece appears.
const ROWS_ABOVE_MAX: i8 = 2;

/// Where a piece appears: its cells as a picture, and the field cell of the picture's top-left corner.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SpawnShape {
    /// Column of the picture's left edge, from 0.
    pub column: usize,
    /// Row of the picture's top edge: from 0, or −1 or −2 where it appears above the field.
    pub row: i8,
    /// Rows of the picture, `#` for a cell of the piece.
    pub cells: Vec<String>,
}

impl SpawnShape {
    /// The piece's four cells as (column, row) of the field; of one that appears above it, where it is when all of it is seen
    /// first.
    pub fn field_cells(&self) -> Vec<(usize, usize)> {
        let row = self.row.max(0) as usize;
        self.shape_cells().into_iter().map(|(x, y)| (x + self.column, y + row)).collect()
    }

    /// How many rows it falls until all of it is in the field.
    pub fn rows_above(&self) -> u8 {
        (-self.row).max(0) as u8
    }

    /// The piece's four cells as (column, row) within the picture.
    pub fn shape_cells(&self) -> Vec<(usize, usize)> {
        let mut cells = Vec::new();
        for (y, line) in self.cells.iter().enumerate() {
            cells.extend(line.chars().enumerate().filter(|(_, c)| *c == '#').map(|(x, _)| (x, y)));
        }
        cells
    }
}

/// What is wrong with the places of all pieces in a field of so many columns and rows: the piece, and in words.
pub fn problem(spawn: &BTreeMap<Piece, SpawnShape>, [columns, rows]: [usize; 2]) -> Option<(Piece, &'static str)> {
    Piece::ALL.into_iter().find_map(|piece| {
        let Some(shape) = spawn.get(&piece) else { return Some((piece, "is missing; give all seven pieces")) };
        let cells = shape.field_cells();
        if cells.len() != 4 || cells.iter().any(|&(x, y)| x >= columns || y >= rows) {
            return Some((piece, "must show four cells inside the field"));
        }
        (shape.row < -ROWS_ABOVE_MAX || shape.row < 0 && cells.iter().all(|cell| cell.1 > 0))
            .then_some((piece, "must not be further than two rows above the field, and drawn from its topmost cell on"))
    })
}
