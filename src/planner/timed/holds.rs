//! What a whole hand can do: taps, held directions with their auto-shift, soft drop, and turns during any of it.
//!
//! The pad thumb's state is a slot: one word of poses. The turning thumb's state is a phase: how many frames must pass before
//! it may press again. Time itself is no part of the state: what can still happen depends on the row and the fall timer only,
//! so these are walked in order, and a soft drop leads from anywhere in a row to the beginning of the next.

use super::field::{Field, Rows};
use super::slots::{NOWHERE, Phases, Slots};
use super::{Hand, Pace};
use crate::game::Board;
use crate::game::board::MAX_ROWS;
use crate::game::nes::Control;

/// The poses in which a hand can lock a piece, with the ways there on demand.
///
/// A direction that is held at the start may be held on, with its charge; it counts as held for long enough to be let go. So does
/// Down while it drops. Everything else that is held is let go in the first frame.
#[derive(Debug, Clone)]
pub struct Holds {
    pub(super) field: Field,
    pub(super) locked: Rows,
    pub(super) start: Control,
    pub(super) slots: Slots,
    pub(super) pace: Pace,
}

impl Holds {
    /// What the hand can do with a piece that is in the state `start` before the next frame. Nothing if it cannot be there.
    pub fn reach(board: &Board, start: &Control, pace: Pace, hand: Hand) -> Self {
        let mut holds = Self {
            field: Field::of(board, start.pose.orientation),
            locked: [0; MAX_ROWS],
            start: *start,
            slots: Slots::of(hand, pace),
            pace,
        };
        holds.run(|_, _, _| {});
        holds
    }

    /// Plays all that the hand can do, and shows `see` the row, the frames until the next fall, and all states, before each frame.
    pub(super) fn run(&mut self, mut see: impl FnMut(usize, usize, &Phases)) {
        let Some((first_row, word)) = self.field.start(&self.start) else { return };
        let Some(mut now) = self.slots.at_start(&self.start, word) else { return };
        let (slots, frames) = (self.slots, usize::from(self.pace.frames_per_row));
        let mut left = self.pace.first_fall(&self.start);
        for row in first_row..MAX_ROWS {
            let (here, below) = (self.field.fits[row], self.field.fits[row + 1]);
            let (mut after, mut next) = (NOWHERE, NOWHERE);
            while left > 0 {
                see(row, left, &now);
                slots.frame(&now, &mut after, here);
                left -= 1;
                self.locked[row] |= if left > 0 {
                    slots.drop_softly(&mut after, &mut next, below)
                } else {
                    slots.fall(&mut after, &mut next, below)
                };
                std::mem::swap(&mut now, &mut after);
            }
            now = next;
            left = frames;
        }
    }
}
