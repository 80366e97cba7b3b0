//! How good a pile is: Birken's six factors (2014). Lower is better.

use crate::game::Board;
use crate::game::movement::place;
use crate::game::orientation::Pose;

/// A pile after one or two pieces were placed, and how it came about.
#[derive(Debug, Clone, Copy)]
pub struct Afterstate<'a> {
    /// The pile before the first of them.
    pub before: &'a Board,
    /// The pile after the last.
    pub board: &'a Board,
    /// The pieces, in their order; at least one.
    pub steps: &'a [Step],
    /// The game's level before the first.
    pub level: u8,
}

/// One piece of an [`Afterstate`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Step {
    /// Where it locked, on the board as it was then.
    pub pose: Pose,
    /// Rows that it cleared, 0–4.
    pub lines: usize,
    /// Its own cells in these rows, 0–4.
    pub cells_cleared: usize,
}

impl Step {
    /// The board after a piece locks at `pose`, and what that did.
    pub fn of(board: &Board, pose: Pose) -> (Board, Self) {
        let (after, lines) = place(board, pose);
        let cells_cleared = if lines == 0 { 0 } else { cells_cleared(board, pose) };
        (after, Self { pose, lines, cells_cleared })
    }
}

fn cells_cleared(board: &Board, pose: Pose) -> usize {
    let mut stamped = *board;
    pose.stamp(&mut stamped);
    let is_cleared = |y: i8| usize::try_from(y).is_ok_and(|y| stamped.row(y) == stamped.full_row());
    pose.cells().iter().filter(|(_, y)| is_cleared(*y)).count()
}

impl Afterstate<'_> {
    /// Rows that were cleared.
    pub fn lines(&self) -> usize {
        self.steps.iter().map(|step| step.lines).sum()
    }
}

/// A cost for what placing pieces leads to; lower is better.
pub trait Evaluator: Send + Sync {
    /// The cost of this afterstate.
    fn cost(&self, after: &Afterstate<'_>) -> f64;
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
    fn cost(&self, after: &Afterstate<'_>) -> f64 {
        let floor = after.board.height() as i32 - 1;
        let lock_height: i32 = after.steps.iter().map(|step| floor - i32::from(step.pose.y)).sum();
        let shape = Shape::of(after.board);
        self.lines * after.lines() as f64
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
        if board.width() <= packed::MAX_WIDTH { packed::shape(board) } else { Self::row_by_row(board) }
    }

    /// The plain way, for any width.
    fn row_by_row(board: &Board) -> Self {
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

/// The same counts four rows at a time: a word holds four rows with a wall on either side, the highest in its lowest lane.
mod packed {
    use super::Shape;
    use crate::game::Board;

    /// Rows a word.
    const ROWS: usize = 4;
    /// Bits a row.
    const LANE: usize = 16;
    /// Columns that leave room for two walls.
    pub(super) const MAX_WIDTH: usize = LANE - 2;
    /// The lowest bit of every lane.
    const EACH: u64 = 0x0001_0001_0001_0001;

    pub(super) fn shape(board: &Board) -> Shape {
        let walls = (1 | 1 << (board.width() + 1)) * EACH;
        let inside = u64::from(board.full_row()) << 1;
        let [mut wells, mut holes, mut column_changes, mut row_changes] = [Count::default(); 4];
        let (mut last_row, mut covered) = (0, 0);
        // Nothing is above the first row: it is compared with itself.
        let mut above_first = u64::from(board.row(0)) << 1;
        // Above the pile there is nothing to count, unless the walls are a well by themselves.
        let sky =
            if board.width() > 1 { board.rows().chunks(ROWS).take_while(|rows| packed(rows) == 0).count() } else { 0 };
        for rows in board.rows().chunks(ROWS).skip(sky) {
            let lanes = u64::MAX >> (LANE * (ROWS - rows.len()));
            let row = packed(rows) << 1;
            let walled = row | walls;
            let filled = (row + EACH * 0x7FFF) >> (LANE - 1) & EACH;
            row_changes.add((walled ^ walled >> 1) & (filled * (inside | 1)));
            let above = row << LANE | last_row | std::mem::take(&mut above_first);
            column_changes.add((above ^ row) & lanes);
            holes.add(above & !row & lanes);
            let from_two = row | row << LANE;
            covered = from_two | from_two << (2 * LANE) | ((covered >> (3 * LANE)) * EACH);
            wells.add((inside * EACH) & !covered & walled << 1 & walled >> 1 & lanes);
            last_row = row >> (3 * LANE);
        }
        Shape {
            well_cells: wells.total(),
            column_holes: holes.total(),
            column_transitions: column_changes.total(),
            row_transitions: row_changes.total(),
        }
    }

    fn packed(rows: &[u16]) -> u64 {
        match *rows {
            [a, b, c, d] => u64::from(a) | u64::from(b) << 16 | u64::from(c) << 32 | u64::from(d) << 48,
            _ => rows.iter().rev().fold(0, |word, &row| word << LANE | u64::from(row)),
        }
    }

    /// A count of bits over several words. Processors are not asked to count bits themselves (the oldest cannot), so words are
    /// added up by bytes, and the bytes once: up to 31 words.
    #[derive(Clone, Copy, Default)]
    struct Count {
        by_byte: u64,
    }

    impl Count {
        #[inline]
        fn add(&mut self, word: u64) {
            let pairs = word - (word >> 1 & 0x5555_5555_5555_5555);
            let fours = (pairs & 0x3333_3333_3333_3333) + (pairs >> 2 & 0x3333_3333_3333_3333);
            self.by_byte += (fours + (fours >> 4)) & 0x0F0F_0F0F_0F0F_0F0F;
        }

        fn total(self) -> u32 {
            let by_lane = (self.by_byte & 0x00FF_00FF_00FF_00FF) + (self.by_byte >> 8 & 0x00FF_00FF_00FF_00FF);
            (by_lane.wrapping_mul(EACH) >> (3 * LANE)) as u32
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

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

    proptest! {
        #[test]
        fn four_rows_at_a_time_count_what_one_does(
            rows in proptest::collection::vec(any::<u16>(), 41),
            width in 1usize..=14,
            height in 1usize..=40,
            kind in 0u8..3,
        ) {
            let mut board = Board::new(width, height);
            for (row, pair) in rows.windows(2).enumerate() {
                let bits = [pair[0], pair[0] & pair[1], if row < height / 2 { 0 } else { pair[0] | pair[1] }];
                board.set_row(row, bits[usize::from(kind)]);
            }
            prop_assert_eq!(Shape::of(&board), Shape::row_by_row(&board));
        }
    }

    #[test]
    fn walls_close_wells() {
        assert_eq!(shape(&[".#", ".#"]).well_cells, 2);
        assert_eq!(shape(&["#.#", "#.#", "###"]).well_cells, 2);
    }
}
