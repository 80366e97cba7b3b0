//! The console's picture: what its video output shows, drawn from a [`ConsoleView`].
//!
//! Positions were measured in captures of the real console, so that vision made for one works on the other; wall,
//! blocks and letters are drawings of our own. All positions are in the console's pixels, of 256 × 240.

use super::canvas::{BLACK, GREY, PALE, RUST, WHITE};
use super::ending;
use super::font::{NARROW, WIDE};
use super::names;
use super::view::{ConsoleView, Screen, Tile};
use super::wall::{Frame, draw_frame, draw_wall};
use crate::game::Piece;
use crate::game::machine::display::{block_colours, counter_tiles, level_shown, tile_letter};
use std::sync::LazyLock;

pub use super::canvas::{COLOURS, HEIGHT_PX, Picture, WIDTH_PX};
pub use super::names::draw_table;

/// Where the playfield's top-left pixel stands (x, y).
pub const FIELD_PX: [usize; 2] = [96, 48];
/// Pitch of the playfield's cells, pixels.
pub const CELL_PX: usize = 8;
/// Centre of the next box's piece (x, y).
const NEXT_CENTER_PX: [usize; 2] = [208, 128];
/// Centre of the topmost piece in the statistics (x, y), and the pitch of its cells and of the lines below it.
const STATISTICS_CENTER_PX: [usize; 2] = [34, 99];
const STATISTICS_CELL_PX: usize = 6;
const STATISTICS_LINE_PX: usize = 16;

impl Picture {
    /// Draws a block with its top-left pixel at `at`, but not the gap right and below of it.
    pub fn draw_block(&mut self, tile: Tile, at: [usize; 2], level: u8) {
        for (y, row) in tile_pixels(tile, level).iter().enumerate().take(CELL_PX - 1) {
            for (x, colour) in row.iter().enumerate().take(CELL_PX - 1) {
                self.set(at[0] + x, at[1] + y, *colour);
            }
        }
    }

    /// Draws one cell of the playfield or of a box.
    fn draw_tile(&mut self, tile: Tile, at: [usize; 2], level: u8) {
        let pixels = tile_pixels(tile, level);
        for (y, row) in pixels.iter().enumerate() {
            let start = (at[1] + y) * WIDTH_PX + at[0];
            if let Some(target) = self.pixels.get_mut(start..start + CELL_PX) {
                target.copy_from_slice(row);
            }
        }
    }
}

/// Draws what the console shows into `into`, all of it: what was there before does not matter.
pub fn draw(view: &ConsoleView, into: &mut Picture) {
    static GAME: LazyLock<Picture> = LazyLock::new(game_background);
    static MENU: LazyLock<Picture> = LazyLock::new(menu);
    match view.screen {
        Screen::Menu => into.pixels.copy_from_slice(&MENU.pixels),
        Screen::Black => into.pixels.fill(BLACK),
        Screen::Ending(shown) => ending::draw(&shown, into),
        Screen::HighScore(shown) => names::draw(&shown, into),
        Screen::Game => {
            into.pixels.copy_from_slice(&GAME.pixels);
            draw_numbers(view, into);
            draw_field(view, into);
            draw_next(view, into);
        }
        Screen::Paused => {
            into.pixels.copy_from_slice(&GAME.pixels);
            draw_numbers(view, into);
            into.write("PAUSE", [116, 124], &WIDE, WHITE);
        }
    }
    if view.flash {
        // The console changes one colour of one palette ($3F0E, at $9673), which only the wall and its edges use.
        into.pixels.iter_mut().for_each(|p| *p = if *p == GREY { WHITE } else { *p });
    }
}

/// Where the fields of two players begin: at the tile columns 4 and 18, where one player's field begins at 12 ($9749, $9756).
const FIELDS_OF_TWO_PX: [usize; 2] = [32, 144];
/// Where their lines stand ($2068 and $207A in video memory).
const LINES_OF_TWO_PX: [usize; 2] = [64, 208];

/// Draws what the console shows when two play: both fields on top of one player's screen, no score, no level, and the next
/// piece in the midst of the second field. Which colours the tiles have there is not known; these are level 0's.
pub fn draw_two(views: [&ConsoleView; 2], into: &mut Picture) {
    let first = views[0];
    draw(&ConsoleView { playfield: [[Tile::Empty; 10]; 20], falling: None, next: None, ..first.clone() }, into);
    if first.screen != Screen::Game {
        return;
    }
    for (view, (left, lines_left)) in views.into_iter().zip(FIELDS_OF_TWO_PX.into_iter().zip(LINES_OF_TWO_PX)) {
        into.fill([left, FIELD_PX[1]], [10 * CELL_PX, 20 * CELL_PX], BLACK);
        into.fill([lines_left, 24], [24, 8], BLACK);
        into.write(&counter(view.lines), [lines_left, 24], &WIDE, WHITE);
        draw_field_at(left, &ConsoleView { level: 0, ..view.clone() }, into);
    }
    draw_next(&ConsoleView { level: 0, ..first.clone() }, into);
}

fn draw_field(view: &ConsoleView, into: &mut Picture) {
    draw_field_at(FIELD_PX[0], view, into);
}

fn draw_field_at(left: usize, view: &ConsoleView, into: &mut Picture) {
    let at = |column: usize, row: usize| [left + column * CELL_PX, FIELD_PX[1] + row * CELL_PX];
    for (row, tiles) in view.playfield.iter().enumerate() {
        for (column, tile) in tiles.iter().enumerate().filter(|(_, tile)| **tile != Tile::Empty) {
            into.draw_tile(*tile, at(column, row), view.level);
        }
    }
    let Some((cells, tile)) = view.falling else { return };
    for (column, row) in cells {
        if (0..10).contains(&column) && (0..20).contains(&row) {
            into.draw_tile(tile, at(column as usize, row as usize), view.level);
        }
    }
}

fn draw_next(view: &ConsoleView, into: &mut Picture) {
    let Some(piece) = view.next else { return };
    next_cells_px(piece).into_iter().for_each(|at| into.draw_tile(piece_tile(piece), at, view.level));
}

/// Where the cells of a piece in the next box stand: their top-left pixels.
pub fn next_cells_px(piece: Piece) -> [[usize; 2]; 4] {
    let (cells, [columns, rows]) = spawn_shape(piece);
    let left = NEXT_CENTER_PX[0] - columns * CELL_PX / 2;
    let top = NEXT_CENTER_PX[1] - rows * CELL_PX / 2;
    cells.map(|[x, y]| [left + x * CELL_PX, top + y * CELL_PX])
}

fn counter(count: u32) -> String {
    counter_tiles(count).map(|tile| tile_letter(tile).unwrap_or(' ')).iter().collect()
}

fn draw_numbers(view: &ConsoleView, into: &mut Picture) {
    into.write(&counter(view.lines), [152, 24], &WIDE, WHITE);
    into.write(&format!("{:06}", view.top), [192, 40], &WIDE, WHITE);
    into.write(&format!("{:06}", view.score), [192, 64], &WIDE, WHITE);
    into.write(&format!("{:02X}", level_shown(view.level)), [208, 168], &WIDE, WHITE);
    for piece in Piece::ALL {
        let line = piece.index() * STATISTICS_LINE_PX;
        draw_small_piece(piece, STATISTICS_CENTER_PX[1] + line, view.level, into);
        into.write(&counter(view.statistics[piece.index()].into()), [48, 96 + line], &WIDE, RUST);
    }
}

/// A piece of the statistics: blocks of five pixels.
fn draw_small_piece(piece: Piece, center_y: usize, level: u8, into: &mut Picture) {
    let (cells, [columns, rows]) = spawn_shape(piece);
    let left = STATISTICS_CENTER_PX[0] - columns * STATISTICS_CELL_PX / 2;
    let top = center_y - rows * STATISTICS_CELL_PX / 2;
    let pixels = tile_pixels(piece_tile(piece), level);
    for [column, row] in cells {
        for (y, line) in pixels.iter().enumerate().filter(|(y, _)| !matches!(y, 3 | 4 | 7)) {
            for (x, colour) in line.iter().enumerate().filter(|(x, _)| !matches!(x, 3 | 4 | 7)) {
                let squeeze = |i: usize| if i > 4 { i - 2 } else { i };
                let (x, y) = (squeeze(x), squeeze(y));
                into.set(left + column * STATISTICS_CELL_PX + x, top + row * STATISTICS_CELL_PX + y, *colour);
            }
        }
    }
}

/// The tile a piece is made of.
pub fn piece_tile(piece: Piece) -> Tile {
    match piece {
        Piece::T | Piece::O | Piece::I => Tile::White,
        Piece::Z | Piece::L => Tile::Light,
        Piece::J | Piece::S => Tile::Dark,
    }
}

/// A piece's cells (column, row) as it appears, and the size of their bounding box.
fn spawn_shape(piece: Piece) -> ([[usize; 2]; 4], [usize; 2]) {
    match piece {
        Piece::T => ([[0, 0], [1, 0], [2, 0], [1, 1]], [3, 2]),
        Piece::J => ([[0, 0], [1, 0], [2, 0], [2, 1]], [3, 2]),
        Piece::Z => ([[0, 0], [1, 0], [1, 1], [2, 1]], [3, 2]),
        Piece::O => ([[0, 0], [1, 0], [0, 1], [1, 1]], [2, 2]),
        Piece::S => ([[1, 0], [2, 0], [0, 1], [1, 1]], [3, 2]),
        Piece::L => ([[0, 0], [1, 0], [2, 0], [0, 1]], [3, 2]),
        Piece::I => ([[0, 0], [1, 0], [2, 0], [3, 0]], [4, 1]),
    }
}

/// The 8 × 8 pixels of a tile: a block of 7 × 7 with a glint, and a black gap right and below.
fn tile_pixels(tile: Tile, level: u8) -> [[u8; 8]; 8] {
    let [white, light, dark] = block_colours(level);
    let mut pixels = [[BLACK; 8]; 8];
    for (y, row) in pixels.iter_mut().enumerate() {
        for (x, pixel) in row.iter_mut().enumerate() {
            let inside = x < 7 && y < 7;
            let corner = x == 0 && y == 0;
            let glint = corner || matches!((x, y), (1 | 2, 1) | (1, 2));
            let rim = x == 0 || y == 0 || x == 6 || y == 6;
            *pixel = match tile {
                Tile::White if inside => {
                    if rim && !corner {
                        dark
                    } else {
                        white
                    }
                }
                Tile::Light if inside => {
                    if glint {
                        white
                    } else {
                        light
                    }
                }
                Tile::Dark if inside => {
                    if glint {
                        white
                    } else {
                        dark
                    }
                }
                Tile::Curtain => [white, light, light, light, dark, dark, dark, BLACK][y],
                _ => BLACK,
            };
        }
    }
    pixels
}

/// The boxes of the game's screen, measured in captures.
const FRAMES: [Frame; 6] = [
    Frame { edge: [20, 28, 75, 43], light_px: 1, colour: WHITE },
    Frame { edge: [12, 68, 83, 211], light_px: 1, colour: WHITE },
    Frame { edge: [92, 20, 179, 35], light_px: 1, colour: WHITE },
    Frame { edge: [92, 44, 179, 211], light_px: 3, colour: PALE },
    Frame { edge: [189, 20, 244, 83], light_px: 1, colour: WHITE },
    Frame { edge: [189, 156, 236, 179], light_px: 1, colour: WHITE },
];
const NEXT_FRAME: Frame = Frame { edge: [189, 100, 227, 147], light_px: 3, colour: PALE };

fn game_background() -> Picture {
    let mut picture = Picture::new();
    draw_wall(&mut picture);
    for frame in FRAMES.iter().chain([&NEXT_FRAME]) {
        draw_frame(frame, &mut picture);
    }
    picture.write("A-TYPE", [24, 33], &WIDE, WHITE);
    picture.write("STATISTICS", [18, 76], &NARROW, WHITE);
    picture.write("LINES-", [104, 24], &WIDE, WHITE);
    picture.write("TOP", [192, 32], &WIDE, WHITE);
    picture.write("SCORE", [192, 56], &WIDE, WHITE);
    picture.write("NEXT", [192, 104], &WIDE, WHITE);
    picture.write("LEVEL", [192, 160], &WIDE, WHITE);
    picture
}

fn menu() -> Picture {
    let mut picture = Picture::new();
    draw_menu(["STACKHAND", "A-TYPE", "PRESS START"], &mut picture);
    picture
}

/// Draws a menu of three lines, each of at most 16 letters: heading, what is chosen, what to do.
pub fn draw_menu(lines: [&str; 3], into: &mut Picture) {
    draw_wall(into);
    draw_frame(&Frame { edge: [56, 72, 199, 159], light_px: 3, colour: PALE }, into);
    for (line, (y, colour)) in lines.into_iter().zip([(92, WHITE), (112, RUST), (136, WHITE)]) {
        into.write(line, [(WIDTH_PX - 8 * line.len().min(16)) / 2, y], &WIDE, colour);
    }
}
