//! Every pose a piece can get to when time does not press: a flood fill over columns, rows and orientations, with
//! slides under overhangs and spins. One bit a column, so that a row of poses is one word.

use crate::game::board::{MAX_COLUMNS, MAX_ROWS};
use crate::game::orientation::{Pose, Rotation};
use crate::game::rotation::{RotationSystem, Turn};
use crate::game::{Board, Orientation, Piece};

/// Rows above the field in which a pivot may be.
const HIDDEN: usize = 2;
/// Rows a pivot can be in.
const ROWS: usize = MAX_ROWS + HIDDEN;
/// The most orientations a piece has.
const TURNS: usize = Rotation::COUNT;
/// Bits a lane.
const LANE: u32 = 16;

/// Where one piece can lock on one board.
#[derive(Debug, Clone)]
pub struct Reach {
    /// By lane: a shape, and the column of its first bit.
    shapes: [(Orientation, i8); TURNS],
    /// The lanes that are used, in their order.
    order: &'static [u32],
    /// The first row of pivots that was looked at, and the end of these rows.
    rows: std::ops::Range<usize>,
    /// By the pivot's row, a bit a column, 16 bits a lane.
    resting: [u64; ROWS],
}

impl Reach {
    /// Floods from `spawn` in a game that turns pieces so; empty if the piece does not fit there.
    pub fn flood(board: &Board, spawn: Pose, rotation: &RotationSystem) -> Self {
        let lean = rotation.lean(spawn.orientation.piece()).filter(|_| board.width() <= Words::MAX_WIDTH);
        match lean {
            Some(lean) => Words::of(board, spawn.orientation.shape(), lean).flood(spawn),
            None => Kicked::flood(board, spawn, rotation).resting(),
        }
    }

    /// Every reachable pose from which the piece cannot fall, where it can lock; once for rotations that look the same.
    pub fn locks(&self) -> impl Iterator<Item = Pose> + '_ {
        self.order.iter().flat_map(move |&lane| {
            let (orientation, first) = self.shapes[lane as usize];
            self.rows.clone().flat_map(move |row| {
                let columns = bits(u32::from((self.resting[row] >> (lane * LANE)) as u16));
                columns.map(move |bit| Pose { x: bit as i8 + first, y: row as i8 - HIDDEN as i8, orientation })
            })
        })
    }
}

/// Where a piece fits that is never kicked: all columns of all four rotations of a row are one word.
///
/// Lane 0 is the rotation at the start, the others follow clockwise. Pieces with two shapes have each twice, so that turning is
/// rotating the word for every piece; the piece O has one lane and nothing to turn into.
struct Words {
    shapes: [(Orientation, i8); TURNS],
    /// The lanes that do not repeat others, in the order in which turns lead to them.
    order: &'static [u32],
    height: usize,
    fits: [u64; ROWS + 1],
}

impl Words {
    /// Empty columns left of the field in the picture that the fits are read from: cells reach two columns to the left.
    const MARGIN: u32 = 2;
    /// The widest board: its columns and the margin are one lane.
    const MAX_WIDTH: usize = (LANE - Self::MARGIN) as usize;

    #[inline(always)]
    fn of(board: &Board, start: Orientation, lean: i8) -> Self {
        let order: &[u32] = match Orientation::shapes(start.piece()).count() {
            1 => &[0],
            2 => &[0, 1],
            _ => &[0, 1, 3, 2],
        };
        let mut shapes = [(start, 0); TURNS];
        for lane in 1..TURNS {
            let (before, column) = shapes[lane - 1];
            let turned = before.rotated_to(before.rotation().turned(true)).shape();
            // Flat and upright in turn.
            let leans = if (before.rotation() as usize).is_multiple_of(2) { lean } else { -lean };
            shapes[lane] = (turned, column + leans);
        }
        let height = board.height() + HIDDEN;
        let empty = Self::empty_cells(board);
        let mut columns = [[0u16; ROWS]; TURNS];
        for &lane in order {
            let lane = lane as usize;
            let (orientation, column) = shapes[lane];
            Self::fitting(&empty, orientation, column, &mut columns[lane][..height]);
        }
        if order.len() == 2 {
            (columns[2], columns[3]) = (columns[0], columns[1]);
        }
        let mut fits = [0; ROWS + 1];
        for (row, fits) in fits.iter_mut().enumerate().take(height) {
            *fits = (0..TURNS).rev().fold(0, |word, lane| word << LANE | u64::from(columns[lane][row]));
        }
        Self { shapes, order, height, fits }
    }

    /// The board's empty cells with walls around, by row from as far above the hidden ones as no cell of a piece leaves the array;
    /// bit = column + [`Self::MARGIN`].
    #[inline(always)]
    fn empty_cells(board: &Board) -> [u16; ABOVE + ROWS + 2] {
        let inside = board.full_row();
        let mut empty = [0; _];
        empty[ABOVE..ABOVE + HIDDEN].fill(inside << Self::MARGIN);
        for (word, &full) in empty[ABOVE + HIDDEN..].iter_mut().zip(board.rows()) {
            *word = (inside & !full) << Self::MARGIN;
        }
        empty
    }

    /// The places in which a shape fits, by the pivot's row; the first bit is this column.
    fn fitting(empty: &[u16; ABOVE + ROWS + 2], shape: Orientation, column: i8, fits: &mut [u16]) {
        fits.fill(u16::MAX);
        for &(dx, dy) in shape.cells() {
            let shift = (Self::MARGIN as i8 + column + dx) as u32;
            let first = (ABOVE as i8 + dy) as usize;
            for (fits, empty) in fits.iter_mut().zip(&empty[first..]) {
                *fits &= empty >> shift;
            }
        }
    }

    /// Nothing moves up: a row is done when no slide and no turn adds a pose.
    #[inline(always)]
    fn flood(&self, spawn: Pose) -> Reach {
        let first = usize::try_from(spawn.y + HIDDEN as i8).unwrap_or(self.height).min(self.height);
        let column = u32::try_from(spawn.x).ok().filter(|&x| x < LANE);
        let mut here = column.map_or(0, |x| 1 << x);
        if self.order.len() == 2 {
            here |= here << (2 * LANE);
        }
        here &= self.fits[first];
        let (mut row, mut resting) = (first, [0; ROWS]);
        while here != 0 {
            let fits = self.fits[row];
            loop {
                let slid = (here | here << 1 | here >> 1) & fits;
                let wider = slid | (slid.rotate_left(LANE) | slid.rotate_right(LANE)) & fits;
                if wider == here {
                    break;
                }
                here = wider;
            }
            let below = self.fits[row + 1];
            resting[row] = here & !below;
            here &= below;
            row += 1;
        }
        Reach { shapes: self.shapes, order: self.order, rows: first..row, resting }
    }
}

/// A flood for pieces that are kicked: up, too.
struct Kicked {
    spins: Spins,
    height: usize,
    fits: [[u32; ROWS + 1]; TURNS],
    reached: [[u32; ROWS]; TURNS],
}

/// Keeps column −1 and column `width` apart from the field's own: bit = column + 1.
const SHIFT: usize = 1;

impl Kicked {
    fn flood(board: &Board, spawn: Pose, rotation: &RotationSystem) -> Self {
        let mut flood = Self {
            spins: Spins::of(spawn.orientation, rotation),
            height: board.height() + HIDDEN,
            fits: [[0; ROWS + 1]; TURNS],
            reached: [[0; ROWS]; TURNS],
        };
        let columns = Columns::of(board);
        for (fits, &orientation) in flood.fits.iter_mut().zip(flood.spins.orientations()) {
            columns.fitting(orientation, &mut fits[..flood.height]);
        }
        let start = 1u32 << (spawn.x as usize + SHIFT);
        let row = (spawn.y + HIDDEN as i8) as usize;
        flood.reached[0][row] = start & flood.fits[0][row];
        flood.spread();
        flood
    }

    /// Where it can lock, a lane for each shape.
    fn resting(&self) -> Reach {
        const LANES: [u32; TURNS] = [0, 1, 2, 3];
        let (mut shapes, mut resting, mut count) = ([(self.spins.orientations[0], 0); TURNS], [0; ROWS], 0);
        for (place, shape) in self.spins.shapes() {
            shapes[count] = (shape, 0);
            for (row, resting) in resting.iter_mut().enumerate().take(self.height) {
                let alike = self.spins.alike(shape).fold(0, |all, place| all | self.reached[place][row]);
                *resting |= u64::from(alike & !self.fits[place][row + 1]) >> SHIFT << (LANES[count] * LANE);
            }
            count += 1;
        }
        Reach { shapes, order: LANES.get(..count).unwrap_or(&LANES), rows: 0..self.height, resting }
    }

    /// Rows from the top; a row is done when no move within it adds a pose. Only kicks move up: then it begins again.
    fn spread(&mut self) {
        while (0..self.height).fold(false, |rose, row| self.spread_from(row) | rose) {}
    }

    /// All that can be done in a row, and the falls to the next one; whether a pose was added further up.
    fn spread_from(&mut self, row: usize) -> bool {
        let (count, mut rose) = (self.spins.count, false);
        loop {
            let before: [u32; TURNS] = std::array::from_fn(|place| self.reached[place][row]);
            for place in 0..count {
                self.slide(place, row);
            }
            if count > 1 {
                rose |= self.spin(row);
            }
            if (0..count).all(|place| self.reached[place][row] == before[place]) {
                break;
            }
        }
        if row + 1 < self.height {
            for place in 0..count {
                self.reached[place][row + 1] |= self.reached[place][row] & self.fits[place][row + 1];
            }
        }
        rose
    }

    fn slide(&mut self, place: usize, row: usize) {
        self.reached[place][row] = run_of(self.reached[place][row], self.fits[place][row]);
    }

    /// Turns all poses of a row; whether a kick added one further up.
    fn spin(&mut self, row: usize) -> bool {
        let mut rose = false;
        for from in 0..self.spins.count {
            for (to, turn) in self.spins.turns[from] {
                let mut left = self.reached[from][row];
                for &(dx, dy) in turn.tests() {
                    let Some(target) = row.checked_add_signed(dy.into()).filter(|&target| target < self.height) else {
                        continue;
                    };
                    let turned = shifted(left, dx) & self.fits[to][target];
                    rose |= dy < 0 && turned & !self.reached[to][target] != 0;
                    self.reached[to][target] |= turned;
                    left &= !shifted(turned, -dx);
                    if left == 0 {
                        break;
                    }
                }
            }
        }
        rose
    }
}

/// Poses moved by columns.
fn shifted(poses: u32, columns: i8) -> u32 {
    if columns < 0 { poses >> -columns } else { poses << columns }
}

/// The orientations that turning a piece leads to, and from which to which.
#[derive(Debug, Clone)]
struct Spins {
    orientations: [Orientation; TURNS],
    count: usize,
    /// By the orientation's place: the places that both turns lead to.
    turns: [[(usize, Turn); 2]; TURNS],
}

impl Spins {
    /// From the first orientation on, clockwise.
    fn of(first: Orientation, rotation: &RotationSystem) -> Self {
        let nothing = (0, *rotation.turn(first, true));
        let mut spins = Self { orientations: [first; TURNS], count: 1, turns: [[nothing; 2]; TURNS] };
        let mut place = 0;
        while place < spins.count {
            let from = spins.orientations[place];
            spins.turns[place] = [true, false].map(|clockwise| {
                let turn = rotation.turn(from, clockwise);
                (spins.place_of(from.rotated_to(turn.to)), *turn)
            });
            place += 1;
        }
        spins
    }

    /// The place of an orientation, which it gets if it has none yet.
    fn place_of(&mut self, orientation: Orientation) -> usize {
        self.orientations().iter().position(|&known| known == orientation).unwrap_or_else(|| {
            self.orientations[self.count] = orientation;
            self.count += 1;
            self.count - 1
        })
    }

    fn orientations(&self) -> &[Orientation] {
        &self.orientations[..self.count]
    }

    /// Each shape once, with the place of an orientation that has it.
    fn shapes(&self) -> impl Iterator<Item = (usize, Orientation)> + '_ {
        let shapes = self.orientations().iter().map(|orientation| orientation.shape()).enumerate();
        shapes.filter(|&(place, shape)| self.alike(shape).next() == Some(place))
    }

    /// The places of the orientations that look so.
    fn alike(&self, shape: Orientation) -> impl Iterator<Item = usize> + '_ {
        (0..self.count).filter(move |&place| self.orientations[place].shape() == shape)
    }
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

/// Where a piece can lock that is turned and moved above the field and then falls straight down, all of it inside the field.
/// The simplified game of the literature.
pub fn dropped_locks(board: &Board, piece: Piece) -> impl Iterator<Item = Pose> + '_ {
    let tops = tops(board);
    let width = board.width() as i8;
    Orientation::shapes(piece).flat_map(move |orientation| {
        let cells = orientation.cells();
        let (left, right) = cells.iter().fold((0, 0), |(left, right), &(dx, _)| (dx.min(left), dx.max(right)));
        let highest = cells.iter().fold(0, |highest, &(_, dy)| dy.min(highest));
        let dropped = (-left..width - right).map(move |x| {
            let rests_at = |&(dx, dy): &(i8, i8)| tops[(x + dx) as usize] - 1 - dy;
            Pose { x, y: cells.iter().map(rests_at).min().unwrap_or(0), orientation }
        });
        dropped.filter(move |pose| pose.y + highest >= 0)
    })
}

/// Where a piece can lock in Standard Tetris, C. P. Fahey's game: it appears within the field, falls as far as it must to be
/// turned counter-clockwise without leaving it, is then moved, and drops straight down. Nothing if it does not fit at `spawn`.
pub fn standard_locks(board: &Board, spawn: Pose, rotation: &RotationSystem) -> Vec<Pose> {
    let fits = |pose: &Pose| pose.fits(board) && pose.cells().iter().all(|&(_, y)| y >= 0);
    let dropped = |pose: Pose| while_fits(pose, (0, 1), fits).last();
    let mut locks = Vec::with_capacity(4 * MAX_COLUMNS);
    // What slides in comes down first.
    let mut turned = Some(spawn.moved(0, spawn.rows_above() as i8)).filter(fits);
    for _ in Orientation::shapes(spawn.orientation.piece()) {
        let Some(pose) = turned else { break };
        let (left, right) = (while_fits(pose, (-1, 0), fits), while_fits(pose, (1, 0), fits).skip(1));
        locks.extend(left.chain(right).filter_map(dropped).map(Pose::shape));
        turned = while_fits(pose, (0, 1), fits).map(|fallen| rotation.turned(fallen, false)).find(fits);
    }
    locks
}

/// A pose, and where it comes to step by step as long as it fits there.
fn while_fits(pose: Pose, (dx, dy): (i8, i8), fits: impl Fn(&Pose) -> bool) -> impl Iterator<Item = Pose> {
    std::iter::successors(Some(pose).filter(&fits), move |pose| Some(pose.moved(dx, dy)).filter(&fits))
}

/// The row of each column's highest full cell; the number of rows where there is none.
fn tops(board: &Board) -> [i8; MAX_COLUMNS] {
    let mut tops = [board.height() as i8; MAX_COLUMNS];
    let mut covered = 0;
    for (y, &row) in board.rows().iter().enumerate() {
        bits(u32::from(row & !covered)).for_each(|x| tops[x] = y as i8);
        covered |= row;
    }
    tops
}

/// Where a piece can lock that is moved and dropped, but not turned. Nothing moves up, so each row is done when its
/// free runs are.
pub fn unturned_locks(board: &Board, from: Pose) -> Vec<Pose> {
    let height = board.height() + HIDDEN;
    let mut fits = [0u32; ROWS + 1];
    Columns::of(board).fitting(from.orientation, &mut fits[..height]);
    let (Ok(x), Ok(y)) = (usize::try_from(from.x + SHIFT as i8), usize::try_from(from.y + HIDDEN as i8)) else {
        return Vec::new();
    };
    let (mut locks, mut here) = (Vec::with_capacity(2 * MAX_COLUMNS), 1u32 << x);
    for row in y..height {
        here = run_of(here & fits[row], fits[row]);
        let pose = |bit| Pose { x: bit as i8 - SHIFT as i8, y: row as i8 - HIDDEN as i8, ..from };
        locks.extend(bits(here & !fits[row + 1]).map(pose));
        here &= fits[row + 1];
    }
    locks
}

/// These poses of a row, and all to which they can slide where it is free.
fn run_of(mut here: u32, free: u32) -> u32 {
    loop {
        let wider = (here | here << 1 | here >> 1) & free;
        if wider == here {
            return here;
        }
        here = wider;
    }
}

/// Every resting pose of a piece on a board, reachable or not: where a piece may be found after the fact.
pub fn resting_poses(board: &Board, piece: Piece) -> impl Iterator<Item = Pose> + '_ {
    Orientation::shapes(piece).flat_map(move |orientation| {
        let rows = -2..board.height() as i8;
        let poses = rows.flat_map(move |y| (0..board.width() as i8).map(move |x| Pose { x, y, orientation }));
        poses.filter(move |pose| pose.fits(board) && !pose.moved(0, 1).fits(board))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::Handedness;
    use crate::game::rotation::tests::kicked_t;
    use crate::game::rules::Move;
    use proptest::prelude::*;
    use std::collections::{BTreeSet, VecDeque};

    /// S, Z and I stand elsewhere after half a turn, and are kicked up, down and aside.
    fn four_fold(mut system: RotationSystem) -> RotationSystem {
        for piece in [Piece::S, Piece::Z, Piece::I] {
            for (from, (dx, dy)) in Rotation::ALL.into_iter().zip([(0, 0), (-1, 0), (0, -1), (1, 1)]) {
                let kicks = [(dx, dy), (dx - 1, dy), (dx + 2, dy), (dx, dy - 2), (dx + 1, dy + 1)];
                system = system.with_turn(piece, from, true, &kicks);
                system = system.with_turn(piece, from, false, &kicks[1..]);
            }
        }
        system
    }

    fn slow_locks(board: &Board, spawn: Pose, rotation: &RotationSystem) -> BTreeSet<Pose> {
        let (mut seen, mut queue) = (BTreeSet::new(), VecDeque::new());
        if spawn.fits(board) {
            seen.insert(spawn);
            queue.push_back(spawn);
        }
        let mut locks = BTreeSet::new();
        while let Some(pose) = queue.pop_front() {
            if !pose.moved(0, 1).fits(board) {
                locks.insert(pose.shape());
            }
            for next in Move::COMMON.into_iter().filter_map(|step| step.applied_on(board, pose, rotation)) {
                if seen.insert(next) {
                    queue.push_back(next);
                }
            }
        }
        locks
    }

    proptest! {
        #[test]
        fn flood_equals_breadth_first_search(
            rows in proptest::collection::vec(any::<u16>(), 0..37),
            tall in any::<bool>(),
            piece in 0usize..7,
            dense in any::<bool>(),
            system in 0usize..3,
            width in 8usize..=MAX_COLUMNS,
        ) {
            let mut board = Board::new(width, if tall { MAX_ROWS } else { 20 });
            for (i, bits) in rows.iter().enumerate().take(board.height() - 3) {
                board.set_row(board.height() - 1 - i, if dense { *bits } else { bits & bits.rotate_left(5) });
            }
            let spawn = crate::game::nes::control::spawn_pose(Piece::from_index(piece));
            let rotation = match system {
                0 => RotationSystem::classic(Handedness::Left),
                1 => RotationSystem::classic(Handedness::Right),
                _ => &four_fold(kicked_t()),
            };
            let fast: Vec<Pose> = Reach::flood(&board, spawn, rotation).locks().collect();
            prop_assert_eq!(fast.len(), fast.iter().collect::<BTreeSet<_>>().len());
            prop_assert_eq!(fast.into_iter().collect::<BTreeSet<_>>(), slow_locks(&board, spawn, rotation));
        }
    }

    proptest! {
        #[test]
        fn what_is_dropped_falls_as_far_as_it_can_through_empty_cells(
            rows in proptest::collection::vec(0u16..1024, 0..18),
            piece in 0usize..7,
        ) {
            let mut board = Board::default();
            rows.iter().enumerate().for_each(|(i, bits)| board.set_row(19 - i, *bits));
            let piece = Piece::from_index(piece);
            let slow = Orientation::shapes(piece).flat_map(|orientation| {
                (0..10).filter_map(move |x| {
                    let fits = |y: i8| {
                        let cells = Pose { x, y, orientation }.cells();
                        cells.iter().all(|&(x, y)| (0..10).contains(&x) && y < 20 && (y < 0 || !board.is_full(x as usize, y as usize)))
                    };
                    let y = (-4..20).take_while(|&y| fits(y)).last()?;
                    Some(Pose { x, y, orientation }).filter(|pose| pose.cells().iter().all(|&(_, y)| y >= 0))
                })
            });
            let slow: BTreeSet<Pose> = slow.collect();
            prop_assert_eq!(dropped_locks(&board, piece).collect::<BTreeSet<_>>(), slow);
        }
    }

    #[test]
    fn a_standard_piece_stays_within_the_field_and_is_turned_only_after_it_has_fallen() {
        let rotation = RotationSystem::classic(Handedness::Right);
        let locks =
            |board: &Board, piece| standard_locks(board, crate::game::nes::control::spawn_pose(piece), rotation);
        let mut box_of_ten = Board::new(10, 10);
        for piece in Piece::ALL {
            // Where nothing is in the way, it can do what one can that is turned above the field.
            let all: BTreeSet<Pose> = locks(&box_of_ten, piece).into_iter().collect();
            let above: BTreeSet<Pose> = dropped_locks(&box_of_ten, piece).map(Pose::shape).collect();
            assert_eq!(all, above, "{piece}");
        }
        // With a pile up to the third row it cannot be turned, and no piece passes a wall.
        (2..10).for_each(|y| box_of_ten.set_row(y, 0b01_1111_1111));
        assert!(
            locks(&box_of_ten, Piece::T).iter().all(|pose| pose.orientation == Orientation::spawn(Piece::T).shape())
        );
        (0..2).for_each(|y| box_of_ten.fill(8, y));
        assert!(locks(&box_of_ten, Piece::O).iter().all(|pose| pose.cells().iter().all(|&(x, y)| x < 8 && y < 2)));
        box_of_ten.fill(5, 0);
        assert!(Piece::ALL.into_iter().all(|piece| locks(&box_of_ten, piece).is_empty()));
    }

    #[test]
    fn an_empty_field_has_the_known_number_of_placements() {
        let placements = [34, 34, 17, 9, 17, 34, 17];
        for piece in Piece::ALL {
            let spawn = crate::game::nes::control::spawn_pose(piece);
            let rotation = RotationSystem::classic(Handedness::Right);
            assert_eq!(
                Reach::flood(&Board::default(), spawn, rotation).locks().count(),
                placements[piece.index()],
                "{piece}"
            );
        }
    }
}
