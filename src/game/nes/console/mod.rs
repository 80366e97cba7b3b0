//! The whole game as the console runs it: one call a frame, from buttons to what is on the screen.
//!
//! Each frame begins with the vertical blank (copy rows to video memory, count, step the random register, read the
//! pad: $8005), then the game's logic runs ($81B2). What the logic decides is on the screen one frame later.

mod bonus;
mod concert;
mod demo;
mod ending;
mod garbage;
mod high_score;
mod menu;
mod phase;
mod play;
mod rocket;
mod second;
mod setup;
mod side;
mod sky;
mod tape;
mod walk;

pub use bonus::Bonus;
pub use concert::{Concert, Figure};
pub use ending::{Ending, Show};
pub use high_score::{Entry, HighScore, HighScores};
pub use menu::{Menu, Screen, Skipped};
pub use phase::{Event, Phase};
pub use rocket::Rocket;
pub use setup::{Choice, GameType, KillScreen, Players, Setup};
pub use sky::Sky;
pub use tape::Recording;

use super::control::Control;
use super::random::{POWER_ON_SEED, Random};
use crate::game::{Board, Buttons, Counters, Piece, Pose};
use crate::time::ConsoleFrame;
use side::{Side, Versus};
use tape::DemoPlay;

/// Rows of the playfield.
const ROWS: u8 = 20;
/// `vram_row` when nothing is left to copy. $977A.
const COPIED: u8 = 32;
/// Rows copied to video memory in one vertical blank. $952A.
const ROWS_PER_COPY: u8 = 4;
/// Each counter's hundreds are one byte: after 25,599 it is 0 again. $9990.
const STATISTICS_END: u16 = 25_600;

/// The console with the game in it.
#[derive(Debug, Clone)]
pub struct Console {
    /// Frames with an interrupt since power-on; the game's own counter ($00B1) is its low byte.
    pub frame: ConsoleFrame,
    /// What it is doing.
    pub phase: Phase,
    /// The screens before a game.
    pub menu: Menu,
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
    /// Whether the next piece is drawn: Select switches it. $889C.
    pub next_shown: bool,
    /// Lines, level, score.
    pub counters: Counters,
    /// How often each piece came, 0–25,599, then 0 again. $03F0.
    pub statistics: [u16; 7],
    /// Rows that the clear under way removes, with how many column pairs are gone already.
    pub clearing: Vec<u8>,
    /// Full rows that were found and not yet counted. Nothing but the counting sets them to 0: what a game that is left
    /// before that has found is counted with the next game's first piece. $0056.
    pub completed_lines: u8,
    /// The ending that is shown.
    pub ending: Option<Ending>,
    /// The best games since power-on, and those that the console came with. $0700–$074F.
    pub high_scores: HighScores,
    /// The name that is being entered.
    pub entry: Option<Entry>,
    /// What the real game would have shown and this one left out.
    pub skipped: Vec<Skipped>,
    /// The random register.
    pub random: Random,
    setup: Setup,
    demo: DemoPlay,
    /// The second player's variables, if two play.
    second: Option<Box<Side>>,
    versus: Versus,
    /// Cells that hold the gap of a garbage row: empty for pieces, full for the search for full rows.
    holes: [u16; 20],
    garbage_hole: u8,
    /// The rows −2 and −1. The lock writes there ($99EB) and the collision test reads there ($94CE), but neither a line
    /// clear nor the screen reaches them: the cells stay, unseen, until the game ends.
    hidden: [u16; 2],
    held: Buttons,
    unpolled_frames: u8,
    resume: Phase,
    wait: u8,
    /// The highest byte of the score holds ten in its lower digit, maybe: European Select has added to it since the last count.
    is_uncarried: bool,
    /// The score of a game that is over, two decimal digits a byte, the highest first.
    final_score: [u8; 3],
    vram_row: u8,
    line_index: u8,
    cleared_columns: u8,
    curtain_row: i8,
}

impl Console {
    /// A console at power-on.
    pub fn power_on(setup: Setup) -> Self {
        let mut console = Self::with_menu(setup, Menu::power_on(setup.region));
        console.boot();
        console
    }

    /// A console in the menu, `start_level` (0–255) chosen, as if the random register had run for `warm_up_frames`.
    /// Start begins a game in the same frame. For whatever need not begin with the switch: films, tests.
    pub fn new(start_level: u8, warm_up_frames: u32) -> Self {
        let setup = Setup { forced_level: Some(start_level), ..Setup::default() };
        let choice = Choice { level: start_level, ..Choice::default() };
        Self::at_menu(setup, choice, warm_up_frames)
    }

    /// The same, with everything chosen.
    pub fn at_menu(setup: Setup, choice: Choice, warm_up_frames: u32) -> Self {
        let mut console = Self::with_menu(setup, Menu::quick(setup.region, choice));
        (0..warm_up_frames).for_each(|_| console.random.step());
        console.frame = ConsoleFrame(warm_up_frames.into());
        console
    }

    fn with_menu(setup: Setup, menu: Menu) -> Self {
        Self {
            frame: ConsoleFrame(0),
            phase: Phase::Menu,
            counters: Counters::new(setup.forced_level.unwrap_or(menu.choice.level)),
            menu,
            board: Board::default(),
            blocks: [[None; 10]; 20],
            shown: [[None; 10]; 20],
            curtain_rows: 0,
            control: Control::first_in(setup.region, Piece::T, Buttons::NONE),
            piece_shown: false,
            next: Piece::T,
            next_shown: true,
            statistics: [0; 7],
            clearing: Vec::new(),
            completed_lines: 0,
            ending: None,
            high_scores: HighScores::default(),
            entry: None,
            skipped: Vec::new(),
            random: Random::new(POWER_ON_SEED),
            setup,
            demo: DemoPlay::default(),
            second: (setup.players == Players::Two).then(|| Side::new(setup.region, COPIED)),
            versus: Versus::default(),
            holes: [0; 20],
            garbage_hole: 0,
            hidden: [0; 2],
            held: Buttons::NONE,
            unpolled_frames: 0,
            resume: Phase::Menu,
            wait: 0,
            is_uncarried: false,
            final_score: [0; 3],
            vram_row: COPIED,
            line_index: 0,
            cleared_columns: 0,
            curtain_row: 0,
        }
    }

    /// The reset button: everything but the high scores is as at power-on. $8064.
    pub fn reset(&mut self) {
        let high_scores = self.high_scores;
        self.switch_off_and_on();
        self.high_scores = high_scores;
    }

    /// The power switch: of what was in memory nothing is left.
    pub fn switch_off_and_on(&mut self) {
        let demo = std::mem::take(&mut self.demo).after_reset();
        *self = Self { demo, ..Self::power_on(self.setup) };
    }

    /// One frame with these buttons held; what happened in it.
    pub fn frame(&mut self, held: Buttons) -> Option<Event> {
        self.frame_of_two([held, Buttons::NONE])
    }

    /// One frame with these buttons held on both pads; what happened to the first player in it.
    pub fn frame_of_two(&mut self, pads: [Buttons; 2]) -> Option<Event> {
        if self.unpolled_frames > 0 {
            self.unpolled_frames -= 1;
            return None;
        }
        self.vertical_blank();
        let was_demo = self.demo.runs();
        let (before, pressed) = self.poll(pads[0]);
        self.poll_second(pads[1]);
        if was_demo && self.leaves_demo() {
            self.return_to_title();
            return None;
        }
        match self.phase {
            Phase::Menu => self.menu_frame(before, pressed),
            Phase::Paused => {
                self.paused(pressed);
                None
            }
            Phase::Won => {
                self.won_frame();
                None
            }
            Phase::Ending => {
                self.ending_frame(pressed);
                None
            }
            Phase::Crashed => None,
            _ => self.play_frame(before, pressed),
        }
    }

    /// How it was set up.
    pub fn setup(&self) -> Setup {
        self.setup
    }

    /// The level the next game starts at, if A is not held.
    pub fn start_level(&self) -> u8 {
        self.setup.forced_level.unwrap_or(self.menu.choice.level)
    }

    /// Columns of the clearing rows that have vanished, counted from the middle outwards (0–5 on each side).
    pub fn cleared_columns(&self) -> u8 {
        self.cleared_columns
    }

    /// Whether the piece may be there: as [`Pose::fits`], and not on cells that were locked above the field.
    pub fn fits(&self, pose: Pose) -> bool {
        let hits_hidden = |(x, y): (i8, i8)| (-2..0).contains(&y) && self.hidden[(y + 2) as usize] >> x & 1 == 1;
        pose.fits(&self.board) && !pose.cells().into_iter().any(hits_hidden)
    }

    /// The interrupt handler: $8005. A paused game is not drawn. $A3AF
    fn vertical_blank(&mut self) {
        if !matches!(self.phase, Phase::Paused | Phase::Crashed | Phase::Ending) {
            self.show_field();
            if self.second.is_some() {
                self.exchange();
                self.show_field();
                self.exchange();
            }
        }
        self.frame.0 += 1;
        self.random.step();
    }

    fn show_field(&mut self) {
        match self.phase {
            Phase::Clearing => self.animate_clear(),
            _ => self.copy_rows(),
        }
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

    /// Two columns a step, from the middle outwards, on frames divisible by four. Row 0 is never wiped: a 0 in the list
    /// of rows stands for "none". $977F, $978D.
    fn animate_clear(&mut self) {
        if self.frame.0 % 4 != 0 {
            return;
        }
        for &row in self.clearing.iter().filter(|row| **row > 0) {
            let step = self.cleared_columns as usize;
            self.shown[row as usize][4 - step] = None;
            self.shown[row as usize][5 + step] = None;
        }
        self.cleared_columns += 1;
        if self.cleared_columns == 5 {
            self.phase = Phase::Counting(0);
        }
    }
}
