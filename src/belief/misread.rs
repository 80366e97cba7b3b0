//! Was the next box misread when the falling piece appeared?
//!
//! A box that shows another piece tells that a new one is there, seen or not. But if it has done so since the falling piece
//! appeared, and that one goes on falling, no piece has come: what was read first was wrong.

use crate::game::Piece;
use crate::game::orientation::Pose;

/// The box must show the other piece in this many pictures in a row while the falling one moves,
const PICTURES: u32 = 4;
/// and that must have begun at most this many pictures after the falling one appeared.
const SINCE: u32 = 2;

/// Another piece that the box shows than it did when the falling one appeared.
#[derive(Debug, Clone, Copy)]
struct Other {
    piece: Piece,
    /// Where the falling piece was when that began.
    began: Pose,
    /// The first and the last picture of it, counted from the spawn.
    first: u32,
    last: u32,
}

/// What the box has shown since the last piece appeared.
#[derive(Debug, Clone, Default)]
pub struct Misread {
    pictures: u32,
    other: Option<Other>,
}

impl Misread {
    /// A picture passes.
    pub fn count(&mut self) {
        self.pictures = self.pictures.saturating_add(1);
    }

    /// The picture shows another piece in the box while the falling one is at `falling`; whether the first reading was wrong.
    pub fn doubt(&mut self, piece: Piece, falling: Pose) -> bool {
        let now = self.pictures;
        let before = self.other.filter(|other| other.piece == piece && other.last + 1 == now);
        let fresh = Other { piece, began: falling, first: now, last: now };
        let Some(other) = before.or_else(|| (now <= SINCE).then_some(fresh)) else { return false };
        self.other = Some(Other { last: now, ..other });
        now + 1 >= other.first + PICTURES && falling != other.began
    }
}
