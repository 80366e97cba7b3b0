//! T-spins, from the cells around the T and the turn that led there.

use super::turns::POINTS;
pub use crate::game::movegen::Spin;
use crate::game::{Board, Piece, Pose, Rotation};

/// How the falling piece came to where it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Arrival {
    /// Whether the last thing that moved it was a turn (seed 002:1930).
    pub by_turn: bool,
    /// Whether point 5 was used, and only turns since (seed 002:1980–1982).
    pub by_point_five: bool,
}

impl Arrival {
    /// After a turn that succeeded at this point, from 0.
    #[must_use]
    pub fn turned(self, point: usize) -> Self {
        Self { by_turn: true, by_point_five: self.by_point_five || point + 1 == POINTS }
    }
}

/// The cells beside a T's nose and those behind it, from its centre and facing north: A, B, C and D (seed 002:1935–1974).
const CORNERS: [(i8, i8); 4] = [(-1, -1), (1, -1), (-1, 1), (1, 1)];

/// Which of A, B, C and D touch a surface: a block, a wall or the floor.
///
/// Of the walls the text says nothing; a surface there is the top of a block or the floor (seed 002:6246). They count here, as in
/// every game that follows it.
pub fn corners(board: &Board, pose: Pose) -> [bool; 4] {
    let turns = match pose.orientation.rotation() {
        Rotation::Up => 0,
        Rotation::Right => 1,
        Rotation::Down => 2,
        Rotation::Left => 3,
    };
    CORNERS.map(|corner| {
        let (dx, dy) = (0..turns).fold(corner, |(x, y), _| (-y, x));
        touches(board, pose.x + dx, pose.y + dy)
    })
}

fn touches(board: &Board, x: i8, y: i8) -> bool {
    let is_outside = x < 0 || x as usize >= board.width() || y >= 0 && y as usize >= board.height();
    is_outside || y >= 0 && board.is_full(x as usize, y as usize)
}

/// What the lock down of a piece here is (seed 002:1976–1988).
pub fn recognise(board: &Board, pose: Pose, arrival: Arrival) -> Spin {
    if pose.orientation.piece() != Piece::T || !arrival.by_turn {
        return Spin::None;
    }
    let [a, b, c, d] = corners(board, pose);
    if a && b && (c || d) {
        Spin::Full
    } else if c && d && (a || b) {
        // With point 5, or any turn after it, even this is a T-spin.
        if arrival.by_point_five { Spin::Full } else { Spin::Mini }
    } else {
        Spin::None
    }
}
