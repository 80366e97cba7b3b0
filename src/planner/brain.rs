//! What plays, by name: an evaluator, and how far ahead it is asked.

use super::evaluate::Evaluator;
use super::value::{Value, ValueError};
use super::weights::{Weights, WeightsError};
use std::fmt;
use std::sync::Arc;
use thiserror::Error;

/// Who decides unless another is named: weights that survive almost anything, and do not score.
pub const STEADY: &str = "steady";
/// Pairs of placements that a learned value looks at together with all that may come after them.
const PAIRS: usize = 40;

/// Values that come with the program, each named by the finger that it was learned with.
const VALUES: [(&str, &[u8]); 3] = [
    ("learned-free", include_bytes!("../../calibration/values/free.value")),
    ("learned-30hz", include_bytes!("../../calibration/values/30hz.value")),
    ("learned-15hz", include_bytes!("../../calibration/values/15hz.value")),
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
        if VALUES.iter().any(|(known, _)| *known == name) {
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
        let found = VALUES.iter().find(|(known, _)| *known == name);
        let known = || VALUES.map(|(name, _)| name).join(", ");
        let (_, bytes) = found.ok_or_else(|| BrainError::NoValue { name: name.into(), known: known() })?;
        Ok(Value::from_bytes(name, bytes)?)
    }

    /// The names of all that come with the program.
    pub fn names() -> impl Iterator<Item = &'static str> {
        std::iter::once(STEADY).chain(Weights::names()).chain(VALUES.iter().map(|(name, _)| *name))
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
}
