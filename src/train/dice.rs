//! Chance in training: every use has a stream of its own, so that nothing depends on what was drawn before, or by which
//! thread.

use rand::{Rng, RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

/// What is drawn for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Purpose {
    /// The pieces of the games that are trained on.
    TrainingGame,
    /// The pieces of the games by which runs are compared.
    ValidationGame,
    /// Where a run begins.
    Start,
    /// An iteration of a run.
    Iteration,
}

/// The seed of one use: of run `run`, number `index`.
pub fn seed(base: u64, purpose: Purpose, run: u64, index: u64) -> u64 {
    [purpose as u64, run, index].into_iter().fold(mix(base), |state, part| mix(state ^ mix(part)))
}

/// The stream of one use.
pub fn stream(base: u64, purpose: Purpose, run: u64, index: u64) -> Xoshiro256PlusPlus {
    Xoshiro256PlusPlus::seed_from_u64(seed(base, purpose, run, index))
}

/// A number from the normal distribution of mean 0 and variance 1: the polar method.
pub fn normal(dice: &mut impl Rng) -> f64 {
    loop {
        let [u, v] = [0; 2].map(|_| dice.random_range(-1.0..1.0));
        let square: f64 = u * u + v * v;
        if square > 0.0 && square < 1.0 {
            return u * (-2.0 * square.ln() / square).sqrt();
        }
    }
}

/// SplitMix64: a counter's neighbours become numbers that have nothing to do with each other.
fn mix(state: u64) -> u64 {
    let mut z = state.wrapping_add(0x9E37_79B9_7F4A_7C15);
    z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ (z >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn every_use_has_a_stream_of_its_own() {
        let purposes = [Purpose::TrainingGame, Purpose::ValidationGame, Purpose::Start, Purpose::Iteration];
        let all: BTreeSet<u64> = purposes
            .into_iter()
            .flat_map(|purpose| (0..20).flat_map(move |run| (0..20).map(move |index| seed(1, purpose, run, index))))
            .chain((0..20).map(|index| seed(2, Purpose::TrainingGame, 0, index)))
            .collect();
        assert_eq!(all.len(), 4 * 400 + 20);
    }

    #[test]
    fn normal_numbers_have_their_mean_and_variance() {
        let mut dice = stream(1, Purpose::Start, 0, 0);
        let drawn: Vec<f64> = (0..100_000).map(|_| normal(&mut dice)).collect();
        let mean = drawn.iter().sum::<f64>() / 1e5;
        let variance = drawn.iter().map(|x| x * x).sum::<f64>() / 1e5;
        let within_two = drawn.iter().filter(|x| x.abs() < 2.0).count() as f64 / 1e5;
        assert!(mean.abs() < 0.015 && (variance - 1.0).abs() < 0.02, "{mean} {variance}");
        assert!((within_two - 0.9545).abs() < 0.004, "{within_two}");
    }
}
