//! Light that falls on the field is no block: it fades, where a block ends.
//!
//! A bright spot looks like blocks. What tells them apart is their edge: beside a block lies an empty cell, beside a patch of
//! light a slightly darker one, and light goes on from one cell to the next as it does inside them.

use super::sampling::CellValue;
use crate::message::CellGrid;

/// An edge lies around a cell if it differs from its neighbours by this share of a block's contrast more than their slopes
/// explain. (Of the edges of blocks one in two hundred is fainter, through the worst cameras; of light one in twenty is
/// steeper.)
const EDGE_SHARE: f32 = 0.35;
/// An edge lies inside a cell if it is more uneven than its slopes explain, by this share of its contrast: where the corners
/// are a little off, a block ends there.
const ROUGH_SHARE: f32 = 0.2;
/// A slope goes on into the next cell: where that is flatter by this factor, what lies between is no slope but an edge, as of a
/// block that covers half of a cell.
const MOST_BENT: f32 = 8.0;
/// Of the cells around one that lies in a light that was there from the start, so many at least, and this share of those that are
/// as bright, are as smooth; and it covers more cells than two pieces have.
const LEAST_LIT_AROUND: usize = 2;
const LIT_AROUND: f32 = 0.8;
const MORE_THAN_PIECES: usize = 8;

/// A field's cells, as light is told from blocks by them.
#[derive(Debug, Clone, Copy)]
pub struct Lit<'a> {
    /// What each shows, row by row.
    pub cells: &'a [CellValue],
    /// Their contrast with their empty levels, evidence steps.
    pub contrast: &'a [f32],
    /// A typical block's contrast, evidence steps.
    pub full: f32,
    /// Cells to a row.
    pub columns: usize,
}

impl Lit<'_> {
    /// Makes those cells unknown that may be full, but can be reached from an empty one without crossing an edge: light falls
    /// on them.
    pub fn doubt_shine(&self, p_full: &mut [f32]) {
        let mut is_open: Vec<bool> = p_full.iter().map(|p| *p < CellGrid::SURE.0).collect();
        let mut at: Vec<usize> = (0..p_full.len()).filter(|&cell| is_open[cell]).collect();
        while let Some(cell) = at.pop() {
            for near in beside(cell, self.columns, self.cells.len()) {
                if p_full[near] > 0.5 && !self.is_rough(near) && self.goes_on(near, &is_open) {
                    (p_full[near], is_open[near]) = (0.5, true);
                    at.push(near);
                }
            }
        }
    }

    /// Whether an edge lies inside a cell.
    fn is_rough(&self, cell: usize) -> bool {
        self.cells[cell].roughness() > ROUGH_SHARE * self.contrast[cell].min(self.full).max(1.0)
    }

    /// Whether a cell is lit as those beside it that are open are, by all of their sides together.
    fn goes_on(&self, cell: usize, is_open: &[bool]) -> bool {
        let (mut step, mut block) = (0.0, 0.0);
        for near in beside(cell, self.columns, is_open.len()).filter(|near| is_open[*near]) {
            step += step_between(self.cells, cell, near, self.columns);
            block += self.contrast[near].max(self.contrast[cell]).min(self.full).max(1.0);
        }
        step < EDGE_SHARE * block
    }
}

/// How much two neighbouring cells differ beyond what the slopes inside them explain, evidence steps.
fn step_between(cells: &[CellValue], one: usize, other: usize, columns: usize) -> f32 {
    let (first, second) = (one.min(other), one.max(other));
    let along = usize::from(second - first == columns);
    let [a, b] = [first, second].map(|cell| cells[cell].slopes()[along]);
    let (flat, steep) = if a.abs() < b.abs() { (a, b) } else { (b, a) };
    let goes_on = if flat * steep > 0.0 { flat.abs() } else { 0.0 };
    let slope = (goes_on + steep.abs().min(MOST_BENT * goes_on)).copysign(steep) / 2.0;
    (cells[second].mean - cells[first].mean - slope).abs()
}

/// The slopes inside a cell, evidence steps a cell, as far as they go on into a cell beside it: those of light do. A block's
/// shading begins anew in the next block.
pub fn slopes_that_go_on(cells: &[CellValue], cell: usize, columns: usize) -> [f32; 2] {
    let inside = cells[cell].slopes();
    let (x, y) = (cell % columns, cell / columns);
    let rows = cells.len() / columns;
    let along = [(x, columns, 1), (y, rows, columns)];
    std::array::from_fn(|i| {
        let (at, end, step) = along[i];
        let before = (at > 0).then(|| cells[cell].mean - cells[cell - step].mean);
        let after = (at + 1 < end).then(|| cells[cell + step].mean - cells[cell].mean);
        let going_on = |slope: f32| slope.clamp(inside[i].min(0.0), inside[i].max(0.0));
        let steepest = before.into_iter().chain(after).map(going_on).max_by(|a, b| a.abs().total_cmp(&b.abs()));
        steepest.unwrap_or(inside[i])
    })
}

/// Which of a field's cells lie in a light, of those that may: not by themselves, but as a patch of which nearly all is smooth, and
/// which has no lines between its cells.
pub fn lit_patches(
    cells: usize,
    columns: usize,
    may_be_lit: impl Fn(usize) -> bool,
    is_alike: impl Fn(usize, usize) -> bool,
    is_smooth: impl Fn(usize) -> bool,
    mut has_lines: impl FnMut(&[usize]) -> bool,
) -> Vec<bool> {
    let is_lit = |cell: usize| {
        let alike = around(cell, columns, cells).filter(|near| is_alike(*near, cell));
        let (all, smooth) = alike.fold((0, 0), |n, near| (n.0 + 1, n.1 + usize::from(is_smooth(near))));
        may_be_lit(cell) && smooth >= LEAST_LIT_AROUND && smooth as f32 >= LIT_AROUND * all as f32
    };
    let mut lit: Vec<bool> = (0..cells).map(is_lit).collect();
    let (of, mut seen) = (lit.clone(), vec![false; cells]);
    for start in 0..cells {
        if of[start] && !seen[start] {
            let patch = patch_at(start, &of, columns, &mut seen);
            let is_light = patch.len() > MORE_THAN_PIECES && !has_lines(&patch);
            patch.into_iter().for_each(|cell| lit[cell] = is_light);
        }
    }
    lit
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

/// The cells beside, above and below.
pub(super) fn beside(cell: usize, columns: usize, cells: usize) -> impl Iterator<Item = usize> {
    let x = cell % columns;
    let near = [
        (x > 0).then(|| cell - 1),
        (x + 1 < columns).then_some(cell + 1),
        cell.checked_sub(columns),
        Some(cell + columns).filter(|below| *below < cells),
    ];
    near.into_iter().flatten()
}

/// The cells around one, corners included.
pub(super) fn around(cell: usize, columns: usize, cells: usize) -> impl Iterator<Item = usize> {
    let near = |at: usize, end: usize| at.saturating_sub(1)..(at + 2).min(end);
    let (rows, columns_near) = (near(cell / columns, cells / columns), near(cell % columns, columns));
    let all = rows.flat_map(move |row| columns_near.clone().map(move |column| row * columns + column));
    all.filter(move |near| *near != cell)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Cells of a field 8 cells wide, sampled as pictures are, from a brightness at every place.
    fn cells(light: impl Fn(f32, f32) -> f32) -> Vec<CellValue> {
        let mean_of = |values: &[f32]| values.iter().sum::<f32>() / values.len() as f32;
        let light = &light;
        let inside = [0.14, 0.286, 0.429, 0.571, 0.714, 0.86];
        let cell = |i: usize| {
            let (x, y) = ((i % 8) as f32, (i / 8) as f32);
            let part = |us: &[f32], vs: &[f32]| {
                let all: Vec<f32> = vs.iter().flat_map(|v| us.iter().map(move |u| light(x + u, y + v))).collect();
                mean_of(&all)
            };
            let mean = part(&inside, &inside);
            let all = inside.iter().flat_map(|v| inside.iter().map(move |u| light(x + u, y + v) - mean));
            CellValue {
                mean,
                spread: (all.map(|off| off * off).sum::<f32>() / 36.0).sqrt(),
                tilt: part(&inside, &inside[..3]) - part(&inside, &inside[3..]),
                lean: part(&inside[3..], &inside) - part(&inside[..3], &inside),
                ..CellValue::default()
            }
        };
        (0..64).map(cell).collect()
    }

    /// Which cells are taken for light where all that stands out by 42 steps of 100 seems to be full.
    fn shone_on(light: impl Fn(f32, f32) -> f32) -> Vec<usize> {
        let cells = cells(light);
        let contrast: Vec<f32> = cells.iter().map(|cell| cell.mean).collect();
        let mut p_full: Vec<f32> = contrast.iter().map(|c| if *c >= 42.0 { 0.99 } else { 0.01 }).collect();
        Lit { cells: &cells, contrast: &contrast, full: 100.0, columns: 8 }.doubt_shine(&mut p_full);
        (0..64).filter(|&cell| p_full[cell] == 0.5).collect()
    }

    #[test]
    fn a_spot_of_light_is_no_block_and_blocks_in_it_are() {
        let bump = |x: f32, y: f32| {
            let square = ((x - 4.2) * (x - 4.2) + (y - 3.6) * (y - 3.6)) / (3.0 * 3.0);
            (300.0 * (1.0 - square).max(0.0).powi(2)).min(235.0)
        };
        let spot = shone_on(bump);
        let bright = cells(bump).iter().filter(|cell| cell.mean >= 42.0).count();
        assert!(bright >= 16 && spot.len() == bright, "{spot:?} of {bright}");
        // A piece in the outer part of the light, and one beside it.
        let is_piece = |x: f32, y: f32| (2.0..6.0).contains(&x) && (5.0..6.0).contains(&y) || x < 2.0 && y < 2.0;
        let with_pieces = shone_on(|x, y| bump(x, y) + if is_piece(x, y) { 100.0 } else { 0.0 });
        let pieces = [0, 1, 8, 9, 42, 43, 44, 45];
        assert!(with_pieces.iter().all(|cell| !pieces.contains(cell)), "{with_pieces:?}");
        assert_eq!(with_pieces.len() + 3, bright, "{with_pieces:?}");
    }

    #[test]
    fn a_slope_of_light_goes_on_and_shading_that_begins_anew_in_every_block_does_not() {
        let rough = |light: &dyn Fn(f32, f32) -> f32| {
            let cells = cells(light);
            let inner = [18, 19, 20, 26, 27, 28].map(|i| cells[i].roughness_over(slopes_that_go_on(&cells, i, 8)));
            (inner.into_iter().fold(0.0, f32::max), inner.into_iter().fold(f32::INFINITY, f32::min))
        };
        let (light, _) = rough(&|x, y| 60.0 + 12.0 * x - 8.0 * y);
        assert!(light < 0.5, "{light}");
        // Half as bright in the lower right of every cell as in its upper left: each by itself is as light would be.
        let (_, shaded) = rough(&|x, y| 100.0 - 25.0 * (x.fract() + y.fract()));
        assert!(shaded > 8.0, "{shaded}");
    }

    #[test]
    fn a_block_halfway_between_two_rows_and_a_blurred_one_are_no_light() {
        let halfway = |x: f32, y: f32| if (2.0..6.0).contains(&x) && (3.3..4.3).contains(&y) { 100.0 } else { 0.0 };
        assert_eq!(shone_on(halfway), [0; 0]);
        // Corners that are off by a third of a cell, for blocks of one cell and more.
        let aside = |x: f32, y: f32| {
            let is_block = (2.3..5.3).contains(&x) && (3.3..4.3).contains(&y) || (6.3..7.3).contains(&x) && y < 1.3;
            if is_block { 100.0 } else { 0.0 }
        };
        assert_eq!(shone_on(aside), [0; 0]);
        // Blurred over a third of a cell.
        let edge = |t: f32| (t / 0.33 + 0.5).clamp(0.0, 1.0);
        let blurred = |x: f32, y: f32| 100.0 * edge(x - 2.0) * edge(5.0 - x) * edge(y - 3.0) * edge(4.0 - y);
        assert_eq!(shone_on(blurred), [0; 0]);
    }
}
