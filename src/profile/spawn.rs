//! Where a piece appears in a game, as a picture.

use crate::game::Piece;
use serde::Deserialize;
use std::collections::BTreeMap;

/// Where a piece appears: its cells as a picture, and the field cell of the picture's top-left corner.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SpawnShape {
    /// Column of the picture's left edge, from 0.
    pub column: usize,
    /// Row of the picture's top edge, from 0.
    pub row: usize,
    /// Rows of the picture, `#` for a cell of the piece.
    pub cells: Vec<String>,
}

impl SpawnShape {
    /// The piece's four cells as (column, row) of the field.
    pub fn field_cells(&self) -> Vec<(usize, usize)> {
        self.shape_cells().into_iter().map(|(x, y)| (x + self.column, y + self.row)).collect()
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
        let is_wrong = cells.len() != 4 || cells.iter().any(|&(x, y)| x >= columns || y >= rows);
        is_wrong.then_some((piece, "must show four cells inside the field"))
    })
}
