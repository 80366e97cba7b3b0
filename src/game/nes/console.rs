//! The whole game as the console runs it: one call a frame, from buttons to what is on the screen.
//!
//! Each frame begins with the vertical blank (copy rows to video memory, count, step the random register, read the
//! pad: $8005), then the game's logic runs ($81B2). What the logic decides is on the screen one frame later.

use super::control::Control;
use super::random::{POWER_ON_SEED, Random};
use super::score::Counters;
use crate::game::{Board, Piece, Pose};
use crate::message::Buttons;
use crate::time::ConsoleFrame;

/// Rows of the playfield.
const ROWS: u8 = 20;
/// `vram_row` when nothing is left to copy. $977A.
const COPIED: u8 = 32;
/// Rows copied to video memory in one vertical blank. $952A.
const ROWS_PER_COPY: u8 = 4;
/// The game-over curtain waits 16 steps of 4 frames above the field. $99B0.
const CURTAIN_START: i8 = -16;

/// What the console is doing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Phase {
    /// Waits for Start before a game.
    Menu,
    /// A piece falls. Play state 1.
    Falling,
    /// The piece locks: it is written into the playfield. Play state 2.
    Locking,
    /// Rows are looked through, one a frame. Play state 3.
    Checking,
    /// Full rows vanish from the middle outwards. Play state 4.
    Clearing,
    /// Lines, level and score are counted; two idle states follow. Play states 5–7.
    Counting(u8),
    /// Waits for video memory, then the next piece appears. Play state 8.
    Spawning,
    /// The curtain falls; at its end Start leads to the menu. Play state 10.
    Curtain,
    /// Paused by Start.
    Paused,
}

/// What happened in a frame.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Event {
    /// A piece appeared; the other one is shown as next.
    Spawned(Piece, Piece),
    /// The falling piece locked here.
    Locked(Pose),
    /// So many rows were cleared and counted.
    Cleared(u8),
    /// The game ended.
    GameOver,
}

/// The console with the game in it.
#[derive(Debug, Clone)]
pub struct Console {
    /// Frames since power-on; the game's own counter ($00B1) is its low byte.
    pub frame: ConsoleFrame,
    /// What it is doing.
    pub phase: Phase,
    /// The playfield in memory, $0400.
    pub board: Board,
    /// Which piece left each block, for its colour.
    pub blocks: [[Option<Piece>; 10]; 20],
    /// The playfield as in video memory; the last `curtain_rows` decide what covers it.
    pub shown: [[Option<Piece>; 10]; 20],
    /// Rows covered by the curtain, from the top.
    pub curtain_rows: u8,
    /// The falling piece.
    pub control: Control,
    /// Whether the falling piece is drawn (not after its rows were cleared: orientation $13).
    pub piece_shown: bool,
    /// The next piece.
    pub next: Piece,
    /// Lines, level, score.
    pub counters: Counters,
    /// How often each piece came.
    pub statistics: [u16; 7],
    /// Rows that the clear under way removes, with how many column pairs are gone already.
    pub clearing: Vec<u8>,
    random: Random,
    start_level: u8,
    held: Buttons,
    vram_row: u8,
    line_index: u8,
    cleared_columns: u8,
    curtain_row: i8,
}

impl Console {
    /// A console in the menu, `start_level` chosen, as it stands `warm_up_frames` after power-on.
    pub fn new(start_level: u8, warm_up_frames: u32) -> Self {
        let mut random = Random::new(POWER_ON_SEED);
        (0..warm_up_frames).for_each(|_| random.step());
        Self {
            frame: ConsoleFrame(warm_up_frames.into()),
            phase: Phase::Menu,
            board: Board::default(),
            blocks: [[None; 10]; 20],
            shown: [[None; 10]; 20],
            curtain_rows: 0,
            control: Control::first(Piece::T, Buttons::NONE),
            piece_shown: false,
            next: Piece::T,
            counters: Counters::new(start_level),
            statistics: [0; 7],
            clearing: Vec::new(),
            random,
            start_level,
            held: Buttons::NONE,
            vram_row: COPIED,
            line_index: 0,
            cleared_columns: 0,
            curtain_row: 0,
        }
    }

    /// One frame with these buttons held; what happened in it.
    pub fn frame(&mut self, held: Buttons) -> Option<Event> {
        self.vertical_blank();
        let pressed = held.without(self.held);
        self.held = held;
        let start = pressed.contains(Buttons::START);
        match self.phase {
            Phase::Menu if start => Some(self.start_game()),
            Phase::Menu => None,
            Phase::Paused => {
                if start {
                    self.phase = Phase::Falling;
                }
                None
            }
            // Pausing is possible while a piece falls. $A37F
            Phase::Falling if start => {
                self.phase = Phase::Paused;
                None
            }
            Phase::Falling => self.falling(held),
            Phase::Locking => self.locking(),
            Phase::Checking => self.checking(),
            Phase::Clearing => None,
            Phase::Counting(state) => self.counting(state),
            Phase::Spawning => self.spawning(),
            Phase::Curtain => self.curtain(start),
        }
    }

    /// The level the next game starts at.
    pub fn start_level(&self) -> u8 {
        self.start_level
    }

    /// Columns of the clearing rows that have vanished, counted from the middle outwards (0–5 on each side).
    pub fn cleared_columns(&self) -> u8 {
        self.cleared_columns
    }

    /// The interrupt handler: $8005.
    fn vertical_blank(&mut self) {
        if self.phase == Phase::Clearing {
            self.animate_clear();
        } else if self.phase != Phase::Paused {
            self.copy_rows();
        }
        self.frame.0 += 1;
        self.random.step();
    }

    fn copy_rows(&mut self) {
        for _ in 0..ROWS_PER_COPY {
            if self.vram_row < ROWS {
                let row = self.vram_row as usize;
                self.shown[row] = self.blocks[row];
                self.vram_row += 1;
            }
        }
        if self.vram_row == ROWS {
            self.vram_row = COPIED;
        }
    }

    /// Two columns a step, from the middle outwards, on frames divisible by four. $977F.
    fn animate_clear(&mut self) {
        if self.frame.0 % 4 != 0 {
            return;
        }
        for &row in &self.clearing {
            let step = self.cleared_columns as usize;
            self.shown[row as usize][4 - step] = None;
            self.shown[row as usize][5 + step] = None;
        }
        self.cleared_columns += 1;
        if self.cleared_columns == 5 {
            self.phase = Phase::Counting(0);
        }
    }

    fn start_game(&mut self) -> Event {
        self.board = Board::default();
        self.blocks = [[None; 10]; 20];
        self.shown = self.blocks;
        self.curtain_rows = 0;
        self.counters = Counters::new(self.start_level);
        self.statistics = [0; 7];
        self.random.spawn_id = 0;
        self.random.step();
        let piece = self.random.pick();
        self.random.step();
        self.next = self.random.pick();
        self.statistics[piece.index()] += 1;
        self.control = Control::first(piece, self.held);
        self.piece_shown = true;
        self.vram_row = COPIED;
        self.phase = Phase::Falling;
        Event::Spawned(piece, self.next)
    }

    fn falling(&mut self, held: Buttons) -> Option<Event> {
        if !self.control.frame(&self.board, self.counters.level, held) {
            return None;
        }
        self.phase = Phase::Locking;
        self.request_copy();
        Some(Event::Locked(self.control.pose))
    }

    /// Asks for the rows from two above the piece to be copied. $9CAF.
    fn request_copy(&mut self) {
        let from = (self.control.pose.y - 2).max(0) as u8;
        self.vram_row = self.vram_row.min(from);
    }

    fn locking(&mut self) -> Option<Event> {
        let pose = self.control.pose;
        if !pose.fits(&self.board) {
            self.phase = Phase::Curtain;
            self.curtain_row = CURTAIN_START;
            return Some(Event::GameOver);
        }
        if self.vram_row < COPIED {
            return None;
        }
        pose.stamp(&mut self.board);
        for (x, y) in pose.cells().into_iter().filter(|&(_, y)| y >= 0) {
            self.blocks[y as usize][x as usize] = Some(pose.orientation.piece());
        }
        self.line_index = 0;
        self.clearing.clear();
        self.request_copy();
        self.phase = Phase::Checking;
        None
    }

    /// One of four rows about the piece a frame, once video memory is up to date. $9A6B.
    fn checking(&mut self) -> Option<Event> {
        if self.vram_row < COPIED {
            return None;
        }
        let row = (self.control.pose.y - 2).max(0) as u8 + self.line_index;
        if row < ROWS && self.board.row(row as usize) == self.board.full_row() {
            self.remove_row(row as usize);
            self.clearing.push(row);
            self.piece_shown = false;
        }
        self.line_index += 1;
        if self.line_index == 4 {
            self.vram_row = 0;
            self.cleared_columns = 0;
            self.phase = if self.clearing.is_empty() { Phase::Counting(0) } else { Phase::Clearing };
        }
        None
    }

    fn remove_row(&mut self, row: usize) {
        for y in (1..=row).rev() {
            self.blocks[y] = self.blocks[y - 1];
            self.board.set_row(y, self.board.row(y - 1));
        }
        self.blocks[0] = [None; 10];
        self.board.set_row(0, 0);
    }

    fn counting(&mut self, state: u8) -> Option<Event> {
        self.phase = if state < 2 { Phase::Counting(state + 1) } else { Phase::Spawning };
        if state > 0 {
            return None;
        }
        let lines = self.clearing.len();
        self.counters.lock(lines, self.control.hold_down_points);
        (lines > 0).then_some(Event::Cleared(lines as u8))
    }

    fn spawning(&mut self) -> Option<Event> {
        if self.vram_row < COPIED {
            return None;
        }
        let piece = self.next;
        self.next = self.random.pick();
        self.statistics[piece.index()] = self.statistics[piece.index()].saturating_add(1);
        self.control = Control::spawn(piece, self.control.autorepeat_x, self.held);
        self.piece_shown = true;
        self.phase = Phase::Falling;
        Some(Event::Spawned(piece, self.next))
    }

    /// A row every fourth frame; at the end Start leads on. $9A11.
    fn curtain(&mut self, start: bool) -> Option<Event> {
        if self.curtain_row == ROWS as i8 {
            if start {
                self.phase = Phase::Menu;
                self.piece_shown = false;
            }
            return None;
        }
        if self.frame.0 % 4 == 0 {
            if self.curtain_row >= 0 {
                self.curtain_rows = self.curtain_row as u8 + 1;
                self.piece_shown = false;
            }
            self.curtain_row += 1;
        }
        None
    }
}
