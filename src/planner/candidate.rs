//! A placement of the falling piece, rated.

use crate::game::orientation::Pose;
use std::cmp::Ordering;

/// A placement of the falling piece, rated.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Candidate {
    /// Where it would lock.
    pub pose: Pose,
    /// Cost after the best answer of the next piece; lower is better.
    pub cost: f64,
}

impl Candidate {
    /// The better first; equal costs by pose, so that every machine decides alike.
    pub fn order(&self, other: &Self) -> Ordering {
        self.cost.total_cmp(&other.cost).then(self.pose.cmp(&other.pose))
    }
}
