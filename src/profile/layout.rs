//! A layout: how one game draws itself, in units of its own cells, and how it answers to buttons.
//!
//! Coordinates are *field units*: (0, 0) is the playfield's top-left outer corner, one unit is one cell's width or
//! height, so the bottom-right corner of a 10 × 20 field is (10, 20). Things beside the field have negative or larger
//! coordinates. A layout knows nothing about cameras.

use crate::file::{self, FileError, SETTINGS_BYTES_MAX};
use crate::game::board::MAX_ROWS;
use crate::game::piece::Piece;
use crate::game::rules::Rules;
use crate::game::{Buttons, Movement};
use crate::profile::game_file::{GameFile, GameFileError, Levels, RulesSpec};
use crate::profile::spawn::{self, SpawnShape};
use serde::Deserialize;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use thiserror::Error;

/// The layouts that come with the program, by name.
const BUILT_IN: [(&str, &str); 10] = [
    ("nes", include_str!("../../calibration/layouts/nes.toml")),
    ("vitetris", include_str!("../../calibration/layouts/vitetris.toml")),
    ("gameboy", include_str!("../../calibration/layouts/gameboy.toml")),
    ("ltris", include_str!("../../calibration/layouts/ltris.toml")),
    ("tint", include_str!("../../calibration/layouts/tint.toml")),
    ("bastet", include_str!("../../calibration/layouts/bastet.toml")),
    ("standard", include_str!("../../calibration/layouts/standard.toml")),
    ("guideline", include_str!("../../calibration/layouts/guideline.toml")),
    ("tetris-terminal", include_str!("../../calibration/layouts/tetris-terminal.toml")),
    ("tetris-tui", include_str!("../../calibration/layouts/tetris-tui.toml")),
];

/// The most boxes after the next one.
pub const QUEUE_MAX: usize = 8;

/// Why a layout cannot be used.
#[derive(Debug, Error)]
pub enum LayoutError {
    /// No such name, and no such file.
    #[error("no layout named {name:?}; use one of {known}, or give the path of a .toml file")]
    Unknown {
        /// What was asked for.
        name: String,
        /// The built-in names.
        known: String,
    },
    /// The file cannot be read, or is too long.
    #[error("cannot use the layout {path}")]
    Read {
        /// The file.
        path: PathBuf,
        /// Why.
        source: FileError,
    },
    /// The text is no layout.
    #[error(
        "the layout {name} is not valid; correct the line named below (calibration/layouts/nes.toml is an example)"
    )]
    Parse {
        /// Name or path.
        name: String,
        /// Where and why.
        source: Box<toml::de::Error>,
    },
    /// The text is a layout that contradicts itself.
    #[error("the layout {name} is not valid: {problem}; correct it (calibration/layouts/nes.toml is an example)")]
    Invalid {
        /// Name or path.
        name: String,
        /// What is wrong.
        problem: String,
    },
    /// It names a game that is none.
    #[error("the layout {name} cannot take its game's rules")]
    Game {
        /// Name or path.
        name: String,
        /// Why.
        source: Box<GameFileError>,
    },
    /// Nothing can be planned for a game of unknown rules.
    #[error(
        "the layout {name} does not say how its game plays, so no press can be planned; add a line such as `game = \"nes\"` \
         or a [rules] section to a copy of its file (docs/layouts.md says how) and calibrate with that"
    )]
    NoRules {
        /// The layout's name.
        name: String,
    },
}

/// The playfield's size.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FieldShape {
    /// Columns, 4–16.
    pub columns: usize,
    /// Rows, 4–40.
    pub rows: usize,
    /// A cell's width over its height, as the game's screen shows it.
    #[serde(default = "one")]
    pub cell_aspect: f64,
}

/// Whether blocks are brighter or darker than the empty field.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Polarity {
    /// Bright blocks on a dark field.
    LightOnDark,
    /// Dark blocks on a light field.
    DarkOnLight,
    /// Blocks of any colour on a light field: a dark game with light and dark reversed.
    #[serde(skip)]
    ColourOnLight,
}

impl Polarity {
    /// The other one.
    pub fn reversed(self) -> Self {
        match self {
            Self::LightOnDark => Self::ColourOnLight,
            Self::DarkOnLight | Self::ColourOnLight => Self::LightOnDark,
        }
    }
}

/// The box that shows the next piece; the piece, in its spawn orientation, is centred in it.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NextBox {
    /// Centre of the piece's bounding box, field units.
    pub center: [f64; 2],
    /// Width and height of the area to look at, field units; large enough for the widest piece, without the frame.
    pub size: [f64; 2],
    /// A cell's width and height in the box, field units.
    #[serde(default = "one_by_one")]
    pub cell: [f64; 2],
}

/// A layout, as read from its file.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Layout {
    /// Its name, as on the command line.
    pub name: String,
    /// What it is, in a line.
    pub title: String,
    /// The field.
    pub field: FieldShape,
    /// Bright or dark blocks.
    pub polarity: Polarity,
    /// Light and dark have changed places against the layout's file: see [`Self::reversed`].
    #[serde(skip)]
    pub is_reversed: bool,
    /// Every piece's place and shape at spawn, by letter.
    pub spawn: BTreeMap<Piece, SpawnShape>,
    /// The next box, if the game has one.
    pub next: Option<NextBox>,
    /// Further boxes, of the pieces after the next one, in their order; at most eight.
    #[serde(default)]
    pub queue: Vec<NextBox>,
    /// The box of the held piece, if the game has one.
    pub hold: Option<NextBox>,
    /// Whether the game draws a faint or outlined copy of the falling piece where it will land.
    #[serde(default)]
    pub ghost: bool,
    /// Whether pieces appear in any of their rotations, in the field and in the boxes; also where the game's file says so.
    #[serde(default)]
    pub turned: bool,
    /// What surrounds the field, for finding it without a click. See [`mod@crate::vision::locate`].
    #[serde(default)]
    pub locate: LocateHints,
    /// The game that it shows, by name or as a path: its rules are in a file of its own, see [`GameFile`].
    pub game: Option<String>,
    /// The rules the game plays by, if the layout or the game's file says so: without them it can be looked at, and not played.
    /// See [`crate::game`].
    pub rules: Option<RulesSpec>,
    /// The levels at which a game can begin, where the game's file says so.
    #[serde(skip)]
    pub levels: Option<Levels>,
    /// Which key of a PC's keyboard stands for which button, by name, where it is not the usual one.
    #[serde(default)]
    pub keys: BTreeMap<String, String>,
}

/// What the finder may rely on: rectangles that the game always draws around its field.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct LocateHints {
    /// The rectangles. The search begins with the first: choose a large one whose edges stand out, best the field's own.
    pub frames: Vec<FrameMark>,
}

/// A rectangle with straight edges that stay while the game is played.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FrameMark {
    /// Left, top, right, bottom, field units.
    pub rect: [f64; 4],
    /// What lies just outside of the edge, compared with just inside.
    pub outward: Outward,
    /// Which of its sides are drawn.
    #[serde(default = "all_sides")]
    pub sides: Vec<Side>,
}

/// Which way brightness changes across an edge.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Outward {
    /// Brighter outside.
    Brighter,
    /// Darker outside.
    Darker,
}

impl Outward {
    fn reversed(self) -> Self {
        match self {
            Self::Brighter => Self::Darker,
            Self::Darker => Self::Brighter,
        }
    }
}

/// A side of a rectangle.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[allow(missing_docs)]
pub enum Side {
    Left,
    Top,
    Right,
    Bottom,
}

impl Layout {
    /// A built-in layout by name, or one from a `.toml` file by path.
    ///
    /// # Errors
    /// When there is none, or when it is not valid.
    pub fn load(name_or_path: &str) -> Result<Self, LayoutError> {
        if let Some((name, text)) = BUILT_IN.iter().find(|(n, _)| *n == name_or_path) {
            return Self::parse(name, text);
        }
        let path = Path::new(name_or_path);
        if path.extension().is_none_or(|e| e != "toml") {
            let known = BUILT_IN.map(|(n, _)| n).join(", ");
            return Err(LayoutError::Unknown { name: name_or_path.into(), known });
        }
        let text = file::read_text(path, SETTINGS_BYTES_MAX)
            .map_err(|source| LayoutError::Read { path: path.into(), source })?;
        Self::parse(name_or_path, &text)
    }

    /// All built-in layouts.
    pub fn built_in() -> Vec<Self> {
        BUILT_IN.iter().filter_map(|(name, text)| Self::parse(name, text).ok()).collect()
    }

    /// A layout from its text; `name` is used in errors.
    ///
    /// # Errors
    /// When the text is no layout, or one that contradicts itself.
    pub fn parse(name: &str, text: &str) -> Result<Self, LayoutError> {
        let mut layout: Self =
            toml::from_str(text).map_err(|e| LayoutError::Parse { name: name.into(), source: Box::new(e) })?;
        if let Some(problem) = layout.take_rules(name)? {
            return Err(LayoutError::Invalid { name: name.into(), problem });
        }
        match layout.problem() {
            Some(problem) => Err(LayoutError::Invalid { name: name.into(), problem }),
            None => Ok(layout),
        }
    }

    /// The same game with light and dark reversed: a handheld whose screen was turned round, an inverted capture.
    pub fn reversed(&self) -> Self {
        let mut other = Self { polarity: self.polarity.reversed(), is_reversed: !self.is_reversed, ..self.clone() };
        other.locate.frames.iter_mut().for_each(|frame| frame.outward = frame.outward.reversed());
        other
    }

    /// Checks that the game can be played by the layout's rules.
    ///
    /// # Errors
    /// When it gives none.
    pub fn check_rules(&self) -> Result<(), LayoutError> {
        self.rules.as_ref().map(|_| ()).ok_or_else(|| LayoutError::NoRules { name: self.name.clone() })
    }

    /// What whoever only looks takes for granted where the layout gives no rules.
    pub fn assumption(&self) -> Option<String> {
        self.rules.is_none().then(|| {
            format!(
                "the layout {} does not say how its game plays: speed, turns and levels are taken to be the NES's, so what is \
                 said of them may be wrong; a [rules] section would tell",
                self.name
            )
        })
    }

    /// The rules of the game; where a setting of the game decides, the likeliest. The NES's where none are given.
    pub fn game_rules(&self) -> Rules {
        self.rule_variants().into_iter().next().unwrap_or(Rules::Nes)
    }

    /// All rules that the game may follow, the likeliest first: one, unless the layout leaves something open.
    pub fn rule_variants(&self) -> Vec<Rules> {
        // Checked when the layout was parsed.
        self.rules.as_ref().map_or_else(|| vec![Rules::Nes], |rules| rules.variants().unwrap_or_default())
    }

    /// How the layout's pieces appear and turn; `None` if one appears in a shape that is none of its own.
    pub fn movement(&self) -> Option<Movement> {
        let cells = Piece::ALL.map(|piece| self.spawn_cells(piece));
        let mut movement = Movement::new(cells, self.game_rules().rotation().clone())?;
        self.spawn.iter().for_each(|(piece, shape)| movement.begin_above(*piece, shape.rows_above()));
        movement.appear_turned(self.turned);
        Some(movement)
    }

    /// The spawn cells of a piece, as (column, row) of the field.
    pub fn spawn_cells(&self, piece: Piece) -> Vec<(usize, usize)> {
        self.spawn.get(&piece).map(SpawnShape::field_cells).unwrap_or_default()
    }

    /// Takes the rules from the file of the game that is named; what of it contradicts the layout.
    fn take_rules(&mut self, name: &str) -> Result<Option<String>, LayoutError> {
        let Some(game) = &self.game else { return Ok(None) };
        if self.rules.is_some() {
            return Ok(Some("game and [rules] both say how it plays; keep one".into()));
        }
        let beside = Path::new(name).with_file_name(game);
        let is_file = game.ends_with(".toml") && beside.is_file();
        let game = beside.to_str().filter(|_| is_file).unwrap_or(game);
        let game = GameFile::load(game).map_err(|e| LayoutError::Game { name: name.into(), source: Box::new(e) })?;
        Ok(self.play(&game))
    }

    /// The same screen with another game on it, which says where its pieces appear.
    ///
    /// # Errors
    /// When the game does not say that, or its field is of another size.
    pub fn showing(&self, game: &GameFile) -> Result<Self, LayoutError> {
        let spawn = if game.spawn.is_empty() { self.spawn.clone() } else { game.spawn.clone() };
        let mut other = Self { spawn, game: None, ..self.clone() };
        match other.play(game).or_else(|| other.problem()) {
            Some(problem) => Err(LayoutError::Invalid { name: self.name.clone(), problem }),
            None => Ok(other),
        }
    }

    /// From now on the game plays by the rules of this file; if it is not of the field's size, what is wrong.
    pub fn play(&mut self, game: &GameFile) -> Option<String> {
        let ([columns, rows], own) = (game.field.size(), [self.field.columns, self.field.rows]);
        if own != [columns, rows] {
            let [own_columns, own_rows] = own;
            let name = &game.name;
            return Some(format!(
                "its field has {own_columns} × {own_rows} cells, that of its game {name} {columns} × {rows}; give both the same"
            ));
        }
        let cells = |spawn: &BTreeMap<Piece, SpawnShape>, piece| {
            let mut cells = spawn.get(&piece).map(SpawnShape::field_cells).unwrap_or_default();
            cells.sort_unstable();
            cells
        };
        let elsewhere = game.spawn.keys().find(|&&piece| cells(&game.spawn, piece) != cells(&self.spawn, piece));
        if let Some(piece) = elsewhere {
            return Some(format!("[spawn.{piece}] differs from that of its game {}; give both the same", game.name));
        }
        self.rules = Some(game.rules.clone());
        self.levels = Some(game.levels).filter(|levels| *levels != Levels::default());
        self.turned |= game.pieces.turned;
        None
    }

    fn problem(&self) -> Option<String> {
        let FieldShape { columns, rows, cell_aspect } = self.field;
        if !(4..=16).contains(&columns) || !(4..=MAX_ROWS).contains(&rows) {
            return Some(format!("a field of {columns} × {rows} cells; 4–16 columns and 4–40 rows are possible"));
        }
        if !(0.2..=5.0).contains(&cell_aspect) {
            return Some(format!("cell_aspect = {cell_aspect}; it must be between 0.2 and 5"));
        }
        if let Some((piece, words)) = spawn::problem(&self.spawn, [columns, rows]) {
            return Some(format!("[spawn.{piece}] {words}"));
        }
        if let Some(button) = self.keys.keys().find(|name| Buttons::from_name(name).is_none()) {
            return Some(format!("[keys] names a button {button:?} that there is not"));
        }
        if let Some(Err(problem)) = self.rules.as_ref().map(RulesSpec::variants) {
            return Some(problem.to_string());
        }
        for FrameMark { rect: [left, top, right, bottom], .. } in &self.locate.frames {
            let near = [left, top, right, bottom].iter().all(|v| v.abs() < 100.0);
            if !near || left >= right || top >= bottom {
                return Some(
                    "[locate] frames need a rect of [left, top, right, bottom], left < right, top < bottom".into(),
                );
            }
        }
        if self.queue.len() > QUEUE_MAX || self.next.is_none() && !self.queue.is_empty() {
            return Some(format!("[[queue]] needs a [next] before it, and at most {QUEUE_MAX} boxes"));
        }
        let is_box = |b: &NextBox| {
            let finite = b.center.iter().all(|v| v.is_finite() && v.abs() < 100.0);
            finite && b.size.iter().chain(&b.cell).all(|v| (0.1..100.0).contains(v))
        };
        let is_wrong = !self.next.iter().chain(&self.queue).chain(&self.hold).all(is_box);
        is_wrong
            .then(|| "[next], [hold] and every [[queue]] must have a finite center and a positive size and cell".into())
    }
}

fn all_sides() -> Vec<Side> {
    vec![Side::Left, Side::Top, Side::Right, Side::Bottom]
}

fn one() -> f64 {
    1.0
}

fn one_by_one() -> [f64; 2] {
    [1.0, 1.0]
}
