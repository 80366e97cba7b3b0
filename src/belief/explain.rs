//! Which legal transition leads from the believed pile to the picture.

use crate::game::orientation::{Handedness, Pose};
use crate::game::rules::Move;
use crate::game::{Board, Piece};
use crate::message::Observation;
use crate::planner::movement::place;
use crate::planner::reach::resting_poses;

/// A piece that falls fast may first be seen so many rows below its spawn place.
pub const LATE_ROWS: i8 = 6;

/// A new piece beside its spawn place is believed when so many of its cells are surely full.
const LEAST_CELLS: usize = 3;

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

    /// How many cells of the two poses are surely full.
    fn count_of(&self, from: Pose, to: Pose) -> usize {
        let is_full = |(x, y): &(i8, i8)| *x >= 0 && *y >= 0 && self.full.is_full(*x as usize, *y as usize);
        let further = to.cells().into_iter().filter(|c| !from.cells().contains(c));
        from.cells().into_iter().chain(further).filter(is_full).count()
    }

    fn shows_piece(&self, pile: &Board, from: Pose, to: Pose) -> bool {
        if from != to {
            return self.may_show_motion(pile, from, to);
        }
        let mut both = *pile;
        from.stamp(&mut both);
        self.may_show(&both)
    }

    /// The full cells without those of a pose.
    pub fn without(&self, pose: Pose) -> Board {
        let mut board = self.full;
        for (x, y) in pose.cells().into_iter().filter(|c| c.0 >= 0 && c.1 >= 0) {
            board.clear(x as usize, y as usize);
        }
        board
    }

    /// As [`Self::may_show`] for a piece on the move: the shutter was open while it went from `from` to `to`, so the
    /// cells of both may be lit, and those of one are.
    fn may_show_motion(&self, pile: &Board, from: Pose, to: Pose) -> bool {
        let with = |pose: Pose| {
            let mut board = *pile;
            pose.stamp(&mut board);
            board
        };
        let (before, after) = (with(from), with(to));
        let whole =
            |cells: &Board| (0..cells.height()).all(|y| cells.row(y) & !(self.full.row(y) | self.unknown.row(y)) == 0);
        (0..pile.height()).all(|y| self.full.row(y) & !(before.row(y) | after.row(y)) == 0)
            && (whole(&before) || whole(&after))
    }

    /// Where `piece` is if the picture shows it, whole or its visible part, over `pile` and nothing else; on the move,
    /// where it comes from. Of several poses (some cells unknown) the one nearest to `near` is taken.
    pub fn find(&self, pile: &Board, piece: Piece, near: Pose) -> Option<Pose> {
        let extra: u32 = (0..pile.height()).map(|y| (self.full.row(y) & !pile.row(y)).count_ones()).sum();
        if extra > 2 * 4 || extra == 0 {
            return None;
        }
        let nearest = |pose: &Pose| (distance(*pose, near), *pose);
        let still = poses(pile, piece).filter(|&pose| self.shows_piece(pile, pose, pose));
        if let Some(pose) = still.min_by_key(nearest) {
            return Some(pose);
        }
        let moving = poses(pile, piece).filter(|&pose| {
            // A two-fold piece may turn to either side, as the game is made.
            let hands = [Handedness::Right, Handedness::Left];
            let steps = hands.into_iter().flat_map(|hand| Move::ALL.map(|step| step.apply(pose, hand)));
            steps.filter(|to| *to != pose && to.fits(pile)).any(|to| self.may_show_motion(pile, pose, to))
        });
        moving.min_by_key(nearest)
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
    explain(pile, old, hint, seen, piece, &[pose], 0)
}

/// `places`: where the new piece stands, or where it comes from and goes to; `least_cells` of it must be surely full.
/// Where it overlaps the pile, the game is about to end.
fn explain(
    pile: &Board,
    old: Piece,
    hint: Pose,
    seen: &Seen,
    piece: Piece,
    places: &[Pose],
    least_cells: usize,
) -> Option<Explanation> {
    let (&pose, &to) = (places.first()?, places.last()?);
    let mut found: Option<Explanation> = None;
    for lock in resting_poses(pile, old) {
        let (after, lines) = place(pile, lock);
        // Only a piece seen whole in its spawn place may overlap the pile: any shape can be imagined into a pile.
        let may_overlap = least_cells == 0;
        let is_shown = (may_overlap || pose.fits(&after)) && seen.shows_piece(&after, pose, to);
        if !is_shown || seen.count_of(pose, to) < least_cells {
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

/// As [`explain_lock`] for a new piece that has already left its spawn place, or is about to: the promised `next`, in
/// spawn orientation, some rows further down or between two rows.
pub fn explain_late_spawn(
    pile: &Board,
    old: Piece,
    hint: Pose,
    seen: &Seen,
    next: Piece,
    spawn: Pose,
) -> Option<Explanation> {
    let places = (0..=LATE_ROWS).map(|rows| spawn.moved(0, rows));
    places.clone().find_map(|pose| explain(pile, old, hint, seen, next, &[pose], LEAST_CELLS)).or_else(|| {
        places.clone().find_map(|pose| explain(pile, old, hint, seen, next, &[pose, pose.moved(0, 1)], LEAST_CELLS))
    })
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
