//! A piece that the next box showed until another took its place: it has come, and is somewhere near its spawn place.
//!
//! While nothing is known of a game yet this tells which piece is new, and when it came, in pictures of which the pile may
//! not be readable yet.

use super::explain::{Seen, is_young, poses};
use crate::game::{Board, Piece, Pose};
use crate::message::{Observation, Sighting};
use crate::time::{CameraFrame, HostTime};

/// In this many pictures after it came a piece is not further away than a young one can be, at any level but the highest.
const YOUNG_PICTURES: u32 = 12;

/// The piece that came.
#[derive(Debug, Clone, Copy)]
struct Come {
    piece: Piece,
    time: HostTime,
    frame: CameraFrame,
    pictures: u32,
}

/// What the next box said.
#[derive(Debug, Clone, Default)]
pub struct Announced {
    boxed: Option<Piece>,
    come: Option<Come>,
}

impl Announced {
    /// Takes in a picture.
    pub fn take(&mut self, observation: &Observation) {
        if !observation.state.shows_cells() {
            *self = Self::default();
            return;
        }
        self.come = self.come.filter(|come| come.pictures < YOUNG_PICTURES);
        if let Some(come) = &mut self.come {
            come.pictures += 1;
        }
        let Sighting::Piece(now, _) = observation.next else { return };
        if let Some(piece) = self.boxed.replace(now).filter(|before| *before != now) {
            self.come = Some(Come { piece, time: observation.time, frame: observation.frame, pictures: 0 });
        }
    }

    /// The piece that came, where a picture shows it by itself: the pile under it, the piece in its spawn place, where it was
    /// in the first picture after it came, and that picture.
    pub fn find(
        &self,
        seen: &Seen,
        spawn: impl Fn(Piece) -> Pose,
    ) -> Option<(Board, Piece, Pose, (HostTime, CameraFrame))> {
        let come = self.come.filter(|_| seen.unknown.count() == 0)?;
        let spawn = spawn(come.piece);
        let nothing = Board::new(seen.full.width(), seen.full.height());
        let young = poses(&nothing, come.piece).filter(|pose| is_young(*pose, spawn));
        let mut alone = young.filter(|pose| stands_alone(&seen.full, *pose));
        let pose = alone.next().filter(|_| alone.next().is_none())?;
        Some((seen.without(pose), come.piece, spawn, (come.time, come.frame)))
    }
}

/// Whether a board shows a pose, all of it, and nothing beside, above or below it.
fn stands_alone(board: &Board, pose: Pose) -> bool {
    let is_full = |x: i8, y: i8| {
        let inside = x >= 0 && y >= 0 && (x as usize) < board.width() && (y as usize) < board.height();
        inside && board.is_full(x as usize, y as usize)
    };
    let cells = pose.cells();
    cells.iter().all(|&(x, y)| {
        let near = [(x - 1, y), (x + 1, y), (x, y - 1), (x, y + 1)];
        is_full(x, y) && near.into_iter().all(|(u, v)| cells.contains(&(u, v)) || !is_full(u, v))
    })
}
