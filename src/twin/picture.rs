//! The console's picture: what its video output shows, drawn from a [`ConsoleView`].
//!
//! Positions were measured in captures of the real console, so that vision made for one works on the other; wall,
//! blocks and letters are drawings of our own. All positions are in the console's pixels, of 256 × 240.

use super::font::{NARROW, WIDE, glyph};
use super::view::{ConsoleView, Screen, Tile};
use crate::game::Piece;
use crate::game::machine::display::{block_colours, counter_tiles, level_shown, tile_letter};
use image::RgbImage;
use std::sync::LazyLock;

/// Width of the console's picture, pixels.
pub const WIDTH_PX: usize = 256;
/// Height of the console's picture, lines; a television shows the middle 224.
pub const HEIGHT_PX: usize = 240;
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

// Colours by their number in the console's own scheme.
const GREY: u8 = 0x00;
const BLACK: u8 = 0x0F;
const RUST: u8 = 0x16;
const WHITE: u8 = 0x30;
const PALE: u8 = 0x3C;

/// RGB of the console's colour numbers.
///
/// Approximate: the console makes a composite signal, and every decoder sees it a little differently.
#[rustfmt::skip]
pub const COLOURS: [[u8; 3]; 64] = [
    [98, 98, 98], [0, 30, 116], [8, 16, 144], [48, 0, 136],
    [68, 0, 100], [112, 8, 48], [84, 4, 0], [60, 24, 0],
    [32, 42, 0], [8, 58, 0], [0, 64, 0], [0, 60, 0],
    [0, 50, 60], [0, 0, 0], [0, 0, 0], [0, 0, 0],
    [152, 150, 152], [8, 76, 196], [62, 44, 230], [98, 28, 220],
    [142, 20, 180], [158, 20, 90], [150, 40, 4], [120, 60, 0],
    [84, 90, 0], [40, 114, 0], [6, 128, 4], [0, 118, 40],
    [0, 102, 120], [0, 0, 0], [0, 0, 0], [0, 0, 0],
    [236, 238, 236], [84, 166, 255], [134, 132, 255], [176, 98, 236],
    [212, 98, 255], [236, 88, 180], [236, 106, 100], [212, 138, 34],
    [160, 170, 0], [126, 200, 10], [84, 210, 46], [66, 206, 112],
    [56, 180, 204], [60, 60, 60], [0, 0, 0], [0, 0, 0],
    [254, 254, 254], [168, 204, 236], [188, 188, 236], [212, 178, 236],
    [236, 174, 236], [236, 174, 212], [236, 180, 176], [228, 196, 144],
    [204, 210, 120], [180, 222, 120], [168, 226, 144], [152, 226, 180],
    [204, 250, 255], [160, 162, 160], [0, 0, 0], [0, 0, 0],
];

/// A picture of 256 × 240 pixels, each one of the console's 64 colour numbers, or past these one of a [look's](super::look). One
/// for a window can be finer, with so many pixels along each side of one of these.
#[derive(Clone, PartialEq, Eq)]
pub struct Picture {
    /// Pixels along a side of one of the console's.
    fine: usize,
    /// Row by row from the top; always `WIDTH_PX * fine` a row and `HEIGHT_PX * fine` rows, of the console's own all below 64.
    pixels: Vec<u8>,
}

impl Default for Picture {
    fn default() -> Self {
        Self::new()
    }
}

impl std::fmt::Debug for Picture {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let [width, height] = self.size();
        write!(f, "Picture({width}x{height})")
    }
}

impl Picture {
    /// A black picture.
    pub fn new() -> Self {
        Self::finer(1)
    }

    /// A black picture with so many pixels along each side of one of the console's.
    pub fn finer(fine: usize) -> Self {
        let fine = fine.max(1);
        Self { fine, pixels: vec![BLACK; WIDTH_PX * HEIGHT_PX * fine * fine] }
    }

    /// Pixels along a side of one of the console's: 1, but in a finer picture.
    pub fn fine(&self) -> usize {
        self.fine
    }

    /// Width and height, pixels.
    pub fn size(&self) -> [usize; 2] {
        [WIDTH_PX * self.fine, HEIGHT_PX * self.fine]
    }

    /// The colour numbers, row by row from the top; index [`COLOURS`] with them.
    pub fn pixels(&self) -> &[u8] {
        &self.pixels
    }

    /// The picture in RGB.
    pub fn to_rgb(&self) -> RgbImage {
        let [width, height] = self.size();
        RgbImage::from_fn(width as u32, height as u32, |x, y| {
            let number = self.pixels[y as usize * width + x as usize];
            image::Rgb(COLOURS[usize::from(number & 63)])
        })
    }

    /// Sets one pixel; outside the picture nothing happens.
    fn set(&mut self, x: usize, y: usize, colour: u8) {
        self.fill([x, y], [1, 1], colour);
    }

    /// Fills a rectangle of the console's pixels; what of it is outside of the picture is left out.
    pub(super) fn fill(&mut self, at: [usize; 2], size: [usize; 2], colour: u8) {
        let fine = self.fine;
        self.fill_fine(at.map(|v| v * fine), size.map(|v| v * fine), colour);
    }

    /// The same of the picture's own pixels.
    pub(super) fn fill_fine(&mut self, [x, y]: [usize; 2], [width, height]: [usize; 2], colour: u8) {
        let [columns, rows] = self.size();
        let right = (x + width).min(columns);
        for line in y..(y + height).min(rows) {
            if x < right {
                self.pixels[line * columns + x..line * columns + right].fill(colour);
            }
        }
    }

    /// Writes `text` with its first letter's top-left corner at `at`; `columns` is [`WIDE`] or [`NARROW`].
    pub(super) fn write(&mut self, text: &str, at: [usize; 2], columns: &[u8], colour: u8) {
        for (i, character) in text.bytes().enumerate() {
            let left = at[0] + i * (columns.len() + 1);
            for (y, row) in glyph(character).into_iter().enumerate() {
                for (x, column) in columns.iter().enumerate() {
                    if row >> (4 - column) & 1 == 1 {
                        self.set(left + x, at[1] + y, colour);
                    }
                }
            }
        }
    }

    /// Changes one pixel's number, if it is in the picture, which is no finer one.
    pub fn change(&mut self, [x, y]: [usize; 2], change: impl Fn(u8) -> u8) {
        if x < WIDTH_PX && y < HEIGHT_PX {
            let pixel = &mut self.pixels[y * WIDTH_PX + x];
            *pixel = change(*pixel);
        }
    }

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

/// A black box with a frame: a line of `light` of a colour, a dark gap and a grey line around it.
struct Frame {
    /// Outer edge of the light line: left, top, right, bottom (the last two inclusive).
    edge: [usize; 4],
    light_px: usize,
    colour: u8,
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

fn draw_frame(frame: &Frame, into: &mut Picture) {
    let [left, top, right, bottom] = frame.edge;
    let mut ring = |grow: usize, colour: u8| {
        let size = [right + 1 - left + 2 * grow, bottom + 1 - top + 2 * grow];
        into.fill([left - grow, top - grow], size, colour);
    };
    ring(5, BLACK);
    ring(3, GREY);
    ring(1, BLACK);
    ring(0, frame.colour);
    let light = frame.light_px;
    into.fill([left + light, top + light], [right + 1 - left - 2 * light, bottom + 1 - top - 2 * light], BLACK);
}

/// Parquet of planks, 16 × 8 and 8 × 16 in turn, each with a light and a dark edge.
fn draw_wall(into: &mut Picture) {
    for y in 0..HEIGHT_PX {
        for x in 0..WIDTH_PX {
            let upright = (x / 16 + y / 16) % 2 == 1;
            let (along, across) = if upright { (y % 16, x % 8) } else { (x % 16, y % 8) };
            let colour = match (along, across) {
                (15, _) | (_, 7) => BLACK,
                (0, _) | (_, 0) => PALE,
                _ => GREY,
            };
            into.set(x, y, colour);
        }
    }
}

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
    picture.write("010000", [192, 40], &WIDE, WHITE);
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
