//! What a learned value looks at: a few hundred thousand patterns of a pile of 10 × 20, of which about forty hold at a time;
//! where pieces are slid under overhangs for want of turns, half a million more, of which up to a hundred hold. A lower
//! field is seen as the lower rows of this one.

use crate::game::Board;
use serde::{Deserialize, Serialize};

/// Columns and rows of the console's field: values are learned for it, and for lower ones.
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

/// The pattern of every pile: what they are worth on average.
pub const ANY: usize = READY_START + READY_SIZE;
/// The patterns that tell of a pile as a whole: how high, with which holes, and how ready for an upright I.
pub const WHOLE: std::ops::RangeInclusive<usize> = WELL_START..=ANY;
/// How many these are.
pub const WHOLE_COUNT: usize = ANY + 1 - WELL_START;
/// The place of [`ANY`] among them.
pub const WHOLE_ANY: usize = WHOLE_COUNT - 1;
/// The most of an outline that hold at a time.
const OUTLINE_MAX: usize = SILHOUETTES + STAIRS + ROWS + 4;

/// In seven columns steps are told apart from −3 to 3.
const SPAN_STEP_MAX: i32 = 3;
const SPAN_STEPS: usize = 2 * SPAN_STEP_MAX as usize + 1;
const SPAN: usize = 7;
const SPANS: usize = COLUMNS + 1 - SPAN;
const SPAN_SIZE: usize = SPAN_STEPS.pow(SPAN as u32 - 1);
/// The height of an outermost column, the highest on the way there, the highest where pieces appear.
const WAY_SIZE: usize = (ROWS + 1).pow(3);
/// Rows that lack only the last column, the highest of the others, how far these lie apart, rows with holes.
const SPREAD_SIZE: usize = 6 * (ROWS + 1) * 10 * 3;
/// The first two of these, and all steps between those columns together, in twos.
const ROUGH_SIZE: usize = 6 * (ROWS + 1) * 20;

const SPAN_START: usize = ANY + 1;
const WAY_START: usize = SPAN_START + SPANS * SPAN_SIZE;
const SPREAD_START: usize = WAY_START + 2 * WAY_SIZE;
const ROUGH_START: usize = SPREAD_START + SPREAD_SIZE;
const WIDE_END: usize = ROUGH_START + ROUGH_SIZE;
const WIDE_MAX: usize = SPANS + 4;

/// Columns and rows of a window.
const WINDOW: [usize; 2] = [4, 3];
const WINDOW_PLACES: [usize; 2] = [COLUMNS + 1 - WINDOW[0], ROWS + 1 - WINDOW[1]];
/// As many as its cells can be full and empty.
const WINDOW_SIZE: usize = 1 << (WINDOW[0] * WINDOW[1]);
const WINDOW_START: usize = ANY + 1;
const WINDOWS_MAX: usize = WINDOW_PLACES[0] * WINDOW_PLACES[1];

/// Which patterns a value looks at.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Sight {
    /// Heights, rows, and what is on the whole.
    #[default]
    Outline,
    /// And wider parts of the outline, and how the ways to the walls lie.
    Wide,
    /// The outline and every window of 4 × 3 cells in its place: the caves that pieces can be slid into, or that must be opened.
    Windows,
}

impl Sight {
    /// How many patterns there are.
    pub const fn count(self) -> usize {
        match self {
            Self::Outline => ANY + 1,
            Self::Wide => WIDE_END,
            Self::Windows => WINDOW_START + WINDOWS_MAX * WINDOW_SIZE,
        }
    }

    /// What is looked at by who has learned all that this tells.
    pub const fn widened(self) -> Self {
        match self {
            Self::Outline | Self::Wide => Self::Wide,
            Self::Windows => Self::Windows,
        }
    }

    /// Shows `see` the patterns of a pile of 10 columns and up to 20 rows, in one list or two, each a number below
    /// [`Self::count`].
    #[inline(always)]
    pub fn for_each(self, board: &Board, mut see: impl FnMut(&[u32])) {
        let whole;
        let board = if board.height() == ROWS {
            board
        } else {
            whole = on_the_floor(board);
            &whole
        };
        let mut outline = Patterns::of(board);
        if self == Self::Wide {
            outline.widen();
        }
        see(outline.indices());
        if self == Self::Windows {
            see(Windows::of(board).indices());
        }
    }

    /// All of them in one list.
    pub fn all(self, board: &Board) -> Vec<u32> {
        let mut all = Vec::with_capacity(OUTLINE_MAX + WINDOWS_MAX);
        self.for_each(board, |indices| all.extend(indices));
        all
    }
}

/// The pile of a lower field in one of 20 rows.
fn on_the_floor(board: &Board) -> Board {
    let mut whole = Board::new(COLUMNS, ROWS);
    board.rows().iter().rev().zip((0..ROWS).rev()).for_each(|(&row, y)| whole.set_row(y, row));
    whole
}

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

/// The outline of one pile.
struct Patterns {
    indices: [u32; OUTLINE_MAX + WIDE_MAX],
    len: usize,
    pile: Pile,
}

/// The windows of one pile in which a cell is full.
struct Windows {
    indices: [u32; WINDOWS_MAX],
    len: usize,
}

impl Windows {
    #[inline(always)]
    fn of(board: &Board) -> Self {
        let mut windows = Self { indices: [0; WINDOWS_MAX], len: 0 };
        for (y, rows) in board.rows()[..ROWS].windows(WINDOW[1]).enumerate() {
            if rows.iter().all(|&row| row == 0) {
                continue;
            }
            for x in 0..WINDOW_PLACES[0] {
                let part = |bits: usize, row: &u16| bits << WINDOW[0] | usize::from(row >> x) & ((1 << WINDOW[0]) - 1);
                let bits = rows.iter().rev().fold(0, part);
                if bits != 0 {
                    let place = y * WINDOW_PLACES[0] + x;
                    windows.indices[windows.len] = (WINDOW_START + place * WINDOW_SIZE + bits) as u32;
                    windows.len += 1;
                }
            }
        }
        windows
    }

    fn indices(&self) -> &[u32] {
        &self.indices[..self.len]
    }
}

impl Patterns {
    #[inline]
    fn of(board: &Board) -> Self {
        let mut patterns = Self { indices: [0; OUTLINE_MAX + WIDE_MAX], len: 0, pile: Pile::default() };
        let mut pile = patterns.rows(board.rows());
        pile.ready = pile.ready_rows(board.rows());
        patterns.silhouettes(&pile.heights);
        patterns.stairs(&pile.heights);
        patterns.whole(&pile);
        patterns.push(ANY);
        patterns.pile = pile;
        patterns
    }

    /// Adds what wider parts of the outline tell.
    #[inline(always)]
    fn widen(&mut self) {
        let heights = self.pile.heights;
        let step = |x: usize| heights[x + 1] - heights[x];
        let narrow = |x: usize| (step(x).clamp(-SPAN_STEP_MAX, SPAN_STEP_MAX) + SPAN_STEP_MAX) as usize;
        for place in 0..SPANS {
            let span = (place..place + SPAN - 1).fold(0, |all, x| all * SPAN_STEPS + narrow(x));
            self.push(SPAN_START + place * SPAN_SIZE + span);
        }
        let highest =
            |columns: std::ops::Range<usize>| heights[columns].iter().fold(0, |high, &h| high.max(h)) as usize;
        let way = |wall: usize, on_the_way: usize| {
            (heights[wall] as usize * (ROWS + 1) + on_the_way) * (ROWS + 1) + highest(3..7)
        };
        self.push(WAY_START + way(0, highest(1..4)));
        self.push(WAY_START + WAY_SIZE + way(COLUMNS - 1, highest(6..9)));
        let others = &heights[..COLUMNS - 1];
        let lowest = others.iter().fold(ROWS as i32, |low, &h| low.min(h)) as usize;
        let top = highest(0..COLUMNS - 1);
        let of_top = self.pile.ready * (ROWS + 1) + top;
        self.push(SPREAD_START + (of_top * 10 + (top - lowest).min(9)) * 3 + self.pile.hole_rows.min(2));
        let rough = (0..COLUMNS - 2).map(|x| step(x).unsigned_abs() as usize).sum::<usize>();
        self.push(ROUGH_START + of_top * 20 + (rough / 2).min(19));
    }

    fn indices(&self) -> &[u32] {
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
    fn whole(&mut self, pile: &Pile) {
        let last = pile.heights[COLUMNS - 1];
        let others = &pile.heights[..COLUMNS - 1];
        let (highest, lowest) = others.iter().fold((0, ROWS as i32), |(high, low), &h| (high.max(h), low.min(h)));
        let depth = (lowest - last).clamp(0, 7) as usize;
        self.push(WELL_START + (highest as usize * 8 + pile.holes.min(7)) * 8 + depth);
        let cover = (pile.hole_rows.min(4) * 10 + pile.rows_above.min(9)) * 16 + (pile.lacking_above / 2).min(15);
        self.push(COVER_START + if pile.hole_rows == 0 { 0 } else { cover });
        let of_top = pile.ready * (ROWS + 1) + highest.max(last) as usize;
        self.push(READY_START + of_top * 4 + pile.hole_rows.min(3));
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
    /// Rows that lack only the last column, from its top on, up to 5.
    ready: usize,
}

impl Pile {
    fn ready_rows(&self, rows: &[u16]) -> usize {
        let from_top = rows[..ROWS - self.heights[COLUMNS - 1] as usize].iter().rev();
        from_top.take_while(|&&row| row & 0x1FF == 0x1FF).count().min(5)
    }

    fn highest_of_all(&self) -> usize {
        self.heights.iter().fold(0, |high, &h| high.max(h)) as usize
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wider_parts_tell_apart_what_narrow_ones_do_not_and_are_numbered_after_them() {
        let pile = |towers: [usize; 2]| {
            let mut pile = Board::default();
            towers.into_iter().for_each(|x| (18..20).for_each(|y| pile.fill(x, y)));
            pile
        };
        let piles = [[0, 6], [0, 7], [3, 9], [1, 2]].map(pile);
        let of = |sight: Sight, pile: &Board| sight.all(pile);
        for pile in &piles {
            let (narrow, wide) = (of(Sight::Outline, pile), of(Sight::Wide, pile));
            assert_eq!(wide[..narrow.len()], narrow);
            let wider = &wide[narrow.len()..];
            assert_eq!(wider.len(), WIDE_MAX);
            assert!(
                wider.iter().all(|&index| (Sight::Outline.count()..Sight::Wide.count()).contains(&(index as usize)))
            );
        }
        let spans = |pile: &Board| of(Sight::Wide, pile)[of(Sight::Outline, pile).len()..][..SPANS].to_vec();
        assert!(spans(&piles[0])[0] != spans(&piles[1])[0]);
        // The highest and roughest piles have numbers within the tables, too.
        let mut comb = Board::default();
        (0..10).step_by(2).for_each(|x| (0..20).for_each(|y| comb.fill(x, y)));
        let mut ready = Board::default();
        (0..20).for_each(|y| ready.set_row(y, 0x1FF));
        for pile in [comb, ready, Board::default()] {
            assert!(of(Sight::Wide, &pile).iter().all(|&index| (index as usize) < Sight::Wide.count()));
        }
    }

    #[test]
    fn windows_tell_a_cave_from_a_wall_and_are_numbered_within_the_table() {
        let mut wall = Board::default();
        (17..20).for_each(|y| (0..5).for_each(|x| wall.fill(x, y)));
        let mut cave = wall;
        cave.clear(4, 19);
        let mut sealed = cave;
        sealed.fill(5, 19);
        let of = |board: &Board| Sight::Windows.all(board);
        assert!(of(&cave) != of(&sealed) && of(&wall) != of(&cave));
        for sight in [Sight::Outline, Sight::Windows] {
            assert!(sight.all(&sealed).iter().all(|&index| (index as usize) < sight.count()));
        }
        // Three rows lie in windows of three heights, and five columns in those of five places.
        let windows = of(&wall).iter().filter(|&&index| index as usize >= Sight::Outline.count()).count();
        assert_eq!(windows, 3 * 5);
        assert!(Sight::Windows.all(&Board::default()).iter().all(|&index| (index as usize) < Sight::Outline.count()));
        // A lower field is the lower part of the whole one.
        let mut low = Board::new(10, 10);
        (0..10).for_each(|y| low.set_row(y, sealed.row(y + 10)));
        assert_eq!(of(&low), of(&sealed));
    }
}
