//! Which pieces come: seven-piece bags feed the next queue.

use crate::game::Piece;
use crate::game::chance::Chance;
use std::collections::VecDeque;

/// The most pieces that a next queue shows (seed 002:617, 002:659).
pub const SHOWN_MAX: usize = 6;

/// The pieces to come.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Queue {
    random: Chance,
    coming: VecDeque<Piece>,
}

impl Queue {
    /// A queue whose bags are shuffled by random numbers from `seed`: equal seeds, equal pieces, as players of one match get them
    /// (seed 002:5736).
    pub fn new(seed: u64) -> Self {
        let mut queue = Self { random: Chance(seed), coming: VecDeque::new() };
        queue.refill();
        queue
    }

    /// The next piece is taken out.
    pub fn draw(&mut self) -> Piece {
        // Never empty: it is refilled whenever fewer than a bag's pieces are left.
        let piece = self.coming.pop_front().unwrap_or(Piece::I);
        self.refill();
        piece
    }

    /// The pieces to come, the next one first; at least [`SHOWN_MAX`].
    pub fn coming(&self) -> impl Iterator<Item = Piece> {
        self.coming.iter().copied()
    }

    /// The seven pieces in a random order, again and again (seed 002:727–733).
    fn refill(&mut self) {
        while self.coming.len() <= SHOWN_MAX {
            let mut bag = Piece::ALL;
            for last in (1..bag.len()).rev() {
                bag.swap(last, (self.random.number() % (last as u64 + 1)) as usize);
            }
            self.coming.extend(bag);
        }
    }
}
