//! Who plays by an evaluator: every placement of the falling piece rated, by itself or with the next one's best answer.

use super::contest::{Player, View};
use crate::game::Piece;
use crate::game::orientation::Pose;
use crate::planner::{Evaluator, Search};

/// How many pieces are looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Look {
    /// The falling one.
    One,
    /// The next one, too, as soon as it is known.
    Two,
}

/// A player that takes the placement of the least cost.
pub struct Searcher<'a> {
    /// What makes a pile good.
    pub evaluator: &'a dyn Evaluator,
    /// How far it looks.
    pub look: Look,
}

impl Player for Searcher<'_> {
    fn choose(&mut self, view: &View<'_>) -> Option<Pose> {
        let next: Option<(Piece, f64)> = match self.look {
            Look::One => None,
            Look::Two => view.next.map(|piece| (piece, 1.0)),
        };
        let View { board, level, moves, .. } = *view;
        let search = Search { board, level, next: next.as_slice(), moves, evaluator: self.evaluator };
        search.rank(view.locks.iter().copied()).first().map(|best| best.pose)
    }
}
