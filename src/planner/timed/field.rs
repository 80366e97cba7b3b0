//! Where a piece fits, as words: 16 bits a lane for the columns, four lanes for the orientations in clockwise order.
//!
//! Lane 0 is the orientation at the start. Pieces with two orientations have each twice, so that turning is rotating the
//! word for every piece; the piece O has one lane and nothing to turn into.

use crate::game::Control;
use crate::game::board::MAX_ROWS;
use crate::game::orientation::{Orientation, Pose};
use crate::game::{Board, Piece};

/// Bits a lane.
pub(super) const LANE: u32 = 16;
/// Rows above the field that a piece may cover.
const HIDDEN: usize = 2;
/// Empty columns left of the field in the picture that the fits are read from: cells reach two columns to the left.
const MARGIN: u32 = 2;
/// The widest board: its columns and the margin are one lane.
const MAX_WIDTH: usize = (LANE - MARGIN) as usize;

/// One word for each row of pivots.
pub(super) type Rows = [u64; MAX_ROWS];

/// Where one piece fits on one board.
#[derive(Debug, Clone)]
pub(super) struct Field {
    orientations: [Orientation; 4],
    /// Lanes that do not repeat others.
    distinct: u64,
    /// The poses that are free; the row under the floor holds none.
    pub fits: [u64; MAX_ROWS + 1],
}

impl Field {
    pub fn of(board: &Board, start: Orientation) -> Self {
        let turned = |from: Orientation| from.rotated_to(Control::rotation().turn(from, true).to);
        let orientations = std::array::from_fn(|lane| (0..lane).fold(start, |from, _| turned(from)));
        let (lanes, distinct) = match start.piece() {
            Piece::O => (1, 0xFFFF),
            Piece::I | Piece::S | Piece::Z => (2, 0xFFFF_FFFF),
            Piece::T | Piece::J | Piece::L => (4, u64::MAX),
        };
        let mut field = Self { orientations, distinct, fits: [0; MAX_ROWS + 1] };
        field.fit(board, lanes, 0);
        field
    }

    /// Becomes that of another board, where it is the field of `known`.
    #[inline(always)]
    pub fn refit(&mut self, board: &Board, known: &Board) {
        if [board.width(), board.height()] != [known.width(), known.height()] {
            *self = Self::of(board, self.orientations[0]);
            return;
        }
        let alike = board.rows().iter().zip(known.rows()).take_while(|(row, known)| row == known).count();
        let lanes = (self.distinct.count_ones() / LANE) as usize;
        // No piece reaches further down than a row from its pivot.
        self.fit(board, lanes, alike.saturating_sub(1));
    }

    /// Fits the board anew, this many lanes of it, from a row on.
    #[inline(always)]
    fn fit(&mut self, board: &Board, lanes: usize, from: usize) {
        let empty = empty_cells(board);
        let rows = from..board.height();
        self.fits[rows.clone()].fill(0);
        let mut fitting_rows = [0u16; MAX_ROWS];
        for (lane, orientation) in self.orientations.into_iter().enumerate().take(lanes) {
            fitting(&empty, orientation, from, &mut fitting_rows[rows.clone()]);
            for (word, &columns) in self.fits[rows.clone()].iter_mut().zip(&fitting_rows[rows.clone()]) {
                *word |= u64::from(columns) << (lane as u32 * LANE);
            }
        }
        if lanes == 2 {
            self.fits[rows].iter_mut().for_each(|word| *word |= *word << (2 * LANE));
        }
    }

    /// The start as a word, and its row; `None` if the piece cannot be there, or no such state exists.
    pub fn start(&self, start: &Control) -> Option<(usize, u64)> {
        let row = usize::try_from(start.pose.y).ok().filter(|&row| row < MAX_ROWS)?;
        let column = u32::try_from(start.pose.x).ok().filter(|&x| x < LANE)?;
        let lane = 1u64 << column;
        let word = if self.distinct == 0xFFFF_FFFF { lane | lane << (2 * LANE) } else { lane };
        let free = word & self.fits[row];
        (free != 0).then_some((row, free))
    }

    /// The row in which a piece starts that fits there on both fields, and how many rows from there on are alike, `rows` at most.
    pub fn shared_rows(&self, other: &Self, start: &Control, rows: usize) -> Option<(usize, usize)> {
        let (first, _) = other.start(start)?;
        let pairs = self.fits[first..].iter().zip(&other.fits[first..]).take(rows);
        let alike = pairs.take_while(|(own, other)| own == other).count();
        (alike > 0).then_some((first, alike))
    }

    /// The poses of words by row, each once.
    pub fn poses<'a>(&'a self, rows: &'a Rows) -> impl Iterator<Item = Pose> + 'a {
        // Most rows hold none.
        rows.iter().enumerate().filter(|(_, word)| **word != 0).flat_map(move |(row, &word)| {
            bits(word & self.distinct).map(move |bit| Pose {
                x: (bit % LANE) as i8,
                y: row as i8,
                orientation: self.orientations[(bit / LANE) as usize],
            })
        })
    }

    /// The row and the bit of a pose; `None` if it is not of this piece or outside.
    pub fn bit(&self, pose: Pose) -> Option<(usize, u32)> {
        let lane = self.orientations.iter().position(|&o| o == pose.orientation)? as u32;
        let row = usize::try_from(pose.y).ok().filter(|&row| row < MAX_ROWS)?;
        let column = u32::try_from(pose.x).ok().filter(|&x| x < LANE)?;
        Some((row, lane * LANE + column))
    }
}

/// Poses after a turn either way, whether they fit or not.
#[inline(always)]
pub(super) fn turned(word: u64) -> u64 {
    word.rotate_left(LANE) | word.rotate_right(LANE)
}

pub(super) fn bits(mut word: u64) -> impl Iterator<Item = u32> {
    std::iter::from_fn(move || {
        let bit = (word != 0).then(|| word.trailing_zeros());
        word &= word.wrapping_sub(1);
        bit
    })
}

/// The board's empty cells by row from two above the field on, bit = column + [`MARGIN`]; nothing beyond the widest.
fn empty_cells(board: &Board) -> [u16; MAX_ROWS + 2 * HIDDEN] {
    let mut empty = [0; MAX_ROWS + 2 * HIDDEN];
    if board.width() <= MAX_WIDTH {
        let inside = board.full_row();
        empty[..HIDDEN].fill(inside << MARGIN);
        for (empty, &full) in empty[HIDDEN..].iter_mut().zip(board.rows()) {
            *empty = (inside & !full) << MARGIN;
        }
    }
    empty
}

/// The columns in which an orientation fits, by the pivot's row, from this one on.
#[inline(always)]
fn fitting(empty: &[u16; MAX_ROWS + 2 * HIDDEN], orientation: Orientation, from: usize, fits: &mut [u16]) {
    fits.fill(u16::MAX);
    for &(dx, dy) in orientation.cells() {
        let first = from + (HIDDEN as i8 + dy) as usize;
        let shift = (MARGIN as i8 + dx) as u32;
        for (fits, empty) in fits.iter_mut().zip(&empty[first..]) {
            *fits &= empty >> shift;
        }
    }
}
