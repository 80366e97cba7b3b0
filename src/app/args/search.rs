//! How far a player looks: `--search` and what goes with it.

use crate::planner::{Beam, Budget, Rollouts, beam};
use std::fmt::{self, Display};
use std::str::FromStr;

/// Pieces that games are played on for at most.
const ROLLOUT_MAX: usize = 200;
/// The widest beam.
const WIDTH_MAX: usize = 10_000;
const WAYS: &str = "use beam:WIDTHxPIECES, such as beam:20x4, with 1 to 10000 piles and 1 to 9 pieces, or \
                    rollouts:PLACESxPIECES, such as rollouts:6x10, with 1 to 100 places and 0 to 200 pieces";

/// A search through drawn futures.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SearchSpec {
    /// The best piles of each piece are followed.
    Beam {
        /// So many.
        width: usize,
        /// For so many pieces after the falling one.
        pieces: usize,
    },
    /// The best placements are played on.
    Rollouts {
        /// So many.
        places: usize,
        /// For so many pieces.
        pieces: usize,
    },
}

impl SearchSpec {
    /// With this to spend on a move.
    pub fn beam_or_rollouts<T>(self, budget: Budget, beam: impl Fn(Beam) -> T, play: impl Fn(Rollouts) -> T) -> T {
        match self {
            Self::Beam { width, pieces } => beam(Beam { width, pieces, budget }),
            Self::Rollouts { places, pieces } => play(Rollouts { places, pieces, budget }),
        }
    }
}

impl FromStr for SearchSpec {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let sizes = |text: &str| -> Option<(usize, usize)> {
            let (many, pieces) = text.split_once('x')?;
            Some((many.parse().ok()?, pieces.parse().ok()?))
        };
        let read = || match text.split_once(':')? {
            ("beam", text) => {
                let (width, pieces) = sizes(text)?;
                let fits = (1..=WIDTH_MAX).contains(&width) && (1..=beam::PIECES_MAX).contains(&pieces);
                fits.then_some(Self::Beam { width, pieces })
            }
            ("rollouts", text) => {
                let (places, pieces) = sizes(text)?;
                ((1..=100).contains(&places) && pieces <= ROLLOUT_MAX).then_some(Self::Rollouts { places, pieces })
            }
            _ => None,
        };
        read().ok_or_else(|| WAYS.into())
    }
}

impl Display for SearchSpec {
    /// As it is read.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Beam { width, pieces } => write!(f, "beam:{width}x{pieces}"),
            Self::Rollouts { places, pieces } => write!(f, "rollouts:{places}x{pieces}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn searches_are_read_as_written() {
        for text in ["beam:20x4", "beam:1x1", "beam:10000x9", "rollouts:6x10", "rollouts:1x0"] {
            assert_eq!(text.parse::<SearchSpec>().unwrap().to_string(), text);
        }
        for wrong in
            ["", "beam", "beam:", "beam:20", "beam:0x4", "beam:20x10", "beam:20001x1", "rollouts:0x3", "depth:3x3"]
        {
            assert!(wrong.parse::<SearchSpec>().unwrap_err().contains("such as beam:20x4"), "{wrong}");
        }
    }
}
