//! What a whole hand can do: taps, held directions with their auto-shift, soft drop, and turns during any of it.
//!
//! The pad thumb's state is a slot: one word of poses. The turning thumb's state is a phase: how many frames must pass before
//! it may press again. Time itself is no part of the state: what can still happen depends on the row and the fall timer only,
//! so these are walked in order, and a soft drop leads from anywhere in a row to the beginning of the next.

use super::field::{Field, Rows};
use super::hand::MAX_PERIOD;
use super::slots::{MAX_SLOTS, Slots, count};
use super::{Hand, Pace, hang};
use crate::game::Board;
use crate::game::board::MAX_ROWS;
use crate::game::nes::Control;
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
        holds.run(|_, _, _, _| {});
        holds
    }

    /// Every pose in which the piece can lock, each once.
    pub fn locks(&self) -> impl Iterator<Item = Pose> + '_ {
        self.field.poses(&self.locked)
    }

    /// Plays all that the hand can do, and shows `see` each frame's row, the frames until the next fall, and all states before
    /// it: their words phase by phase, and how many there are in a phase.
    pub(super) fn run(&mut self, see: impl FnMut(usize, usize, &[u64], usize)) {
        // The common hands get loops of known lengths.
        match (self.hand.press(), self.hand.gap()) {
            (1, 1) => self.run_as::<2, { count(1, 1) }>(Slots::of(1, 1, self.pace), see),
            (2, 1) => self.run_as::<3, { count(2, 1) }>(Slots::of(2, 1, self.pace), see),
            (2, 2) => self.run_as::<4, { count(2, 2) }>(Slots::of(2, 2, self.pace), see),
            (3, 2) => self.run_as::<5, { count(3, 2) }>(Slots::of(3, 2, self.pace), see),
            (3, 3) => self.run_as::<6, { count(3, 3) }>(Slots::of(3, 3, self.pace), see),
            (press, gap) => self.run_as::<{ MAX_PERIOD as usize }, MAX_SLOTS>(Slots::of(press, gap, self.pace), see),
        }
    }

    #[inline(always)]
    fn run_as<const T: usize, const N: usize>(
        &mut self,
        slots: Slots,
        mut see: impl FnMut(usize, usize, &[u64], usize),
    ) {
        let Some((first_row, word)) = self.field.start(&self.start) else { return };
        let Some(mut now) = slots.at_start::<T, N>(&self.start, word) else { return };
        let mut after = [[0; N]; T];
        let (mut left, mut hanging) = (self.pace.first_fall(&self.start), hang(&self.start));
        for row in first_row..MAX_ROWS {
            let (here, below) = (self.field.fits[row], self.field.fits[row + 1]);
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
