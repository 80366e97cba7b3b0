//! Pictures that a camera can be set up by: one piece where it appears and in the next box, or a pattern in all cells.

use super::picture::piece_tile;
use super::view::{ConsoleView, Screen, Tile};
use crate::game::Piece;
use crate::game::machine::spawn_pose;
use crate::game::standard::Pile;

/// Highest level of which the colours can be shown.
const LEVEL_MAX: u8 = 29;

/// What a reference picture shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Shown {
    /// An empty field and an empty next box.
    #[default]
    Nothing,
    /// This piece where pieces appear, and in the next box.
    Piece(Piece),
    /// Every cell full.
    Full,
    /// Every other cell full, as on a chessboard; the top-left one is.
    Chessboard,
}

impl Shown {
    /// What a number key asks for: 1 to 7 the pieces O I S Z L J T, 8 and 9 the patterns, 0 nothing.
    pub fn of_digit(digit: u8) -> Option<Self> {
        const PIECES: [Piece; 7] = [Piece::O, Piece::I, Piece::S, Piece::Z, Piece::L, Piece::J, Piece::T];
        match digit {
            0 => Some(Self::Nothing),
            1..=7 => Some(Self::Piece(PIECES[usize::from(digit) - 1])),
            8 => Some(Self::Full),
            9 => Some(Self::Chessboard),
            _ => None,
        }
    }

    /// The piece that it shows.
    pub fn piece(self) -> Option<Piece> {
        if let Self::Piece(piece) = self { Some(piece) } else { None }
    }

    /// The pile that it shows.
    pub fn pile(self, [columns, rows]: [usize; 2]) -> Pile {
        let mut pile = Pile::new([columns, rows]);
        let cells = (0..rows).flat_map(|y| (0..columns).map(move |x| (x, y)));
        cells.filter(|&(x, y)| self.tile(x, y) != Tile::Empty).for_each(|(x, y)| pile.fill(x, y));
        pile
    }

    fn tile(self, x: usize, y: usize) -> Tile {
        match self {
            Self::Full => Tile::White,
            Self::Chessboard if (x + y).is_multiple_of(2) => Tile::White,
            Self::Chessboard | Self::Nothing | Self::Piece(_) => Tile::Empty,
        }
    }
}

/// A reference picture in the colours of a level.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Reference {
    /// What it shows.
    pub shown: Shown,
    /// The level, 0–29.
    pub level: u8,
}

impl Reference {
    /// The colours of the next or the previous level.
    pub fn step_level(&mut self, up: bool) {
        self.level = if up { (self.level + 1).min(LEVEL_MAX) } else { self.level.saturating_sub(1) };
    }

    /// The picture's contents.
    pub fn view(self) -> ConsoleView {
        let piece = self.shown.piece();
        ConsoleView {
            screen: Screen::Game,
            playfield: std::array::from_fn(|y| std::array::from_fn(|x| self.shown.tile(x, y))),
            falling: piece.map(|piece| (spawn_pose(piece).cells(), piece_tile(piece))),
            next: piece,
            level: self.level,
            lines: 0,
            score: 0,
            top: 10_000,
            statistics: [0; 7],
            flash: false,
        }
    }
}
