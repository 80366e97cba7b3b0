//! What the console keeps of two players: each one's variables ($60–$7F, $80–$9F), and what they share.

use super::phase::{Event, Phase};
use crate::game::nes::{Control, Region};
use crate::game::{Board, Buttons, Counters, Piece};

/// One player's variables while it is the other one's turn.
#[derive(Debug, Clone)]
pub(super) struct Side {
    pub(super) phase: Phase,
    pub(super) board: Board,
    pub(super) blocks: [[Option<Piece>; 10]; 20],
    pub(super) shown: [[Option<Piece>; 10]; 20],
    pub(super) curtain_rows: u8,
    pub(super) control: Control,
    pub(super) piece_shown: bool,
    pub(super) counters: Counters,
    pub(super) clearing: Vec<u8>,
    pub(super) completed_lines: u8,
    pub(super) holes: [u16; 20],
    pub(super) garbage_hole: u8,
    pub(super) hidden: [u16; 2],
    pub(super) held: Buttons,
    pub(super) vram_row: u8,
    pub(super) line_index: u8,
    pub(super) cleared_columns: u8,
    pub(super) curtain_row: i8,
}

/// What both players share.
#[derive(Debug, Clone, Default)]
pub(super) struct Versus {
    /// It is the second player's turn, $00B7.
    pub(super) is_second: bool,
    /// Rows that each player is going to get. $00BB and $00BC, which are exchanged with the turns.
    pub(super) pending: [u8; 2],
    /// Frames since a player's turn to get a piece has come, and whose it is. $00A4, $00A5.
    pub(super) delay_frames: u8,
    pub(super) delays_second: bool,
    /// What will be the next piece then. $00A6.
    pub(super) delayed: Option<Piece>,
    /// The second pad: what was held before, and what is newly pressed.
    pub(super) before: Buttons,
    pub(super) pressed: Buttons,
    pub(super) stall: Stall,
    /// A player has lost: the console falls through its table of states into a reset.
    pub(super) is_lost: bool,
    pub(super) event: Option<Event>,
}

/// Where in a frame of the game the main loop waits for the next one, besides its end.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum Stall {
    #[default]
    None,
    /// Before the players' turns.
    Players,
    /// After them.
    End,
}

impl Side {
    pub(super) fn new(region: Region, vram_row: u8) -> Box<Self> {
        Box::new(Self {
            phase: Phase::Menu,
            board: Board::default(),
            blocks: [[None; 10]; 20],
            shown: [[None; 10]; 20],
            curtain_rows: 0,
            control: Control::first_in(region, Piece::T, Buttons::NONE),
            piece_shown: false,
            counters: Counters::new(0),
            clearing: Vec::new(),
            completed_lines: 0,
            holes: [0; 20],
            garbage_hole: 0,
            hidden: [0; 2],
            held: Buttons::NONE,
            vram_row,
            line_index: 0,
            cleared_columns: 0,
            curtain_row: 0,
        })
    }
}
