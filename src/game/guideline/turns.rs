//! How the pieces turn: the super rotation system.
//!
//! The guideline draws its rotation points and does not number them in the text (seed 002:2591–2694), so the numbers here are
//! the offsets of the community's description of the same system (Tetris Wiki, "Super Rotation System", section "How guideline
//! SRS really works"). What the text does say holds for them, tests show: what each point is for (seed 002:2603–2643), and
//! that point 2 of the S facing east leads off the left wall both ways (seed 002:2624). Counted to the end (perft) they give the
//! numbers that other programs count.

use crate::game::rotation::Shift;
use crate::game::{Board, Orientation, Piece, Pose, Rotation, RotationSystem};
use std::sync::LazyLock;

/// How many points are tried (seed 002:2569).
pub const POINTS: usize = 5;

/// Columns to the right and rows *upwards*, from the centre of a piece.
type Point = (i8, i8);

/// The rotation points of T, J, L, S and Z from their centre, facing north, east, south and west.
const POINTS_OF_THREE: [[Point; POINTS]; 4] = [
    [(0, 0), (0, 0), (0, 0), (0, 0), (0, 0)],
    [(0, 0), (1, 0), (1, -1), (0, 2), (1, 2)],
    [(0, 0), (0, 0), (0, 0), (0, 0), (0, 0)],
    [(0, 0), (-1, 0), (-1, -1), (0, 2), (-1, 2)],
];

/// Those of the I.
const POINTS_OF_I: [[Point; POINTS]; 4] = [
    [(0, 0), (-1, 0), (2, 0), (-1, 0), (2, 0)],
    [(-1, 0), (0, 0), (0, 0), (0, 1), (0, -2)],
    [(-1, 1), (1, 1), (-2, 1), (1, 0), (-2, 0)],
    [(0, 1), (0, 1), (0, 1), (0, -1), (0, 2)],
];

/// The centre of each piece that faces north, from the pivot of [`Orientation::cells`]; rows upwards. By [`Piece::index`].
const CENTRES: [Point; 7] = [(0, 0), (0, 0), (0, -1), (-1, -1), (0, -1), (0, 0), (-1, 0)];

static SYSTEM: LazyLock<RotationSystem> = LazyLock::new(build);

/// The super rotation system (seed 002:2543–2694). The O does not turn (seed 002:2649).
pub fn super_rotation() -> &'static RotationSystem {
    &SYSTEM
}

fn build() -> RotationSystem {
    let mut system = RotationSystem::classic(crate::game::Handedness::Right).clone();
    for piece in Piece::ALL.into_iter().filter(|piece| *piece != Piece::O) {
        for from in Rotation::ALL {
            for clockwise in [true, false] {
                system = system.with_turn(piece, from, clockwise, &tests(piece, from, clockwise));
            }
        }
    }
    system
}

/// The place of each end point is that of the start point of the same number (seed 002:2679–2684).
fn tests(piece: Piece, from: Rotation, clockwise: bool) -> [Shift; POINTS] {
    let points = if piece == Piece::I { &POINTS_OF_I } else { &POINTS_OF_THREE };
    let to = from.turned(clockwise);
    let (start, end) = (centre(piece, from), centre(piece, to));
    std::array::from_fn(|point| {
        let ((sx, sy), (ex, ey)) = (points[from as usize][point], points[to as usize][point]);
        let (dx, dy) = (sx - ex + start.0 - end.0, sy - ey + start.1 - end.1);
        (dx, -dy)
    })
}

/// The centre in a facing, from the pivot of [`Orientation::cells`]: north turned about it covers the same cells.
fn centre(piece: Piece, facing: Rotation) -> Point {
    let (cx, cy) = CENTRES[piece.index()];
    let north = Orientation::of(piece, Rotation::Up).cells().map(|(x, y)| (x - cx, -y - cy));
    let turned = north.map(|(x, y)| match facing {
        Rotation::Up => (x, y),
        Rotation::Right => (y, -x),
        Rotation::Down => (-x, -y),
        Rotation::Left => (-y, x),
    });
    let lowest = |cells: [Point; 4]| cells.iter().fold((i8::MAX, i8::MAX), |low, c| (low.0.min(c.0), low.1.min(c.1)));
    let (about_centre, about_pivot) =
        (lowest(turned), lowest(Orientation::of(piece, facing).cells().map(|(x, y)| (x, -y))));
    (about_pivot.0 - about_centre.0, about_pivot.1 - about_centre.1)
}

/// A piece facing north with its centre in this column, counted from 0 on the left, and row, counted from 0 at the top.
pub fn facing_north(piece: Piece, column: i8, row: i8) -> Pose {
    let (cx, cy) = CENTRES[piece.index()];
    Pose { x: column - cx, y: row + cy, orientation: Orientation::of(piece, Rotation::Up) }
}

/// Where a turn leads on a board: the first point that fits, from 0, and how many rows (downwards) it moved the piece's visual
/// centre. `None` if the piece fits nowhere.
pub fn turn(board: &Board, pose: Pose, clockwise: bool) -> Option<(Pose, usize, i8)> {
    let turn = SYSTEM.turn(pose.orientation, clockwise);
    if pose.orientation.piece() == Piece::O {
        return Some((pose, 0, 0));
    }
    let tests = turn.tests();
    let plain = tests.first()?.1;
    tests.iter().enumerate().find_map(|(point, (dx, dy))| {
        let turned = Pose { orientation: pose.orientation.rotated_to(turn.to), ..pose.moved(*dx, *dy) };
        turned.fits(board).then_some((turned, point, dy - plain))
    })
}
