//! What the robot has to tell about itself and its rig.

use crate::belief::blame::ledger::Blame;
use crate::game::Piece;
use crate::message::{BlameKind, DelayKind};
use crate::profile::calibration::Measured;
use crate::time::HostTime;
use serde::{Deserialize, Serialize};

/// What the robot does when something is to blame.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum OnBlame {
    /// It looks for nobody: its presses reach no game.
    #[default]
    Ignore,
    /// It says so and plays on.
    Tell,
    /// It says so, and pauses the game when it is too much; but not for a camera that is later than times which nobody has
    /// measured here.
    PauseUnlessLate,
    /// It says so, and pauses the game when it is too much.
    Pause,
}

impl OnBlame {
    pub(super) fn pauses(self, kind: BlameKind) -> bool {
        self == Self::Pause || self == Self::PauseUnlessLate && kind != BlameKind::LateCamera
    }
}

/// What the robot has to tell about itself.
#[derive(Debug, Clone, PartialEq)]
pub enum Notice {
    /// Something is to blame.
    Blame {
        /// What, and how often.
        blame: Blame,
        /// Its relay.
        relay: Option<u8>,
        /// What it is and what to do.
        words: String,
    },
    /// The game stands still until somebody presses Start.
    Paused {
        /// When that was seen.
        time: HostTime,
        /// Why, and what to do.
        words: String,
    },
    /// The game should stand still, but goes on without the robot.
    NotPaused {
        /// When that was seen.
        time: HostTime,
        /// Why, and what to do.
        words: String,
    },
    /// The game stands still, by somebody else's will as it seems.
    Waiting {
        /// When that was told.
        time: HostTime,
        /// Why it is no game's end, and what to do.
        words: String,
    },
    /// Somebody has let the game go on, and the robot plays again.
    Resumed {
        /// When that was seen.
        time: HostTime,
    },
    /// Pieces fall faster or slower than the game's description says.
    FallTime {
        /// When that was known.
        time: HostTime,
        /// At which level, as far as that is known.
        level: u8,
        /// How long a row takes, ms.
        row_ms: f64,
        /// How long it was believed to take, ms.
        believed_ms: f64,
        /// Another level that takes about as long by the game's description: it may be that one.
        like_level: Option<u8>,
        /// The same in words, and what to do.
        words: String,
    },
    /// How long the game waits for something.
    Delay {
        /// When that was known.
        time: HostTime,
        /// For what.
        what: DelayKind,
        /// So long.
        length: Measured,
        /// How long it was believed to be, ms, where plans need that.
        believed_ms: Option<f64>,
        /// The same in words, and what to do.
        words: String,
    },
    /// A piece falls that nobody steers.
    Adrift {
        /// When that was known.
        time: HostTime,
        /// The piece.
        piece: Piece,
        /// Why.
        why: Why,
        /// The same in words.
        words: String,
    },
}

impl Notice {
    /// When, and in which words; `None` of what needs none.
    pub fn said(&self) -> Option<(HostTime, &str)> {
        match self {
            Self::Blame { blame, words, .. } => Some((blame.time, words)),
            Self::Paused { time, words }
            | Self::NotPaused { time, words }
            | Self::Waiting { time, words }
            | Self::FallTime { time, words, .. }
            | Self::Delay { time, words, .. }
            | Self::Adrift { time, words, .. } => Some((*time, words)),
            Self::Resumed { .. } => None,
        }
    }
}

/// Why nobody steers a piece.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Why {
    /// Nothing has been decided for it.
    Undecided,
    /// No presses are known that would do any good.
    NoWay,
    /// By what was pressed it should have come to rest already.
    ShouldRest,
    /// Its presses were called off.
    CalledOff,
    /// It is not where its presses should have taken it.
    Astray,
    /// A turn that was tried showed no effect.
    NoEffect,
    /// It is not seen where it should be, or the pile is another than believed.
    Unseen,
}

impl Why {
    /// In words, with what can be done about it.
    pub fn words(self) -> &'static str {
        match self {
            Self::Undecided => {
                "nothing was decided for it in time; close other programs if this computer is busy, and look after the relay \
                 board if it is away"
            }
            Self::NoWay => "no presses were found that would do any good before it comes to rest; a lower level helps",
            Self::ShouldRest => {
                "it should have come to rest already by what was pressed; on the console measure the times with \
                 `stackhand calibrate --latency`, for other games see what the game's file says of Down and of drops"
            }
            Self::CalledOff => {
                "its presses were called off, because one was late, or because no picture came; see to a steady picture \
                 source, and close other programs"
            }
            Self::Astray => "it is not where its presses should have taken it; try `stackhand doctor --click`",
            Self::NoEffect => "a turn that was tried showed no effect; check the wire of the key that turns",
            Self::Unseen => {
                "it is not seen where it should be; see that nothing covers the field, and that the light is even"
            }
        }
    }
}
