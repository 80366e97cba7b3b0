//! The two-piece search: every placement of the falling piece, each rated by the best that the next piece can make of it.

use super::evaluate::Evaluator;
use super::movement::{Movement, place};
use super::reach::Reach;
use super::timed::{Hand, Pace, Style, TimedReach};
use crate::game::nes::Control;
use crate::game::orientation::Pose;
use crate::game::{Board, Piece};
use crate::message::Buttons;

/// A placement of the falling piece, rated.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Candidate {
    /// Where it would lock.
    pub pose: Pose,
    /// Cost after the best answer of the next piece; lower is better.
    pub cost: f64,
}

/// Charged when the next piece could not appear.
const GAME_OVER_COST: f64 = 1e9;

/// All placements of `piece` from `from` (its spawn pose, or where it is now), best first. With an unknown next piece
/// the board after the first piece is rated.
pub fn two_piece(
    board: &Board,
    from: Pose,
    next: Option<Piece>,
    movement: &Movement,
    evaluator: &dyn Evaluator,
) -> Vec<Candidate> {
    let mut candidates: Vec<Candidate> = Reach::flood_in(board, from, movement.hand())
        .locks()
        .map(|pose| Candidate { pose, cost: cost_after(board, pose, next, movement, evaluator) })
        .collect();
    // Equal costs are broken by pose, so that every machine decides alike.
    candidates.sort_by(|a, b| a.cost.total_cmp(&b.cost).then(a.pose.cmp(&b.pose)));
    candidates
}

/// How the pieces are moved in [`two_piece_timed`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Touch {
    /// What the level means for a falling piece.
    pub pace: Pace,
    /// What the thumbs can do.
    pub hand: Hand,
    /// How much of it is used.
    pub style: Style,
}

impl Touch {
    /// What the hand can do with a piece that is in the state `start` before the next frame.
    pub fn reach(&self, board: &Board, start: &Control) -> TimedReach {
        TimedReach::of(board, start, self.pace, self.hand, self.style)
    }
}

/// All placements of the falling piece, which is in the state `start` before the next frame, that this hand can reach on
/// the NES, best first; each is rated by the best that the same hand can make of the next piece, with nothing held when
/// that appears. Equal to [`two_piece`] for a hand that time does not press, but for slides and spins that taps cannot do.
/// Empty if the piece cannot be there. The way to a candidate is [`TimedReach::way`] of [`Touch::reach`].
pub fn two_piece_timed(
    board: &Board,
    start: &Control,
    next: Option<Piece>,
    touch: &Touch,
    evaluator: &dyn Evaluator,
) -> Vec<Candidate> {
    let mut candidates: Vec<Candidate> = touch
        .reach(board, start)
        .locks()
        .map(|pose| Candidate { pose, cost: cost_after_timed(board, pose, next, touch, evaluator) })
        .collect();
    candidates.sort_by(|a, b| a.cost.total_cmp(&b.cost).then(a.pose.cmp(&b.pose)));
    candidates
}

fn cost_after_timed(board: &Board, first: Pose, next: Option<Piece>, touch: &Touch, evaluator: &dyn Evaluator) -> f64 {
    let (after_first, lines_first) = place(board, first);
    let Some(next) = next else {
        return evaluator.cost(&after_first, &[first], lines_first);
    };
    let start = Control::spawn(next, 0, Buttons::NONE);
    if !start.pose.fits(&after_first) {
        return GAME_OVER_COST + evaluator.cost(&after_first, &[first], lines_first);
    }
    let best = touch
        .reach(&after_first, &start)
        .locks()
        .map(|second| {
            let (after_second, lines_second) = place(&after_first, second);
            evaluator.cost(&after_second, &[first, second], lines_first + lines_second)
        })
        .fold(f64::INFINITY, f64::min);
    best.min(GAME_OVER_COST)
}

fn cost_after(board: &Board, first: Pose, next: Option<Piece>, movement: &Movement, evaluator: &dyn Evaluator) -> f64 {
    let (after_first, lines_first) = place(board, first);
    let Some(next) = next else {
        return evaluator.cost(&after_first, &[first], lines_first);
    };
    let spawn = movement.spawn(next);
    if !spawn.fits(&after_first) {
        return GAME_OVER_COST + evaluator.cost(&after_first, &[first], lines_first);
    }
    let best = Reach::flood_in(&after_first, spawn, movement.hand())
        .locks()
        .map(|second| {
            let (after_second, lines_second) = place(&after_first, second);
            evaluator.cost(&after_second, &[first, second], lines_first + lines_second)
        })
        .fold(f64::INFINITY, f64::min);
    best.min(GAME_OVER_COST)
}
