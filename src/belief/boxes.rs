//! What the boxes beside the field say for or against a story: which piece has come, or is held.

use super::picture::Picture;
use super::story::Story;
use crate::game::Piece;
use crate::message::{Observation, Sighting};

/// A piece costs so much that the next box did not promise, or where nothing was promised, nats.
const UNPROMISED_NATS: f32 = 4.0;
const UNANNOUNCED_NATS: f32 = 2.0;
/// The spawn place seems to show another piece, nats.
const OTHER_SIGHTED_NATS: f32 = 3.0;
/// Boxes after the next one that must show another piece before they are taken to have moved on: one may be misread.
const MOVED_BOXES: usize = 2;
/// Nothing can be seen in the hold box though the story has a piece in it, nats a picture: it may be drawn faintly.
const NOTHING_HELD_NATS: f32 = 1.5;
/// The next box, or the hold box, shows another piece than the story has in it, nats a picture.
pub const OTHER_NEXT_NATS: f32 = 4.5;

/// The pieces that may come after the falling one, and what each costs.
pub fn comers(story: &Story, picture: &Picture) -> Vec<(Piece, f32)> {
    let sighted = picture.observation.spawn.piece();
    match (story.next, sighted) {
        (Some(next), Some(sighted)) if next != sighted => vec![(next, OTHER_SIGHTED_NATS), (sighted, UNPROMISED_NATS)],
        (Some(next), _) => vec![(next, 0.0)],
        (None, Some(sighted)) => vec![(sighted, UNANNOUNCED_NATS)],
        (None, None) => Piece::ALL.map(|piece| (piece, UNANNOUNCED_NATS)).to_vec(),
    }
}

/// Whether the next box shows another piece than the story has in it, or the boxes after it have moved on.
pub fn is_other_next(story: &Story, picture: &Picture) -> bool {
    let is_other = story.next.zip(picture.observation.next.piece()).is_some_and(|(promised, seen)| promised != seen);
    is_other || has_moved_on(story, picture.observation)
}

/// Whether the boxes after the next one show what was promised for the boxes before them, and not what was promised for themselves:
/// of two pieces alike the next box alone does not tell that the first has come.
pub fn has_moved_on(story: &Story, observation: &Observation) -> bool {
    let seen = || observation.queue.iter().map(|sighting| sighting.piece());
    let differ = |promised: &[Option<Piece>]| {
        promised.iter().zip(seen()).filter(|(promised, seen)| promised.zip(*seen).is_some_and(|(a, b)| a != b)).count()
    };
    let shifted = &story.queue[1..];
    let are_known = shifted.iter().zip(seen()).filter(|(promised, seen)| promised.is_some() && seen.is_some()).count();
    differ(&story.queue) >= MOVED_BOXES && differ(shifted) == 0 && are_known >= MOVED_BOXES
}

/// What the hold box says against this piece in it, nats. (While it cannot be taken out, many games draw it too faintly to be
/// read.)
pub fn against_held(held: Option<Piece>, picture: &Picture) -> f32 {
    match (picture.observation.hold, held) {
        (Sighting::Piece(seen, _), held) if held != Some(seen) => OTHER_NEXT_NATS,
        (Sighting::Empty(_), Some(_)) => NOTHING_HELD_NATS,
        _ => 0.0,
    }
}

/// Whether the next box shows what the story has in it.
pub fn is_same_next(story: &Story, picture: &Picture) -> bool {
    story.next.is_some() && story.next == picture.observation.next.piece() && !has_moved_on(story, picture.observation)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::Board;
    use crate::message::{CellGrid, ScreenState};
    use crate::time::{CameraFrame, HostTime};

    fn boxes(letters: &str) -> Vec<Option<Piece>> {
        letters.chars().map(Piece::from_letter).collect()
    }

    /// Whether a story with these boxes after the next one is told by these that a piece has come.
    fn moves_on(promised: &str, seen: &str) -> bool {
        let mut story = Story::unknown(&Board::default());
        story.queue.iter_mut().zip(boxes(promised)).for_each(|(into, piece)| *into = piece);
        let sighting = |piece: Option<Piece>| piece.map_or(Sighting::Unknown, |piece| Sighting::Piece(piece, 1.0));
        let observation = Observation {
            frame: CameraFrame(1),
            time: HostTime::default(),
            grid: CellGrid::new(10, 20, vec![0.0; 200]).unwrap(),
            spawn: Sighting::Unknown,
            next: Sighting::Piece(Piece::I, 1.0),
            queue: boxes(seen).into_iter().map(sighting).collect(),
            hold: Sighting::Unknown,
            state: ScreenState::Playing,
        };
        has_moved_on(&story, &observation)
    }

    #[test]
    fn boxes_that_have_all_moved_by_one_tell_of_a_piece_that_the_next_box_does_not() {
        assert!(moves_on("IOLZS", "OLZST"));
        // What cannot be read says nothing; one box may be misread.
        assert!(moves_on("IOLZS", "O?ZST"));
        assert!(!moves_on("IOLZS", "IOLZS"));
        assert!(!moves_on("IOLZS", "IOJZS"));
        assert!(!moves_on("IOLZS", "OLJST"));
        assert!(!moves_on("", "OLZST") && !moves_on("IOLZS", ""));
    }
}
