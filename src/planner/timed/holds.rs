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
use multiversion::multiversion;

/// Frames until the next fall from which on it pays to ask whether anything changes still.
const LEFT_MANY: usize = 4;

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
        fall_widely(&mut holds, None);
        holds
    }

    /// Every pose in which the piece can lock, each once.
    pub fn locks(&self) -> impl Iterator<Item = Pose> + '_ {
        self.field.poses(&self.locked)
    }

    /// Plays all that the hand can do, from the start or from states in a later row on, and shows `see` each frame's row, the
    /// frames until the next fall, and all states before it: their words phase by phase, and how many there are in a phase.
    #[inline(always)]
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
                if left > LEFT_MANY && hanging == 0 && now == after {
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

/// What a hand can do with one piece on many boards: as far down as a board leaves it the same places as another, the same.
#[derive(Debug, Clone)]
pub struct Descent {
    /// That other board.
    board: Board,
    /// On it.
    known: Holds,
    /// All states at the beginning of each row, from the first on.
    rows: Vec<u64>,
    /// Words a row.
    stride: usize,
}

impl Descent {
    /// For boards much like this one, and a piece that is in the state `start` before the next frame.
    pub fn of(board: &Board, start: &Control, pace: Pace, hand: Hand) -> Self {
        let field = Field::of(board, start.pose.orientation);
        let mut known = Holds { field, locked: [0; MAX_ROWS], start: *start, pace, hand };
        let (mut rows, mut stride, mut last_row) = (Vec::new(), 0, None);
        known.run(None, |row, _, words, _| {
            if last_row != Some(row) {
                rows.extend_from_slice(words);
                (stride, last_row) = (words.len(), Some(row));
            }
        });
        Self { board: *board, known, rows, stride }
    }

    /// Equal to [`Holds::reach`] on this board.
    pub fn reach(&self, board: &Board) -> Holds {
        let mut holds = self.known.clone();
        holds.field.refit(board, &self.board);
        let shared = self.shared(&holds.field);
        holds.locked[shared.map_or(0, |(row, _)| row)..].fill(0);
        fall_widely(&mut holds, shared);
        holds
    }

    /// The last row down to which this field is as open as the known one, and the states at its beginning.
    fn shared(&self, field: &Field) -> Option<(usize, &[u64])> {
        let known = self.rows.len().checked_div(self.stride)?;
        let (first, count) = field.shared_rows(&self.known.field, &self.known.start, known)?;
        let words = self.rows.get((count - 1) * self.stride..count * self.stride)?;
        Some((first + count - 1, words))
    }
}

/// [`Holds::run`] with the widest instructions that the processor has.
#[multiversion(targets(
    "x86_64+avx512f+avx512bw+avx512cd+avx512dq+avx512vl+avx2+bmi1+bmi2+lzcnt+popcnt",
    "x86_64+avx2+bmi1+bmi2+lzcnt+popcnt",
))]
fn fall_widely(holds: &mut Holds, from: Option<(usize, &[u64])>) {
    holds.run(from, |_, _, _, _| {});
}
