//! How high the pile stands after each piece, and what its tail says about the end of the game. Pure.
//!
//! Above the bulk each further row is reached by the same share of the pieces that reached the row below: the counts fall
//! as an exponential. Its straight line (log10 of the share over the height) goes on to the ceiling, and one over the
//! share there is the number of pieces after which a game is expected to end. A long run is needed for a good answer.

use crate::game::board::MAX_ROWS;

/// Heights counted: from an empty field to one that is full to the brim.
const HEIGHTS: usize = MAX_ROWS + 1;
/// Fewer pieces at a height say nothing about the tail.
const COUNT_MIN: u64 = 5;
/// A line through fewer heights is no fit.
const POINTS_MIN: usize = 4;

/// Counts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Heights {
    counts: [u64; HEIGHTS],
}

impl Default for Heights {
    fn default() -> Self {
        Self { counts: [0; HEIGHTS] }
    }
}

/// The tail's line, log10(share) = `intercept` + `slope` · height.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct HeightFit {
    /// First height of the tail.
    pub from: usize,
    /// Last one.
    pub to: usize,
    /// log10 of the share at height 0.
    pub intercept: f64,
    /// Change of log10(share) a row; negative.
    pub slope: f64,
    /// How straight the line is, 0–1.
    pub r_squared: f64,
}

impl HeightFit {
    /// The share of the pieces that leave the pile this high.
    pub fn share(&self, height: usize) -> f64 {
        10f64.powf(self.intercept + self.slope * height as f64)
    }

    /// Pieces until the pile is expected to stand `rows` high.
    pub fn pieces_to(&self, rows: usize) -> f64 {
        1.0 / self.share(rows)
    }
}

impl Heights {
    /// A piece has locked and the pile stands this high, rows.
    pub fn count(&mut self, height: usize) {
        self.counts[height.min(HEIGHTS - 1)] += 1;
    }

    /// Pieces by height, from 0.
    pub fn counts(&self) -> &[u64] {
        &self.counts
    }

    /// Pieces in all.
    pub fn total(&self) -> u64 {
        self.counts.iter().sum()
    }

    /// The line through the tail, weighted by its counts; `None` while too little is known, or where nothing falls off.
    pub fn fit(&self) -> Option<HeightFit> {
        let total = self.total() as f64;
        // The bulk bends: the tail begins a row beyond its top.
        let top = (0..HEIGHTS).max_by_key(|&h| self.counts[h])?;
        let from = top + 1;
        let to = (from..HEIGHTS).take_while(|&h| self.counts[h] >= COUNT_MIN).last()?;
        if to + 1 < from + POINTS_MIN {
            return None;
        }
        let count = |h: usize| self.counts[h] as f64;
        let points: Vec<_> = (from..=to).map(|h| (h as f64, (count(h) / total).log10(), count(h))).collect();
        let weight: f64 = points.iter().map(|p| p.2).sum();
        let mean = |of: fn(&(f64, f64, f64)) -> f64| points.iter().map(|p| p.2 * of(p)).sum::<f64>() / weight;
        let (x, y) = (mean(|p| p.0), mean(|p| p.1));
        let sum = |of: &dyn Fn(f64, f64) -> f64| points.iter().map(|p| p.2 * of(p.0 - x, p.1 - y)).sum::<f64>();
        let (xx, xy, yy) = (sum(&|a, _| a * a), sum(&|a, b| a * b), sum(&|_, b| b * b));
        let slope = xy / xx;
        let r_squared = if yy > 0.0 { xy * xy / (xx * yy) } else { 1.0 };
        (slope < 0.0).then_some(HeightFit { from, to, intercept: y - slope * x, slope, r_squared })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counted(counts: &[u64]) -> Heights {
        let mut heights = Heights::default();
        counts.iter().enumerate().for_each(|(h, &n)| (0..n).for_each(|_| heights.count(h)));
        heights
    }

    #[test]
    fn the_tail_of_a_long_run_gives_back_its_ratio_and_the_way_to_the_ceiling() {
        // 29 % of the pieces that reach a row reach the next one, as the best measured player's.
        let tail = |h: i32| (400_000.0 * 0.29f64.powi(h - 3)).round() as u64;
        let counts: Vec<u64> = [10_000, 90_000, 300_000].into_iter().chain((3..12).map(tail)).collect();
        let fit = counted(&counts).fit().unwrap();
        assert!((10f64.powf(fit.slope) - 0.29).abs() < 0.002, "{fit:?}");
        assert!(fit.r_squared > 0.999 && fit.from == 4, "{fit:?}");
        let total: u64 = counts.iter().sum();
        let expected = total as f64 / (400_000.0 * 0.29f64.powi(17));
        assert!((fit.pieces_to(20) / expected - 1.0).abs() < 0.1, "{} {expected}", fit.pieces_to(20));
    }

    #[test]
    fn nothing_is_claimed_from_little() {
        for counts in
            [&[][..], &[0, 5, 9], &[0, 100, 50, 25, 2], &[1, 2, 3, 4, 5, 6, 7, 8, 9], &[10, 10, 10, 10, 10, 10]]
        {
            assert_eq!(counted(counts).fit(), None, "{counts:?}");
        }
        let mut heights = Heights::default();
        heights.count(999);
        assert_eq!(heights.total(), 1);
    }
}
