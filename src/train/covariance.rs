//! CMA-ES, the evolution strategy that adapts a covariance matrix, with the settings of Hansen's tutorial
//! (arXiv:1604.00772, its Table 1 without negative weights).
//!
//! By ourselves on the matrices of `nalgebra`, because a run must be written down in the middle and go on bit for bit: the
//! library `cmaes` keeps its state to itself and measures candidates by a function that it calls.

use super::dice::normal;
use super::entropy::best_of;
use super::scored::Scored;
use nalgebra::{DMatrix, DVector, SymmetricEigen};
use rand::Rng;
use serde::{Deserialize, Serialize};

/// Standard deviation of each weight at first; they begin around nothing.
const FIRST_DEVIATION: f64 = 0.5;
/// Variances are not let below this share of the greatest: rounding would make them negative.
const LEAST_SHARE: f64 = 1e-14;

/// The distribution of a run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Covariance {
    mean: Vec<f64>,
    /// σ.
    step: f64,
    /// C, row by row.
    matrix: Vec<f64>,
    /// p_c and p_σ.
    path: Vec<f64>,
    step_path: Vec<f64>,
    iteration: u64,
    best: Option<Scored>,
}

/// What follows from the number of dimensions and of candidates.
struct Rates {
    weights: Vec<f64>,
    mu_effective: f64,
    step: f64,
    damping: f64,
    path: f64,
    rank_one: f64,
    rank_mu: f64,
    /// The expected length of a normal vector.
    length: f64,
}

impl Rates {
    fn of(dimensions: usize, count: usize) -> Self {
        let n = dimensions as f64;
        let best = (count / 2).max(1);
        let middle = ((count.max(2) as f64 + 1.0) / 2.0).ln();
        let raw: Vec<f64> = (1..=best).map(|i| middle - (i as f64).ln()).collect();
        let sum: f64 = raw.iter().sum();
        let weights: Vec<f64> = raw.into_iter().map(|weight| weight / sum).collect();
        let mu = 1.0 / weights.iter().map(|w| w * w).sum::<f64>();
        let step = (mu + 2.0) / (n + mu + 5.0);
        let rank_one = 2.0 / ((n + 1.3) * (n + 1.3) + mu);
        let rank_mu = (2.0 * (0.25 + mu + 1.0 / mu - 2.0) / ((n + 2.0) * (n + 2.0) + mu)).min(1.0 - rank_one);
        Self {
            mu_effective: mu,
            step,
            damping: 1.0 + 2.0 * (((mu - 1.0) / (n + 1.0)).sqrt() - 1.0).max(0.0) + step,
            path: (4.0 + mu / n) / (n + 4.0 + 2.0 * mu / n),
            rank_one,
            rank_mu,
            length: n.sqrt() * (1.0 - 1.0 / (4.0 * n) + 1.0 / (21.0 * n * n)),
            weights,
        }
    }
}

impl Covariance {
    /// Round about nothing.
    pub fn new(dimensions: usize) -> Self {
        let identity = DMatrix::<f64>::identity(dimensions, dimensions);
        let zeros = vec![0.0; dimensions];
        Self {
            mean: zeros.clone(),
            step: FIRST_DEVIATION,
            matrix: identity.as_slice().to_vec(),
            path: zeros.clone(),
            step_path: zeros,
            iteration: 0,
            best: None,
        }
    }

    /// The axes of the distribution (B) and its standard deviation along each (D).
    fn axes(&self) -> (DMatrix<f64>, DVector<f64>) {
        let n = self.mean.len();
        let eigen = SymmetricEigen::new(DMatrix::from_row_slice(n, n, &self.matrix));
        let least = eigen.eigenvalues.max() * LEAST_SHARE;
        (eigen.eigenvectors, eigen.eigenvalues.map(|variance| variance.max(least).sqrt()))
    }

    /// As many drawn from it; then its middle.
    pub fn candidates(&self, count: usize, dice: &mut impl Rng) -> Vec<Vec<f64>> {
        let (axes, deviations) = self.axes();
        let mean = DVector::from_column_slice(&self.mean);
        let mut draw = || {
            let normal = DVector::from_fn(self.mean.len(), |_, _| normal(dice));
            let away = &axes * normal.component_mul(&deviations);
            (&mean + away * self.step).as_slice().to_vec()
        };
        let mut all: Vec<Vec<f64>> = (0..count).map(|_| draw()).collect();
        all.push(self.mean.clone());
        all
    }

    /// What these candidates were worth becomes known (more is better).
    pub fn learn(&mut self, candidates: &[Vec<f64>], fitness: &[f64]) {
        let (Some((middle, drawn)), Some((worth, fitness))) = (candidates.split_last(), fitness.split_last()) else {
            return;
        };
        Scored::keep(&mut self.best, middle, *worth);
        let rates = Rates::of(self.mean.len(), drawn.len());
        let mean = DVector::from_column_slice(&self.mean);
        let away = |weights: &Vec<f64>| (DVector::from_column_slice(weights) - &mean) / self.step;
        let steps: Vec<DVector<f64>> = best_of(drawn, fitness, rates.weights.len()).into_iter().map(away).collect();
        let weighted = steps.iter().zip(&rates.weights);
        let moved = weighted.fold(DVector::zeros(mean.len()), |sum, (step, &weight)| sum + step * weight);
        self.iteration += 1;
        let is_steady = self.follow(&moved, &rates);
        self.adapt(&steps, is_steady, &rates);
        self.mean = (mean + moved * self.step).as_slice().to_vec();
        let length = DVector::from_column_slice(&self.step_path).norm();
        self.step *= ((rates.step / rates.damping) * (length / rates.length - 1.0)).exp();
    }

    /// The paths go along with the middle; whether its steps are not far too short.
    fn follow(&mut self, moved: &DVector<f64>, rates: &Rates) -> bool {
        let n = self.mean.len() as f64;
        let (axes, deviations) = self.axes();
        let whitened = &axes * (axes.transpose() * moved).component_div(&deviations);
        let share = |rate: f64| (rate * (2.0 - rate) * rates.mu_effective).sqrt();
        let step_path = DVector::from_column_slice(&self.step_path) * (1.0 - rates.step) + whitened * share(rates.step);
        let settled = (1.0 - (1.0 - rates.step).powf(2.0 * self.iteration as f64)).sqrt();
        let is_steady = step_path.norm() / settled < (1.4 + 2.0 / (n + 1.0)) * rates.length;
        let along = if is_steady { share(rates.path) } else { 0.0 };
        let path = DVector::from_column_slice(&self.path) * (1.0 - rates.path) + moved * along;
        (self.path, self.step_path) = (path.as_slice().to_vec(), step_path.as_slice().to_vec());
        is_steady
    }

    /// The matrix becomes more like the path and the best steps.
    fn adapt(&mut self, steps: &[DVector<f64>], is_steady: bool, rates: &Rates) {
        let n = self.mean.len();
        let path = DVector::from_column_slice(&self.path);
        let lost = if is_steady { 0.0 } else { rates.rank_one * rates.path * (2.0 - rates.path) };
        let mut matrix = DMatrix::from_row_slice(n, n, &self.matrix) * (1.0 - rates.rank_one - rates.rank_mu + lost);
        matrix += &path * path.transpose() * rates.rank_one;
        for (step, &weight) in steps.iter().zip(&rates.weights) {
            matrix += step * step.transpose() * (rates.rank_mu * weight);
        }
        // Rounding must not make it lopsided.
        matrix = (&matrix + matrix.transpose()) * 0.5;
        self.matrix = matrix.as_slice().to_vec();
    }

    /// The best middle that the distribution had.
    pub fn best(&self) -> Option<&Scored> {
        self.best.as_ref()
    }

    /// Whether all of it has so many dimensions, and numbers only.
    pub(super) fn is_sound(&self, dimensions: usize) -> bool {
        let lengths = [&self.mean, &self.path, &self.step_path].into_iter();
        let has_lengths =
            lengths.chain(self.best.as_ref().map(|best| &best.weights)).all(|all| all.len() == dimensions)
                && self.matrix.len() == dimensions * dimensions;
        let numbers = [&self.mean, &self.path, &self.step_path, &self.matrix].into_iter().flatten();
        has_lengths && self.step > 0.0 && numbers.chain([&self.step]).all(|x| x.is_finite())
    }
}

#[cfg(test)]
mod tests {
    use super::super::dice::{Purpose, stream};
    use super::*;

    /// The lowest value that it comes to of a function whose least is 0.
    fn least(dimensions: usize, iterations: u64, function: impl Fn(&[f64]) -> f64) -> f64 {
        let mut run = Covariance::new(dimensions);
        for iteration in 0..iterations {
            let all = run.candidates(12, &mut stream(5, Purpose::Iteration, 0, iteration));
            let fitness: Vec<f64> = all.iter().map(|x| -function(x)).collect();
            run.learn(&all, &fitness);
            assert!(run.is_sound(dimensions), "{run:?}");
        }
        -run.best().unwrap().fitness
    }

    #[test]
    fn it_finds_the_optimum_of_known_functions() {
        let sphere = |x: &[f64]| x.iter().map(|x| (x - 1.5) * (x - 1.5)).sum();
        assert!(least(6, 200, sphere) < 1e-10);
        // A valley a thousand times as long as wide, aslant: only with the matrix is it found in so few steps.
        let valley = |x: &[f64]| 1e6 * (x[0] + x[1] + x[2]).powi(2) + (x[0] - 1.0).powi(2) + (x[1] + 2.0).powi(2);
        assert!(least(3, 250, valley) < 1e-9);
        let rosenbrock =
            |x: &[f64]| x.windows(2).map(|p| 100.0 * (p[1] - p[0] * p[0]).powi(2) + (1.0 - p[0]).powi(2)).sum::<f64>();
        assert!(least(4, 400, rosenbrock) < 1e-9);
    }

    #[test]
    fn the_rates_are_those_of_the_tutorial() {
        // n = 10, λ = 10 (pycma's default there): μ_eff 3.17, c_σ 0.28, c_1 0.015.
        let rates = Rates::of(10, 10);
        assert_eq!(rates.weights.len(), 5);
        assert!((rates.mu_effective - 3.167).abs() < 0.01, "{}", rates.mu_effective);
        assert!((rates.step - 0.2845).abs() < 0.001, "{}", rates.step);
        assert!((rates.rank_one - 0.01528).abs() < 0.0002, "{}", rates.rank_one);
    }
}
