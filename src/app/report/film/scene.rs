//! What a film shows: what stands still while a picture does, and what moves with the time.

use super::pile::Pile;
use crate::app::report::annotate::field_view;
use crate::game::orientation::Pose;
use crate::game::{Board, Piece};
use crate::message::{Cell, CellGrid, Observation, ScreenState};
use crate::profile::calibration::Calibration;
use image::RgbImage;
use std::sync::Arc;

/// Straight pieces of a side of the field, which a lens may bend.
const PIECES: usize = 12;
/// More unclear cells than this are one covered field, which is said in words.
const UNCLEAR_MAX: usize = 60;

/// What is shown as long as a picture is.
#[derive(Clone)]
pub struct Scene {
    /// The camera's picture.
    pub picture: Arc<RgbImage>,
    /// What was read in it.
    pub traces: Traces,
    /// What the picture shows instead of a game, in words.
    pub notice: Option<&'static str>,
    /// The believed pile.
    pub pile: Pile,
    /// The falling piece.
    pub falling: Option<Falling>,
    /// Where it is meant to lock.
    pub planned: Option<Pose>,
    /// The next piece.
    pub next: Option<Piece>,
    /// Numbers and what they are called.
    pub numbers: Vec<(&'static str, String)>,
}

/// The falling piece.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Falling {
    /// The piece.
    pub piece: Piece,
    /// Its cells, as column and row.
    pub cells: [(i8, i8); 4],
}

impl Falling {
    /// Where a picture shows a falling piece: the four cells that it has more than the pile, if it has just four.
    pub fn seen(piece: Piece, pile: &Board, seen: &CellGrid) -> Option<Self> {
        let cells = (0..seen.rows()).flat_map(|y| (0..seen.columns()).map(move |x| (x, y)));
        let more = cells.filter(|&(x, y)| seen.cell(x, y) == Cell::Full && !pile.is_full(x, y));
        // One too many to be a piece is enough to know.
        let more: Vec<(i8, i8)> = more.take(5).map(|(x, y)| (x as i8, y as i8)).collect();
        more.try_into().ok().map(|cells| Self { piece, cells })
    }

    /// Where it is believed to be.
    pub fn at(pose: Pose) -> Self {
        Self { piece: pose.orientation.piece(), cells: pose.cells() }
    }
}

/// Where things are in the picture, px.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Traces {
    /// The field's edge, closed.
    pub outline: Vec<[f32; 2]>,
    /// The corners of cells that cannot be told.
    pub unclear: Vec<[[f32; 2]; 4]>,
    /// The corners of the falling piece's cells.
    pub falling: Vec<[[f32; 2]; 4]>,
    /// The field was seen there.
    pub is_seen: bool,
}

impl Traces {
    /// Of a picture that was read, and the piece that is seen to fall in it.
    pub fn of(seen: &Observation, falling: Option<Falling>, calibration: &Calibration) -> Self {
        let [columns, rows] = [seen.grid.columns(), seen.grid.rows()];
        let Some(view) = field_view([columns, rows], calibration) else { return Self::default() };
        let at = |x: f64, y: f64| view.map([x, y]).map(|v| v as f32);
        let [right, bottom] = [columns as f64, rows as f64];
        let corners = [[0.0, 0.0], [right, 0.0], [right, bottom], [0.0, bottom], [0.0, 0.0]];
        let side = |pair: &[[f64; 2]]| {
            let (from, to) = (pair[0], pair[1]);
            let point =
                move |i: usize| [0, 1].map(|axis| from[axis] + (to[axis] - from[axis]) * i as f64 / PIECES as f64);
            (0..PIECES).map(point).collect::<Vec<_>>()
        };
        let outline = corners.windows(2).flat_map(side).chain([corners[0]]).map(|[x, y]| at(x, y)).collect();
        let corners =
            |left: f64, top: f64| [at(left, top), at(left + 1.0, top), at(left + 1.0, top + 1.0), at(left, top + 1.0)];
        let cells = (0..rows).flat_map(|y| (0..columns).map(move |x| (x, y)));
        let unclear = cells.filter(|&(x, y)| seen.state.shows_cells() && seen.grid.cell(x, y) == Cell::Unknown);
        let unclear: Vec<_> = unclear.map(|(x, y)| corners(x as f64, y as f64)).collect();
        let unclear = if unclear.len() > UNCLEAR_MAX { Vec::new() } else { unclear };
        let shown = falling.filter(|_| seen.state.shows_cells()).map_or(Vec::new(), |falling| falling.cells.to_vec());
        let shown = shown.into_iter().filter(|(_, row)| *row >= 0);
        let falling = shown.map(|(x, y)| corners(f64::from(x), f64::from(y))).collect();
        Self { outline, unclear, falling, is_seen: seen.state.shows_field() }
    }
}

/// What is said of a picture that shows no game going on.
pub fn notice(state: ScreenState) -> Option<&'static str> {
    match state {
        ScreenState::Playing | ScreenState::LineClear => None,
        ScreenState::Paused => Some("paused"),
        ScreenState::GameOver => Some("game over"),
        ScreenState::Menu => Some("a menu"),
        ScreenState::NotThisGame => Some("not this game"),
        ScreenState::Obscured => Some("the field is not seen clearly"),
    }
}

/// The presses of a run.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Presses {
    /// A row each.
    pub keys: Vec<Key>,
    /// When everything was told to open, ms.
    pub stops_ms: Vec<f64>,
}

/// What one button was told.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Key {
    /// Its name.
    pub name: String,
    /// From when to when it was closed, in their order.
    pub spans: Vec<Span>,
    /// When it should have been closed and was not, ms.
    pub missed_ms: Vec<f64>,
}

/// A time in which a button was closed, ms.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Span {
    /// From then on.
    pub from_ms: f64,
    /// Until then; infinite while it is still closed at the recording's end.
    pub to_ms: f64,
    /// A command that closed or opened it left late.
    pub is_late: bool,
}

impl Key {
    /// Whether it was closed then.
    pub fn is_closed(&self, time_ms: f64) -> bool {
        let begun = self.spans.partition_point(|span| span.from_ms <= time_ms);
        begun.checked_sub(1).is_some_and(|last| self.spans[last].to_ms > time_ms)
    }
}

/// How something said is to be taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tone {
    /// It happens all the time.
    Usual,
    /// It went well.
    Good,
    /// It deserves a look.
    Warning,
    /// It went wrong.
    Bad,
}

/// A line of the log.
#[derive(Debug, Clone, PartialEq)]
pub struct Said {
    /// When, ms.
    pub t_ms: f64,
    /// The piece it is about.
    pub piece: Option<Piece>,
    /// In words.
    pub words: String,
    /// How it is to be taken.
    pub tone: Tone,
}

/// What moves with the time.
#[derive(Debug, Clone, Copy)]
pub struct Moment<'a> {
    /// The time, ms from the recording's first picture.
    pub time_ms: f64,
    /// The run's presses; `None` where none were recorded.
    pub presses: Option<&'a Presses>,
    /// What was said by then, oldest first.
    pub said: &'a [Said],
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::orientation::Orientation;

    #[test]
    fn the_falling_piece_is_shown_where_the_picture_shows_it() {
        let (mut pile, mut lit) = (Board::new(10, 20), Board::new(10, 20));
        pile.fill(0, 19);
        let seen = Pose { x: 5, y: 9, orientation: Orientation::spawn(Piece::T) };
        seen.stamp(&mut lit);
        lit.fill(0, 19);
        let read = |lit: &Board| {
            let cells = (0..20).flat_map(|y| (0..10).map(move |x| (x, y)));
            CellGrid::new(10, 20, cells.map(|(x, y)| f32::from(u8::from(lit.is_full(x, y)))).collect()).unwrap()
        };
        let mut expected = seen.cells();
        expected.sort_by_key(|&(x, y)| (y, x));
        let found = Falling::seen(Piece::T, &pile, &read(&lit));
        assert_eq!(found, Some(Falling { piece: Piece::T, cells: expected }));
        // Nobody knows which four of five are the piece.
        lit.fill(9, 9);
        assert_eq!(Falling::seen(Piece::T, &pile, &read(&lit)), None);
    }
}
