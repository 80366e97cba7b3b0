//! Whether what is read at a place is a game that is being played there.
//!
//! A menu, a pause or a curtain shows rectangles that look like the field, and the field upside-down. Only play tells: the
//! piece that the next box has announced appears in the spawn place, which was empty before, and the box announces another
//! one. Beside a wrong place stands something that may look like a piece, but it stays.

use crate::game::Piece;
use crate::message::{Observation, ScreenState, Sighting};

/// The next box has announced a piece when it has shown it in this many pictures in a row.
const ANNOUNCED_AFTER: u32 = 3;
/// A piece may be seen in its place this many pictures after the box has changed.
const LATE: u32 = 15;
/// This many announced pieces more than others prove a place.
const ENOUGH: i32 = 1;
/// A game may be set to show no next piece: then so many that come while the box has been empty all along prove it.
const ENOUGH_UNANNOUNCED: u32 = 2;

/// What the pictures of one place have shown so far.
#[derive(Debug, Clone, Default)]
pub struct Proof {
    /// What the next box shows, and in how many pictures in a row it has.
    next: Option<Piece>,
    next_for: u32,
    /// The piece announced last, and what was announced before it.
    announced: Option<Piece>,
    before: Option<Piece>,
    /// Pictures since the last announcement.
    since: u32,
    /// The announced piece has come, this many pictures ago, while the box still shows it.
    came: Option<u32>,
    /// The spawn place has been empty since the last piece.
    was_empty: bool,
    /// Announced pieces that came, less those that came unannounced.
    balance: i32,
    /// The next box was seen, and has shown something.
    is_box_used: bool,
    /// Pieces that came while it was seen to be empty.
    unannounced: u32,
}

impl Proof {
    /// Takes in what was read in the next picture. `has_next` says whether the game has a next box; without one, each
    /// piece that appears counts as announced.
    pub fn look(&mut self, seen: &Observation, has_next: bool) {
        if !matches!(seen.state, ScreenState::Playing | ScreenState::LineClear) {
            return;
        }
        let is_box_empty = matches!(seen.next, Sighting::Empty(_));
        self.is_box_used |= !is_box_empty;
        match seen.spawn {
            Sighting::Empty(_) => self.was_empty = true,
            Sighting::Piece(piece, _) if self.was_empty => {
                self.was_empty = false;
                self.unannounced += u32::from(is_box_empty);
                self.appeared(piece, has_next);
            }
            _ => {}
        }
        self.since = self.since.saturating_add(1);
        self.came = self.came.map(|ago| ago + 1).filter(|ago| *ago <= LATE);
        self.next_for = if seen.next.piece() == self.next { self.next_for.saturating_add(1) } else { 1 };
        self.next = seen.next.piece();
        if self.next_for == ANNOUNCED_AFTER && self.next.is_some() && self.next != self.announced {
            (self.before, self.announced, self.since) = (self.announced, self.next, 0);
            self.balance += i32::from(self.came.take().is_some());
        }
    }

    fn appeared(&mut self, piece: Piece, has_next: bool) {
        let is_late = self.since < LATE && self.before == Some(piece);
        match self.announced {
            None => self.balance += i32::from(!has_next),
            // The box has changed, and was seen to before the piece was.
            Some(_) if is_late => self.balance += 1,
            Some(announced) if announced == piece => self.came = Some(0),
            Some(_) => self.balance -= 1,
        }
    }

    /// Whether a game is played there.
    pub fn is_proven(&self) -> bool {
        self.balance >= ENOUGH || !self.is_box_used && self.unannounced >= ENOUGH_UNANNOUNCED
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::message::CellGrid;
    use crate::time::{CameraFrame, HostTime};

    fn seen(spawn: Sighting, next: Option<Piece>) -> Observation {
        Observation {
            frame: CameraFrame(0),
            time: HostTime(0),
            grid: CellGrid::new(10, 20, vec![0.0; 200]).unwrap(),
            spawn,
            next: next.map_or(Sighting::Unknown, |piece| Sighting::Piece(piece, 1.0)),
            queue: Vec::new(),
            state: ScreenState::Playing,
        }
    }

    fn proof(pictures: &[(Sighting, Option<Piece>, usize)]) -> bool {
        let mut proof = Proof::default();
        for &(spawn, next, times) in pictures {
            (0..times).for_each(|_| proof.look(&seen(spawn, next), true));
        }
        proof.is_proven()
    }

    #[test]
    fn an_announced_piece_proves_a_place() {
        let [empty, t] = [Sighting::Empty(1.0), Sighting::Piece(Piece::T, 1.0)];
        assert!(proof(&[(empty, Some(Piece::T), 10), (t, Some(Piece::I), 5)]));
        assert!(proof(&[(empty, Some(Piece::T), 10), (t, Some(Piece::T), 4), (t, Some(Piece::I), 5)]));
        assert!(proof(&[(empty, Some(Piece::T), 10), (Sighting::Unknown, Some(Piece::I), 5), (t, Some(Piece::I), 3)]));
    }

    #[test]
    fn pieces_that_come_beside_an_empty_box_prove_a_place_that_shows_no_next_piece() {
        let [empty, t] = [Sighting::Empty(1.0), Sighting::Piece(Piece::T, 1.0)];
        let proof = |boxes: [Sighting; 4]| {
            let mut proof = Proof::default();
            for (spawn, next) in [empty, t, empty, t].into_iter().zip(boxes) {
                (0..20).for_each(|_| proof.look(&Observation { next, ..seen(spawn, None) }, true));
            }
            proof.is_proven()
        };
        assert!(proof([empty; 4]));
        assert!(!proof([empty, empty, Sighting::Unknown, empty]), "a box in which something stands");
    }

    #[test]
    fn what_stands_still_or_comes_unannounced_proves_none() {
        let [empty, t] = [Sighting::Empty(1.0), Sighting::Piece(Piece::T, 1.0)];
        assert!(!proof(&[(t, Some(Piece::T), 100)]), "clutter that looks like a piece");
        assert!(!proof(&[(empty, Some(Piece::I), 40), (t, Some(Piece::I), 40)]), "a word that looks like one");
        assert!(
            !proof(&[(empty, Some(Piece::T), 40), (t, Some(Piece::T), 9), (empty, Some(Piece::T), 9)]),
            "a clutter"
        );
        assert!(!proof(&[(empty, None, 40), (t, None, 40)]));
    }
}
