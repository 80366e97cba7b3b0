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
    /// The pile before the last piece.
    pub board: &'a Board,
    /// How the last piece locked: for each of the piles.
    pub lasts: &'a [Step],
    /// What is to be rated in place of the piles themselves, if something is: one for each of `lasts`.
    pub shown: Option<&'a [Board]>,
}

/// The most pieces of an afterstate that is rated among its siblings.
pub const STEPS_MAX: usize = 10;

impl Siblings<'_> {
    /// Shows each of them by itself, with its place in the list. Of more than [`STEPS_MAX`] pieces the first are left out.
    pub fn for_each(&self, mut see: impl FnMut(usize, &Afterstate<'_>)) {
        let Self { before, level, firsts, lasts, .. } = *self;
        let kept = &firsts[firsts.len().saturating_sub(STEPS_MAX - 1)..];
        for (index, last) in lasts.iter().enumerate() {
            let board = &self.pile(index, last);
            let mut steps = [*last; STEPS_MAX];
            steps[..kept.len()].copy_from_slice(kept);
            see(index, &Afterstate { before, board, steps: &steps[..=kept.len()], level });
        }
    }

    fn pile(&self, index: usize, last: &Step) -> Board {
        let shown = self.shown.and_then(|shown| shown.get(index));
        shown.copied().unwrap_or_else(|| place(self.board, last.pose).0)
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

    /// What pieces do that lock on this board, without the boards that they leave: for many of them.
    pub fn on(board: &Board) -> impl Fn(Pose) -> Self + '_ {
        let has_full_row = board.has_full_row();
        // On a board without a full row only rows that the piece touches can become full.
        let clears = move |pose: Pose| has_full_row || fills_a_row(board, pose);
        move |pose| if clears(pose) { Self::of(board, pose).1 } else { Self { pose, lines: 0, cells_cleared: 0 } }
    }
}

/// Whether a piece makes a row full.
#[inline]
fn fills_a_row(board: &Board, pose: Pose) -> bool {
    let (first, covered) = pose.covered();
    // Rows above the field are never full, and what is moved out of the word is what covers them.
    let (rows, covered) = match usize::try_from(first) {
        Ok(first) => (board.four_rows(first), covered),
        Err(_) => (board.four_rows(0), covered.unbounded_shr(16 * u32::from(first.unsigned_abs()))),
    };
    let lacking = (rows | covered) ^ (EACH_ROW * u64::from(board.full_row()));
    // Whether 16 bits of it are all 0.
    lacking.wrapping_sub(EACH_ROW) & !lacking & (EACH_ROW << 15) != 0
}

/// The lowest bit of each of four rows.
const EACH_ROW: u64 = 0x0001_0001_0001_0001;

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

    /// What such a worth is in points of a game at this level; `None` where it is no points that count.
    fn points(&self, worth: f64, level: u8) -> Option<f64>;

    /// How it judges where a game ends after so many more lines; `None` if it knows nothing of that, or the end is too far off.
    fn ending(&self, lines_left: u64) -> Option<&dyn Ending> {
        let _ = lines_left;
        None
    }
}

/// What a pile is worth shortly before a game ends: what counts is what is still cleared, whenever that is.
pub trait Ending: Send + Sync {
    /// What this pile is worth at this level if the game ends after so many more lines, 1 or more.
    fn worths_before_end(&self, level: u8, board: &Board, lines_left: u64) -> Worths;

    /// What 0–4 lines at once are worth when they are cleared, also if these are more than were left.
    fn gain_before_end(&self, lines: usize) -> f32;
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::Piece;
    use crate::game::reach::resting_poses;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn what_many_pieces_do_is_what_each_does(
            rows in proptest::collection::vec(any::<u16>(), 1..=20),
            lacking in proptest::collection::vec(0u16..24, 20),
            width in 4usize..=16,
        ) {
            // Most rows lack a few cells, some lack nothing.
            let mut board = Board::new(width, 20);
            for (y, (bits, lacking)) in rows.iter().zip(lacking).enumerate() {
                let gaps = if lacking < 16 { !(3u16.rotate_left(lacking.into())) } else if lacking < 18 { u16::MAX } else { 0 };
                board.set_row(19 - y, bits | gaps);
            }
            for piece in Piece::ALL {
                let step = Step::on(&board);
                for pose in resting_poses(&board, piece) {
                    prop_assert_eq!(step(pose), Step::of(&board, pose).1, "{:?}", board);
                }
            }
        }
    }
}
