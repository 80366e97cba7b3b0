//! The look ahead at the table: placements of the falling piece as costs, and whether it is better put aside.

use super::state::{Placement, State, landings};
use super::tree::{Rated, Tree};
use super::weights::Weights;
use crate::game::board::MAX_ROWS;
use crate::game::guideline::Action;
use crate::game::movegen::{COLUMNS, Field, Landing, Moves};
use crate::game::movement::{Movement, place};
use crate::game::orientation::Pose;
use crate::game::{Board, Piece};
use crate::planner::candidate::Candidate;
use crate::planner::coming::{Coming, Hold};
use crate::planner::ladder::NO_ROOM_COST;
use std::fmt;
use std::sync::Arc;

/// Piles to rate for a decision. There are several for a piece: whether to hold, where to, and again when its moves were seen.
const NODES: u64 = 4_000;
/// What was not looked at as deep as others is worse than they are by so much for each piece, lines: nothing better was seen on the
/// way.
const SHALLOW_COST: f64 = 0.5;

/// Looks ahead over the pieces that are shown.
#[derive(Clone)]
pub struct Ahead {
    moves: Arc<Moves>,
    weights: Weights,
    rows: usize,
}

impl fmt::Debug for Ahead {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Ahead").finish_non_exhaustive()
    }
}

impl Ahead {
    /// For pieces that appear and turn like this, on a board of so many rows.
    pub fn new(weights: Weights, movement: &Movement, rows: usize) -> Self {
        let moves = Moves::new(movement.rotation(), rows, |piece| movement.spawn(piece));
        Self { moves: Arc::new(moves), weights, rows }
    }

    /// The same for pieces that move otherwise.
    #[must_use]
    pub fn moving(self, movement: &Movement) -> Self {
        Self::new(self.weights, movement, self.rows)
    }

    /// Whether it knows such a field.
    pub fn knows([columns, rows]: [usize; 2]) -> bool {
        columns == COLUMNS && rows <= MAX_ROWS
    }

    /// The falling piece's placements among these, best first, each once. Costs are lines sent, counted downwards.
    pub fn rank_of(&self, locks: &[Pose], board: &Board, piece: Piece, coming: &Coming) -> Vec<Candidate> {
        let mut ranked: Vec<Candidate> = Vec::new();
        for (placement, cost) in self.look(board, piece, coming) {
            let pose = placement.landing.place.pose(board.height()).shape();
            let is_within = locks.iter().any(|lock| lock.shape() == pose);
            if is_within && !placement.by_hold && ranked.iter().all(|known| known.pose != pose) {
                ranked.push(Candidate { pose, cost });
            }
        }
        ranked
    }

    /// Whether a piece that can be put aside had better be.
    pub fn prefers_hold(&self, board: &Board, piece: Piece, coming: &Coming) -> bool {
        coming.hold == Hold::Now && self.look(board, piece, coming).first().is_some_and(|(best, _)| best.by_hold)
    }

    /// What the lock of a piece counts as; a T that can be spun into its place is taken to have been.
    pub fn action(&self, board: &Board, pose: Pose) -> Action {
        let is_it = |landing: &Landing| landing.place.pose(board.height()).shape() == pose.shape();
        let landings = landings(&self.moves, &Field::of(board), pose.orientation.piece());
        let spin = landings.iter().filter(|landing| is_it(landing)).map(|landing| landing.spin).max();
        Action::of(place(board, pose).1, spin.unwrap_or_default())
    }

    fn look(&self, board: &Board, piece: Piece, coming: &Coming) -> Vec<(Placement, f64)> {
        let state = State {
            field: Field::of(board),
            hold: coming.held,
            holding: coming.hold,
            sequence: coming.sequence,
            ..State::new(std::iter::once(piece).chain(coming.shown()).collect(), None)
        };
        let mut tree = Tree::new(&self.moves, &self.weights, &state);
        tree.grow_to(NODES);
        let deepest = tree.depth();
        let mut least = f64::NEG_INFINITY;
        let mut cost = |found: &Rated| {
            let own = (deepest - found.depth) as f64 * SHALLOW_COST - f64::from(found.worth);
            // The order is that of the look ahead.
            least = if found.depth == 0 { NO_ROOM_COST } else { own.max(least) };
            least
        };
        tree.rated_ranking().iter().map(|found| (found.placement, cost(found))).collect()
    }
}
