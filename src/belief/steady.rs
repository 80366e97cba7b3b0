//! The cells that have been full for a while: the pile, when nothing else is known about it.

use super::explain::Seen;
use crate::game::Board;
use crate::game::board::{MAX_COLUMNS, MAX_ROWS};

/// A cell that was full in this many pictures in a row is not part of a piece on its way (at 30 pictures a second, on all
/// but the slowest levels).
const STEADY_PICTURES: u8 = 6;

/// Counts for each cell in how many pictures in a row it was full.
#[derive(Debug, Clone)]
pub struct Steady {
    pictures: [[u8; MAX_COLUMNS]; MAX_ROWS],
}

impl Default for Steady {
    /// Nothing has been seen.
    fn default() -> Self {
        Self { pictures: [[0; MAX_COLUMNS]; MAX_ROWS] }
    }
}

impl Steady {
    /// Takes in a picture; unknown cells neither count nor break a count.
    pub fn take(&mut self, seen: &Seen) {
        for (y, row) in self.pictures.iter_mut().enumerate().take(seen.full.height()) {
            for (x, count) in row.iter_mut().enumerate().take(seen.full.width()) {
                if seen.full.is_full(x, y) {
                    *count = count.saturating_add(1);
                } else if !seen.unknown.is_full(x, y) {
                    *count = 0;
                }
            }
        }
    }

    /// The steady cells, on a board of the size of `like`.
    pub fn board(&self, like: &Board) -> Board {
        let mut board = Board::new(like.width(), like.height());
        for (y, row) in self.pictures.iter().enumerate() {
            for (x, _) in row.iter().enumerate().filter(|(_, count)| **count >= STEADY_PICTURES) {
                board.fill(x, y);
            }
        }
        board
    }
}
