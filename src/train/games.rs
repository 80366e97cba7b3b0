//! The games that weights are trained for, by name.

use super::contest::{Contest, Finger};
use super::fitness::Measure;
use super::junk::{Rising, Start};
use super::pieces::Generator;
use crate::game::{Board, Movement};
use serde::{Deserialize, Serialize};

/// Pieces after which only S and Z come.
const WORSENING_PIECES: u64 = 1000;
/// Rows of junk at the start, which stay as many.
const JUNK_ROWS: u64 = 10;
/// Pieces from one row that rises to the next.
const RISING_PIECES: u64 = 5;

/// A game by name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Game {
    /// The console's pieces, moved at leisure.
    Nes,
    /// The same without a turn.
    NesUnturned,
    /// The literature's: each piece as often, dropped straight.
    Uniform,
    /// The same on a field of 10 × 10.
    #[serde(rename = "uniform-10x10")]
    UniformTen,
    /// S and Z in turn, which end every game on a field that is no multiple of four wide.
    SZ,
    /// The console's, S and Z more and more often, and after 1,000 pieces nothing else.
    Worsening,
    /// The console's pieces above ten rows of junk, one more for every line: who clears lines soonest does best.
    Junk,
    /// The console's pieces, and a row of junk after every fifth.
    Rising,
}

impl Game {
    /// All of them.
    pub const ALL: [Self; 8] = [
        Self::NesUnturned,
        Self::Nes,
        Self::Uniform,
        Self::UniformTen,
        Self::SZ,
        Self::Worsening,
        Self::Junk,
        Self::Rising,
    ];

    /// Its name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::Nes => "nes",
            Self::NesUnturned => "nes-unturned",
            Self::Uniform => "uniform",
            Self::UniformTen => "uniform-10x10",
            Self::SZ => "s-z",
            Self::Worsening => "worsening",
            Self::Junk => "junk",
            Self::Rising => "rising",
        }
    }

    /// What counts unless something else is asked for.
    pub fn measure(self) -> Measure {
        match self {
            Self::Nes => Measure::Score,
            Self::NesUnturned | Self::Uniform | Self::UniformTen | Self::Junk => Measure::Lines,
            Self::SZ | Self::Worsening | Self::Rising => Measure::Pieces,
        }
    }

    /// Whether there is junk in it.
    pub fn has_junk(self) -> bool {
        matches!(self, Self::Junk | Self::Rising)
    }

    /// The level at the start, and after how many lines it ends, unless something else is asked for.
    pub fn usual(self) -> (u8, Option<u64>) {
        match self {
            Self::Nes => (18, Some(230)),
            _ => (0, None),
        }
    }

    /// The game itself, played so that pieces appear and turn in this way.
    pub fn contest(self, movement: Movement, start_level: u8, to_lines: Option<u64>, to_pieces: u64) -> Contest {
        let (generator, finger) = match self {
            Self::Nes => (Generator::Console, Finger::Free),
            Self::NesUnturned => (Generator::Console, Finger::Unturned),
            Self::Uniform | Self::UniformTen => (Generator::Uniform, Finger::Dropping),
            Self::SZ => (Generator::Alternating, Finger::Free),
            Self::Worsening => (Generator::Worsening(WORSENING_PIECES), Finger::Free),
            Self::Junk | Self::Rising => (Generator::Console, Finger::Free),
        };
        let (start, rising) = match self {
            Self::Junk => (Start::Junk(JUNK_ROWS), Rising::Cleared),
            Self::Rising => (Start::Field, Rising::Every(RISING_PIECES)),
            _ => (Start::Field, Rising::Never),
        };
        let field = if self == Self::UniformTen { Board::new(10, 10) } else { Board::default() };
        let to_lines = to_lines.unwrap_or(u64::MAX);
        let double_speed_from = None;
        Contest {
            movement,
            field,
            start,
            rising,
            generator,
            finger,
            start_level,
            double_speed_from,
            to_lines,
            to_pieces,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::planner::Weights;
    use crate::profile::layout::Layout;
    use crate::train::{Look, Task};

    #[test]
    fn each_game_can_be_played() {
        let weights = [Weights::named("dellacherie").unwrap()];
        for game in Game::ALL {
            let movement = Layout::load("nes").unwrap().movement().unwrap();
            let contest = game.contest(movement, 0, None, 40);
            let pieces = Task { contest, look: Look::One, measure: Measure::Pieces }.worth(&weights, &[1])[0].mean;
            assert!((15.0..=40.0).contains(&pieces), "{game:?}: {pieces}");
            assert_eq!(toml::Value::try_from(game).unwrap().as_str(), Some(game.name()));
        }
    }
}
