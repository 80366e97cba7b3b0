//! What a whole hand can do: taps, held directions with their auto-shift, soft drop, and turns during any of it.
//!
//! The pad thumb's state is a slot: one word of poses. The turning thumb's state is a phase: how many frames must pass before
//! it may press again. Time itself is no part of the state: what can still happen depends on the row and the fall timer only,
//! so these are walked in order, and a soft drop leads from anywhere in a row to the beginning of the next.

use super::Hand;
use super::field::{Field, Rows};
use super::hand::MAX_PERIOD;
use super::slots::{MAX_SLOTS, Slots, count};
use crate::game::Board;
use crate::game::Control;
use crate::game::Pace;
use crate::game::board::MAX_ROWS;
use crate::game::orientation::Pose;

/// The poses in which a hand can lock a piece, with the ways there on demand.
///
/// A direction that is held at the start may be held on, with its charge; it counts as held for long enough to be let go. So does
/// Down while it drops. Everything else that is held is let go in the first frame. While the first piece of a game hangs, Down
/// is not pressed: the time is better used.
#[derive(Debug, Clone)]
pub struct Holds {
    pub(super) field: Field,
    pub(super) locked: Rows,
    pub(super) start: Control,
    pub(super) pace: Pace,
    pub(super) hand: Hand,
}

impl Holds {
    /// What the hand can do with a piece that is in the state `start` before the next frame. Nothing if it cannot be there.
    pub fn reach(board: &Board, start: &Control, pace: Pace, hand: Hand) -> Self {
        let mut holds =
            Self { field: Field::of(board, start.pose.orientation), locked: [0; MAX_ROWS], start: *start, pace, hand };
        holds.run(None, |_, _, _, _| {});
        holds
    }

    /// Every pose in which the piece can lock, each once.
    pub fn locks(&self) -> impl Iterator<Item = Pose> + '_ {
        self.field.poses(&self.locked)
    }

    /// Plays all that the hand can do, from the start or from states in a later row on, and shows `see` each frame's row, the
    /// frames until the next fall, and all states before it: their words phase by phase, and how many there are in a phase.
    pub(super) fn run(&mut self, from: Option<(usize, &[u64])>, see: impl FnMut(usize, usize, &[u64], usize)) {
        // The common hands get loops of known lengths.
        let pace = self.pace;
        match (self.hand.press(), self.hand.gap()) {
            (1, 1) => self.run_as::<2, { count(1, 1) }>(Slots::of(1, 1, pace), from, see),
            (2, 1) => self.run_as::<3, { count(2, 1) }>(Slots::of(2, 1, pace), from, see),
            (2, 2) => self.run_as::<4, { count(2, 2) }>(Slots::of(2, 2, pace), from, see),
            (3, 2) => self.run_as::<5, { count(3, 2) }>(Slots::of(3, 2, pace), from, see),
            (3, 3) => self.run_as::<6, { count(3, 3) }>(Slots::of(3, 3, pace), from, see),
            (press, gap) => self.run_as::<{ MAX_PERIOD as usize }, MAX_SLOTS>(Slots::of(press, gap, pace), from, see),
        }
    }

    #[inline(always)]
    fn run_as<const T: usize, const N: usize>(
        &mut self,
        slots: Slots,
        from: Option<(usize, &[u64])>,
        mut see: impl FnMut(usize, usize, &[u64], usize),
    ) {
        let Some((mut first_row, word)) = self.field.start(&self.start) else { return };
        let Some(mut now) = slots.at_start::<T, N>(&self.start, word) else { return };
        let mut after = [[0; N]; T];
        let (mut left, mut hanging) = (self.pace.first_fall(&self.start), self.start.hang_frames());
        if let Some((row, words)) = from.filter(|&(row, _)| row > first_row) {
            now.as_flattened_mut().copy_from_slice(words);
            (first_row, left, hanging) = (row, usize::from(self.pace.frames_per_row), 0);
        }
        for row in first_row..MAX_ROWS {
            let (here, below) = (self.field.fits[row], self.field.fits[row + 1]);
            if here == 0 {
                // Nothing fits there, so nothing has come so far: below the floor, too.
                return;
            }
            let mut next = [[0; N]; T];
            let mut locked = 0;
            while left > 1 {
                see(row, left, now.as_flattened(), N);
                slots.frame(&now, &mut after, here);
                if hanging > 0 {
                    slots.forget_down(&mut after);
                    hanging -= 1;
                }
                locked |= slots.drop_softly(&mut after, &mut next, below);
                left -= 1;
                // Slow levels: what changes nothing once changes nothing ever.
                if now == after && hanging == 0 {
                    (2..=left).rev().for_each(|left| see(row, left, now.as_flattened(), N));
                    left = 1;
                }
                std::mem::swap(&mut now, &mut after);
            }
            see(row, left, now.as_flattened(), N);
            slots.frame(&now, &mut after, here);
            self.locked[row] = locked | slots.fall(&mut after, &mut next, below);
            now = next;
            left = usize::from(self.pace.frames_per_row);
        }
    }
}

/// What a hand can do with one piece on many boards: where a board is still empty, all of them are alike.
#[derive(Debug, Clone)]
pub struct Descent {
    /// On an empty board.
    open: Holds,
    /// All states at the beginning of each row, from the first on.
    rows: Vec<u64>,
    /// Words a row.
    stride: usize,
}

impl Descent {
    /// For boards of the size of this one, and a piece that is in the state `start` before the next frame.
    pub fn of(board: &Board, start: &Control, pace: Pace, hand: Hand) -> Self {
        let empty = Board::new(board.width(), board.height());
        let field = Field::of(&empty, start.pose.orientation);
        let mut open = Holds { field, locked: [0; MAX_ROWS], start: *start, pace, hand };
        let (mut rows, mut stride, mut last_row) = (Vec::new(), 0, None);
        open.run(None, |row, _, words, _| {
            if last_row != Some(row) {
                rows.extend_from_slice(words);
                (stride, last_row) = (words.len(), Some(row));
            }
        });
        Self { open, rows, stride }
    }

    /// Equal to [`Holds::reach`] on this board.
    pub fn reach(&self, board: &Board) -> Holds {
        let Holds { start, pace, hand, .. } = self.open;
        let mut holds =
            Holds { field: Field::of(board, start.pose.orientation), locked: [0; MAX_ROWS], start, pace, hand };
        let shared = self.shared(&holds.field);
        if let Some((row, _)) = shared {
            holds.locked[..row].copy_from_slice(&self.open.locked[..row]);
        }
        holds.run(shared, |_, _, _, _| {});
        holds
    }

    /// The last row down to which this field is as open as the empty one, and the states at its beginning.
    fn shared(&self, field: &Field) -> Option<(usize, &[u64])> {
        let (first, _) = self.open.field.start(&self.open.start)?;
        let alike = (first..MAX_ROWS).take_while(|&row| field.fits[row] == self.open.field.fits[row]).count();
        let row = alike.checked_sub(1)?;
        let words = self.rows.get(row * self.stride..(row + 1) * self.stride)?;
        Some((first + row, words))
    }
}
