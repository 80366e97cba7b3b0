//! Every pose in which *this hand* can lock a piece on the NES, to the frame: what two thumbs of given press and gap can do
//! before gravity has its way.
//!
//! Nothing is asked per pose: all columns of all four orientations of a row are one 64-bit word (`field`), and a word stands
//! for one state of the hand. [`Taps`] knows single taps only and takes about a microsecond; [`Holds`] also auto-shifts
//! (with a charge carried over from the piece before, or from a wall), drops softly and turns while it does either. Both are
//! exact: they equal a breadth-first search over [`Control`] and the hand (`tests/pure/planner_timed.rs`).

pub mod hand;
pub mod holds;
pub mod taps;

mod field;
mod slots;
mod way;

pub use hand::{Hand, HandError};
pub use holds::{Descent, Holds};
pub use taps::{TapDescent, Taps};

use crate::game::orientation::Pose;
use crate::game::{Board, Buttons, Control, Pace};

/// How much of the hand is used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Style {
    /// Single taps: a direction, a turn, or both at once.
    Taps,
    /// Taps, held directions (auto-shift), soft drop, and turns meanwhile.
    Holds,
}

/// What a hand can do with one piece, in either style.
#[derive(Debug, Clone)]
pub enum TimedReach {
    /// See [`Taps`].
    Taps(Taps),
    /// See [`Holds`].
    Holds(Holds),
}

impl TimedReach {
    /// All that a hand can do with a piece that is in the state `start` before the next frame.
    pub fn of(board: &Board, start: &Control, pace: Pace, hand: Hand, style: Style) -> Self {
        match style {
            Style::Taps => Self::Taps(Taps::reach(board, start, pace, hand)),
            Style::Holds => Self::Holds(Holds::reach(board, start, pace, hand)),
        }
    }

    /// Every pose in which the piece can lock, each once; none if it cannot appear.
    pub fn locks(&self) -> impl Iterator<Item = Pose> + '_ {
        match self {
            Self::Taps(taps) => taps.field.poses(&taps.locked),
            Self::Holds(holds) => holds.field.poses(&holds.locked),
        }
    }

    /// The buttons held in each frame from the start to the lock (its last frame) in `pose`; `None` if it cannot be reached.
    pub fn way(&self, pose: Pose) -> Option<Vec<Buttons>> {
        match self {
            Self::Taps(taps) => taps.way(pose),
            Self::Holds(holds) => holds.way(pose),
        }
    }
}
