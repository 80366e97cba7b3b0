//! The film's colours: a dark, calm ground, and a colour a piece.

use crate::game::Piece;

/// Red, green, blue.
pub type Colour = [u8; 3];

/// Behind everything.
pub const GROUND: Colour = [18, 21, 24];
/// Behind the picture, the board and the boxes.
pub const PANEL: Colour = [27, 31, 35];
/// Empty cells.
pub const EMPTY: Colour = [33, 38, 43];
/// Lines that part.
pub const LINE: Colour = [52, 59, 66];
/// What is to be read.
pub const INK: Colour = [233, 236, 238];
/// What explains it.
pub const SOFT: Colour = [141, 150, 158];
/// What went well, the field's outline, closed buttons.
pub const GOOD: Colour = [104, 201, 176];
/// What deserves a look: late presses, unclear cells.
pub const WARN: Colour = [240, 180, 84];
/// What went wrong.
pub const BAD: Colour = [240, 108, 100];
/// Blocks of which nobody knows what piece they came with.
pub const UNNAMED: Colour = [128, 138, 147];

/// A piece's blocks: the colour in which most games show it, somewhat muted.
pub fn of(piece: Piece) -> Colour {
    match piece {
        Piece::I => [90, 198, 212],
        Piece::O => [230, 198, 88],
        Piece::T => [172, 124, 214],
        Piece::S => [116, 192, 106],
        Piece::Z => [222, 100, 98],
        Piece::J => [98, 136, 226],
        Piece::L => [230, 152, 78],
    }
}

/// So much (0–1) of another colour mixed in.
pub fn mixed(colour: Colour, other: Colour, share: f32) -> Colour {
    let mix = |a: u8, b: u8| (f32::from(a) + (f32::from(b) - f32::from(a)) * share).round() as u8;
    [mix(colour[0], other[0]), mix(colour[1], other[1]), mix(colour[2], other[2])]
}
