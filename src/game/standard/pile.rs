//! What lies on a board of any of the article's sizes.

use super::place::Place;
use crate::game::Board;
use crate::game::board::{MAX_COLUMNS, MAX_ROWS};

/// The settled cells of a board. As [`Board`], but of any size: robots and their planners know no larger ones than that.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pile {
    columns: usize,
    /// Row by row from the top.
    cells: Vec<bool>,
}

impl From<&Board> for Pile {
    fn from(board: &Board) -> Self {
        let cells = (0..board.height()).flat_map(|y| (0..board.width()).map(move |x| board.is_full(x, y)));
        Self { columns: board.width(), cells: cells.collect() }
    }
}

impl Pile {
    /// An empty board of so many columns and rows, at least one each.
    pub fn new([columns, rows]: [usize; 2]) -> Self {
        let columns = columns.max(1);
        Self { columns, cells: vec![false; columns * rows.max(1)] }
    }

    /// Columns and rows.
    pub fn size(&self) -> [usize; 2] {
        [self.columns, self.cells.len() / self.columns]
    }

    /// Whether the cell is full; outside of the board: false.
    pub fn is_full(&self, column: usize, row: usize) -> bool {
        column < self.columns && self.cells.get(row * self.columns + column) == Some(&true)
    }

    /// The cells of a row; none outside of the board.
    pub fn row(&self, row: usize) -> &[bool] {
        self.cells.get(row * self.columns..(row + 1) * self.columns).unwrap_or_default()
    }

    /// Fills a cell; outside of the board: ignored.
    pub fn fill(&mut self, column: usize, row: usize) {
        if let Some(cell) = self.cells.get_mut(row * self.columns + column).filter(|_| column < self.columns) {
            *cell = true;
        }
    }

    /// Empties a cell; outside of the board: ignored.
    pub fn clear(&mut self, column: usize, row: usize) {
        if let Some(cell) = self.cells.get_mut(row * self.columns + column).filter(|_| column < self.columns) {
            *cell = false;
        }
    }

    /// The number of full cells.
    pub fn count(&self) -> usize {
        self.cells.iter().filter(|cell| **cell).count()
    }

    /// Rows from the floor up to the highest full cell.
    pub fn height(&self) -> usize {
        let top = self.cells.iter().position(|cell| *cell).map(|first| first / self.columns);
        top.map_or(0, |top| self.size()[1] - top)
    }

    /// Whether a piece may be there: within the board, on empty cells.
    pub fn has_room(&self, place: Place) -> bool {
        let [columns, rows] = self.size().map(|cells| cells as i16);
        place
            .cells()
            .iter()
            .all(|&(x, y)| (0..columns).contains(&x) && (0..rows).contains(&y) && !self.is_full(x as usize, y as usize))
    }

    /// Where a piece comes to rest that is dropped from here.
    pub fn rest_below(&self, place: Place) -> Place {
        let fallen = (0..).map(|rows| place.moved(0, rows)).take_while(|place| self.has_room(*place));
        fallen.last().unwrap_or(place)
    }

    /// Fills the piece's cells.
    pub fn stamp(&mut self, place: Place) {
        for (x, y) in place.cells().into_iter().filter(|(x, y)| *x >= 0 && *y >= 0) {
            self.fill(x as usize, y as usize);
        }
    }

    /// Removes full rows, lets the rest fall, and returns how many were removed.
    pub fn clear_full_rows(&mut self) -> usize {
        let is_left = |row: &&[bool]| row.contains(&false);
        let left: Vec<bool> = self.cells.chunks(self.columns).filter(is_left).flatten().copied().collect();
        let gone = self.cells.len() - left.len();
        self.cells.truncate(gone);
        self.cells.fill(false);
        self.cells.extend(left);
        gone / self.columns
    }

    /// The board a row higher, above a full row that lacks one cell; its top row is lost.
    #[must_use]
    pub fn raised(&self, hole: usize) -> Self {
        let mut cells = self.cells[self.columns.min(self.cells.len())..].to_vec();
        cells.extend((0..self.columns).map(|x| x != hole));
        Self { columns: self.columns, cells }
    }

    /// The board as robots know it; `None` if it is larger than they know any.
    pub fn board(&self) -> Option<Board> {
        let [columns, rows] = self.size();
        if columns > MAX_COLUMNS || rows > MAX_ROWS {
            return None;
        }
        let mut board = Board::new(columns, rows);
        self.full().for_each(|(x, y)| board.fill(x, y));
        Some(board)
    }

    /// The full cells as (column, row), row by row.
    pub fn full(&self) -> impl Iterator<Item = (usize, usize)> {
        let columns = self.columns;
        let full = self.cells.iter().enumerate().filter(|(_, cell)| **cell);
        full.map(move |(i, _)| (i % columns, i / columns))
    }

    /// The board as text lines, top to bottom, `#` full and `.` empty.
    pub fn to_lines(&self) -> impl Iterator<Item = String> {
        self.cells.chunks(self.columns).map(|row| row.iter().map(|cell| if *cell { '#' } else { '.' }).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pile(lines: &[&str]) -> Pile {
        Pile::from(&Board::parse(lines).unwrap())
    }

    #[test]
    fn full_rows_vanish_and_the_rest_falls() {
        let mut pile = pile(&["#..", "###", ".#.", "###"]);
        assert_eq!((pile.height(), pile.clear_full_rows(), pile.height()), (4, 2, 2));
        assert_eq!(pile.to_lines().collect::<Vec<_>>(), ["...", "...", "#..", ".#."]);
    }

    #[test]
    fn it_is_a_robots_board_up_to_the_largest_of_these() {
        let pile = pile(&["#...", "..#."]);
        assert_eq!(pile.board().map(|board| board.to_lines()), Some(vec!["#...".to_string(), "..#.".into()]));
        assert_eq!(pile.full().collect::<Vec<_>>(), [(0, 0), (2, 1)]);
        for (size, is_known) in [([16, 40], true), ([17, 40], false), ([16, 41], false)] {
            assert_eq!(Pile::new(size).board().is_some(), is_known, "{size:?}");
        }
    }

    #[test]
    fn a_row_rises_from_below() {
        let raised = pile(&["...", "#..", ".#."]).raised(2);
        assert_eq!(raised.to_lines().collect::<Vec<_>>(), ["#..", ".#.", "##."]);
    }
}
