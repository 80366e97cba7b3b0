//! Which game the simulated table plays.

use super::Misuse;
use super::modern::ModernArgs;
use super::standard::StandardArgs;
use super::standard_screen;
use crate::game::{guideline, standard};
use crate::profile::game_file::{GameFile, RulesSpec};
use crate::profile::layout::{Layout, LayoutError};
use crate::twin::machine::GameKind;
use crate::twin::plain;
use std::convert::Infallible;
use std::ops::RangeInclusive;
use std::str::FromStr;
use std::sync::{Arc, OnceLock};

/// The levels of the console.
const CONSOLE_LEVELS: RangeInclusive<u8> = 0..=29;

/// What was typed for a game: a file is read once, when the game is asked for.
#[derive(Debug, Clone)]
pub struct GameArg {
    text: String,
    game: OnceLock<TableGame>,
}

/// A level, if a game begins at it.
///
/// # Errors
/// When it begins at others.
pub fn level_among(game: &str, levels: RangeInclusive<u8>, level: u8) -> Result<u8, Misuse> {
    if levels.contains(&level) {
        return Ok(level);
    }
    let (first, last) = (levels.start(), levels.end());
    Err(Misuse(format!("{game} has the levels {first} to {last}: give one of these with --level")))
}

impl FromStr for GameArg {
    type Err = Infallible;

    fn from_str(text: &str) -> Result<Self, Infallible> {
        Ok(Self { text: text.into(), game: OnceLock::new() })
    }
}

impl GameArg {
    /// The game.
    ///
    /// # Errors
    /// When there is none of this name, its file is not valid, or the simulated table cannot play it.
    pub fn game(&self) -> anyhow::Result<&TableGame> {
        if let Some(known) = self.game.get() {
            return Ok(known);
        }
        let game = TableGame::load(&self.text)?;
        Ok(self.game.get_or_init(|| game))
    }
}

/// Which game the simulated table plays.
#[derive(Debug, Clone)]
pub enum TableGame {
    /// NES, NTSC, A-Type.
    Nes,
    /// Standard Tetris, the first game for the PC (1986).
    Standard,
    /// The modern game, by the guideline of 2009.
    Guideline,
    /// One that a file describes.
    Described(Arc<GameFile>),
}

impl TableGame {
    /// A game by name, or one from a file.
    ///
    /// # Errors
    /// When there is none, the file is not valid, or the simulated table cannot play it.
    pub fn load(text: &str) -> anyhow::Result<Self> {
        match text {
            "nes" => return Ok(Self::Nes),
            "standard" => return Ok(Self::Standard),
            "guideline" => return Ok(Self::Guideline),
            _ => {}
        }
        let game = GameFile::load(text)?;
        let name = &game.name;
        if game.rules == RulesSpec::Nes {
            let words = format!("{name} plays by the NES's rules, which the console knows better: use --game nes");
            return Err(Misuse(words).into());
        }
        if game.spawn.is_empty() {
            let words = format!("{name} does not say where its pieces appear: add [spawn] to its file (docs/games.md)");
            return Err(Misuse(words).into());
        }
        Ok(Self::Described(Arc::new(game)))
    }

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
            Self::Guideline => guideline::LEVELS,
            Self::Described(game) => game.levels.first..=game.levels.last,
        }
    }

    /// Refuses a level that the game does not have.
    ///
    /// # Errors
    /// When it has others.
    pub fn check_level(&self, level: u8) -> Result<(), Misuse> {
        let name = match self {
            Self::Nes => "the console",
            Self::Standard => "Standard Tetris",
            Self::Guideline => "the modern game",
            Self::Described(game) => &game.name,
        };
        level_among(name, self.levels(), level).map(|_| ())
    }

    /// The level at which it begins if nothing is said.
    pub fn usual_level(&self) -> u8 {
        *self.levels().start()
    }

    /// Whether it is the modern game.
    pub fn is_modern(&self) -> bool {
        matches!(self, Self::Guideline)
    }

    /// Whether it is Standard Tetris.
    pub fn is_standard(&self) -> bool {
        matches!(self, Self::Standard)
    }

    /// The game for the simulated machine; of what its file leaves open, the seed decides.
    ///
    /// # Errors
    /// When its file leaves open where pieces appear, or a saved game cannot be gone on with.
    pub fn kind(&self, seed: u64, level: u8, standard: &StandardArgs, modern: ModernArgs) -> anyhow::Result<GameKind> {
        match self {
            Self::Nes => Ok(GameKind::Nes),
            Self::Standard => Ok(GameKind::Standard(Arc::new(standard.game(level, seed)?))),
            Self::Guideline => {
                let variant = modern.variant();
                Ok(GameKind::Guideline(guideline::Settings { level, variant, ..guideline::Settings::default() }, seed))
            }
            Self::Described(game) => {
                let mut settings = game.machine(seed).ok_or_else(|| {
                    Misuse(format!(
                        "the game {} does not say where its pieces appear: add [spawn] to its file",
                        game.name
                    ))
                })?;
                settings.has_hold &= plain::has_room_for_hold(settings.size);
                Ok(GameKind::Simple(Arc::new(settings)))
            }
        }
    }

    /// Columns and rows of its board, where the game has but one.
    pub fn size(&self) -> [usize; 2] {
        match self {
            Self::Nes | Self::Standard | Self::Guideline => standard::SIZE,
            Self::Described(game) => game.field.size(),
        }
    }

    /// The screen on which the simulated table shows it.
    ///
    /// # Errors
    /// When its file contradicts that.
    pub fn layout(&self) -> Result<Layout, LayoutError> {
        match self {
            Self::Nes => Layout::load("nes"),
            Self::Standard => Layout::load("standard"),
            Self::Guideline => Layout::load("guideline"),
            Self::Described(game) => {
                let size = game.field.size();
                let has_hold = game.machine(0).is_some_and(|settings| settings.has_hold);
                let layout = match has_hold && plain::has_room_for_hold(size) {
                    true => standard_screen::layout_with_hold(size)?,
                    false => standard_screen::layout(size, false)?,
                };
                layout.showing(game)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::Rules;

    #[test]
    fn games_are_read_by_name_and_have_their_levels() {
        for (text, first, last) in [("nes", 0, 29), ("standard", 1, 10), ("guideline", 1, 15), ("vitetris", 0, 29)] {
            let game = TableGame::load(text).unwrap();
            assert_eq!(game.levels(), first..=last, "{text}");
            assert!(game.check_level(last).is_ok());
            let refusal = game.check_level(last + 1).unwrap_err().to_string();
            assert!(refusal.contains(&format!("levels {first} to {last}")), "{refusal}");
        }
        let refusal = TableGame::load("tetris").unwrap_err().to_string();
        assert!(refusal.contains("nes, vitetris, standard, ltris") && refusal.contains(".toml"), "{refusal}");
    }

    #[test]
    fn a_described_game_has_its_hold_where_the_screen_has_room_for_it() {
        let wide = GameFile::load("tetris-tui").unwrap();
        let wide = GameFile { field: crate::profile::game_file::FieldSize { columns: 12, rows: 20 }, ..wide };
        let games = ["tetris-tui", "vitetris"].map(|name| TableGame::load(name).unwrap());
        let described = |game: &TableGame| {
            let GameKind::Simple(settings) = game.kind(1, 1, &StandardArgs::default(), ModernArgs::default()).unwrap()
            else {
                panic!("{game:?}")
            };
            let layout = game.layout().unwrap();
            (settings.has_hold, layout.hold.is_some(), layout.queue.len())
        };
        assert_eq!(games.each_ref().map(described), [(true, true, 5), (false, false, 0)]);
        assert_eq!(described(&TableGame::Described(Arc::new(wide))), (false, false, 0));
    }

    #[test]
    fn what_a_file_leaves_open_the_seed_decides_and_the_robot_has_to_find_out() {
        let arg: GameArg = "vitetris".parse().unwrap();
        let game = arg.game().unwrap();
        let rules: Vec<Rules> = (0..4)
            .map(|seed| match game.kind(seed, 0, &StandardArgs::default(), ModernArgs::default()).unwrap() {
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
