//! A picture that the pile is to become: drawn row by row from the floor, with lines cleared above what is finished.

use crate::game::Board;
use crate::game::board::MAX_ROWS;
use crate::game::orientation::Pose;
use thiserror::Error;

/// Columns of a picture.
pub const COLUMNS: usize = 10;
/// Rows of a picture.
pub const ROWS: usize = 20;

/// Why a picture cannot be drawn.
#[derive(Debug, Error, PartialEq, Eq)]
pub enum PatternError {
    /// Another size.
    #[error("the picture has {width} × {height} pixels; draw one of {COLUMNS} × {ROWS}, a pixel a cell")]
    Size {
        /// Pixels a row.
        width: usize,
        /// Rows.
        height: usize,
    },
    /// Nothing to draw.
    #[error("the picture is empty; draw something dark on white, or opaque on transparent")]
    Empty,
    /// A row that would vanish at once.
    #[error("row {row} of the picture is full and would be cleared as a line; leave at least one of its cells empty")]
    FullRow {
        /// From 1 at the top.
        row: usize,
    },
    /// A row that nothing can stand on.
    #[error("row {row} of the picture is empty and what is above it would float; close the gap")]
    Gap {
        /// From 1 at the top.
        row: usize,
    },
}

/// The picture's rows, the lowest drawn one first; it stands on the floor, wherever it is in its file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Pattern {
    rows: [u16; ROWS],
    len: usize,
}

impl Pattern {
    /// The picture of these full cells.
    ///
    /// # Errors
    /// When it has another size than 10 × 20, or cannot be drawn with falling pieces.
    pub fn new(picture: &Board) -> Result<Self, PatternError> {
        let (width, height) = (picture.width(), picture.height());
        if (width, height) != (COLUMNS, ROWS) {
            return Err(PatternError::Size { width, height });
        }
        let drawn = |row: &usize| picture.row(*row) != 0;
        let top = (0..ROWS).find(drawn).ok_or(PatternError::Empty)?;
        let bottom = (0..ROWS).rev().find(drawn).ok_or(PatternError::Empty)?;
        let mut pattern = Self { rows: [0; ROWS], len: bottom + 1 - top };
        for row in (top..=bottom).rev() {
            match picture.row(row) {
                0 => return Err(PatternError::Gap { row: row + 1 }),
                full if full == picture.full_row() => return Err(PatternError::FullRow { row: row + 1 }),
                bits => pattern.rows[bottom - row] = bits,
            }
        }
        Ok(pattern)
    }

    /// How many rows it has.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Never: a picture without rows is refused.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// How many rows are drawn right, from the floor up to the first that is not.
    pub fn finished_rows(&self, board: &Board) -> usize {
        let rows = board.rows().iter().rev().zip(&self.rows[..self.len]);
        rows.take_while(|(row, wanted)| row == wanted).count()
    }

    /// Whether a piece may lock there: not in a gap of what is finished, nor, while the next row can still come out
    /// right, in one of its gaps. A row that has gone wrong must be filled to be cleared.
    pub fn allows(&self, board: &Board, pose: Pose) -> bool {
        let finished = self.finished_rows(board);
        let protected =
            (0..self.len.min(finished + 1).min(board.height())).filter(|&n| n < finished || !self.is_spoilt(board, n));
        let mut gaps = [0u16; MAX_ROWS];
        protected.for_each(|n| gaps[board.height() - 1 - n] = !self.rows[n]);
        pose.cells().iter().all(|&(x, y)| y < 0 || gaps[y as usize] >> x & 1 == 0)
    }

    /// The board as if it ended above the finished rows, with the gaps that must stay empty counted as full.
    pub fn unfinished(&self, board: &Board) -> Board {
        let finished = self.finished_rows(board).min(board.height() - 1);
        let mut seen = Board::new(board.width(), board.height() - finished);
        (0..seen.height()).for_each(|y| seen.set_row(y, board.row(y)));
        if finished < self.len && !self.is_spoilt(board, finished) {
            let lowest = seen.height() - 1;
            seen.set_row(lowest, seen.row(lowest) | !self.rows[finished]);
        }
        seen
    }

    /// Columns that are open from the sky down into a gap of the finished rows.
    pub fn open_gaps(&self, board: &Board) -> u32 {
        let finished = self.finished_rows(board);
        if finished == 0 {
            return 0;
        }
        let upper = &board.rows()[..board.height() + 1 - finished];
        (!upper.iter().fold(0, |all, row| all | row) & board.full_row()).count_ones()
    }

    /// Whether row `n` from the floor has a full cell where the picture has none.
    fn is_spoilt(&self, board: &Board, n: usize) -> bool {
        board.row(board.height() - 1 - n) & !self.rows[n] != 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::{Orientation, Piece};

    fn board(lowest: &[&str]) -> Board {
        let mut lines = vec![".........."; ROWS - lowest.len()];
        lines.extend(lowest);
        Board::parse(&lines).unwrap()
    }

    fn o_at(x: i8, y: i8) -> Pose {
        Pose { x, y, orientation: Orientation::spawn(Piece::O) }
    }

    #[test]
    fn gaps_of_the_row_in_hand_and_below_are_kept_open() {
        let pattern = Pattern::new(&board(&["####..####", "##......##"])).unwrap();
        let empty = Board::default();
        assert_eq!((pattern.len(), pattern.finished_rows(&empty)), (2, 0));
        assert!(pattern.allows(&empty, o_at(1, 19)));
        assert!(!pattern.allows(&empty, o_at(2, 19)), "it would fill a gap");
        let drawn = board(&["##......##"]);
        assert_eq!(pattern.finished_rows(&drawn), 1);
        assert!(!pattern.allows(&drawn, o_at(6, 19)), "it would fill a gap of a finished row");
        assert!(pattern.allows(&drawn, o_at(1, 17)) && !pattern.allows(&drawn, o_at(6, 17)));
        let spoilt = board(&["....#.....", "##......##"]);
        assert!(pattern.allows(&spoilt, o_at(6, 17)), "a row gone wrong is to be cleared");
    }

    #[test]
    fn the_evaluator_sees_the_rest_and_kept_gaps_as_full() {
        let pattern = Pattern::new(&board(&["####..####", "##......##"])).unwrap();
        let seen = pattern.unfinished(&board(&["#.........", "##......##"]));
        assert_eq!(seen.height(), 19);
        assert_eq!(seen.to_lines()[18], "#...##....");
        assert_eq!(pattern.unfinished(&board(&["####..####", "##......##"])).count(), 0);
    }

    #[test]
    fn what_cannot_be_drawn_is_refused_with_a_remedy() {
        let refuses = |lowest: &[&str], expected| assert_eq!(Pattern::new(&board(lowest)), Err(expected));
        refuses(&[], PatternError::Empty);
        refuses(&["##########", "#........."], PatternError::FullRow { row: 19 });
        refuses(&["#.........", "..........", "#........."], PatternError::Gap { row: 19 });
        let wide = Board::new(12, 20);
        assert_eq!(Pattern::new(&wide), Err(PatternError::Size { width: 12, height: 20 }));
        // Empty rows below are no gap: the picture sinks to the floor.
        let high = Pattern::new(&board(&["#.........", "..........", ".........."])).unwrap();
        assert_eq!(high.finished_rows(&board(&["#........."])), 1);
    }
}
