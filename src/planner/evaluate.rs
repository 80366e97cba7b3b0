//! Piles after one or two pieces, and what rates them. Lower is better.

use super::ladder::NO_ROOM_COST;
use crate::game::Board;
use crate::game::movement::place;
use crate::game::orientation::Pose;

/// A pile after one or two pieces were placed, and how it came about.
#[derive(Debug, Clone, Copy)]
pub struct Afterstate<'a> {
    /// The pile before the first of them.
    pub before: &'a Board,
    /// The pile after the last.
    pub board: &'a Board,
    /// The pieces, in their order; at least one.
    pub steps: &'a [Step],
    /// The game's level before the first.
    pub level: u8,
}

/// Piles that differ in where the last piece locked.
#[derive(Debug, Clone, Copy)]
pub struct Siblings<'a> {
    /// The pile before the first piece.
    pub before: &'a Board,
    /// The game's level before the first piece.
    pub level: u8,
    /// The pieces before the last, if any.
    pub firsts: &'a [Step],
    /// The piles, and how the last piece made each.
    pub piles: &'a [(Board, Step)],
}

/// The most pieces of an afterstate.
pub const STEPS_MAX: usize = 4;

impl Siblings<'_> {
    /// Shows each of them by itself, with its place in the list. Of more than [`STEPS_MAX`] pieces the first are left out.
    pub fn for_each(&self, mut see: impl FnMut(usize, &Afterstate<'_>)) {
        let Self { before, level, firsts, piles } = *self;
        let kept = &firsts[firsts.len().saturating_sub(STEPS_MAX - 1)..];
        for (index, (board, last)) in piles.iter().enumerate() {
            let mut steps = [*last; STEPS_MAX];
            steps[..kept.len()].copy_from_slice(kept);
            see(index, &Afterstate { before, board, steps: &steps[..=kept.len()], level });
        }
    }
}

/// One piece of an [`Afterstate`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Step {
    /// Where it locked, on the board as it was then.
    pub pose: Pose,
    /// Rows that it cleared, 0–4.
    pub lines: usize,
    /// Its own cells in these rows, 0–4.
    pub cells_cleared: usize,
}

impl Step {
    /// The board after a piece locks at `pose`, and what that did.
    pub fn of(board: &Board, pose: Pose) -> (Board, Self) {
        let (after, lines) = place(board, pose);
        let cells_cleared = if lines == 0 { 0 } else { cells_cleared(board, pose) };
        (after, Self { pose, lines, cells_cleared })
    }
}

fn cells_cleared(board: &Board, pose: Pose) -> usize {
    let mut stamped = *board;
    pose.stamp(&mut stamped);
    let is_cleared = |y: i8| usize::try_from(y).is_ok_and(|y| stamped.row(y) == stamped.full_row());
    pose.cells().iter().filter(|(_, y)| is_cleared(*y)).count()
}

impl Afterstate<'_> {
    /// Rows that were cleared.
    pub fn lines(&self) -> usize {
        self.steps.iter().map(|step| step.lines).sum()
    }
}

/// Numbers by the piece that falls next, by [`Piece::index`](crate::game::Piece::index); the eighth only fills the vector.
pub const LANES: usize = 8;
/// Worths by the piece that falls next; higher is better.
pub type Worths = [f32; LANES];

/// The mean of what comes of each piece that may follow.
pub fn mean(shares: &[f32; 7], worths: &Worths) -> f32 {
    shares.iter().zip(worths).map(|(share, worth)| share * worth).sum()
}

/// What a pile is worth depends on the piece that falls next.
pub trait ByNext: Send + Sync {
    /// What this pile is worth at this level.
    fn worths(&self, level: u8, board: &Board) -> Worths;

    /// What 0–4 lines at once are worth when they are cleared.
    fn gain(&self, lines: usize) -> f32;

    /// What a piece later counts less: a factor, 0–1.
    fn discount(&self) -> f32;

    /// What such a worth is in points of a game at this level.
    fn points(&self, worth: f64, level: u8) -> f64;
}

/// A cost for what placing pieces leads to; lower is better.
pub trait Evaluator: Send + Sync {
    /// The cost of this afterstate.
    fn cost(&self, after: &Afterstate<'_>) -> f64;

    /// The cost of this afterstate if the game ends there because a piece that may come finds no place.
    fn cost_of_the_end(&self, after: &Afterstate<'_>) -> f64 {
        NO_ROOM_COST + self.cost(after)
    }

    /// Itself, if it tells what a pile is worth by the piece that falls next.
    fn by_next(&self) -> Option<&dyn ByNext> {
        None
    }

    /// The costs of several at once, in their order, into as many places.
    fn costs(&self, siblings: &Siblings<'_>, costs: &mut [f64]) {
        siblings.for_each(|index, after| {
            if let Some(cost) = costs.get_mut(index) {
                *cost = self.cost(after);
            }
        });
    }
}
