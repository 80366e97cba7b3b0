//! The pile with a colour a block: who locked where is remembered, and what the robot believes decides.

use crate::belief::{Event, Locked};
use crate::game::{Board, Piece};

/// A block of the pile.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Block {
    /// It came with this piece.
    Of(Piece),
    /// It was there before anybody looked, or nobody knows how it came.
    Unnamed,
}

/// The settled pile.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pile {
    columns: usize,
    /// Rows from the top, a cell a column.
    rows: Vec<Vec<Option<Block>>>,
}

impl Pile {
    /// An empty one.
    pub fn new(columns: usize, rows: usize) -> Self {
        Self { columns, rows: vec![vec![None; columns]; rows] }
    }

    /// Columns.
    pub fn columns(&self) -> usize {
        self.columns
    }

    /// Rows.
    pub fn rows(&self) -> usize {
        self.rows.len()
    }

    /// What is in a cell; nothing outside.
    pub fn block(&self, column: usize, row: usize) -> Option<Block> {
        self.rows.get(row).and_then(|cells| cells.get(column).copied().flatten())
    }

    /// What became certain, and the pile as it is believed then.
    pub fn follow(&mut self, events: &[Event], believed: &Board) {
        for event in events {
            if let Event::Locked(locked) = event {
                self.lock(locked);
            }
        }
        if [believed.width(), believed.height()] != [self.columns, self.rows.len()] {
            *self = Self::new(believed.width(), believed.height());
        }
        for (y, cells) in self.rows.iter_mut().enumerate() {
            for (x, cell) in cells.iter_mut().enumerate() {
                *cell = believed.is_full(x, y).then(|| cell.unwrap_or(Block::Unnamed));
            }
        }
    }

    fn lock(&mut self, locked: &Locked) {
        for (x, y) in locked.pose.cells() {
            let row = usize::try_from(y).ok().and_then(|y| self.rows.get_mut(y));
            let cell = usize::try_from(x).ok().zip(row).and_then(|(x, row)| row.get_mut(x));
            if let Some(cell) = cell {
                *cell = Some(Block::Of(locked.piece));
            }
        }
        let height = self.rows.len();
        self.rows.retain(|cells| cells.iter().any(Option::is_none));
        let cleared = height - self.rows.len();
        self.rows.splice(0..0, vec![vec![None; self.columns]; cleared]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::orientation::{Orientation, Pose};
    use crate::time::HostTime;

    #[test]
    fn blocks_keep_their_colours_when_rows_go() {
        let mut pile = Pile::new(6, 4);
        let before = Board::parse(&["......", "......", "......", "##...."]).unwrap();
        pile.follow(&[], &before);
        assert_eq!(pile.block(0, 3), Some(Block::Unnamed));
        let lock = |piece, x, y, lines| {
            let pose = Pose { x, y, orientation: Orientation::spawn(piece) };
            Event::Locked(Locked { time: HostTime(0), piece, pose, lines, intended: None })
        };
        // An O beside a pair of blocks, then a flat I over the gap does not fill it: colours stay with their cells.
        let with_o = Board::parse(&["......", "......", "..##..", "####.."]).unwrap();
        pile.follow(&[lock(Piece::O, 3, 2, 0)], &with_o);
        assert_eq!((pile.block(2, 2), pile.block(3, 3)), (Some(Block::Of(Piece::O)), Some(Block::Of(Piece::O))));
        // Another fills the row: what was above comes down with its colour.
        let after = Board::parse(&["......", "......", "......", "..####"]).unwrap();
        pile.follow(&[lock(Piece::O, 5, 2, 1)], &after);
        assert_eq!(pile.block(4, 3), Some(Block::Of(Piece::O)));
        assert_eq!((pile.block(0, 3), pile.block(2, 2)), (None, None), "what is believed decides");
    }
}
