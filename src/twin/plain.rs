//! The screen of Standard Tetris on the simulated table: a cup on black, one colour a piece, and the next piece beside it. A
//! drawing of our own.
//!
//! The field stands where the console's does, so that what lies over a screen ([`super::look`]) lies over this one, too.

use super::font::WIDE;
use super::picture::{CELL_PX, FIELD_PX, Picture, WIDTH_PX, piece_tile, spawn_shape};
use super::view::{ConsoleView, Screen, Tile};
use crate::game::standard::{Machine, Phase, SIZE};
use crate::game::{Board, Piece};

/// Centre of the piece in the next box (x, y).
const NEXT_CENTER_PX: [usize; 2] = [48, 88];
/// The next box's outer edge and its size, and how thick its frame is.
const NEXT_BOX_PX: ([usize; 2], [usize; 2], usize) = ([22, 66], [52, 44], 2);
/// From the cells to the cup's wall, and how thick that is.
const GAP_PX: usize = 1;
const WALL_PX: usize = 6;

// Colours by their number in the console's own scheme.
const BLACK: u8 = 0x0F;
const WHITE: u8 = 0x30;
const WALL: u8 = 0x3C;
/// By [`Piece::index`].
const COLOURS: [u8; 7] = [0x24, 0x22, 0x26, 0x38, 0x2A, 0x27, 0x2C];

/// What the screen shows, in the console's words: blocks by their pieces, whatever colour these have.
pub fn view(machine: &Machine) -> ConsoleView {
    let screen = match machine.phase() {
        Phase::Menu => Screen::Menu,
        Phase::Paused => Screen::Paused,
        Phase::Playing | Phase::Over => Screen::Game,
    };
    let game = machine.game();
    let tile = |x, y| if game.board().is_full(x, y) { Tile::White } else { Tile::Empty };
    ConsoleView {
        screen,
        playfield: std::array::from_fn(|y| std::array::from_fn(|x| tile(x, y))),
        falling: game.falling().map(|pose| (pose.cells(), piece_tile(pose.orientation.piece()))),
        next: (screen == Screen::Game && game.settings.shows_next).then(|| game.next()),
        level: game.level(),
        lines: game.lines(),
        score: u32::try_from(game.score()).unwrap_or(u32::MAX),
        statistics: [0; 7],
        flash: false,
    }
}

/// Where the cells of a piece in the next box stand: their top-left pixels.
pub fn next_cells_px(piece: Piece) -> [[usize; 2]; 4] {
    let (cells, [columns, rows]) = spawn_shape(piece);
    let left = NEXT_CENTER_PX[0] - columns * CELL_PX / 2;
    let top = NEXT_CENTER_PX[1] - rows * CELL_PX / 2;
    cells.map(|[x, y]| [left + x * CELL_PX, top + y * CELL_PX])
}

/// Draws what the machine shows, a falling piece so many pixels below its row.
pub fn draw(machine: &Machine, glide_px: u8, into: &mut Picture) {
    into.fill([0, 0], [WIDTH_PX, super::picture::HEIGHT_PX], BLACK);
    let game = machine.game();
    let level = format!("LEVEL {}", game.level());
    if machine.phase() == Phase::Menu {
        for (line, y) in [("STANDARD", 92), (level.as_str(), 112), ("PRESS START", 136)] {
            into.write(line, [(WIDTH_PX - 8 * line.len()) / 2, y], &WIDE, WHITE);
        }
        return;
    }
    draw_cup(into);
    let (at, [width, height], thick) = NEXT_BOX_PX;
    into.fill(at, [width, height], WALL);
    into.fill(at.map(|v| v + thick), [width - 2 * thick, height - 2 * thick], BLACK);
    into.write("NEXT", [33, 52], &WIDE, WHITE);
    for (text, y) in
        [("LINES", 140), (&game.lines().to_string(), 150), ("SCORE", 168), (&game.score().to_string(), 178)]
    {
        into.write(text, [16, y], &WIDE, WHITE);
    }
    into.write(&level, [16, 122], &WIDE, WHITE);
    match machine.phase() {
        Phase::Paused => return into.write("PAUSE", [116, 124], &WIDE, WHITE),
        Phase::Over => into.write("OVER", [200, 124], &WIDE, WHITE),
        Phase::Menu | Phase::Playing => {}
    }
    draw_pile(machine, into);
    if let Some(pose) = game.falling() {
        let colour = COLOURS[pose.orientation.piece().index()];
        for (x, y) in pose.cells().into_iter().filter(|(x, y)| *x >= 0 && *y >= 0) {
            let at = cell_px(x as usize, y as usize);
            draw_block([at[0], at[1] + usize::from(glide_px)], colour, into);
        }
    }
    if game.settings.shows_next {
        let next = game.next();
        next_cells_px(next).into_iter().for_each(|at| draw_block(at, COLOURS[next.index()], into));
    }
}

fn draw_cup(into: &mut Picture) {
    let [left, top] = FIELD_PX;
    let [width, height] = SIZE.map(|cells| cells * CELL_PX);
    let around = GAP_PX + WALL_PX;
    into.fill([left - around, top], [width + 2 * around, height + around], WALL);
    into.fill([left - GAP_PX, top], [width + 2 * GAP_PX, height + GAP_PX], BLACK);
}

/// The pile keeps no colours: it is drawn in that of the row, so that rows can be told apart.
fn draw_pile(machine: &Machine, into: &mut Picture) {
    let board: &Board = machine.game().board();
    for y in 0..board.height() {
        for x in (0..board.width()).filter(|x| board.is_full(*x, y)) {
            draw_block(cell_px(x, y), COLOURS[y % COLOURS.len()], into);
        }
    }
}

fn cell_px(x: usize, y: usize) -> [usize; 2] {
    [FIELD_PX[0] + x * CELL_PX, FIELD_PX[1] + y * CELL_PX]
}

/// A block of 7 × 7 pixels, with a gap right and below of it.
fn draw_block(at: [usize; 2], colour: u8, into: &mut Picture) {
    into.fill(at, [CELL_PX - 1; 2], colour);
}
