//! How much what is read between some corners looks like a game: the evidence that no edge can give.
//!
//! All of it is in natural logarithms of odds: how much more often a true field reads like this than some other
//! rectangle of a picture does. The figures are rough guesses on purpose; they hold for any falling-block game.

use crate::message::{Cell, CellGrid, Sighting};
use crate::profile::layout::Layout;
use crate::vision::read::reader::{Look, Reader};
use image::RgbImage;

/// A whole piece of the right size in the next box hardly appears by accident.
const NEXT_PIECE: f64 = 6.0;
/// An empty next box is rare, and any dark place may look like one.
const NEXT_EMPTY: f64 = -1.0;
/// Something unreadable is in the next box.
const NEXT_UNKNOWN: f64 = -4.0;
/// A whole piece in its spawn place.
const SPAWN_PIECE: f64 = 3.0;
/// If all cells were unknown. (The odds of a few are worse than in proportion.)
const ALL_UNKNOWN: f64 = -40.0;
/// A full row would have been cleared.
const FULL_ROW: f64 = -1.5;
/// A full column would have ended the game.
const FULL_COLUMN: f64 = -3.0;
/// If all full cells hung in the air: the pile stands on the floor, but clearing leaves overhangs and islands.
const ALL_FLOATING: f64 = -16.0;
/// How uneven the empty cells of a field are inside, as a share of a block's contrast: one standard deviation. Only noise,
/// moiré and faint backgrounds are in them: simulated, photographed and captured fields had 0.24 at most.
const UNEVEN: f64 = 0.1;
/// Half of what else is taken for a field has anything up to this much in its cells, such as lines of text; beyond, no
/// reader sees blocks. So has one field in a thousand.
const MOST_UNEVEN: f64 = 0.83;
const UNEVEN_FIELDS: f64 = 0.001;
/// The most that any of these may say: a flash, a clear, or a menu may be in the picture.
pub const MOST: f64 = 12.0;

/// This many full rows from the top down are a curtain: the game is over, and the field is not to be seen.
const CURTAIN_ROWS: usize = 2;

/// The evidence of a reader that sees no game.
const NO_GAME: f64 = -25.0;

/// What a reader says about a place.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Reading {
    /// It reads a game, with these log odds and, it may be, a piece in its spawn place or the next box.
    Game {
        /// The evidence.
        log_odds: f64,
        /// Whether a piece is seen: in a pause, rectangles without any look like the field.
        shows_piece: bool,
        /// Whether the next box shows one; so it does if the game has none.
        shows_next: bool,
        /// Its full rows and columns.
        full: FullLines,
    },
    /// The field may be there, but something covers it: the place is neither likelier for it nor less likely, but no
    /// answer either, for even the edges are not what they usually are.
    Covered,
    /// It reads no game.
    NoGame,
}

impl Reading {
    /// What `reader`, which has not seen anything yet, says about the picture.
    pub fn of(reader: &mut Reader, image: &RgbImage, layout: &Layout) -> Self {
        let mut look = reader.look(image);
        if look.as_ref().is_some_and(|look| is_covered(&look.grid)) {
            // What covers it from the top down may be a window's light.
            look = reader.look_through_light(image).or(look);
        }
        match look {
            Some(look) if is_covered(&look.grid) => Self::Covered,
            Some(look) => Self::Game {
                log_odds: log_odds(&look, layout),
                shows_piece: look.next.piece().or(look.spawn.piece()).is_some(),
                shows_next: look.next.piece().is_some() || layout.next.is_none(),
                full: FullLines::of(&look.grid),
            },
            None if reader.is_covered() => Self::Covered,
            None => Self::NoGame,
        }
    }

    /// Whether a game was read.
    pub fn is_game(self) -> bool {
        matches!(self, Self::Game { .. })
    }

    /// Whether a piece was read.
    pub fn shows_piece(self) -> bool {
        matches!(self, Self::Game { shows_piece: true, .. })
    }

    /// Whether a piece was read in the next box, if there is one.
    pub fn shows_next(self) -> bool {
        matches!(self, Self::Game { shows_next: true, .. })
    }

    /// The full rows and columns of the game that was read.
    pub fn full_lines(self) -> Option<FullLines> {
        match self {
            Self::Game { full, .. } => Some(full),
            Self::Covered | Self::NoGame => None,
        }
    }

    /// The evidence.
    pub fn log_odds(self) -> f64 {
        match self {
            Self::Game { log_odds, .. } => log_odds,
            Self::Covered => 0.0,
            Self::NoGame => NO_GAME,
        }
    }
}

/// Which rows and columns are full, a bit each. No game leaves a row full, and a full column ends it: where one is full in all
/// pictures, it is the field's frame.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FullLines {
    rows: u64,
    columns: u16,
}

impl FullLines {
    /// Of this grid.
    fn of(grid: &CellGrid) -> Self {
        let full = grid.full();
        let rows = (0..full.height()).filter(|y| full.row(*y) == full.full_row()).fold(0, |all, y| all | 1 << y);
        Self { rows, columns: full.rows().iter().fold(full.full_row(), |all, row| all & row) }
    }

    /// Those that are full in the other picture, too.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        Self { rows: self.rows & other.rows, columns: self.columns & other.columns }
    }

    /// How many rows are full.
    fn rows(self) -> u32 {
        self.rows.count_ones()
    }

    /// How many columns are full.
    fn columns(self) -> u32 {
        self.columns.count_ones()
    }

    /// Whether there are any.
    pub fn is_any(self) -> bool {
        self.rows() + self.columns() > 0
    }
}

/// The evidence of one reading.
fn log_odds(look: &Look, layout: &Layout) -> f64 {
    let next = match (&layout.next, look.next) {
        (None, _) => 0.0,
        (_, Sighting::Piece(_, confidence)) => NEXT_PIECE * f64::from(confidence),
        (_, Sighting::Empty(_)) => NEXT_EMPTY,
        (_, Sighting::Unknown) => NEXT_UNKNOWN,
    };
    let spawn = if look.spawn.piece().is_some() { SPAWN_PIECE } else { 0.0 };
    let texture = texture_log_odds(f64::from(look.texture));
    (next + spawn + texture + pile_log_odds(&look.grid)).clamp(-2.0 * MOST, MOST)
}

/// Whether the cells that are taken for empty are, from how uneven they are inside (a share of a block's contrast); 0 at
/// best, as any bare window is even.
fn texture_log_odds(texture: f64) -> f64 {
    // Densities, over that of an even field.
    let even = (-0.5 * (texture / UNEVEN).powi(2)).exp();
    let any = UNEVEN * (0.5 * std::f64::consts::PI).sqrt() / MOST_UNEVEN;
    let odds = |even: f64| (even + UNEVEN_FIELDS * any) / (even + any);
    (odds(even) / odds(1.0)).ln()
}

/// Whether the field is covered from its top down: no cell there is surely empty, most are full.
fn is_covered(grid: &CellGrid) -> bool {
    let (full, unknown) = (grid.full(), grid.unknown());
    let is_covered = |y: &usize| {
        let cells = full.row(*y);
        cells | unknown.row(*y) == full.full_row() && 2 * cells.count_ones() > full.full_row().count_ones()
    };
    (0..full.height()).take_while(is_covered).count() >= CURTAIN_ROWS
}

/// Whether the cells might be a pile and a falling piece; 0 at best.
fn pile_log_odds(grid: &CellGrid) -> f64 {
    let [columns, rows] = [grid.columns(), grid.rows()];
    let count = |wanted: Cell| {
        let cells = (0..columns * rows).map(|i| grid.cell(i % columns, i / columns));
        cells.filter(|c| *c == wanted).count() as f64
    };
    let (full, unknown) = (count(Cell::Full), count(Cell::Unknown));
    let lines = FullLines::of(grid);
    let all = (columns * rows) as f64;
    ALL_UNKNOWN * unknown / all
        + FULL_ROW * f64::from(lines.rows())
        + FULL_COLUMN * f64::from(lines.columns())
        + ALL_FLOATING * floating(grid) as f64 / full.max(10.0)
}

/// Full cells that neither stand on the pile nor are a falling piece.
fn floating(grid: &CellGrid) -> usize {
    let [columns, rows] = [grid.columns(), grid.rows()];
    let mut seen = vec![false; columns * rows];
    let (mut cells, mut is_piece_seen) = (0, false);
    for start in 0..columns * rows {
        let Some((size, is_grounded)) = island(grid, start, &mut seen) else { continue };
        // The falling piece, once; it may touch what it falls on, or be blended with the place it comes from.
        let is_piece = !is_piece_seen && (2..=4).contains(&size);
        is_piece_seen |= is_piece && !is_grounded;
        if !is_grounded && !is_piece {
            cells += size;
        }
    }
    cells
}

/// The size of the island of full cells at `start`, and whether it stands on the floor; `None` where none begins.
/// Unknown cells may be bridges, and are not counted.
fn island(grid: &CellGrid, start: usize, seen: &mut [bool]) -> Option<(usize, bool)> {
    let [columns, rows] = [grid.columns(), grid.rows()];
    let at = |i: usize| grid.cell(i % columns, i / columns);
    if seen[start] || at(start) != Cell::Full {
        return None;
    }
    let (mut size, mut is_grounded) = (0, false);
    let mut open = vec![start];
    seen[start] = true;
    while let Some(i) = open.pop() {
        let (x, y) = (i % columns, i / columns);
        size += usize::from(at(i) == Cell::Full);
        is_grounded |= y + 1 == rows;
        let beside = [(x > 0, i.wrapping_sub(1)), (x + 1 < columns, i + 1)];
        let above_below = [(y > 0, i.wrapping_sub(columns)), (y + 1 < rows, i + columns)];
        for (_, near) in beside.into_iter().chain(above_below).filter(|(is_inside, _)| *is_inside) {
            if !seen[near] && at(near) != Cell::Empty {
                seen[near] = true;
                open.push(near);
            }
        }
    }
    Some((size, is_grounded))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn grid(lines: &[&str]) -> CellGrid {
        let p = |c: char| {
            if c == '#' {
                1.0
            } else if c == '?' {
                0.5
            } else {
                0.0
            }
        };
        CellGrid::new(lines[0].len(), lines.len(), lines.iter().flat_map(|l| l.chars().map(p)).collect()).unwrap()
    }

    #[test]
    fn a_pile_and_a_piece_are_no_surprise() {
        assert_eq!(floating(&grid(&[".###.", "..#..", ".....", "#...#", "##.##"])), 0);
        assert!(pile_log_odds(&grid(&[".###.", "..#..", ".....", "#...#", "##.##"])) == 0.0);
    }

    #[test]
    fn what_is_in_empty_cells_is_no_text() {
        assert_eq!(texture_log_odds(0.0), 0.0);
        assert!(texture_log_odds(0.15) > -0.5, "a noisy camera");
        assert!(texture_log_odds(0.34) < -3.0, "lines of text");
        assert!(texture_log_odds(0.8) > -7.0, "one field in a thousand");
    }

    #[test]
    fn noise_and_bands_are() {
        assert_eq!(floating(&grid(&["#####", "#...#", ".....", "#...#", "##.##"])), 7);
        assert!(pile_log_odds(&grid(&["#####", ".....", ".....", ".....", "....."])) < -5.0);
        assert!(pile_log_odds(&grid(&["#....", "#....", "#....", "#..#.", "#.##."])) < -2.0);
        assert!(pile_log_odds(&grid(&["?????", "?????", ".....", ".....", "....."])) < -10.0);
    }
}
