//! What the belief reports.

use crate::game::orientation::Pose;
use crate::game::{Board, Piece};
use crate::profile::layout::QUEUE_MAX;
use crate::time::{CameraFrame, HostTime};

/// A piece appeared.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Spawned {
    /// Arrival of the first picture that showed it.
    pub time: HostTime,
    /// Arrival of the last picture before that; `None` if there was none.
    pub not_before: Option<HostTime>,
    /// That first picture.
    pub frame: CameraFrame,
    /// The piece.
    pub piece: Piece,
    /// Where it was seen: its spawn pose, or a little further down if it falls fast.
    pub pose: Pose,
    /// The next box.
    pub next: Option<Piece>,
    /// The boxes after it, as far as there are some and they could be read.
    pub queue: [Option<Piece>; QUEUE_MAX],
    /// The held piece.
    pub held: Option<Piece>,
    /// It took the place of the one that was put aside.
    pub by_hold: bool,
    /// The settled pile under it.
    pub board: Board,
    /// Probability that piece and next are right.
    pub confidence: f32,
    /// What the next box had promised.
    pub expected: Option<Piece>,
    /// It may be the first piece of a game.
    pub first_of_game: bool,
}

/// A piece locked.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Locked {
    /// Arrival of the first picture that showed it in its final place, as far as that was seen.
    pub time: HostTime,
    /// The piece.
    pub piece: Piece,
    /// Where.
    pub pose: Pose,
    /// Rows it cleared.
    pub lines: usize,
    /// Whether it was meant to lock there; `None` if nothing was meant.
    pub intended: Option<bool>,
}

/// The picture and the belief do not go together.
#[derive(Debug, Clone, PartialEq)]
pub enum Surprise {
    /// Another piece appeared than the next box had promised: one of the two was misread.
    OtherPiece {
        /// Promised.
        expected: Piece,
        /// Seen.
        piece: Piece,
    },
    /// The next box shows another piece than was read in it when the falling one appeared: the first reading was wrong.
    OtherNext {
        /// Read first.
        believed: Piece,
        /// Seen.
        seen: Piece,
    },
    /// The next box shows another piece than the box behind it had promised: one of the two was misread.
    OtherLater {
        /// Promised.
        expected: Piece,
        /// Seen.
        seen: Piece,
    },
    /// The hold box shows another piece than was believed to be held.
    OtherHeld {
        /// Believed.
        believed: Option<Piece>,
        /// Seen.
        seen: Piece,
    },
    /// The pile is another than believed while the same piece waits: a misread cell, now or before.
    Pile {
        /// Believed.
        believed: Board,
        /// Seen.
        seen: Board,
    },
    /// A new piece appeared over a pile that no lock explains: pictures were missed, or a cell was misread.
    Unexplained {
        /// Believed before.
        believed: Board,
        /// Seen.
        seen: Board,
        /// Where the lost piece was meant to go.
        intended: Option<Pose>,
        /// How long no picture had come before, if that was long, ms: pieces may have come and locked meanwhile.
        unseen_ms: Option<f64>,
    },
    /// For a while cells have shown what no piece can have brought there: light falls on them, or something lies over them. They are
    /// not believed.
    Impossible {
        /// Believed.
        believed: Board,
        /// Seen.
        seen: Board,
    },
    /// Nothing that the game can have done explains the pictures, or more than one thing: cells are misread or hidden, or the
    /// game is another.
    Lost {
        /// Since when.
        since: HostTime,
    },
}

/// What the belief reports.
#[derive(Debug, Clone, PartialEq)]
pub enum Event {
    /// A piece appeared.
    Spawned(Spawned),
    /// A piece locked.
    Locked(Locked),
    /// The game ended.
    GameOver {
        /// When it was seen.
        time: HostTime,
        /// Where the last piece was meant to go.
        intended: Option<Pose>,
    },
    /// Something does not fit; the belief now follows the picture.
    Surprise(Surprise, HostTime),
}
