//! The data that flows from photon to contact, each item with its time of validity. No behaviour beyond access.

pub mod event;
pub mod summary;

pub use event::{BlameKind, Considered, DelayKind, Fate, RunEvent, RunSettings, TapedInput};
pub use summary::Summary;

use crate::game::{Board, Piece};
use crate::time::{CameraFrame, HostTime};
use image::RgbImage;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// One picture from a camera, a file or the twin.
#[derive(Debug, Clone)]
pub struct Frame {
    /// Counts the source's pictures, gaps included where the source reports them.
    pub index: CameraFrame,
    /// When the picture reached the host; for recordings the recording's own time, 0 at its first frame.
    pub time: HostTime,
    /// The file it came from, for folders of pictures.
    pub name: Option<Arc<str>>,
    /// The file that the pixels were decoded from, such as a camera's own JPEG, if they came as one.
    pub file: Option<Arc<[u8]>>,
    /// The pixels, 8 bits a channel, top row first.
    pub image: Arc<RgbImage>,
}

/// What a region that holds at most one piece shows.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Sighting {
    /// One whole piece, with the probability that it is right (0–1).
    Piece(Piece, f32),
    /// Nothing, with the probability that this is right (0–1).
    Empty(f32),
    /// Neither can be said: half-drawn, blended, covered, or another shape.
    Unknown,
}

impl Sighting {
    /// The piece, if one was seen.
    pub fn piece(self) -> Option<Piece> {
        match self {
            Self::Piece(piece, _) => Some(piece),
            Self::Empty(_) | Self::Unknown => None,
        }
    }

    /// The probability that the sighting is right; 0 for unknown.
    pub fn confidence(self) -> f32 {
        match self {
            Self::Piece(_, p) | Self::Empty(p) => p,
            Self::Unknown => 0.0,
        }
    }
}

/// What one cell shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Cell {
    /// A block.
    Full,
    /// The field's background.
    Empty,
    /// The picture does not tell.
    Unknown,
}

/// The playfield as seen in one picture: a probability of "full" a cell.
#[derive(Debug, Clone, PartialEq)]
pub struct CellGrid {
    columns: usize,
    rows: usize,
    p_full: Vec<f32>,
}

impl CellGrid {
    /// A cell whose probability of "full" lies between these bounds is unknown.
    pub const SURE: (f32, f32) = (0.1, 0.9);

    /// A grid from its probabilities, row by row from the top; `None` if the sizes do not fit.
    pub fn new(columns: usize, rows: usize, p_full: Vec<f32>) -> Option<Self> {
        (p_full.len() == columns * rows).then_some(Self { columns, rows, p_full })
    }

    /// Columns.
    pub fn columns(&self) -> usize {
        self.columns
    }

    /// Rows.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// The probability that a cell is full; 0 outside.
    pub fn p_full(&self, column: usize, row: usize) -> f32 {
        if column < self.columns && row < self.rows { self.p_full[row * self.columns + column] } else { 0.0 }
    }

    /// What the cell shows.
    pub fn cell(&self, column: usize, row: usize) -> Cell {
        match self.p_full(column, row) {
            p if p > Self::SURE.1 => Cell::Full,
            p if p < Self::SURE.0 => Cell::Empty,
            _ => Cell::Unknown,
        }
    }

    /// The cells that are surely full, as a board.
    pub fn full(&self) -> Board {
        self.board_of(Cell::Full)
    }

    /// The cells that are unknown, as a board.
    pub fn unknown(&self) -> Board {
        self.board_of(Cell::Unknown)
    }

    /// Rows of text, top to bottom: `#` full, `.` empty, `?` unknown.
    pub fn to_lines(&self) -> Vec<String> {
        let letter = |x, y| match self.cell(x, y) {
            Cell::Full => '#',
            Cell::Empty => '.',
            Cell::Unknown => '?',
        };
        (0..self.rows).map(|y| (0..self.columns).map(|x| letter(x, y)).collect()).collect()
    }

    /// The probabilities, row by row from the top.
    pub fn probabilities(&self) -> &[f32] {
        &self.p_full
    }

    /// The probabilities, a vector a row.
    pub fn to_rows(&self) -> Vec<&[f32]> {
        self.p_full.chunks(self.columns.max(1)).collect()
    }

    fn board_of(&self, wanted: Cell) -> Board {
        let mut board = Board::new(self.columns, self.rows);
        for y in 0..self.rows {
            for x in 0..self.columns {
                if self.cell(x, y) == wanted {
                    board.fill(x, y);
                }
            }
        }
        board
    }
}

/// What kind of picture the game shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ScreenState {
    /// A playfield in which pieces can fall.
    Playing,
    /// Full rows are being taken out.
    LineClear,
    /// The game stands still and hides its field.
    Paused,
    /// The game is over: a curtain, or a full field, covers the pile.
    GameOver,
    /// Another screen of what showed the game before.
    Menu,
    /// A picture of something else, or of nothing.
    NotThisGame,
    /// Something stands where the field should be, or most of it cannot be read.
    Obscured,
}

impl ScreenState {
    /// Whether the game's field is in its place in the picture, its blocks hidden or not.
    pub fn shows_field(self) -> bool {
        self.shows_cells() || self == Self::Paused
    }

    /// Whether the field's cells can be seen.
    pub fn shows_cells(self) -> bool {
        matches!(self, Self::Playing | Self::LineClear | Self::GameOver)
    }
}

/// One picture, read.
#[derive(Debug, Clone, PartialEq)]
pub struct Observation {
    /// The picture it came from.
    pub frame: CameraFrame,
    /// That picture's time.
    pub time: HostTime,
    /// Every cell of the playfield, the falling piece included.
    pub grid: CellGrid,
    /// The piece in spawn position.
    pub spawn: Sighting,
    /// The piece in the next box.
    pub next: Sighting,
    /// The pieces after the next one, in their order: one for each of the layout's further boxes.
    pub queue: Vec<Sighting>,
    /// The piece in the hold box, if the layout has one.
    pub hold: Sighting,
    /// What kind of picture it is.
    pub state: ScreenState,
}

/// Which contacts of a relay board are closed: bit n = relay n (K0–K7 on an ADR2200).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct RelayMask(pub u8);

/// One order to the relay board: "these contacts, at this time".
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RelayCommand {
    /// When the first byte should leave the port (wire and contact times already subtracted).
    pub due: HostTime,
    /// After this the command is dropped and counted, never sent late.
    pub expires: HostTime,
    /// All relays' new state.
    pub mask: RelayMask,
}
