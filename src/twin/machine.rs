//! The machine on the simulated table, whichever game runs on it: what the table needs of it.

use super::lively::Lively;
use super::look::Look;
use super::picture::{Picture, piece_tile};
use super::plain::Plain;
use super::view::{ConsoleView, EndingView, NamesView, Screen, Tile};
use crate::game::guideline;
use crate::game::machine::SCORE_CAP;
use crate::game::machine::{Console, Event, Phase, Region, points};
use crate::game::rules::NES_FRAMES_PER_S;
use crate::game::simple::{Settings, SimpleMachine};
use crate::game::standard;
use crate::game::{Board, Buttons, Piece};
use crate::message::ScreenState;
use std::sync::Arc;

/// The cursor of a name is hidden in one frame of so many.
const CURSOR_FRAMES: i64 = 4;

/// A game that can run on the simulated table.
#[derive(Debug, Clone, PartialEq, Default)]
pub enum GameKind {
    /// The console's, NTSC, A-Type.
    #[default]
    Nes,
    /// Standard Tetris from this game on; of boards larger than robots know nothing but their picture is right.
    Standard(Arc<standard::Game>),
    /// One that is described by parameters.
    Simple(Arc<Settings>),
    /// The modern game; the seed decides which pieces come.
    Guideline(guideline::Settings, u64),
}

impl GameKind {
    /// Standard Tetris at this level (1–10), whose pieces come by this seed.
    pub fn standard(level: u8, seed: u64) -> Self {
        let settings = standard::Settings { initial_level: level, ..standard::Settings::default() };
        Self::Standard(Arc::new(standard::Game::usual(settings, seed)))
    }

    /// The layout that its screen has.
    pub fn layout(&self) -> &'static str {
        match self {
            Self::Nes => "nes",
            Self::Standard(_) | Self::Simple(_) => "standard",
            Self::Guideline(..) => "guideline",
        }
    }

    /// From one look at the keys to the next, ms.
    pub fn frame_ms(&self) -> f64 {
        match self {
            Self::Nes => 1000.0 / NES_FRAMES_PER_S,
            Self::Standard(_) => standard::Machine::frame_ms(),
            Self::Simple(settings) => settings.rules.frame_ms(),
            Self::Guideline(..) => guideline::Machine::frame_ms(),
        }
    }
}

/// The machine.
pub(super) enum Machine {
    /// The console.
    Nes(Box<Console>),
    /// A computer with Standard Tetris.
    Standard(Box<standard::Machine>),
    /// A machine with a game that is described by parameters.
    Simple(Box<SimpleMachine>),
    /// A machine with the modern game.
    Guideline(Box<Lively>),
}

impl Machine {
    /// The console, if it is one.
    pub fn console(&self) -> Option<&Console> {
        match self {
            Self::Nes(console) => Some(console),
            Self::Standard(_) | Self::Simple(_) | Self::Guideline(_) => None,
        }
    }

    /// One frame with these buttons held; the piece that appeared in it and the next one.
    pub fn frame(&mut self, held: Buttons) -> Option<(Piece, Piece)> {
        match self {
            Self::Nes(console) => match console.frame(held) {
                Some(Event::Spawned(piece, next)) => Some((piece, next)),
                _ => None,
            },
            Self::Standard(machine) => machine.frame(held).into_iter().find_map(|event| match event {
                standard::Event::Spawned(piece, next) => Some((piece, next)),
                _ => None,
            }),
            Self::Simple(machine) => machine.frame(held),
            Self::Guideline(machine) => {
                let events = machine.frame(held);
                let piece = events.into_iter().rev().find_map(|event| match event {
                    guideline::Event::Appeared(piece) => Some(piece),
                    _ => None,
                });
                piece.zip(machine.machine.game().coming().next())
            }
        }
    }

    /// Frames since it was switched on.
    pub fn frames(&self) -> u64 {
        match self {
            Self::Nes(console) => console.frame.0 as u64,
            Self::Standard(machine) => machine.frames(),
            Self::Simple(machine) => machine.frames(),
            Self::Guideline(machine) => machine.machine.frames(),
        }
    }

    /// The settled pile.
    pub fn board(&self) -> Board {
        match self {
            Self::Nes(console) => console.board,
            Self::Standard(machine) => machine.game().pile().board().unwrap_or_default(),
            Self::Simple(machine) => *machine.board(),
            Self::Guideline(machine) => machine.machine.game().matrix(),
        }
    }

    /// Whether a piece falls.
    pub fn is_falling(&self) -> bool {
        match self {
            Self::Nes(console) => console.phase == Phase::Falling,
            Self::Standard(machine) => {
                machine.phase() == standard::Phase::Playing && machine.game().falling().is_some()
            }
            Self::Simple(machine) => machine.phase() == standard::Phase::Playing && machine.falling().is_some(),
            Self::Guideline(lively) => {
                let machine = &lively.machine;
                machine.phase() == standard::Phase::Playing && machine.game().falling().is_some()
            }
        }
    }

    /// What kind of picture it shows; `None` while one kind turns into another.
    pub fn state(&self) -> Option<ScreenState> {
        match self {
            Self::Nes(console) => state(console),
            Self::Standard(machine) => Some(plain_state(machine.phase())),
            Self::Simple(machine) => Some(plain_state(machine.phase())),
            Self::Guideline(machine) => Some(plain_state(machine.machine.phase())),
        }
    }

    /// What it shows.
    pub fn view(&self) -> ConsoleView {
        match self {
            Self::Nes(console) => view(console),
            Self::Standard(machine) => Plain::of_standard(machine).view(),
            Self::Simple(machine) => Plain::of_simple(machine).view(),
            Self::Guideline(machine) => Plain::of_guideline(&machine.machine).view(),
        }
    }

    /// How far the falling piece is below its row: it slides if it can fall.
    pub fn glide_px(&self, look: &Look) -> u8 {
        match self {
            Self::Nes(console) => {
                let Console { control, board, phase, counters, .. } = &**console;
                if *phase != Phase::Falling || control.hang_frames() > 0 || !control.pose.moved(0, 1).fits(board) {
                    return 0;
                }
                let passed = f64::from(control.fall_timer) / f64::from(Region::Ntsc.frames_per_row(counters.level));
                look.glide_px(passed)
            }
            Self::Standard(machine) => {
                let game = machine.game();
                let can_fall = game.falling().is_some_and(|place| game.pile().has_room(place.moved(0, 1)));
                if can_fall { look.glide_px(machine.passed()) } else { 0 }
            }
            // How far it is from row to row is the faller's secret, and the modern game's.
            Self::Simple(_) | Self::Guideline(_) => 0,
        }
    }

    /// Draws what it shows, a falling piece so many pixels below its row.
    pub fn draw(&self, view: &ConsoleView, look: &Look, glide_px: u8, into: &mut Picture) {
        let plain = match self {
            Self::Nes(_) => return look.draw(view, glide_px, self.frames(), into),
            Self::Standard(machine) => Plain::of_standard(machine),
            Self::Simple(machine) => Plain::of_simple(machine),
            Self::Guideline(machine) => {
                let plain = Plain::of_guideline(&machine.machine);
                match look.lively() {
                    Some(manner) => plain.lively(machine.shown(manner), manner.is_grey),
                    None => plain,
                }
            }
        };
        plain.draw(glide_px, into);
        look.cover(view, glide_px, &plain.next_cells_px(), self.frames(), into);
    }
}

fn plain_state(phase: standard::Phase) -> ScreenState {
    match phase {
        standard::Phase::Menu => ScreenState::Menu,
        standard::Phase::Paused => ScreenState::Paused,
        // The pile stays as it is.
        standard::Phase::Playing | standard::Phase::Over => ScreenState::Playing,
    }
}

/// What kind of picture the console shows; `None` while one kind turns into another.
fn state(console: &Console) -> Option<ScreenState> {
    match console.phase {
        Phase::Menu => Some(ScreenState::Menu),
        Phase::Paused => Some(ScreenState::Paused),
        // Before the first columns have vanished it is a pile like any other.
        Phase::Clearing => (console.cleared_columns() > 0).then_some(ScreenState::LineClear),
        Phase::Curtain => (console.curtain_rows == 20).then_some(ScreenState::GameOver),
        Phase::Falling | Phase::Locking | Phase::Checking => Some(ScreenState::Playing),
        // After a clear the emptied rows stand for some frames more.
        Phase::Counting(_) | Phase::Spawning => console.clearing.is_empty().then_some(ScreenState::Playing),
        Phase::Ending => ending_state(console),
        Phase::Won | Phase::Over | Phase::Crashed => None,
    }
}

/// The curtain hangs until an ending's picture is loaded; that is no game's.
fn ending_state(console: &Console) -> Option<ScreenState> {
    let ending = console.ending?;
    match (ending.is_shown, ending.is_loading()) {
        (true, _) => Some(ScreenState::Menu),
        (false, true) => None,
        (false, false) => Some(ScreenState::GameOver),
    }
}

fn screen(console: &Console) -> Screen {
    match (console.phase, console.ending, console.entry) {
        (Phase::Menu, _, Some(_)) if !console.menu.is_ready() => Screen::Black,
        (Phase::Menu, _, Some(entry)) => Screen::HighScore(NamesView {
            games: *console.high_scores.of(entry.game_type),
            entry,
            has_cursor: console.frame.0 % CURSOR_FRAMES != 0,
        }),
        (Phase::Menu, ..) => Screen::Menu,
        (Phase::Ending, Some(ending), _) if ending.is_shown => {
            Screen::Ending(EndingView { ending, frame: console.frame.0 as u8, region: console.setup().region })
        }
        (Phase::Ending, Some(ending), _) if ending.is_loading() => Screen::Black,
        (Phase::Paused, ..) => Screen::Paused,
        _ => Screen::Game,
    }
}

/// What the console shows.
pub fn view(console: &Console) -> ConsoleView {
    let screen = screen(console);
    let tile = |block: Option<Piece>| block.map_or(Tile::Empty, piece_tile);
    let mut playfield = console.shown.map(|row| row.map(tile));
    for row in playfield.iter_mut().take(console.curtain_rows as usize) {
        *row = [Tile::Curtain; 10];
    }
    // While a game's state waits for frames, nobody draws what moves.
    let is_drawn = !matches!(console.phase, Phase::Won | Phase::Ending | Phase::Over);
    let pose = console.control.pose;
    let falling = console.piece_shown.then(|| (pose.cells(), piece_tile(pose.orientation.piece())));
    // Until the lines were counted, in one frame of four; lines carried over from a game that was left flash, too. $967F.
    let four = screen == Screen::Game && console.completed_lines == 4;
    ConsoleView {
        screen,
        playfield,
        falling,
        next: (screen == Screen::Game && is_drawn && console.next_shown).then_some(console.next),
        level: console.counters.level,
        lines: console.counters.lines,
        // What the console shows in letters between PAL's Select and the next lock is not drawn.
        score: console.counters.score.min(SCORE_CAP),
        top: points(console.high_scores.of(console.menu.choice.game_type)[0].score),
        statistics: console.statistics,
        flash: four && console.frame.0 % 4 == 0,
    }
}
