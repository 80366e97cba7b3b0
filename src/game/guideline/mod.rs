//! The modern game: the rules of the guideline of 2009 (seed 002), as a pure model. Each rule names its line there; where the text
//! leaves something open, the comment says what was chosen.
//!
//! [`Game`] is one player's game: [`Game::advance`] takes what is held and for how long, and says what happened. [`Match`] is two
//! to six of them that send each other lines.

mod action;
mod attack;
mod clock;
mod game;
mod goal;
mod keys;
mod lock;
mod machine;
mod queue;
mod repeat;
mod settings;
mod speed;
mod spin;
mod turns;
mod versus;
mod view;

pub use action::{Action, Award, Sequence};
pub use attack::{ROWS_OF_A_GAP, Receiving, ToppedOut};
pub use game::{End, Event, Game};
pub use goal::{Goals, Progress};
pub use keys::Keys;
pub use lock::{EXTENDED_MOVES, LOCK_DOWN_US, Lock, LockDown};
pub use machine::{Machine, keys_of};
pub use queue::{Queue, SHOWN_MAX};
pub use repeat::{ACROSS_US, DELAY_US, REPEAT_US, Repeat, Side};
pub use settings::{Settings, Variant};
pub use speed::{GENERATION_US, LEVELS, SOFT_DROP, fall_us};
pub use spin::{Arrival, Spin, corners, recognise};
pub use turns::{POINTS, facing_north, super_rotation, turn};
pub use versus::{Match, MatchError, PLAYERS, Targets};
pub use view::View;

use super::Pose;
use super::movegen::Moves;

/// Columns of the field (seed 002:608).
pub const COLUMNS: usize = 10;
/// Rows, the buffer zone above the skyline included (seed 002:176, 002:2136).
pub const ROWS: usize = 40;
/// Rows below the skyline, and the number of the first row below it, from the top.
pub const SKYLINE: usize = 20;

/// Where a piece appears: facing north, its centre in the fifth column and the first row above the skyline (seed 002:2425).
pub fn spawn_pose(piece: super::Piece) -> Pose {
    facing_north(piece, 4, SKYLINE as i8 - 1)
}

/// The moves of its pieces.
pub fn moves() -> Moves {
    Moves::dropping_at_once(super_rotation(), ROWS, spawn_pose)
}
