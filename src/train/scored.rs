//! Weights and what they were worth.

use serde::{Deserialize, Serialize};

/// Weights and what they were worth in the games that are trained on.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Scored {
    /// One for each feature.
    pub weights: Vec<f64>,
    /// More is better.
    pub fitness: f64,
}

impl Scored {
    /// Keeps the better one; of equals the first.
    pub fn keep(best: &mut Option<Self>, weights: &[f64], fitness: f64) {
        if best.as_ref().is_none_or(|best| fitness > best.fitness) {
            *best = Some(Self { weights: weights.to_vec(), fitness });
        }
    }
}
