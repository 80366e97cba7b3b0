//! The text of a rule file: lines of `0.ruleopt.KEY=VALUE`, in any order.

use std::collections::BTreeMap;
use std::str::FromStr;
use thiserror::Error;

/// What stands between the number of a rule and the key.
const PREFIX: &str = ".ruleopt.";

/// Why a rule file is not imported.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[allow(missing_docs)]
pub enum RuleFileError {
    /// Not of the form.
    #[error(
        "line {line} is {text:?}, not 0.ruleopt.KEY=VALUE: this is no rule file of NullpoMino, or a damaged one; give one from \
         its folder config/rule"
    )]
    Line { line: usize, text: String },
    /// No rule in it.
    #[error("there is no line 0.ruleopt.KEY=VALUE in it: give a rule file of NullpoMino, from its folder config/rule")]
    Empty,
    /// Two rules.
    #[error("line {line} is of rule {number}, and the file begins with rule {first}; keep the lines of one")]
    Mixed { line: usize, number: String, first: String },
    /// A key given twice.
    #[error("line {line} gives {key} again, after line {first}; keep one")]
    Twice { line: usize, key: String, first: usize },
    /// A key that no rule has.
    #[error("line {line}: no rule has the key {key}; correct it, or remove the line")]
    UnknownKey { line: usize, key: String },
    /// A value that cannot be.
    #[error("line {line}: {key} is {value:?}; it must be {expected}")]
    Value { line: usize, key: String, value: String, expected: String },
    /// Rules by which the robot cannot play.
    #[error("line {line}: {key} is {value}, and {why}; the robot cannot play by this rule, choose another")]
    Unplayable { line: usize, key: String, value: String, why: String },
}

/// A value and where it stands.
#[derive(Debug, Clone)]
struct Entry {
    value: String,
    line: usize,
}

/// What a file gives, until it is taken.
#[derive(Debug)]
pub struct Entries {
    left: BTreeMap<String, Entry>,
    taken: BTreeMap<String, Entry>,
}

/// Keys of no consequence for who looks at the screen and taps keys, or for pieces and games that are not played: colours, sounds
/// and animations, auto-repeat, pieces of other sizes. A key that ends in a dot stands for all that begin so.
const IDLE: &[&str] = &[
    "dasChargeOnBlockedMove",
    "dasDelay",
    "dasInARE",
    "dasInARELastFrame",
    "dasInEndingStart",
    "dasInLineClear",
    "dasInLockFlash",
    "dasInMoveFirstFrame",
    "dasInReady",
    "dasOnBlockedMove",
    "dasRedirectInARE",
    "dasRedirectInDelay",
    "dasStoreChargeOnNeutral",
    "fieldHiddenHeight",
    "harddropLimit",
    "holdInitial",
    "holdInitialLimit",
    "holdLimit",
    "holdResetDirection",
    "lineFallAnim",
    "lockresetWallkick",
    "maxDAS",
    "minDAS",
    "moveLeftAndRightAllow",
    "moveLeftAndRightUsePreviousInput",
    "moveUpAndDown",
    "pieceColor.",
    "pieceSpawnXBig.",
    "pieceSpawnYBig.",
    "rotateInitialLimit",
    "rotateInitialWallkick",
    "rotateMaxUpwardWallkick",
    "shiftLockEnable",
    "skin",
    "softdropGravitySpeedLimit",
    "softdropLimit",
    "softdropLock",
    "softdropMultiplyNativeSpeed",
    "softdropSurfaceLock",
];
/// Tables by piece and direction. Pieces from 7 on are those of one to three cells.
const BY_PIECE: &[&str] = &["pieceOffsetX.", "pieceOffsetY.", "pieceSpawnX.", "pieceSpawnY.", "pieceDefaultDirection."];
const SMALL_PIECES: [&str; 4] = ["7", "8", "9", "10"];

impl Entries {
    /// The lines of a text.
    ///
    /// # Errors
    /// When one is not of the form.
    pub fn parse(text: &str) -> Result<Self, RuleFileError> {
        let mut entries = Self { left: BTreeMap::new(), taken: BTreeMap::new() };
        let mut rule: Option<&str> = None;
        for (at, text) in text.lines().enumerate() {
            let (line, text) = (at + 1, text.trim());
            if text.is_empty() || text.starts_with(['#', '!']) {
                continue;
            }
            let wrong = || RuleFileError::Line { line, text: text.chars().take(40).collect() };
            let (name, value) = text.split_once(['=', ':']).ok_or_else(wrong)?;
            let (number, key) = name.trim().split_once(PREFIX).ok_or_else(wrong)?;
            if number.is_empty() || !number.bytes().all(|digit| digit.is_ascii_digit()) {
                return Err(wrong());
            }
            let first = *rule.get_or_insert(number);
            if first != number {
                return Err(RuleFileError::Mixed { line, number: number.into(), first: first.into() });
            }
            // What would end a key or begin a comment stands behind a backslash in such files.
            let value = value.trim().replace('\\', "");
            if let Some(known) = entries.left.insert(key.into(), Entry { value, line }) {
                return Err(RuleFileError::Twice { line, key: key.into(), first: known.line });
            }
        }
        if entries.left.is_empty() { Err(RuleFileError::Empty) } else { Ok(entries) }
    }

    /// The text of a key, if it is given.
    pub fn text(&mut self, key: &str) -> Option<String> {
        let entry = self.left.remove(key)?;
        let value = entry.value.clone();
        self.taken.insert(key.into(), entry);
        Some(value)
    }

    /// Yes or no.
    ///
    /// # Errors
    /// When it is neither.
    pub fn flag(&mut self, key: &str, usual: bool) -> Result<bool, RuleFileError> {
        self.value(key, usual, "true or false", |_| true)
    }

    /// A number within bounds.
    ///
    /// # Errors
    /// When it is none.
    pub fn number<T>(&mut self, key: &str, usual: T, [least, most]: [T; 2]) -> Result<T, RuleFileError>
    where
        T: FromStr + PartialOrd + Copy + std::fmt::Display,
    {
        let expected = format!("a number from {least} to {most}");
        self.value(key, usual, &expected, |value| (least..=most).contains(value))
    }

    fn value<T: FromStr>(
        &mut self,
        key: &str,
        usual: T,
        expected: &str,
        is_fine: impl Fn(&T) -> bool,
    ) -> Result<T, RuleFileError> {
        let Some(value) = self.text(key) else { return Ok(usual) };
        value.parse().ok().filter(is_fine).ok_or_else(|| RuleFileError::Value {
            line: self.line(key),
            key: key.into(),
            value,
            expected: expected.into(),
        })
    }

    /// The line of a key that was taken, from 1; the first where it is not given.
    fn line(&self, key: &str) -> usize {
        self.taken.get(key).map_or(1, |entry| entry.line)
    }

    /// Why the robot cannot play by what a key says.
    pub fn unplayable(&self, key: &str, why: &str) -> RuleFileError {
        let value = self.taken.get(key).map_or("not given", |entry| &entry.value);
        RuleFileError::Unplayable { line: self.line(key), key: key.into(), value: value.into(), why: why.into() }
    }

    /// Refuses what nobody took and no rule has.
    ///
    /// # Errors
    /// When there is such a key.
    pub fn check_rest(&self) -> Result<(), RuleFileError> {
        let is_small = |key: &str| {
            BY_PIECE.iter().any(|table| {
                key.strip_prefix(table).is_some_and(|rest| SMALL_PIECES.contains(&rest.split('.').next().unwrap_or("")))
            })
        };
        let is_idle =
            |key: &str| IDLE.iter().any(|idle| if idle.ends_with('.') { key.starts_with(idle) } else { key == *idle });
        match self.left.iter().filter(|(key, _)| !is_idle(key) && !is_small(key)).min_by_key(|(_, entry)| entry.line) {
            Some((key, entry)) => Err(RuleFileError::UnknownKey { line: entry.line, key: key.clone() }),
            None => Ok(()),
        }
    }
}
