//! A rotation system as ways of whole fields.

use super::field::{COLUMNS, WORD};
use super::lanes::{LANES, Shift, Word};
use crate::game::{Orientation, Piece, Pose, Rotation, RotationSystem};

/// How the rotations of a piece follow each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Cycle {
    /// It does not turn.
    None,
    /// Two rotations in turn, the same both ways.
    Two,
    /// Four, clockwise and back.
    Four,
}

/// One test of a turn, by the rotation that the piece turns to and from.
#[derive(Debug, Clone, Copy)]
pub(super) struct Test {
    /// From the place before to the one after; lanes are those of the rotations turned to.
    pub(super) there: Shift,
    /// And back; lanes are those of the rotations turned from.
    pub(super) back: Shift,
}

/// How far turns move the pivot at most, in columns and rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Reach {
    pub(super) aside: u8,
    pub(super) up: u8,
    pub(super) down: u8,
}

/// What a piece can do.
#[derive(Debug, Clone)]
pub(super) struct Table {
    pub(super) cycle: Cycle,
    /// Where the pivot's cell is seen from each cell of the piece but the pivot itself.
    pub(super) cells: [Shift; 3],
    /// The rotations that the piece can be in: all bits or none.
    pub(super) active: Word,
    /// How many of them look different.
    pub(super) shapes: usize,
    /// The places of the pivot in the highest word from which a piece sticks out of the field.
    pub(super) top: Word,
    /// Turns, counter-clockwise and clockwise, by the order of their tests.
    pub(super) turns: [Vec<Test>; 2],
    pub(super) reach: Reach,
    /// Cells from the lowest row of the piece on, for [`super::Field::fill`], by rotation and column of the pivot; none where it
    /// does not fit between the walls. And the rows from the lowest one up to the pivot.
    pub(super) stamps: [([u64; COLUMNS], usize); LANES],
    pub(super) spawn: Pose,
    /// Whether it drops a row as soon as it has appeared, if there is room.
    pub(super) drops_at_once: bool,
    /// Piles lower than this leave it room to go anywhere above them before it falls.
    pub(super) open_below: usize,
}

impl Table {
    /// A piece of a system; the spawn's row counts from the floor.
    pub(super) fn new(system: &RotationSystem, spawn: Pose, drops_at_once: bool) -> Self {
        let piece = spawn.orientation.piece();
        let shapes = Orientation::shapes(piece).count();
        let cycle = cycle_of(system, piece);
        let active: [bool; LANES] = std::array::from_fn(|lane| match cycle {
            Cycle::Four => true,
            Cycle::Two => lane < 2,
            Cycle::None => lane == spawn.orientation.rotation() as usize,
        });
        let cells = |lane: usize| Orientation::of(piece, Rotation::ALL[lane]).cells().map(|(x, y)| (x, -y));
        let beside: [[(i8, i8); 3]; LANES] = std::array::from_fn(|lane| {
            let mut others = cells(lane).into_iter().filter(|cell| *cell != (0, 0));
            std::array::from_fn(|_| others.next().unwrap_or((0, 0)))
        });
        Self {
            cycle,
            cells: std::array::from_fn(|cell| {
                Shift::of(std::array::from_fn(|lane| Some((-beside[lane][cell].0, -beside[lane][cell].1))))
            }),
            active: active.map(|is_active| if is_active { WORD } else { 0 }),
            shapes,
            top: std::array::from_fn(|lane| top_row(&cells(lane), 1) | top_row(&cells(lane), 2)),
            turns: [false, true].map(|clockwise| tests_of(system, piece, cycle, clockwise)),
            reach: reach_of(system, piece),
            stamps: std::array::from_fn(|lane| stamps_of(&cells(lane))),
            spawn,
            drops_at_once,
            open_below: 0,
        }
    }
}

fn cycle_of(system: &RotationSystem, piece: Piece) -> Cycle {
    let goes = |from: Rotation, clockwise: bool| system.turn(Orientation::of(piece, from), clockwise).to;
    if goes(Rotation::Up, true) == Rotation::Up {
        Cycle::None
    } else if goes(Rotation::Right, true) == Rotation::Up {
        Cycle::Two
    } else {
        Cycle::Four
    }
}

fn reach_of(system: &RotationSystem, piece: Piece) -> Reach {
    let ways = Rotation::ALL.into_iter().flat_map(|from| [true, false].map(|clockwise| (from, clockwise)));
    let turns = ways.map(|(from, clockwise)| system.turn(Orientation::of(piece, from), clockwise));
    turns.flat_map(|turn| turn.tests()).fold(Reach::default(), |reach, (dx, dy)| Reach {
        aside: reach.aside.max(dx.unsigned_abs()),
        up: reach.up.max(dy.min(&0).unsigned_abs()),
        down: reach.down.max(dy.max(&0).unsigned_abs()),
    })
}

fn tests_of(system: &RotationSystem, piece: Piece, cycle: Cycle, clockwise: bool) -> Vec<Test> {
    let from = |lane: usize| Rotation::ALL[lane];
    let lanes = match cycle {
        Cycle::None => 0,
        Cycle::Two => 2,
        Cycle::Four => 4,
    };
    // Clockwise and back are the same turn of a piece of two rotations that is never kicked.
    let ways: Vec<_> = (0..lanes).map(|lane| system.turn(Orientation::of(piece, from(lane)), clockwise)).collect();
    let count = ways.iter().map(|way| way.tests().len()).max().unwrap_or(0);
    (0..count)
        .map(|test| {
            let (mut there, mut back) = ([None; LANES], [None; LANES]);
            for (lane, way) in ways.iter().enumerate() {
                if let Some((dx, dy)) = way.tests().get(test) {
                    there[way.to as usize] = Some((*dx, -dy));
                    back[lane] = Some((-dx, *dy));
                }
            }
            Test { there: Shift::of(there), back: Shift::of(back) }
        })
        .collect()
}

/// The places in the row that is the highest (1) or the second (2), if some cell of the piece sticks out then.
fn top_row(cells: &[(i8, i8); 4], above: i8) -> u64 {
    let sticks_out = cells.iter().any(|(_, y)| *y >= above);
    let fits = |x: i8| cells.iter().all(|(dx, _)| (0..COLUMNS as i8).contains(&(x + dx)));
    let places = (0..COLUMNS as i8).filter(|x| sticks_out && fits(*x));
    let row = super::field::WORD_ROWS - above as usize;
    places.fold(0, |row_bits, x| row_bits | 1 << (row * COLUMNS + x as usize))
}

fn stamps_of(cells: &[(i8, i8); 4]) -> ([u64; COLUMNS], usize) {
    let lowest = cells.iter().map(|(_, y)| *y).min().unwrap_or(0);
    let bits = std::array::from_fn(|x| {
        cells.iter().fold(0, |bits, (dx, dy)| {
            let column = x as i8 + dx;
            let is_inside = (0..COLUMNS as i8).contains(&column);
            if is_inside { bits | 1 << ((dy - lowest) as usize * COLUMNS + column as usize) } else { bits }
        })
    });
    (bits, lowest.unsigned_abs() as usize)
}
