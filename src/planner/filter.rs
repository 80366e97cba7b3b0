//! Filters: which placements may be chosen at all, whatever the evaluator makes of them. The ideas are those of Birken's
//! article of 2014; they go with any evaluator and with each other.

use super::evaluate::Evaluator;
use super::pattern::Pattern;
use super::search::Candidate;
use crate::game::movement::{Movement, place};
use crate::game::orientation::Pose;
use crate::game::reach::Reach;
use crate::game::rules::Move;
use crate::game::{Board, Piece};

/// A pile of more rows than this is brought down by whatever lines there are, before the well goes on.
const WELL_PILE_ROWS_MAX: usize = 10;
/// Rows that fall at once into the well.
const WELL_LINES: usize = 4;
/// A column that is open down to a gap of the picture can be built over only from its sides. Found by trial, as the
/// next, on three pictures drawn in ten games each.
const OPEN_GAP_COST: f64 = 30.0;
/// A row of the picture that is right is worth more than a tidy pile above it.
const FINISHED_ROW_WORTH: f64 = 300.0;
/// Charged when a filter of taste forbids a placement: more than any pile costs. Such placements come last, for the
/// case that no other can be reached in time.
const FORBIDDEN_COST: f64 = 1e8;
/// Charged when the next piece could only be placed against the filters: any other placement is better.
const DEAD_END_COST: f64 = 1e7;
/// Charged when the next piece could not appear.
const GAME_OVER_COST: f64 = 1e9;

/// The filters that are on; none by default.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Filters {
    /// Pieces are never turned.
    pub no_rotation: bool,
    /// The rightmost column stays empty until an upright I clears four lines in it. Over a hole, rows may be
    /// cleared through it as they come, and above a pile of 10 rows anything goes.
    pub well: bool,
    /// The pile is to become this picture, row by row from the floor.
    pub pattern: Option<Pattern>,
}

/// What the filters have to say before one decision: they look at the pile as it is now.
struct Stage<'a> {
    filters: &'a Filters,
    builds_well: bool,
    /// Rows above a hole are cleared as they come: a row with a hole is never ready for the well.
    digs: bool,
    movement: &'a Movement,
    evaluator: &'a dyn Evaluator,
}

impl Filters {
    /// Whether no filter is on.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// Whether a way of these moves may be taken.
    pub fn allow_moves(&self, moves: &[Move]) -> bool {
        !self.no_rotation || moves.iter().all(|step| !matches!(step, Move::Clockwise | Move::CounterClockwise))
    }

    /// Rates anew what any search has found for the piece at `from`, as the filters see it, best first: turned
    /// placements are left out where pieces must not be turned; what spoils a well or a picture comes last. Without
    /// filters everything stays as it is.
    pub fn rank(
        &self,
        found: Vec<Candidate>,
        board: &Board,
        from: Pose,
        next: Option<Piece>,
        movement: &Movement,
        evaluator: &dyn Evaluator,
    ) -> Vec<Candidate> {
        if self.is_empty() {
            return found;
        }
        let builds_well = self.well && pile_rows(board) <= WELL_PILE_ROWS_MAX;
        let digs = has_holes(&without_rightmost_column(board));
        let stage = Stage { filters: self, builds_well, digs, movement, evaluator };
        let unturned = self.no_rotation.then(|| unturned_locks(board, from));
        let reachable = |pose: &Pose| unturned.as_ref().is_none_or(|unturned| unturned.contains(pose));
        let kept = found.into_iter().filter(|candidate| reachable(&candidate.pose));
        let mut rated: Vec<Candidate> =
            kept.map(|c| Candidate { cost: stage.cost(board, c.pose, next), ..c }).collect();
        rated.sort_by(|a, b| a.cost.total_cmp(&b.cost).then(a.pose.cmp(&b.pose)));
        rated
    }
}

impl Stage<'_> {
    /// Cost of a placement after the best answer of the next piece.
    fn cost(&self, board: &Board, first: Pose, next: Option<Piece>) -> f64 {
        let (after, lines) = place(board, first);
        let charge = if self.allows(board, first) { 0.0 } else { FORBIDDEN_COST };
        let Some(next) = next else { return charge + self.rate(&after, &[first], lines) };
        let spawn = self.movement.spawn(next);
        if !spawn.fits(&after) {
            return charge + GAME_OVER_COST + self.rate(&after, &[first], lines);
        }
        let answers = self.locks(&after, spawn).into_iter().map(|second| {
            let (after_second, lines_second) = place(&after, second);
            let charge = if self.allows(&after, second) { 0.0 } else { DEAD_END_COST };
            charge + self.rate(&after_second, &[first, second], lines + lines_second)
        });
        charge + answers.fold(GAME_OVER_COST, f64::min)
    }

    fn locks(&self, board: &Board, spawn: Pose) -> Vec<Pose> {
        if self.filters.no_rotation {
            return unturned_locks(board, spawn);
        }
        Reach::flood_in(board, spawn, self.movement.hand()).locks().collect()
    }

    fn allows(&self, board: &Board, pose: Pose) -> bool {
        let keeps_well = || {
            let rightmost = board.width() as i8 - 1;
            if pose.cells().iter().all(|&(x, _)| x != rightmost) {
                return true;
            }
            let (after, lines) = place(board, pose);
            let in_well = |board: &Board| board.rows().iter().filter(|&&row| row >> rightmost & 1 == 1).count();
            lines == WELL_LINES || self.digs && in_well(&after) <= in_well(board)
        };
        (!self.builds_well || keeps_well()) && self.filters.pattern.is_none_or(|pattern| pattern.allows(board, pose))
    }

    /// The evaluator sees what is still to be played on: not the well, and not the finished part of a picture.
    fn rate(&self, after: &Board, locks: &[Pose], lines: usize) -> f64 {
        let mut seen = *after;
        if let Some(pattern) = self.filters.pattern {
            seen = pattern.unfinished(&seen);
        }
        if self.builds_well {
            seen = without_rightmost_column(&seen);
        }
        let drawing = self.filters.pattern.map_or(0.0, |pattern| {
            let finished = pattern.finished_rows(after) as f64;
            OPEN_GAP_COST * f64::from(pattern.open_gaps(after)) - FINISHED_ROW_WORTH * finished
        });
        self.evaluator.cost(&seen, locks, lines) + drawing
    }
}

/// Rows from the floor to the highest full cell.
fn pile_rows(board: &Board) -> usize {
    board.rows().iter().position(|&row| row != 0).map_or(0, |top| board.height() - top)
}

/// Whether an empty cell has a full one somewhere above it.
fn has_holes(board: &Board) -> bool {
    let mut roof = 0;
    board.rows().iter().any(|&row| {
        roof |= row;
        roof & !row != 0
    })
}

fn without_rightmost_column(board: &Board) -> Board {
    let mut narrow = Board::new(board.width() - 1, board.height());
    board.rows().iter().enumerate().for_each(|(y, &row)| narrow.set_row(y, row));
    narrow
}

/// Where a piece can lock that is moved and dropped, but not turned. Nothing moves up, so each row is done when its
/// free runs are.
pub fn unturned_locks(board: &Board, from: Pose) -> Vec<Pose> {
    let mut locks = Vec::new();
    let mut row: Vec<Pose> = Some(from).filter(|pose| pose.fits(board)).into_iter().collect();
    while !row.is_empty() {
        let mut i = 0;
        while i < row.len() {
            for dx in [-1, 1] {
                let moved = row[i].moved(dx, 0);
                if moved.fits(board) && !row.contains(&moved) {
                    row.push(moved);
                }
            }
            i += 1;
        }
        let (falling, resting): (Vec<Pose>, Vec<Pose>) = row.into_iter().partition(|pose| pose.moved(0, 1).fits(board));
        locks.extend(resting);
        row = falling.into_iter().map(|pose| pose.moved(0, 1)).collect();
    }
    locks
}
