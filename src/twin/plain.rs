//! The screen of other games than the console's on the simulated table: a cup on black, one colour a piece, and the next piece
//! beside it. A drawing of our own.
//!
//! The field stands where the console's does, so that what lies over a screen ([`super::look`]) lies over this one, too.

use super::font::WIDE;
use super::picture::{CELL_PX, FIELD_PX, HEIGHT_PX, Picture, WIDTH_PX, piece_tile};
use super::view::{ConsoleView, Screen, Tile};
use crate::game::simple::SimpleMachine;
use crate::game::standard::{self, Phase, SIZE};
use crate::game::{Board, Piece, Pose};

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

/// What a machine has to show.
pub struct Plain<'a> {
    /// The game's name, capital letters.
    title: &'a str,
    phase: Phase,
    board: &'a Board,
    falling: Option<Pose>,
    /// The next piece, as it appears; `None` if it is hidden.
    next: Option<Pose>,
    level: u8,
    lines: u32,
    score: u64,
}

impl<'a> Plain<'a> {
    /// What a computer with Standard Tetris shows.
    pub fn of_standard(machine: &'a standard::Machine) -> Self {
        let game = machine.game();
        Self {
            title: "STANDARD",
            phase: machine.phase(),
            board: game.board(),
            falling: game.falling(),
            next: game.settings.shows_next.then(|| standard::spawn_pose(game.next(), SIZE[0])),
            level: game.level(),
            lines: game.lines(),
            score: game.score(),
        }
    }

    /// What a machine shows whose game is described by parameters.
    pub fn of_simple(machine: &'a SimpleMachine) -> Self {
        let counters = machine.counters();
        Self {
            title: &machine.settings().title,
            phase: machine.phase(),
            board: machine.board(),
            falling: machine.falling(),
            next: machine.settings().next_shown.then(|| machine.settings().movement.spawn(machine.next())),
            level: counters.level,
            lines: counters.lines,
            score: counters.score.into(),
        }
    }

    /// A picture to set up a camera by: this pile, and this piece where it appears and as the next one.
    pub fn of_reference(board: &'a Board, piece: Option<Pose>, level: u8) -> Self {
        Self { title: "", phase: Phase::Playing, board, falling: piece, next: piece, level, lines: 0, score: 0 }
    }

    /// The same in the console's words: blocks by their pieces, whatever colour these have.
    pub fn view(&self) -> ConsoleView {
        let screen = match self.phase {
            Phase::Menu => Screen::Menu,
            Phase::Paused => Screen::Paused,
            Phase::Playing | Phase::Over => Screen::Game,
        };
        let piece = |pose: Pose| pose.orientation.piece();
        let tile = |x, y| if self.board.is_full(x, y) { Tile::White } else { Tile::Empty };
        ConsoleView {
            screen,
            playfield: std::array::from_fn(|y| std::array::from_fn(|x| tile(x, y))),
            falling: self.falling.map(|pose| (pose.cells(), piece_tile(piece(pose)))),
            next: self.next.filter(|_| screen == Screen::Game).map(piece),
            level: self.level,
            lines: self.lines,
            score: u32::try_from(self.score).unwrap_or(u32::MAX),
            statistics: [0; 7],
            flash: false,
        }
    }

    /// Where the cells of the piece in the next box stand: their top-left pixels.
    pub fn next_cells_px(&self) -> Vec<[usize; 2]> {
        let Some(pose) = self.next.filter(|_| matches!(self.phase, Phase::Playing | Phase::Over)) else {
            return Vec::new();
        };
        let cells = pose.orientation.cells();
        let [left, top] = [cells.map(|(x, _)| x), cells.map(|(_, y)| y)].map(|v| v.into_iter().min().unwrap_or(0));
        let [right, bottom] = [cells.map(|(x, _)| x), cells.map(|(_, y)| y)].map(|v| v.into_iter().max().unwrap_or(0));
        let corner = [(0, left, right), (1, top, bottom)]
            .map(|(axis, least, most)| NEXT_CENTER_PX[axis] - (most - least + 1) as usize * CELL_PX / 2);
        let at = |(x, y): (i8, i8)| [(x - left) as usize, (y - top) as usize];
        let cells = cells.iter().map(|&cell| at(cell));
        cells.map(|[x, y]| [corner[0] + x * CELL_PX, corner[1] + y * CELL_PX]).collect()
    }

    /// Draws it, a falling piece so many pixels below its row.
    pub fn draw(&self, glide_px: u8, into: &mut Picture) {
        into.fill([0, 0], [WIDTH_PX, HEIGHT_PX], BLACK);
        let level = format!("LEVEL {}", self.level);
        if self.phase == Phase::Menu {
            for (line, y) in [(self.title, 92), (level.as_str(), 112), ("PRESS START", 136)] {
                into.write(line, [(WIDTH_PX - 8 * line.len().min(16)) / 2, y], &WIDE, WHITE);
            }
            return;
        }
        draw_cup(into);
        let (at, [width, height], thick) = NEXT_BOX_PX;
        into.fill(at, [width, height], WALL);
        into.fill(at.map(|v| v + thick), [width - 2 * thick, height - 2 * thick], BLACK);
        into.write("NEXT", [33, 52], &WIDE, WHITE);
        for (text, y) in
            [("LINES", 140), (&self.lines.to_string(), 150), ("SCORE", 168), (&self.score.to_string(), 178)]
        {
            into.write(text, [16, y], &WIDE, WHITE);
        }
        into.write(&level, [16, 122], &WIDE, WHITE);
        match self.phase {
            Phase::Paused => return into.write("PAUSE", [116, 124], &WIDE, WHITE),
            Phase::Over => into.write("OVER", [200, 124], &WIDE, WHITE),
            Phase::Menu | Phase::Playing => {}
        }
        draw_pile(self.board, into);
        if let Some(pose) = self.falling {
            for (x, y) in pose.cells().into_iter().filter(|(x, y)| *x >= 0 && *y >= 0) {
                let at = cell_px(x as usize, y as usize);
                draw_block([at[0], at[1] + usize::from(glide_px)], colour(pose.orientation.piece()), into);
            }
        }
        if let Some(pose) = self.next {
            self.next_cells_px().into_iter().for_each(|at| draw_block(at, colour(pose.orientation.piece()), into));
        }
    }
}

fn colour(piece: Piece) -> u8 {
    COLOURS[piece.index()]
}

fn draw_cup(into: &mut Picture) {
    let [left, top] = FIELD_PX;
    let [width, height] = SIZE.map(|cells| cells * CELL_PX);
    let around = GAP_PX + WALL_PX;
    into.fill([left - around, top], [width + 2 * around, height + around], WALL);
    into.fill([left - GAP_PX, top], [width + 2 * GAP_PX, height + GAP_PX], BLACK);
}

/// The pile keeps no colours: it is drawn in that of the row, so that rows can be told apart.
fn draw_pile(board: &Board, into: &mut Picture) {
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
