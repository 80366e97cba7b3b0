//! The falling piece, frame by frame: shift, rotate, drop ($81CF calls $89AE, $88AB, $8914).

use super::region::Region;
use crate::game::Buttons;
use crate::game::orientation::{Orientation, Pose};
use crate::game::{Board, Handedness, Piece, RotationSystem};

/// Soft-drop counter at which the piece falls a row, and its value afterwards. $894E, $8952.
const SOFT_DROP_FRAMES: i8 = 3;

/// Frames the NTSC game waits between rows at a level (0-based, 0–255).
pub fn frames_per_row(level: u8) -> u8 {
    Region::Ntsc.frames_per_row(level)
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
    /// How the console turns pieces. $88EE.
    pub fn rotation() -> &'static RotationSystem {
        RotationSystem::classic(Handedness::Right)
    }

    /// A piece that has just appeared; the auto-shift counter and the held buttons carry over.
    pub fn spawn(piece: Piece, autorepeat_x: u8, held: Buttons) -> Self {
        Self { pose: spawn_pose(piece), autorepeat_x, autorepeat_y: 0, fall_timer: 0, hold_down_points: 0, held }
    }

    /// The first piece of an NTSC game, which hangs until the counter or Down ends the wait.
    pub fn first(piece: Piece, held: Buttons) -> Self {
        Self::first_in(Region::Ntsc, piece, held)
    }

    /// The first piece of a game.
    pub fn first_in(region: Region, piece: Piece, held: Buttons) -> Self {
        Self { autorepeat_y: -region.first_piece_frames(), ..Self::spawn(piece, 0, held) }
    }

    /// One NTSC frame with these buttons held; whether the piece locked.
    pub fn frame(&mut self, board: &Board, level: u8, held: Buttons) -> bool {
        self.frame_in(Region::Ntsc, level, held, |pose| pose.fits(board))
    }

    /// One frame with these buttons held, where `fits` says which poses are free; whether the piece locked.
    pub fn frame_in(&mut self, region: Region, level: u8, held: Buttons, fits: impl Fn(Pose) -> bool) -> bool {
        let pressed = held.without(self.held);
        self.held = held;
        self.fall_timer = self.fall_timer.wrapping_add(1); // $8892
        self.shift(region, &fits, held, pressed);
        self.rotate(&fits, pressed);
        self.drop(region.frames_per_row(level), &fits, held, pressed)
    }

    /// Frames for which the first piece of a game still hangs.
    pub fn hang_frames(&self) -> usize {
        usize::from(self.autorepeat_y.min(0).unsigned_abs())
    }

    /// The frames from the next one on in which nothing but the fall timer changes if the same buttons stay held.
    pub fn idle_frames(&self, region: Region, level: u8) -> u8 {
        let moves = Buttons::LEFT | Buttons::RIGHT | Buttons::DOWN;
        if self.held.intersects(moves) || self.autorepeat_y != 0 {
            return 0;
        }
        region.frames_per_row(level).saturating_sub(self.fall_timer.saturating_add(1))
    }

    /// Lets this many of the [`Self::idle_frames`] pass.
    pub fn idle(&mut self, frames: u8) {
        self.fall_timer += frames;
    }

    fn shift(&mut self, region: Region, fits: impl Fn(Pose) -> bool, held: Buttons, pressed: Buttons) {
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
            if self.autorepeat_x < region.auto_shift_frames() {
                return;
            }
            self.autorepeat_x = region.auto_shift_reload();
        }
        // Right is looked at first ($89D7): with both held the piece goes right.
        let moved = self.pose.moved(if held.intersects(Buttons::RIGHT) { 1 } else { -1 }, 0);
        if fits(moved) {
            self.pose = moved;
        } else {
            self.autorepeat_x = region.auto_shift_frames();
        }
    }

    fn rotate(&mut self, fits: impl Fn(Pose) -> bool, pressed: Buttons) {
        if !pressed.intersects(Buttons::A | Buttons::B) {
            return;
        }
        let turned = Self::rotation().turned(self.pose, pressed.intersects(Buttons::A)); // A wins ($88B6)
        if fits(turned) {
            self.pose = turned;
        }
    }

    fn drop(&mut self, frames_per_row: u8, fits: impl Fn(Pose) -> bool, held: Buttons, pressed: Buttons) -> bool {
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
        if fits(below) {
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
