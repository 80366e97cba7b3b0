//! Every pose a piece can get to when time does not press: a flood fill over columns, rows and orientations, with
//! slides under overhangs and spins. One bit a column, so that a row of poses is one word.

use crate::game::orientation::{Handedness, Pose};
use crate::game::{Board, Orientation, Piece};

/// Rows above the field in which a pivot may be.
const HIDDEN: usize = 2;
/// Rows a pivot can be in.
const ROWS: usize = crate::game::board::MAX_ROWS + HIDDEN;
/// The most orientations a piece has.
const TURNS: usize = 4;
/// Keeps column −1 and column `width` apart from the field's own: bit = column + 1.
const SHIFT: usize = 1;

/// The reachable poses of one piece on one board.
#[derive(Debug, Clone)]
pub struct Reach {
    orientations: [Orientation; TURNS],
    turns: usize,
    /// How many columns further right than on the NES each orientation stands.
    leans: [i8; TURNS],
    height: usize,
    fits: [[u32; ROWS + 1]; TURNS],
    reached: [[u32; ROWS]; TURNS],
}

impl Reach {
    /// Floods from `spawn` on the NES; empty if the piece does not fit there.
    pub fn flood(board: &Board, spawn: Pose) -> Self {
        Self::flood_in(board, spawn, Handedness::Right)
    }

    /// Floods from `spawn` in a game of this handedness; empty if the piece does not fit there.
    pub fn flood_in(board: &Board, spawn: Pose, hand: Handedness) -> Self {
        let (orientations, turns) = cycle(spawn.orientation);
        let mut reach = Self {
            orientations,
            turns,
            leans: orientations.map(|orientation| orientation.lean(hand)),
            height: board.height() + HIDDEN,
            fits: [[0; ROWS + 1]; TURNS],
            reached: [[0; ROWS]; TURNS],
        };
        let columns = Columns::of(board);
        for (fits, &orientation) in reach.fits.iter_mut().zip(&orientations[..turns]) {
            columns.fitting(orientation, &mut fits[..reach.height]);
        }
        let start = 1u32 << (spawn.x as usize + SHIFT);
        let row = (spawn.y + HIDDEN as i8) as usize;
        reach.reached[0][row] = start & reach.fits[0][row];
        reach.spread();
        reach
    }

    /// Every reachable pose from which the piece cannot fall: where it can lock.
    pub fn locks(&self) -> impl Iterator<Item = Pose> + '_ {
        (0..self.turns).flat_map(move |turn| {
            (0..self.height).flat_map(move |row| {
                let resting = self.reached[turn][row] & !self.fits[turn][row + 1];
                bits(resting).map(move |bit| self.pose(turn, row, bit))
            })
        })
    }

    fn pose(&self, turn: usize, row: usize, bit: usize) -> Pose {
        Pose { x: bit as i8 - SHIFT as i8, y: row as i8 - HIDDEN as i8, orientation: self.orientations[turn] }
    }

    /// Rows from the top; a row is done when no move within it adds a pose. Nothing moves up.
    fn spread(&mut self) {
        for row in 0..self.height {
            loop {
                let before: [u32; TURNS] = std::array::from_fn(|t| self.reached[t][row]);
                for turn in 0..self.turns {
                    self.slide(turn, row);
                }
                if self.turns > 1 {
                    self.spin(row);
                }
                if (0..self.turns).all(|t| self.reached[t][row] == before[t]) {
                    break;
                }
            }
            if row + 1 < self.height {
                for turn in 0..self.turns {
                    self.reached[turn][row + 1] |= self.reached[turn][row] & self.fits[turn][row + 1];
                }
            }
        }
    }

    fn slide(&mut self, turn: usize, row: usize) {
        let fits = self.fits[turn][row];
        let mut here = self.reached[turn][row];
        loop {
            let wider = (here | here << 1 | here >> 1) & fits;
            if wider == here {
                break;
            }
            here = wider;
        }
        self.reached[turn][row] = here;
    }

    fn spin(&mut self, row: usize) {
        let now: [u32; TURNS] = std::array::from_fn(|t| self.reached[t][row]);
        for turn in 0..self.turns {
            let next = (turn + 1) % self.turns;
            let previous = (turn + self.turns - 1) % self.turns;
            let from = self.leaning(now[next], next, turn) | self.leaning(now[previous], previous, turn);
            self.reached[turn][row] |= from & self.fits[turn][row];
        }
    }
}

impl Reach {
    /// Poses of one orientation, turned into another.
    fn leaning(&self, poses: u32, from: usize, to: usize) -> u32 {
        match self.leans[to] - self.leans[from] {
            0 => poses,
            right @ 1.. => poses << right,
            left => poses >> -left,
        }
    }
}

/// The orientations that turning clockwise walks through, from this one on.
fn cycle(first: Orientation) -> ([Orientation; TURNS], usize) {
    let mut orientations = [first; TURNS];
    let mut turns = 1;
    let mut next = first.turned(true);
    while next != first && turns < TURNS {
        orientations[turns] = next;
        turns += 1;
        next = next.turned(true);
    }
    (orientations, turns)
}

fn bits(mut word: u32) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let bit = (word != 0).then(|| word.trailing_zeros() as usize);
        word &= word.wrapping_sub(1);
        bit
    })
}

/// The board's empty cells with walls around, bit = column + 3 so that no cell offset leaves the word; rows begin so far above
/// the hidden ones that no cell offset leaves the array.
struct Columns {
    empty: [u32; ABOVE + ROWS + 4],
}

/// Rows no piece may be in, for cells that reach above the hidden ones.
const ABOVE: usize = 2;

impl Columns {
    const MARGIN: usize = 3;

    fn of(board: &Board) -> Self {
        let inside = u32::from(board.full_row());
        let mut empty = [0; _];
        empty[ABOVE..ABOVE + HIDDEN].fill(inside << Self::MARGIN);
        for (word, &full) in empty[ABOVE + HIDDEN..].iter_mut().zip(board.rows()) {
            *word = (inside & !u32::from(full)) << Self::MARGIN;
        }
        Self { empty }
    }

    /// The columns (bit = column + [`SHIFT`]) in which the orientation fits, by the pivot's row.
    fn fitting(&self, orientation: Orientation, fits: &mut [u32]) {
        fits.fill(u32::MAX);
        for &(dx, dy) in orientation.cells() {
            let shift = (Self::MARGIN as i8 + dx - SHIFT as i8) as u32;
            let first = (ABOVE as i8 + dy) as usize;
            for (fits, cells) in fits.iter_mut().zip(&self.empty[first..]) {
                *fits &= cells >> shift;
            }
        }
    }
}

/// Where the piece can lock on this board, from `spawn`.
pub fn lock_poses(board: &Board, spawn: Pose) -> Vec<Pose> {
    Reach::flood(board, spawn).locks().collect()
}

/// Where a piece can lock that is moved and dropped, but not turned. Nothing moves up, so each row is done when its
/// free runs are.
pub fn unturned_locks(board: &Board, from: Pose) -> Vec<Pose> {
    let mut locks = Vec::new();
    let mut row: Vec<Pose> = Some(from).filter(|pose| pose.fits(board)).into_iter().collect();
    while !row.is_empty() {
        let mut i = 0;
        while i < row.len() {
            for dx in [-1, 1] {
                let moved = row[i].moved(dx, 0);
                if moved.fits(board) && !row.contains(&moved) {
                    row.push(moved);
                }
            }
            i += 1;
        }
        let (falling, resting): (Vec<Pose>, Vec<Pose>) = row.into_iter().partition(|pose| pose.moved(0, 1).fits(board));
        locks.extend(resting);
        row = falling.into_iter().map(|pose| pose.moved(0, 1)).collect();
    }
    locks
}

/// Every resting pose of a piece on a board, reachable or not: where a piece may be found after the fact.
pub fn resting_poses(board: &Board, piece: Piece) -> impl Iterator<Item = Pose> + '_ {
    let orientations = Orientation::all().filter(move |o| o.piece() == piece);
    orientations.flat_map(move |orientation| {
        let rows = -2..board.height() as i8;
        let poses = rows.flat_map(move |y| (0..board.width() as i8).map(move |x| Pose { x, y, orientation }));
        poses.filter(move |pose| pose.fits(board) && !pose.moved(0, 1).fits(board))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::board::MAX_ROWS;
    use crate::game::rules::Move;
    use proptest::prelude::*;
    use std::collections::{BTreeSet, VecDeque};

    fn slow_locks(board: &Board, spawn: Pose, hand: Handedness) -> BTreeSet<Pose> {
        let (mut seen, mut queue) = (BTreeSet::new(), VecDeque::new());
        if spawn.fits(board) {
            seen.insert(spawn);
            queue.push_back(spawn);
        }
        let mut locks = BTreeSet::new();
        while let Some(pose) = queue.pop_front() {
            if !pose.moved(0, 1).fits(board) {
                locks.insert(pose);
            }
            let next = Move::ALL.map(|step| step.apply(pose, hand));
            for pose in next {
                if pose.fits(board) && seen.insert(pose) {
                    queue.push_back(pose);
                }
            }
        }
        locks
    }

    proptest! {
        #[test]
        fn flood_equals_breadth_first_search(
            rows in proptest::collection::vec(0u16..1024, 0..37),
            tall in any::<bool>(),
            piece in 0usize..7,
            dense in any::<bool>(),
            left in any::<bool>(),
        ) {
            let mut board = Board::new(10, if tall { MAX_ROWS } else { 20 });
            for (i, bits) in rows.iter().enumerate().take(board.height() - 3) {
                board.set_row(board.height() - 1 - i, if dense { *bits } else { bits & bits.rotate_left(5) });
            }
            let spawn = crate::game::nes::control::spawn_pose(Piece::from_index(piece));
            let hand = if left { Handedness::Left } else { Handedness::Right };
            let fast: BTreeSet<Pose> = Reach::flood_in(&board, spawn, hand).locks().collect();
            prop_assert_eq!(fast, slow_locks(&board, spawn, hand));
        }
    }

    #[test]
    fn an_empty_field_has_the_known_number_of_placements() {
        let placements = [34, 34, 17, 9, 17, 34, 17];
        for piece in Piece::ALL {
            let spawn = crate::game::nes::control::spawn_pose(piece);
            assert_eq!(lock_poses(&Board::default(), spawn).len(), placements[piece.index()], "{piece}");
        }
    }
}
