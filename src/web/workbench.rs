//! The calibration that a person works on, with what was done to it before. Pure.

use crate::game::Buttons;
use crate::profile::calibration::Calibration;
use serde::{Deserialize, Serialize};
use thiserror::Error;

/// Steps that can be undone.
const UNDO_MAX: usize = 200;

/// A side of the field as it stands *in the picture*, whichever way the game is turned.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[allow(missing_docs)]
pub enum Side {
    Left,
    Top,
    Right,
    Bottom,
}

/// One change.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(tag = "do", rename_all = "snake_case")]
pub enum Edit {
    /// A corner (0–3: top-left, top-right, bottom-right, bottom-left of the game) is put somewhere, px. Moves of one drag
    /// are one step to undo.
    Corner {
        /// Which.
        corner: usize,
        /// Where, px.
        to: [f64; 2],
        /// The drag's number.
        drag: u64,
    },
    /// A border is moved along the picture's axes, px.
    Nudge {
        /// Which border.
        side: Side,
        /// How far, px: right and down are positive.
        by: f64,
    },
    /// A button gets a relay; whichever button had it gets this one's.
    Button {
        /// The button's name.
        button: String,
        /// 0–7, or none.
        relay: Option<u8>,
    },
    /// The last step back.
    Undo,
    /// The step again that was taken back last.
    Redo,
}

/// Why a change is not made.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum EditError {
    /// No such corner, button or relay.
    #[error("there is no such {0}; reload the page")]
    Unknown(&'static str),
    /// A corner far outside, or corners that span no field.
    #[error("the four corners must stay in order and near the picture; move this one back")]
    NoField,
    /// Nothing to undo or redo.
    #[error("there is nothing to {0}")]
    Nothing(&'static str),
}

/// The calibration, and the way to it.
#[derive(Debug, Clone)]
pub struct Workbench {
    now: Calibration,
    undo: Vec<Calibration>,
    redo: Vec<Calibration>,
    drag: Option<u64>,
    saved: Option<Calibration>,
}

impl Workbench {
    /// Begins with a calibration that is not saved yet.
    pub fn new(calibration: Calibration) -> Self {
        Self { now: calibration, undo: Vec::new(), redo: Vec::new(), drag: None, saved: None }
    }

    /// The calibration as it is.
    pub fn calibration(&self) -> &Calibration {
        &self.now
    }

    /// Whether the file holds what is seen.
    pub fn is_saved(&self) -> bool {
        self.saved.as_ref() == Some(&self.now)
    }

    /// The file holds this calibration now.
    pub fn saved(&mut self) {
        self.saved = Some(self.now.clone());
    }

    /// Whether there is something to undo and to redo.
    pub fn history(&self) -> [bool; 2] {
        [!self.undo.is_empty(), !self.redo.is_empty()]
    }

    /// Another calibration takes the place of this one, as one step: found anew, or loaded.
    pub fn replace(&mut self, calibration: Calibration) {
        if calibration != self.now {
            self.step(calibration);
        }
        self.drag = None;
    }

    /// Another board hangs on the cable. That is no step: taking one back must not bring the old board's name back.
    pub fn note_relay(&mut self, name: &str) {
        for calibration in self.undo.iter_mut().chain(&mut self.redo).chain([&mut self.now]) {
            calibration.relay = Some(name.into());
        }
    }

    /// Makes a change.
    ///
    /// # Errors
    /// When it would leave no calibration; nothing has changed then.
    pub fn edit(&mut self, edit: &Edit) -> Result<(), EditError> {
        match edit {
            Edit::Corner { corner, to, drag } => self.corner(*corner, *to, *drag),
            Edit::Nudge { side, by } => self.nudge(*side, *by),
            Edit::Button { button, relay } => self.button(button, *relay),
            Edit::Undo => self.travel(true),
            Edit::Redo => self.travel(false),
        }
    }

    fn corner(&mut self, corner: usize, to: [f64; 2], drag: u64) -> Result<(), EditError> {
        let mut next = self.now.clone();
        *next.corners.get_mut(corner).ok_or(EditError::Unknown("corner"))? = to;
        self.placed(next, Some(drag))
    }

    fn nudge(&mut self, side: Side, by: f64) -> Result<(), EditError> {
        let mut next = self.now.clone();
        let axis = usize::from(matches!(side, Side::Top | Side::Bottom));
        for corner in border(&next.corners, side) {
            next.corners[corner][axis] += by;
        }
        self.placed(next, None)
    }

    /// A place by hand; its error is no longer the finder's.
    fn placed(&mut self, mut next: Calibration, drag: Option<u64>) -> Result<(), EditError> {
        if !spans_field(&next) {
            return Err(EditError::NoField);
        }
        next.error_px = 0.0;
        if drag.is_some() && drag == self.drag {
            self.now = next;
        } else {
            self.step(next);
        }
        self.drag = drag;
        Ok(())
    }

    fn button(&mut self, button: &str, relay: Option<u8>) -> Result<(), EditError> {
        if Buttons::from_name(button).is_none() {
            return Err(EditError::Unknown("button"));
        }
        if relay.is_some_and(|relay| relay > 7) {
            return Err(EditError::Unknown("relay"));
        }
        let mut next = self.now.clone();
        let before = next.buttons.remove(button);
        if let Some(relay) = relay {
            let other = next.buttons.iter().find(|(_, r)| **r == relay).map(|(name, _)| name.clone());
            if let Some(other) = other {
                next.buttons.remove(&other);
                before.map(|before| next.buttons.insert(other, before));
            }
            next.buttons.insert(button.into(), relay);
        }
        self.step(next);
        self.drag = None;
        Ok(())
    }

    fn travel(&mut self, is_undo: bool) -> Result<(), EditError> {
        let (from, to) = if is_undo { (&mut self.undo, &mut self.redo) } else { (&mut self.redo, &mut self.undo) };
        let next = from.pop().ok_or(EditError::Nothing(if is_undo { "undo" } else { "redo" }))?;
        to.push(std::mem::replace(&mut self.now, next));
        self.drag = None;
        Ok(())
    }

    fn step(&mut self, next: Calibration) {
        if self.undo.len() == UNDO_MAX {
            self.undo.remove(0);
        }
        self.undo.push(std::mem::replace(&mut self.now, next));
        self.redo.clear();
    }
}

/// The two corners of the border that lies furthest to this side in the picture.
fn border(corners: &[[f64; 2]; 4], side: Side) -> [usize; 2] {
    let axis = usize::from(matches!(side, Side::Top | Side::Bottom));
    let sign = if matches!(side, Side::Left | Side::Top) { 1.0 } else { -1.0 };
    let place = |edge: &[usize; 2]| sign * (corners[edge[0]][axis] + corners[edge[1]][axis]);
    let edges = [[0, 1], [1, 2], [2, 3], [3, 0]];
    edges.into_iter().min_by(|a, b| place(a).total_cmp(&place(b))).unwrap_or([0, 1])
}

/// Whether the corners are near the picture and go round a field that is not folded.
fn spans_field(calibration: &Calibration) -> bool {
    let corners = &calibration.corners;
    let [width, height] = calibration.picture.map(f64::from);
    let is_near = |[x, y]: [f64; 2]| (-width..2.0 * width).contains(&x) && (-height..2.0 * height).contains(&y);
    let turn = |i: usize| {
        let [a, b, c] = [corners[i], corners[(i + 1) % 4], corners[(i + 2) % 4]];
        (b[0] - a[0]) * (c[1] - b[1]) - (b[1] - a[1]) * (c[0] - b[0])
    };
    // A corner's turn is twice a triangle's area: less than this is a field of a few pixels, or a folded one.
    corners.iter().all(|corner| is_near(*corner)) && (0..4).all(|i| turn(i) > 50.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bench() -> Workbench {
        let corners = [[100.0, 50.0], [200.0, 50.0], [200.0, 250.0], [100.0, 250.0]];
        Workbench::new(Calibration::new("nes", [640, 480], corners, 0.5))
    }

    fn corner(corner: usize, to: [f64; 2], drag: u64) -> Edit {
        Edit::Corner { corner, to, drag }
    }

    #[test]
    fn a_drag_is_one_step_and_can_be_taken_back_and_done_again() {
        let mut bench = bench();
        bench.saved();
        for x in 101..120 {
            bench.edit(&corner(0, [f64::from(x), 50.0], 7)).unwrap();
        }
        assert_eq!((bench.calibration().corners[0], bench.is_saved()), ([119.0, 50.0], false));
        bench.edit(&Edit::Undo).unwrap();
        assert_eq!(
            (bench.calibration().corners[0], bench.is_saved(), bench.history()),
            ([100.0, 50.0], true, [false, true])
        );
        bench.edit(&Edit::Redo).unwrap();
        assert_eq!(bench.calibration().corners[0], [119.0, 50.0]);
        assert_eq!(bench.edit(&Edit::Redo), Err(EditError::Nothing("redo")));
        bench.edit(&corner(0, [118.0, 50.0], 8)).unwrap();
        bench.edit(&Edit::Undo).unwrap();
        assert_eq!(bench.calibration().corners[0], [119.0, 50.0], "another drag, another step");
    }

    #[test]
    fn taking_a_step_back_does_not_bring_another_board_back() {
        let mut bench = bench();
        bench.saved();
        bench.edit(&corner(0, [101.0, 50.0], 1)).unwrap();
        bench.note_relay("lcus:/dev/ttyUSB1");
        bench.edit(&Edit::Undo).unwrap();
        assert_eq!((bench.calibration().relay.as_deref(), bench.is_saved()), (Some("lcus:/dev/ttyUSB1"), false));
        assert_eq!((bench.calibration().corners[0], bench.history()), ([100.0, 50.0], [false, true]));
    }

    #[test]
    fn a_border_is_nudged_where_it_stands_in_the_picture() {
        let mut bench = bench();
        // The camera hangs upside-down: the game's top-left is the picture's bottom-right.
        let corners = [[200.0, 250.0], [100.0, 250.0], [100.0, 50.0], [200.0, 50.0]];
        bench.replace(Calibration { corners, ..bench.calibration().clone() });
        bench.edit(&Edit::Nudge { side: Side::Left, by: -1.0 }).unwrap();
        bench.edit(&Edit::Nudge { side: Side::Bottom, by: 0.1 }).unwrap();
        let expected = [[200.0, 250.1], [99.0, 250.1], [99.0, 50.0], [200.0, 50.0]];
        assert_eq!(bench.calibration().corners, expected);
    }

    #[test]
    fn what_would_be_no_field_is_refused_and_changes_nothing() {
        let mut bench = bench();
        let before = bench.calibration().clone();
        for to in [[250.0, 300.0], [f64::NAN, 0.0], [1e9, 0.0], [200.0, 250.0], [f64::INFINITY, 1.0]] {
            assert_eq!(bench.edit(&corner(0, to, 1)), Err(EditError::NoField), "{to:?}");
        }
        assert_eq!(bench.edit(&corner(4, [1.0, 1.0], 1)), Err(EditError::Unknown("corner")));
        assert_eq!(bench.edit(&Edit::Nudge { side: Side::Left, by: 99.9 }), Err(EditError::NoField));
        assert_eq!(bench.edit(&Edit::Nudge { side: Side::Left, by: f64::NAN }), Err(EditError::NoField));
        assert_eq!((bench.calibration(), bench.history()), (&before, [false, false]));
    }

    #[test]
    fn a_relay_that_is_taken_is_swapped() {
        let mut bench = bench();
        bench.edit(&Edit::Button { button: "left".into(), relay: Some(0) }).unwrap();
        let buttons = &bench.calibration().buttons;
        assert_eq!((buttons["left"], buttons["right"]), (0, 1));
        bench.edit(&Edit::Button { button: "select".into(), relay: None }).unwrap();
        bench.edit(&Edit::Button { button: "select".into(), relay: Some(7) }).unwrap();
        let buttons = &bench.calibration().buttons;
        assert_eq!((buttons.get("a"), buttons["select"]), (None, 7));
        for (button, relay) in [("turbo", Some(1)), ("a", Some(8))] {
            assert!(bench.edit(&Edit::Button { button: button.into(), relay }).is_err());
        }
    }
}
