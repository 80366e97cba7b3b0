//! The rest that the robot takes: it presses nothing.

use crate::game::orientation::Pose;
use crate::time::HostTime;

/// How far the rest has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Stage {
    /// Start is being pressed; whether it had an effect is to be seen from that time on.
    Pressing(HostTime),
    /// The game stands still.
    Paused,
    /// It goes on all the same.
    Helpless,
    /// It is over: the next piece is a new game's.
    Over,
    /// The robot itself is to let the game go on.
    Resuming,
}

/// The robot presses nothing.
#[derive(Debug, Clone)]
pub(super) struct Rest {
    pub(super) stage: Stage,
    /// When Start is to be pressed.
    pub(super) due: Option<HostTime>,
    pub(super) tries: u8,
    /// Pictures in a row of a pause, and pictures in which the game moved.
    pub(super) still: u8,
    pub(super) moved: u8,
    pub(super) last: Option<Pose>,
    pub(super) why: String,
}

impl Rest {
    pub(super) fn new(stage: Stage, due: Option<HostTime>, why: String) -> Self {
        Self { stage, due, tries: 0, still: 0, moved: 0, last: None, why }
    }
}
