//! Weights of the modern game's brain, found by playing against those that training began with: CMA-ES, where a candidate is
//! worth what it wins, and a little for each line that it attacks with more than the other.

use super::checkpoint::Kept;
use super::covariance::Covariance;
use super::dice::{Purpose, seed, stream};
use super::duel::{Duel, Side, Verdict};
use super::settings::{COUNT_MAX, PARTS_MAX, SettingsError, VERSION, check_counts, differences};
use crate::game::movegen::Moves;
use crate::planner::modern::{Placement, Weights, best};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

/// How far a weight goes in one step of the search: a share of itself, and a little where it is next to nothing.
const STEP_SHARE: f32 = 0.25;
/// See [`STEP_SHARE`].
const STEP_LEAST: f32 = 0.08;
/// A line of attack a piece counts as much as a game won, up to so many: games are few, and attacks tell more of them.
const MARGIN_MAX: f64 = 0.5;

/// How it is trained.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Settings {
    /// Piles that both rate for each move.
    pub nodes: u64,
    /// Games of each candidate.
    pub games: u64,
    /// Pieces of each player after which a game is drawn.
    pub pieces: u64,
    /// Candidates of a generation.
    pub candidates: u64,
    /// Seed of it all.
    pub seed: u64,
}

/// A training. It can be written down after each generation.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SelfPlay {
    /// The version that began it: another one may play otherwise.
    version: String,
    /// Generations that are done.
    generation: u64,
    /// The weights that it began with, and plays against.
    start: Vec<f32>,
    settings: Settings,
    search: Covariance,
}

/// What candidates were worth: games won, drawn ones half, and the margin of attack.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Generation {
    /// Of the middle of them, which is what is kept at last.
    pub middle: f64,
    /// Of all.
    pub mean: f64,
}

impl Kept for SelfPlay {
    const FORMAT: &'static str = "stackhand self-play 1";

    fn check(&self) -> Result<(), SettingsError> {
        let Settings { nodes, games, pieces, candidates, .. } = self.settings;
        check_counts(&[
            ("nodes", nodes, COUNT_MAX),
            ("games", games, PARTS_MAX),
            ("pieces", pieces, COUNT_MAX),
            ("candidates", candidates, PARTS_MAX),
        ])
    }

    fn is_sound(&self) -> bool {
        let weights = Weights::names().count();
        let numbers = self.start.len() == weights && self.start.iter().all(|weight| weight.is_finite());
        numbers && self.search.is_sound(weights)
    }

    fn differences(&self, wanted: &Self) -> Vec<String> {
        let mut found = differences(&self.settings, &wanted.settings);
        if self.version != wanted.version {
            found.push(format!("version {} and {}", self.version, wanted.version));
        }
        if self.start != wanted.start {
            found.push("the weights that it begins with, --from".into());
        }
        found
    }
}

impl SelfPlay {
    /// Begins with these weights, and against them.
    pub fn new(start: &Weights, settings: Settings) -> Self {
        let start = start.list();
        let search = Covariance::new(start.len());
        Self { version: VERSION.into(), generation: 0, start, settings, search }
    }

    /// Generations that are done.
    pub fn generation(&self) -> u64 {
        self.generation
    }

    /// One generation, on all threads of the pool it is called in; the same comes out with any number of them.
    pub fn learn(&mut self, moves: &Moves) -> Generation {
        let mut dice = stream(self.settings.seed, Purpose::Iteration, 0, self.generation);
        let candidates = self.search.candidates(self.settings.candidates as usize, &mut dice);
        let start = Weights::of("", &self.start);
        let worth = |steps: &Vec<f64>| self.worth(moves, &self.weights(steps), &start);
        let worth: Vec<f64> = candidates.par_iter().with_max_len(1).map(worth).collect();
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
        let list: Vec<f32> = self.start.iter().copied().zip(steps).map(moved).collect();
        Weights::of("", &list)
    }

    fn worth(&self, moves: &Moves, weights: &Weights, start: &Weights) -> f64 {
        let Settings { nodes, games, pieces, seed: base, .. } = self.settings;
        let game = |index| {
            let seed = seed(base, Purpose::TrainingGame, self.generation, index);
            let (points, margin) = play(moves, [weights, start], nodes, pieces, seed);
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
    use super::super::checkpoint::{check_same, parse, to_text};
    use super::*;
    use crate::game::guideline::moves;

    const SETTINGS: Settings = Settings { nodes: 150, games: 2, pieces: 20, candidates: 4, seed: 1 };

    #[test]
    fn a_training_is_the_same_with_any_number_of_threads_and_moves_the_weights() {
        let moves = moves();
        let after = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            let mut training = SelfPlay::new(&Weights::default(), SETTINGS);
            let worth: Vec<Generation> = (0..2).map(|_| pool.install(|| training.learn(&moves))).collect();
            (worth, training.middle("trained"))
        };
        let (one, two) = (after(1), after(2));
        assert_eq!(one, two);
        assert_ne!(one.1.list(), Weights::default().list());
    }

    #[test]
    fn written_down_and_read_after_every_generation_it_ends_in_the_same_text() {
        let moves = moves();
        let small = Settings { nodes: 40, games: 1, pieces: 12, ..SETTINGS };
        let mut straight = SelfPlay::new(&Weights::default(), small);
        let mut text = to_text(&straight).unwrap();
        for _ in 0..3 {
            straight.learn(&moves);
            let mut resumed: SelfPlay = parse("c", &text).unwrap();
            resumed.learn(&moves);
            text = to_text(&resumed).unwrap();
            assert_eq!(resumed, straight);
        }
        assert_eq!(text, to_text(&straight).unwrap());
    }

    #[test]
    fn another_training_and_a_damaged_one_are_refused() {
        let begun = SelfPlay::new(&Weights::default(), SETTINGS);
        let refused = |wanted: &SelfPlay| check_same("c", &begun, wanted).unwrap_err().to_string();
        let other = SelfPlay::new(&Weights::default(), Settings { games: 9, seed: 3, ..SETTINGS });
        assert!(refused(&other).contains("(games 2 and 9, seed 1 and 3)"), "{}", refused(&other));
        let from = SelfPlay::new(&Weights::of("", &[1.0]), SETTINGS);
        assert!(refused(&from).contains("--from"), "{}", refused(&from));
        let newer = SelfPlay { version: "9".into(), ..begun.clone() };
        assert!(refused(&newer).contains("and 9"), "{}", refused(&newer));
        assert!(check_same("c", &SelfPlay { generation: 7, ..begun.clone() }, &begun).is_ok());
        let cannot_be = [
            SelfPlay { start: vec![0.0], ..begun.clone() },
            SelfPlay { search: Covariance::new(2), ..begun.clone() },
            SelfPlay { settings: Settings { games: 0, ..SETTINGS }, ..begun },
        ];
        for training in cannot_be {
            assert!(parse::<SelfPlay>("c", &to_text(&training).unwrap()).is_err(), "{training:?}");
        }
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
