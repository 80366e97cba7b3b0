//! The noisy cross-entropy method (Szita and Lőrincz, "Learning Tetris using the noisy cross-entropy method", 2006): weights
//! are drawn from a normal distribution, which is fitted to the best tenth of them; constant noise is added to its variance
//! lest it close in too early.

use super::dice::normal;
use super::scored::Scored;
use rand::Rng;
use serde::{Deserialize, Serialize};

/// Variance of each weight at first.
const FIRST_VARIANCE: f64 = 100.0;
/// Noise: added to every variance in every iteration.
const NOISE_VARIANCE: f64 = 4.0;
/// Of so many that are drawn, one is among the best.
const ONE_IN: usize = 10;

/// The distribution of a run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Entropy {
    mean: Vec<f64>,
    variance: Vec<f64>,
    best: Option<Scored>,
}

impl Entropy {
    /// Wide around nothing.
    pub fn new(dimensions: usize) -> Self {
        Self { mean: vec![0.0; dimensions], variance: vec![FIRST_VARIANCE; dimensions], best: None }
    }

    /// As many drawn from it; then its middle.
    pub fn candidates(&self, count: usize, dice: &mut impl Rng) -> Vec<Vec<f64>> {
        let deviations: Vec<f64> = self.variance.iter().map(|variance| variance.sqrt()).collect();
        let mut draw = || self.mean.iter().zip(&deviations).map(|(m, d)| m + d * normal(dice)).collect();
        let mut all: Vec<Vec<f64>> = (0..count).map(|_| draw()).collect();
        all.push(self.mean.clone());
        all
    }

    /// What these candidates were worth becomes known (more is better): the distribution becomes that of the best of those
    /// that were drawn, with noise.
    pub fn learn(&mut self, candidates: &[Vec<f64>], fitness: &[f64]) {
        let (Some((middle, drawn)), Some((worth, fitness))) = (candidates.split_last(), fitness.split_last()) else {
            return;
        };
        // Chance made the best of those drawn look better than it is; the middle is what many of them agree on.
        Scored::keep(&mut self.best, middle, *worth);
        let elite = best_of(drawn, fitness, (drawn.len() / ONE_IN).max(1));
        let count = elite.len() as f64;
        for (d, (mean, variance)) in self.mean.iter_mut().zip(&mut self.variance).enumerate() {
            *mean = elite.iter().map(|weights| weights[d]).sum::<f64>() / count;
            let squares: f64 = elite.iter().map(|weights| (weights[d] - *mean) * (weights[d] - *mean)).sum();
            *variance = squares / count + NOISE_VARIANCE;
        }
    }

    /// The best middle that the distribution had.
    pub fn best(&self) -> Option<&Scored> {
        self.best.as_ref()
    }

    /// Whether all of it has so many dimensions, and numbers only.
    pub(super) fn is_sound(&self, dimensions: usize) -> bool {
        let is_sound = |all: &Vec<f64>| all.len() == dimensions && all.iter().all(|x| x.is_finite());
        [&self.mean, &self.variance].into_iter().chain(self.best.as_ref().map(|best| &best.weights)).all(is_sound)
    }
}

/// The best so many, the best first; of equals the first.
pub(super) fn best_of<'a>(all: &'a [Vec<f64>], fitness: &[f64], count: usize) -> Vec<&'a Vec<f64>> {
    let mut ranked: Vec<(&Vec<f64>, f64)> = all.iter().zip(fitness.iter().copied()).collect();
    ranked.sort_by(|a, b| b.1.total_cmp(&a.1));
    ranked.into_iter().take(count).map(|(weights, _)| weights).collect()
}

#[cfg(test)]
mod tests {
    use super::super::dice::{Purpose, stream};
    use super::*;

    #[test]
    fn it_becomes_the_distribution_of_the_best_tenth_and_noise() {
        let mut entropy = Entropy::new(1);
        let drawn: Vec<Vec<f64>> = (0..20).map(|i| vec![f64::from(i)]).collect();
        let mut fitness: Vec<f64> = (0..20).map(f64::from).collect();
        fitness.swap(19, 3); // 3 and 18 are the best.
        let all: Vec<Vec<f64>> = drawn.into_iter().chain([vec![0.0]]).collect();
        fitness.push(-1.0);
        entropy.learn(&all, &fitness);
        assert_eq!(entropy.mean, [10.5]);
        assert_eq!(entropy.variance, [7.5 * 7.5 + 4.0]);
        assert_eq!(entropy.best, Some(Scored { weights: vec![0.0], fitness: -1.0 }));
    }

    #[test]
    fn it_finds_a_known_direction_and_never_closes_in() {
        let direction = [0.6, -0.8, 0.0];
        // Of linear evaluators only the direction matters.
        let cosine = |w: &Vec<f64>| {
            let length = w.iter().map(|x| x * x).sum::<f64>().sqrt().max(1e-9);
            w.iter().zip(direction).map(|(x, d)| x * d).sum::<f64>() / length
        };
        let mut entropy = Entropy::new(3);
        for iteration in 0..50 {
            let all = entropy.candidates(100, &mut stream(1, Purpose::Iteration, 0, iteration));
            assert_eq!(all.len(), 101);
            let fitness: Vec<f64> = all.iter().map(cosine).collect();
            entropy.learn(&all, &fitness);
        }
        assert!(entropy.best().unwrap().fitness > 0.999, "{entropy:?}");
        assert!(entropy.variance.iter().all(|&variance| variance >= 4.0));
    }
}
