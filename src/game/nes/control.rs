//! The falling piece, frame by frame: shift, rotate, drop (NTSC; $81CF calls $89AE, $88AB, $8914).

use crate::game::orientation::{Orientation, Pose};
use crate::game::{Board, Piece};
use crate::message::Buttons;

/// Frames a row for levels 0–28; one from level 29 on. $898E.
const FRAMES_PER_ROW: [u8; 29] =
    [48, 43, 38, 33, 28, 23, 18, 13, 8, 6, 5, 5, 5, 4, 4, 4, 3, 3, 3, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2];
/// Held frames before auto-shift, and what a blocked shift sets the counter to ("wall charge"). $89C8, $8A05.
const AUTO_SHIFT_FRAMES: u8 = 16;
/// The auto-shift counter after a repeat, so that the next comes 6 frames later. $89CC.
const AUTO_SHIFT_RELOAD: u8 = 10;
/// The first piece hangs for as many frames. $8739.
const FIRST_PIECE_FRAMES: i8 = 96;
/// Soft-drop counter at which the piece falls a row, and its value afterwards. $894E, $8952.
const SOFT_DROP_FRAMES: i8 = 3;

/// Frames the game waits between rows at a level (0-based, 0–255).
pub fn frames_per_row(level: u8) -> u8 {
    FRAMES_PER_ROW.get(level as usize).copied().unwrap_or(1)
}

/// Where a piece appears.
pub fn spawn_pose(piece: Piece) -> Pose {
    Pose { x: 5, y: 0, orientation: Orientation::spawn(piece) }
}

/// The console's variables of the falling piece.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Control {
    /// $0040–$0042.
    pub pose: Pose,
    /// Auto-shift counter, kept from piece to piece. $0046.
    pub autorepeat_x: u8,
    /// Soft-drop counter; negative while the first piece hangs. $004E.
    pub autorepeat_y: i8,
    /// Frames since the last row. $0045.
    pub fall_timer: u8,
    /// Rows of the soft drop under way. $004F.
    pub hold_down_points: u8,
    /// Buttons held in the frame before, from which "newly pressed" follows.
    pub held: Buttons,
}

impl Control {
    /// A piece that has just appeared; the auto-shift counter and the held buttons carry over.
    pub fn spawn(piece: Piece, autorepeat_x: u8, held: Buttons) -> Self {
        Self { pose: spawn_pose(piece), autorepeat_x, autorepeat_y: 0, fall_timer: 0, hold_down_points: 0, held }
    }

    /// The first piece of a game, which hangs until the counter or Down ends the wait.
    pub fn first(piece: Piece, held: Buttons) -> Self {
        Self { autorepeat_y: -FIRST_PIECE_FRAMES, ..Self::spawn(piece, 0, held) }
    }

    /// One frame with these buttons held; whether the piece locked.
    pub fn frame(&mut self, board: &Board, level: u8, held: Buttons) -> bool {
        let pressed = held.without(self.held);
        self.held = held;
        self.fall_timer = self.fall_timer.wrapping_add(1); // $8892
        self.shift(board, held, pressed);
        self.rotate(board, pressed);
        self.drop(board, frames_per_row(level), held, pressed)
    }

    fn shift(&mut self, board: &Board, held: Buttons, pressed: Buttons) {
        let sideways = Buttons::LEFT | Buttons::RIGHT;
        if held.intersects(Buttons::DOWN) {
            return;
        }
        if pressed.intersects(sideways) {
            self.autorepeat_x = 0;
        } else if !held.intersects(sideways) {
            return;
        } else {
            self.autorepeat_x += 1;
            if self.autorepeat_x < AUTO_SHIFT_FRAMES {
                return;
            }
            self.autorepeat_x = AUTO_SHIFT_RELOAD;
        }
        // Right is looked at first ($89D7): with both held the piece goes right.
        let moved = self.pose.moved(if held.intersects(Buttons::RIGHT) { 1 } else { -1 }, 0);
        if moved.fits(board) {
            self.pose = moved;
        } else {
            self.autorepeat_x = AUTO_SHIFT_FRAMES;
        }
    }

    fn rotate(&mut self, board: &Board, pressed: Buttons) {
        if !pressed.intersects(Buttons::A | Buttons::B) {
            return;
        }
        let turned = self.pose.turned(pressed.intersects(Buttons::A)); // A wins ($88B6)
        if turned.fits(board) {
            self.pose = turned;
        }
    }

    fn drop(&mut self, board: &Board, frames_per_row: u8, held: Buttons, pressed: Buttons) -> bool {
        if self.autorepeat_y < 0 {
            if !pressed.intersects(Buttons::DOWN) {
                self.autorepeat_y += 1; // $8989
                return false;
            }
            self.autorepeat_y = 0;
        }
        if self.soft_drop(held, pressed) {
            self.hold_down_points = self.hold_down_points.wrapping_add(1);
        } else if self.fall_timer < frames_per_row {
            return false;
        }
        self.fall_timer = 0;
        let below = self.pose.moved(0, 1);
        if below.fits(board) {
            self.pose = below;
            return false;
        }
        true
    }

    /// Whether Down makes the piece fall in this frame. $8922–$8956.
    fn soft_drop(&mut self, held: Buttons, pressed: Buttons) -> bool {
        let directions = Buttons(0x0F);
        let only_down = |b: Buttons| b.0 & directions.0 == Buttons::DOWN.0;
        if self.autorepeat_y == 0 {
            if !held.intersects(Buttons::LEFT | Buttons::RIGHT) && only_down(pressed) {
                self.autorepeat_y = 1;
            }
            return false;
        }
        if !only_down(held) {
            self.autorepeat_y = 0;
            self.hold_down_points = 0;
            return false;
        }
        self.autorepeat_y += 1;
        if self.autorepeat_y < SOFT_DROP_FRAMES {
            return false;
        }
        self.autorepeat_y = 1;
        true
    }
}
