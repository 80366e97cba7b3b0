//! Counting the features of many piles at once, in one walk from the top row down.

use super::evaluate::Step;
use super::feature::Feature;
use super::lanes::{Columns, Lanes};
use crate::game::Board;
use crate::game::board::{MAX_COLUMNS, MAX_ROWS};
use crate::game::movement::place;

/// M8 where there is no hole.
const NO_HOLE_DEPTH: u16 = 20;
/// Bits that a count of rows needs.
const PLANES: usize = 6;

/// Which counts are wanted: each takes time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Wanted {
    /// Transitions, holes under a full cell, open wells.
    pub shape: bool,
    /// What the columns' tops tell, and the number of cells.
    pub heights: bool,
    /// How deep holes and wells are.
    pub depths: bool,
    /// Dellacherie's and his followers'.
    pub classic: bool,
    /// What they added.
    pub covering: bool,
    /// What Birken's program of 2014 counts otherwise.
    pub tops: bool,
}

impl Wanted {
    /// What must be counted for these features.
    pub fn by(features: impl IntoIterator<Item = Feature>) -> Self {
        use Feature as F;
        let mut wanted = Self::default();
        for feature in features {
            match feature {
                F::Lines | F::LastLines | F::LinesInFours | F::LockHeight => {}
                F::PivotHeight | F::LandingHeight | F::ErodedCells => {}
                F::WellCells | F::ColumnHoles | F::ColumnTransitions | F::RowTransitions => wanted.shape = true,
                F::ColumnHeights | F::PileHeight | F::HeightSpread | F::HeightVariance => wanted.heights = true,
                F::SolidCells | F::WeightedSolidCells => wanted.heights = true,
                F::WeightedHoles | F::HoleDepths | F::MinHoleDepth | F::MaxHoleDepth => wanted.depths = true,
                F::DeepWells | F::MaxWellDepth => wanted.depths = true,
                F::CumulativeWells | F::Holes | F::RowsWithHoles => wanted.classic = true,
                F::FloorTransitions | F::WallTransitions => wanted.classic = true,
                F::CoveringCells | F::Diversity => wanted.covering = true,
                F::EnclosedTops | F::BuriedTransitions => wanted.tops = true,
            }
        }
        wanted
    }

    fn is_any(self) -> bool {
        self != Self::default()
    }
}

/// The counts of a pile for each lane, by [`Feature`]; those that are not wanted are 0, as are those of the pieces.
pub(super) type Counts<const N: usize> = [Lanes<N>; Feature::COUNT];

/// Up to `N` boards of one size, one to a lane; lanes that are left hold anything.
pub(super) struct Stack<const N: usize> {
    rows: [Lanes<N>; MAX_ROWS],
    width: usize,
    height: usize,
}

impl<const N: usize> Stack<N> {
    /// These boards.
    #[inline(always)]
    pub fn of(boards: &[Board]) -> Self {
        let (width, height) = boards.first().map_or((0, 0), |first| (first.width(), first.height()));
        let mut stack = Self { rows: [Lanes::NONE; MAX_ROWS], width, height };
        boards.iter().take(N).enumerate().for_each(|(lane, board)| stack.put(lane, board));
        stack
    }

    /// What becomes of a board by each of these last pieces.
    #[inline(always)]
    pub fn after(board: &Board, lasts: &[Step]) -> Self {
        let mut stack = Self { rows: [Lanes::NONE; MAX_ROWS], width: board.width(), height: board.height() };
        for (row, &bits) in stack.rows.iter_mut().zip(board.rows()) {
            *row = Lanes::all(bits);
        }
        for (lane, last) in lasts.iter().take(N).enumerate() {
            if last.lines > 0 {
                stack.put(lane, &place(board, last.pose).0);
                continue;
            }
            let (first, covered) = last.pose.covered();
            let bits = |offset: usize| (covered >> (16 * offset)) as u16;
            let rows =
                usize::try_from(first).ok().and_then(|first| stack.rows.get_mut(first..)?.first_chunk_mut::<4>());
            if let Some(rows) = rows {
                // All four, for to ask which of them it covers takes longer.
                rows.iter_mut().enumerate().for_each(|(offset, row)| row.0[lane] |= bits(offset));
                continue;
            }
            // Rows above the field are lost.
            for (offset, y) in (0..4).zip(i32::from(first)..) {
                if let Some(row) = usize::try_from(y).ok().and_then(|y| stack.rows.get_mut(y)) {
                    row.0[lane] |= bits(offset);
                }
            }
        }
        stack
    }

    #[inline(always)]
    fn put(&mut self, lane: usize, board: &Board) {
        for (row, &bits) in self.rows.iter_mut().zip(board.rows()) {
            row.0[lane] = bits;
        }
    }

    /// Counts what is wanted.
    #[inline(always)]
    pub fn count(&self, wanted: Wanted) -> Counts<N> {
        let mut counts = [Lanes::NONE; Feature::COUNT];
        if !wanted.is_any() || self.height == 0 {
            return counts;
        }
        let rows = &self.rows[..self.height];
        let first_full = rows.iter().position(|row| row.any()).unwrap_or(rows.len());
        // Where the walls are a well by themselves, there is something to count in the sky, too.
        let top = if self.width == 1 { 0 } else { first_full };
        let pile = Pile { rows, top, width: self.width };
        if wanted.shape {
            pile.count_shape(&mut counts);
        }
        if wanted.heights {
            pile.count_heights(&mut counts);
        }
        if wanted.depths {
            pile.count_depths(&mut counts);
        }
        if wanted.classic {
            pile.count_classic(&mut counts);
        }
        if wanted.covering {
            pile.count_covering(&mut counts);
        }
        if wanted.tops {
            pile.count_tops(&mut counts);
        }
        counts
    }
}

/// The rows of some boards, top to bottom, bit = column.
struct Pile<'a, const N: usize> {
    rows: &'a [Lanes<N>],
    /// The first row in which any of them has a cell.
    top: usize,
    width: usize,
}

impl<const N: usize> Pile<'_, N> {
    fn inside(&self) -> u16 {
        ((1u32 << self.width) - 1) as u16
    }

    /// From the first row that is not empty in all of them.
    fn rows_of_pile(&self) -> impl Iterator<Item = Lanes<N>> {
        self.rows[self.top..].iter().copied()
    }

    /// Cells between two full neighbours or walls, full ones included.
    #[inline(always)]
    fn between(&self, row: Lanes<N>) -> Lanes<N> {
        let left = row.up(1) | Lanes::all(1);
        let right = row.down(1) | Lanes::all(1 << (self.width - 1));
        left & right & Lanes::all(self.inside())
    }

    /// How many changes there are along a row with full walls.
    #[inline(always)]
    fn changes(&self, row: Lanes<N>) -> Lanes<N> {
        let inner = (row ^ row.down(1)) & Lanes::all(self.inside() >> 1);
        let right_wall = !row & Lanes::all(1 << (self.width - 1));
        let left_wall = !row & Lanes::all(1);
        (inner | right_wall).bits().plus(left_wall)
    }

    #[inline(always)]
    fn count_shape(&self, counts: &mut Counts<N>) {
        let [mut wells, mut holes, mut column_changes, mut row_changes] = [Lanes::NONE; 4];
        let (mut above, mut covered) = (Lanes::NONE, Lanes::NONE);
        // What stands in the highest row has no change above it.
        if self.top == 0 {
            above = self.rows.first().copied().unwrap_or(Lanes::NONE);
        }
        for row in self.rows_of_pile() {
            row_changes = row_changes.plus(self.changes(row) & !row.is_zero());
            column_changes = column_changes.plus((above ^ row).bits());
            holes = holes.plus((above & !row).bits());
            covered = covered | row;
            wells = wells.plus((self.between(row) & !covered).bits());
            above = row;
        }
        counts[Feature::WellCells as usize] = wells;
        counts[Feature::ColumnHoles as usize] = holes;
        counts[Feature::ColumnTransitions as usize] = column_changes;
        counts[Feature::RowTransitions as usize] = row_changes;
    }

    #[inline(always)]
    fn count_heights(&self, counts: &mut Counts<N>) {
        let [mut heights, mut steps, mut highest, mut lowest, mut cells, mut weighted] = [Lanes::NONE; 6];
        let (inside, mut covered) = (self.inside(), Lanes::NONE);
        for row in self.rows_of_pile() {
            covered = covered | row;
            heights = heights.plus(covered.bits());
            steps = steps.plus(((covered ^ covered.down(1)) & Lanes::all(inside >> 1)).bits());
            highest = highest.minus(!covered.is_zero());
            lowest = lowest.minus((covered ^ Lanes::all(inside)).is_zero());
            // A cell is counted once for its own row and once for each below: by its height.
            cells = cells.plus(row.bits());
            weighted = weighted.plus(cells);
        }
        counts[Feature::ColumnHeights as usize] = heights;
        counts[Feature::PileHeight as usize] = highest;
        counts[Feature::HeightSpread as usize] = highest.minus(lowest);
        counts[Feature::HeightVariance as usize] = steps;
        counts[Feature::SolidCells as usize] = cells;
        counts[Feature::WeightedSolidCells as usize] = weighted;
    }

    #[inline(always)]
    fn count_depths(&self, counts: &mut Counts<N>) {
        let [mut weighted, mut depths, mut greatest, mut deep_wells, mut deepest] = [Lanes::NONE; 5];
        let mut least = Lanes::all(NO_HOLE_DEPTH);
        let (mut above, mut covered, mut runs) = (Lanes::NONE, Lanes::NONE, [Lanes::NONE; 3]);
        // Rows from each column's top to the row that is looked at; and the open well's cells so far.
        let (mut below_top, mut well_cells) = (Columns::<N, PLANES>::ZERO, Columns::<N, PLANES>::ZERO);
        for (y, row) in (self.top..).zip(self.rows_of_pile()) {
            let holes = above & !row;
            below_top.count(covered);
            if holes.any() {
                weighted = weighted.plus(holes.bits().map(|bits| bits * (y as u16 + 1)));
                depths = depths.plus(below_top.sum(holes));
                greatest = greatest.with(below_top.greatest(holes), u16::max);
                let here = below_top.least(holes).or_else(!holes.is_zero(), Lanes::all(u16::MAX));
                least = least.or_else(holes.is_zero(), least.with(here, u16::min));
            }
            covered = covered | row;
            let wells = self.between(row) & !covered;
            let [one, two, three] = runs;
            deep_wells = deep_wells.plus((wells & one & two & !three).bits());
            well_cells.keep(wells);
            well_cells.count(wells);
            if wells.any() {
                deepest = deepest.with(well_cells.greatest(wells), u16::max);
            }
            runs = [wells, one & wells, two & one & wells];
            above = row;
        }
        counts[Feature::WeightedHoles as usize] = weighted;
        counts[Feature::HoleDepths as usize] = depths;
        counts[Feature::MinHoleDepth as usize] = least;
        counts[Feature::MaxHoleDepth as usize] = greatest;
        counts[Feature::DeepWells as usize] = deep_wells;
        counts[Feature::MaxWellDepth as usize] = deepest;
    }

    #[inline(always)]
    fn count_classic(&self, counts: &mut Counts<N>) {
        let [mut holes, mut rows_with_holes, mut wells, mut column_changes, mut row_changes] = [Lanes::NONE; 5];
        let (mut above, mut covered) = (Lanes::NONE, Lanes::NONE);
        // Cells of wells in the stretch of empty cells that ends here.
        let mut well_cells = Columns::<N, PLANES>::ZERO;
        for row in self.rows_of_pile() {
            let under = covered & !row;
            holes = holes.plus(under.bits());
            rows_with_holes = rows_with_holes.minus(!under.is_zero());
            column_changes = column_changes.plus((above ^ row).bits());
            row_changes = row_changes.plus(self.changes(row));
            well_cells.keep(!row);
            well_cells.count(self.between(row) & !row);
            wells = wells.plus(well_cells.sum(!row));
            covered = covered | row;
            above = row;
        }
        let floor = (!above & Lanes::all(self.inside())).bits();
        counts[Feature::Holes as usize] = holes;
        counts[Feature::RowsWithHoles as usize] = rows_with_holes;
        counts[Feature::CumulativeWells as usize] = wells;
        counts[Feature::FloorTransitions as usize] = column_changes.plus(floor);
        // Two for every empty row above the pile.
        counts[Feature::WallTransitions as usize] = row_changes.plus(Lanes::all(2 * self.top as u16));
    }

    #[inline(always)]
    fn count_covering(&self, counts: &mut Counts<N>) {
        let (mut covering, mut above, mut covered) = (Lanes::NONE, Lanes::NONE, Lanes::NONE);
        let mut stretch = Columns::<N, PLANES>::ZERO;
        let mut heights = [Lanes::NONE; MAX_COLUMNS];
        for row in self.rows_of_pile() {
            let holes = above & !row;
            if holes.any() {
                covering = covering.plus(stretch.sum(holes));
            }
            stretch.keep(row);
            stretch.count(row);
            covered = covered | row;
            for (x, height) in heights.iter_mut().enumerate().take(self.width) {
                *height = height.plus(covered.down(x as u32) & Lanes::all(1));
            }
            above = row;
        }
        let mut seen = Lanes::NONE;
        for pair in heights[..self.width].windows(2) {
            let step = pair[0].minus(pair[1]).plus(Lanes::all(2));
            seen = seen | step.map(|step| if step < 5 { 1 << step } else { 0 });
        }
        counts[Feature::CoveringCells as usize] = covering;
        counts[Feature::Diversity as usize] = seen.bits();
    }

    #[inline(always)]
    fn count_tops(&self, counts: &mut Counts<N>) {
        let [mut enclosed, mut buried, mut above, mut covered] = [Lanes::NONE; 4];
        for row in self.rows_of_pile() {
            enclosed = enclosed.plus((self.between(row) & row & !covered).bits());
            buried = buried.plus(((above ^ row) & covered).bits());
            covered = covered | row;
            above = row;
        }
        counts[Feature::EnclosedTops as usize] = enclosed;
        counts[Feature::BuriedTransitions as usize] = buried;
    }
}

#[cfg(test)]
mod tests {
    use super::super::feature::Feature as F;
    use super::*;
    use proptest::prelude::*;

    /// The features of one pile, looked up cell by cell as their definitions have it.
    struct Plain<'a>(&'a Board);

    impl Plain<'_> {
        fn columns(&self) -> std::ops::Range<usize> {
            0..self.0.width()
        }

        fn rows(&self) -> std::ops::Range<usize> {
            0..self.0.height()
        }

        fn cells(&self) -> impl Iterator<Item = (usize, usize)> {
            self.rows().flat_map(|y| self.columns().map(move |x| (x, y)))
        }

        fn full(&self, x: usize, y: usize) -> bool {
            self.0.is_full(x, y)
        }

        /// With walls.
        fn walled(&self, x: isize, y: usize) -> bool {
            usize::try_from(x).map_or(true, |x| x >= self.0.width() || self.full(x, y))
        }

        fn top(&self, x: usize) -> usize {
            self.rows().find(|&y| self.full(x, y)).unwrap_or(self.0.height())
        }

        fn heights(&self) -> Vec<i32> {
            self.columns().map(|x| (self.0.height() - self.top(x)) as i32).collect()
        }

        fn steps(&self) -> Vec<i32> {
            self.heights().windows(2).map(|pair| pair[0] - pair[1]).collect()
        }

        fn holes(&self) -> Vec<(usize, usize)> {
            self.cells().filter(|&(x, y)| y > 0 && self.full(x, y - 1) && !self.full(x, y)).collect()
        }

        fn covered(&self) -> Vec<(usize, usize)> {
            self.cells().filter(|&(x, y)| !self.full(x, y) && y > self.top(x)).collect()
        }

        fn is_enclosed(&self, x: usize, y: usize) -> bool {
            self.walled(x as isize - 1, y) && self.walled(x as isize + 1, y)
        }

        fn is_between(&self, x: usize, y: usize) -> bool {
            !self.full(x, y) && self.is_enclosed(x, y)
        }

        /// Cells of each open well.
        fn wells(&self) -> Vec<usize> {
            let mut wells = Vec::new();
            for x in self.columns() {
                let mut cells = 0;
                for y in 0..=self.top(x) {
                    if y < self.top(x) && self.is_between(x, y) {
                        cells += 1;
                    } else {
                        wells.push(std::mem::take(&mut cells));
                    }
                }
            }
            wells
        }

        fn row_changes(&self, y: usize) -> usize {
            (-1..self.0.width() as isize).filter(|&x| self.walled(x, y) != self.walled(x + 1, y)).count()
        }

        fn column_changes(&self) -> usize {
            self.cells().filter(|&(x, y)| y > 0 && self.full(x, y) != self.full(x, y - 1)).count()
        }

        fn of(&self, feature: F) -> usize {
            let height = self.0.height();
            let depth = |&(x, y): &(usize, usize)| y - self.top(x);
            let stretch = |x: usize, y: usize| (0..y).rev().take_while(|&above| self.full(x, above)).count();
            let empties = |x: usize, y: usize| (y..height).take_while(|&below| !self.full(x, below)).count();
            let is_empty_row = |y: usize| self.columns().all(|x| !self.full(x, y));
            let above_pile = self.rows().take_while(|&y| is_empty_row(y)).count();
            let highest = self.heights().into_iter().max().unwrap_or(0);
            match feature {
                F::WellCells => self.wells().iter().sum(),
                F::DeepWells => self.wells().into_iter().filter(|&cells| cells >= 3).count(),
                F::MaxWellDepth => self.wells().into_iter().max().unwrap_or(0),
                F::CumulativeWells => {
                    self.cells().filter(|&(x, y)| self.is_between(x, y)).map(|(x, y)| empties(x, y)).sum()
                }
                F::ColumnHoles => self.holes().len(),
                F::WeightedHoles => self.holes().iter().map(|(_, y)| y + 1).sum(),
                F::HoleDepths => self.holes().iter().map(depth).sum(),
                F::MinHoleDepth => self.holes().iter().map(depth).min().unwrap_or(20),
                F::MaxHoleDepth => self.holes().iter().map(depth).max().unwrap_or(0),
                F::Holes => self.covered().len(),
                F::CoveringCells => self.holes().iter().map(|&(x, y)| stretch(x, y)).sum(),
                F::RowsWithHoles => self.rows().filter(|y| self.covered().iter().any(|(_, other)| other == y)).count(),
                F::EnclosedTops => {
                    self.columns().filter(|&x| self.top(x) < height && self.is_enclosed(x, self.top(x))).count()
                }
                F::ColumnTransitions => self.column_changes(),
                F::BuriedTransitions => {
                    self.cells().filter(|&(x, y)| y > self.top(x) && self.full(x, y) != self.full(x, y - 1)).count()
                }
                F::FloorTransitions => {
                    let edges =
                        |y: usize, is_full: bool| self.columns().filter(|&x| self.full(x, y) == is_full).count();
                    self.column_changes() + edges(0, true) + edges(height - 1, false)
                }
                F::RowTransitions => self.rows().filter(|&y| !is_empty_row(y)).map(|y| self.row_changes(y)).sum(),
                F::WallTransitions => 2 * above_pile + (above_pile..height).map(|y| self.row_changes(y)).sum::<usize>(),
                F::ColumnHeights => self.heights().into_iter().sum::<i32>() as usize,
                F::PileHeight => highest as usize,
                F::HeightSpread => (highest - self.heights().into_iter().min().unwrap_or(0)) as usize,
                F::HeightVariance => self.steps().into_iter().map(i32::abs).sum::<i32>() as usize,
                F::Diversity => (-2..=2).filter(|step| self.steps().contains(step)).count(),
                F::SolidCells => self.0.count() as usize,
                F::WeightedSolidCells => self.cells().filter(|&(x, y)| self.full(x, y)).map(|(_, y)| height - y).sum(),
                F::Lines | F::LastLines | F::LinesInFours | F::LockHeight => 0,
                F::PivotHeight | F::LandingHeight | F::ErodedCells => 0,
            }
        }
    }

    /// A board of these bits: sparse, dense, or a pile below an empty half.
    fn board(rows: &[u16], width: usize, height: usize, kind: u8) -> Board {
        let mut board = Board::new(width, height);
        for (row, pair) in rows.windows(2).enumerate() {
            let bits = [pair[0], pair[0] & pair[1], if row < height / 2 { 0 } else { pair[0] | pair[1] }];
            board.set_row(row, bits[usize::from(kind)]);
        }
        board
    }

    proptest! {
        #[test]
        fn all_lanes_count_what_the_definitions_say(
            rows in proptest::collection::vec(proptest::collection::vec(any::<u16>(), 41), 5),
            width in 1usize..=16,
            height in 1usize..=40,
            kinds in proptest::collection::vec(0u8..3, 5),
        ) {
            let boards: Vec<Board> = rows.iter().zip(kinds).map(|(rows, kind)| board(rows, width, height, kind)).collect();
            let counts = Stack::<8>::of(&boards).count(Wanted::by(F::ALL));
            for (lane, board) in boards.iter().enumerate() {
                for feature in F::ALL {
                    let (found, expected) = (counts[feature as usize].0[lane], Plain(board).of(feature));
                    prop_assert_eq!(usize::from(found), expected, "{:?} of {:?}", feature, board);
                }
            }
        }
    }
}
