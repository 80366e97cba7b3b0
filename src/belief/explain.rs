//! Which legal transition leads from the believed pile to the picture.

use crate::game::movement::place;
use crate::game::orientation::Pose;
use crate::game::reach::resting_poses;
use crate::game::rotation::{Handedness, RotationSystem};
use crate::game::rules::Move;
use crate::game::{Board, Piece};
use crate::message::Observation;

/// A piece that falls fast may first be seen this many rows below its spawn place.
const LATE_ROWS: i8 = 6;

/// A new piece may first be seen this many columns beside its spawn place: a held key pushes one a frame at first, then
/// every sixth.
const LATE_COLUMNS: i8 = 3;

/// A new piece beside its spawn place is believed when this many of its cells are surely full; when the next box shows that
/// a new one has come, fewer do in a picture that blends it.
const LEAST_CELLS: u32 = 3;
const LEAST_CELLS_ANNOUNCED: u32 = 2;

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
    /// The cells of an observation. A piece seen as a whole at `spawn` says more about its cells than each says itself.
    pub fn of(observation: &Observation, spawn: Option<Pose>) -> Self {
        let (mut full, mut unknown) = (observation.grid.full(), observation.grid.unknown());
        let cells = spawn.into_iter().flat_map(Pose::cells).filter(|(x, y)| *x >= 0 && *y >= 0);
        for (x, y) in cells.map(|(x, y)| (x as usize, y as usize)) {
            if x < full.width() && y < full.height() && unknown.is_full(x, y) {
                full.fill(x, y);
                unknown.clear(x, y);
            }
        }
        Self { full, unknown }
    }

    /// Whether the picture may show exactly these cells: every full cell is among them, and every one of them is full
    /// or unknown.
    pub fn may_show(&self, cells: &Board) -> bool {
        (0..self.full.height()).all(|y| {
            let (full, unknown, wanted) = (self.full.row(y), self.unknown.row(y), cells.row(y));
            full & !wanted == 0 && wanted & !(full | unknown) == 0
        })
    }

    /// Whether all of these cells are full or unknown.
    fn may_hold(&self, cells: &Board) -> bool {
        (0..cells.height()).all(|y| cells.row(y) & !(self.full.row(y) | self.unknown.row(y)) == 0)
    }

    /// How many cells beside these are surely full.
    pub fn lit_beside(&self, cells: &Board) -> u32 {
        (0..cells.height()).map(|y| (self.full.row(y) & !cells.row(y)).count_ones()).sum()
    }

    /// Whether the picture may show this piece over the pile, overlapping it or not, or on its way between two poses.
    pub fn shows_piece(&self, pile: &Board, from: Pose, to: Pose) -> bool {
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
        // The cells of one pose alone were lit equally long: they all show, or none does.
        let alike = |one: &Board, other: &Board| {
            let (mut any_full, mut any_empty) = (false, false);
            for y in 0..one.height() {
                let alone = one.row(y) & !other.row(y);
                any_full |= alone & self.full.row(y) != 0;
                any_empty |= alone & !(self.full.row(y) | self.unknown.row(y)) != 0;
            }
            !(any_full && any_empty)
        };
        (0..pile.height()).all(|y| self.full.row(y) & !(before.row(y) | after.row(y)) == 0)
            && (self.may_hold(&before) || self.may_hold(&after))
            && alike(&before, &after)
            && alike(&after, &before)
    }

    /// Where `piece` is if the picture shows it, whole or its visible part, over `pile` and nothing else; on the move,
    /// where it comes from. Of several poses (some cells unknown) the one nearest to `near` is taken.
    pub fn find(&self, pile: &Board, piece: Piece, near: Pose) -> Option<Pose> {
        self.find_still(pile, piece, near).or_else(|| self.find_moving(pile, piece, near))
    }

    /// As [`Self::find`], but only at rest.
    pub fn find_still(&self, pile: &Board, piece: Piece, near: Pose) -> Option<Pose> {
        if !(1..=4).contains(&self.lit_beside(pile)) {
            return None;
        }
        let still = poses(pile, piece).filter(|&pose| self.shows_piece(pile, pose, pose));
        still.min_by_key(|pose| (distance(*pose, near), *pose))
    }

    /// As [`Self::find`], but only on the move.
    pub fn find_moving(&self, pile: &Board, piece: Piece, near: Pose) -> Option<Pose> {
        if !(1..=2 * 4).contains(&self.lit_beside(pile)) {
            return None;
        }
        let moving = poses(pile, piece).filter(|&pose| {
            // A two-fold piece may turn to either side, as the game is made.
            let systems = Handedness::ALL.map(RotationSystem::classic);
            let steps = systems.into_iter().flat_map(|system| Move::ALL.map(|step| step.apply(pose, system)));
            // Where pieces fall fast, one that is pressed falls in the same frame.
            let steps = steps.flat_map(|to| [to, to.moved(0, 1)]);
            steps.filter(|to| *to != pose && to.fits(pile)).any(|to| self.may_show_motion(pile, pose, to))
        });
        moving.min_by_key(|pose| (distance(*pose, near), *pose))
    }
}

/// The piece that was falling.
#[derive(Debug, Clone, Copy)]
pub struct Fallen {
    /// Which.
    pub piece: Piece,
    /// Where it was last seen.
    pub last: Pose,
    /// Where it was meant to lock.
    pub intended: Option<Pose>,
}

impl Fallen {
    /// How likely a lock is, as long as pictures leave a choice: 0 best, 2 any other.
    fn rank(&self, lock: Pose) -> u8 {
        match self.intended {
            Some(intended) if intended == lock => 0,
            _ if lock.x == self.last.x && lock.orientation == self.last.orientation => 1,
            _ => 2,
        }
    }
}

/// The lock of `old` on `pile` after which the picture shows the new pile and `piece` at `pose`. The piece may overlap the
/// pile: then the game is about to end. One that was not promised must show a cell beside the pile.
pub fn explain_lock(
    pile: &Board,
    old: &Fallen,
    seen: &Seen,
    piece: Piece,
    pose: Pose,
    is_promised: bool,
) -> Option<Explanation> {
    let shown = |after: &Board| seen.shows_piece(after, pose, pose) && (is_promised || seen.lit_beside(after) > 0);
    explain(pile, old, piece, |after| shown(after).then_some(pose))
}

/// As [`explain_lock`] for a new piece that has already left its spawn place, or is about to: the promised `next`, pushed
/// or turned or some rows further down, or between two places. `anywhere`: it may have been on its way for long;
/// `is_redrawn`: the next box shows another piece than the promised one.
pub fn explain_late_spawn(
    pile: &Board,
    old: &Fallen,
    seen: &Seen,
    next: Piece,
    spawn: Pose,
    anywhere: bool,
    is_redrawn: bool,
) -> Option<Explanation> {
    // A piece that comes to rest, half a row above its place, looks like one more of its kind.
    let is_alike = next == old.piece && !is_redrawn && seen.find(pile, old.piece, old.last).is_some();
    let anywhere = anywhere && !is_alike;
    explain(pile, old, next, |after| {
        // Where the spawn place is blocked the new piece overlaps the pile: the game is about to end.
        let is_blocked = !spawn.fits(after);
        // It may even lie wholly within the pile; then only the next box tells that it is there.
        let least = match (is_blocked, is_redrawn) {
            (true, _) => u32::from(!is_redrawn),
            (false, true) if seen.unknown.count() > 0 => LEAST_CELLS_ANNOUNCED,
            (false, _) => LEAST_CELLS,
        };
        if !seen.may_hold(after) || seen.lit_beside(after) < least {
            return None;
        }
        if is_blocked {
            return seen.shows_piece(after, spawn, spawn).then_some(spawn);
        }
        seen.find(after, next, spawn).filter(|pose| anywhere || is_young(*pose, spawn))
    })
}

/// The likeliest lock after which `shown` finds the new piece over the new pile. Of several equally likely ones that
/// leave different piles (unknown cells leave a choice) none is certain.
fn explain(pile: &Board, old: &Fallen, piece: Piece, shown: impl Fn(&Board) -> Option<Pose>) -> Option<Explanation> {
    let mut best: Option<(u8, Explanation)> = None;
    let mut is_open = false;
    // Pieces never rise.
    for lock in resting_poses(pile, old.piece).filter(|lock| lock.y >= old.last.y) {
        let rank = old.rank(lock);
        if best.is_some_and(|(known, _)| known < rank) {
            continue;
        }
        let (after, lines) = place(pile, lock);
        let Some(pose) = shown(&after) else { continue };
        let explanation = Explanation { lock, pile: after, lines, piece, pose };
        match best {
            Some((known, other)) if known == rank => is_open |= other.pile != after,
            _ => (best, is_open) = (Some((rank, explanation)), false),
        }
    }
    best.filter(|_| !is_open).map(|(_, explanation)| explanation)
}

/// Whether a piece can have come here from its spawn place since the last picture or two.
pub fn is_young(pose: Pose, spawn: Pose) -> bool {
    (pose.x - spawn.x).abs() <= LATE_COLUMNS && pose.y <= spawn.y + LATE_ROWS
}

/// All poses of a piece in which it lies over none of the pile's cells.
pub fn poses(pile: &Board, piece: Piece) -> impl Iterator<Item = Pose> + '_ {
    crate::game::Orientation::shapes(piece)
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
