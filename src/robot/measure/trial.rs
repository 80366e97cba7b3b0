//! One experiment: a press, and what was seen of it.

use crate::game::Board;
use crate::game::Buttons;
use crate::game::orientation::Pose;
use crate::message::CellGrid;
use crate::vision::read::confidence::share_of_time;

/// No cell's share differs by more than this from what the piece's place says, or the picture shows something else.
const MOST_OFF: f64 = 0.35;
/// Rows below the place where a trial began in which the piece is looked for.
const ROWS_MAX: i8 = 4;

/// What a trial is made for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Pressed for some frames: on which frame does it count?
    Tap,
    /// A direction held for about as long as auto-shift takes: does the piece move once or twice?
    Hold,
}

/// A picture about the moment at which the piece moved.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Picture {
    /// When it was taken: the mean time of its arrival, ms on the host's clock.
    pub taken_ms: f64,
    /// For which share of its exposure the piece was seen in its new place, 0–1.
    pub share: f64,
}

/// A press and its effect.
#[derive(Debug, Clone, PartialEq)]
pub struct Trial {
    /// What for.
    pub kind: Kind,
    /// The button.
    pub button: Buttons,
    /// When the command's last byte was at the board, ms on the host's clock.
    pub pressed_ms: f64,
    /// The same of the command that let go.
    pub released_ms: f64,
    /// The pictures about the first move, in order.
    pub pictures: Vec<Picture>,
    /// Columns or turns by which the piece was seen to have moved in the end.
    pub moves: u8,
}

impl Trial {
    /// Between the last picture that shows the old place and the first that shows the new one, ms; `None` if the piece
    /// was not seen to move.
    pub fn seen_ms(&self) -> Option<f64> {
        let after = self.pictures.iter().position(|picture| picture.share >= 0.5).filter(|after| *after > 0)?;
        Some((self.pictures[after - 1].taken_ms + self.pictures[after].taken_ms) / 2.0)
    }
}

/// For which share of the exposure a picture shows the piece at `to` rather than `from`, whatever row it has fallen to;
/// `None` if it shows anything else.
pub fn share_between(grid: &CellGrid, pile: &Board, from: Pose, to: Pose) -> Option<f64> {
    let fallen = (0..=ROWS_MAX).filter_map(|rows| share_at(grid, pile, from.moved(0, rows), to.moved(0, rows)));
    fallen.min_by(|a, b| a.1.total_cmp(&b.1)).filter(|(_, off)| *off < MOST_OFF).map(|(share, _)| share)
}

/// The share, and by how much the worst cell differs from it.
fn share_at(grid: &CellGrid, pile: &Board, from: Pose, to: Pose) -> Option<(f64, f64)> {
    if !from.fits(pile) || !to.fits(pile) {
        return None;
    }
    let (old, new) = (from.cells(), to.cells());
    let lit = |&(x, y): &(i8, i8)| match (usize::try_from(x), usize::try_from(y)) {
        (Ok(x), Ok(y)) => Some(f64::from(share_of_time(grid.p_full(x, y)))),
        _ => None,
    };
    let come = mean(new.iter().filter(|cell| !old.contains(cell)).filter_map(lit))?;
    let gone = 1.0 - mean(old.iter().filter(|cell| !new.contains(cell)).filter_map(lit))?;
    let share = ((come + gone) / 2.0).clamp(0.0, 1.0);
    let cells = (0..grid.rows()).flat_map(|y| (0..grid.columns()).map(move |x| (x, y)));
    let beside = cells.filter(|&(x, y)| !pile.is_full(x, y)).map(|(x, y)| {
        let cell = (x as i8, y as i8);
        let expected = match (old.contains(&cell), new.contains(&cell)) {
            (true, true) => 1.0,
            (true, false) => 1.0 - share,
            (false, true) => share,
            (false, false) => 0.0,
        };
        (f64::from(share_of_time(grid.p_full(x, y))) - expected).abs()
    });
    Some((share, beside.fold(0.0, f64::max)))
}

/// `None` of nothing.
fn mean(values: impl Iterator<Item = f64>) -> Option<f64> {
    let (sum, count) = values.fold((0.0, 0), |(sum, count), value| (sum + value, count + 1));
    (count > 0).then(|| sum / f64::from(count))
}
