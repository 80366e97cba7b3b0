//! Counting to the end: how many sequences of places there are. Programs that agree on it agree on every move.

use super::table::Table;
use super::{Count, Field, Moves, Visit, visit};
use crate::game::Piece;
use crate::game::movegen::lanes::Lanes;
use multiversion::multiversion;

/// How many ways there are to place these pieces one after the other, completed rows removed. Ways that end with the same board
/// count each.
pub fn perft(moves: &Moves, field: &Field, pieces: &[Piece]) -> u64 {
    match pieces {
        [] => 1,
        [last] => moves.count(field, *last).into(),
        [..] => {
            let tables: Vec<&Table> = pieces.iter().map(|piece| moves.table(*piece)).collect();
            descend(&tables, field)
        }
    }
}

/// Of at least two pieces.
#[multiversion(targets("x86_64+avx2+bmi1+bmi2+lzcnt+popcnt"))]
fn descend(tables: &[&Table], field: &Field) -> u64 {
    let (Some((first, rest)), Some(last)) = (tables.split_first(), tables.last()) else { return 0 };
    let mut places = Vec::with_capacity(64);
    visit(first, field, &mut Stamps { table: first, field: *field, boards: &mut places });
    let mut leaves = 0;
    for board in &places {
        leaves += if rest.len() == 1 {
            let mut count = Count(0);
            visit(last, board, &mut count);
            u64::from(count.0)
        } else {
            descend(rest, board)
        };
    }
    leaves
}

/// The boards that follow.
struct Stamps<'a> {
    table: &'a Table,
    field: Field,
    boards: &'a mut Vec<Field>,
}

impl Visit for Stamps<'_> {
    #[inline(always)]
    fn see<const N: usize>(&mut self, found: Lanes<N>) {
        found.each(|lane, column, row| {
            let (cells, below) = &self.table.stamps[lane];
            let mut board = self.field;
            board.fill(row - below, cells[column]);
            board.clear_full_rows();
            self.boards.push(board);
        });
    }
}
