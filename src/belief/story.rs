//! One account of the game that explains the pictures so far, and how much speaks against it.

use super::event::{Locked, Spawned};
use crate::game::{Board, Piece, Pose};
use crate::profile::layout::QUEUE_MAX;
use crate::time::HostTime;

/// The falling piece of a story.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Falling {
    /// Which.
    pub piece: Piece,
    /// Where it was last seen.
    pub pose: Pose,
    /// When it was first seen there.
    pub since: HostTime,
    /// Where the planner wants it.
    pub intended: Option<Pose>,
    /// Whether the last picture shows it there.
    pub is_seen: bool,
}

/// How a story came to its falling piece.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum How {
    /// The piece before locked, as the rules have it.
    Lock,
    /// The piece before was put aside.
    Hold,
    /// Something went wrong, or nothing was known: the story begins with what the picture shows.
    Anew,
    /// As [`Self::Anew`], and the falling piece is still the same: only the pile is another.
    Pile,
}

/// What has happened in a story and has not been told yet.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Turn {
    /// How it came.
    pub how: How,
    /// The piece that appeared.
    pub spawned: Spawned,
    /// The one that locked.
    pub locked: Option<Locked>,
}

/// Rows that have been cleared and may be seen to go, or those above them to come down, while the next piece falls already.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Settling {
    /// Since when.
    pub since: HostTime,
    /// The highest row in which some of it may be seen.
    pub top: usize,
    /// The lowest row that was cleared.
    pub bottom: usize,
}

/// A possible state of the game, with what led to it since the last thing told.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Story {
    /// The settled pile.
    pub pile: Board,
    /// The falling piece; `None` while nothing is known.
    pub falling: Option<Falling>,
    /// The piece that the next box promised.
    pub next: Option<Piece>,
    /// The boxes after it, as they were when it was promised.
    pub queue: [Option<Piece>; QUEUE_MAX],
    /// The piece that was put aside.
    pub held: Option<Piece>,
    /// The falling piece came by that, and cannot be put aside itself.
    pub by_hold: bool,
    /// The rows that may be on their way.
    pub settling: Option<Settling>,
    /// What has not been told.
    pub turn: Option<Turn>,
    /// Whether enough of the piece has been seen to tell of it: some games let it come in from above.
    pub is_shown: bool,
    /// Everything that speaks against it, nats; only differences between stories count.
    pub cost: f32,
    /// What speaks against it in the last picture alone, nats.
    pub against: f32,
}

impl Story {
    /// Nothing is known of a field like this one.
    pub fn unknown(like: &Board) -> Self {
        let pile = Board::new(like.width(), like.height());
        Self {
            pile,
            falling: None,
            next: None,
            queue: [None; QUEUE_MAX],
            held: None,
            by_hold: false,
            settling: None,
            turn: None,
            is_shown: true,
            cost: 0.0,
            against: 0.0,
        }
    }

    /// Whether two stories would tell the same.
    pub fn tells_the_same(&self, other: &Self) -> bool {
        let told = |story: &Self| (story.pile, story.falling.map(|f| f.piece), story.turn.is_some());
        told(self) == told(other)
    }
}
