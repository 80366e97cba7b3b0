//! Ghosts: the faint or outlined copy of the falling piece that some games draw where it will land. It is no block.

use super::levels::Reading;
use super::sampling::CellValue;

/// Where "ghost" turns into "block", as a share of a block's contrast. (A ghost of a third of a block's brightness shows
/// up to half of its contrast through a camera that lifts the dark tones.)
const BLOCK_SHARE: f32 = 0.6;
/// How wide that step is.
const DOUBT: f32 = 0.04;
/// An outline: its cell as a whole shows at most this share of a block's contrast, and its middle this share of its own.
const MOST_OUTLINE: f32 = 0.85;
const HOLLOW_SHARE: f32 = 0.55;
/// The probability of "full" that is left to an outline.
const OUTLINE_P: f32 = 0.01;

/// Takes ghosts out of the probabilities of "full". `contrast` is every cell's with its empty level, `block` that of the
/// dimmest blocks that the game is known to have; evidence steps.
pub fn take_off(p_full: &mut [f32], contrast: &[f32], cells: &[CellValue], block: f32, reading: Reading) {
    let doubt = DOUBT.max(reading.noise / block.max(1.0));
    for ((p, &c), cell) in p_full.iter_mut().zip(contrast).zip(cells) {
        // Where something else stands, nothing is known.
        if *p == 0.5 {
            continue;
        }
        let share = c / block.max(1.0);
        let middle = cell.middle - (cell.mean - c);
        let is_outline = share < MOST_OUTLINE && middle < HOLLOW_SHARE * c - 2.0 * reading.noise;
        let is_block = if is_outline { OUTLINE_P } else { 1.0 / (1.0 + ((BLOCK_SHARE - share) / doubt).exp()) };
        *p = p.min(is_block);
    }
}
