//! What stands in the field when a game begins, and the rows of junk that rise into it from below.

use crate::game::Board;
use crate::game::Buttons;
use crate::game::machine::{Choice, Console, GameType, Setup};
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

/// Chance of its own, whatever pieces come by the same seed.
const JUNK_SEED: u64 = 0x4A55_4E4B;
/// Steps of the console's register until somebody presses Start.
const START_FRAMES: std::ops::Range<u32> = 1..30_000;

/// What stands in the field when a game begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Start {
    /// The contest's field, as it is.
    Field,
    /// As many rows that lack one cell each.
    Junk(u64),
    /// The console's own garbage of a B-Type game, of this height (0–5); on 10 × 20 cells.
    BType(u8),
}

/// When a row that lacks one cell pushes everything up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Rising {
    /// Never.
    Never,
    /// After every line that is cleared: the pile keeps its height.
    Cleared,
    /// After as many pieces each.
    Every(u64),
}

/// The junk of one game.
#[derive(Debug)]
pub struct Junk {
    dice: Xoshiro256PlusPlus,
    rising: Rising,
    /// Rows that there were at the start or rose since.
    pub rows: u64,
}

impl Junk {
    /// The junk of this seed's game, and the field with which it begins.
    pub fn new(start: Start, rising: Rising, field: &Board, seed: u64) -> (Self, Board) {
        let mut junk = Self { dice: Xoshiro256PlusPlus::seed_from_u64(seed ^ JUNK_SEED), rising, rows: 0 };
        let mut board = *field;
        match start {
            Start::Field => {}
            Start::Junk(rows) => (0..rows).for_each(|_| {
                junk.rise(&mut board);
            }),
            Start::BType(height) => board = garbage(height, junk.dice.random_range(START_FRAMES)),
        }
        (junk, board)
    }

    /// What rises after a piece, the `pieces`-th of the game, cleared so many lines; whether the pile is still within the field.
    pub fn after_lock(&mut self, board: &mut Board, pieces: u64, lines: usize) -> bool {
        let rows = match self.rising {
            Rising::Never => 0,
            Rising::Cleared => lines,
            Rising::Every(every) => usize::from(pieces.is_multiple_of(every.max(1))),
        };
        (0..rows).all(|_| self.rise(board))
    }

    /// Pushes a row in from below; whether nothing was pushed out above.
    fn rise(&mut self, board: &mut Board) -> bool {
        let (floor, is_within) = (board.height() - 1, board.row(0) == 0);
        (0..floor).for_each(|y| board.set_row(y, board.row(y + 1)));
        let gap = self.dice.random_range(0..board.width());
        board.set_row(floor, board.full_row() & !(1 << gap));
        self.rows += 1;
        is_within
    }
}

/// The field of a B-Type game that is begun after so many frames.
fn garbage(height: u8, frames: u32) -> Board {
    let choice = Choice { game_type: GameType::B, level: 0, height };
    let mut console = Console::at_menu(Setup::default(), choice, frames);
    console.frame(Buttons::START);
    console.board
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn junk_lacks_one_cell_a_row_and_pushes_the_pile_up_and_out() {
        let (mut junk, mut board) = Junk::new(Start::Junk(3), Rising::Every(2), &Board::new(8, 6), 5);
        let gaps = |board: &Board| board.rows().iter().map(|row| 8 - row.count_ones()).collect::<Vec<_>>();
        assert_eq!((gaps(&board), junk.rows), (vec![8, 8, 8, 1, 1, 1], 3));
        board.fill(2, 1);
        assert!(junk.after_lock(&mut board, 1, 4) && junk.rows == 3);
        assert!(junk.after_lock(&mut board, 2, 0) && board.is_full(2, 0));
        assert!(!junk.after_lock(&mut board, 4, 0) && junk.rows == 5);
        let (mut cleared, mut board) = Junk::new(Start::Field, Rising::Cleared, &Board::default(), 5);
        assert!(cleared.after_lock(&mut board, 1, 2) && cleared.rows == 2);
    }

    #[test]
    fn a_b_type_game_begins_above_the_consoles_garbage() {
        let of = |height, seed| Junk::new(Start::BType(height), Rising::Never, &Board::default(), seed).1;
        let top = |board: Board| board.rows().iter().position(|&row| row != 0).map_or(0, |top| 20 - top);
        // Heights 0 to 5 of the menu are 0, 3, 5, 8, 10 and 12 rows; the uppermost may be empty by chance.
        let rows = [0, 1, 2, 3, 4, 5].map(|height| top(of(height, 3)));
        assert!(rows.iter().zip([0, 3, 5, 8, 10, 12]).all(|(&rows, high)| (high - 1..=high).contains(&(rows as i32))));
        assert!(of(5, 3).rows().iter().all(|&row| row != 0x3FF) && of(5, 3) != of(5, 4) && of(5, 3) == of(5, 3));
    }
}
