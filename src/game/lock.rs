//! When a resting piece becomes part of the pile, in a game that is described by parameters.

use serde::Deserialize;

/// When the delay of a lock begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum LockBegin {
    /// When the piece would have fallen next.
    #[default]
    Fall,
    /// As soon as it cannot fall.
    Contact,
}

/// What lets the delay begin anew.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum LockReset {
    /// A row that it falls.
    Fall,
    /// A column to the side.
    Move,
    /// A turn.
    Turn,
}

/// When a piece that cannot fall locks.
#[derive(Debug, Clone, PartialEq)]
pub struct Lock {
    /// How long it may rest, ms.
    pub delay_ms: f64,
    /// Since when.
    pub begin: LockBegin,
    /// What lets that begin anew.
    pub resets: Vec<LockReset>,
    /// How often a move or a turn does, until the piece falls by a row.
    pub resets_max: Option<u32>,
    /// Down, newly pressed, locks a resting piece at once.
    pub by_down: bool,
}

impl Default for Lock {
    fn default() -> Self {
        Self { delay_ms: 0.0, begin: LockBegin::Fall, resets: vec![LockReset::Fall], resets_max: None, by_down: true }
    }
}

/// What happened to a piece in one frame.
#[derive(Debug, Clone, Copy, Default)]
pub struct Stirred {
    /// It was moved to the side.
    pub moved: bool,
    /// It was turned.
    pub turned: bool,
}

/// How long a piece has rested.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Rest {
    /// Frames of the delay that have passed.
    pub frames: f64,
    resets: u32,
}

impl Rest {
    /// A frame in which the piece could not fall; whether the delay of so many frames is over.
    pub fn pass(&mut self, lock: &Lock, stirred: Stirred, delay_frames: f64) -> bool {
        let is_reset = stirred.moved && lock.resets.contains(&LockReset::Move)
            || stirred.turned && lock.resets.contains(&LockReset::Turn);
        if is_reset && lock.resets_max.is_none_or(|most| self.resets < most) {
            self.resets += 1;
            self.frames = 0.0;
        }
        self.frames += 1.0;
        self.frames >= delay_frames
    }

    /// The piece fell.
    pub fn fell(&mut self, lock: &Lock) {
        if lock.resets.contains(&LockReset::Fall) {
            *self = Self::default();
        }
    }
}
