//! A learned value: what a pile of 10 × 20 is still worth, as the sum of what its patterns have been worth in games that the
//! program played against itself.
//!
//! Worth is counted in lines cleared in fours: four at once are worth 4, one alone 40 of 1200 points and so a 30th of that.
//! What comes a piece later counts a little less, by [`Value::discount`]; so a value is a sum over the next few hundred
//! pieces. A game that is over is worth 0 from then on: to survive needs no rule of its own.

pub mod patterns;

use super::evaluate::{Afterstate, Evaluator};
use crate::game::Board;
use patterns::{COUNT, FIELD, Patterns};
use serde::{Deserialize, Serialize};
use thiserror::Error;

/// What 0–4 lines at once are worth: points over 300.
pub const WORTH: [f32; 5] = [0.0, 40.0 / 300.0, 100.0 / 300.0, 1.0, 4.0];
/// How a file begins; then a line of JSON ([`About`]), then the weights.
const MAGIC: &[u8] = b"stackhand value 1\n";
/// Bytes a weight.
const WEIGHT_BYTES: usize = 2;

/// Why a file is no learned value.
#[derive(Debug, Error)]
pub enum ValueError {
    /// Something else, or another version's.
    #[error(
        "{name} is no learned value of this version; make one with `stackhand train value`, or name one of `--ai list`"
    )]
    Other {
        /// Its name or path.
        name: String,
    },
    /// Cut off, or longer than it says.
    #[error("{name} holds {found} bytes of weights where {expected} belong; copy it again, or train it again")]
    Length {
        /// Its name or path.
        name: String,
        /// Bytes there are.
        found: usize,
        /// Bytes there should be.
        expected: usize,
    },
    /// A scale or discount that cannot be.
    #[error(
        "{name} has the scale {scale} and the discount {discount}; both must be above 0, the discount below 1; train it again"
    )]
    Number {
        /// Its name or path.
        name: String,
        /// Worth of a weight of 1.
        scale: f32,
        /// What the next piece's worth is multiplied with.
        discount: f32,
    },
}

/// How a value was made, and what its numbers mean.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct About {
    /// In a line: what for, by which command, with which seed, how long, on which machine.
    pub about: String,
    /// What a piece later counts less: a factor, 0–1.
    pub discount: f32,
    /// The worth of a weight of 1.
    pub scale: f32,
}

/// What piles are worth; an [`Evaluator`].
#[derive(Debug, Clone)]
pub struct Value {
    about: About,
    weights: Vec<i16>,
}

impl Value {
    /// A value with these weights, one for each pattern, rounded so that the greatest still fits; `None` if there are not as
    /// many, or one is not finite.
    pub fn rounded(about: String, discount: f32, weights: &[f32]) -> Option<Self> {
        let greatest = weights.iter().fold(0.0f32, |greatest, weight| greatest.max(weight.abs()));
        if weights.len() != COUNT || weights.iter().any(|weight| !weight.is_finite()) {
            return None;
        }
        let scale = (greatest / f32::from(i16::MAX)).max(f32::MIN_POSITIVE);
        let weights = weights.iter().map(|weight| (weight / scale).round() as i16).collect();
        Some(Self { about: About { about, discount, scale }, weights })
    }

    /// Reads what [`Self::to_bytes`] wrote; `name` is for messages.
    ///
    /// # Errors
    /// When it is something else, cut off, or has impossible numbers.
    pub fn from_bytes(name: &str, bytes: &[u8]) -> Result<Self, ValueError> {
        let other = || ValueError::Other { name: name.into() };
        let rest = bytes.strip_prefix(MAGIC).ok_or_else(other)?;
        let end = rest.iter().position(|&byte| byte == b'\n').ok_or_else(other)?;
        let about: About = serde_json::from_slice(&rest[..end]).map_err(|_| other())?;
        let About { scale, discount, .. } = about;
        if !(scale > 0.0 && scale.is_finite() && discount > 0.0 && discount < 1.0) {
            return Err(ValueError::Number { name: name.into(), scale, discount });
        }
        let weights = &rest[end + 1..];
        if weights.len() != COUNT * WEIGHT_BYTES {
            let (found, expected) = (weights.len(), COUNT * WEIGHT_BYTES);
            return Err(ValueError::Length { name: name.into(), found, expected });
        }
        let weights = weights.chunks_exact(WEIGHT_BYTES).map(|bytes| i16::from_le_bytes([bytes[0], bytes[1]]));
        Ok(Self { about, weights: weights.collect() })
    }

    /// As a file.
    ///
    /// # Errors
    /// Never for what this program made.
    pub fn to_bytes(&self) -> Result<Vec<u8>, serde_json::Error> {
        let weights = self.weights.iter().flat_map(|weight| weight.to_le_bytes());
        Ok(MAGIC.iter().copied().chain(serde_json::to_vec(&self.about)?).chain(*b"\n").chain(weights).collect())
    }

    /// The weight of each pattern, in lines cleared in fours.
    pub fn weights(&self) -> Vec<f32> {
        self.weights.iter().map(|&weight| self.about.scale * f32::from(weight)).collect()
    }

    /// In a line: how it was made.
    pub fn about(&self) -> &str {
        &self.about.about
    }

    /// What a piece later counts less: a factor, 0–1.
    pub fn discount(&self) -> f64 {
        f64::from(self.about.discount)
    }

    /// What a pile is worth, in lines cleared in fours; nothing is known of other sizes than 10 × 20, which are worth 0.
    pub fn of(&self, board: &Board) -> f64 {
        if [board.width(), board.height()] != FIELD {
            return 0.0;
        }
        let patterns = Patterns::of(board);
        let sum: i32 = patterns.indices().iter().map(|&index| i32::from(self.weights[index as usize])).sum();
        f64::from(self.about.scale) * f64::from(sum)
    }

    /// What the pieces of an afterstate were worth when they locked, and what a piece after them counts.
    fn gained(&self, after: &Afterstate<'_>) -> (f64, f64) {
        after.steps.iter().fold((0.0, 1.0), |(gained, share), step| {
            (gained + share * f64::from(WORTH[step.lines.min(4)]), share * self.discount())
        })
    }
}

impl Evaluator for Value {
    fn cost(&self, after: &Afterstate<'_>) -> f64 {
        let (gained, share) = self.gained(after);
        -(gained + share * self.of(after.board))
    }

    fn cost_of_the_end(&self, after: &Afterstate<'_>) -> f64 {
        -self.gained(after).0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::planner::evaluate::Step;

    fn value(weight: impl Fn(usize) -> f32) -> Value {
        let weights: Vec<f32> = (0..COUNT).map(weight).collect();
        Value::rounded("made by a test".into(), 0.5, &weights).unwrap()
    }

    #[test]
    fn a_file_gives_back_what_was_written_and_nothing_else_is_taken() {
        let value = value(|i| (i % 7) as f32);
        let bytes = value.to_bytes().unwrap();
        let again = Value::from_bytes("mine", &bytes).unwrap();
        assert_eq!((again.about(), &again.weights), ("made by a test", &value.weights));
        let refusal = |bytes: &[u8]| Value::from_bytes("mine", bytes).unwrap_err().to_string();
        assert!(refusal(&bytes[1..]).starts_with("mine is no learned value"));
        assert!(refusal(&bytes[..30]).starts_with("mine is no learned value"));
        assert!(refusal(&bytes[..bytes.len() - 1]).contains(&format!("where {} belong", 2 * COUNT)));
        let text = String::from_utf8_lossy(&bytes[..200]).replace("\"discount\":0.5", "\"discount\":1.5");
        assert!(refusal(text.as_bytes()).contains("discount 1.5"), "{text}");
        assert!(Value::rounded(String::new(), 0.5, &[0.0]).is_none());
        assert!(Value::rounded(String::new(), 0.5, &vec![f32::NAN; COUNT]).is_none());
    }

    #[test]
    fn what_is_gained_later_counts_less_and_a_game_that_is_over_counts_what_it_gained() {
        let value = value(|_| 1.0);
        let board = Board::default();
        let pose = crate::game::nes::control::spawn_pose(crate::game::Piece::I);
        let step = |lines| Step { pose, lines, cells_cleared: lines };
        let after = |steps: &[Step]| {
            let after = Afterstate { before: &board, board: &board, steps, level: 0 };
            (value.cost(&after), value.cost_of_the_end(&after))
        };
        let pile = value.of(&board);
        let near = |(a, b): (f64, f64), (c, d): (f64, f64)| assert!((a - c).abs() + (b - d).abs() < 1e-6, "{a} {b}");
        near(after(&[step(4)]), (-4.0 - 0.5 * pile, -4.0));
        near(after(&[step(0), step(4)]), (-2.0 - 0.25 * pile, -2.0));
        near(after(&[step(3), step(0)]), (-1.0 - 0.25 * pile, -1.0));
    }

    #[test]
    fn other_fields_are_worth_nothing() {
        assert_eq!(value(|_| 1.0).of(&Board::new(8, 20)), 0.0);
    }
}
