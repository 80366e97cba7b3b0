//! The two-piece search: every placement of the falling piece, each rated by the best that the next piece can make of it.

use super::evaluate::{Afterstate, Evaluator, Siblings, Step};
use super::ladder::NO_ROOM_COST;
use super::moves::{Answers, Moves};
use crate::game::orientation::Pose;
use crate::game::{Board, Piece};
use std::cmp::Ordering;

/// A placement of the falling piece, rated.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Candidate {
    /// Where it would lock.
    pub pose: Pose,
    /// Cost after the best answer of the next piece; lower is better.
    pub cost: f64,
}

impl Candidate {
    /// The better first; equal costs by pose, so that every machine decides alike.
    fn order(&self, other: &Self) -> Ordering {
        self.cost.total_cmp(&other.cost).then(self.pose.cmp(&other.pose))
    }
}

/// All placements of the piece at `from`, best first, at level 0 and without a hurry for the falling piece itself.
pub fn two_piece(
    board: &Board,
    from: Pose,
    next: Option<Piece>,
    moves: &Moves<'_>,
    evaluator: &dyn Evaluator,
) -> Vec<Candidate> {
    let next: Vec<(Piece, f64)> = next.map(|piece| (piece, 1.0)).into_iter().collect();
    Search { board, level: 0, next: &next, moves, evaluator }.rank(moves.locks(board, from))
}

/// What the search is about.
#[derive(Clone, Copy)]
pub struct Search<'a> {
    /// The settled pile.
    pub board: &'a Board,
    /// The game's level.
    pub level: u8,
    /// What may come next, each with its probability. Where nothing is said, the board after the falling piece is rated.
    pub next: &'a [(Piece, f64)],
    /// How the next piece is moved.
    pub moves: &'a Moves<'a>,
    /// What makes a pile good.
    pub evaluator: &'a dyn Evaluator,
}

impl Search<'_> {
    /// These placements of the falling piece, best first.
    pub fn rank(&self, firsts: impl IntoIterator<Item = Pose>) -> Vec<Candidate> {
        let mut candidates = self.rate(firsts);
        candidates.sort_by(Candidate::order);
        candidates
    }

    /// The first of [`Self::rank`]; `None` of nothing.
    pub fn best(&self, firsts: impl IntoIterator<Item = Pose>) -> Option<Candidate> {
        self.rate(firsts).into_iter().min_by(Candidate::order)
    }

    /// What each of them costs, in their order.
    fn rate(&self, firsts: impl IntoIterator<Item = Pose>) -> Vec<Candidate> {
        let next: Vec<Next> = self.next.iter().map(|&(piece, share)| self.next(piece, share)).collect();
        let mut family = Family::default();
        if next.is_empty() {
            let poses: Vec<Pose> = firsts.into_iter().collect();
            family.settle(self.board, poses.iter().copied());
            let costs = family.costs(self, &[]);
            return poses.into_iter().zip(costs).map(|(pose, &cost)| Candidate { pose, cost }).collect();
        }
        let rated = firsts.into_iter().map(|pose| Candidate { pose, cost: self.cost_after(pose, &next, &mut family) });
        rated.collect()
    }

    fn next(&self, piece: Piece, share: f64) -> Next<'_> {
        Next { spawn: self.moves.spawn(piece), share, answers: self.moves.answers(self.board, piece) }
    }

    fn cost_after(&self, first: Pose, next: &[Next], family: &mut Family) -> f64 {
        let (after, step) = Step::of(self.board, first);
        match next {
            [only] => self.cost_of_answers(&after, step, only, family),
            several => several.iter().map(|next| next.share * self.cost_of_answers(&after, step, next, family)).sum(),
        }
    }

    /// The cost of the best answer.
    fn cost_of_answers(&self, board: &Board, first: Step, next: &Next, family: &mut Family) -> f64 {
        if !next.answers.have_room(board, next.spawn) {
            return NO_ROOM_COST + self.cost(board, &[first]);
        }
        family.begin();
        next.answers.for_each(board, next.spawn, |second| family.add(board, second));
        family.costs(self, &[first]).iter().copied().fold(NO_ROOM_COST, f64::min)
    }

    fn cost(&self, board: &Board, steps: &[Step]) -> f64 {
        self.evaluator.cost(&Afterstate { before: self.board, board, steps, level: self.level })
    }
}

/// The piles that the placements of one piece lead to, and what they cost. Kept, so that the memory is asked for once.
#[derive(Default)]
struct Family {
    piles: Vec<(Board, Step)>,
    costs: Vec<f64>,
}

impl Family {
    fn begin(&mut self) {
        self.piles.clear();
    }

    fn add(&mut self, board: &Board, pose: Pose) {
        self.piles.push(Step::of(board, pose));
    }

    fn settle(&mut self, board: &Board, poses: impl Iterator<Item = Pose>) {
        self.begin();
        poses.for_each(|pose| self.add(board, pose));
    }

    fn costs(&mut self, search: &Search<'_>, firsts: &[Step]) -> &[f64] {
        self.costs.clear();
        self.costs.resize(self.piles.len(), NO_ROOM_COST);
        let siblings = Siblings { before: search.board, level: search.level, firsts, piles: &self.piles };
        search.evaluator.costs(&siblings, &mut self.costs);
        &self.costs
    }
}

/// A piece that may come next.
struct Next<'a> {
    spawn: Pose,
    share: f64,
    answers: Answers<'a>,
}
