//! A player that looks one piece ahead, or two, or further.

use super::contest::{Player, View};
use super::pieces::Generator;
use crate::game::Piece;
use crate::game::machine::FOLLOWERS;
use crate::game::orientation::Pose;
use crate::planner::{Beam, Beyond, Breadth, Candidate, Evaluator, Filters, Rollouts, Search};

/// How many pieces are looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Look {
    /// The falling one.
    One,
    /// The next one, too, as soon as it is known.
    Two,
    /// Both, at every other piece: these two are placed as they looked best together, and only then the next two are looked at.
    Pairs,
    /// And all that may come after these, each as often as it comes, for the best pairs of placements.
    Beyond {
        /// So many pairs.
        pairs: usize,
    },
    /// Many pieces that may come, the best piles of each.
    Beam(Beam),
    /// The same, the game played on for each of the best placements.
    Rollouts(Rollouts),
}

/// How often each piece follows each other one, 0–1, both by [`Piece::index`].
pub fn followers(generator: Generator) -> [[f64; 7]; 7] {
    match generator {
        // Who does not know when it began expects what there was at first.
        Generator::Console | Generator::Worsening(_) => FOLLOWERS.map(|row| row.map(|share| f64::from(share) / 32.0)),
        Generator::Uniform => [[1.0 / 7.0; 7]; 7],
        Generator::Alternating => Piece::ALL.map(|before| {
            let after = if before == Piece::S { Piece::Z } else { Piece::S };
            Piece::ALL.map(|piece| if piece == after { 1.0 } else { 0.0 })
        }),
    }
}

/// Places each piece where an evaluator likes the pile best; among equals, in the order of poses.
#[derive(Clone)]
pub struct Searcher<'a> {
    evaluator: &'a dyn Evaluator,
    look: Look,
    beyond: Option<Beyond>,
    followers: [[f64; 7]; 7],
    filters: Filters,
}

impl<'a> Searcher<'a> {
    /// A player in games with this generator.
    pub fn new(evaluator: &'a dyn Evaluator, look: Look, generator: Generator) -> Self {
        let followers = followers(generator);
        let beyond = match look {
            Look::One | Look::Pairs => None,
            // Only who tells piles apart by the piece that falls next has an opinion on it.
            Look::Two | Look::Beam(_) | Look::Rollouts(_) => {
                evaluator.by_next().map(|_| Beyond { followers, pairs: 0, breadth: Breadth::TWO })
            }
            Look::Beyond { pairs } => Some(Beyond { followers, pairs, breadth: Breadth::FURTHER }),
        };
        Self { evaluator, look, beyond, followers, filters: Filters::default() }
    }

    /// The same, whose placements these filters choose among.
    pub fn filtered(self, filters: Filters) -> Self {
        Self { filters, ..self }
    }

    /// What may come next, and how likely; nothing for who does not look at it.
    fn next(&self, view: &View<'_>) -> Vec<(Piece, f64)> {
        match (self.look, view.next) {
            (Look::One, _) => Vec::new(),
            // What the second of a pair adds to the first's rating is the same wherever it goes.
            (Look::Pairs, _) if !view.pieces.is_multiple_of(2) => Vec::new(),
            (_, Some(next)) => vec![(next, 1.0)],
            (_, None) => {
                let all = Piece::ALL.into_iter().zip(self.followers[view.piece.index()]);
                all.filter(|(_, share)| *share > 0.0).collect()
            }
        }
    }
}

impl Player for Searcher<'_> {
    fn choose(&mut self, view: &View<'_>) -> Option<Pose> {
        let next = self.next(view);
        let View { board, level, moves, .. } = *view;
        let filtered = self.filters.over(board, self.evaluator);
        let evaluator: &dyn Evaluator = if self.filters.is_empty() { self.evaluator } else { &filtered };
        let lines_left = Some(view.lines_left);
        let search = Search { board, level, lines_left, next: &next, beyond: self.beyond.as_ref(), moves, evaluator };
        let (locks, followers) = (view.locks.iter().copied(), &self.followers);
        let best = match self.look {
            Look::Beam(beam) => beam.rate(&search, followers, locks).into_iter().min_by(Candidate::order),
            Look::Rollouts(rollouts) => rollouts.rate(&search, followers, locks).into_iter().min_by(Candidate::order),
            Look::One | Look::Two | Look::Pairs | Look::Beyond { .. } => search.best(locks),
        };
        best.map(|candidate| candidate.pose)
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
        let player = |look| Searcher::new(&weights, look, Generator::Console);
        let choice = |sees_next, next| {
            let (board, moves, locks) = (&board, &moves, &locks[..]);
            let view =
                View { board, piece: Piece::S, next, level: 0, lines: 0, lines_left: 9, pieces: 0, moves, locks };
            player(if sees_next { Look::Two } else { Look::One }).choose(&view).unwrap()
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
    fn the_second_of_a_pair_goes_where_it_was_seen_whatever_comes_next() {
        let (movement, weights) = (movement(), Weights::named("birken-2014").unwrap());
        let moves = Moves::freely(&movement);
        let choice = |board: &Board, piece, next, pieces| {
            let locks = moves.locks(board, moves.spawn(piece));
            let view = View {
                board,
                piece,
                next: Some(next),
                level: 0,
                lines: 0,
                lines_left: 9,
                pieces,
                moves: &moves,
                locks: &locks,
            };
            Searcher::new(&weights, Look::Pairs, Generator::Console).choose(&view).unwrap()
        };
        let empty = Board::default();
        let firsts = Piece::ALL.map(|next| choice(&empty, Piece::S, next, 4));
        assert!(firsts.iter().any(|&first| first != firsts[0]), "the first is placed for the second");
        let (board, _) = crate::game::movement::place(&empty, firsts[0]);
        let seconds = Piece::ALL.map(|next| choice(&board, Piece::T, next, 5));
        assert!(seconds.iter().all(|&second| second == seconds[0]), "the second is placed for nobody");
    }

    #[test]
    fn nothing_is_chosen_of_nothing() {
        let (movement, weights) = (movement(), Weights::default());
        let (board, moves) = (Board::default(), Moves::freely(&movement));
        let view = View {
            board: &board,
            piece: Piece::O,
            next: None,
            level: 0,
            lines: 0,
            lines_left: 9,
            pieces: 0,
            moves: &moves,
            locks: &[],
        };
        assert_eq!(Searcher::new(&weights, Look::Two, Generator::Console).choose(&view), None);
    }
}
