//! Fields of all four rotations of a piece side by side, so that one instruction moves all of them.

use super::field::{COLUMNS, LEFT, ROW, WORD, WORD_ROWS, column};

/// Rotations side by side.
pub const LANES: usize = 4;

/// The same six rows for each of the four rotations.
pub(super) type Word = [u64; LANES];

/// Sets of places of a piece's pivot, by rotation: the lowest rows first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(align(32))]
pub(super) struct Lanes<const N: usize>(pub [Word; N]);

/// A word each of whose lanes moves by columns and rows of its own, at most four rows up or down.
#[derive(Debug, Clone, Copy)]
#[repr(align(32))]
pub(super) struct Shift {
    /// Bits towards higher columns and rows; 0 in lanes that go the other way.
    up: Word,
    /// The bits of a lane that come from the word below.
    carry_up: Word,
    /// What may be there after a way up: nothing in lanes that go the other way, no column that a wall cuts off.
    keep_up: Word,
    down: Word,
    carry_down: Word,
    keep_down: Word,
}

impl Shift {
    /// Columns to the right and rows upwards of each lane; a lane without is emptied.
    pub(super) fn of(lanes: [Option<(i8, i8)>; LANES]) -> Self {
        let mut shift = Self {
            up: [0; LANES],
            carry_up: [0; LANES],
            keep_up: [0; LANES],
            down: [0; LANES],
            carry_down: [0; LANES],
            keep_down: [0; LANES],
        };
        let bits_of_word = (COLUMNS * WORD_ROWS) as u64;
        for (lane, moved) in lanes.into_iter().enumerate() {
            let Some((dx, dy)) = moved else { continue };
            let bits = i64::from(dy) * COLUMNS as i64 + i64::from(dx);
            let inside = (0..COLUMNS as i64).filter(|x| (0..COLUMNS as i64).contains(&(x - i64::from(dx))));
            let keep = inside.fold(0, |kept, x| kept | column(x as usize));
            let (way, carry, kept) = if bits < 0 {
                (&mut shift.down, &mut shift.carry_down, &mut shift.keep_down)
            } else {
                (&mut shift.up, &mut shift.carry_up, &mut shift.keep_up)
            };
            way[lane] = bits.unsigned_abs();
            carry[lane] = bits_of_word - bits.unsigned_abs();
            kept[lane] = keep;
        }
        shift
    }
}

#[inline(always)]
fn each(lane: impl Fn(usize) -> u64) -> Word {
    let mut word = [0; LANES];
    for (nth, bits) in word.iter_mut().enumerate() {
        *bits = lane(nth);
    }
    word
}

/// Logical shifts by counts below 64.
#[inline(always)]
fn left(bits: u64, by: u64) -> u64 {
    bits << (by & 63)
}

#[inline(always)]
fn right(bits: u64, by: u64) -> u64 {
    bits >> (by & 63)
}

impl<const N: usize> Lanes<N> {
    pub(super) const NONE: Self = Self([[0; LANES]; N]);

    /// The same words in all lanes.
    #[inline(always)]
    pub(super) fn all(words: &[u64]) -> Self {
        Self::NONE.map(|word, _| words[word])
    }

    #[inline(always)]
    fn map(self, change: impl Fn(usize, usize) -> u64) -> Self {
        let mut changed = Self::NONE;
        for word in 0..N {
            for lane in 0..LANES {
                changed.0[word][lane] = change(word, lane);
            }
        }
        changed
    }

    #[inline(always)]
    pub(super) fn and(self, other: Self) -> Self {
        self.map(|word, lane| self.0[word][lane] & other.0[word][lane])
    }

    #[inline(always)]
    pub(super) fn or(self, other: Self) -> Self {
        self.map(|word, lane| self.0[word][lane] | other.0[word][lane])
    }

    /// What is here and not there.
    #[inline(always)]
    pub(super) fn without(self, other: Self) -> Self {
        self.map(|word, lane| self.0[word][lane] & !other.0[word][lane])
    }

    /// Every cell of the field that is not here.
    #[inline(always)]
    pub(super) fn inverse(self) -> Self {
        self.map(|word, lane| !self.0[word][lane] & WORD)
    }

    /// More places in the highest rows.
    #[inline(always)]
    pub(super) fn add_to_top(&mut self, places: &Word) {
        if let Some(top) = self.0.last_mut() {
            *top = each(|lane| top[lane] | places[lane]);
        }
    }

    #[inline(always)]
    pub(super) fn count(&self) -> u32 {
        self.0.iter().flatten().map(|places| places.count_ones()).sum()
    }

    /// The same in more words.
    #[inline(always)]
    pub(super) fn widened<const M: usize>(self) -> Lanes<M> {
        let mut wide = Lanes::NONE;
        wide.0[..N].copy_from_slice(&self.0);
        wide
    }

    /// Each place in the lowest words as its lane, column and row, in this order.
    #[inline(always)]
    pub(super) fn each(&self, words: usize, mut see: impl FnMut(usize, usize, usize)) {
        for lane in 0..LANES {
            for (word, lanes) in self.0[..words].iter().enumerate() {
                let mut places = lanes[lane];
                while places != 0 {
                    let bit = places.trailing_zeros() as usize;
                    see(lane, bit % COLUMNS, word * WORD_ROWS + bit / COLUMNS);
                    places &= places - 1;
                }
            }
        }
    }

    /// Only these lanes.
    #[inline(always)]
    pub(super) fn within(self, kept: &Word) -> Self {
        self.map(|word, lane| self.0[word][lane] & kept[lane])
    }

    #[inline(always)]
    pub(super) fn is_empty(&self) -> bool {
        let mut any = [0; LANES];
        for word in &self.0 {
            any = each(|lane| any[lane] | word[lane]);
        }
        any[0] | any[1] | any[2] | any[3] == 0
    }

    /// Every place, a row further up. What leaves the top is lost.
    #[inline(always)]
    pub(super) fn raised(self) -> Self {
        self.map(|word, lane| {
            let carried = if word > 0 { self.0[word - 1][lane] >> (COLUMNS * (WORD_ROWS - 1)) } else { 0 };
            self.0[word][lane] << COLUMNS & WORD | carried
        })
    }

    /// Every place, a row further down.
    #[inline(always)]
    pub(super) fn lowered(self) -> Self {
        self.map(|word, lane| {
            let carried = if word + 1 < N { self.0[word + 1][lane] << (COLUMNS * (WORD_ROWS - 1)) & WORD } else { 0 };
            self.0[word][lane] >> COLUMNS | carried
        })
    }

    /// Every place, a column further left and right.
    #[inline(always)]
    pub(super) fn aside(self) -> Self {
        self.map(|word, lane| {
            let places = self.0[word][lane];
            places << 1 & !LEFT & WORD | places >> 1 & !column(COLUMNS - 1)
        })
    }

    /// Every place and all places below it.
    #[inline(always)]
    pub(super) fn smeared_down(mut self) -> Self {
        for word in (0..N).rev() {
            let above = if word + 1 < N { self.0[word + 1] } else { [0; LANES] };
            self.0[word] = each(|lane| {
                let row = COLUMNS as u32;
                let mut places = self.0[word][lane] | (above[lane] & ROW) << (row * (WORD_ROWS as u32 - 1));
                places |= places >> row;
                places |= places >> (2 * row);
                places | places >> (2 * row)
            });
        }
        self
    }

    /// Every lane by its own way.
    #[inline(always)]
    pub(super) fn moved(self, shift: &Shift) -> Self {
        self.map(|word, lane| {
            let below = if word > 0 { right(self.0[word - 1][lane], shift.carry_up[lane]) } else { 0 };
            let above = if word + 1 < N { left(self.0[word + 1][lane], shift.carry_down[lane]) } else { 0 };
            let up = left(self.0[word][lane], shift.up[lane]) | below;
            let down = right(self.0[word][lane], shift.down[lane]) | above;
            up & shift.keep_up[lane] | down & shift.keep_down[lane]
        })
    }

    /// The lanes in another order.
    #[inline(always)]
    pub(super) fn swapped(self, from: [usize; LANES]) -> Self {
        self.map(|word, lane| self.0[word][from[lane]])
    }

    #[inline(always)]
    pub(super) fn set(&mut self, lane: usize, column: usize, row: usize) {
        self.0[row / WORD_ROWS][lane] |= 1 << (row % WORD_ROWS * COLUMNS + column);
    }
}
