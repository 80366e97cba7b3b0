//! The states of a running game ($0048), one function each.

use super::setup::{CAPPED_ADDITIONS, GameType, KILL_SCREEN_LEVEL, KillScreen};
use super::side::Stall;
use super::{COPIED, Console, Event, Phase, ROWS, STATISTICS_END};
use crate::game::Buttons;
use crate::game::nes::{Control, Region};
use crate::game::{Board, Piece};

/// The game-over curtain waits 16 steps of 4 frames above the field. $99B0.
const CURTAIN_START: i8 = -16;
/// After the last line of a B-Type game: 20 frames with the word in the field, then 128. $A415, $A41C.
const WON_FRAMES: u8 = 20 + 128;
/// The lines of a B-Type game. $875B.
const TYPE_B_LINES: u32 = 25;
/// A+B+Select+Start. $9E18.
const RESET_BUTTONS: Buttons = Buttons(0xF0);
/// The state of a game ($00A7) behind the one that looks at Start.
const STATE_AFTER_START: u8 = 8;

impl Console {
    /// The first two pieces of a game. $86DC.
    pub(super) fn draw_pieces(&mut self) -> Event {
        let is_type_b = self.menu.choice.game_type == GameType::B;
        (self.board, self.blocks, self.hidden) = (Board::default(), [[None; 10]; 20], [0; 2]);
        self.holes = [0; 20];
        self.shown = self.blocks;
        self.curtain_rows = 0;
        self.counters.level = if self.demo.runs() { 0 } else { self.start_level() };
        self.counters.lines = if is_type_b { TYPE_B_LINES } else { 0 };
        self.counters.score = 0;
        self.statistics = [0; 7];
        self.clearing.clear();
        self.random.spawn_id = 0;
        self.demo.rewind();
        let piece = self.choose_piece();
        self.count_piece(piece);
        self.random.step(); // $874D
        self.next = self.choose_piece();
        // What a game that ended in a soft drop left in the auto-shift counter and the push-down points stays there.
        self.control = Control {
            autorepeat_x: self.control.autorepeat_x,
            hold_down_points: self.control.hold_down_points,
            ..Control::first_in(self.setup.region, piece, self.held)
        };
        self.vram_row = 0;
        self.draw_second();
        Event::Spawned(piece, self.next)
    }

    pub(super) fn begin_play(&mut self) {
        self.begin_second();
        if self.menu.choice.game_type == GameType::B {
            self.lower_garbage(self.menu.choice.height);
            if self.second.is_some() {
                self.exchange();
                self.lower_garbage(0);
                self.exchange();
            }
        }
        self.piece_shown = true;
        self.phase = Phase::Falling;
    }

    /// A frame of a running game, state by state. $819B.
    pub(super) fn play_frame(&mut self, before: Buttons, pressed: Buttons) -> Option<Event> {
        let stall = std::mem::take(&mut self.versus.stall);
        if stall == Stall::None {
            if self.versus.is_lost {
                self.reset();
                return None;
            }
            self.count_delay();
            if pressed.contains(Buttons::SELECT) {
                self.next_shown = !self.next_shown; // $88A2
            }
            if self.phase == Phase::Over {
                self.judge_score();
                return None;
            }
            if self.stalls_before_turns() {
                self.versus.stall = Stall::Players;
                return None;
            }
        }
        let mut event = None;
        if stall != Stall::End {
            event = self.play_state(before, pressed);
            if self.phase != Phase::Won {
                self.second_turn();
            }
            // What follows a game runs within its player's turn.
            if self.versus.stall == Stall::End || matches!(self.phase, Phase::Won | Phase::Ending) {
                return event;
            }
        }
        self.leave_or_pause(pressed);
        event
    }

    /// A player's turn. $81B2.
    pub(super) fn play_state(&mut self, before: Buttons, pressed: Buttons) -> Option<Event> {
        match self.phase {
            Phase::Falling => self.falling(before),
            Phase::Locking => self.locking(),
            Phase::Checking => self.checking(),
            Phase::Counting(state) => self.counting(state),
            Phase::Spawning => self.spawning(),
            Phase::Curtain => self.curtain(pressed),
            _ => None,
        }
    }

    /// The last states of a frame look at the first pad alone. $9E16, $A398.
    pub(super) fn leave_or_pause(&mut self, pressed: Buttons) {
        // The state that ends a game forgets what was pressed. $9A68
        let pressed = if self.phase == Phase::Over { Buttons::NONE } else { pressed };
        let plays = !matches!(self.phase, Phase::Menu | Phase::Crashed);
        if plays && self.held == RESET_BUTTONS {
            self.demo.end();
            self.phase = Phase::Menu;
            self.menu.return_to_legal();
        } else if plays && self.demo.runs() && pressed == Buttons::START {
            self.return_to_title_from(STATE_AFTER_START);
        } else if plays && pressed.contains(Buttons::START) && self.phase != Phase::Curtain {
            // After the frame's logic, and not while the curtain falls. $A398–$A3A7
            self.resume = self.phase;
            self.phase = Phase::Paused;
        }
    }

    /// $A3D3–$A3ED. All rows are copied anew.
    pub(super) fn paused(&mut self, pressed: Buttons) {
        if pressed == Buttons::START {
            self.phase = self.resume;
            self.vram_row = 0;
        }
    }

    fn falling(&mut self, before: Buttons) -> Option<Event> {
        let (region, level, held) = (self.setup.region, self.counters.level, self.held);
        let mut control = Control { held: before, ..self.control };
        let locks = control.frame_in(region, level, held, |pose| self.fits(pose));
        self.control = control;
        if !locks {
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
        if !self.fits(pose) {
            self.phase = Phase::Curtain;
            self.curtain_row = CURTAIN_START;
            return Some(Event::GameOver);
        }
        if self.vram_row < COPIED {
            return None;
        }
        pose.stamp(&mut self.board);
        for (x, y) in pose.cells() {
            match usize::try_from(y) {
                Ok(y) => {
                    self.blocks[y][x as usize] = Some(pose.orientation.piece());
                    self.holes[y] &= !(1 << x);
                }
                Err(_) => self.hidden[(y + 2) as usize] |= 1 << x,
            }
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
        if row < ROWS && self.board.row(row as usize) | self.holes[row as usize] == self.board.full_row() {
            self.remove_row(row as usize);
            self.clearing.push(row);
            self.completed_lines = self.completed_lines.wrapping_add(1);
            self.piece_shown = false;
        }
        self.line_index += 1;
        if self.line_index == 4 {
            self.send_garbage();
            self.vram_row = 0;
            self.cleared_columns = 0;
            // $9AF5: by the count, not by what was found just now.
            self.phase = if self.completed_lines == 0 { Phase::Counting(0) } else { Phase::Clearing };
        }
        None
    }

    fn remove_row(&mut self, row: usize) {
        for y in (1..=row).rev() {
            self.blocks[y] = self.blocks[y - 1];
            self.holes[y] = self.holes[y - 1];
            self.board.set_row(y, self.board.row(y - 1));
        }
        (self.blocks[0], self.holes[0]) = ([None; 10], 0);
        self.board.set_row(0, 0);
    }

    /// States 5 (lines, level, score), 6 (is a B-Type game won?) and 7 (garbage, with two players).
    fn counting(&mut self, state: u8) -> Option<Event> {
        if state == 2 && !self.receive_garbage() {
            return None;
        }
        self.phase = if state < 2 { Phase::Counting(state + 1) } else { Phase::Spawning };
        let is_type_b = self.menu.choice.game_type == GameType::B;
        // Left in the European cartridge from its making. The American has it not.
        let is_helped = state == 1 && self.setup.region == Region::Pal && self.first_held().contains(Buttons::SELECT);
        if is_helped && !is_type_b {
            self.counters.add_for_select();
            self.is_uncarried = true;
        }
        if state == 1 && is_type_b && (self.counters.lines == 0 || is_helped) {
            (self.phase, self.wait) = (Phase::Won, WON_FRAMES); // $A3F6
            self.piece_shown = false; // Nobody draws it while the frames pass.
            return Some(Event::Won);
        }
        if state > 0 {
            return None;
        }
        let lines = usize::from(std::mem::take(&mut self.completed_lines)); // $9C9E
        let additions = if self.setup.kill_screen == KillScreen::On { u32::MAX } else { CAPPED_ADDITIONS };
        self.counters.lock_within(is_type_b, lines, self.control.hold_down_points, additions);
        self.control.hold_down_points = 0; // $9C2F
        self.is_uncarried = false;
        if lines > 0 && self.setup.kill_screen == KillScreen::On && self.counters.level >= KILL_SCREEN_LEVEL {
            self.phase = Phase::Crashed;
            return Some(Event::Crashed);
        }
        (lines > 0).then_some(Event::Cleared(lines as u8))
    }

    fn spawning(&mut self) -> Option<Event> {
        if self.vram_row < COPIED || !self.is_turn_for_a_piece() {
            return None;
        }
        let piece = self.next;
        self.count_piece(piece);
        self.next = self.piece_after();
        self.control = Control::spawn(piece, self.control.autorepeat_x, self.held);
        self.piece_shown = true;
        self.phase = Phase::Falling;
        Some(Event::Spawned(piece, self.next))
    }

    /// From the demo's table, or drawn. $98EB.
    pub(super) fn choose_piece(&mut self) -> Piece {
        if self.demo.runs() { self.demo.piece() } else { self.random.pick() }
    }

    /// $9969.
    fn count_piece(&mut self, piece: Piece) {
        let count = &mut self.statistics[piece.index()];
        *count = (*count + 1) % STATISTICS_END;
    }

    /// A row every fourth frame; then it hangs. $9A11.
    fn curtain(&mut self, pressed: Buttons) -> Option<Event> {
        if self.curtain_row == ROWS as i8 && self.second.is_some() {
            self.versus.is_lost = true; // $9A4B
            return None;
        }
        if self.curtain_row == ROWS as i8 {
            self.curtain_hangs(pressed);
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
