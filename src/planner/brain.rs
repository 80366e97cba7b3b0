//! What plays, by name: an evaluator, and which games it knows.

use super::evaluate::Evaluator;
use super::filter::Filters;
use super::modern::{self, Ahead};
use super::timed::Hand;
use super::value::{Value, ValueError};
use super::weights::{Weights, WeightsError};
use std::fmt;
use std::sync::Arc;
use thiserror::Error;

/// Who decides unless another is named: weights that survive almost anything, and do not score.
pub const STEADY: &str = "steady";

/// Who decides where no piece may be turned.
pub const UNTURNED: &str = "learned-unturned";

/// Who decides in a modern game.
pub const MODERN: &str = "modern";

/// A value that comes with the program.
struct Learned {
    name: &'static str,
    /// From tap to tap of the hand that it was learned with, frames; 0 where time did not press, none where nothing was turned or
    /// another game was played than the console's.
    period: Option<usize>,
    bytes: &'static [u8],
}

/// Values that come with the program, each named by the finger or the game that it was learned with; the quickest first.
const VALUES: [Learned; 8] = [
    Learned { name: "learned-free", period: Some(0), bytes: include_bytes!("../../calibration/values/free.value") },
    Learned { name: "learned-30hz", period: Some(2), bytes: include_bytes!("../../calibration/values/30hz.value") },
    Learned { name: "learned-20hz", period: Some(3), bytes: include_bytes!("../../calibration/values/20hz.value") },
    Learned { name: "learned-15hz", period: Some(4), bytes: include_bytes!("../../calibration/values/15hz.value") },
    Learned { name: "learned-12hz", period: Some(5), bytes: include_bytes!("../../calibration/values/12hz.value") },
    Learned { name: "learned-10hz", period: Some(6), bytes: include_bytes!("../../calibration/values/10hz.value") },
    Learned { name: UNTURNED, period: None, bytes: include_bytes!("../../calibration/values/unturned.value") },
    Learned { name: "learned-10x10", period: None, bytes: include_bytes!("../../calibration/values/10x10.value") },
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
    /// It would rate all piles alike.
    #[error("this learned value knows a field of {} × {} cells, not {columns} × {rows}; use weights, such as --ai {STEADY}", known[0], known[1])]
    Field {
        /// Columns and rows of the field that it knows.
        known: [usize; 2],
        /// Columns of the game's field.
        columns: usize,
        /// Its rows.
        rows: usize,
    },
    /// The same: what it is shown is no whole field.
    #[error(
        "a learned value knows whole fields, not what the filters well and pattern leave of them; leave out --filter, or use weights, such as --ai {STEADY}"
    )]
    Filters,
    /// It looks ahead in another way.
    #[error(
        "the AI {MODERN} knows no filters, and fields of ten columns alone; leave out --filter, or use --ai {STEADY}"
    )]
    Modern,
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
    /// What makes a pile of a modern game good, if it is looked at so: over all pieces that are shown, spins and hold included.
    pub modern: Option<Box<modern::Weights>>,
    about: String,
    /// Columns and rows of the only field that it knows; any if nothing is said.
    field: Option<[usize; 2]>,
}

impl fmt::Debug for Brain {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Brain").field("about", &self.about).finish_non_exhaustive()
    }
}

impl From<Weights> for Brain {
    fn from(weights: Weights) -> Self {
        Self { about: weights.about().into(), evaluator: Arc::new(weights), modern: None, field: None }
    }
}

impl From<Value> for Brain {
    fn from(value: Value) -> Self {
        let (about, field) = (value.about().about.clone(), Some(value.about().field));
        Self { about, field, modern: None, evaluator: Arc::new(value) }
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
        if name == MODERN {
            let about = "the modern game: spins, hold and all pieces that are shown (docs/modern-brain.md)".into();
            return Ok(Self { about, modern: Some(Box::default()), ..Self::default() });
        }
        if VALUES.iter().any(|known| known.name == name) {
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
        let found = VALUES.iter().find(|known| known.name == name);
        let known = || VALUES.map(|value| value.name).join(", ");
        let Learned { bytes, .. } = found.ok_or_else(|| BrainError::NoValue { name: name.into(), known: known() })?;
        Ok(Value::from_bytes(name, bytes)?)
    }

    /// The name of the one to play with this hand before a camera. It was learned with a hand that taps a frame slower: what the
    /// eye sees late, and what does not come out for certain, takes about as much, and who counts on more builds what it
    /// cannot finish.
    pub fn learned_for(hand: Hand) -> &'static str {
        let by_hand = || VALUES.iter().filter_map(|value| Some((value.period?, value.name)));
        let slower = by_hand().find(|(period, _)| *period > hand.period());
        slower.or(by_hand().next_back()).map_or(STEADY, |(_, name)| name)
    }

    /// The names of all that come with the program.
    pub fn names() -> impl Iterator<Item = &'static str> {
        [STEADY, MODERN].into_iter().chain(Weights::names()).chain(VALUES.iter().map(|value| value.name))
    }

    /// Whether it knows such a field, and what these filters show of it.
    ///
    /// # Errors
    /// When it would rate all piles alike.
    pub fn check(&self, [columns, rows]: [usize; 2], filters: &Filters) -> Result<(), BrainError> {
        if self.modern.is_some() && !(Ahead::knows([columns, rows]) && filters.is_empty()) {
            return Err(BrainError::Modern);
        }
        match self.field {
            Some(known) if known != [columns, rows] => Err(BrainError::Field { known, columns, rows }),
            Some(_) if filters.well || filters.pattern.is_some() => Err(BrainError::Filters),
            _ => Ok(()),
        }
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
            assert_eq!(brain.evaluator.by_next().is_some(), name.starts_with("learned"), "{name}");
        }
        let [steady, learned] = ["steady", "learned-15hz"].map(|name| Brain::named(name).unwrap());
        let (none, well) = (Filters::default(), Filters { well: true, ..Filters::default() });
        assert!(steady.check([8, 12], &well).is_ok() && learned.check([10, 20], &none).is_ok());
        assert!(learned.check([10, 20], &Filters { no_rotation: true, ..none }).is_ok());
        let refusal = |field, filters| learned.check(field, filters).unwrap_err().to_string();
        assert!(refusal([10, 18], &none).contains("10 × 20 cells, not 10 × 18; use weights, such as --ai steady"));
        assert!(refusal([10, 20], &well).contains("leave out --filter"));
        let low = Brain::named("learned-10x10").unwrap();
        assert!(low.check([10, 10], &none).is_ok());
        assert!(low.check([10, 20], &none).unwrap_err().to_string().contains("10 × 10 cells, not 10 × 20"));
        assert!(Brain::named("nobody").unwrap_err().to_string().contains("steady, modern, birken-2014, "));
    }
}
