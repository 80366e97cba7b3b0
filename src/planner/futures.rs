//! Pieces that may come, drawn by how often each follows another: for searches that look further than chance can be summed over.

use super::search::Search;
use crate::game::Piece;
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

/// More futures tell nothing more, whatever may be spent.
const FUTURES_MAX: usize = 1000;

/// How much may be spent on one decision, and by which dice.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Budget {
    /// Piles that may be rated. The future in which they are spent is looked at to its end, and at least one is.
    pub nodes: u64,
    /// The same seed draws the same futures on the same pile.
    pub seed: u64,
}

/// Draws the pieces that follow the falling one.
pub(super) struct Futures<'a> {
    followers: &'a [[f64; 7]; 7],
    next: &'a [(Piece, f64)],
    dice: Xoshiro256PlusPlus,
    left: usize,
}

impl<'a> Futures<'a> {
    /// For this search, so many pieces each.
    pub fn new(search: &Search<'a>, followers: &'a [[f64; 7]; 7], pieces: usize, seed: u64) -> Self {
        // A pile has futures of its own, so that what is drawn badly once is not drawn badly always.
        let mix = |seed: u64, row: &u16| (seed ^ u64::from(*row)).wrapping_mul(0x0100_0000_01B3).rotate_left(23);
        let seed = search.board.rows().iter().fold(seed, mix);
        // Where chance has no say all futures are the same.
        let is_known = pieces == 0 || pieces == 1 && search.next.len() == 1;
        let left = if is_known { 1 } else { FUTURES_MAX };
        Self { followers, next: search.next, dice: Xoshiro256PlusPlus::seed_from_u64(seed), left }
    }

    /// The pieces of one more future, if another is worth while.
    pub fn draw(&mut self, falling: Piece, pieces: usize) -> Option<Vec<Piece>> {
        self.left = self.left.checked_sub(1)?;
        let mut future: Vec<Piece> = Vec::with_capacity(pieces);
        while future.len() < pieces {
            let after = future.last().copied().unwrap_or(falling);
            let piece = if future.is_empty() && !self.next.is_empty() {
                pick(self.next.iter().copied(), self.dice.random())
            } else {
                let shares = self.followers[after.index()];
                pick(Piece::ALL.into_iter().zip(shares), self.dice.random())
            };
            future.push(piece?);
        }
        Some(future)
    }
}

/// The piece at this place, 0–1, of all that may come.
fn pick(shares: impl Iterator<Item = (Piece, f64)>, place: f64) -> Option<Piece> {
    let mut left = place;
    let mut last = None;
    for (piece, share) in shares.filter(|(_, share)| *share > 0.0) {
        last = Some(piece);
        left -= share;
        if left < 0.0 {
            break;
        }
    }
    last
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::Board;
    use crate::planner::{Moves, Weights};
    use crate::profile::layout::Layout;

    #[test]
    fn pieces_come_as_often_as_they_follow_each_other_and_the_same_by_the_same_seed() {
        let movement = Layout::load("nes").unwrap().movement().unwrap();
        let (board, weights, moves) = (Board::default(), Weights::default(), Moves::freely(&movement));
        let next = [(Piece::T, 1.0)];
        let search = Search {
            board: &board,
            level: 0,
            lines_left: None,
            next: &next,
            beyond: None,
            moves: &moves,
            evaluator: &weights,
        };
        // After a T an S one time in four, else an I; after these a T.
        let mut followers = [[0.0; 7]; 7];
        followers[Piece::T.index()][Piece::S.index()] = 0.25;
        followers[Piece::T.index()][Piece::I.index()] = 0.75;
        followers[Piece::S.index()][Piece::T.index()] = 1.0;
        followers[Piece::I.index()][Piece::T.index()] = 1.0;
        let all = |seed| {
            let mut futures = Futures::new(&search, &followers, 3, seed);
            std::iter::from_fn(move || futures.draw(Piece::O, 3)).collect::<Vec<_>>()
        };
        let drawn = all(1);
        assert_eq!(drawn.len(), FUTURES_MAX);
        assert!(drawn.iter().all(|future| future[0] == Piece::T && future[2] == Piece::T));
        let share = drawn.iter().filter(|future| future[1] == Piece::S).count() as f64 / FUTURES_MAX as f64;
        assert!((0.2..0.3).contains(&share), "{share}");
        assert_eq!(drawn, all(1));
        assert_ne!(drawn, all(2));
        // What is known is looked at once.
        let mut known = Futures::new(&search, &followers, 1, 1);
        assert_eq!(known.draw(Piece::O, 1), Some(vec![Piece::T]));
        assert_eq!(known.draw(Piece::O, 1), None);
    }
}
