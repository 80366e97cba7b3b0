//! How weights are sought: one of several methods, all asked for candidates and told what these are worth.

use super::covariance::Covariance;
use super::dice::{Purpose, stream};
use super::entropy::Entropy;
use super::scored::Scored;
use super::swarm::{Coefficients, Swarm};
use serde::{Deserialize, Serialize};

/// A method by name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Method {
    /// Particle swarm.
    Swarm,
    /// Noisy cross-entropy.
    Entropy,
    /// CMA-ES.
    Cma,
}

impl Method {
    /// Its name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::Swarm => "swarm",
            Self::Entropy => "entropy",
            Self::Cma => "cma",
        }
    }

    /// Candidates of an iteration, unless something else is asked for: the paper's 30 particles; Szita and Lőrincz's 100.
    pub fn candidates(self) -> u64 {
        match self {
            Self::Swarm | Self::Cma => 30,
            Self::Entropy => 100,
        }
    }
}

/// A run under way.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum State {
    Swarm(Swarm),
    Entropy(Entropy),
    Cma(Covariance),
}

/// Which draw of chance an iteration is.
#[derive(Debug, Clone, Copy)]
pub(super) struct Turn {
    pub seed: u64,
    pub run: u64,
    /// From 0.
    pub iteration: u64,
    pub iterations: u64,
}

impl State {
    pub fn new(method: Method, dimensions: usize, candidates: usize, turn: Turn) -> Self {
        match method {
            Method::Swarm => {
                let mut dice = stream(turn.seed, Purpose::Start, turn.run, 0);
                Self::Swarm(Swarm::new(dimensions, candidates, &Coefficients::PAPER, &mut dice))
            }
            Method::Entropy => Self::Entropy(Entropy::new(dimensions)),
            Method::Cma => Self::Cma(Covariance::new(dimensions)),
        }
    }

    /// Whose worth is to be measured next.
    pub fn candidates(&self, count: usize, turn: Turn) -> Vec<Vec<f64>> {
        let mut dice = stream(turn.seed, Purpose::Iteration, turn.run, turn.iteration);
        match self {
            Self::Swarm(swarm) => swarm.candidates(),
            Self::Entropy(entropy) => entropy.candidates(count, &mut dice),
            Self::Cma(covariance) => covariance.candidates(count, &mut dice),
        }
    }

    /// What they are worth becomes known.
    pub fn learn(&mut self, candidates: &[Vec<f64>], fitness: &[f64], turn: Turn) {
        match self {
            Self::Swarm(swarm) => {
                let mut dice = stream(turn.seed, Purpose::Iteration, turn.run, turn.iteration);
                swarm.learn(fitness, (turn.iteration, turn.iterations), &Coefficients::PAPER, &mut dice);
            }
            Self::Entropy(entropy) => entropy.learn(candidates, fitness),
            Self::Cma(covariance) => covariance.learn(candidates, fitness),
        }
    }

    /// The best so far.
    pub fn best(&self) -> Option<&Scored> {
        match self {
            Self::Swarm(swarm) => swarm.best(),
            Self::Entropy(entropy) => entropy.best(),
            Self::Cma(covariance) => covariance.best(),
        }
    }

    /// Whether it is of this method, with so many candidates of so many dimensions, and numbers only.
    pub fn is_sound(&self, method: Method, dimensions: usize, candidates: usize) -> bool {
        match (self, method) {
            (Self::Swarm(swarm), Method::Swarm) => swarm.is_sound(dimensions, candidates),
            (Self::Entropy(entropy), Method::Entropy) => entropy.is_sound(dimensions),
            (Self::Cma(covariance), Method::Cma) => covariance.is_sound(dimensions),
            _ => false,
        }
    }
}
