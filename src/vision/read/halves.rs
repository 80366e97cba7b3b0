//! A block fills its cell, or every block fills the same part of it. What lies over one half of a cell, as a terminal's cursor
//! does where a cell is two letters wide, is none, however long it stands there.

use super::levels::quantile;
use super::sampling::CellValue;

/// How far one half of a cell stands out more than the other, of the mean: 2 if only one half does, and for a block of which
/// the cell's edge cuts off a fifth, ½.
const MOST_ASKEW: f32 = 1.2;
/// What the game's blocks usually show is told from at least so many cells.
const LEAST_CELLS: usize = 4;
/// Cells that stand out less than this share of a block's contrast are not asked: light that bleeds over from a neighbour
/// lies on one side, too.
const ASKED_SHARE: f32 = 0.25;
/// The probability of "full" that is left to such a cell: it is unknown.
const ASKEW_P: f32 = 0.45;

/// Doubts that a cell is full if its left and right halves differ by far more than in the game's other blocks. `contrast` is
/// that of each cell with its empty level, `block` a dim block's; evidence steps.
pub fn doubt_halves(p_full: &mut [f32], cells: &[CellValue], contrast: &[f32], block: f32) {
    let least = ASKED_SHARE * block.max(1.0);
    let askew = |cell: usize| cells[cell].lean / contrast[cell].max(least);
    let asked: Vec<usize> = (0..p_full.len()).filter(|&cell| contrast[cell] > least).collect();
    if asked.len() < LEAST_CELLS {
        return;
    }
    let usual = quantile(&mut asked.iter().map(|&cell| askew(cell)).collect::<Vec<f32>>(), 0.5);
    for cell in asked {
        // At exactly ½ something else stands before it.
        if p_full[cell] != 0.5 && (askew(cell) - usual).abs() > MOST_ASKEW {
            p_full[cell] = p_full[cell].min(ASKEW_P);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Cells with so much evidence in their left and right halves, on black.
    fn judged(halves: &[[f32; 2]]) -> Vec<f32> {
        let value = |[left, right]: &[f32; 2]| CellValue {
            mean: (left + right) / 2.0,
            lean: right - left,
            ..CellValue::default()
        };
        let cells: Vec<CellValue> = halves.iter().map(value).collect();
        let contrast: Vec<f32> = cells.iter().map(|cell| cell.mean).collect();
        let mut p_full = vec![0.99; cells.len()];
        doubt_halves(&mut p_full, &cells, &contrast, 200.0);
        p_full
    }

    #[test]
    fn a_cursor_beside_blocks_is_doubted_and_nothing_else() {
        let blocks = [[229.0, 229.0], [205.0, 205.0], [150.0, 229.0], [229.0, 120.0]];
        assert_eq!(judged(&blocks), [0.99; 4]);
        let with = |cursor| judged(&[blocks[0], blocks[1], blocks[2], blocks[3], cursor]);
        assert_eq!(with([190.0, 0.0]), [0.99, 0.99, 0.99, 0.99, ASKEW_P]);
        assert_eq!(with([0.0, 190.0])[4], ASKEW_P);
    }

    #[test]
    fn blocks_that_are_all_drawn_in_one_half_are_blocks() {
        assert_eq!(judged(&[[200.0, 0.0], [180.0, 10.0], [220.0, 0.0], [150.0, 0.0], [200.0, 0.0]]), [0.99; 5]);
    }

    #[test]
    fn where_hardly_a_cell_is_lit_it_is_not_known_how_blocks_are_drawn() {
        assert_eq!(judged(&[[200.0, 0.0], [0.0, 0.0], [200.0, 200.0], [0.0, 0.0]]), [0.99; 4]);
    }
}
