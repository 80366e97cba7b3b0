//! The playfield as bits: one `u16` a row, bit x = column x, row 0 at the top.

use std::fmt;
use thiserror::Error;

/// The most rows a board can have.
pub const MAX_ROWS: usize = 40;
/// The most columns a board can have.
pub const MAX_COLUMNS: usize = 16;

/// Why a text picture is no board.
#[derive(Debug, Error, PartialEq, Eq)]
pub enum BoardError {
    /// Too many or no rows or columns.
    #[error("a board of {columns} × {rows} cells cannot be; give 1 to {MAX_COLUMNS} columns and 1 to {MAX_ROWS} rows")]
    Size {
        /// Columns given.
        columns: usize,
        /// Rows given.
        rows: usize,
    },
    /// Rows of different lengths.
    #[error("row {row} has {found} cells where the first has {expected}; make all rows equally long")]
    Ragged {
        /// The row, from 0 at the top.
        row: usize,
        /// Its length.
        found: usize,
        /// The first row's length.
        expected: usize,
    },
    /// A character that is neither full nor empty.
    #[error("row {row} holds {found:?}; write '#' for full and '.' for empty")]
    Cell {
        /// The row, from 0 at the top.
        row: usize,
        /// The character.
        found: char,
    },
}

/// A playfield: which cells are full. Equal boards compare equal; cells outside do not exist.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Board {
    rows: [u16; MAX_ROWS],
    width: u8,
    height: u8,
}

impl Board {
    /// An empty board of `width` columns (1–16) and `height` rows (1–40); sizes beyond are clamped.
    pub fn new(width: usize, height: usize) -> Self {
        Self { rows: [0; MAX_ROWS], width: width.clamp(1, MAX_COLUMNS) as u8, height: height.clamp(1, MAX_ROWS) as u8 }
    }

    /// The board drawn as text, top row first, `#` full and `.` empty.
    pub fn parse<S: AsRef<str>>(lines: &[S]) -> Result<Self, BoardError> {
        let columns = lines.first().map_or(0, |l| l.as_ref().chars().count());
        if lines.is_empty() || lines.len() > MAX_ROWS || columns == 0 || columns > MAX_COLUMNS {
            return Err(BoardError::Size { columns, rows: lines.len() });
        }
        let mut board = Self::new(columns, lines.len());
        for (row, line) in lines.iter().enumerate() {
            let found = line.as_ref().chars().count();
            if found != columns {
                return Err(BoardError::Ragged { row, found, expected: columns });
            }
            for (column, cell) in line.as_ref().chars().enumerate() {
                match cell {
                    '#' => board.fill(column, row),
                    '.' => {}
                    found => return Err(BoardError::Cell { row, found }),
                }
            }
        }
        Ok(board)
    }

    /// Columns.
    pub fn width(&self) -> usize {
        self.width as usize
    }

    /// Rows.
    pub fn height(&self) -> usize {
        self.height as usize
    }

    /// The bits of a full row.
    pub fn full_row(&self) -> u16 {
        ((1u32 << self.width) - 1) as u16
    }

    /// The bits of row `row` (0 = top); 0 outside.
    pub fn row(&self, row: usize) -> u16 {
        if row < self.height() { self.rows[row] } else { 0 }
    }

    /// Four rows from this one on, 16 bits each, the first in the lowest bits; 0 outside.
    #[inline]
    pub fn four_rows(&self, first: usize) -> u64 {
        match self.rows.get(first..first + 4) {
            Some(&[a, b, c, d]) => u64::from(a) | u64::from(b) << 16 | u64::from(c) << 32 | u64::from(d) << 48,
            _ => (first..first + 4).rev().fold(0, |rows, row| rows << 16 | u64::from(self.row(row))),
        }
    }

    /// All rows, top to bottom.
    pub fn rows(&self) -> &[u16] {
        &self.rows[..self.height()]
    }

    /// Replaces row `row`; bits beyond the width are dropped, rows outside ignored.
    pub fn set_row(&mut self, row: usize, bits: u16) {
        if row < self.height() {
            self.rows[row] = bits & self.full_row();
        }
    }

    /// Whether the cell is full; outside the board: false.
    pub fn is_full(&self, column: usize, row: usize) -> bool {
        column < self.width() && self.row(row) >> column & 1 == 1
    }

    /// Fills a cell; outside the board: ignored.
    pub fn fill(&mut self, column: usize, row: usize) {
        if column < self.width() && row < self.height() {
            self.rows[row] |= 1 << column;
        }
    }

    /// Empties a cell; outside the board: ignored.
    pub fn clear(&mut self, column: usize, row: usize) {
        if column < self.width() && row < self.height() {
            self.rows[row] &= !(1 << column);
        }
    }

    /// The full rows, from above.
    pub fn full_rows(&self) -> impl DoubleEndedIterator<Item = usize> + '_ {
        (0..self.height()).filter(|y| self.row(*y) == self.full_row())
    }

    /// The board without some of its rows, given from above; those above them come down, and rows of `come` follow these.
    #[must_use]
    pub fn without_rows(&self, gone: &[usize], come: u16) -> Self {
        let mut board = *self;
        let stay = (0..self.height()).filter(|y| !gone.contains(y)).map(|y| self.row(y));
        gone.iter().map(|_| come).chain(stay).enumerate().for_each(|(y, row)| board.set_row(y, row));
        board
    }

    /// Whether a row is full.
    pub fn has_full_row(&self) -> bool {
        // Looking at all rows at once is quicker than stopping at the first.
        self.rows().iter().fold(false, |any, &row| any | (row == self.full_row()))
    }

    /// The number of full cells.
    pub fn count(&self) -> u32 {
        self.rows().iter().map(|r| r.count_ones()).sum()
    }

    /// Rows from the floor up to the column's highest full cell; 0 if it has none, or is outside.
    pub fn column_height(&self, column: usize) -> usize {
        let top = (0..self.height()).find(|&row| self.is_full(column, row));
        top.map_or(0, |top| self.height() - top)
    }

    /// Removes full rows, lets the rest fall, and returns how many were removed.
    pub fn clear_full_rows(&mut self) -> usize {
        let full = self.full_row();
        let mut to = self.height();
        for from in (0..self.height()).rev() {
            if self.rows[from] != full {
                to -= 1;
                self.rows[to] = self.rows[from];
            }
        }
        self.rows[..to].fill(0);
        to
    }

    /// The board as text lines, top to bottom, `#` full and `.` empty.
    pub fn to_lines(&self) -> Vec<String> {
        self.rows()
            .iter()
            .map(|&row| (0..self.width()).map(|x| if row >> x & 1 == 1 { '#' } else { '.' }).collect())
            .collect()
    }
}

impl Default for Board {
    /// The usual 10 × 20.
    fn default() -> Self {
        Self::new(10, 20)
    }
}

impl fmt::Debug for Board {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f)?;
        for line in self.to_lines() {
            writeln!(f, "{line}")?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn full_rows_vanish_and_the_rest_falls() {
        let mut board = Board::parse(&["#..", "###", ".#.", "###"]).unwrap();
        assert_eq!(board.clear_full_rows(), 2);
        assert_eq!(board, Board::parse(&["...", "...", "#..", ".#."]).unwrap());
    }

    #[test]
    fn rows_are_looked_at_four_at_a_time_and_are_empty_outside() {
        for height in [3, 5, MAX_ROWS] {
            let mut board = Board::new(10, height);
            (0..height).for_each(|y| board.set_row(y, 1 + y as u16));
            for first in 0..height + 3 {
                let rows = board.four_rows(first);
                let expected = [0, 1, 2, 3].map(|offset| board.row(first + offset));
                assert_eq!([0, 16, 32, 48].map(|shift| (rows >> shift) as u16), expected, "{height} {first}");
            }
            assert!(!board.has_full_row());
            board.set_row(height - 1, u16::MAX);
            assert!(board.has_full_row());
        }
    }

    #[test]
    fn text_that_is_no_board_is_refused_with_its_place() {
        assert_eq!(Board::parse(&["..", "."]), Err(BoardError::Ragged { row: 1, found: 1, expected: 2 }));
        assert_eq!(Board::parse(&[".x"]), Err(BoardError::Cell { row: 0, found: 'x' }));
        assert_eq!(Board::parse::<&str>(&[]), Err(BoardError::Size { columns: 0, rows: 0 }));
    }
}
