//! Which legal transition leads from the believed pile to the picture.

use crate::game::orientation::Pose;
use crate::game::{Board, Piece};
use crate::message::Observation;
use crate::planner::movement::place;
use crate::planner::reach::resting_poses;

/// A piece that falls fast may first be seen so many rows below its spawn place.
const LATE_ROWS: i8 = 6;

/// A picture's cells: surely full, and unknown.
#[derive(Debug, Clone, Copy)]
pub struct Seen {
    /// Surely full.
    pub full: Board,
    /// Unknown.
    pub unknown: Board,
}

/// A lock that explains the picture, and the spawn that followed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Explanation {
    /// Where the old piece locked.
    pub lock: Pose,
    /// The pile afterwards.
    pub pile: Board,
    /// Rows cleared.
    pub lines: usize,
    /// The new piece.
    pub piece: Piece,
    /// Where it is.
    pub pose: Pose,
}

impl Seen {
    /// The cells of an observation.
    pub fn of(observation: &Observation) -> Self {
        Self { full: observation.grid.full(), unknown: observation.grid.unknown() }
    }

    /// Whether the picture may show exactly these cells: every full cell is among them, and every one of them is full
    /// or unknown.
    pub fn may_show(&self, cells: &Board) -> bool {
        (0..self.full.height()).all(|y| {
            let (full, unknown, wanted) = (self.full.row(y), self.unknown.row(y), cells.row(y));
            full & !wanted == 0 && wanted & !(full | unknown) == 0
        })
    }

    /// The full cells without those of a pose.
    pub fn without(&self, pose: Pose) -> Board {
        let mut board = self.full;
        for (x, y) in pose.cells().into_iter().filter(|c| c.0 >= 0 && c.1 >= 0) {
            board.clear(x as usize, y as usize);
        }
        board
    }

    /// Where `piece` is if the picture shows it, whole or its visible part, over `pile` and nothing else. Of several
    /// poses (some cells unknown) the one nearest to `near` is taken.
    pub fn find(&self, pile: &Board, piece: Piece, near: Pose) -> Option<Pose> {
        let extra: u32 = (0..pile.height()).map(|y| (self.full.row(y) & !pile.row(y)).count_ones()).sum();
        if extra > 4 || extra == 0 {
            return None;
        }
        let fits = poses(pile, piece).filter(|pose| {
            let mut both = *pile;
            pose.stamp(&mut both);
            self.may_show(&both)
        });
        fits.min_by_key(|pose| (distance(*pose, near), *pose))
    }
}

/// The lock of `old` on `pile` after which the picture shows the new pile and `piece` at `pose`. Of several (unknown
/// cells leave a choice) only `hint` will do.
pub fn explain_lock(
    pile: &Board,
    old: Piece,
    hint: Pose,
    seen: &Seen,
    piece: Piece,
    pose: Pose,
) -> Option<Explanation> {
    let mut found: Option<Explanation> = None;
    for lock in resting_poses(pile, old) {
        let (after, lines) = place(pile, lock);
        let mut both = after;
        pose.stamp(&mut both);
        // A new piece that overlaps the pile cannot be told from the pile; the game is about to end.
        if !pose.fits(&after) || !seen.may_show(&both) {
            continue;
        }
        let explanation = Explanation { lock, pile: after, lines, piece, pose };
        match found {
            _ if lock == hint => return Some(explanation),
            Some(other) if other.pile != after => found = Some(prefer(other, explanation, hint)?),
            Some(_) => {}
            None => found = Some(explanation),
        }
    }
    found
}

/// Two different piles fit the picture: nothing is certain.
fn prefer(one: Explanation, other: Explanation, hint: Pose) -> Option<Explanation> {
    [one, other].into_iter().find(|e| e.lock == hint)
}

/// As [`explain_lock`] for a new piece that has already left its spawn place: the promised `next`, in spawn
/// orientation, some rows further down.
pub fn explain_late_spawn(
    pile: &Board,
    old: Piece,
    hint: Pose,
    seen: &Seen,
    next: Piece,
    spawn: Pose,
) -> Option<Explanation> {
    if seen.unknown.count() > 0 {
        return None;
    }
    (1..=LATE_ROWS).find_map(|rows| explain_lock(pile, old, hint, seen, next, spawn.moved(0, rows)))
}

fn poses(pile: &Board, piece: Piece) -> impl Iterator<Item = Pose> + '_ {
    let orientations = crate::game::Orientation::all().filter(move |o| o.piece() == piece);
    orientations
        .flat_map(move |orientation| {
            let rows = -1..pile.height() as i8;
            rows.flat_map(move |y| (0..pile.width() as i8).map(move |x| Pose { x, y, orientation }))
        })
        .filter(move |pose| pose.fits(pile))
}

fn distance(a: Pose, b: Pose) -> i32 {
    let apart = |a: i8, b: i8| (i32::from(a) - i32::from(b)).abs();
    apart(a.x, b.x) + apart(a.y, b.y) + i32::from(a.orientation != b.orientation)
}
