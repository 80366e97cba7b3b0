//! What a set of weights is worth: the mean of what it achieves in games that are the same for all sets.
//!
//! Games are spread over all cores; their numbers come back in order and are added as whole numbers, so that the worth does
//! not depend on how many threads there are.

use super::contest::{Contest, Outcome};
use super::player::{Look, Searcher};
use crate::planner::Weights;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

/// What counts in a game.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Measure {
    /// Lines cleared.
    Lines,
    /// Points.
    Score,
    /// Pieces that locked: how long it survives.
    Pieces,
    /// Lines cleared by rows of junk that there were, in hundredths.
    #[serde(rename = "lines-per-junk-row")]
    LinesPerJunkRow,
}

impl Measure {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Lines, Self::Score, Self::Pieces, Self::LinesPerJunkRow];

    /// Its name on the command line, and its unit.
    pub fn name(self) -> &'static str {
        match self {
            Self::Lines => "lines",
            Self::Score => "score",
            Self::Pieces => "pieces",
            Self::LinesPerJunkRow => "lines-per-junk-row",
        }
    }

    /// What a game was worth.
    pub fn of(self, outcome: &Outcome) -> u64 {
        match self {
            Self::Lines => outcome.lines,
            Self::Score => outcome.score,
            Self::Pieces => outcome.pieces,
            Self::LinesPerJunkRow => 100 * outcome.lines / outcome.junk_rows.max(1),
        }
    }
}

/// What is played, how, and what counts.
#[derive(Debug, Clone)]
pub struct Task {
    /// The game.
    pub contest: Contest,
    /// How far players look.
    pub look: Look,
    /// What counts.
    pub measure: Measure,
}

/// What weights achieved in some games.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Worth {
    /// Mean of what counts.
    pub mean: f64,
    /// Standard error of that mean; 0 of one game.
    pub se: f64,
}

impl Task {
    /// What these weights achieve in the game of this seed.
    pub fn play(&self, weights: &Weights, seed: u64) -> u64 {
        let mut player = Searcher::new(weights, self.look, self.contest.generator);
        self.measure.of(&self.contest.play(seed, &mut player, |_| {}))
    }

    /// What each of them is worth in the games of these seeds, in their order.
    pub fn worth(&self, all: &[Weights], seeds: &[u64]) -> Vec<Worth> {
        let games = (0..all.len() * seeds.len()).into_par_iter();
        // One by one: some games are a hundred times as long as others.
        let achieved: Vec<u64> =
            games.with_max_len(1).map(|game| self.play(&all[game / seeds.len()], seeds[game % seeds.len()])).collect();
        achieved.chunks(seeds.len().max(1)).map(worth).collect()
    }
}

fn worth(achieved: &[u64]) -> Worth {
    let games = achieved.len() as f64;
    let mean = achieved.iter().sum::<u64>() as f64 / games;
    let squares: f64 = achieved.iter().map(|&value| (value as f64 - mean).powi(2)).sum();
    Worth { mean, se: if achieved.len() < 2 { 0.0 } else { (squares / (games - 1.0) / games).sqrt() } }
}

#[cfg(test)]
mod tests {
    use super::super::contest::Finger;
    use super::*;
    use crate::planner::Feature;
    use crate::profile::layout::Layout;

    fn task(measure: Measure, look: Look) -> Task {
        let movement = Layout::load("nes").unwrap().movement().unwrap();
        Task { contest: Contest::console(movement, Finger::Unturned, 0, u64::MAX), look, measure }
    }

    fn sets() -> [Weights; 2] {
        let of = |holes, heights| Weights::of("", [(Feature::ColumnHoles, holes), (Feature::ColumnHeights, heights)]);
        [of(1.0, 0.3), of(0.1, 1.0)]
    }

    #[test]
    fn the_mean_and_its_error_are_those_of_the_games() {
        assert_eq!(worth(&[3, 5, 10]), Worth { mean: 6.0, se: (13.0f64 / 3.0).sqrt() });
        assert_eq!(worth(&[7]), Worth { mean: 7.0, se: 0.0 });
        let task = task(Measure::Pieces, Look::One);
        let [careful, hasty] = sets();
        let games = |weights| [4, 5, 6].map(|seed| task.play(weights, seed));
        let found = task.worth(&[careful.clone(), hasty.clone()], &[4, 5, 6]);
        assert_eq!(found, [worth(&games(&careful)), worth(&games(&hasty))]);
        assert!(found[0].mean > 15.0);
    }

    #[test]
    fn who_looks_further_plays_better_without_turns() {
        let seeds: Vec<u64> = (0..60).collect();
        let of = |look| task(Measure::Lines, look).worth(&[Weights::default()], &seeds)[0].mean;
        let [one, two] = [Look::One, Look::Two].map(of);
        assert!(two > one, "{one} {two}");
    }

    #[test]
    fn the_number_of_threads_makes_no_difference() {
        let seeds: Vec<u64> = (0..20).collect();
        let with = |threads| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| task(Measure::Lines, Look::Two).worth(&sets(), &seeds))
        };
        assert_eq!(with(1), with(5));
    }
}
