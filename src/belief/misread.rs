//! Was the next box misread when the falling piece appeared?
//!
//! A box that shows another piece tells that a new one is there, seen or not. But if it has done so since the falling piece
//! appeared, and that one goes on falling, no piece has come: what was read first was wrong.

use crate::game::Piece;
use crate::game::orientation::Pose;
use crate::time::HostTime;

/// So long a box is looked at before what it shows, or does not show, is believed, ms: three pictures of a slow camera.
pub const PATIENCE_MS: f64 = 95.0;
/// Another piece in the box must have been there so soon after the falling one appeared, ms.
const SINCE_MS: f64 = 70.0;

/// Another piece that the box shows than it did when the falling one appeared.
#[derive(Debug, Clone, Copy)]
struct Other {
    piece: Piece,
    /// Where the falling piece was when that began, and when it was.
    began: Pose,
    since: HostTime,
}

/// What the box has shown since the last piece appeared.
#[derive(Debug, Clone, Default)]
pub struct Misread {
    spawned: Option<HostTime>,
    other: Option<Other>,
}

impl Misread {
    /// A piece has been reported.
    pub fn since(time: HostTime) -> Self {
        Self { spawned: Some(time), other: None }
    }

    /// The box shows what it did, or nothing that can be read.
    pub fn settle(&mut self) {
        self.other = None;
    }

    /// The picture shows another piece in the box while the falling one is at `falling`; whether the first reading was wrong.
    pub fn doubt(&mut self, piece: Piece, falling: Pose, now: HostTime) -> bool {
        let is_early = self.spawned.is_some_and(|spawned| now.ms_since(spawned) <= SINCE_MS);
        let fresh = is_early.then_some(Other { piece, began: falling, since: now });
        self.other = self.other.filter(|other| other.piece == piece).or(fresh);
        self.other.is_some_and(|other| now.ms_since(other.since) >= PATIENCE_MS && falling != other.began)
    }
}
