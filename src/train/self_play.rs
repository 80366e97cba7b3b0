//! Weights of the modern game's brain, found by playing against those that training began with: CMA-ES, where a candidate is
//! worth what it wins, and a little for each line that it attacks with more than the other.

use super::covariance::Covariance;
use super::dice::{Purpose, seed, stream};
use super::duel::{Duel, Side, Verdict};
use crate::game::movegen::Moves;
use crate::planner::modern::{Placement, Weights, best};
use rayon::prelude::*;

/// How far a weight goes in one step of the search: a share of itself, and a little where it is next to nothing.
const STEP_SHARE: f32 = 0.25;
/// See [`STEP_SHARE`].
const STEP_LEAST: f32 = 0.08;
/// A line of attack a piece counts as much as a game won, up to so many: games are few, and attacks tell more of them.
const MARGIN_MAX: f64 = 0.5;

/// How it is trained.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Settings {
    /// Piles that both rate for each move.
    pub nodes: u64,
    /// Games of each candidate.
    pub games: u64,
    /// Pieces of each player after which a game is drawn.
    pub pieces: u64,
    /// Candidates of a generation.
    pub candidates: usize,
    /// Seed of it all.
    pub seed: u64,
}

/// A training.
pub struct SelfPlay<'a> {
    moves: &'a Moves,
    start: Weights,
    settings: Settings,
    search: Covariance,
    generation: u64,
}

/// What candidates were worth: games won, drawn ones half, and the margin of attack.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Generation {
    /// Of the middle of them, which is what is kept at last.
    pub middle: f64,
    /// Of all.
    pub mean: f64,
}

impl<'a> SelfPlay<'a> {
    /// Begins with these weights, and against them.
    pub fn new(moves: &'a Moves, start: Weights, settings: Settings) -> Self {
        let search = Covariance::new(start.list().len());
        Self { moves, start, settings, search, generation: 0 }
    }

    /// One generation, on all threads of the pool it is called in; the same comes out with any number of them.
    pub fn learn(&mut self) -> Generation {
        let mut dice = stream(self.settings.seed, Purpose::Iteration, 0, self.generation);
        let candidates = self.search.candidates(self.settings.candidates, &mut dice);
        let worth: Vec<f64> =
            candidates.par_iter().with_max_len(1).map(|steps| self.worth(&self.weights(steps))).collect();
        self.search.learn(&candidates, &worth);
        self.generation += 1;
        let (middle, sum) = (worth.last().copied().unwrap_or(0.0), worth.iter().sum::<f64>());
        Generation { middle, mean: sum / worth.len().max(1) as f64 }
    }

    /// The weights in the middle of what is searched.
    pub fn middle(&self, about: &str) -> Weights {
        let mut dice = stream(self.settings.seed, Purpose::Start, 0, 0);
        let middle = self.search.candidates(0, &mut dice).pop().unwrap_or_default();
        Weights::of(about, &self.weights(&middle).list())
    }

    fn weights(&self, steps: &[f64]) -> Weights {
        let moved = |(weight, step): (f32, &f64)| weight + (STEP_SHARE * weight.abs() + STEP_LEAST) * *step as f32;
        let list: Vec<f32> = self.start.list().into_iter().zip(steps).map(moved).collect();
        Weights::of("", &list)
    }

    fn worth(&self, weights: &Weights) -> f64 {
        let Settings { nodes, games, pieces, seed: base, .. } = self.settings;
        let game = |index| {
            let seed = seed(base, Purpose::TrainingGame, self.generation, index);
            let (points, margin) = play(self.moves, [weights, &self.start], nodes, pieces, seed);
            points + margin.clamp(-MARGIN_MAX, MARGIN_MAX)
        };
        (0..games).map(game).sum::<f64>() / games.max(1) as f64
    }
}

/// A game: what the first gets for it, 0–1, and by how many lines a piece it attacked with more.
pub fn play(moves: &Moves, weights: [&Weights; 2], nodes: u64, pieces: u64, seed: u64) -> (f64, f64) {
    let mut duel = Duel::new(seed);
    while duel.verdict().is_none() && duel.sides[0].pieces_locked < pieces {
        let found = [0, 1].map(|player| choose(moves, weights[player], &duel.sides[player], nodes));
        let [Some(one), Some(other)] = found else { break };
        duel.round(moves, [one, other]);
    }
    let [one, other] = &duel.sides;
    let margin = (one.attack as f64 - other.attack as f64) / one.pieces_locked.max(1) as f64;
    let points = match duel.verdict() {
        Some(Verdict::Won(0)) => 1.0,
        Some(Verdict::Won(_)) => 0.0,
        Some(Verdict::Drawn) | None => 0.5,
    };
    (points, margin)
}

/// What waits is not looked at: programs that play by the protocol are not told, either.
fn choose(moves: &Moves, weights: &Weights, side: &Side, nodes: u64) -> Option<Placement> {
    let mut state = side.state.clone();
    state.waiting = 0;
    best(moves, weights, &state, nodes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::guideline::moves;

    const SETTINGS: Settings = Settings { nodes: 150, games: 2, pieces: 20, candidates: 4, seed: 1 };

    #[test]
    fn a_training_is_the_same_with_any_number_of_threads_and_moves_the_weights() {
        let moves = moves();
        let after = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            let mut training = SelfPlay::new(&moves, Weights::default(), SETTINGS);
            let worth: Vec<Generation> = (0..2).map(|_| pool.install(|| training.learn())).collect();
            (worth, training.middle("trained"))
        };
        let (one, two) = (after(1), after(2));
        assert_eq!(one, two);
        assert_ne!(one.1.list(), Weights::default().list());
    }

    #[test]
    fn who_heaps_up_holes_loses_to_who_does_not() {
        let moves = moves();
        let good = Weights::default();
        let mut bad = good.clone();
        bad.pile.holes = 1.0;
        bad.pile.height = 1.0;
        let points: f64 = (0..3).map(|seed| play(&moves, [&good, &bad], 150, 200, seed).0).sum();
        assert_eq!(points, 3.0);
        // Against itself nobody is better.
        assert_eq!(play(&moves, [&good, &good], 150, 30, 1), (0.5, 0.0));
    }
}
