//! The second player of the mode that sleeps in the cartridge: woken when $00BE, the number of players, is 2.
//!
//! The console keeps each player's variables apart ($60–$7F and $80–$9F) and copies those of the player whose turn it is to
//! $40–$5F; so does this: [`Console`]'s own fields are the first player's but for the second one's turn, in which they are
//! exchanged. The seed's listings show the table of garbage, the two fields and where they stand, and say what is seen; the
//! rest ($9B03, the delay before a piece, who chooses what) is from public annotated listings of the whole cartridge.

use super::side::{Stall, Versus};
use super::{COPIED, Console, Event, GameType, Phase};
use crate::game::nes::Control;
use crate::game::{Buttons, Counters, Piece};
use std::mem;

/// Rows sent to the other player, by rows cleared. $9B53.
const GARBAGE_ROWS: [u8; 5] = [0, 0, 1, 2, 4];
/// A piece appears as many frames after its turn has come.
const DELAY_FRAMES: u8 = 0x1C;
/// More rows of garbage than this would be copied from behind the table of rows ($96D6).
const GARBAGE_ROWS_MAX: usize = 19;
/// What the routine of the second player leaves in A is the number of rows that the first one is going to get; the main loop
/// takes it for a wish to wait when it is the number of the state that follows. $813B.
const STATE_AFTER_SECOND: u8 = 6;

impl Console {
    /// Whether two play.
    pub fn has_two_players(&self) -> bool {
        self.second.is_some()
    }

    /// The same console with the second player's variables in the place of the first one's, to look at; nothing if one plays.
    pub fn second_player(&self) -> Option<Self> {
        self.second.as_ref()?;
        let mut other = self.clone();
        other.exchange();
        Some(other)
    }

    /// What happened to the second player in the last frame.
    pub fn second_event(&self) -> Option<Event> {
        self.versus.event
    }

    /// Rows of garbage that the player whose variables these are is going to get.
    pub fn pending_garbage(&self) -> u8 {
        self.versus.pending[usize::from(self.versus.is_second)]
    }

    /// Gives the turn to the other player.
    pub(super) fn exchange(&mut self) {
        let Some(side) = &mut self.second else { return };
        self.versus.is_second ^= true;
        mem::swap(&mut self.phase, &mut side.phase);
        mem::swap(&mut self.board, &mut side.board);
        mem::swap(&mut self.blocks, &mut side.blocks);
        mem::swap(&mut self.shown, &mut side.shown);
        mem::swap(&mut self.curtain_rows, &mut side.curtain_rows);
        mem::swap(&mut self.control, &mut side.control);
        mem::swap(&mut self.piece_shown, &mut side.piece_shown);
        mem::swap(&mut self.counters, &mut side.counters);
        mem::swap(&mut self.clearing, &mut side.clearing);
        mem::swap(&mut self.completed_lines, &mut side.completed_lines);
        mem::swap(&mut self.holes, &mut side.holes);
        mem::swap(&mut self.garbage_hole, &mut side.garbage_hole);
        mem::swap(&mut self.hidden, &mut side.hidden);
        mem::swap(&mut self.held, &mut side.held);
        mem::swap(&mut self.vram_row, &mut side.vram_row);
        mem::swap(&mut self.line_index, &mut side.line_index);
        mem::swap(&mut self.cleared_columns, &mut side.cleared_columns);
        mem::swap(&mut self.curtain_row, &mut side.curtain_row);
    }

    /// Reads the second pad.
    pub(super) fn poll_second(&mut self, pad: Buttons) {
        self.versus.event = None;
        if let Some(side) = &mut self.second {
            self.versus.before = mem::replace(&mut side.held, pad);
            self.versus.pressed = pad.without(self.versus.before);
        }
    }

    /// A game begins: the second player gets the same piece. The field is not emptied: what a game that was left has piled up
    /// there is still there. $86DC.
    pub(super) fn draw_second(&mut self) {
        let (setup, piece) = (self.setup, self.control.pose.orientation.piece());
        let Some(side) = &mut self.second else { return };
        let Versus { before, pressed, .. } = self.versus;
        self.versus = Versus { before, pressed, delayed: Some(self.next), ..Versus::default() };
        // The level menu asks the first player only.
        side.counters = Counters { lines: self.counters.lines, ..Counters::new(setup.forced_level.unwrap_or(0)) };
        side.control = Control {
            autorepeat_x: side.control.autorepeat_x,
            hold_down_points: side.control.hold_down_points,
            ..Control::first_in(setup.region, piece, side.held)
        };
        (side.vram_row, side.curtain_rows) = (0, 0);
    }

    /// The second player's garbage in a B-Type game is the first one's, always of the least height.
    pub(super) fn begin_second(&mut self) {
        let is_type_b = self.menu.choice.game_type == GameType::B;
        let Some(side) = &mut self.second else { return };
        if is_type_b {
            (side.board, side.blocks) = (self.board, self.blocks);
        }
        (side.phase, side.piece_shown) = (Phase::Falling, true);
    }

    /// The columns of the gaps, drawn anew in every frame that ends in the level menu. $8486–$84A6.
    pub(super) fn draw_holes(&mut self) {
        self.garbage_hole = self.random.below_ten();
        let second = self.random.below_ten();
        if let Some(side) = &mut self.second {
            side.garbage_hole = second;
        }
    }

    /// The frames of the delay before a piece go on.
    pub(super) fn count_delay(&mut self) {
        if self.versus.delay_frames > 0 {
            self.versus.delay_frames = self.versus.delay_frames.wrapping_add(1);
        }
    }

    /// Before the turns the second player's state is left in A: while that player's rows vanish (state 4), the main loop takes
    /// it for a wish to wait, and the game goes at half its speed. $813B.
    pub(super) fn stalls_before_turns(&self) -> bool {
        self.second.as_ref().is_some_and(|side| side.phase == Phase::Clearing)
    }

    /// The second player's turn.
    pub(super) fn second_turn(&mut self) {
        if self.second.is_none() {
            return;
        }
        self.exchange();
        self.versus.event = self.play_state(self.versus.before, self.versus.pressed);
        let has_won = self.phase == Phase::Won;
        self.exchange();
        if self.versus.pending[0] == STATE_AFTER_SECOND {
            self.versus.stall = Stall::End;
        }
        if has_won {
            self.phase = Phase::Won; // Everything else stands still.
        }
    }

    /// Whether it was the second player who won.
    pub(super) fn has_second_won(&self) -> bool {
        self.second.as_ref().is_some_and(|side| side.phase == Phase::Won)
    }

    /// The rows that were found are sent. $9ADA.
    pub(super) fn send_garbage(&mut self) {
        let rows = GARBAGE_ROWS[usize::from(self.completed_lines).min(4)];
        let other = &mut self.versus.pending[usize::from(!self.versus.is_second)];
        *other = other.wrapping_add(rows);
    }

    /// Whether the garbage that was sent is in the field, or none was. The field moves up, the lowest rows are filled but for
    /// one column, the same for a whole game. $9B03.
    pub(super) fn receive_garbage(&mut self) -> bool {
        if self.second.is_none() || self.pending_garbage() == 0 {
            return true;
        }
        if self.vram_row < COPIED {
            return false;
        }
        let pending = &mut self.versus.pending[usize::from(self.versus.is_second)];
        let rows = usize::from(mem::take(pending)).min(GARBAGE_ROWS_MAX);
        for y in 0..20 - rows {
            self.blocks[y] = self.blocks[y + rows];
            self.holes[y] = self.holes[y + rows];
            self.board.set_row(y, self.board.row(y + rows));
        }
        for y in 20 - rows..20 {
            // The gap is tile $FF: no piece is stopped by it, but it is not the empty tile that the search for full rows
            // ($9A91) looks for: any piece that locks nearby clears the row.
            self.blocks[y] = std::array::from_fn(|x| (x != usize::from(self.garbage_hole)).then_some(Piece::T));
            self.holes[y] = 1 << self.garbage_hole;
            self.board.set_row(y, self.board.full_row() & !self.holes[y]);
        }
        self.vram_row = 0;
        true
    }

    /// Whether a piece may appear now. The players wait for each other: the first who comes draws what will be next then. $988E.
    pub(super) fn is_turn_for_a_piece(&mut self) -> bool {
        if self.second.is_none() {
            return true;
        }
        let (frames, is_second) = (self.versus.delay_frames, self.versus.is_second);
        if frames == 0 {
            let drawn = self.choose_piece();
            let versus = &mut self.versus;
            (versus.delay_frames, versus.delays_second, versus.delayed) = (1, is_second, Some(drawn));
            return false;
        }
        if is_second != self.versus.delays_second || frames != DELAY_FRAMES {
            return false;
        }
        self.versus.delay_frames = 0;
        true
    }

    /// The next piece after the one that appears now: drawn now, or with two players when the delay began.
    pub(super) fn piece_after(&mut self) -> Piece {
        match (&self.second, self.versus.delayed) {
            (Some(_), Some(piece)) => piece,
            _ => self.choose_piece(),
        }
    }

    /// What the first pad holds: its Select helps the second player, too. (PAL only.)
    pub(super) fn first_held(&self) -> Buttons {
        match (&self.second, self.versus.is_second) {
            (Some(side), true) => side.held,
            _ => self.held,
        }
    }
}
