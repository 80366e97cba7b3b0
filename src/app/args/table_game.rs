//! Which game the simulated table plays.

use super::Misuse;
use crate::game::standard;
use crate::profile::game_file::GameFile;
use crate::profile::layout::{Layout, LayoutError};
use crate::twin::machine::GameKind;
use std::ops::RangeInclusive;
use std::str::FromStr;
use std::sync::Arc;

/// The levels of the console.
const CONSOLE_LEVELS: RangeInclusive<u8> = 0..=29;

/// Which game the simulated table plays.
#[derive(Debug, Clone)]
pub enum TableGame {
    /// NES, NTSC, A-Type.
    Nes,
    /// Standard Tetris, the first game for the PC (1986).
    Standard,
    /// One that a file describes.
    Described(Arc<GameFile>),
}

impl FromStr for TableGame {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "nes" => return Ok(Self::Nes),
            "standard" => return Ok(Self::Standard),
            _ => {}
        }
        // What is wrong in a file stands in the causes.
        let game = GameFile::load(text).map_err(|error| format!("{:#}", anyhow::Error::from(error)))?;
        let (name, [columns, rows]) = (&game.name, game.field.size());
        if [columns, rows] != standard::SIZE {
            return Err(format!(
                "the simulated table's screen has 10 × 20 cells, and {name} is played on {columns} × {rows}: change [field] in a \
                 copy of its file"
            ));
        }
        if game.spawn.is_empty() {
            return Err(format!(
                "{name} does not say where its pieces appear: add [spawn] to its file (docs/games.md)"
            ));
        }
        Ok(Self::Described(Arc::new(game)))
    }
}

impl TableGame {
    /// Whether it is the console's.
    pub fn is_console(&self) -> bool {
        matches!(self, Self::Nes)
    }

    /// Whether a file describes it.
    pub fn is_described(&self) -> bool {
        matches!(self, Self::Described(_))
    }

    /// The levels at which it can begin.
    pub fn levels(&self) -> RangeInclusive<u8> {
        match self {
            Self::Nes => CONSOLE_LEVELS,
            Self::Standard => standard::LEVELS,
            Self::Described(game) => game.levels.first..=game.levels.last,
        }
    }

    /// Refuses a level that the game does not have.
    ///
    /// # Errors
    /// When it has others.
    pub fn check_level(&self, level: u8) -> Result<(), Misuse> {
        let levels = self.levels();
        if levels.contains(&level) {
            return Ok(());
        }
        let name = match self {
            Self::Nes => "the console",
            Self::Standard => "Standard Tetris",
            Self::Described(game) => &game.name,
        };
        let (first, last) = (levels.start(), levels.end());
        Err(Misuse(format!("{name} has the levels {first} to {last}: give one of these with --level")))
    }

    /// The level at which it begins if nothing is said.
    pub fn usual_level(&self) -> u8 {
        *self.levels().start()
    }

    /// The game for the simulated machine; of what its file leaves open, the seed decides.
    ///
    /// # Errors
    /// When its file leaves open where pieces appear.
    pub fn kind(&self, seed: u64) -> Result<GameKind, Misuse> {
        match self {
            Self::Nes => Ok(GameKind::Nes),
            Self::Standard => Ok(GameKind::Standard),
            Self::Described(game) => {
                game.machine(seed).map(|settings| GameKind::Simple(Arc::new(settings))).ok_or_else(|| {
                    Misuse(format!(
                        "the game {} does not say where its pieces appear: add [spawn] to its file",
                        game.name
                    ))
                })
            }
        }
    }

    /// The screen on which the simulated table shows it.
    ///
    /// # Errors
    /// When its field is of another size.
    pub fn layout(&self) -> Result<Layout, LayoutError> {
        match self {
            Self::Nes => Layout::load(GameKind::Nes.layout()),
            Self::Standard => Layout::load(GameKind::Standard.layout()),
            Self::Described(game) => Layout::load(GameKind::Standard.layout())?.showing(game),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::Rules;

    #[test]
    fn games_are_read_by_name_and_have_their_levels() {
        for (text, first, last) in [("nes", 0, 29), ("standard", 1, 10), ("vitetris", 0, 29)] {
            let game: TableGame = text.parse().unwrap();
            assert_eq!(game.levels(), first..=last, "{text}");
            assert!(game.check_level(last).is_ok());
            let refusal = game.check_level(last + 1).unwrap_err().to_string();
            assert!(refusal.contains(&format!("levels {first} to {last}")), "{refusal}");
        }
        let refusal = "tetris".parse::<TableGame>().unwrap_err();
        assert!(refusal.contains("nes, vitetris, standard") && refusal.contains(".toml"), "{refusal}");
    }

    #[test]
    fn what_a_file_leaves_open_the_seed_decides_and_the_robot_has_to_find_out() {
        let game: TableGame = "vitetris".parse().unwrap();
        let rules: Vec<Rules> = (0..4)
            .map(|seed| match game.kind(seed).unwrap() {
                GameKind::Simple(settings) => settings.rules.clone(),
                other => panic!("{other:?}"),
            })
            .collect();
        let layout = game.layout().unwrap();
        assert_eq!(layout.rule_variants(), rules);
        assert!(rules.iter().enumerate().all(|(i, one)| rules[..i].iter().all(|other| other != one)));
        assert!(layout.movement().is_some());
    }
}
