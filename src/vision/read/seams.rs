//! The dark lines between blocks: what stands before the field has none.
//!
//! Most games draw each block with a line around it, so between two full cells the picture is darker than in them. How much
//! darker, as a camera shows it, is learned from the pile. A hand, a sleeve, a note or a reflection is as bright between
//! two cells as in them.

use super::sampling::{CellValue, Samples};
use crate::profile::layout::Polarity;
use crate::vision::view::View;

/// Places along a border that are looked at, and across it: the line may lie on either side, and corners may be a little
/// off. In shares of a cell's side.
const ALONG: [f64; 4] = [0.2, 0.4, 0.6, 0.8];
const ACROSS: [f64; 3] = [-0.07, 0.0, 0.07];
const POINTS: usize = ALONG.len() * ACROSS.len();
/// How fast the usual depth is learned, a picture; and from this many borders seen it is believed.
const LEARNING: f32 = 0.05;
const ENOUGH_BORDERS: u32 = 12;
/// The blocks of a piece look alike, so of this many borders hardly more than one tells something of its own.
const ALIKE: f32 = 4.0;
/// A line that takes less than this share of the light away is too faint to tell anything.
const LEAST_DEPTH: f32 = 0.1;

/// Two cells side by side, or one above the other.
#[derive(Debug, Clone, Copy)]
struct Border {
    /// Indices into the grid.
    cells: [usize; 2],
    is_level: bool,
}

/// All borders between cells of the field.
#[derive(Debug, Clone)]
pub struct Seams {
    borders: Vec<Border>,
    samples: Samples,
    /// The usual depth of the lines: those between cells side by side, and between one and the one below it; shares of the
    /// cells' contrast.
    usual: [f32; 2],
    /// Their variance from border to border.
    variance: [f32; 2],
    seen: [u32; 2],
}

/// What the borders inside a patch of cells show.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Lines {
    /// How deep the lines are, as a share of what is usual: about 1 between blocks, 0 where there are none.
    pub depth: f32,
    /// The standard error of that, if they are blocks.
    pub error: f32,
}

impl Seams {
    /// The borders of a field of this size.
    pub fn new(view: &View, [columns, rows]: [usize; 2], picture: [u32; 2], polarity: Polarity) -> Self {
        let cells = 0..columns * rows;
        let beside = cells.clone().filter(|c| (c + 1) % columns != 0).map(|c| (c, c + 1, false));
        let below = cells.filter(|c| c + columns < columns * rows).map(|c| (c, c + columns, true));
        let borders = beside.chain(below).map(|(a, b, is_level)| Border { cells: [a, b], is_level });
        let borders: Vec<Border> = borders.collect();
        let points = borders.iter().flat_map(|border| {
            let [x, y] = [(border.cells[1] % columns) as f64, (border.cells[1] / columns) as f64];
            let is_level = border.is_level;
            ACROSS.into_iter().flat_map(move |across| {
                ALONG.map(move |along| if is_level { [x + along, y + across] } else { [x + across, y + along] })
            })
        });
        let samples = Samples::new(points.map(|point| view.map(point)), picture, polarity);
        Self { borders, samples, usual: [0.0; 2], variance: [0.0; 2], seen: [0; 2] }
    }

    /// What was learned here, for another place of the same field.
    #[must_use]
    pub fn moved(&self, to: Self) -> Self {
        Self { usual: self.usual, variance: self.variance, seen: self.seen, ..to }
    }

    /// How much darker it is between the cells of a patch than in the middle of the darker one, evidence steps: the mean of all
    /// borders.
    pub fn darkness(&self, bytes: &[u8], cells: &[CellValue], patch: &[usize]) -> f32 {
        let depths = self.inside(patch, cells.len()).map(|(i, border)| {
            let [a, b] = border.cells.map(|cell| cells[cell].core);
            a.min(b) - self.darkest(i, bytes)
        });
        let (sum, borders) = depths.fold((0.0, 0), |(sum, borders), depth| (sum + depth, borders + 1));
        sum / borders.max(1) as f32
    }

    /// The borders between the cells of a patch, and their places in the list.
    fn inside(&self, patch: &[usize], cells: usize) -> impl Iterator<Item = (usize, &Border)> {
        let mut is_own = vec![false; cells];
        patch.iter().for_each(|&cell| is_own[cell] = true);
        self.borders.iter().enumerate().filter(move |(_, border)| border.cells.iter().all(|cell| is_own[*cell]))
    }

    /// What the borders between the cells of a patch show; `None` where the usual depth is not known or too faint, or the
    /// patch has no two cells side by side.
    pub fn lines(&self, bytes: &[u8], cells: &[CellValue], contrast: &[f32], patch: &[usize]) -> Option<Lines> {
        let (mut seen, mut usual, mut variance) = (0.0, 0.0, 0.0);
        for (i, border) in self.inside(patch, cells.len()) {
            let kind = usize::from(border.is_level);
            if self.seen[kind] >= ENOUGH_BORDERS && self.usual[kind] >= LEAST_DEPTH {
                seen += self.depth(i, border, bytes, cells, contrast);
                usual += self.usual[kind];
                variance += self.variance[kind];
            }
        }
        let lines = |usual: f32| Lines { depth: seen / usual, error: (ALIKE * variance).sqrt() / usual };
        (usual > 0.0).then(|| lines(usual))
    }

    /// Learns from cells that are surely blocks.
    pub fn learn(&mut self, bytes: &[u8], cells: &[CellValue], contrast: &[f32], is_block: impl Fn(usize) -> bool) {
        let (mut sums, mut squares, mut counts) = ([0.0f32; 2], [0.0f32; 2], [0u32; 2]);
        for (i, border) in self.borders.iter().enumerate().filter(|(_, b)| b.cells.iter().all(|cell| is_block(*cell))) {
            let kind = usize::from(border.is_level);
            let depth = self.depth(i, border, bytes, cells, contrast);
            sums[kind] += depth;
            squares[kind] += (depth - self.usual[kind]).powi(2);
            counts[kind] += 1;
        }
        for kind in 0..2 {
            if counts[kind] > 0 {
                let mean = sums[kind] / counts[kind] as f32;
                let rate = LEARNING.max(1.0 / (1.0 + self.seen[kind] as f32 / counts[kind] as f32));
                let known = self.usual[kind];
                self.usual[kind] += rate * (mean - known);
                // The first picture has no usual depth to differ from.
                let variance =
                    squares[kind] / counts[kind] as f32 - if self.seen[kind] == 0 { mean * mean } else { 0.0 };
                self.variance[kind] += rate * (variance - self.variance[kind]);
                self.seen[kind] = self.seen[kind].saturating_add(counts[kind]);
            }
        }
    }

    /// How much darker it is between two cells than in the middle of the darker one, as a share of that one's contrast.
    fn depth(&self, index: usize, border: &Border, bytes: &[u8], cells: &[CellValue], contrast: &[f32]) -> f32 {
        let [a, b] = border.cells.map(|cell| (cells[cell].core, cells[cell].core - cells[cell].mean + contrast[cell]));
        let (core, stands_out) = if a.0 < b.0 { a } else { b };
        (core - self.darkest(index, bytes)) / stands_out.max(1.0)
    }

    /// The evidence where a border is darkest.
    fn darkest(&self, index: usize, bytes: &[u8]) -> f32 {
        let lines = (0..ACROSS.len()).map(|line| {
            let first = index * POINTS + line * ALONG.len();
            self.samples.mean(bytes, first..first + ALONG.len())
        });
        lines.fold(f32::MAX, f32::min)
    }
}
