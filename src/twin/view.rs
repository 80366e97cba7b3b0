//! What the simulated console shows, as data: the console writes it, the picture draws it.

use crate::game::Piece;
use crate::game::machine::{Ending, Entry, HighScore, Region};

/// Which screen the console is on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Screen {
    /// Waiting for Start before a game: no playfield.
    Menu,
    /// A game, its line clears and its game-over curtain included.
    Game,
    /// A paused game: the playfield is blanked, PAUSE stands instead.
    Paused,
    /// Nothing, while a screen is loaded.
    Black,
    /// What follows a game that was good or won.
    Ending(EndingView),
    /// The best three games, one of which is given a name.
    HighScore(NamesView),
}

/// An ending's picture.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EndingView {
    /// Its variables.
    pub ending: Ending,
    /// The frame counter's low byte.
    pub frame: u8,
    /// Some figures move at another pace in Europe.
    pub region: Region,
}

/// The picture on which a name is entered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NamesView {
    /// The best three games of a type, best first.
    pub games: [HighScore; 3],
    /// Which type, place and letter.
    pub entry: Entry,
    /// The cursor is to be seen.
    pub has_cursor: bool,
}

/// What stands in one cell of the playfield.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Tile {
    /// Black.
    #[default]
    Empty,
    /// White with a border in the level's second colour (T, O, I; tile $7B).
    White,
    /// A block in the level's third colour (Z, L; tile $7C).
    Light,
    /// A block in the level's second colour (J, S; tile $7D).
    Dark,
    /// The game-over curtain ($4F).
    Curtain,
}

/// Everything on the screen in one console frame.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConsoleView {
    /// Which screen.
    pub screen: Screen,
    /// The background's playfield as last copied to video memory, row by row from the top.
    pub playfield: [[Tile; 10]; 20],
    /// The falling piece's cells (column, row; rows −2 and −1 are hidden above the field), drawn over the playfield.
    pub falling: Option<([(i8, i8); 4], Tile)>,
    /// The next box's piece.
    pub next: Option<Piece>,
    /// Level number, 0–255; colours repeat every ten.
    pub level: u8,
    /// Lines cleared.
    pub lines: u32,
    /// The best score that is remembered.
    pub top: u32,
    /// Score.
    pub score: u32,
    /// How often each piece came, by [`Piece::index`].
    pub statistics: [u16; 7],
    /// The wall around field and boxes flashes white (during a four-line clear); the field stays as it is.
    pub flash: bool,
}
