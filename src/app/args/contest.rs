//! What is played on the model alone: the game, and what the fingers can do.

use crate::app::args::Misuse;
use crate::app::args::finger::FingerSpec;
use crate::game::{Board, Movement, Rules};
use crate::planner::timed::{Hand, HandError, Style};
use crate::profile::layout::Layout;
use crate::train::{Contest, Finger, Generator, Rising, Start};
use anyhow::Context;
use std::fmt::{self, Display};
use std::str::FromStr;

/// The level at which the console's games start, and the lines to which they go, where nothing is said.
const CONSOLE_LEVEL: u8 = 18;
const CONSOLE_LINES: u64 = 230;
/// The same of a B-Type game, and the most garbage that its menu offers.
const B_TYPE_LEVEL: u8 = 19;
const B_TYPE_LINES: u64 = 25;
const HEIGHT_MAX: u8 = 5;
/// Pieces after which `worsening` ones are S and Z alone.
const WORSENING_PIECES: u64 = 1000;
/// What a finger may be.
const FINGERS: &str = "use free, unturned, relay, solid, or hz:N with N from 4 to 30 taps a second";
/// Fields that a game can have.
const COLUMNS: std::ops::RangeInclusive<usize> = 4..=16;
const ROWS: std::ops::RangeInclusive<usize> = 4..=40;

/// A game.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum GameSpec {
    /// The console's.
    Nes,
    /// The console's B-Type: 25 lines above its own garbage of this height.
    BType(u8),
    /// The game of the literature: uniform pieces, turned and moved above the field and dropped.
    Simple {
        /// Columns of the field.
        columns: usize,
        /// Its rows.
        rows: usize,
    },
    /// Standard Tetris: the same in ten columns, but pieces are turned and moved within the field, where they appear.
    Standard {
        /// Rows of the field.
        rows: usize,
    },
}

impl FromStr for GameSpec {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let size = |text: &str| {
            let (columns, rows) = text.split_once('x')?;
            let (columns, rows) = (columns.parse().ok()?, rows.parse().ok()?);
            (COLUMNS.contains(&columns) && ROWS.contains(&rows)).then_some((columns, rows))
        };
        let simple = |text: &str| size(text).map(|(columns, rows)| Self::Simple { columns, rows });
        let standard = |text: &str| size(text).filter(|(columns, _)| *columns == 10);
        let height = |text: &str| {
            let height = text.strip_prefix("b-type:")?.parse().ok()?;
            (0..=HEIGHT_MAX).contains(&height).then_some(Self::BType(height))
        };
        match text {
            "nes" => Some(Self::Nes),
            _ if text.starts_with("b-type:") => height(text),
            "simple" => Some(Self::Simple { columns: 10, rows: 20 }),
            "standard" => Some(Self::Standard { rows: 20 }),
            _ if text.starts_with("standard:") => {
                text.strip_prefix("standard:").and_then(standard).map(|(_, rows)| Self::Standard { rows })
            }
            _ => text.strip_prefix("simple:").and_then(simple),
        }
        .ok_or_else(|| {
            "use nes, b-type:H with H from 0 to 5, simple, standard, simple:WxH with 4 to 16 columns and 4 to 40 rows, such as \
             simple:10x10, or standard:10xH with as many rows"
                .into()
        })
    }
}

impl Display for GameSpec {
    /// As it is read.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Nes => f.write_str("nes"),
            Self::BType(height) => write!(f, "b-type:{height}"),
            Self::Simple { columns, rows } => write!(f, "simple:{columns}x{rows}"),
            Self::Standard { rows } => write!(f, "standard:10x{rows}"),
        }
    }
}

/// What can be done with a piece on the console.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Fingers {
    /// Everything: time does not press.
    Free,
    /// The same without a turn.
    Unturned,
    /// What can be tapped in time.
    Timed(FingerSpec),
}

impl FromStr for Fingers {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "free" => Ok(Self::Free),
            "unturned" => Ok(Self::Unturned),
            _ => {
                let spec = text.parse::<FingerSpec>().map_err(|_| FINGERS.to_string())?;
                hand(spec).map_err(|error| error.to_string())?;
                Ok(Self::Timed(spec))
            }
        }
    }
}

impl Display for Fingers {
    /// As it is read.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Free => f.write_str("free"),
            Self::Unturned => f.write_str("unturned"),
            Self::Timed(spec) => spec.fmt(f),
        }
    }
}

fn hand(spec: FingerSpec) -> Result<Hand, HandError> {
    Hand::of(spec.finger(&Rules::Nes))
}

/// Which pieces come.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum Draw {
    /// By the console's register, read at irregular times: seldom the same twice.
    Console,
    /// Each of the seven as often, whatever came before.
    Uniform,
    /// S and Z in turn: on fields whose width is no multiple of four every game ends.
    Alternating,
    /// The console's, S and Z more and more often, and after 1,000 pieces nothing else.
    Worsening,
}

impl From<Draw> for Generator {
    fn from(draw: Draw) -> Self {
        match draw {
            Draw::Console => Self::Console,
            Draw::Uniform => Self::Uniform,
            Draw::Alternating => Self::Alternating,
            Draw::Worsening => Self::Worsening(WORSENING_PIECES),
        }
    }
}

/// When a row of junk rises.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Rises {
    /// For every line that is cleared.
    Cleared,
    /// After as many pieces each.
    Pieces(u64),
}

impl FromStr for Rises {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let pieces = || text.parse().ok().filter(|pieces| *pieces > 0).map(Self::Pieces);
        let rises = if text == "cleared" { Some(Self::Cleared) } else { pieces() };
        rises.ok_or_else(|| "use cleared (a row for every line), or a number of pieces from 1".into())
    }
}

/// Options that say what is played.
#[derive(clap::Args, Debug, Clone, Copy)]
pub struct GameArgs {
    /// nes, its B-Type (25 lines from level 19 above the console's own garbage): b-type:H for a height H of 0 to 5, the
    /// simplified game of the literature (uniform pieces, dropped straight down): simple, or simple:WxH for a field of W columns
    /// and H rows, or Standard Tetris (the same, but pieces turn within the field): standard, or standard:10xH.
    #[arg(help_heading = "Game", long, default_value = "nes")]
    pub game: GameSpec,
    /// Level at which games start [default: 18 on the console, 19 in its B-Type, else 0].
    #[arg(help_heading = "Game", long, value_parser = clap::value_parser!(u8).range(0..=29))]
    level: Option<u8>,
    /// Games end with as many lines [default: 230 on the console, 25 in its B-Type, else when they
    /// are lost].
    #[arg(help_heading = "Game", long, value_parser = crate::app::args::values::count)]
    to_lines: Option<u64>,
    /// Games end after as many pieces.
    #[arg(help_heading = "Game", long, value_parser = crate::app::args::values::count)]
    pub to_pieces: Option<u64>,
    /// Which pieces come [default: by the game].
    #[arg(help_heading = "Game", long, value_enum)]
    generator: Option<Draw>,
    /// Rows of junk, each of which lacks one cell, at the start.
    #[arg(help_heading = "Game", long, value_name = "ROWS", value_parser = crate::app::args::values::count)]
    junk_rows: Option<u64>,
    /// When a row of junk rises from below: cleared (for every line that is cleared), or after so many pieces each.
    #[arg(help_heading = "Game", long, value_name = "cleared|PIECES")]
    junk_rises: Option<Rises>,
    /// What can be done with a piece: free (time does not press), unturned (free, but never turned), relay, solid, or hz:N
    /// taps a second [default: free; simple games know no time].
    #[arg(help_heading = "Players", long)]
    pub finger: Option<Fingers>,
    /// Frames from a piece's appearance until the player knows the next one.
    #[arg(help_heading = "Players", long, default_value_t = 0)]
    pub reaction_frames: u8,
}

impl Display for GameArgs {
    /// In words, the same for the same game.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { game, level, to_lines, to_pieces, generator, finger, reaction_frames, .. } = self;
        write!(f, "{game}, ")?;
        match finger {
            Some(finger) => finger.fmt(f)?,
            None => f.write_str("free")?,
        }
        let told =
            |name: &str, number: Option<u64>| number.map_or(String::new(), |number| format!(", {name} {number}"));
        f.write_str(&told("level", level.map(u64::from)))?;
        f.write_str(&told("to lines", *to_lines))?;
        f.write_str(&told("to pieces", *to_pieces))?;
        f.write_str(&told("reaction frames", (*reaction_frames > 0).then_some(u64::from(*reaction_frames))))?;
        generator.map_or(Ok(()), |generator| write!(f, ", {generator:?}"))
    }
}

impl GameArgs {
    /// The game.
    ///
    /// # Errors
    /// When options do not go together.
    pub fn contest(&self) -> anyhow::Result<Contest> {
        let movement = Layout::load("nes")?.movement().context("the NES spawns known pieces")?;
        let finger = self.finger()?;
        let contest = match self.game {
            GameSpec::Nes => Contest::console(movement, finger, CONSOLE_LEVEL, CONSOLE_LINES),
            GameSpec::BType(height) => Contest {
                start: Start::BType(height),
                ..Contest::console(movement, finger, B_TYPE_LEVEL, B_TYPE_LINES)
            },
            GameSpec::Simple { columns, rows } => uniform(movement, finger, Board::new(columns, rows)),
            GameSpec::Standard { rows } => uniform(movement, finger, Board::new(10, rows)),
        };
        Ok(Contest {
            start_level: self.level.unwrap_or(contest.start_level),
            to_lines: self.to_lines.unwrap_or(contest.to_lines),
            to_pieces: self.to_pieces.unwrap_or(contest.to_pieces),
            generator: self.generator.map_or(contest.generator, Generator::from),
            start: self.start(&contest)?,
            rising: match self.junk_rises {
                None => Rising::Never,
                Some(Rises::Cleared) => Rising::Cleared,
                Some(Rises::Pieces(pieces)) => Rising::Every(pieces),
            },
            ..contest
        })
    }

    /// Whether there is any junk.
    pub fn has_junk(&self) -> bool {
        self.junk_rows.is_some() || self.junk_rises.is_some()
    }

    fn start(&self, contest: &Contest) -> Result<Start, Misuse> {
        let Some(rows) = self.junk_rows else { return Ok(contest.start) };
        if matches!(self.game, GameSpec::BType(_)) {
            return Err(Misuse("a B-Type game begins above its own garbage; leave out --junk-rows".into()));
        }
        let most = contest.field.height() as u64 / 2;
        if rows > most {
            return Err(Misuse(format!(
                "--junk-rows {rows} leaves no room to play; give at most {most} in this field"
            )));
        }
        Ok(Start::Junk(rows))
    }

    fn finger(&self) -> anyhow::Result<Finger> {
        let is_simple = matches!(self.game, GameSpec::Simple { .. } | GameSpec::Standard { .. });
        if is_simple && self.finger.is_some() {
            let words = "in simple games and Standard Tetris pieces are turned and moved at the top and dropped; leave out --finger";
            return Err(Misuse(words.into()).into());
        }
        let timed = match self.finger {
            Some(Fingers::Timed(spec)) => Some(spec),
            _ => None,
        };
        if timed.is_none() && self.reaction_frames > 0 {
            let words =
                "--reaction-frames counts only where time presses; leave it out, or give a --finger such as hz:30";
            return Err(Misuse(words.into()).into());
        }
        Ok(match (self.game, self.finger, timed) {
            (GameSpec::Simple { .. }, ..) => Finger::Dropping,
            (GameSpec::Standard { .. }, ..) => Finger::Standard,
            (_, _, Some(spec)) => timed_finger(spec, self.reaction_frames)?,
            (_, Some(Fingers::Unturned), _) => Finger::Unturned,
            _ => Finger::Free,
        })
    }
}

/// A game without an end of its own, in which each piece is as likely.
fn uniform(movement: Movement, finger: Finger, field: Board) -> Contest {
    Contest { field, generator: Generator::Uniform, ..Contest::console(movement, finger, 0, u64::MAX) }
}

/// A thumb that taps as fast as the game repeats gains nothing by holding.
fn timed_finger(spec: FingerSpec, reaction_frames: u8) -> anyhow::Result<Finger> {
    let hand = hand(spec)?;
    let pace = Rules::Nes.pace(0).context("the console is known to the frame")?;
    let style = if hand.period() <= usize::from(pace.repeat_frames()) { Style::Taps } else { Style::Holds };
    Ok(Finger::Timed { hand, style, reaction_frames })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn games_and_fingers_are_read_as_written() {
        for text in ["nes", "b-type:5", "simple:10x20", "simple:8x12", "standard:10x10"] {
            assert_eq!(text.parse::<GameSpec>().unwrap().to_string(), text);
        }
        assert_eq!("simple".parse(), Ok(GameSpec::Simple { columns: 10, rows: 20 }));
        assert_eq!("standard".parse(), Ok(GameSpec::Standard { rows: 20 }));
        for wrong in [
            "",
            "snes",
            "simple:",
            "simple:10",
            "simple:3x20",
            "simple:10x41",
            "simple:ax3",
            "standard:8x20",
            "b-type",
            "b-type:6",
        ] {
            assert!(wrong.parse::<GameSpec>().unwrap_err().contains("such as simple:10x10"), "{wrong}");
        }
        for text in ["free", "unturned", "relay", "solid", "hz:30", "hz:4"] {
            assert_eq!(text.parse::<Fingers>().unwrap().to_string(), text);
        }
        assert!("hz:2".parse::<Fingers>().unwrap_err().contains("at most 16 for both together"));
        assert!("thumb".parse::<Fingers>().unwrap_err().contains("use free, unturned, relay"));
    }

    #[test]
    fn quick_thumbs_tap_and_slow_ones_hold() {
        let style = |text: &str| match timed_finger(text.parse().unwrap(), 0).unwrap() {
            Finger::Timed { style, .. } => style,
            other => panic!("{other:?}"),
        };
        assert_eq!(["hz:30", "hz:10", "relay"].map(style), [Style::Taps; 3]);
        assert_eq!(["hz:9", "hz:5"].map(style), [Style::Holds; 2]);
    }
}
