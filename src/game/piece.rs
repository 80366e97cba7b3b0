//! The seven pieces, by the letters every player uses.

use serde::{Deserialize, Serialize};
use std::fmt;

/// One of the seven four-cell pieces, in the order of the NES's type ids ($993B).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[allow(missing_docs)]
pub enum Piece {
    T = 0,
    J = 1,
    Z = 2,
    O = 3,
    S = 4,
    L = 5,
    I = 6,
}

impl Piece {
    /// All seven, in the order of their ids.
    pub const ALL: [Self; 7] = [Self::T, Self::J, Self::Z, Self::O, Self::S, Self::L, Self::I];

    /// The id, 0 to 6.
    pub fn index(self) -> usize {
        self as usize
    }

    /// The piece with this id modulo 7.
    pub fn from_index(index: usize) -> Self {
        Self::ALL[index % 7]
    }

    /// The piece's letter.
    pub fn letter(self) -> char {
        ['T', 'J', 'Z', 'O', 'S', 'L', 'I'][self.index()]
    }

    /// The piece of this letter (upper case), if there is one.
    pub fn from_letter(letter: char) -> Option<Self> {
        Self::ALL.into_iter().find(|p| p.letter() == letter)
    }
}

impl fmt::Display for Piece {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.letter())
    }
}
