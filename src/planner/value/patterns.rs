//! What a learned value looks at: a few hundred thousand patterns of a pile of 10 × 20, of which about thirty hold at a time.

use crate::game::Board;

/// Columns and rows of the only field that values are learned for.
pub const FIELD: [usize; 2] = [10, 20];
const COLUMNS: usize = FIELD[0];
const ROWS: usize = FIELD[1];

/// Steps between neighbouring columns' heights are told apart from −4 to 4.
const STEP_MAX: i32 = 4;
const STEPS: usize = 2 * STEP_MAX as usize + 1;
/// Columns of a silhouette, and how many there are.
const SILHOUETTE: usize = 6;
const SILHOUETTES: usize = COLUMNS + 1 - SILHOUETTE;
const SILHOUETTE_SIZE: usize = STEPS.pow(SILHOUETTE as u32 - 1);
/// Three neighbouring columns with the height of the first.
const STAIRS: usize = COLUMNS - 2;
const STAIR_SIZE: usize = (ROWS + 1) * STEPS * STEPS;
/// Every row of cells that are full, empty, or empty under something full.
const ROW_SIZE: usize = 3usize.pow(COLUMNS as u32);
/// The highest of all columns but the last, hole cells, the last column's depth.
const WELL_SIZE: usize = (ROWS + 1) * 8 * 8;
/// Rows with holes, rows above the topmost of them, cells that these lack.
const COVER_SIZE: usize = 5 * 10 * 16;
/// Rows that lack only the last column from its top on, the highest column, rows with holes.
const READY_SIZE: usize = 6 * (ROWS + 1) * 4;

const STAIR_START: usize = SILHOUETTES * SILHOUETTE_SIZE;
const ROW_START: usize = STAIR_START + STAIRS * STAIR_SIZE;
const WELL_START: usize = ROW_START + ROW_SIZE;
const COVER_START: usize = WELL_START + WELL_SIZE;
const READY_START: usize = COVER_START + COVER_SIZE;

/// How many patterns there are.
pub const COUNT: usize = ANY + 1;
/// The pattern of every pile: what they are worth on average.
pub const ANY: usize = READY_START + READY_SIZE;
/// The most that hold at a time.
pub const ACTIVE_MAX: usize = SILHOUETTES + STAIRS + ROWS + 4;

/// `TERNARY[bits]`: the sum of 3^x over the columns x of a row.
const TERNARY: [u16; 1 << COLUMNS] = ternary();

const fn ternary() -> [u16; 1 << COLUMNS] {
    let mut table = [0; 1 << COLUMNS];
    let mut bits = 1;
    while bits < table.len() {
        let lowest = bits.trailing_zeros();
        table[bits] = table[bits & (bits - 1)] + 3u16.pow(lowest);
        bits += 1;
    }
    table
}

/// The patterns of one pile, as numbers below [`COUNT`].
#[derive(Debug, Clone, Copy)]
pub struct Patterns {
    indices: [u32; ACTIVE_MAX],
    len: usize,
}

impl Patterns {
    /// Those of a pile of 10 × 20 cells.
    #[inline]
    pub fn of(board: &Board) -> Self {
        let mut patterns = Self { indices: [0; ACTIVE_MAX], len: 0 };
        let pile = patterns.rows(board.rows());
        patterns.silhouettes(&pile.heights);
        patterns.stairs(&pile.heights);
        patterns.whole(&pile, board.rows());
        patterns.push(ANY);
        patterns
    }

    /// The patterns, each a number below [`COUNT`].
    pub fn indices(&self) -> &[u32] {
        &self.indices[..self.len]
    }

    #[inline(always)]
    fn push(&mut self, index: usize) {
        self.indices[self.len] = index as u32;
        self.len += 1;
    }

    #[inline(always)]
    fn rows(&mut self, rows: &[u16]) -> Pile {
        let mut pile = Pile::default();
        let mut covered = 0u16;
        for (y, &row) in rows.iter().enumerate().take(ROWS) {
            if row | covered == 0 {
                continue;
            }
            let under = covered & !row;
            self.push(
                ROW_START + usize::from(TERNARY[usize::from(row)]) + 2 * usize::from(TERNARY[usize::from(under)]),
            );
            let mut tops = row & !covered;
            while tops != 0 {
                pile.heights[tops.trailing_zeros() as usize] = (ROWS - y) as i32;
                tops &= tops - 1;
            }
            if under != 0 {
                if pile.hole_rows == 0 {
                    pile.rows_above = y - (ROWS - pile.highest_of_all());
                    pile.lacking_above = pile.lacking;
                }
                pile.hole_rows += 1;
                pile.holes += under.count_ones() as usize;
            }
            pile.lacking += (!row & 0x3FF).count_ones() as usize;
            covered |= row;
        }
        pile
    }

    #[inline(always)]
    fn silhouettes(&mut self, heights: &[i32; COLUMNS]) {
        let step = |x: usize| ((heights[x + 1] - heights[x]).clamp(-STEP_MAX, STEP_MAX) + STEP_MAX) as usize;
        let steps: [usize; COLUMNS - 1] = std::array::from_fn(step);
        let mut rolling = steps[..SILHOUETTE - 2].iter().fold(0, |all, step| all * STEPS + step);
        for place in 0..SILHOUETTES {
            rolling = (rolling * STEPS + steps[place + SILHOUETTE - 2]) % SILHOUETTE_SIZE;
            self.push(place * SILHOUETTE_SIZE + rolling);
        }
    }

    #[inline(always)]
    fn stairs(&mut self, heights: &[i32; COLUMNS]) {
        let step = |x: usize| ((heights[x + 1] - heights[x]).clamp(-STEP_MAX, STEP_MAX) + STEP_MAX) as usize;
        for (place, &height) in heights.iter().enumerate().take(STAIRS) {
            let index = (height as usize * STEPS + step(place)) * STEPS + step(place + 1);
            self.push(STAIR_START + place * STAIR_SIZE + index);
        }
    }

    #[inline(always)]
    fn whole(&mut self, pile: &Pile, rows: &[u16]) {
        let last = pile.heights[COLUMNS - 1];
        let others = &pile.heights[..COLUMNS - 1];
        let (highest, lowest) = others.iter().fold((0, ROWS as i32), |(high, low), &h| (high.max(h), low.min(h)));
        let depth = (lowest - last).clamp(0, 7) as usize;
        self.push(WELL_START + (highest as usize * 8 + pile.holes.min(7)) * 8 + depth);
        let cover = (pile.hole_rows.min(4) * 10 + pile.rows_above.min(9)) * 16 + (pile.lacking_above / 2).min(15);
        self.push(COVER_START + if pile.hole_rows == 0 { 0 } else { cover });
        let from_top = rows[..ROWS - last as usize].iter().rev();
        let ready = from_top.take_while(|&&row| row & 0x1FF == 0x1FF).count().min(5);
        self.push(READY_START + (ready * (ROWS + 1) + highest.max(last) as usize) * 4 + pile.hole_rows.min(3));
    }
}

/// What the rows tell of a pile.
#[derive(Default)]
struct Pile {
    heights: [i32; COLUMNS],
    /// Empty cells with a full one somewhere above, and the rows that have one.
    holes: usize,
    hole_rows: usize,
    /// Rows of the pile above the topmost of these, and the cells that they lack.
    rows_above: usize,
    lacking_above: usize,
    lacking: usize,
}

impl Pile {
    fn highest_of_all(&self) -> usize {
        self.heights.iter().fold(0, |high, &h| high.max(h)) as usize
    }
}
