//! A game file: how one game plays, apart from how it looks ([`super::layout`]).

use crate::file::{self, FileError, SETTINGS_BYTES_MAX};
use crate::game::board::{MAX_COLUMNS, MAX_ROWS};
use crate::game::guideline::super_rotation;
use crate::game::lock::{Lock, LockBegin, LockReset};
use crate::game::movement::Movement;
use crate::game::rotation::{Handedness, RotationSystem};
use crate::game::rules::Rules;
use crate::game::simple::{Generator, Settings};
use crate::game::simple_rules::{Counting, LockOut, RestartFall, SimpleRules, SoftDrop};
use crate::game::{Buttons, Piece};
use crate::profile::problem::Problem;
use crate::profile::spawn::{self, SpawnShape};
use crate::profile::states::States;
use serde::Deserialize;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use thiserror::Error;

/// The games that come with the program, by name.
const BUILT_IN: [(&str, &str); 10] = [
    ("nes", include_str!("../../calibration/games/nes.toml")),
    ("vitetris", include_str!("../../calibration/games/vitetris.toml")),
    ("standard", include_str!("../../calibration/games/standard.toml")),
    ("ltris", include_str!("../../calibration/games/ltris.toml")),
    ("tint", include_str!("../../calibration/games/tint.toml")),
    ("bastet", include_str!("../../calibration/games/bastet.toml")),
    ("gameboy", include_str!("../../calibration/games/gameboy.toml")),
    ("guideline", include_str!("../../calibration/games/guideline.toml")),
    ("tetris-terminal", include_str!("../../calibration/games/tetris-terminal.toml")),
    ("tetris-tui", include_str!("../../calibration/games/tetris-tui.toml")),
];
/// The most that a delay can be, ms.
const DELAY_MS_MAX: f64 = 10_000.0;
/// The most rows above the field.
const HIDDEN_ROWS_MAX: u8 = 2;
/// By how much held Down can hurry a piece: less is not worth a press.
const HURRY_MIN: f64 = 1.5;
const HURRY_MAX: f64 = 1000.0;
/// The highest level.
const LEVEL_MAX: u8 = 99;
/// A machine's screen shows so much of a name.
const TITLE_LETTERS_MAX: usize = 16;

/// Why a game file cannot be used.
#[derive(Debug, Error)]
pub enum GameFileError {
    /// No such name, and no such file.
    #[error("no game named {name:?}; use one of {known}, or give the path of a .toml file")]
    Unknown {
        /// What was asked for.
        name: String,
        /// The built-in names.
        known: String,
    },
    /// The file cannot be read, or is too long.
    #[error("cannot use the game file {path}")]
    Read {
        /// The file.
        path: PathBuf,
        /// Why.
        source: FileError,
    },
    /// The text is no game file.
    #[error("the game file {name} is not valid; correct the line named below (docs/games.md says what each key means)")]
    Parse {
        /// Name or path.
        name: String,
        /// Where and why.
        source: Box<toml::de::Error>,
    },
    /// A value cannot be, or two contradict each other.
    #[error("line {line} of the game file {name}: {problem} (docs/games.md says what each key means)")]
    Invalid {
        /// Name or path.
        name: String,
        /// The line of the key, from 1; that of its section where the key is missing.
        line: usize,
        /// What is wrong.
        problem: Problem,
    },
}

/// A game, as read from its file.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GameFile {
    /// Its name, as on the command line.
    pub name: String,
    /// What it is, in a line.
    pub title: String,
    /// The board.
    pub field: FieldSize,
    /// Where each piece appears, by letter; nothing, if that is left to the layouts that show the game.
    #[serde(default)]
    pub spawn: BTreeMap<Piece, SpawnShape>,
    /// How pieces follow each other; needed by whoever runs the game.
    #[serde(default)]
    pub pieces: Pieces,
    /// The levels at which a game can begin.
    #[serde(default)]
    pub levels: Levels,
    /// What it does with a falling piece.
    pub rules: RulesSpec,
}

/// The board's size, cells.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FieldSize {
    /// Columns, 4–16.
    pub columns: usize,
    /// Rows, 4–40.
    pub rows: usize,
}

impl FieldSize {
    /// Columns and rows.
    pub fn size(self) -> [usize; 2] {
        [self.columns, self.rows]
    }
}

/// How pieces follow each other.
#[derive(Debug, Clone, Copy, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Pieces {
    /// Which come.
    pub generator: Generator,
    /// From a lock to the next piece, ms.
    pub entry_delay_ms: f64,
    /// By how much full rows delay it further, ms.
    pub clear_delay_ms: f64,
    /// The next one is shown.
    pub next_shown: bool,
    /// They appear in any of their rotations, drawn by chance.
    pub turned: bool,
}

impl Default for Pieces {
    fn default() -> Self {
        Self {
            generator: Generator::default(),
            entry_delay_ms: 0.0,
            clear_delay_ms: 0.0,
            next_shown: true,
            turned: false,
        }
    }
}

/// The levels at which a game can begin.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Levels {
    /// The lowest.
    pub first: u8,
    /// The highest.
    pub last: u8,
}

impl GameFile {
    /// A built-in game by name, or one from a `.toml` file by path.
    ///
    /// # Errors
    /// When there is none, or when it is not valid.
    pub fn load(name_or_path: &str) -> Result<Self, GameFileError> {
        if let Some((name, text)) = BUILT_IN.iter().find(|(known, _)| *known == name_or_path) {
            return Self::parse(name, text);
        }
        let path = Path::new(name_or_path);
        if path.extension().is_none_or(|ending| ending != "toml") {
            let known = BUILT_IN.map(|(name, _)| name).join(", ");
            return Err(GameFileError::Unknown { name: name_or_path.into(), known });
        }
        let text = file::read_text(path, SETTINGS_BYTES_MAX)
            .map_err(|source| GameFileError::Read { path: path.into(), source })?;
        Self::parse(name_or_path, &text)
    }

    /// The built-in games' names and their files' texts.
    pub fn built_in() -> impl Iterator<Item = (&'static str, &'static str)> {
        BUILT_IN.into_iter()
    }

    /// A game from its text; `name` is used in errors.
    ///
    /// # Errors
    /// When the text is no game file, or one that contradicts itself.
    pub fn parse(name: &str, text: &str) -> Result<Self, GameFileError> {
        let game: Self =
            toml::from_str(text).map_err(|e| GameFileError::Parse { name: name.into(), source: Box::new(e) })?;
        match game.check() {
            Ok(()) => Ok(game),
            Err(problem) => Err(GameFileError::Invalid { name: name.into(), line: problem.line_in(text), problem }),
        }
    }

    /// How its pieces appear and turn; `None` if it leaves open where they appear, or shows a shape that is none of a piece's own.
    pub fn movement(&self) -> Option<Movement> {
        let rules = self.rules.variants().ok()?.into_iter().next()?;
        let cells = Piece::ALL.map(|piece| self.spawn.get(&piece).map(SpawnShape::field_cells).unwrap_or_default());
        let mut movement = Movement::new(cells, rules.rotation().clone())?;
        // In the field they are read where all of them is seen first; here it is where they begin.
        self.spawn.iter().for_each(|(piece, shape)| movement.raise(*piece, shape.rows_above()));
        movement.appear_turned(self.pieces.turned);
        Some(movement)
    }

    /// The game for a machine that runs it; of rules that it leaves open, those that the seed chooses. `None` if it leaves open
    /// where pieces appear.
    pub fn machine(&self, seed: u64) -> Option<Settings> {
        let variants = self.rules.variants().ok()?;
        let rules = variants.get((seed % variants.len().max(1) as u64) as usize)?.clone();
        let mut movement = self.movement()?;
        movement.turn_by(rules.rotation());
        let is_drawn = |letter: &char| letter.is_ascii_alphanumeric() || matches!(letter, ' ' | '-');
        Some(Settings {
            title: self.name.to_uppercase().chars().filter(is_drawn).take(TITLE_LETTERS_MAX).collect(),
            has_hold: rules.hold().is_some(),
            rules,
            movement,
            size: self.field.size(),
            generator: self.pieces.generator,
            entry_delay_ms: self.pieces.entry_delay_ms,
            clear_delay_ms: self.pieces.clear_delay_ms,
            next_shown: self.pieces.next_shown,
        })
    }

    fn check(&self) -> Result<(), Problem> {
        let FieldSize { columns, rows } = self.field;
        for (key, side, most) in [("field.columns", columns, MAX_COLUMNS), ("field.rows", rows, MAX_ROWS)] {
            if !(4..=most).contains(&side) {
                return Err(Problem::of(key, format!("is {side}; it must be from 4 to {most}")));
            }
        }
        if let Some((piece, words)) = spawn::problem(&self.spawn, self.field.size()).filter(|_| !self.spawn.is_empty())
        {
            return Err(Problem::of(format!("spawn.{piece}"), words));
        }
        for (key, ms) in [
            ("pieces.entry_delay_ms", self.pieces.entry_delay_ms),
            ("pieces.clear_delay_ms", self.pieces.clear_delay_ms),
        ] {
            check_delay(key, ms)?;
        }
        let Levels { first, last } = self.levels;
        if last > LEVEL_MAX || first > last {
            return Err(Problem::of(
                "levels.last",
                format!("is {last}; it must be from {first}, the first one, to {LEVEL_MAX}"),
            ));
        }
        self.rules.variants()?;
        if !self.spawn.is_empty() && self.movement().is_none() {
            return Err(Problem::of(
                "spawn.T",
                "or another piece appears in a shape that is none of its own; draw it as it turns",
            ));
        }
        let is_given = !self.spawn.is_empty() || self.pieces != Pieces::default() || self.levels != Levels::default();
        if self.rules == RulesSpec::Nes && is_given {
            let words = "= \"nes\" knows where and when pieces appear, and its levels; leave out [spawn], [pieces] and [levels]";
            return Err(Problem::of("rules.family", words));
        }
        Ok(())
    }
}

fn check_delay(key: &str, ms: f64) -> Result<(), Problem> {
    if (0.0..=DELAY_MS_MAX).contains(&ms) { Ok(()) } else { Err(Problem::of(key, "must lie between 0 and 10,000 ms")) }
}

fn button(key: &str, name: &Option<String>) -> Result<Option<Buttons>, Problem> {
    let Some(name) = name else { return Ok(None) };
    let known = || Buttons::NAMED.map(|(_, name)| name).join(", ");
    let button = Buttons::from_name(name);
    button.map(Some).ok_or_else(|| Problem::of(key, format!("is no button {name:?}; use one of {}", known())))
}

fn yes() -> bool {
    true
}

fn two() -> u8 {
    2
}

/// The rules the game plays by.
#[allow(clippy::large_enum_variant)] // There is one a file.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(tag = "family", rename_all = "kebab-case", deny_unknown_fields)]
pub enum RulesSpec {
    /// The NES, NTSC: A turns clockwise, B counter-clockwise.
    Nes,
    /// Every tap moves once; see [`SimpleRules`].
    Simple {
        /// Milliseconds a row, by level from 0; the last holds for all higher levels.
        row_ms: Vec<f64>,
        /// Button that turns clockwise.
        clockwise: Option<String>,
        /// Button that turns counter-clockwise.
        counter_clockwise: Option<String>,
        /// Button of half a turn.
        half_turn: Option<String>,
        /// The only button that turns, one way or the other as set in the game; found out by playing.
        turn: Option<String>,
        /// Where I, S and Z stand upright; without it, as set in the game, and found out by playing.
        handedness: Option<Handedness>,
        /// Button that drops and locks at once.
        hard_drop: Option<String>,
        /// Button that puts the falling piece aside and takes up the one that was there, once a piece.
        hold: Option<String>,
        /// This long after a piece appeared, ms, it cannot be dropped unless it was moved.
        #[serde(default)]
        drop_guard_ms: f64,
        /// From the moment at which a resting piece would have fallen to its lock, ms.
        #[serde(default)]
        lock_delay_ms: f64,
        /// When the lock's delay begins.
        #[serde(default)]
        lock_begins: LockBegin,
        /// What lets it begin anew [default: a row that the piece falls].
        lock_resets: Option<Vec<LockReset>>,
        /// How often moves and turns do so until the piece falls by a row.
        lock_resets_max: Option<u32>,
        /// Down locks a resting piece.
        #[serde(default = "yes")]
        down_locks: bool,
        /// How pieces turn, in the place of `handedness`.
        rotation: Option<NamedRotation>,
        /// The same in pictures.
        states: Option<States>,
        /// So many rows above the field a piece may reach into.
        #[serde(default = "two")]
        hidden_rows: u8,
        /// Which keys make the wait for the next row begin anew.
        #[serde(default)]
        restart_fall: RestartFall,
        /// Keys that are pressed in the same moment all count.
        #[serde(default = "yes")]
        chords: bool,
        /// What Down does.
        #[serde(default)]
        soft_drop: SoftDrop,
        /// The drop key locks the piece.
        #[serde(default = "yes")]
        drop_locks: bool,
        /// What lines count for.
        #[serde(default)]
        counting: Counting,
        /// Which piece that locks above the field ends a game.
        #[serde(default)]
        lock_out: LockOut,
    },
}

/// A way to turn pieces that has a name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum NamedRotation {
    /// See [`RotationSystem::standard`].
    Standard,
    /// See [`RotationSystem::left_low`].
    LeftLow,
    /// See [`super_rotation`].
    Super,
}

impl RulesSpec {
    /// All rules that the game may follow, the likeliest first.
    ///
    /// # Errors
    /// When a value cannot be, or two contradict each other.
    pub fn variants(&self) -> Result<Vec<Rules>, Problem> {
        let Self::Simple {
            row_ms,
            clockwise,
            counter_clockwise,
            half_turn,
            turn,
            handedness,
            hard_drop,
            hold,
            drop_guard_ms,
            lock_delay_ms,
            lock_begins,
            lock_resets,
            lock_resets_max,
            down_locks,
            rotation,
            states,
            hidden_rows,
            restart_fall,
            chords,
            soft_drop,
            drop_locks,
            counting,
            lock_out,
        } = self
        else {
            return Ok(vec![Rules::Nes]);
        };
        if row_ms.is_empty() || row_ms.iter().any(|ms| !(1.0..=10_000.0).contains(ms)) {
            return Err(Problem::of("rules.row_ms", "must be a list of times between 1 and 10,000 ms"));
        }
        for (key, ms) in [("rules.drop_guard_ms", drop_guard_ms), ("rules.lock_delay_ms", lock_delay_ms)] {
            check_delay(key, *ms)?;
        }
        let turns = match (
            button("rules.turn", turn)?,
            button("rules.clockwise", clockwise)?,
            button("rules.counter_clockwise", counter_clockwise)?,
        ) {
            (None, clockwise, counter_clockwise) => vec![(clockwise, counter_clockwise)],
            (turn, None, None) => vec![(turn, None), (None, turn)],
            _ => {
                return Err(Problem::of(
                    "rules.turn",
                    "stands in the place of clockwise and counter_clockwise; keep one",
                ));
            }
        };
        if *hidden_rows > HIDDEN_ROWS_MAX {
            let words = format!("is {hidden_rows}; it must be from 0 to {HIDDEN_ROWS_MAX}");
            return Err(Problem::of("rules.hidden_rows", words));
        }
        if let SoftDrop::Held(times) = soft_drop
            && !(HURRY_MIN..=HURRY_MAX).contains(times)
        {
            let words = format!("= {times} must be true, false, or from {HURRY_MIN} to {HURRY_MAX} times as fast");
            return Err(Problem::of("rules.soft_drop", words));
        }
        let systems = systems(*rotation, *handedness, states.as_ref())?;
        let lock = Lock {
            delay_ms: *lock_delay_ms,
            begin: *lock_begins,
            resets: lock_resets.clone().unwrap_or(Lock::default().resets),
            resets_max: *lock_resets_max,
            by_down: *down_locks,
        };
        // A delay that ends before anything can happen would lock what only passes by.
        if *lock_begins == LockBegin::Contact && *lock_delay_ms == 0.0 {
            return Err(Problem::of(
                "rules.lock_begins",
                "= \"contact\" needs a lock_delay_ms above 0; give that, or leave lock_begins out",
            ));
        }
        let hard_drop = button("rules.hard_drop", hard_drop)?;
        let hold = button("rules.hold", hold)?;
        let half_turn = button("rules.half_turn", half_turn)?;
        let lock = &lock;
        let variants = turns.into_iter().flat_map(|(clockwise, counter_clockwise)| {
            systems.clone().into_iter().map(move |system| {
                Rules::Simple(Arc::new(SimpleRules {
                    row_ms: row_ms.clone(),
                    measured: None,
                    clockwise,
                    counter_clockwise,
                    half_turn,
                    hard_drop,
                    hold,
                    rotation: system.clone(),
                    drop_guard_ms: *drop_guard_ms,
                    lock: lock.clone(),
                    hidden_rows: *hidden_rows,
                    restart_fall: *restart_fall,
                    chords: *chords,
                    soft_drop: *soft_drop,
                    drop_locks: *drop_locks,
                    counting: *counting,
                    lock_out: *lock_out,
                }))
            })
        });
        Ok(variants.collect())
    }
}

/// How the pieces may turn, the likeliest way first.
fn systems(
    rotation: Option<NamedRotation>,
    handedness: Option<Handedness>,
    states: Option<&States>,
) -> Result<Vec<RotationSystem>, Problem> {
    let known = |system: &RotationSystem| Ok(vec![system.clone()]);
    match (rotation, handedness, states) {
        (None, None, None) => Ok(Handedness::ALL.map(|hand| RotationSystem::classic(hand).clone()).to_vec()),
        (None, Some(hand), None) => known(RotationSystem::classic(hand)),
        (Some(NamedRotation::Standard), None, None) => known(RotationSystem::standard()),
        (Some(NamedRotation::LeftLow), None, None) => known(RotationSystem::left_low()),
        (Some(NamedRotation::Super), None, None) => known(super_rotation()),
        (None, None, Some(states)) => known(&states.rotation()?),
        (_, _, Some(_)) => {
            Err(Problem::of("rules.states", "shows how pieces turn, as rotation and handedness say; keep one"))
        }
        (Some(_), Some(_), None) => {
            Err(Problem::of("rules.rotation", "says where pieces stand upright, as handedness does; keep one"))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::profile::layout::{Layout, LayoutError};

    #[test]
    fn each_built_in_game_is_played_by_the_layout_that_names_it() {
        for (name, text) in GameFile::built_in() {
            let game = GameFile::parse(name, text).unwrap();
            assert_eq!(game.name, name);
            let layout = Layout::load(name).unwrap();
            assert_eq!(layout.game.as_deref(), Some(name));
            assert_eq!(layout.rule_variants(), game.rules.variants().unwrap());
        }
        assert_eq!(GameFile::load("vitetris").unwrap().rules.variants().unwrap().len(), 4);
    }

    #[test]
    fn what_cannot_be_is_refused_with_its_line_its_key_and_what_it_must_be() {
        let (_, text) = BUILT_IN[2];
        for (from, to, key, words) in [
            ("columns = 10", "columns = 17", "field.columns", "from 4 to 16"),
            ("rows = 20", "rows = 3", "field.rows", "from 4 to 40"),
            ("[\"###\", \".#.\"] }", "[\"###\", \"...\"] }", "spawn.T", "four cells inside the field"),
            ("[\"###\", \"..#\"] }", "[\"####\"] }", "spawn.T", "none of its own"),
            ("entry_delay_ms = 500", "entry_delay_ms = -1", "pieces.entry_delay_ms", "between 0 and 10,000 ms"),
            ("last = 10", "last = 0", "levels.last", "from 1, the first one"),
            ("row_ms = [500, 500,", "row_ms = [0, 500,", "rules.row_ms", "between 1 and 10,000 ms"),
            ("hard_drop = \"a\"", "hard_drop = \"space\"", "rules.hard_drop", "right, left, down"),
            ("hard_drop = \"a\"", "half_turn = \"z\"\nhard_drop = \"a\"", "rules.half_turn", "right, left, down"),
            ("soft_drop = false", "soft_drop = 1", "rules.soft_drop", "from 1.5 to 1000 times"),
            ("rotation = \"standard\"", "rotation = \"standard\"\nhandedness = \"left\"", "rules.rotation", "keep one"),
        ] {
            let changed = text.replacen(from, to, 1);
            assert_ne!(changed, text, "{from}");
            let line =
                changed.lines().position(|line| to.lines().next().is_some_and(|to| line.contains(to))).unwrap() + 1;
            let error = GameFile::parse("mine.toml", &changed).unwrap_err();
            let told = error.to_string();
            let GameFileError::Invalid { line: at, problem, .. } = error else { panic!("{told}") };
            assert_eq!(problem.key, key, "{told}");
            // All pieces stand in one section: which of them it is stands in the words.
            assert!(at == line || key == "spawn.T", "{told}, not line {line}");
            assert!(told.contains(words) && told.contains("docs/games.md"), "{told}");
        }
        let error = GameFile::parse("mine.toml", &text.replacen("hidden_rows", "hidden_lines", 1)).unwrap_err();
        let GameFileError::Parse { source, .. } = &error else { panic!("{error}") };
        assert!(source.to_string().contains("hidden_lines") && source.to_string().contains("line"), "{source}");
        let unknown = GameFile::load("tetris").unwrap_err().to_string();
        assert!(unknown.contains("nes, vitetris, standard"), "{unknown}");
        let console = "name = \"n\"\ntitle = \"\"\n[field]\ncolumns = 10\nrows = 20\n[levels]\nlast = 3\n[rules]\nfamily = \"nes\"\n";
        let refused = GameFile::parse("n", console).unwrap_err().to_string();
        assert!(refused.contains("line 9") && refused.contains("leave out [spawn]"), "{refused}");
    }

    #[test]
    fn a_layout_takes_its_rules_from_its_game_or_has_its_own_but_not_both() {
        let own = include_str!("../../calibration/layouts/vitetris.toml");
        let rules = "\n[rules]\nfamily = \"simple\"\nrow_ms = [500]\nclockwise = \"up\"\nhandedness = \"left\"\n";
        let both = Layout::parse("mine.toml", &format!("{own}{rules}")).unwrap_err().to_string();
        assert!(both.contains("keep one"), "{both}");
        let alone = own.replacen("game = \"vitetris\"\n", "", 1) + rules;
        assert_eq!(Layout::parse("mine.toml", &alone).unwrap().game_rules().row_ms(0), 500.0);
        let smaller = own.replacen("rows = 20", "rows = 18", 1);
        let told = Layout::parse("mine.toml", &smaller).unwrap_err().to_string();
        assert!(told.contains("10 × 18") && told.contains("10 × 20"), "{told}");
        let elsewhere = own.replacen("O = { column = 4", "O = { column = 5", 1);
        let told = Layout::parse("mine.toml", &elsewhere).unwrap_err().to_string();
        assert!(told.contains("[spawn.O] differs"), "{told}");
        let unknown = own.replacen("game = \"vitetris\"", "game = \"chess\"", 1);
        assert!(matches!(Layout::parse("mine.toml", &unknown), Err(LayoutError::Game { .. })));
    }

    #[test]
    fn every_key_has_its_line_in_the_page() {
        let page = include_str!("../../docs/games.md");
        let (_, text) = BUILT_IN[2];
        let mut keys = 0;
        for section in ["name = \"standard\"", "[field]", "[pieces]", "[levels]", "[rules]"] {
            let key = if section.starts_with('[') {
                format!("{section}\nunheard_of = 1")
            } else {
                format!("unheard_of = 1\n{section}")
            };
            let error = GameFile::parse("n", &text.replacen(section, &key, 1)).unwrap_err();
            let GameFileError::Parse { source, .. } = error else { panic!("{error}") };
            // The refusal names the keys that there are.
            let told = source.message().to_string();
            let known = told.split("expected").nth(1).unwrap_or_else(|| panic!("{told}"));
            for key in known.split('`').skip(1).step_by(2) {
                let is_there = page.contains(&format!("`{key}`")) || page.contains(&format!("`[{key}]`"));
                assert!(is_there, "docs/games.md says nothing of {key}");
                keys += 1;
            }
        }
        assert!(keys > 20, "{keys}");
    }
}
