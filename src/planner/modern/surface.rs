//! What is counted in a pile, row by row from the top.

use crate::game::movegen::{COLUMNS, Field, ROWS};

/// A row without a gap.
pub(super) const FULL: u16 = (1 << COLUMNS) - 1;
/// The rows of a pile, from the floor upwards.
#[derive(Clone, Copy)]
pub(super) struct Rows {
    pub(super) rows: [u16; ROWS],
    /// Rows up to the highest full cell.
    pub(super) height: usize,
}

/// What is counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Counts {
    /// Rows up to the highest full cell.
    pub(super) height: i32,
    /// Empty cells with a full one above.
    pub(super) holes: i32,
    /// Full cells above each hole in its column, up to seven of them, together.
    pub(super) cover: i32,
    /// Rows with a hole.
    pub(super) hole_rows: i32,
    /// Changes between full and empty along the rows of the pile, walls full, beyond the two of an empty row.
    pub(super) row_transitions: i32,
    /// Differences in height between neighbours, the lowest column left out.
    pub(super) bumpiness: i32,
    /// The same, squared.
    pub(super) bumpiness_squared: i32,
    /// Rows above the lowest column's top that lack nothing but it, from there upwards without a break.
    pub(super) well_depth: i32,
}

impl Rows {
    #[inline(always)]
    pub(super) fn of(field: &Field) -> Self {
        Self { rows: field.rows(), height: field.height() }
    }

    /// What each row has open to the sky.
    #[inline(always)]
    pub(super) fn open(&self) -> [u16; ROWS] {
        let mut open = [FULL; ROWS];
        let mut above = FULL;
        for row in (0..self.height).rev() {
            above &= !self.rows[row];
            open[row] = above;
        }
        open
    }

    /// Full rows are removed; how many.
    #[inline(always)]
    pub(super) fn clear(&mut self) -> usize {
        let mut to = 0;
        for row in 0..self.height {
            if self.rows[row] != FULL {
                self.rows[to] = self.rows[row];
                to += 1;
            }
        }
        let cleared = self.height - to;
        self.rows[to..self.height].fill(0);
        self.height = to;
        cleared
    }

    #[inline(always)]
    pub(super) fn count(&self) -> Counts {
        let mut counts = Counts { height: self.height as i32, ..Counts::default() };
        let mut heights = [0i32; COLUMNS];
        // Columns in which something stands above, and how many full cells that is: a binary digit of all columns in each mask.
        let mut above = 0u16;
        let mut cover = [0u16; 3];
        for row in (0..self.height).rev() {
            let bits = self.rows[row];
            let mut tops = bits & !above;
            while tops != 0 {
                heights[tops.trailing_zeros() as usize] = row as i32 + 1;
                tops &= tops - 1;
            }
            let holes = above & !bits;
            counts.holes += holes.count_ones() as i32;
            counts.hole_rows += i32::from(holes != 0);
            for (digit, columns) in cover.iter().enumerate() {
                counts.cover += ((holes & columns).count_ones() as i32) << digit;
            }
            let mut carry = bits & !(cover[0] & cover[1] & cover[2]);
            for columns in &mut cover {
                (*columns, carry) = (*columns ^ carry, *columns & carry);
            }
            above |= bits;
            let walled = u32::from(bits) << 1 | 1 | 1 << (COLUMNS + 1);
            let changes = (walled ^ walled >> 1) & ((1 << (COLUMNS + 1)) - 1);
            counts.row_transitions += changes.count_ones() as i32 - 2;
        }
        let mut well = 0;
        for column in 1..COLUMNS {
            if heights[column] < heights[well] {
                well = column;
            }
        }
        let mut last = None;
        for (column, height) in heights.into_iter().enumerate() {
            if column == well {
                continue;
            }
            if let Some(last) = last.replace(height) {
                let step: i32 = height - last;
                counts.bumpiness += step.abs();
                counts.bumpiness_squared += step * step;
            }
        }
        let lacking = FULL & !(1 << well);
        let from = heights[well] as usize;
        counts.well_depth =
            self.rows[from..self.height.max(from)].iter().take_while(|bits| **bits == lacking).count() as i32;
        counts
    }
}

#[cfg(test)]
mod tests {
    use super::super::drawn::field;
    use super::*;

    fn rows(lowest: &[&str]) -> Rows {
        Rows::of(&field(lowest))
    }

    #[test]
    fn a_pile_is_counted_by_eye() {
        assert_eq!(rows(&[]).count(), Counts::default());
        let counts = rows(&["#.........", "##........", ".#...####.", "#########."]).count();
        let expected = Counts {
            height: 4,
            // Below the first column's two cells.
            holes: 1,
            cover: 2,
            hole_rows: 1,
            // From wall to wall the third row changes six times, four more than an empty one; the others twice each.
            row_transitions: 4,
            // 4 3 1 1 1 2 2 2 2 without the last, which is the lowest.
            bumpiness: 4,
            bumpiness_squared: 6,
            well_depth: 1,
        };
        assert_eq!(counts, expected);
    }

    #[test]
    fn a_well_counts_from_its_floor_up_to_the_first_gap() {
        let full = "#########.";
        assert_eq!(rows(&[full; 3]).count().well_depth, 3);
        assert_eq!(rows(&[full, "####.####.", full, full]).count().well_depth, 2);
        assert_eq!(rows(&["####.#####"]).count().well_depth, 1);
    }

    #[test]
    fn full_rows_fall_out_and_what_is_open_is_seen_from_above() {
        let mut pile = rows(&["..#.......", "##########", ".#########"]);
        assert_eq!(pile.open()[1], 0);
        assert_eq!(pile.clear(), 1);
        assert_eq!((pile.height, pile.rows[1], pile.rows[2]), (2, 0b100, 0));
        assert_eq!(pile.open()[..3], [1, FULL & !0b100, FULL]);
    }
}
