//! The belief in a game in which pieces can be put aside, driven by pictures of its field and its boxes.

#![allow(clippy::unwrap_used, clippy::panic)]

use stackhand::belief::{Belief, Event, Spawned, Surprise};
use stackhand::game::{Board, Movement, Piece, Pose};
use stackhand::message::{CellGrid, Observation, ScreenState, Sighting};
use stackhand::profile::layout::Layout;
use stackhand::time::{CameraFrame, HostTime};

const T: Piece = Piece::T;
const S: Piece = Piece::S;
const O: Piece = Piece::O;
const L: Piece = Piece::L;

/// A belief and a camera that shows it pictures.
struct Scene {
    belief: Belief,
    movement: Movement,
    picture: u64,
}

impl Scene {
    fn new() -> Self {
        let layout = Layout::load("guideline").unwrap();
        let movement = layout.movement().unwrap();
        let belief = Belief::new(movement.clone(), layout.game_rules(), [10, 20], 1, layout.ghost);
        Self { belief, movement, picture: 0 }
    }

    /// Where a piece is seen first: only its lower row is in the field, if it has two.
    fn appears(&self, piece: Piece) -> Pose {
        let spawn = self.movement.spawn(piece);
        spawn.moved(0, if piece == Piece::I { 0 } else { -1 })
    }

    /// So many pictures of a pile, a piece and what the boxes show: nothing can be read in the hold box if that is said.
    fn show(&mut self, times: u32, pile: &Board, piece: Option<Pose>, boxes: [Sighting; 2]) -> Vec<Event> {
        let mut shown = *pile;
        piece.iter().for_each(|pose| pose.stamp(&mut shown));
        let cells = (0..200).map(|cell| if shown.is_full(cell % 10, cell / 10) { 1.0 } else { 0.0 }).collect();
        let grid = CellGrid::new(10, 20, cells).unwrap();
        let look = |_| {
            self.picture += 1;
            let [next, hold] = boxes;
            self.belief.observe(&Observation {
                frame: CameraFrame(self.picture),
                time: HostTime::from_ms(33.0 * self.picture as f64),
                grid: grid.clone(),
                spawn: Sighting::Empty(1.0),
                next,
                queue: vec![seen(O), seen(L)],
                hold,
                state: ScreenState::Playing,
            })
        };
        (0..times).flat_map(look).collect()
    }

    /// A T has come over an empty field and an S is next; an O is held if that is said.
    fn with_t(held: Option<Piece>) -> Self {
        let mut scene = Self::new();
        let hold = held.map_or(Sighting::Empty(1.0), seen);
        scene.show(6, &Board::default(), None, [seen(T), hold]);
        let at = scene.appears(T);
        let events = scene.show(8, &Board::default(), Some(at), [seen(S), hold]);
        let came = spawned(&events);
        assert_eq!((came.piece, came.by_hold, scene.belief.next()), (T, false, Some(S)), "{events:?}");
        assert_eq!((came.held, scene.belief.held()), (held, held));
        scene
    }
}

fn seen(piece: Piece) -> Sighting {
    Sighting::Piece(piece, 1.0)
}

fn spawned(events: &[Event]) -> Spawned {
    let all: Vec<Spawned> = events
        .iter()
        .filter_map(|event| match event {
            Event::Spawned(spawned) => Some(*spawned),
            _ => None,
        })
        .collect();
    assert_eq!(all.len(), 1, "{events:?}");
    all[0]
}

fn is_locked(events: &[Event]) -> bool {
    events.iter().any(|event| matches!(event, Event::Locked(_)))
}

#[test]
fn a_piece_that_takes_the_place_of_the_one_put_aside_is_told_and_nothing_has_locked() {
    for expected in [None, Some(true)] {
        let mut scene = Scene::with_t(Some(O));
        scene.belief.expect_hold(expected);
        let at = scene.appears(O);
        let events = scene.show(6, &Board::default(), Some(at), [seen(S), seen(T)]);
        let came = spawned(&events);
        assert!(events.len() == 1 && came.by_hold, "{events:?}");
        assert_eq!((came.piece, came.held, scene.belief.held(), scene.belief.next()), (O, Some(T), Some(T), Some(S)));
        assert_eq!(came.queue[..3], [Some(O), Some(L), None]);
    }
}

#[test]
fn where_nothing_was_held_the_next_piece_comes_and_the_box_moves_on() {
    let mut scene = Scene::with_t(None);
    scene.belief.expect_hold(Some(true));
    let at = scene.appears(S);
    let events = scene.show(6, &Board::default(), Some(at), [seen(L), seen(T)]);
    let came = spawned(&events);
    assert!(events.len() == 1 && came.by_hold, "{events:?}");
    assert_eq!((came.piece, scene.belief.held(), scene.belief.next()), (S, Some(T), Some(L)));
    // It cannot be put aside itself: a T at its place is another story.
    let pile = Board::default();
    let again = scene.appears(T);
    let events = scene.show(4, &pile, Some(again), [seen(L), seen(T)]);
    assert!(!events.iter().any(|event| matches!(event, Event::Spawned(s) if s.by_hold)), "{events:?}");
}

#[test]
fn the_copy_of_a_piece_that_hung_in_the_first_picture_is_no_pile() {
    // As in a game that waits for who looks: the piece hangs there, and its copy lies as bright as a block on the floor.
    let mut scene = Scene::new();
    let at = scene.movement.spawn(O).moved(0, 3);
    let copy = scene.movement.spawn(O).moved(0, 18);
    let mut shown = Board::default();
    copy.stamp(&mut shown);
    let events = scene.show(40, &shown, Some(at), [seen(S), Sighting::Empty(1.0)]);
    let came = spawned(&events);
    assert_eq!((came.piece, came.board), (O, Board::default()), "{events:?}");
}

/// A dropped piece fades in where its copy was drawn, so that its cells are seen a picture late: that looks like a hold,
/// but its key was not pressed, and nothing is in the box.
#[test]
fn a_piece_that_is_seen_late_where_it_was_dropped_was_not_put_aside() {
    let mut scene = Scene::with_t(None);
    scene.belief.expect_hold(Some(false));
    let lock = scene.movement.spawn(T).moved(0, 18);
    scene.belief.intend(lock);
    let (empty, at) = (Board::default(), scene.appears(S));
    let boxes = [seen(L), Sighting::Empty(1.0)];
    let mut events = scene.show(1, &empty, Some(at), boxes);
    let mut pile = empty;
    lock.stamp(&mut pile);
    events.extend(scene.show(6, &pile, Some(at), boxes));
    let came = spawned(&events);
    assert!(is_locked(&events) && !came.by_hold, "{events:?}");
    assert_eq!((came.piece, came.board, scene.belief.held()), (S, pile, None));
}

#[test]
fn a_hold_box_that_shows_another_piece_than_believed_is_believed_and_told() {
    let mut scene = Scene::with_t(Some(O));
    scene.belief.expect_hold(Some(false));
    let at = scene.appears(T);
    let events = scene.show(24, &Board::default(), Some(at), [seen(S), seen(L)]);
    let other = Surprise::OtherHeld { believed: Some(O), seen: L };
    assert!(matches!(&events[..], [Event::Surprise(told, _)] if *told == other), "{events:?}");
    assert_eq!(scene.belief.held(), Some(L));
}

#[test]
fn a_queue_that_the_next_box_contradicts_is_told() {
    for (next, told) in [(O, None), (L, Some(Surprise::OtherLater { expected: O, seen: L }))] {
        let mut scene = Scene::with_t(None);
        scene.belief.expect_hold(Some(false));
        let lock = scene.movement.spawn(T).moved(0, 18);
        let (mut pile, at) = (Board::default(), scene.appears(S));
        lock.stamp(&mut pile);
        let events = scene.show(8, &pile, Some(at), [seen(next), Sighting::Empty(1.0)]);
        assert!(is_locked(&events) && spawned(&events).piece == S, "{events:?}");
        let surprises: Vec<&Surprise> = events
            .iter()
            .filter_map(|event| match event {
                Event::Surprise(surprise, _) => Some(surprise),
                _ => None,
            })
            .collect();
        assert_eq!(surprises, told.iter().collect::<Vec<_>>(), "{next}");
    }
}
