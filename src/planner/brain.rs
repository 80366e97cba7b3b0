//! What plays, by name: an evaluator, and how far ahead it is asked.

use super::evaluate::Evaluator;
use super::value::{Value, ValueError};
use super::weights::{Weights, WeightsError};
use std::fmt;
use std::sync::Arc;
use thiserror::Error;

/// The weights that need no training for a game: they survive almost anything, and do not score.
pub const STEADY: &str = "steady";
/// Pairs of placements that a learned value looks at together with all that may come after them.
const PAIRS: usize = 40;

/// Values that come with the program, and the fastest tapping, in taps a second, that each was learned with; 0: without a
/// hurry.
const VALUES: [(&str, f64, &[u8]); 4] = [
    ("learned-free", 0.0, include_bytes!("../../calibration/values/free.value")),
    ("learned-30hz", 30.0, include_bytes!("../../calibration/values/30hz.value")),
    ("learned-15hz", 15.0, include_bytes!("../../calibration/values/15hz.value")),
    ("learned-10hz", 10.0, include_bytes!("../../calibration/values/10hz.value")),
];

/// Why there is no such brain.
#[derive(Debug, Error)]
pub enum BrainError {
    /// None of this name.
    #[error(
        "no AI named {name:?}; use one of {known}, or give the path of a .toml file of weights or of a .value file"
    )]
    Unknown {
        /// What was asked for.
        name: String,
        /// The names there are.
        known: String,
    },
    /// Not a learned value, where one is needed.
    #[error("{name:?} is no learned value; use one of {known}, or give the path of a .value file")]
    NoValue {
        /// What was asked for.
        name: String,
        /// The learned values there are.
        known: String,
    },
    /// The weights are no numbers any more.
    #[error("the weights grew without end; learn with a smaller --rate or --discount")]
    Diverged,
    /// Weights that are none.
    #[error(transparent)]
    Weights(#[from] WeightsError),
    /// A value that is none.
    #[error(transparent)]
    Value(#[from] ValueError),
}

/// What plays.
#[derive(Clone)]
pub struct Brain {
    /// What makes a pile good.
    pub evaluator: Arc<dyn Evaluator>,
    /// Pairs of placements of both known pieces for which all that may come after them are looked at; 0: none.
    pub pairs: usize,
    about: String,
}

impl fmt::Debug for Brain {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Brain").field("about", &self.about).field("pairs", &self.pairs).finish_non_exhaustive()
    }
}

impl From<Weights> for Brain {
    fn from(weights: Weights) -> Self {
        Self { about: weights.about().into(), evaluator: Arc::new(weights), pairs: 0 }
    }
}

impl From<Value> for Brain {
    fn from(value: Value) -> Self {
        Self { about: value.about().into(), evaluator: Arc::new(value), pairs: PAIRS }
    }
}

impl Default for Brain {
    /// The steady one.
    fn default() -> Self {
        Weights::default().into()
    }
}

impl Brain {
    /// One that comes with the program.
    ///
    /// # Errors
    /// When there is none of this name.
    pub fn named(name: &str) -> Result<Self, BrainError> {
        if name == STEADY {
            return Ok(Self::default());
        }
        if VALUES.iter().any(|(known, ..)| *known == name) {
            return Ok(Self::value(name)?.into());
        }
        if Weights::names().any(|known| known == name) {
            return Ok(Weights::named(name)?.into());
        }
        Err(BrainError::Unknown { name: name.into(), known: Self::names().collect::<Vec<_>>().join(", ") })
    }

    /// A learned value that comes with the program.
    ///
    /// # Errors
    /// When there is none of this name.
    pub fn value(name: &str) -> Result<Value, BrainError> {
        let found = VALUES.iter().find(|(known, ..)| *known == name);
        let known = || VALUES.map(|(name, ..)| name).join(", ");
        let (_, _, bytes) = found.ok_or_else(|| BrainError::NoValue { name: name.into(), known: known() })?;
        Ok(Value::from_bytes(name, bytes)?)
    }

    /// The names of all that come with the program.
    pub fn names() -> impl Iterator<Item = &'static str> {
        std::iter::once(STEADY).chain(Weights::names()).chain(VALUES.iter().map(|(name, ..)| *name))
    }

    /// The name of the value that was learned with the fastest finger that is no faster than this one, in taps a second; of
    /// the slowest there is for one that is slower still.
    pub fn name_for(taps_per_s: f64) -> &'static str {
        // A finger of whole frames is a little off its round number.
        let is_slow_enough = |hz: f64| hz > 0.0 && hz <= taps_per_s * 1.05;
        let found = VALUES.iter().find(|(_, hz, _)| is_slow_enough(*hz)).or(VALUES.last());
        found.map_or(STEADY, |(name, ..)| *name)
    }

    /// In a line: what it is, and where it comes from.
    pub fn about(&self) -> &str {
        &self.about
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_that_come_with_the_program_can_be_had_by_name() {
        for name in Brain::names() {
            let brain = Brain::named(name).unwrap();
            assert!(!brain.about().is_empty(), "{name}");
            assert_eq!(brain.pairs > 0, name.starts_with("learned"), "{name}");
        }
        assert!(Brain::named("nobody").unwrap_err().to_string().contains("steady, birken-2014, "));
    }

    #[test]
    fn a_finger_gets_what_was_learned_with_one_no_faster() {
        let names = [60.0, 30.05, 24.0, 20.0, 15.02, 13.0, 10.0, 6.0].map(Brain::name_for);
        let hz = |n: u32| format!("learned-{n}hz");
        assert_eq!(names.map(String::from), [30, 30, 15, 15, 15, 10, 10, 10].map(hz));
    }
}
