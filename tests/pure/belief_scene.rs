//! A belief, driven by pictures written as text: `#` full, `.` empty, `?` unknown, `,` unknown but rather empty.

#![allow(clippy::unwrap_used, clippy::expect_used)]

use stackhand::belief::{Belief, Event, Surprise};
use stackhand::game::{Board, Movement, Piece, Rules};
use stackhand::message::{CellGrid, Observation, ScreenState, Sighting};
use stackhand::profile::layout::Layout;
use stackhand::time::{CameraFrame, HostTime};

/// A belief and a camera that shows it one text picture after the other.
#[derive(Clone)]
pub struct Scene {
    pub belief: Belief,
    pub movement: Movement,
    pub picture: u64,
    pub next: Sighting,
}

impl Scene {
    pub fn new() -> Self {
        let movement = Layout::load("nes").unwrap().movement().unwrap();
        let next = Sighting::Piece(Piece::I, 1.0);
        Self { belief: Belief::new(movement.clone(), Rules::Nes, [10, 20], 0, false), movement, picture: 0, next }
    }

    /// A scene in which `piece` is known to have appeared over `pile` (rows from the bottom up, missing ones empty).
    pub fn with_piece(piece: Piece, pile: &[&str]) -> Self {
        let mut scene = Self::new();
        let rows = scene.rows(Some(piece), pile);
        let events: Vec<Event> = (0..4).flat_map(|_| scene.look(&rows, Some(piece))).collect();
        assert!(matches!(events[..], [Event::Spawned(s)] if s.piece == piece), "{events:?}");
        scene
    }

    /// A field: the pile's lowest rows, and a piece in its spawn place.
    pub fn rows(&self, spawn: Option<Piece>, pile: &[&str]) -> Vec<String> {
        let mut rows = vec!["..........".to_string(); 20 - pile.len()];
        rows.extend(pile.iter().map(ToString::to_string));
        if let Some(piece) = spawn {
            for (x, y) in self.movement.spawn(piece).cells() {
                rows[y as usize].replace_range(x as usize..=x as usize, "#");
            }
        }
        rows
    }

    /// Shows one picture of play.
    pub fn look(&mut self, rows: &[String], spawn: Option<Piece>) -> Vec<Event> {
        self.look_at(rows, spawn, ScreenState::Playing)
    }

    /// Shows one picture that was taken for one of this kind.
    pub fn look_at(&mut self, rows: &[String], spawn: Option<Piece>, state: ScreenState) -> Vec<Event> {
        self.picture += 1;
        self.observe(rows, spawn, state, 0.0)
    }

    /// Shows a picture so long after the last, ms.
    pub fn look_late(&mut self, rows: &[String], spawn: Option<Piece>, late_ms: f64) -> Vec<Event> {
        self.observe(rows, spawn, ScreenState::Playing, late_ms)
    }

    fn observe(&mut self, rows: &[String], spawn: Option<Piece>, state: ScreenState, late_ms: f64) -> Vec<Event> {
        let probability = |c| match c {
            '#' => 1.0,
            '.' => 0.0,
            ',' => 0.3,
            _ => 0.5,
        };
        let p_full = rows.iter().flat_map(|row| row.chars().map(probability)).collect();
        self.belief.observe(&Observation {
            frame: CameraFrame(self.picture),
            time: HostTime::from_ms(33.0 * self.picture as f64 + late_ms),
            grid: CellGrid::new(10, 20, p_full).unwrap(),
            spawn: spawn.map_or(Sighting::Empty(1.0), |p| Sighting::Piece(p, 1.0)),
            next: self.next,
            queue: Vec::new(),
            hold: Sighting::Unknown,
            state,
        })
    }

    /// Shows a field once.
    pub fn show(&mut self, spawn: Option<Piece>, pile: &[&str]) -> Vec<Event> {
        let rows = self.rows(spawn, pile);
        self.look(&rows, spawn)
    }
}

/// The one spawn among the events, and what else there was.
pub fn spawned(events: &[Event]) -> (Piece, Board) {
    let mut spawns = events.iter().filter_map(|e| match e {
        Event::Spawned(s) => Some((s.piece, s.board)),
        _ => None,
    });
    let first = spawns.next().unwrap_or_else(|| panic!("no spawn in {events:?}"));
    assert!(spawns.next().is_none());
    first
}

/// Whether all that was told is, once and after most of a second, that the thread is lost.
pub fn is_only_lost(events: &[Event]) -> bool {
    matches!(events, [Event::Surprise(Surprise::Lost { since }, now)] if (800.0..1000.0).contains(&now.ms_since(*since)))
}

pub fn pile(rows: &[&str]) -> Board {
    let mut all = vec![".........."; 20 - rows.len()];
    all.extend(rows);
    Board::parse(&all).unwrap()
}
