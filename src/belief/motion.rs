//! Where a piece is in a picture: at rest in a row, or on its way from one place to the next.
//!
//! Between two places the shutter, or a game whose pieces fall smoothly, lights the cells of both in part. The cells of one
//! place alone then show by the same share, and those of the other by what is left.

use super::evidence::Evidence;
use crate::game::board::MAX_ROWS;
use crate::game::reach::resting_poses;
use crate::game::rotation::{Handedness, RotationSystem};
use crate::game::rules::Move;
use crate::game::{Board, Orientation, Piece, Pose};

/// What it costs to take a piece for one on its way, and each cell that is then lit in part, nats.
const MOTION_NATS: f32 = 0.7;
const PARTLY_NATS: f32 = 0.2;
/// Cells lit by the same share differ by no more than this, nats.
const ALIKE_NATS: f32 = 5.0;
/// A column, a row and a turn from where a piece was expected cost so much, nats.
const COLUMN_NATS: f32 = 0.1;
const ROW_NATS: f32 = 0.02;
const TURN_NATS: f32 = 0.2;
/// A turn of a piece that is not all in the field costs so much in no time, nats, and less up to this time, ms: hardly anybody
/// turns what he does not see, or turns anything between two pictures.
const UNSEEN_TURN_NATS: f32 = 1.0;
const TURNS_MS: f64 = 100.0;
/// A row further down than a piece falls in the time costs so much, but no more than a piece that is dropped, nats.
const DROP_ROW_NATS: f32 = 0.3;
const DROP_NATS: f32 = 3.0;
/// A piece falls by no more than a row in so long, ms, where the game itself is no faster, and some rows more where pictures come
/// late; held keys push as quickly.
pub const ROW_MS: f64 = 16.0;
const FREE_ROWS: f64 = 2.0;
/// A piece that seems a row higher than before, nats, and one that seems to have risen by any: no piece rises, but it may have
/// been taken for something else before.
const RISE_NATS: f32 = 1.0;
const RISEN_NATS: f32 = 7.0;
/// A piece may begin so many rows above its spawn place.
pub const HIDDEN_ROWS: i8 = 2;
/// The best places of a piece at rest are tried for one on its way.
const BEST: usize = 4;
/// What a ghost costs, nats: less than an unsure cell, so that games without one lose nothing.
const GHOST_NATS: f32 = 0.2;

/// Where a piece seems to be.
#[derive(Debug, Clone, Copy)]
pub struct Place {
    /// On the move, where it comes from.
    pub pose: Pose,
    /// What speaks against it in the picture, nats.
    pub against: f32,
    /// What its way there costs, nats.
    pub way: f32,
}

impl Place {
    /// The likelier first.
    pub fn order(&self, other: &Self) -> std::cmp::Ordering {
        let sum = |place: &Self| place.against + place.way;
        sum(self).total_cmp(&sum(other)).then(self.pose.cmp(&other.pose))
    }
}

/// A pile as a piece falls over it, in one picture.
#[derive(Debug, Clone, Copy)]
pub struct Scene<'a> {
    /// What the picture says.
    pub evidence: &'a Evidence,
    /// The settled pile.
    pub pile: &'a Board,
    /// What speaks against the pile alone, nats.
    pub against: f32,
    /// Whether the game draws a copy of the piece where it would land.
    pub has_ghost: bool,
    /// The rows by which a piece may have fallen.
    pub rows: f32,
    /// What a turn costs of which not everything is seen, nats.
    unseen_turn: f32,
}

impl<'a> Scene<'a> {
    /// A pile in a picture; the piece was last seen `since_ms` before it, and falls a row in `row_ms` by itself.
    pub fn new(evidence: &'a Evidence, pile: &'a Board, has_ghost: bool, since_ms: f64, row_ms: f64) -> Self {
        let rows = (FREE_ROWS + since_ms / row_ms.clamp(1.0, ROW_MS)).clamp(0.0, MAX_ROWS as f64) as f32;
        let unseen_turn = UNSEEN_TURN_NATS * (1.0 - since_ms / TURNS_MS).clamp(0.0, 1.0) as f32;
        Self { evidence, pile, against: evidence.against(pile), has_ghost, rows, unseen_turn }
    }

    /// The likeliest place of a piece among those of which `is_open` says that it can be there, coming from `from`.
    pub fn find(&self, piece: Piece, from: Pose, is_open: impl Fn(Pose) -> bool) -> Option<Place> {
        let mut best: Vec<Place> = Vec::with_capacity(BEST + 1);
        for pose in poses(self.pile, piece).filter(|pose| is_open(*pose)) {
            let place = Place { pose, against: self.against_still(pose), way: self.way(from, pose) };
            let at = best.partition_point(|other| other.order(&place).is_le());
            if at < BEST {
                best.insert(at, place);
                best.truncate(BEST);
            }
        }
        let moving = best.iter().flat_map(|place| self.moving(place.pose, from, &is_open)).min_by(Place::order);
        best.first().copied().into_iter().chain(moving).min_by(Place::order)
    }

    /// What speaks against a piece at rest in a place.
    pub fn against_still(&self, pose: Pose) -> f32 {
        let gain: f32 = pose.cells().iter().map(|&(x, y)| self.evidence.nats(x, y)).sum();
        self.against - gain - self.ghosts([pose, pose])
    }

    /// The ways from or to a place that a piece may be on.
    fn moving(&self, at: Pose, from: Pose, is_open: &impl Fn(Pose) -> bool) -> Option<Place> {
        let systems = Handedness::ALL.map(RotationSystem::classic);
        let steps = systems.into_iter().flat_map(|system| Move::COMMON.map(|step| step.apply(at, system).shape()));
        // Where pieces fall fast, one that is pressed falls in the same frame.
        let others = steps.flat_map(|to| [to, to.moved(0, 1)]).chain([at.moved(0, -1)]);
        let others = others.filter(|to| *to != at && to.fits(self.pile) && is_open(*to));
        let ways = others.map(|to| {
            let first = if (to.y, distance(to, from)) < (at.y, distance(at, from)) { to } else { at };
            Place { pose: first, against: self.against_motion(at, to), way: self.way(from, first) }
        });
        ways.min_by(Place::order)
    }

    fn against_motion(&self, a: Pose, b: Pose) -> f32 {
        let (one, other) = (a.cells(), b.cells());
        let nats = |(x, y): &(i8, i8)| self.evidence.nats(*x, *y);
        let common: f32 = one.iter().filter(|cell| other.contains(cell)).map(nats).sum();
        let alone = |cells: &[(i8, i8); 4], others: &[(i8, i8); 4]| {
            let (mut low, mut high, mut lit, mut count) = (f32::MAX, f32::MIN, 0.0, 0.0);
            for cell in cells.iter().filter(|cell| cell.1 >= 0 && !others.contains(cell)) {
                let nats = nats(cell);
                (low, high, lit, count) = (low.min(nats), high.max(nats), lit + nats.max(0.0), count + 1.0);
            }
            let unlike = if count > 0.0 { (high - low - ALIKE_NATS).max(0.0) } else { 0.0 };
            (lit - PARTLY_NATS * count - unlike, if count > 0.0 { high } else { 0.0 })
        };
        let ((gain_a, high_a), (gain_b, high_b)) = (alone(&one, &other), alone(&other, &one));
        // What is dark at both ends is at neither.
        let dark = -high_a.max(high_b).min(0.0);
        self.against - common - gain_a - gain_b + MOTION_NATS + dark - self.ghosts([a, b])
    }

    /// What it costs that a piece has locked there that was here, nats.
    pub fn drops(&self, from: Pose, to: Pose) -> f32 {
        self.drop(f32::from(to.y - from.y))
    }

    /// What it costs to take a piece for one that has fallen by so many rows faster than it falls by itself, nats.
    fn drop(&self, rows: f32) -> f32 {
        (DROP_ROW_NATS * (rows - self.rows).max(0.0)).min(DROP_NATS)
    }

    /// What it costs to take a piece that was here for one there, nats.
    fn way(&self, from: Pose, to: Pose) -> f32 {
        let [dx, dy] = [to.x - from.x, to.y - from.y].map(f32::from);
        let is_unseen = || to.cells().iter().any(|cell| cell.1 < 0);
        let turn = match from.shape().orientation == to.shape().orientation {
            true => 0.0,
            false if is_unseen() => self.unseen_turn.max(TURN_NATS),
            false => TURN_NATS,
        };
        let fall = ROW_NATS * dy + self.drop(dy);
        COLUMN_NATS * dx.abs() + turn + if dy < 0.0 { (-RISE_NATS * dy).min(RISEN_NATS) } else { fall }
    }

    /// What the copies explain that the game draws where the piece would land from these places.
    fn ghosts(&self, poses: [Pose; 2]) -> f32 {
        if !self.has_ghost {
            return 0.0;
        }
        let lands = poses.map(|pose| dropped(self.pile, pose));
        let is_piece = |cell: &(i8, i8)| poses.iter().any(|pose| pose.cells().contains(cell));
        let lit = |(x, y): (i8, i8)| self.evidence.nats(x, y).max(0.0);
        let first: f32 = lands[0].cells().into_iter().filter(|cell| !is_piece(cell)).map(lit).sum();
        let also = lands[1].cells().into_iter().filter(|cell| !is_piece(cell) && !lands[0].cells().contains(cell));
        (first + also.map(lit).sum::<f32>() - GHOST_NATS).max(0.0)
    }
}

/// All places of a piece in which it lies over none of the pile's cells.
pub fn poses(pile: &Board, piece: Piece) -> impl Iterator<Item = Pose> + '_ {
    let all = Orientation::shapes(piece).flat_map(move |orientation| {
        let rows = -2..pile.height() as i8;
        rows.flat_map(move |y| (0..pile.width() as i8).map(move |x| Pose { x, y, orientation }))
    });
    all.filter(move |pose| pose.fits(pile))
}

/// Where a piece can lock that was last seen in a place: pieces never rise.
pub fn locks(pile: &Board, piece: Piece, last: Pose) -> impl Iterator<Item = Pose> + '_ {
    resting_poses(pile, piece).filter(move |lock| lock.y >= last.y)
}

/// From where a piece comes in that is to appear here: some games let it come from above the field.
pub fn above(spawn: Pose) -> Pose {
    spawn.moved(0, -HIDDEN_ROWS)
}

/// Where a piece lands if it falls straight from here.
pub fn dropped(pile: &Board, pose: Pose) -> Pose {
    let mut pose = pose;
    while pose.moved(0, 1).fits(pile) {
        pose = pose.moved(0, 1);
    }
    pose
}

fn distance(a: Pose, b: Pose) -> i32 {
    let apart = |a: i8, b: i8| (i32::from(a) - i32::from(b)).abs();
    apart(a.x, b.x) + apart(a.y, b.y) + i32::from(a.orientation != b.orientation)
}
