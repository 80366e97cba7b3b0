//! How good a pile is: Birken's six factors (2014). Lower is better.

use crate::game::Board;
use crate::game::orientation::Pose;

/// A cost for the outcome of placing pieces: the board left and how it came about.
pub trait Evaluator: Send {
    /// Cost of `board`, reached by locking pieces at `locks` (on boards of `height` rows) and clearing `lines` rows.
    fn cost(&self, board: &Board, locks: &[Pose], lines: usize) -> f64;
}

/// The weights of the six factors.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Weights {
    /// Rows cleared.
    pub lines: f64,
    /// Heights of the locked pivots above the floor, summed.
    pub lock_height: f64,
    /// Empty cells, open to the sky, between two full neighbours or walls.
    pub well_cells: f64,
    /// Empty cells directly under a full one.
    pub column_holes: f64,
    /// Changes along columns; floor and sky do not count.
    pub column_transitions: f64,
    /// Changes along rows that are not empty; walls count as full.
    pub row_transitions: f64,
}

impl Default for Weights {
    /// The published weights.
    fn default() -> Self {
        Self {
            lines: 1.0,
            lock_height: 12.885_008_263_218_383,
            well_cells: 15.842_707_182_438_396,
            column_holes: 26.894_496_507_795_95,
            column_transitions: 27.616_914_062_397_015,
            row_transitions: 30.185_110_719_279_04,
        }
    }
}

impl Evaluator for Weights {
    fn cost(&self, board: &Board, locks: &[Pose], lines: usize) -> f64 {
        let floor = board.height() as i32 - 1;
        let lock_height: i32 = locks.iter().map(|pose| floor - i32::from(pose.y)).sum();
        let shape = Shape::of(board);
        self.lines * lines as f64
            + self.lock_height * f64::from(lock_height)
            + self.well_cells * f64::from(shape.well_cells)
            + self.column_holes * f64::from(shape.column_holes)
            + self.column_transitions * f64::from(shape.column_transitions)
            + self.row_transitions * f64::from(shape.row_transitions)
    }
}

/// The counts that describe a pile.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Shape {
    /// See [`Weights::well_cells`].
    pub well_cells: u32,
    /// See [`Weights::column_holes`].
    pub column_holes: u32,
    /// See [`Weights::column_transitions`].
    pub column_transitions: u32,
    /// See [`Weights::row_transitions`].
    pub row_transitions: u32,
}

impl Shape {
    /// Counts a pile.
    pub fn of(board: &Board) -> Self {
        let mut shape = Self::default();
        let walls = 1u32 | 1 << (board.width() + 1);
        let inside = u32::from(board.full_row()) << 1;
        let mut covered = 0u32;
        let mut above = None;
        for &bits in board.rows() {
            let row = u32::from(bits) << 1;
            let walled = row | walls;
            if row != 0 {
                shape.row_transitions += ((walled ^ walled >> 1) & (inside | 1)).count_ones();
            }
            if let Some(above) = above {
                let above: u32 = above;
                shape.column_transitions += (above ^ row).count_ones();
                shape.column_holes += (above & !row).count_ones();
            }
            covered |= row;
            shape.well_cells += (inside & !covered & walled << 1 & walled >> 1).count_ones();
            above = Some(row);
        }
        shape
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shape(lines: &[&str]) -> Shape {
        Shape::of(&Board::parse(lines).unwrap())
    }

    #[test]
    fn factors_are_counted_as_published() {
        // Column 1 is a well of two, column 3 one of one; the last row's end is a hole under a full cell.
        let expected = Shape { well_cells: 3, column_holes: 1, column_transitions: 5, row_transitions: 8 };
        assert_eq!(shape(&["....", "#.#.", "#.##", "###."]), expected);
    }

    #[test]
    fn empty_boards_cost_nothing() {
        assert_eq!(Shape::of(&Board::default()), Shape::default());
    }

    #[test]
    fn walls_close_wells() {
        assert_eq!(shape(&[".#", ".#"]).well_cells, 2);
        assert_eq!(shape(&["#.#", "#.#", "###"]).well_cells, 2);
    }
}
