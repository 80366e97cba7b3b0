//! How Standard Tetris is played: what its player sets by keys.

use super::Misuse;
use super::board_size::BoardSize;
use crate::file::{self, SETTINGS_BYTES_MAX};
use crate::game::standard::{self, Cadence, Draw, Game, Looks, SIZE, Settings, SpeedBias, cadence};
use anyhow::Context;
use std::path::PathBuf;

/// Options of Standard Tetris.
#[derive(clap::Args, Debug, Clone, Default)]
pub struct StandardArgs {
    /// Begin with so many rows of junk, each lacking one cell.
    #[arg(help_heading = "Standard Tetris", long, value_name = "ROWS", value_parser = clap::value_parser!(u8).range(0..=16))]
    junk: Option<u8>,
    /// Only S and Z come, in turn.
    #[arg(help_heading = "Standard Tetris", long)]
    sz: bool,
    /// Speed bias, -3 (slow) to 3: -1 is limited to 0.2 s a row, 1 is always 0.05 s, 2 a row a frame, 3 two of them.
    #[arg(help_heading = "Standard Tetris", long, value_name = "STEPS", allow_hyphen_values = true)]
    speed_bias: Option<SpeedBias>,
    /// Do not show the next piece. (At the table begin at level 5 or above then: the field is found by fewer signs.)
    #[arg(help_heading = "Standard Tetris", long)]
    hide_next: bool,
    /// The board's columns and rows, 4x4 to 200x400 [default: 10x20]. The robot plays on none of more than 16x40.
    #[arg(help_heading = "Standard Tetris", long, value_name = "WxH")]
    board: Option<BoardSize>,
    /// All blocks in one colour.
    #[arg(help_heading = "Standard Tetris", long)]
    monochrome: bool,
    /// A shadow shows where the falling piece will land.
    #[arg(help_heading = "Standard Tetris", long)]
    shadow: bool,
    /// Go on with the game that this file holds.
    #[arg(help_heading = "Standard Tetris", long, value_name = "FILE")]
    load_game: Option<PathBuf>,
    /// Save the game to a new file when the run ends.
    #[arg(help_heading = "Standard Tetris", long, value_name = "FILE")]
    pub save_game: Option<PathBuf>,
}

impl StandardArgs {
    /// Refuses them at another game, and what a saved game brings along.
    ///
    /// # Errors
    /// When one would not be used.
    pub fn check(&self, is_standard: bool, level: Option<u8>) -> Result<(), Misuse> {
        let own = [
            (self.junk.is_some(), "--junk"),
            (self.sz, "--sz"),
            (self.speed_bias.is_some(), "--speed-bias"),
            (self.hide_next, "--hide-next"),
            (self.board.is_some(), "--board"),
            (self.monochrome, "--monochrome"),
            (self.shadow, "--shadow"),
        ];
        let files = [(self.load_game.is_some(), "--load-game"), (self.save_game.is_some(), "--save-game")];
        let given = |options: &[(bool, &'static str)]| options.iter().find(|(is, _)| *is).map(|(_, name)| *name);
        if let Some(name) = given(&own).or_else(|| given(&files)).filter(|_| !is_standard) {
            return Err(Misuse(format!("{name} is only for Standard Tetris: leave it out, or play --game standard")));
        }
        let level = level.map(|_| "--level");
        if let Some(name) = given(&own).or(level).filter(|_| self.load_game.is_some()) {
            return Err(Misuse(format!("the game of --load-game has its own: leave {name} out, or load no game")));
        }
        Ok(())
    }

    /// The game to begin with; `seed` decides which pieces come.
    ///
    /// # Errors
    /// When the file cannot be read or is no saved game, or no board is of such a size.
    pub fn game(&self, level: u8, seed: u64) -> anyhow::Result<Game> {
        if let Some(path) = &self.load_game {
            let text = file::read_text(path, SETTINGS_BYTES_MAX)?;
            return Game::load(&text).with_context(|| format!("cannot load {}", path.display()));
        }
        let settings = Settings {
            initial_level: level,
            bias: self.speed_bias.unwrap_or_default(),
            draw: if self.sz { Draw::Alternating } else { Draw::Uniform },
            shows_next: !self.hide_next,
            looks: Looks { is_monochrome: self.monochrome, has_shadow: self.shadow },
        };
        let size = self.board.map_or(SIZE, |BoardSize(size)| size);
        let mut game = Game::new(size, settings, seed).map_err(|error| Misuse(format!("--board: {error}")))?;
        for _ in 0..self.junk.unwrap_or(0) {
            game.insert_junk_row()?;
        }
        Ok(game)
    }

    /// Times a row by level from 0 with the speed bias of a game, ms; `None` if it is none.
    pub fn row_ms(bias: SpeedBias) -> Option<Vec<f64>> {
        let row_ms = |level| match cadence(level, bias) {
            Cadence::EveryMs(ms) => f64::from(ms),
            Cadence::PerFrame(rows) => standard::Machine::frame_ms() / f64::from(rows),
        };
        (bias != SpeedBias::default()).then(|| (0..=*standard::LEVELS.end()).map(row_ms).collect())
    }
}
