//! A player that looks one piece ahead, or two.

use super::contest::{Player, View};
use crate::game::orientation::Pose;
use crate::planner::{Evaluator, Search};

/// Places each piece where an evaluator likes the pile best; among equals, in the order of poses.
#[derive(Clone, Copy)]
pub struct Searcher<'a> {
    /// What makes a pile good.
    pub evaluator: &'a dyn Evaluator,
    /// Whether the next piece is tried in all its places too, once it is known.
    pub sees_next: bool,
}

impl Player for Searcher<'_> {
    fn choose(&mut self, view: &View<'_>) -> Option<Pose> {
        let next = view.next.filter(|_| self.sees_next).map(|piece| (piece, 1.0));
        let View { board, level, moves, .. } = *view;
        let search = Search { board, level, next: next.as_slice(), moves, evaluator: self.evaluator };
        search.best(view.locks.iter().copied()).map(|candidate| candidate.pose)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::{Board, Movement, Piece};
    use crate::planner::{Moves, Weights};
    use crate::profile::layout::Layout;

    fn movement() -> Movement {
        Layout::load("nes").unwrap().movement().unwrap()
    }

    #[test]
    fn the_next_piece_is_looked_at_only_by_who_sees_it() {
        // A T flat on the floor is best by itself for many; what follows changes where it goes.
        let (movement, weights) = (movement(), Weights::named("birken-2019").unwrap());
        let (board, moves) = (Board::default(), Moves::freely(&movement));
        let locks = moves.locks(&board, moves.spawn(Piece::S));
        let choice = |sees_next, next| {
            let (board, moves, locks) = (&board, &moves, &locks[..]);
            let view = View { board, piece: Piece::S, next, level: 0, lines: 0, moves, locks };
            Searcher { evaluator: &weights, sees_next }.choose(&view).unwrap()
        };
        let blind = choice(false, None);
        assert!(Piece::ALL.iter().all(|&next| choice(false, Some(next)) == blind));
        assert!(Piece::ALL.iter().any(|&next| choice(true, Some(next)) != blind));
        let best = |next| {
            let all = crate::planner::two_piece(&board, moves.spawn(Piece::S), Some(next), &moves, &weights);
            all[0].pose
        };
        assert!(Piece::ALL.iter().all(|&next| choice(true, Some(next)) == best(next)));
    }

    #[test]
    fn nothing_is_chosen_of_nothing() {
        let (movement, weights) = (movement(), Weights::default());
        let (board, moves) = (Board::default(), Moves::freely(&movement));
        let view = View { board: &board, piece: Piece::O, next: None, level: 0, lines: 0, moves: &moves, locks: &[] };
        assert_eq!(Searcher { evaluator: &weights, sees_next: true }.choose(&view), None);
    }
}
