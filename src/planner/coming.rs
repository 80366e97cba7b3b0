//! What is known of the pieces after the falling one.

use crate::game::Piece;
use crate::game::guideline::{SHOWN_MAX, Sequence};

/// What is known of the pieces after the falling one, and what can be done about them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Coming {
    /// The piece that is best taken to follow: the next, or the one that can be had for it.
    pub next: Option<Piece>,
    /// Those that are shown, in their order, up to the first that could not be read.
    pub queue: [Option<Piece>; SHOWN_MAX],
    /// The held piece.
    pub held: Option<Piece>,
    /// What can be held.
    pub hold: Hold,
    /// Whether a back-to-back sequence is on.
    pub sequence: Sequence,
}

/// Whether a piece can be put aside.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Hold {
    /// None, in this game.
    #[default]
    Never,
    /// Not the falling one, which has just come out of the hold queue.
    Later,
    /// The falling one, too.
    Now,
}

impl Coming {
    /// Nothing but the next piece.
    pub fn of(next: Option<Piece>) -> Self {
        Self { next, ..Self::default() }
    }

    /// The shown pieces, up to the first that could not be read.
    pub fn shown(&self) -> impl Iterator<Item = Piece> {
        self.queue.iter().map_while(|piece| *piece)
    }
}
