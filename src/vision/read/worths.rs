//! What clues are worth: the log odds that each adds to those of a cell, as they were fitted, and their file.

use super::clues::{Clue, Clues};
use super::confidence::step;
use serde::Deserialize;
use std::collections::BTreeMap;
use std::sync::{Arc, OnceLock};
use thiserror::Error;

/// Of what is hidden as much is known, log odds.
const HIDDEN: f32 = -1.0;

/// What each clue is worth.
#[derive(Debug, Clone, PartialEq)]
pub struct Worths {
    /// What is believed before anything is seen, log odds.
    pub bias: f32,
    /// For each clue, its worth at its knots, log odds.
    pub at_knots: Vec<Vec<f32>>,
}

impl Worths {
    /// Nothing is worth anything.
    pub fn none() -> Self {
        Self { bias: 0.0, at_knots: Clue::ALL.iter().map(|clue| vec![0.0; clue.knots().len()]).collect() }
    }

    /// Those that come with the program.
    pub fn built_in() -> Option<Arc<Self>> {
        static BUILT_IN: OnceLock<Option<Arc<Worths>>> = OnceLock::new();
        BUILT_IN.get_or_init(|| Self::parse(include_str!("../../../calibration/eye.toml")).ok().map(Arc::new)).clone()
    }

    /// From the text of a file.
    ///
    /// # Errors
    /// When it is no TOML, a clue is missing or unknown, or has too many or too few worths, or one is no number.
    pub fn parse(text: &str) -> Result<Self, WorthsError> {
        let file: WorthsFile = toml::from_str(text).map_err(|error| WorthsError::Text(error.message().to_string()))?;
        if let Some(name) = file.worth.keys().find(|name| !Clue::ALL.iter().any(|clue| clue.name() == **name)) {
            return Err(WorthsError::Unknown(name.clone()));
        }
        let worth = |clue: &Clue| {
            let at = file.worth.get(clue.name()).cloned().unwrap_or_default();
            let is_whole =
                at.len() == clue.knots().len() && at.iter().chain([&file.bias]).all(|worth| worth.is_finite());
            if is_whole { Ok(at) } else { Err(WorthsError::Clue(clue.name(), clue.knots().len())) }
        };
        Ok(Self { bias: file.bias, at_knots: Clue::ALL.iter().map(worth).collect::<Result<_, _>>()? })
    }

    /// As a file's text.
    pub fn to_text(&self) -> String {
        let line = |(clue, at): (&Clue, &Vec<f32>)| {
            let knots: Vec<String> = clue.knots().iter().map(|knot| format!("{knot}")).collect();
            let at: Vec<String> = at.iter().map(|worth| format!("{worth:.3}")).collect();
            format!("# at {}\n{} = [{}]\n", knots.join(", "), clue.name(), at.join(", "))
        };
        let lines: String = Clue::ALL.iter().zip(&self.at_knots).map(line).collect();
        format!("bias = {:.3}\n\n[worth]\n{lines}", self.bias)
    }

    /// Makes those cells less sure whose clues speak against what was read: what stands out and is no block hides what is behind
    /// it. Clues only doubt: where they could also make sure of a block, a hand before the field was taken for blocks.
    pub fn doubt(&self, p_full: &mut [f32], clues: &[Clues]) {
        for (p, clues) in p_full.iter_mut().zip(clues).filter(|(_, clues)| clues.say_something()) {
            *p = step(self.doubted(clues));
        }
    }

    fn doubted(&self, clues: &Clues) -> f32 {
        let (read, sum) = (clues.get(Clue::Read), self.sum(clues));
        if read > 0.0 { sum.max(HIDDEN).min(read) } else { sum.min(HIDDEN).max(read) }
    }

    /// The sum of all that a cell's clues are worth, log odds.
    fn sum(&self, clues: &Clues) -> f32 {
        self.sum_of(clues, |_| true)
    }

    /// What was read, and the sum of what these clues of the cell are worth, log odds.
    pub fn sum_of(&self, clues: &Clues, counts: impl Fn(Clue) -> bool) -> f32 {
        let worth = |(clue, value): (&Clue, f32)| {
            let [(a, share), (b, rest)] = place(clue.knots(), value)?;
            let at = &self.at_knots[*clue as usize];
            Some(share * at[a] + rest * at[b])
        };
        let counted = Clue::ALL.iter().zip(clues.0).filter(|(clue, _)| counts(**clue));
        clues.get(Clue::Read) + self.bias + counted.filter_map(worth).sum::<f32>()
    }
}

/// A file of them.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct WorthsFile {
    bias: f32,
    worth: BTreeMap<String, Vec<f32>>,
}

/// Why a file says not what clues are worth.
#[derive(Debug, Error, PartialEq)]
pub enum WorthsError {
    /// It is no such TOML.
    #[error("not what clues are worth: {0}; make one with `stackhand train eye`")]
    Text(String),
    /// It names a clue that does not exist.
    #[error("there is no clue {0:?}; make the file anew with `stackhand train eye`")]
    Unknown(String),
    /// A clue is missing, or not worth as many numbers as it has knots.
    #[error("the clue {0:?} must have {1} numbers; make the file anew with `stackhand train eye`")]
    Clue(&'static str, usize),
}

/// Between which knots a value lies, and how near it is to each (the shares add up to 1); `None` for a clue that says nothing.
pub fn place(knots: &[f32], value: f32) -> Option<[(usize, f32); 2]> {
    if value.is_nan() {
        return None;
    }
    let above = knots.iter().position(|knot| *knot > value).unwrap_or(knots.len());
    if above == 0 || above == knots.len() {
        let end = above.saturating_sub(1);
        return Some([(end, 1.0), (end, 0.0)]);
    }
    let share = (knots[above] - value) / (knots[above] - knots[above - 1]);
    Some([(above - 1, share), (above, 1.0 - share)])
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn what_comes_with_the_program_is_whole() {
        let worths = Worths::built_in().unwrap();
        assert_eq!(Worths::parse(&worths.to_text()).as_ref(), Ok(&*worths));
        let flat = |clue: Clue| worths.at_knots[clue as usize].iter().all(|worth| *worth == 0.0);
        assert!(!Clue::ALL.into_iter().any(flat), "each clue says something");
    }

    #[test]
    fn files_that_are_not_whole_are_refused() {
        let text = Worths::none().to_text();
        assert!(Worths::parse(&text).is_ok());
        assert!(matches!(Worths::parse("bias = 1"), Err(WorthsError::Text(_))));
        assert_eq!(Worths::parse(&text.replace("kind", "kindness")), Err(WorthsError::Unknown("kindness".into())));
        assert_eq!(
            Worths::parse(&text.replace("still = [0.000, 0.000, 0.000, 0.000, 0.000, 0.000, 0.000, 0.000]", "")),
            Err(WorthsError::Clue("still", 8))
        );
        let no_number = text.replace("still = [0.000,", "still = [nan,");
        assert_eq!(Worths::parse(&no_number), Err(WorthsError::Clue("still", 8)));
    }

    #[test]
    fn a_value_lies_between_two_knots() {
        let knots = [0.0, 1.0, 3.0];
        assert_eq!(place(&knots, -1.0), Some([(0, 1.0), (0, 0.0)]));
        assert_eq!(place(&knots, 1.5), Some([(1, 0.75), (2, 0.25)]));
        assert_eq!(place(&knots, 9.0), Some([(2, 1.0), (2, 0.0)]));
        assert_eq!(place(&knots, f32::NAN), None);
    }

    #[test]
    fn clues_make_nothing_surer_and_what_is_no_block_unknown() {
        let judged = |bias, read| {
            let mut clues = Clues::default();
            clues.set(Clue::Read, read);
            Worths { bias, ..Worths::none() }.doubted(&clues)
        };
        assert_eq!(judged(-9.0, 6.0), HIDDEN, "a word");
        assert_eq!(judged(-9.0, -5.0), -5.0, "nothing");
        assert_eq!(judged(9.0, 3.0), 3.0, "a block, not the more surely");
        assert_eq!(judged(9.0, -5.0), HIDDEN, "something is drawn there");
        assert!(!Clues::default().say_something());
    }
}
