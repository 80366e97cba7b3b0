//! Light that falls on the field is no block: it fades, where a block ends.
//!
//! A reflection that comes and stays looks like faint blocks that stand still. What tells them apart is their edge: beside
//! a block lies an empty cell, beside a patch of light a slightly darker one.

use super::levels::quantile;
use crate::message::CellGrid;

/// Beside a faint block the next cell is darker by at least this share of the block's contrast, at this quantile of all
/// places where a patch of them ends: light ends steeply on one side, perhaps, but not all around.
const LEAST_DROP: f32 = 0.5;
const DROP_QUANTILE: f32 = 0.2;

/// Makes those patches of `faint` cells unknown that fade into their neighbours. `contrast` and `p_full` are given row by
/// row, `columns` to a row.
pub fn doubt_light(p_full: &mut [f32], contrast: &[f32], faint: &[bool], columns: usize) {
    let sure = CellGrid::SURE.1;
    let mut seen = vec![false; p_full.len()];
    for start in 0..p_full.len() {
        if !seen[start] && faint[start] && p_full[start] > sure {
            let patch = patch_at(start, faint, columns, &mut seen);
            if fades(&patch, contrast, faint, columns) {
                patch.iter().for_each(|&cell| p_full[cell] = p_full[cell].min(0.5));
            }
        }
    }
}

/// The cells of a kind that hang together with `start`; they are marked as seen.
pub fn patch_at(start: usize, of: &[bool], columns: usize, seen: &mut [bool]) -> Vec<usize> {
    let mut patch = vec![start];
    seen[start] = true;
    let mut done = 0;
    while done < patch.len() {
        for near in beside(patch[done], columns, of.len()) {
            if of[near] && !seen[near] {
                seen[near] = true;
                patch.push(near);
            }
        }
        done += 1;
    }
    patch
}

/// Whether some of the cells around a patch are hardly darker than it. One that brighter cells enclose has no such edge.
fn fades(patch: &[usize], contrast: &[f32], faint: &[bool], columns: usize) -> bool {
    let mut drops = Vec::new();
    for &cell in patch {
        let outside = beside(cell, columns, faint.len()).filter(|near| !faint[*near]);
        let darker = outside.filter(|near| contrast[*near] < contrast[cell]);
        drops.extend(darker.map(|near| (contrast[cell] - contrast[near]) / contrast[cell].max(1.0)));
    }
    !drops.is_empty() && quantile(&mut drops, DROP_QUANTILE) < LEAST_DROP
}

/// The cells beside, above and below.
fn beside(cell: usize, columns: usize, cells: usize) -> impl Iterator<Item = usize> {
    let x = cell % columns;
    let near = [
        (x > 0).then(|| cell - 1),
        (x + 1 < columns).then_some(cell + 1),
        cell.checked_sub(columns),
        Some(cell + columns).filter(|below| *below < cells),
    ];
    near.into_iter().flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn doubted(contrast: &[f32], columns: usize) -> Vec<bool> {
        let faint: Vec<bool> = contrast.iter().map(|c| (22.0..50.0).contains(c)).collect();
        let mut p_full: Vec<f32> = contrast.iter().map(|c| if *c >= 22.0 { 0.99 } else { 0.01 }).collect();
        doubt_light(&mut p_full, contrast, &faint, columns);
        p_full.iter().map(|p| *p == 0.5).collect()
    }

    #[test]
    fn a_patch_that_fades_is_light_and_one_that_ends_is_a_block() {
        let light = [0.0, 10.0, 15.0, 10.0, 12.0, 20.0, 28.0, 19.0, 15.0, 24.0, 33.0, 21.0, 10.0, 18.0, 25.0, 15.0];
        assert_eq!(doubted(&light, 4).iter().filter(|d| **d).count(), 4);
        let block = [0.0, 2.0, 3.0, 0.0, 2.0, 30.0, 28.0, 4.0, 1.0, 29.0, 31.0, 3.0, 0.0, 3.0, 2.0, 0.0];
        assert_eq!(doubted(&block, 4).iter().filter(|d| **d).count(), 0);
    }

    #[test]
    fn a_faint_block_among_bright_ones_stays() {
        let pile = [0.0, 0.0, 0.0, 90.0, 95.0, 92.0, 90.0, 30.0, 91.0];
        assert_eq!(doubted(&pile, 3), [false; 9]);
    }
}
