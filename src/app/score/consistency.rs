//! What a recording says about its own reading, without any truth: the next box announces the following piece, each piece
//! adds four cells and each cleared row takes away one row of them, and a piece lies where it can have got to.

use crate::app::score::{Mistake, Mistakes};
use crate::belief::{Event, Locked, Spawned, Surprise};
use crate::game::{Board, Movement, Piece, Pose, Reach, RotationSystem};
use crate::message::Observation;
use crate::message::summary::{Agreement, Agreements};
use crate::profile::layout::Layout;
use crate::robot::Look;
use crate::time::CameraFrame;
use std::collections::VecDeque;

/// A piece is reported this many pictures after it was first seen, at most.
const REPORTED_WITHIN_PICTURES: usize = 60;
/// Rows that one piece can clear.
const LINES_MAX: u32 = 4;

impl Agreement {
    fn count(&mut self, agrees: bool) -> bool {
        self.agree += u64::from(agrees);
        self.of += 1;
        agrees
    }
}

impl Agreements {
    /// In words.
    pub fn to_words(self) -> String {
        let Self { next, next_taken_for_piece: taken, cells, placements } = self;
        if next.of + cells.of + placements.of == 0 {
            return "Nothing in the recording could be compared with itself: fewer than two pieces were seen.".into();
        }
        let mut text = format!(
            "In itself: {} of {} pieces are those that the next box had shown, {} of {} counts of cells fit, {} of {} \
             placements can be reached.",
            next.agree, next.of, cells.agree, cells.of, placements.agree, placements.of
        );
        if taken > 0 {
            text += &format!(" {taken} more pieces were only seen on their way down and are named by the next box.");
        }
        text
    }
}

/// Compares a recording with itself.
#[derive(Debug)]
pub struct Consistency {
    /// Where pieces appear; without it placements cannot be judged.
    spawns: Option<Movement>,
    /// How they may turn.
    rotations: Vec<RotationSystem>,
    agreements: Agreements,
    mistakes: Mistakes,
    /// What the spawn place showed in the last pictures.
    spawn_place: VecDeque<(CameraFrame, Option<Piece>)>,
    last: Option<Spawned>,
    /// How the last piece locked; and whether something was surprising since it appeared.
    locked: Option<Locked>,
    surprised: bool,
    unreadable: Option<Stretch>,
}

/// Pictures in a row that could not be read.
#[derive(Debug)]
struct Stretch {
    from_ms: f64,
    until_ms: f64,
    pictures: u64,
}

impl Consistency {
    /// Nothing was seen yet of a game of this layout.
    pub fn new(layout: &Layout) -> Self {
        Self {
            spawns: layout.movement(),
            rotations: layout.rule_variants().iter().map(|rules| rules.rotation().clone()).collect(),
            agreements: Agreements::default(),
            mistakes: Mistakes::default(),
            spawn_place: VecDeque::new(),
            last: None,
            locked: None,
            surprised: false,
            unreadable: None,
        }
    }

    /// Takes in what came of a picture.
    pub fn look(&mut self, look: &Look) {
        self.note_picture(&look.observation);
        self.events(&look.events);
    }

    /// Takes in what became certain.
    pub fn events(&mut self, events: &[Event]) {
        for event in events {
            match event {
                Event::Locked(locked) => self.locked(locked),
                Event::Spawned(spawned) => self.spawned(spawned),
                Event::GameOver { .. } => (self.last, self.locked, self.surprised) = (None, None, false),
                Event::Surprise(surprise, time) => self.surprise(surprise, time.ms()),
            }
        }
    }

    /// The result, and what does not agree in the order of time.
    pub fn finish(mut self) -> (Agreements, Mistakes) {
        let stretch = self.unreadable.take();
        self.end_stretch(stretch);
        (self.agreements, self.mistakes.with(Mistakes::default()))
    }

    fn note_picture(&mut self, observation: &Observation) {
        self.spawn_place.push_back((observation.frame, observation.spawn.piece()));
        if self.spawn_place.len() > REPORTED_WITHIN_PICTURES {
            self.spawn_place.pop_front();
        }
        let t_ms = observation.time.ms();
        if observation.state.shows_cells() {
            let stretch = self.unreadable.take();
            return self.end_stretch(stretch);
        }
        let new = || Stretch { from_ms: t_ms, until_ms: t_ms, pictures: 0 };
        let stretch = self.unreadable.get_or_insert_with(new);
        stretch.until_ms = t_ms;
        stretch.pictures += 1;
    }

    fn end_stretch(&mut self, stretch: Option<Stretch>) {
        let Some(Stretch { from_ms, until_ms, pictures }) = stretch else { return };
        self.mistakes.push(Mistake {
            from_ms,
            until_ms,
            title: "pictures that could not be read".into(),
            words: format!("{pictures} in a row."),
            expected_name: "",
            expected: Vec::new(),
            seen: Vec::new(),
        });
    }

    fn locked(&mut self, locked: &Locked) {
        self.locked = Some(*locked);
        let (Some(last), Some(spawns)) = (&self.last, &self.spawns) else { return };
        let board = last.board;
        let is_reached = can_reach(&board, spawns.spawn(locked.piece), locked.pose, &self.rotations);
        if !self.agreements.placements.count(is_reached) {
            let mut seen = board;
            locked.pose.stamp(&mut seen);
            self.push(
                locked.time.ms(),
                "a placement out of reach",
                format!("The {} can not get there.", locked.piece),
                board,
                seen,
            );
        }
    }

    fn spawned(&mut self, spawned: &Spawned) {
        if let Some(last) = self.last.take() {
            self.compare_piece(&last, spawned);
            self.compare_cells(&last, spawned);
        }
        self.last = Some(*spawned);
        (self.locked, self.surprised) = (None, false);
    }

    fn compare_piece(&mut self, last: &Spawned, spawned: &Spawned) {
        let Some(promised) = last.next else { return };
        let reading = self.spawn_place.iter().find(|(frame, _)| *frame == spawned.frame);
        if reading.and_then(|(_, piece)| *piece).is_none() {
            self.agreements.next_taken_for_piece += 1;
        } else if !self.agreements.next.count(promised == spawned.piece) {
            let words = format!("The next box had shown {promised}, then {} appeared.", spawned.piece);
            self.push(spawned.time.ms(), "another piece than announced", words, last.board, spawned.board);
        }
    }

    fn compare_cells(&mut self, last: &Spawned, spawned: &Spawned) {
        let (before, after, row) = (last.board.count(), spawned.board.count(), last.board.width() as u32);
        let fits = |lines: u32| before + 4 == after + row * lines;
        let agrees = match self.locked {
            Some(locked) => fits(locked.lines as u32),
            None => (0..=LINES_MAX).any(fits),
        };
        if !self.agreements.cells.count(agrees) && !self.surprised {
            let words = format!("{before} cells became {after}, which no number of cleared rows explains.");
            self.push(spawned.time.ms(), "cells that do not add up", words, last.board, spawned.board);
        }
    }

    fn surprise(&mut self, surprise: &Surprise, t_ms: f64) {
        match surprise {
            // Shown when the piece itself is compared.
            Surprise::OtherPiece { .. }
            | Surprise::OtherNext { .. }
            | Surprise::OtherLater { .. }
            | Surprise::OtherHeld { .. } => {}
            // What becomes of it is compared when a piece is found again.
            Surprise::Lost { .. } => self.surprised = true,
            Surprise::Pile { believed, seen } => {
                let words = "A cell was misread, now or before.".into();
                self.push(t_ms, "the pile changed by itself", words, *believed, *seen);
                self.surprised = true;
            }
            Surprise::Impossible { believed, seen } => {
                let words = "Light fell on the field, or something lay over it.".into();
                self.push(t_ms, "cells show what no piece can have brought", words, *believed, *seen);
            }
            Surprise::Unexplained { believed, seen, .. } => {
                let words = "Pictures were missed, or a cell was misread.".into();
                self.push(t_ms, "a new piece over a pile that no placement explains", words, *believed, *seen);
                self.agreements.placements.count(false);
                self.surprised = true;
            }
        }
    }

    fn push(&mut self, t_ms: f64, title: &str, words: String, before: Board, seen: Board) {
        self.mistakes.push(Mistake {
            from_ms: t_ms,
            until_ms: t_ms,
            title: title.into(),
            words,
            expected_name: "believed before",
            expected: before.to_lines(),
            seen: seen.to_lines(),
        });
    }
}

/// Whether a piece can come to rest in these cells, in a game that turns in any of these ways.
fn can_reach(board: &Board, spawn: Pose, pose: Pose, rotations: &[RotationSystem]) -> bool {
    let cells = sorted(pose);
    rotations.iter().any(|rotation| Reach::flood(board, spawn, rotation).locks().any(|lock| sorted(lock) == cells))
}

fn sorted(pose: Pose) -> [(i8, i8); 4] {
    let mut cells = pose.cells();
    cells.sort_unstable();
    cells
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::Orientation;
    use crate::time::HostTime;

    fn spawned(frame: i64, piece: Piece, next: Piece, board: Board) -> Spawned {
        let pose = Pose { x: 5, y: 0, orientation: Orientation::spawn(piece) };
        Spawned {
            time: HostTime::from_ms(frame as f64 * 33.0),
            not_before: None,
            frame: CameraFrame(frame as u64),
            piece,
            pose,
            next: Some(next),
            board,
            confidence: 1.0,
            expected: None,
            first_of_game: false,
            queue: Default::default(),
            held: None,
            by_hold: false,
        }
    }

    fn locked(pose: Pose, lines: usize) -> Event {
        let piece = pose.orientation.piece();
        Event::Locked(Locked { time: HostTime::default(), piece, pose, lines, intended: None })
    }

    /// An O that appears over `board`, locks at `pose`, and is followed by `then` over `after`; both read in their places.
    fn play(board: Board, pose: Pose, then: Piece, after: Board) -> (Agreements, Mistakes) {
        let mut consistency = Consistency::new(&Layout::load("nes").unwrap());
        consistency.spawn_place.extend([(CameraFrame(1), Some(Piece::O)), (CameraFrame(9), Some(then))]);
        consistency.events(&[Event::Spawned(spawned(1, Piece::O, Piece::T, board))]);
        consistency.events(&[locked(pose, 0), Event::Spawned(spawned(9, then, Piece::I, after))]);
        consistency.finish()
    }

    fn square(x: i8, y: i8) -> (Pose, Board) {
        let pose = Pose { x, y, orientation: Orientation::spawn(Piece::O) };
        let mut board = Board::default();
        pose.stamp(&mut board);
        (pose, board)
    }

    #[test]
    fn what_fits_together_agrees() {
        let (pose, after) = square(4, 18);
        let (agreements, mistakes) = play(Board::default(), pose, Piece::T, after);
        let once = Agreement { agree: 1, of: 1 };
        assert_eq!([agreements.next, agreements.cells, agreements.placements], [once; 3]);
        assert_eq!(mistakes.count, 0);
    }

    #[test]
    fn each_contradiction_is_one_mistake() {
        let (pose, after) = square(4, 18);
        let mut more = after;
        more.fill(9, 19);
        // Under a roof that closes the field.
        let mut roof = Board::default();
        (0..10).for_each(|x| roof.fill(x, 10));
        let mut under_roof = roof;
        pose.stamp(&mut under_roof);
        let cases = [
            (play(Board::default(), pose, Piece::L, after), [0, 1, 1], "another piece than announced"),
            (play(Board::default(), pose, Piece::T, more), [1, 0, 1], "cells that do not add up"),
            (play(roof, pose, Piece::T, under_roof), [1, 1, 0], "a placement out of reach"),
        ];
        for ((agreements, mistakes), agree, title) in cases {
            let Agreements { next, cells, placements, .. } = agreements;
            assert_eq!([next.agree, cells.agree, placements.agree], agree, "{title}");
            assert_eq!([next.of, cells.of, placements.of], [1; 3], "{title}");
            assert_eq!(mistakes.kept.iter().map(|m| m.title.as_str()).collect::<Vec<_>>(), [title]);
        }
    }

    #[test]
    fn a_name_taken_from_the_next_box_proves_nothing() {
        let (pose, after) = square(4, 18);
        let mut consistency = Consistency::new(&Layout::load("nes").unwrap());
        consistency.events(&[Event::Spawned(spawned(1, Piece::O, Piece::T, Board::default()))]);
        consistency.events(&[locked(pose, 0), Event::Spawned(spawned(9, Piece::T, Piece::I, after))]);
        let (agreements, _) = consistency.finish();
        assert_eq!((agreements.next.of, agreements.next_taken_for_piece), (0, 1));
    }

    #[test]
    fn nothing_is_claimed_about_one_piece() {
        let mut consistency = Consistency::new(&Layout::load("nes").unwrap());
        consistency.events(&[Event::Spawned(spawned(1, Piece::O, Piece::T, Board::default()))]);
        let (agreements, mistakes) = consistency.finish();
        assert_eq!((agreements, mistakes.count), (Agreements::default(), 0));
        assert!(agreements.to_words().starts_with("Nothing"), "{}", agreements.to_words());
    }

    #[test]
    fn games_do_not_run_into_each_other() {
        let mut consistency = Consistency::new(&Layout::load("nes").unwrap());
        consistency.events(&[Event::Spawned(spawned(1, Piece::O, Piece::T, square(4, 18).1))]);
        consistency.events(&[Event::GameOver { time: HostTime::default(), intended: None }]);
        consistency.events(&[Event::Spawned(spawned(9, Piece::I, Piece::I, Board::default()))]);
        assert_eq!(consistency.finish().0, Agreements::default());
    }
}
