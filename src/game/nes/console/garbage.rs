//! The garbage of a B-Type game. $87DC.

use super::Console;
use crate::game::Piece;

/// Rows that are filled, whatever the height: 8 to 19. $87E3.
const ROWS_DRAWN: u8 = 12;
/// What a number from 0 to 7 fills a cell with; a piece stands for its kind of block. $887C.
const BLOCKS: [Option<Piece>; 8] =
    [None, Some(Piece::T), None, Some(Piece::Z), Some(Piece::J), Some(Piece::J), None, None];
/// By height, the last cell (10 a row) that is emptied again. Being the first cell of a row, not the last of the row
/// above, it costs the uppermost row its leftmost block. $8876.
const EMPTIED_TO: [u8; 6] = [0xC8, 0xAA, 0x96, 0x78, 0x64, 0x50];

impl Console {
    /// Fills row 8 + `index` (0–11) from the right, then empties one cell of it.
    pub(super) fn draw_garbage_row(&mut self, index: u8) {
        let row = usize::from(20 - ROWS_DRAWN + index.min(ROWS_DRAWN - 1));
        for x in (0..10).rev() {
            let block = BLOCKS[usize::from(self.random.below_eight())];
            self.set_block(x, row, block);
        }
        let hole = self.random.below_ten();
        self.set_block(hole.into(), row, None);
        self.vram_row = 0;
    }

    /// Empties what is above this height.
    pub(super) fn lower_garbage(&mut self, height: u8) {
        let last = EMPTIED_TO[usize::from(height.min(5))];
        for cell in 0..=usize::from(last).min(199) {
            self.set_block(cell % 10, cell / 10, None);
        }
    }

    /// Fills the lowest rows (at most 12) with garbage in the midst of a game, as no console does, and shows it at once.
    pub fn heap(&mut self, rows: u8) {
        let rows = rows.min(ROWS_DRAWN);
        (ROWS_DRAWN - rows..ROWS_DRAWN).for_each(|index| self.draw_garbage_row(index));
        self.shown = self.blocks;
    }

    fn set_block(&mut self, x: usize, y: usize, block: Option<Piece>) {
        self.blocks[y][x] = block;
        match block {
            Some(_) => self.board.fill(x, y),
            None => self.board.clear(x, y),
        }
    }
}
