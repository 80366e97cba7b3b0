//! A field of ten columns as bits: six rows a word.

use crate::game::Board;

/// Columns of every field here.
pub const COLUMNS: usize = 10;
/// Rows that one word holds.
pub const WORD_ROWS: usize = 6;
/// Words of a whole field.
pub const WORDS: usize = 8;
/// Rows of a whole field: more than any board has, so that a piece may stick out of it.
pub const ROWS: usize = WORDS * WORD_ROWS;

/// The bits of one row.
pub(super) const ROW: u64 = (1 << COLUMNS) - 1;
/// The bits that a word uses.
pub(super) const WORD: u64 = (1 << (COLUMNS * WORD_ROWS)) - 1;
/// The leftmost column.
pub(super) const LEFT: u64 = column(0);

/// One column of a word.
pub(super) const fn column(x: usize) -> u64 {
    let (mut bits, mut row) = (0, 0);
    while row < WORD_ROWS {
        bits |= 1 << (row * COLUMNS + x);
        row += 1;
    }
    bits
}

/// Which cells are full: rows from the floor upwards, six a word, ten bits each, the leftmost column in the lowest bit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Field {
    pub(super) words: [u64; WORDS],
}

impl Field {
    /// The field of a board; columns from the eleventh on are left out.
    pub fn of(board: &Board) -> Self {
        let mut field = Self::default();
        for (row, &bits) in board.rows().iter().rev().enumerate() {
            field.words[row / WORD_ROWS] |= (u64::from(bits) & ROW) << (row % WORD_ROWS * COLUMNS);
        }
        field
    }

    /// The same as a board of so many rows; what is above them is left out.
    pub fn board(&self, rows: usize) -> Board {
        let mut board = Board::new(COLUMNS, rows);
        (0..rows).for_each(|row| board.set_row(rows - 1 - row, self.row(row)));
        board
    }

    /// One row, counted from the floor: bit = column. Empty above the field.
    #[inline(always)]
    pub fn row(&self, row: usize) -> u16 {
        let word = self.words.get(row / WORD_ROWS).copied().unwrap_or(0);
        (word >> (row % WORD_ROWS * COLUMNS) & ROW) as u16
    }

    /// All rows, from the floor upwards, as [`Self::row`].
    #[inline(always)]
    pub fn rows(&self) -> [u16; ROWS] {
        let mut rows = [0; ROWS];
        for (word, rows) in self.words.iter().zip(rows.chunks_exact_mut(WORD_ROWS)) {
            for (row, bits) in rows.iter_mut().enumerate() {
                *bits = (word >> (row * COLUMNS) & ROW) as u16;
            }
        }
        rows
    }

    /// A number that two fields hardly ever share, mixed with another one.
    #[inline]
    pub fn mixed(&self, with: u64) -> u64 {
        let mix = |state: u64, word: u64| {
            let product = u128::from(state ^ word) * 0x9E37_79B9_7F4A_7C15;
            (product >> 64) as u64 ^ product as u64
        };
        self.words.iter().fold(mix(0x2545_F491_4F6C_DD1D, with), |state, word| mix(state, *word))
    }

    /// Whether no cell is full.
    pub fn is_empty(&self) -> bool {
        self.words == [0; WORDS]
    }

    /// Whether a cell is full; `row` counts from the floor. False outside.
    pub fn is_full(&self, column: usize, row: usize) -> bool {
        let word = self.words.get(row / WORD_ROWS).copied().unwrap_or(0);
        column < COLUMNS && word >> (row % WORD_ROWS * COLUMNS + column) & 1 == 1
    }

    /// Rows from the floor up to the highest full cell.
    pub fn height(&self) -> usize {
        let top = self.words.iter().rposition(|word| *word != 0);
        top.map_or(0, |word| word * WORD_ROWS + (63 - self.words[word].leading_zeros() as usize) / COLUMNS + 1)
    }

    /// Fills what four cells above each other cover, 10 bits a row from this row on; what is above the field is lost.
    #[inline(always)]
    pub(super) fn fill(&mut self, row: usize, cells: u64) {
        let (word, shift) = (row / WORD_ROWS, row % WORD_ROWS * COLUMNS);
        self.words[word] |= cells << shift & WORD;
        if let Some(above) = self.words.get_mut(word + 1) {
            *above |= cells >> (COLUMNS * WORD_ROWS - shift);
        }
    }

    /// The last column of every row that is full.
    #[inline(always)]
    fn full_rows(word: u64) -> u64 {
        // A row without its last column overflows into it when one is added, if it is full.
        let last = column(COLUMNS - 1);
        word & ((word & !last) + LEFT) & last
    }

    /// Removes full rows and lets the rest fall; how many were removed.
    #[inline(always)]
    pub fn clear_full_rows(&mut self) -> u32 {
        if self.words.iter().fold(0, |any, word| any | Self::full_rows(*word)) == 0 {
            return 0;
        }
        self.collapse()
    }

    #[inline(never)]
    fn collapse(&mut self) -> u32 {
        let (mut kept, mut to, mut removed) = (Self::default(), 0, 0);
        for word in self.words {
            for row in 0..WORD_ROWS {
                let bits = word >> (row * COLUMNS) & ROW;
                if bits == ROW {
                    removed += 1;
                } else {
                    kept.words[to / WORD_ROWS] |= bits << (to % WORD_ROWS * COLUMNS);
                    to += 1;
                }
            }
        }
        *self = kept;
        removed
    }
}
