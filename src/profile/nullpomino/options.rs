//! What a rule says that matters to who plays by it, with the values that hold where it says nothing.

use super::entries::{Entries, RuleFileError};
use super::places::Places;

/// Frames of a delay; −1 where the rule leaves it to the game's mode.
const FRAMES: [i32; 2] = [-1, 600];

/// A bound from below and one from above, frames; `None` where the rule gives none.
#[derive(Debug, Clone, Copy)]
pub struct Bounds {
    least: Option<f64>,
    most: Option<f64>,
}

impl Bounds {
    fn take(entries: &mut Entries, least: &str, most: &str) -> Result<Self, RuleFileError> {
        let mut bound = |key| Ok(Some(entries.number(key, -1, FRAMES)?).filter(|&frames| frames >= 0).map(f64::from));
        Ok(Self { least: bound(least)?, most: bound(most)? })
    }

    /// What a mode's delay becomes.
    pub fn applied(self, frames: f64) -> f64 {
        match self {
            Self { least: Some(least), .. } if frames < least => least,
            Self { most: Some(most), .. } if frames > most => most,
            _ => frames,
        }
    }
}

/// What becomes of a piece that was moved or turned on the ground as often as it may.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Over {
    /// Its delay goes on.
    GoesOn,
    /// It locks.
    Locks,
    /// It is not kicked any more.
    IsNotKicked,
}

/// A rule.
#[derive(Debug)]
#[allow(missing_docs)]
pub struct Options {
    pub name: String,
    pub kicks: Option<String>,
    pub randomizer: String,
    pub columns: i32,
    pub rows: i32,
    pub has_ceiling: bool,
    pub ends_locked_out: bool,
    pub ends_partly_out: bool,
    /// By piece.
    pub places: Vec<Places>,
    pub rises_at_spawn: i32,
    pub next_shown: i32,
    pub holds: bool,
    pub hard_drop: bool,
    pub hard_drop_locks: bool,
    pub soft_drop: bool,
    pub soft_drop_speed: f64,
    pub initial_turns: bool,
    pub turns_right: bool,
    pub turns_both_ways: bool,
    pub half_turns: bool,
    pub reset_by_fall: bool,
    pub reset_by_move: bool,
    pub reset_by_turn: bool,
    /// How often moves and turns reset the lock; `None`: without end.
    pub moves_max: Option<u32>,
    pub turns_max: Option<u32>,
    pub over: Over,
    pub lock_flash: f64,
    pub flashes_apart: bool,
    pub flashes_before_clear: bool,
    pub delays_can_be_cut: bool,
    pub are: Bounds,
    pub are_line: Bounds,
    pub line_delay: Bounds,
    pub lock_delay: Bounds,
    pub acts_in_first_frame: bool,
    pub moves_diagonally: bool,
    pub has_ghost: bool,
}

/// A class by its last name.
fn class(path: String) -> String {
    path.rsplit('.').next().unwrap_or_default().into()
}

impl Options {
    /// Takes them.
    ///
    /// # Errors
    /// When a value cannot be, or the robot cannot play by it.
    pub fn take(entries: &mut Entries) -> Result<Self, RuleFileError> {
        let style = entries.number("style", 0, [0, 3])?;
        if style != 0 {
            return Err(entries.unplayable("style", "that is a game of other pieces than the seven of four cells"));
        }
        let columns = entries.number("fieldWidth", 10, [1, 100])?;
        let rows = entries.number("fieldHeight", 20, [1, 100])?;
        for (key, cells, most) in [("fieldWidth", columns, 16), ("fieldHeight", rows, 40)] {
            if !(4..=most).contains(&cells) {
                let why = format!("a field has 4 to {most} cells that way here");
                return Err(entries.unplayable(key, &why));
            }
        }
        let has_ceiling = entries.flag("fieldCeiling", false)?;
        let enters_above = entries.flag("pieceEnterAboveField", true)? && !has_ceiling;
        let kicks = entries.text("strWallkick").map(class).filter(|kicks| !kicks.is_empty());
        let is_kicked = entries.flag("rotateWallkick", true)?;
        let limit = |entries: &mut Entries, key| Ok(u32::try_from(entries.number(key, 15, [-1, 9999])?).ok());
        let (moves_max, turns_max) = (limit(entries, "lockresetLimitMove")?, limit(entries, "lockresetLimitRotate")?);
        // One count for both is that of the moves.
        let is_shared = entries.flag("lockresetLimitShareCount", true)?;
        Ok(Self {
            name: entries.text("strRuleName").unwrap_or_default(),
            kicks: kicks.filter(|_| is_kicked),
            randomizer: entries.text("strRandomizer").map(class).unwrap_or_default(),
            columns,
            rows,
            has_ceiling,
            ends_locked_out: entries.flag("fieldLockoutDeath", true)?,
            ends_partly_out: entries.flag("fieldPartialLockoutDeath", false)?,
            places: Places::take(entries, columns, enters_above)?,
            rises_at_spawn: entries.number("pieceEnterMaxDistanceY", 0, [0, 100])?,
            next_shown: entries.number("nextDisplay", 3, [0, 1000])?,
            holds: entries.flag("holdEnable", true)?,
            hard_drop: entries.flag("harddropEnable", true)?,
            hard_drop_locks: entries.flag("harddropLock", true)?,
            soft_drop: entries.flag("softdropEnable", true)?,
            soft_drop_speed: entries.number("softdropSpeed", 0.5, [0.0, 1000.0])?,
            initial_turns: entries.flag("rotateInitial", true)?,
            turns_right: entries.flag("rotateButtonDefaultRight", true)?,
            turns_both_ways: entries.flag("rotateButtonAllowReverse", true)?,
            half_turns: entries.flag("rotateButtonAllowDouble", true)?,
            reset_by_fall: entries.flag("lockresetFall", true)?,
            reset_by_move: entries.flag("lockresetMove", true)?,
            reset_by_turn: entries.flag("lockresetRotate", true)?,
            moves_max,
            turns_max: if is_shared { moves_max } else { turns_max },
            over: match entries.number("lockresetLimitOver", 1, [0, 2])? {
                0 => Over::GoesOn,
                1 => Over::Locks,
                _ => Over::IsNotKicked,
            },
            lock_flash: entries.number("lockflash", 2.0, [0.0, 600.0])?,
            flashes_apart: entries.flag("lockflashOnlyFrame", true)?,
            flashes_before_clear: entries.flag("lockflashBeforeLineClear", false)?,
            delays_can_be_cut: cut_delays(entries)?,
            are: Bounds::take(entries, "minARE", "maxARE")?,
            are_line: Bounds::take(entries, "minARELine", "maxARELine")?,
            line_delay: Bounds::take(entries, "minLineDelay", "maxLineDelay")?,
            lock_delay: Bounds::take(entries, "minLockDelay", "maxLockDelay")?,
            acts_in_first_frame: entries.flag("moveFirstFrame", true)?,
            moves_diagonally: entries.flag("moveDiagonal", true)?,
            has_ghost: entries.flag("ghost", true)?,
        })
    }
}

fn cut_delays(entries: &mut Entries) -> Result<bool, RuleFileError> {
    let keys =
        ["areCancelMove", "areCancelRotate", "areCancelHold", "lineCancelMove", "lineCancelRotate", "lineCancelHold"];
    keys.iter().try_fold(false, |any, key| Ok(entries.flag(key, false)? || any))
}
