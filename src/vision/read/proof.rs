//! Whether what is read at a place is a game that is being played there.
//!
//! A menu, a pause or a curtain shows rectangles that look like the field, and the field upside-down. Only play tells: the
//! piece that the next box has announced appears in the spawn place, which was empty before, and the box announces another
//! one. Beside a wrong place stands something that may look like a piece, but it stays.

use crate::game::Piece;
use crate::message::{Observation, ScreenState, Sighting};
use crate::time::HostTime;

/// The next box has announced a piece when it has shown it for so long, ms, and in more than one picture.
const ANNOUNCED_AFTER_MS: f64 = 50.0;
/// A piece may be seen in its place so long after the box has changed, ms.
const LATE_MS: f64 = 500.0;
/// This many announced pieces more than others prove a place.
const ENOUGH: i32 = 1;
/// A game may be set to show no next piece: then so many that come while the box has been empty all along prove it.
const ENOUGH_UNANNOUNCED: u32 = 2;

/// What the pictures of one place have shown so far.
#[derive(Debug, Clone, Default)]
pub struct Proof {
    /// What the next box shows, and since when.
    next: Option<Piece>,
    next_since: Option<HostTime>,
    /// The piece announced last, and what was announced before it.
    announced: Option<Piece>,
    before: Option<Piece>,
    /// When that was.
    announced_at: Option<HostTime>,
    /// When the announced piece came, while the box still shows it.
    came: Option<HostTime>,
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
                self.appeared(piece, has_next, seen.time);
            }
            _ => {}
        }
        self.came = self.came.filter(|came| seen.time.ms_since(*came) < LATE_MS);
        if seen.next.piece() != self.next || self.next_since.is_none() {
            (self.next, self.next_since) = (seen.next.piece(), Some(seen.time));
            return;
        }
        let shown_ms = self.next_since.map_or(0.0, |since| seen.time.ms_since(since));
        if shown_ms >= ANNOUNCED_AFTER_MS && self.next.is_some() && self.next != self.announced {
            (self.before, self.announced, self.announced_at) = (self.announced, self.next, Some(seen.time));
            self.balance += i32::from(self.came.take().is_some());
        }
    }

    fn appeared(&mut self, piece: Piece, has_next: bool, now: HostTime) {
        let is_recent = self.announced_at.is_some_and(|announced| now.ms_since(announced) < LATE_MS);
        let is_late = is_recent && self.before == Some(piece);
        match self.announced {
            None => self.balance += i32::from(!has_next),
            // The box has changed, and was seen to before the piece was.
            Some(_) if is_late => self.balance += 1,
            Some(announced) if announced == piece => self.came = Some(now),
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
    use crate::time::CameraFrame;

    fn seen(spawn: Sighting, next: Option<Piece>) -> Observation {
        Observation {
            frame: CameraFrame(0),
            time: HostTime(0),
            grid: CellGrid::new(10, 20, vec![0.0; 200]).unwrap(),
            spawn,
            next: next.map_or(Sighting::Unknown, |piece| Sighting::Piece(piece, 1.0)),
            queue: Vec::new(),
            hold: Sighting::Unknown,
            state: ScreenState::Playing,
        }
    }

    /// Whether this is proof; each is shown for so many thirtieths of a second. At any rate of pictures it is the same.
    fn proof(pictures: &[(Sighting, Option<Piece>, usize)]) -> bool {
        let verdicts = [1, 2, 4].map(|rate| {
            let (mut proof, mut time) = (Proof::default(), HostTime(0));
            for &(spawn, next, times) in pictures {
                for _ in 0..times * rate {
                    time = time.plus_ms(33.3 / rate as f64);
                    proof.look(&Observation { time, ..seen(spawn, next) }, true);
                }
            }
            proof.is_proven()
        });
        assert!(verdicts.iter().all(|verdict| *verdict == verdicts[0]), "{verdicts:?}: {pictures:?}");
        verdicts[0]
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
