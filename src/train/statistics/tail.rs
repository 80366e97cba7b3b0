//! The tail of a histogram by rows: from some row on, each further row is seen a constant share as often as the one before.
//!
//! Fahey saw it in the heights of piles after each piece (0.375 a row for his two-piece player) and took from it how long a
//! game lasts: until the height that no field of so many rows holds is to be expected once. Birken fitted the rows in which
//! pieces lock. The line through the logarithms is fitted by weight, for a count of n is sure to 1/√n; how sure the line is
//! comes from drawing the stretches of the games anew.

use super::blocks::Block;
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use std::cmp::Reverse;

/// A row that was seen less often says too little: high piles come in runs, so that a thousand of them are some hundred.
const COUNT_MIN: u64 = 1000;
/// A line is put through at least as many rows.
const ROWS_MIN: usize = 3;
/// The tail begins where a height is seen this much more seldom than the most frequent one.
const BELOW_MODE: u64 = 4;
/// How straight a tail is: logarithms lie this far off a line however often they were counted.
const CROOKED: f64 = 0.05;
/// The floor is felt up to this height: that of the tallest piece, and one.
const FLOOR_ROWS: usize = 5;
/// The tallest piece: that much below its ceiling a field's end is felt.
const PIECE_ROWS: usize = 4;
/// Times that stretches are drawn anew.
const RESAMPLES: usize = 400;
/// Of fewer stretches no interval is told.
const BLOCKS_MIN: usize = 8;

/// A figure, and within what it lies in 95 of 100 cases, if that can be said.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Estimate {
    /// The figure.
    pub value: f64,
    /// Its interval.
    pub interval: Option<(f64, f64)>,
}

impl Estimate {
    /// With the interval that 95 % of these lie in.
    pub fn with(value: f64, mut resampled: Vec<f64>) -> Self {
        resampled.retain(|value| value.is_finite());
        resampled.sort_by(f64::total_cmp);
        let at = |share: f64| resampled.get((share * (resampled.len().max(1) - 1) as f64).round() as usize).copied();
        let is_enough = resampled.len() > RESAMPLES / 2;
        Self { value, interval: at(0.025).zip(at(0.975)).filter(|_| is_enough) }
    }
}

/// A straight line through logarithms of shares.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Line {
    /// ln of the share at height 0.
    start: f64,
    /// ln of the ratio from a height to the next.
    slope: f64,
}

impl Line {
    /// Through `counts` of `pieces` from one height to another; `None` if that is no tail.
    fn through(counts: &[u64], pieces: u64, from: usize, to: usize) -> Option<Self> {
        let points = || {
            let rows = (from..=to).filter_map(|row| Some((row as f64, *counts.get(row)?)));
            rows.filter(|(_, count)| *count > 0).map(|(row, count)| {
                let count = count as f64;
                (row, (count / pieces.max(1) as f64).ln(), 1.0 / (1.0 / count + CROOKED * CROOKED))
            })
        };
        let weight: f64 = points().map(|(_, _, w)| w).sum();
        let (x, y) = points().fold((0.0, 0.0), |(x, y), (row, ln, w)| (x + w * row / weight, y + w * ln / weight));
        let (xx, xy) = points()
            .fold((0.0, 0.0), |(xx, xy), (row, ln, w)| (xx + w * (row - x).powi(2), xy + w * (row - x) * (ln - y)));
        let slope = xy / xx;
        (slope < 0.0).then_some(Self { start: y - slope * x, slope })
    }

    fn share(self, row: usize) -> f64 {
        (self.start + self.slope * row as f64).exp()
    }
}

/// An exponential tail of pile heights.
#[derive(Debug, Clone, PartialEq)]
pub struct Tail {
    /// The lowest and the highest height that the line was put through.
    pub heights: (usize, usize),
    line: Line,
    resampled: Vec<Line>,
}

impl Tail {
    /// Of these stretches' pile heights, in a field of so many rows; `None` if there is none, or too little was seen of it.
    ///
    /// It begins well above the most frequent height and above what lies near the floor, and ends where a height was seen
    /// too seldom, or so high that the end of games is felt.
    pub fn of(blocks: &[Block], rows: usize) -> Option<Self> {
        let sum = sum(blocks.iter());
        let (mode, most) = sum.heights.iter().enumerate().max_by_key(|&(height, count)| (count, Reverse(height)))?;
        let is_seldom = |&height: &usize| sum.heights[height] <= most / BELOW_MODE;
        let from = (mode..sum.heights.len()).find(is_seldom)?.max(FLOOR_ROWS);
        let seen = sum.heights.iter().skip(from).take_while(|count| **count >= COUNT_MIN).count();
        let to = (from + seen).checked_sub(1)?.min(rows.checked_sub(PIECE_ROWS)?);
        if to < from + ROWS_MIN - 1 {
            return None;
        }
        let fit = |block: &Block| Line::through(&block.heights, block.pieces, from, to);
        let resampled = resampled(blocks).iter().filter_map(fit).collect();
        Some(Self { heights: (from, to), line: fit(&sum)?, resampled })
    }

    /// How often a height is seen, by how often the one below it is.
    pub fn ratio(&self) -> Estimate {
        Estimate::with(self.line.slope.exp(), self.resampled.iter().map(|line| line.slope.exp()).collect())
    }

    /// The share of all pieces after which the pile is so high, by the line.
    pub fn share(&self, height: usize) -> f64 {
        self.line.share(height)
    }

    /// Fahey's prediction for a field of so many rows: pieces until the height above them is to be expected once.
    pub fn pieces(&self, rows: usize) -> Estimate {
        let until = |line: &Line| 1.0 / line.share(rows + 1);
        Estimate::with(until(&self.line), self.resampled.iter().map(until).collect())
    }
}

/// Birken's mean ratio of how often pieces lock in neighbouring rows, a row by the one below it: of the pairs within rows
/// 6 to 15 of 20, and in other fields as far from floor and ceiling; only of rows that were seen often enough.
pub fn row_ratio(blocks: &[Block], rows: usize) -> Option<(Estimate, usize)> {
    let sum = sum(blocks.iter());
    let lowest = rows.checked_sub(FLOOR_ROWS)?;
    let pairs = (6..lowest).rev().take_while(|&row| sum.rows.get(row).is_some_and(|count| *count >= COUNT_MIN)).count();
    let mean = |block: &Block| {
        let ratio = |row: usize| block.rows[row] as f64 / block.rows[row + 1] as f64;
        (lowest - pairs..lowest).map(ratio).sum::<f64>() / pairs as f64
    };
    (pairs > 0).then(|| (Estimate::with(mean(&sum), resampled(blocks).iter().map(mean).collect()), pairs))
}

fn sum<'a>(blocks: impl Iterator<Item = &'a Block>) -> Block {
    blocks.fold(Block::default(), |mut sum, block| {
        sum.add(block);
        sum
    })
}

/// Sums of as many stretches, drawn at random from them; none of too few.
fn resampled(blocks: &[Block]) -> Vec<Block> {
    if blocks.len() < BLOCKS_MIN {
        return Vec::new();
    }
    let mut dice = Xoshiro256PlusPlus::seed_from_u64(0);
    let draw = |_| sum((0..blocks.len()).map(|_| &blocks[dice.random_range(0..blocks.len())]));
    (0..RESAMPLES).map(draw).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A walk that rises with probability 1/4 and falls else: heights are seen a third as often as those below them.
    fn walk(pieces: u64, seed: u64) -> Vec<Block> {
        let mut dice = Xoshiro256PlusPlus::seed_from_u64(seed);
        let mut height = 0usize;
        let mut blocks = vec![Block::new(20); 20];
        for piece in 0..pieces {
            height = if dice.random_range(0..4) == 0 { height + 1 } else { height.saturating_sub(1) };
            let block = &mut blocks[(piece * 20 / pieces) as usize];
            block.pieces += 1;
            block.heights[height.min(20)] += 1;
            block.rows[19 - height.min(19)] += 1;
        }
        blocks
    }

    #[test]
    fn the_tail_of_a_known_walk_is_found() {
        let tail = Tail::of(&walk(20_000_000, 1), 20).unwrap();
        let (ratio, (low, high)) = (tail.ratio(), tail.ratio().interval.unwrap());
        assert!((ratio.value - 1.0 / 3.0).abs() < 0.015 && low < 1.0 / 3.0 && 1.0 / 3.0 < high, "{ratio:?}");
        assert!(high - low < 0.05, "{ratio:?}");
        // Shares are (2/3)·3^-h.
        let pieces = tail.pieces(12);
        let truth = 1.5 * 3f64.powi(13);
        let (low, high) = pieces.interval.unwrap();
        assert!(low < truth && truth < high && high < 3.0 * low, "{pieces:?}, not {truth}");
        assert_eq!(tail.heights.0, 5);
    }

    #[test]
    fn the_rows_of_a_known_walk_have_its_ratio() {
        let (ratio, pairs) = row_ratio(&walk(20_000_000, 2), 20).unwrap();
        let (low, high) = ratio.interval.unwrap();
        assert!(low < 1.0 / 3.0 && 1.0 / 3.0 < high && (3..=5).contains(&pairs), "{ratio:?}, {pairs} pairs");
    }

    #[test]
    fn what_has_no_tail_is_told_so() {
        assert_eq!(Tail::of(&walk(300, 1), 20), None, "too few pieces");
        assert_eq!(Tail::of(&[], 20), None);
        let one = sum(walk(20_000_000, 1).iter());
        assert_eq!(Tail::of(std::slice::from_ref(&one), 20).unwrap().ratio().interval, None, "one stretch");
        let mut even = one;
        even.heights = vec![1000; 21];
        assert_eq!(Tail::of(&[even], 20), None, "no decay");
        assert!(row_ratio(&walk(300, 1), 20).is_none());
    }
}
