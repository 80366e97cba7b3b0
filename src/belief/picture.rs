//! One picture, as the stories of the game take it.

use super::event::Spawned;
use super::evidence::Evidence;
use super::story::Settling;
use crate::game::{Board, Piece, Pose};
use crate::message::{Observation, Sighting};
use crate::profile::layout::QUEUE_MAX;
use crate::time::HostTime;

/// Pictures nearer to each other than this tell the same twice, ms.
const INDEPENDENT_MS: f64 = 33.0;
/// Where the next piece comes at once, rows that were cleared are seen to go for no longer than this, ms.
const SETTLES_MS: f64 = 700.0;
/// How sure a new piece is that was promised by the next box and seen on its way, but never at rest in its spawn place.
const INFERRED_CONFIDENCE: f32 = 0.95;

/// One picture, as the stories take it.
#[derive(Debug, Clone)]
pub struct Picture<'a> {
    /// The reading.
    pub observation: &'a Observation,
    /// What its cells say.
    pub evidence: Evidence,
    /// The last picture before it.
    pub before: Option<HostTime>,
    /// For long before it no picture came, and what has happened meanwhile is still open: more than one piece may have come.
    pub is_after_gap: bool,
}

impl Picture<'_> {
    /// The same picture, if nothing is taken from the rows that may be on their way, and not for too long already.
    pub fn beside(&self, settling: Settling) -> Option<Self> {
        let is_young = self.observation.time.ms_since(settling.since) <= SETTLES_MS;
        let lit = self.evidence.lit();
        let mut rows = Board::new(lit.width(), lit.height());
        let last = settling.bottom.min(lit.height().saturating_sub(1));
        (settling.top..=last).for_each(|y| rows.set_row(y, rows.full_row()));
        is_young.then(|| self.without(&rows))
    }

    /// The same picture, if nothing is taken from these cells.
    pub fn without(&self, cells: &Board) -> Self {
        Self { evidence: self.evidence.without(cells), ..*self }
    }

    /// How much it tells that the picture before did not, 0–1.
    pub fn weight(&self) -> f32 {
        self.before
            .map_or(1.0, |before| (self.observation.time.ms_since(before) / INDEPENDENT_MS).clamp(0.0, 1.0) as f32)
    }

    /// The piece that appeared in it.
    pub fn spawned(&self, piece: Piece, pose: Pose, board: Board, expected: Option<Piece>) -> Spawned {
        let confidence = match self.observation.spawn {
            Sighting::Piece(seen, confidence) if seen == piece => confidence,
            _ => INFERRED_CONFIDENCE,
        };
        let Observation { time, frame, .. } = *self.observation;
        let not_before = self.before;
        Spawned {
            time,
            not_before,
            frame,
            piece,
            pose,
            next: None,
            queue: [None; QUEUE_MAX],
            held: None,
            by_hold: false,
            board,
            confidence,
            expected,
            first_of_game: false,
        }
    }
}
