//! A layout: how one game draws itself, in units of its own cells, and how it answers to buttons.
//!
//! Coordinates are *field units*: (0, 0) is the playfield's top-left outer corner, one unit is one cell's width or
//! height, so the bottom-right corner of a 10 × 20 field is (10, 20). Things beside the field have negative or larger
//! coordinates. A layout knows nothing about cameras.

use crate::file::{self, FileError, SETTINGS_BYTES_MAX};
use crate::game::board::MAX_ROWS;
use crate::game::piece::Piece;
use crate::game::rotation::{Handedness, RotationSystem};
use crate::game::rules::{Counting, Rules, SimpleRules};
use crate::game::{Buttons, Movement};
use serde::Deserialize;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use thiserror::Error;

/// The layouts that come with the program, by name.
const BUILT_IN: [(&str, &str); 5] = [
    ("nes", include_str!("../../calibration/layouts/nes.toml")),
    ("vitetris", include_str!("../../calibration/layouts/vitetris.toml")),
    ("gameboy", include_str!("../../calibration/layouts/gameboy.toml")),
    ("ltris", include_str!("../../calibration/layouts/ltris.toml")),
    ("standard", include_str!("../../calibration/layouts/standard.toml")),
];

/// The most boxes after the next one.
const QUEUE_MAX: usize = 8;

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
    /// Nothing can be planned for a game of unknown rules.
    #[error(
        "the layout {name} does not say how its game plays, so no press can be planned; add a [rules] section to a copy of \
         its file (docs/layouts.md says how; `family = \"nes\"` is the NES's) and calibrate with that"
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

/// Where a piece appears: its cells as a picture, and the field cell of the picture's top-left corner.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SpawnShape {
    /// Column of the picture's left edge, from 0.
    pub column: usize,
    /// Row of the picture's top edge, from 0.
    pub row: usize,
    /// Rows of the picture, `#` for a cell of the piece.
    pub cells: Vec<String>,
}

impl SpawnShape {
    /// The piece's four cells as (column, row) of the field.
    pub fn field_cells(&self) -> Vec<(usize, usize)> {
        self.shape_cells().into_iter().map(|(x, y)| (x + self.column, y + self.row)).collect()
    }

    /// The piece's four cells as (column, row) within the picture.
    pub fn shape_cells(&self) -> Vec<(usize, usize)> {
        let mut cells = Vec::new();
        for (y, line) in self.cells.iter().enumerate() {
            cells.extend(line.chars().enumerate().filter(|(_, c)| *c == '#').map(|(x, _)| (x, y)));
        }
        cells
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
    /// Whether the game draws a faint or outlined copy of the falling piece where it will land.
    #[serde(default)]
    pub ghost: bool,
    /// What surrounds the field, for finding it without a click. See [`mod@crate::vision::locate`].
    #[serde(default)]
    pub locate: LocateHints,
    /// The rules the game plays by, if the layout says so: without them it can be looked at, and not played. See
    /// [`crate::game`].
    pub rules: Option<RulesSpec>,
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

/// The rules the game plays by.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(tag = "family", rename_all = "kebab-case", deny_unknown_fields)]
pub enum RulesSpec {
    /// The NES, NTSC: A turns clockwise, B counter-clockwise.
    Nes,
    /// Every tap moves once; see [`crate::game::rules::SimpleRules`].
    Simple {
        /// Milliseconds a row, by level from 0; the last holds for all higher levels.
        row_ms: Vec<f64>,
        /// Button that turns clockwise.
        clockwise: Option<String>,
        /// Button that turns counter-clockwise.
        counter_clockwise: Option<String>,
        /// The only button that turns, one way or the other as set in the game; found out by playing.
        turn: Option<String>,
        /// Where I, S and Z stand upright; without it, as set in the game, and found out by playing.
        handedness: Option<Handedness>,
        /// Button that drops and locks at once.
        hard_drop: Option<String>,
        /// This long after a piece appeared, ms, it cannot be dropped unless it was moved.
        #[serde(default)]
        drop_guard_ms: f64,
        /// From the moment at which a resting piece would have fallen to its lock, ms.
        #[serde(default)]
        lock_delay_ms: f64,
        /// How pieces turn, in the place of `handedness`.
        rotation: Option<NamedRotation>,
        /// No cell of a piece may be above the field.
        #[serde(default)]
        closed_top: bool,
        /// A tap of Down is a row.
        #[serde(default = "yes")]
        soft_drop: bool,
        /// The drop key locks the piece.
        #[serde(default = "yes")]
        drop_locks: bool,
        /// What lines count for.
        #[serde(default)]
        counting: Counting,
    },
}

/// A way to turn pieces that has a name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum NamedRotation {
    /// See [`RotationSystem::standard`].
    Standard,
}

impl RulesSpec {
    /// All rules that the game may follow, the likeliest first; on failure, what is wrong in words.
    fn build(&self) -> Result<Vec<Rules>, String> {
        let Self::Simple {
            row_ms,
            clockwise,
            counter_clockwise,
            turn,
            handedness,
            hard_drop,
            drop_guard_ms,
            lock_delay_ms,
            rotation,
            closed_top,
            soft_drop,
            drop_locks,
            counting,
        } = self
        else {
            return Ok(vec![Rules::Nes]);
        };
        if row_ms.is_empty() || row_ms.iter().any(|ms| !(1.0..=10_000.0).contains(ms)) {
            return Err("rules.row_ms must be a list of times between 1 and 10,000 ms".into());
        }
        if [drop_guard_ms, lock_delay_ms].into_iter().any(|ms| !(0.0..=10_000.0).contains(ms)) {
            return Err("rules.drop_guard_ms and rules.lock_delay_ms must lie between 0 and 10,000 ms".into());
        }
        let button = |name: &Option<String>| match name {
            None => Ok(None),
            Some(name) => Buttons::from_name(name).map(Some).ok_or(format!("there is no button {name:?}")),
        };
        let turns = match (button(turn)?, button(clockwise)?, button(counter_clockwise)?) {
            (None, clockwise, counter_clockwise) => vec![(clockwise, counter_clockwise)],
            (turn, None, None) => vec![(turn, None), (None, turn)],
            _ => return Err("rules.turn stands in the place of clockwise and counter_clockwise; keep one".into()),
        };
        let systems = match (rotation, handedness) {
            (Some(_), Some(_)) => {
                return Err("rules.rotation says where pieces stand upright, as handedness does; keep one".into());
            }
            (Some(NamedRotation::Standard), None) => vec![RotationSystem::standard()],
            (None, Some(hand)) => vec![RotationSystem::classic(*hand)],
            (None, None) => Handedness::ALL.map(RotationSystem::classic).to_vec(),
        };
        let hard_drop = button(hard_drop)?;
        let variants = turns.into_iter().flat_map(|(clockwise, counter_clockwise)| {
            systems.clone().into_iter().map(move |system| {
                Rules::Simple(Arc::new(SimpleRules {
                    row_ms: row_ms.clone(),
                    clockwise,
                    counter_clockwise,
                    hard_drop,
                    rotation: system.clone(),
                    drop_guard_ms: *drop_guard_ms,
                    lock_delay_ms: *lock_delay_ms,
                    closed_top: *closed_top,
                    soft_drop: *soft_drop,
                    drop_locks: *drop_locks,
                    counting: *counting,
                }))
            })
        });
        Ok(variants.collect())
    }
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
        let layout: Self =
            toml::from_str(text).map_err(|e| LayoutError::Parse { name: name.into(), source: Box::new(e) })?;
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
        self.rules.as_ref().map_or_else(|| vec![Rules::Nes], |rules| rules.build().unwrap_or_default())
    }

    /// How the layout's pieces appear and turn; `None` if one appears in a shape that is none of its own.
    pub fn movement(&self) -> Option<Movement> {
        Movement::new(Piece::ALL.map(|piece| self.spawn_cells(piece)), self.game_rules().rotation().clone())
    }

    /// The spawn cells of a piece, as (column, row) of the field.
    pub fn spawn_cells(&self, piece: Piece) -> Vec<(usize, usize)> {
        self.spawn.get(&piece).map(SpawnShape::field_cells).unwrap_or_default()
    }

    fn problem(&self) -> Option<String> {
        let FieldShape { columns, rows, cell_aspect } = self.field;
        if !(4..=16).contains(&columns) || !(4..=MAX_ROWS).contains(&rows) {
            return Some(format!("a field of {columns} × {rows} cells; 4–16 columns and 4–40 rows are possible"));
        }
        if !(0.2..=5.0).contains(&cell_aspect) {
            return Some(format!("cell_aspect = {cell_aspect}; it must be between 0.2 and 5"));
        }
        for piece in Piece::ALL {
            let Some(spawn) = self.spawn.get(&piece) else {
                return Some(format!("no [spawn.{piece}]"));
            };
            let cells = spawn.field_cells();
            if cells.len() != 4 || cells.iter().any(|&(x, y)| x >= columns || y >= rows) {
                return Some(format!("[spawn.{piece}] must show four cells inside the field"));
            }
        }
        if let Some(Err(problem)) = self.rules.as_ref().map(RulesSpec::build) {
            return Some(problem);
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
        let is_wrong = !self.next.iter().chain(&self.queue).all(is_box);
        is_wrong.then(|| "[next] and every [[queue]] must have a finite center and a positive size and cell".into())
    }
}

fn all_sides() -> Vec<Side> {
    vec![Side::Left, Side::Top, Side::Right, Side::Bottom]
}

fn yes() -> bool {
    true
}

fn one() -> f64 {
    1.0
}

fn one_by_one() -> [f64; 2] {
    [1.0, 1.0]
}
