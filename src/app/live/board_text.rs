//! The board as text: a line a row, or, where there is less room, a line for each two rows.

use crate::game::Piece;
use crate::message::{Cell, CellGrid};

/// The colour of what lies.
const WHITE: &str = "37";

/// What a cell is shown as.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Square {
    /// Nothing.
    Empty,
    /// Nothing yet: here the piece is to lock.
    Planned,
    /// Cannot be told.
    Unknown,
    /// The falling piece.
    Falling,
    /// The pile.
    Lying,
}

impl Square {
    /// What was seen of a cell, by whether the believed pile has it, and whether the piece is to lock there.
    pub fn of(seen: Cell, lies: bool, is_planned: bool) -> Self {
        match (seen, lies) {
            (Cell::Full, true) => Self::Lying,
            (Cell::Full, false) => Self::Falling,
            (Cell::Unknown, _) => Self::Unknown,
            (Cell::Empty, _) if is_planned => Self::Planned,
            (Cell::Empty, _) => Self::Empty,
        }
    }

    fn is_full(self) -> bool {
        matches!(self, Self::Falling | Self::Lying)
    }
}

/// What the terminal can show.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Style {
    /// Colours.
    pub has_colours: bool,
    /// Characters beyond ASCII.
    pub is_unicode: bool,
}

/// Rows of the board as lines of text, all of the same width.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Lines {
    /// From the top; colours in them take no width.
    pub rows: Vec<String>,
    /// Characters of each.
    pub width: usize,
    /// What the characters mean.
    pub legend: &'static str,
}

/// A board that is to be shown.
pub struct BoardText {
    squares: Vec<Vec<Square>>,
    /// The number of the falling piece's colour.
    falling: &'static str,
    style: Style,
}

impl BoardText {
    /// What is seen, coloured by the piece that falls; `square` says what each cell (column, row) is shown as.
    pub fn new(grid: &CellGrid, falling: Option<Piece>, style: Style, square: impl Fn(usize, usize) -> Square) -> Self {
        let row = |y| (0..grid.columns()).map(|x| square(x, y)).collect();
        Self { squares: (0..grid.rows()).map(row).collect(), falling: falling.map_or(WHITE, colour), style }
    }

    /// Two characters a cell, a line a row.
    pub fn full(&self) -> Lines {
        let cell = |square: &Square| match square {
            Square::Lying => self.coloured(WHITE, "[]"),
            Square::Falling => self.coloured(&format!("1;{}", self.falling), "[]"),
            Square::Unknown => self.coloured("2", "??"),
            Square::Planned => self.coloured(self.falling, "::"),
            Square::Empty => " .".into(),
        };
        Lines {
            rows: self.squares.iter().map(|row| row.iter().map(cell).collect()).collect(),
            width: 2 * self.columns(),
            legend: "[] seen, :: where it is going, ?? cannot be told.",
        }
    }

    /// A character a cell, a line for each two rows.
    pub fn compact(&self) -> Lines {
        let line = |rows: &[Vec<Square>]| -> String {
            let below = |x: usize| rows.get(1).map_or(Square::Empty, |row| row[x]);
            (0..self.columns()).map(|x| self.pair(rows[0][x], below(x))).collect()
        };
        let legend = match self.style.is_unicode {
            true => "█▀▄ seen, : ' . where it is going, ? cannot be told.",
            false => "# ^ _ seen, : ' . where it is going, ? cannot be told.",
        };
        Lines { rows: self.squares.chunks(2).map(line).collect(), width: self.columns(), legend }
    }

    /// Two cells, one above the other, in one character.
    fn pair(&self, above: Square, below: Square) -> String {
        let [both, upper, lower] = if self.style.is_unicode { ["█", "▀", "▄"] } else { ["#", "^", "_"] };
        let colour = |square| if square == Square::Lying { WHITE } else { self.falling };
        match (above, below) {
            (a, b) if a.is_full() && b.is_full() && a != b && self.style.has_colours && self.style.is_unicode => {
                // The lower half is the background.
                let background = colour(b).replacen('3', "4", 1);
                self.coloured(&format!("{};{background}", colour(a)), upper)
            }
            (a, b) if a.is_full() && b.is_full() => {
                self.coloured(colour(if a == Square::Falling { a } else { b }), both)
            }
            (a, _) if a.is_full() => self.coloured(colour(a), upper),
            (_, b) if b.is_full() => self.coloured(colour(b), lower),
            (Square::Unknown, _) | (_, Square::Unknown) => self.coloured("2", "?"),
            (Square::Planned, Square::Planned) => self.coloured(self.falling, ":"),
            (Square::Planned, _) => self.coloured(self.falling, "'"),
            (_, Square::Planned) => self.coloured(self.falling, "."),
            _ => " ".into(),
        }
    }

    fn columns(&self) -> usize {
        self.squares.first().map_or(0, Vec::len)
    }

    fn coloured(&self, colour: &str, text: &str) -> String {
        if self.style.has_colours { format!("\x1b[{colour}m{text}\x1b[0m") } else { text.into() }
    }
}

/// The number of a terminal's colour: that in which most games show the piece.
fn colour(piece: Piece) -> &'static str {
    match piece {
        Piece::I => "36",
        Piece::O => "33",
        Piece::T => "35",
        Piece::S => "32",
        Piece::Z => "31",
        Piece::J => "34",
        Piece::L => "38;5;208",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A board of six rows: a planned place, a piece, something dark, a pile.
    fn board(style: Style) -> BoardText {
        let square = |letter| match letter {
            'f' => Square::Falling,
            'p' => Square::Planned,
            '?' => Square::Unknown,
            '#' => Square::Lying,
            _ => Square::Empty,
        };
        let rows = ["f.ff", "f..#", "p.?.", ".p..", "pp#.", "pp##", "#..#"];
        let squares = rows.iter().map(|row| row.chars().map(square).collect()).collect();
        BoardText { squares, falling: "35", style }
    }

    #[test]
    fn two_rows_share_a_line_of_any_characters_or_of_ascii_alone() {
        let plain = |is_unicode| board(Style { has_colours: false, is_unicode }).compact();
        assert_eq!(plain(false).rows, ["# ^#", "'.? ", "::#_", "^  ^"]);
        assert_eq!(plain(true).rows, ["█ ▀█", "'.? ", "::█▄", "▀  ▀"]);
        assert_eq!((plain(true).width, plain(false).width), (4, 4));
        assert!(plain(false).legend.is_ascii());
        // Piece and pile in one character keep their own colours.
        let coloured = board(Style { has_colours: true, is_unicode: true }).compact();
        assert!(coloured.rows[0].ends_with("\x1b[35;47m▀\x1b[0m"), "{:?}", coloured.rows[0]);
    }

    #[test]
    fn without_colours_there_are_none() {
        let lines = board(Style { has_colours: false, is_unicode: true }).full();
        assert_eq!(lines.rows[0], "[] .[][]");
        assert_eq!(lines.rows[2], ":: .?? .");
        assert!(board(Style { has_colours: true, is_unicode: true }).full().rows[0].contains("\x1b[1;35m[]"));
    }
}
