//! Logistic regression: what each of many numbers is worth as evidence for or against something, by examples of which the truth
//! is known.
//!
//! Found by Newton's method on the log likelihood, with a ridge that keeps what hardly any example has near nothing.

use nalgebra::{DMatrix, DVector};

/// Newton's steps at most, and how small the last may be.
const STEPS: usize = 25;
const SMALL_STEP: f64 = 1e-3;

/// An example: a few columns with their values (all others are 0), the truth, and how much it counts.
#[derive(Debug, Clone, PartialEq)]
pub struct Example {
    /// Columns and values.
    pub values: Vec<(u16, f32)>,
    /// What is known before, log odds.
    pub known: f32,
    /// Whether it is one.
    pub is_one: bool,
    /// How many examples like it there are.
    pub weight: f32,
}

/// The log odds that a number of each column adds.
///
/// `ridge` is what the square of each costs, in nats; `smooth` lists pairs of columns that are neighbours, and what the
/// square of their difference costs. A column that no example has comes to what its neighbours have.
pub fn fit(columns: usize, examples: &[Example], ridge: f64, smooth: &[(usize, usize, f64)]) -> Vec<f64> {
    let mut worth = DVector::<f64>::zeros(columns);
    let mut best = penalty_of(&worth, examples, ridge, smooth);
    for _ in 0..STEPS {
        let (gradient, curvature) = slopes(&worth, examples, ridge, smooth);
        let Some(step) = curvature.cholesky().map(|c| c.solve(&gradient)) else { break };
        let mut share = 1.0;
        let next = loop {
            let next = &worth - share * &step;
            let cost = penalty_of(&next, examples, ridge, smooth);
            if cost <= best || share < 1e-3 {
                best = cost;
                break next;
            }
            share /= 2.0;
        };
        worth = next;
        if step.amax() * share < SMALL_STEP {
            break;
        }
    }
    worth.iter().copied().collect()
}

fn sum(worth: &DVector<f64>, example: &Example) -> f64 {
    f64::from(example.known)
        + example.values.iter().map(|&(column, value)| worth[usize::from(column)] * f64::from(value)).sum::<f64>()
}

/// What the examples cost, nats: the less likely the truth, the more.
fn penalty_of(worth: &DVector<f64>, examples: &[Example], ridge: f64, smooth: &[(usize, usize, f64)]) -> f64 {
    let cost = |example: &Example| {
        let sum = sum(worth, example);
        let against = if example.is_one { -sum } else { sum };
        f64::from(example.weight) * softplus(against)
    };
    let rough = smooth.iter().map(|&(a, b, cost)| cost * (worth[a] - worth[b]).powi(2)).sum::<f64>();
    examples.iter().map(cost).sum::<f64>() + ridge / 2.0 * worth.norm_squared() + rough / 2.0
}

fn softplus(x: f64) -> f64 {
    x.max(0.0) + (-x.abs()).exp().ln_1p()
}

fn slopes(
    worth: &DVector<f64>,
    examples: &[Example],
    ridge: f64,
    smooth: &[(usize, usize, f64)],
) -> (DVector<f64>, DMatrix<f64>) {
    let n = worth.len();
    let (mut gradient, mut curvature) = (ridge * worth, DMatrix::from_diagonal_element(n, n, ridge));
    for &(a, b, cost) in smooth {
        let off = cost * (worth[a] - worth[b]);
        gradient[a] += off;
        gradient[b] -= off;
        curvature[(a, a)] += cost;
        curvature[(b, b)] += cost;
        curvature[(a, b)] -= cost;
        curvature[(b, a)] -= cost;
    }
    for example in examples {
        let p = 1.0 / (1.0 + (-sum(worth, example)).exp());
        let weight = f64::from(example.weight);
        let (error, spread) = (weight * (p - f64::from(u8::from(example.is_one))), weight * p * (1.0 - p));
        for &(a, x) in &example.values {
            let (a, x) = (usize::from(a), f64::from(x));
            gradient[a] += error * x;
            for &(b, y) in &example.values {
                curvature[(a, usize::from(b))] += spread * x * f64::from(y);
            }
        }
    }
    (gradient, curvature)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn the_log_odds_of_examples_are_found() {
        // Of a hundred with the first, eighty are; of a hundred with the second, ten.
        let of = |column, is_one, weight| Example { values: vec![(column, 1.0)], known: 0.0, is_one, weight };
        let examples = [of(0, true, 800.0), of(0, false, 200.0), of(1, true, 100.0), of(1, false, 900.0)];
        let worth = fit(3, &examples, 1e-6, &[(1, 2, 1e-3)]);
        assert!((worth[0] - 4f64.ln()).abs() < 1e-3, "{worth:?}");
        assert!((worth[1] + 9f64.ln()).abs() < 1e-2, "{worth:?}");
        assert!((worth[2] - worth[1]).abs() < 1e-2, "what no example has is as its neighbour: {worth:?}");
    }

    #[test]
    fn two_that_come_together_share_what_is_known() {
        let of = |values: &[u16], is_one, weight| Example {
            values: values.iter().map(|v| (*v, 1.0)).collect(),
            known: 0.0,
            is_one,
            weight,
        };
        let examples = [of(&[0, 1], true, 900.0), of(&[0, 1], false, 100.0)];
        let worth = fit(2, &examples, 1e-6, &[]);
        assert!((worth[0] + worth[1] - 9f64.ln()).abs() < 1e-3 && (worth[0] - worth[1]).abs() < 1e-6, "{worth:?}");
    }
}
