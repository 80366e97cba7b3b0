//! Counting to the end: how many sequences of places there are. Programs that agree on it agree on every move.

use super::table::Table;
use super::{Field, Moves, find};
use crate::game::Piece;

/// How many ways there are to place these pieces one after the other, completed rows removed. Ways that end with the same board
/// count each.
pub fn perft(moves: &Moves, field: &Field, pieces: &[Piece]) -> u64 {
    let tables: Vec<&Table> = pieces.iter().map(|piece| moves.table(*piece)).collect();
    descend(&tables, field)
}

fn descend(tables: &[&Table], field: &Field) -> u64 {
    let Some((first, rest)) = tables.split_first() else { return 1 };
    let found = find(first, field);
    if rest.is_empty() {
        return found.count.into();
    }
    let mut leaves = 0;
    found.places.each(found.words, |lane, column, row| {
        let (cells, below) = &first.stamps[lane];
        let mut board = *field;
        board.fill(row - below, cells[column]);
        board.clear_full_rows();
        leaves += descend(rest, &board);
    });
    leaves
}
