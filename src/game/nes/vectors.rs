//! Test vectors of piece control: a board, the buttons of every frame, and the console's variables after each.

use super::control::Control;
use crate::game::Buttons;
use crate::game::board::BoardError;
use crate::game::{Board, Orientation, Piece, Pose};
use serde::Deserialize;
use std::fmt;
use thiserror::Error;

/// The variables after a frame, in the order of the file.
const NAMES: [&str; 8] =
    ["x", "y", "orientation", "autorepeatX", "autorepeatY", "fallTimer", "holdDownPoints", "locked"];

/// One case, as a line of JSON.
#[derive(Debug, Clone, Deserialize)]
pub struct Case {
    board: Vec<String>,
    kind: Piece,
    level: u8,
    das: u8,
    first_piece: bool,
    prev_held: u8,
    held: Vec<u8>,
    states: Vec<[i32; 8]>,
}

/// Why a case says nothing.
#[derive(Debug, Error)]
pub enum VectorError {
    /// Not a case.
    #[error(
        "not a test vector; each line must be one JSON object with board, kind, level, das, first_piece, prev_held, held and states"
    )]
    Json(#[from] serde_json::Error),
    /// Its board is no board.
    #[error("the board of the test vector is not valid")]
    Board(#[from] BoardError),
    /// More or fewer frames of buttons than of states.
    #[error("the test vector has {held} frames of buttons but {states} of states; they must be as many")]
    Lengths {
        /// Frames of buttons.
        held: usize,
        /// Frames of states.
        states: usize,
    },
}

/// Where a case first differs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Difference {
    /// Frame, from 0.
    pub frame: usize,
    /// Name, expected and found value of each differing variable.
    pub variables: Vec<(&'static str, i32, i32)>,
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "frame {}:", self.frame)?;
        for (name, expected, found) in &self.variables {
            write!(f, " {name} should be {expected} but is {found};")?;
        }
        Ok(())
    }
}

impl Case {
    /// A case from its line.
    ///
    /// # Errors
    /// When it is not one.
    pub fn parse(line: &str) -> Result<Self, VectorError> {
        let case: Self = serde_json::from_str(line)?;
        if case.held.len() != case.states.len() {
            return Err(VectorError::Lengths { held: case.held.len(), states: case.states.len() });
        }
        Ok(case)
    }

    /// Plays the case; the first frame that differs, if any.
    ///
    /// # Errors
    /// When its board is not valid.
    pub fn check(&self) -> Result<Option<Difference>, VectorError> {
        let board = Board::parse(&self.board)?;
        let held = Buttons(self.prev_held);
        let mut control = match self.first_piece {
            true => Control { autorepeat_x: self.das, ..Control::first(self.kind, held) },
            false => Control::spawn(self.kind, self.das, held),
        };
        for (frame, (&held, expected)) in self.held.iter().zip(&self.states).enumerate() {
            let locked = control.frame(&board, self.level, Buttons(held));
            let found = variables(&control, locked);
            let differs = |&i: &usize| expected[i] != found[i];
            let variables: Vec<_> = (0..8).filter(differs).map(|i| (NAMES[i], expected[i], found[i])).collect();
            if !variables.is_empty() {
                return Ok(Some(Difference { frame, variables }));
            }
        }
        Ok(None)
    }
}

fn variables(control: &Control, locked: bool) -> [i32; 8] {
    let Pose { x, y, orientation } = control.pose;
    [
        x.into(),
        y.into(),
        Orientation::id(orientation).into(),
        control.autorepeat_x.into(),
        control.autorepeat_y.into(),
        control.fall_timer.into(),
        control.hold_down_points.into(),
        locked.into(),
    ]
}
