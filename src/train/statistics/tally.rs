//! What is counted while games are played: where pieces lock, how high the pile stands, when the field is empty again.

use super::blocks::{Block, Blocks};
use crate::game::{Board, Piece};
use crate::train::contest::Lock;
use std::collections::BTreeMap;

/// Stretches that are kept of one game, and of all games of a player.
const BLOCKS_OF_GAME: usize = 16;
const BLOCKS_MAX: usize = 512;

/// Counts of all locks of one game or of many.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tally {
    columns: usize,
    rows: usize,
    blocks: Blocks,
    /// By [`Piece::index`]: locks by the pivot's cell, row by row from the top.
    cells: [Vec<u64>; 7],
    /// Games.
    games: u64,
    /// Full clears by the pieces since the game began or since the one before.
    full_clears: BTreeMap<u64, u64>,
    /// Pieces since the last.
    since_clear: u64,
}

impl Tally {
    /// Of one game, in a field like this.
    pub fn of_game(field: &Board) -> Self {
        Self { games: 1, ..Self::empty(field, BLOCKS_OF_GAME) }
    }

    /// Of all games of a player, none yet.
    pub fn of_all(field: &Board) -> Self {
        Self::empty(field, BLOCKS_MAX)
    }

    fn empty(field: &Board, blocks: usize) -> Self {
        let (columns, rows) = (field.width(), field.height());
        Self {
            columns,
            rows,
            blocks: Blocks::new(blocks),
            cells: std::array::from_fn(|_| vec![0; columns * rows]),
            games: 0,
            full_clears: BTreeMap::new(),
            since_clear: 0,
        }
    }

    /// Counts a lock.
    pub fn see(&mut self, lock: &Lock<'_>) {
        let (before, after) = (height(lock.before), height(lock.after));
        let block = self.blocks.current(self.rows);
        block.pieces += 1;
        block.heights[after] += 1;
        block.rises.iter_mut().take(after + 1).skip(before + 1).for_each(|rises| *rises += 1);
        let pose = lock.step.pose;
        // A pivot above the field is in no row.
        if let (Ok(x), Ok(y)) = (usize::try_from(pose.x), usize::try_from(pose.y))
            && x < self.columns
            && y < self.rows
        {
            block.rows[y] += 1;
            self.cells[pose.orientation.piece().index()][y * self.columns + x] += 1;
        }
        self.since_clear += 1;
        if after == 0 {
            *self.full_clears.entry(std::mem::take(&mut self.since_clear)).or_default() += 1;
        }
    }

    /// Adds another game.
    pub fn add(&mut self, game: &Self) {
        self.blocks.append(&game.blocks);
        for (sums, cells) in self.cells.iter_mut().zip(&game.cells) {
            sums.iter_mut().zip(cells).for_each(|(sum, count)| *sum += count);
        }
        self.games += game.games;
        game.full_clears.iter().for_each(|(pieces, count)| *self.full_clears.entry(*pieces).or_default() += count);
    }

    /// The field's columns and rows.
    pub fn size(&self) -> (usize, usize) {
        (self.columns, self.rows)
    }

    /// The stretches.
    pub fn blocks(&self) -> &[Block] {
        self.blocks.all()
    }

    /// All stretches together.
    pub fn sum(&self) -> Block {
        self.blocks.sum()
    }

    /// Locks of a piece by its pivot's cell, row by row from the top.
    pub fn cells(&self, piece: Piece) -> &[u64] {
        &self.cells[piece.index()]
    }

    /// Full clears by the pieces since the game began or since the one before.
    pub fn full_clears(&self) -> &BTreeMap<u64, u64> {
        &self.full_clears
    }

    /// Times that the field was empty and a piece came: games, and full clears.
    pub fn empty_fields(&self) -> u64 {
        self.games + self.full_clears.values().sum::<u64>()
    }
}

fn height(board: &Board) -> usize {
    board.rows().iter().position(|row| *row != 0).map_or(0, |top| board.height() - top)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::orientation::{Orientation, Pose};
    use crate::planner::Step;

    /// Drops pieces, by shape number and column.
    fn dropped(pieces: &[(Piece, usize, i8)]) -> Tally {
        let mut board = Board::new(4, 8);
        let mut tally = Tally::of_game(&board);
        for &(piece, shape, x) in pieces {
            let orientation = Orientation::shapes(piece).nth(shape).unwrap();
            let y = (0..8).rev().find(|&y| Pose { x, y, orientation }.fits(&board)).unwrap();
            let (after, step) = Step::of(&board, Pose { x, y, orientation });
            tally.see(&Lock { before: &board, after: &after, step, level: 0 });
            board = after;
        }
        tally
    }

    #[test]
    fn heights_rises_rows_and_full_clears_are_counted() {
        // Two Os side by side clear the field of four columns; then an I flat does so by itself, and an O stays.
        let tally = dropped(&[(Piece::O, 0, 1), (Piece::O, 0, 3), (Piece::I, 0, 2), (Piece::O, 0, 1)]);
        let sum = tally.sum();
        assert_eq!((sum.pieces, &sum.heights[..4]), (4, &[2, 0, 2, 0][..]));
        // Each O on the floor made the pile one and two high; the I was gone before it counted.
        assert_eq!(sum.rises[..4], [0, 2, 2, 0]);
        assert_eq!(sum.rows.iter().sum::<u64>(), 4);
        assert_eq!(tally.full_clears(), &BTreeMap::from([(1, 1), (2, 1)]));
        assert_eq!(tally.empty_fields(), 3);
        assert_eq!(tally.cells(Piece::O).iter().sum::<u64>(), 3);
        assert_eq!(tally.cells(Piece::I).iter().sum::<u64>(), 1);
    }

    #[test]
    fn games_add_up_and_a_full_clear_is_not_counted_across_them() {
        let game = dropped(&[(Piece::O, 0, 1)]);
        let mut all = Tally::of_all(&Board::new(4, 8));
        all.add(&game);
        all.add(&dropped(&[(Piece::O, 0, 1), (Piece::O, 0, 3)]));
        assert_eq!(all.full_clears(), &BTreeMap::from([(2, 1)]));
        assert_eq!((all.empty_fields(), all.sum().pieces, all.blocks().len()), (3, 3, 2));
    }
}
