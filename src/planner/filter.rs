//! Filters: which placements may be chosen at all, whatever the evaluator makes of them. The ideas are those of Birken's
//! article of 2014; they go with any evaluator and with each other.

use super::evaluate::{Afterstate, ByNext, Evaluator, Siblings};
use super::ladder::{DEAD_END_COST, FORBIDDEN_COST};
use super::pattern::Pattern;
use crate::game::Board;
use crate::game::movement::place;
use crate::game::orientation::Pose;
use crate::game::rules::Move;

/// A pile of more rows than this is brought down by whatever lines there are, before the well goes on.
const WELL_PILE_ROWS_MAX: usize = 10;
/// Rows that fall at once into the well.
const WELL_LINES: usize = 4;
/// A column that is open down to a gap of the picture can be built over only from its sides. Found by trial, as the
/// next, on three pictures drawn in ten games each.
const OPEN_GAP_COST: f64 = 30.0;
/// A row of the picture that is right is worth more than a tidy pile above it.
const FINISHED_ROW_WORTH: f64 = 300.0;
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

/// An evaluator that sees piles as the filters do, for one decision: they look at the pile as it is before it.
pub struct Filtered<'a> {
    filters: &'a Filters,
    builds_well: bool,
    /// Rows above a hole are cleared as they come: a row with a hole is never ready for the well.
    digs: bool,
    evaluator: &'a dyn Evaluator,
}

impl Filters {
    /// Whether no filter is on.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// Whether a way of these moves may be taken.
    pub fn allow_moves(&self, moves: &[Move]) -> bool {
        !self.no_rotation
            || moves.iter().all(|step| !matches!(step, Move::Clockwise | Move::CounterClockwise | Move::HalfTurn))
    }

    /// This evaluator as the filters see it, for a decision about a piece that falls on `board`: what spoils a well or a
    /// picture comes last. Without filters everything stays as it is.
    pub fn over<'a>(&'a self, board: &Board, evaluator: &'a dyn Evaluator) -> Filtered<'a> {
        let builds_well = self.well && pile_rows(board) <= WELL_PILE_ROWS_MAX;
        let digs = builds_well && has_holes(&without_rightmost_column(board));
        Filtered { filters: self, builds_well, digs, evaluator }
    }
}

impl Evaluator for Filtered<'_> {
    fn cost(&self, after: &Afterstate<'_>) -> f64 {
        if !self.builds_well && self.filters.pattern.is_none() {
            return self.evaluator.cost(after);
        }
        self.charge(after) + self.rate(after)
    }

    fn cost_of_the_end(&self, after: &Afterstate<'_>) -> f64 {
        if !self.builds_well && self.filters.pattern.is_none() {
            return self.evaluator.cost_of_the_end(after);
        }
        self.charge(after) + self.evaluator.cost_of_the_end(after)
    }

    fn by_next(&self) -> Option<&dyn ByNext> {
        self.evaluator.by_next().filter(|_| !self.builds_well && self.filters.pattern.is_none())
    }

    fn costs(&self, siblings: &Siblings<'_>, costs: &mut [f64]) {
        if !self.builds_well && self.filters.pattern.is_none() {
            return self.evaluator.costs(siblings, costs);
        }
        let mut seen = Vec::with_capacity(siblings.lasts.len());
        siblings.for_each(|_, after| seen.push(self.seen(after.board)));
        self.evaluator.costs(&Siblings { shown: Some(&seen), ..*siblings }, costs);
        siblings.for_each(|index, after| {
            if let Some(cost) = costs.get_mut(index) {
                *cost += self.charge(after) + self.drawing(after.board);
            }
        });
    }
}

impl Filtered<'_> {
    /// What the steps cost that the filters forbid.
    fn charge(&self, after: &Afterstate<'_>) -> f64 {
        let mut board = *after.before;
        let mut charge = 0.0;
        for (step, cost) in after.steps.iter().zip([FORBIDDEN_COST, DEAD_END_COST]) {
            charge += if self.allows(&board, step.pose) { 0.0 } else { cost };
            board = place(&board, step.pose).0;
        }
        charge
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

    /// What the evaluator thinks of what it sees, and what a picture is worth.
    fn rate(&self, after: &Afterstate<'_>) -> f64 {
        self.evaluator.cost(&Afterstate { board: &self.seen(after.board), ..*after }) + self.drawing(after.board)
    }

    /// The evaluator sees what is still to be played on: not the well, and not the finished part of a picture.
    fn seen(&self, board: &Board) -> Board {
        let seen = self.filters.pattern.map_or(*board, |pattern| pattern.unfinished(board));
        if self.builds_well { without_rightmost_column(&seen) } else { seen }
    }

    fn drawing(&self, board: &Board) -> f64 {
        self.filters.pattern.map_or(0.0, |pattern| {
            let finished = pattern.finished_rows(board) as f64;
            OPEN_GAP_COST * f64::from(pattern.open_gaps(board)) - FINISHED_ROW_WORTH * finished
        })
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
