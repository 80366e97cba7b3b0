//! Lines that opponents send: the receiving queue, counter-attacks, and the rows that appear.

use crate::game::Board;
use crate::game::chance::Chance;

/// New rows whose gap is in the same column (seed 002:5794).
pub const ROWS_OF_A_GAP: u32 = 8;

/// Blocks were forced past the top of the buffer zone (seed 002:2152).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ToppedOut;

/// What one player has coming.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Receiving {
    waiting: u32,
    /// Rows that appeared.
    appeared: u32,
    gap: usize,
    random: Chance,
}

impl Receiving {
    /// Nothing yet. Players of one match take the same seed, so that all get the same lines (seed 002:5786).
    pub fn new(seed: u64) -> Self {
        Self { waiting: 0, appeared: 0, gap: 0, random: Chance(seed) }
    }

    /// Rows that wait for the next lock down: what the meter beside the field shows (seed 002:5799).
    pub fn waiting(&self) -> u32 {
        self.waiting
    }

    /// An opponent sends lines.
    pub fn receive(&mut self, lines: u32) {
        self.waiting = self.waiting.saturating_add(lines);
    }

    /// The player's own lines first do away with as many that wait; those left go to opponents (seed 002:5804–5807).
    pub fn counter(&mut self, lines: u32) -> u32 {
        let met = lines.min(self.waiting);
        self.waiting -= met;
        lines - met
    }

    /// What waits appears at the bottom of the field (seed 002:5706–5708); how many rows.
    ///
    /// # Errors
    /// When blocks would leave the buffer zone at the top: that game is over, and the field as it was.
    pub fn appear(&mut self, board: &mut Board) -> Result<u32, ToppedOut> {
        let rows = std::mem::take(&mut self.waiting);
        for _ in 0..rows {
            if board.row(0) != 0 {
                return Err(ToppedOut);
            }
            let gap = self.next_gap(board.width());
            let (height, full) = (board.height(), board.full_row());
            for y in 1..height {
                board.set_row(y - 1, board.row(y));
            }
            board.set_row(height - 1, full & !(1 << gap));
        }
        Ok(rows)
    }

    /// After every eight rows that appeared it is another column; rows that only wait do not count (seed 002:5794–5796).
    fn next_gap(&mut self, columns: usize) -> usize {
        if self.appeared.is_multiple_of(ROWS_OF_A_GAP) {
            self.gap = if self.appeared == 0 {
                (self.random.number() % columns as u64) as usize
            } else {
                (self.gap + 1 + (self.random.number() % (columns as u64 - 1)) as usize) % columns
            };
        }
        self.appeared += 1;
        self.gap
    }
}
