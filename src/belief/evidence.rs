//! What one picture says, cell by cell, as log odds of "full": evidence adds up, and nothing is called sure before all of it
//! is in.

use crate::game::board::{MAX_COLUMNS, MAX_ROWS};
use crate::game::{Board, Pose};
use crate::message::{CellGrid, Observation, Sighting};

/// No cell says more than this, nats: vision can be wrong about one.
pub const CELL_NATS: f32 = 6.0;
/// Twenty to one: what is told, is seen, is taken for so, nats.
pub const SURE_NATS: f32 = 3.0;

/// One picture's log odds of "full" for every cell, nats: positive where a block seems to be.
#[derive(Debug, Clone)]
pub struct Evidence {
    nats: [[f32; MAX_COLUMNS]; MAX_ROWS],
    /// The cells that are more likely full than not.
    lit: Board,
    /// The sum of all positive cells in each row.
    lit_nats: [f32; MAX_ROWS],
}

impl Evidence {
    /// What an observation says. `spawn` is where the piece is that was recognised in its spawn place.
    pub fn of(observation: &Observation, spawn: Option<Pose>) -> Self {
        let grid = &observation.grid;
        let mut nats = [[0.0; MAX_COLUMNS]; MAX_ROWS];
        let rows = grid.probabilities().chunks(grid.columns().max(1));
        for (row, cells) in nats.iter_mut().zip(rows) {
            for (nats, p) in row.iter_mut().zip(cells) {
                let p = p.clamp(1e-6, 1.0 - 1e-6);
                *nats = (p / (1.0 - p)).ln().clamp(-CELL_NATS, CELL_NATS);
            }
        }
        let recognised = spawn.filter(|_| matches!(observation.spawn, Sighting::Piece(..)));
        for (x, y) in recognised.into_iter().flat_map(Pose::cells).filter(|(x, y)| *x >= 0 && *y >= 0) {
            if let Some(cell) = nats.get_mut(y as usize).and_then(|row| row.get_mut(x as usize)) {
                *cell = if cell.abs() < unknown_nats() { SURE_NATS } else { *cell };
            }
        }
        let mut evidence = Self { nats, lit: Board::new(grid.columns(), grid.rows()), lit_nats: [0.0; MAX_ROWS] };
        for (y, row) in nats.iter().enumerate().take(evidence.lit.height()) {
            for (x, nats) in row.iter().enumerate().take(evidence.lit.width()).filter(|(_, nats)| **nats > 0.0) {
                evidence.lit.fill(x, y);
                evidence.lit_nats[y] += nats;
            }
        }
        evidence
    }

    /// The same picture, if nothing is taken from these cells.
    #[must_use]
    pub fn without(&self, cells: &Board) -> Self {
        let mut other = self.clone();
        for y in (0..self.lit.height()).filter(|y| cells.row(*y) != 0) {
            for x in (0..self.lit.width()).filter(|x| cells.is_full(*x, y)) {
                other.nats[y][x] = 0.0;
                other.lit.clear(x, y);
            }
            other.lit_nats[y] = other.nats[y].iter().filter(|nats| **nats > 0.0).sum();
        }
        other
    }

    /// The cells that are more likely full than not.
    pub fn lit(&self) -> &Board {
        &self.lit
    }

    /// A cell's log odds of "full", nats; 0 outside.
    pub fn nats(&self, x: i8, y: i8) -> f32 {
        let inside = x >= 0 && y >= 0 && (x as usize) < self.lit.width() && (y as usize) < self.lit.height();
        if inside { self.nats[y as usize][x as usize] } else { 0.0 }
    }

    /// Whether a cell is surely full.
    pub fn is_full(&self, x: usize, y: usize) -> bool {
        self.nats(x as i8, y as i8) >= unknown_nats()
    }

    /// How many cells tell nothing, but for these.
    pub fn unknown_beside(&self, cells: &[(i8, i8)]) -> usize {
        let all = (0..self.lit.height() as i8).flat_map(|y| (0..self.lit.width() as i8).map(move |x| (x, y)));
        all.filter(|cell| self.is_unknown(cell.0, cell.1) && !cells.contains(cell)).count()
    }

    /// The cells that tell nothing.
    pub fn unknown(&self) -> Board {
        let mut unknown = Board::new(self.lit.width(), self.lit.height());
        for y in 0..unknown.height() {
            let cells = (0..unknown.width()).filter(|x| self.is_unknown(*x as i8, y as i8));
            unknown.set_row(y, cells.fold(0, |row, x| row | 1 << x));
        }
        unknown
    }

    /// Whether a cell tells nothing.
    pub fn is_unknown(&self, x: i8, y: i8) -> bool {
        self.nats(x, y).abs() < unknown_nats()
    }

    /// How much speaks against these cells being full and all others empty, nats; 0 for the board most like the picture.
    pub fn against(&self, board: &Board) -> f32 {
        (0..self.lit.height()).map(|y| self.against_row(y, board.row(y))).sum()
    }

    /// As [`Self::against`], for one row.
    pub fn against_row(&self, y: usize, cells: u16) -> f32 {
        let mut sum = self.lit_nats[y];
        let mut left = cells;
        while left != 0 {
            sum -= self.nats[y][left.trailing_zeros() as usize];
            left &= left - 1;
        }
        sum
    }
}

/// A cell that says less than this tells nothing, nats.
fn unknown_nats() -> f32 {
    let sure = CellGrid::SURE.1;
    (sure / (1.0 - sure)).ln()
}
