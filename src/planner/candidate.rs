//! A placement of the falling piece, rated.

use crate::game::orientation::Pose;
use crate::message::Fate;
use std::cmp::Ordering;

/// A placement of the falling piece, rated.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Candidate {
    /// Where it would lock.
    pub pose: Pose,
    /// Cost after the best answer of the next piece; lower is better.
    pub cost: f64,
}

/// A placement that a decision was about.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Choice {
    /// The placement, rated.
    pub candidate: Candidate,
    /// What the game is expected to bring with it, points; only where a learned value decides.
    pub points: Option<f64>,
    /// What spoke against it.
    pub fate: Fate,
}

impl Candidate {
    /// The better first; equal costs by pose, so that every machine decides alike.
    pub fn order(&self, other: &Self) -> Ordering {
        self.cost.total_cmp(&other.cost).then(self.pose.cmp(&other.pose))
    }
}
