//! The two-piece search: every placement of the falling piece, each rated by the best that the next piece can make of it.
//! [`two_piece`] has all the time in the world; [`two_piece_timed`] has one hand and a level.

use super::evaluate::Evaluator;
use super::timed::{Descent, Hand, Pace, Style, Taps, TimedReach};
use crate::game::Buttons;
use crate::game::movement::{Movement, place};
use crate::game::nes::{Control, control::spawn_pose};
use crate::game::orientation::Pose;
use crate::game::reach::Reach;
use crate::game::{Board, Piece};

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
    let next = next.map(|piece| movement.spawn(piece));
    ranked(board, Reach::flood_in(board, from, movement.hand()).locks(), next, evaluator, |after, spawn, rate| {
        Reach::flood_in(after, spawn, movement.hand()).locks().for_each(rate);
    })
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
/// that appears. With an unknown next piece the board after the first piece is rated.
///
/// Empty if the piece cannot be there. The way to a candidate is [`TimedReach::way`] of [`Touch::reach`]. A hand that cannot
/// press before some frame is asked about the state that the piece will have then.
pub fn two_piece_timed(
    board: &Board,
    start: &Control,
    next: Option<Piece>,
    touch: &Touch,
    evaluator: &dyn Evaluator,
) -> Vec<Candidate> {
    let firsts = touch.reach(board, start);
    let Some(next) = next else {
        return ranked(board, firsts.locks(), None, evaluator, |_, _, _| {});
    };
    let (spawn, start) = (Some(spawn_pose(next)), Control::spawn(next, 0, Buttons::NONE));
    match touch.style {
        Style::Taps => ranked(board, firsts.locks(), spawn, evaluator, |after, _, rate| {
            Taps::reach(after, &start, touch.pace, touch.hand).locks().for_each(|(pose, _)| rate(pose));
        }),
        Style::Holds => {
            let descent = Descent::of(board, &start, touch.pace, touch.hand);
            ranked(board, firsts.locks(), spawn, evaluator, |after, _, rate| {
                descent.reach(after).locks().for_each(rate);
            })
        }
    }
}

/// The placements of the first piece, best first; `answers` gives those of the next one, which appears at `next`.
fn ranked(
    board: &Board,
    firsts: impl Iterator<Item = Pose>,
    next: Option<Pose>,
    evaluator: &dyn Evaluator,
    answers: impl Fn(&Board, Pose, &mut dyn FnMut(Pose)),
) -> Vec<Candidate> {
    let mut candidates: Vec<Candidate> =
        firsts.map(|pose| Candidate { pose, cost: cost_after(board, pose, next, evaluator, &answers) }).collect();
    // Equal costs are broken by pose, so that every machine decides alike.
    candidates.sort_by(|a, b| a.cost.total_cmp(&b.cost).then(a.pose.cmp(&b.pose)));
    candidates
}

fn cost_after(
    board: &Board,
    first: Pose,
    next: Option<Pose>,
    evaluator: &dyn Evaluator,
    answers: impl Fn(&Board, Pose, &mut dyn FnMut(Pose)),
) -> f64 {
    let (after_first, lines_first) = place(board, first);
    let Some(spawn) = next else {
        return evaluator.cost(&after_first, &[first], lines_first);
    };
    if !spawn.fits(&after_first) {
        return GAME_OVER_COST + evaluator.cost(&after_first, &[first], lines_first);
    }
    let mut best = GAME_OVER_COST;
    answers(&after_first, spawn, &mut |second| {
        let (after_second, lines_second) = place(&after_first, second);
        best = best.min(evaluator.cost(&after_second, &[first, second], lines_first + lines_second));
    });
    best
}
