//! How pieces stand and turn in one game, as far as a search without time needs it.

use crate::game::orientation::Pose;
use crate::game::orientation::Rotation;
use crate::game::{Board, Orientation, Piece, RotationSystem};

/// A game's pieces: where each appears, and how it turns.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Movement {
    spawn: [Pose; 7],
    /// How many rows above that it is when it appears, and less of it can be seen.
    rows_above: [u8; 7],
    /// Each appears in any of its rotations.
    is_turned: bool,
    rotation: RotationSystem,
}

impl Movement {
    /// The movement of pieces that appear in these cells (by [`Piece::index`]; column and row); `None` if one appears in a
    /// shape that is none of its own.
    pub fn new(cells: [Vec<(usize, usize)>; 7], rotation: RotationSystem) -> Option<Self> {
        let mut spawn = [Pose { x: 0, y: 0, orientation: Orientation::spawn(Piece::T) }; 7];
        for piece in Piece::ALL {
            spawn[piece.index()] = pose_of(piece, &cells[piece.index()])?;
        }
        Some(Self { spawn, rows_above: [0; 7], is_turned: false, rotation })
    }

    /// From now on pieces turn so.
    pub fn turn_by(&mut self, rotation: &RotationSystem) {
        self.rotation = rotation.clone();
    }

    /// From now on this piece appears so many rows higher.
    pub fn raise(&mut self, piece: Piece, rows: u8) {
        let spawn = &mut self.spawn[piece.index()];
        *spawn = spawn.moved(0, -(rows as i8));
    }

    /// The piece appears so many rows above where it is when all of it is seen first, which is what counts as its place.
    pub fn begin_above(&mut self, piece: Piece, rows: u8) {
        self.rows_above[piece.index()] = rows;
    }

    /// Where a piece that does not appear in the place that counts is at first.
    pub fn begins_above(&self, piece: Piece) -> Option<Pose> {
        let rows = self.rows_above[piece.index()];
        (rows > 0).then(|| self.spawn(piece).moved(0, -(rows as i8)))
    }

    /// Pieces appear in any of their rotations, and nobody knows which it will be.
    pub fn appear_turned(&mut self, is_turned: bool) {
        self.is_turned = is_turned;
    }

    /// Whether they do.
    pub fn appears_turned(&self) -> bool {
        self.is_turned
    }

    /// Where a piece is that appears in this rotation: with its topmost cells in the row of those that it has in its usual one.
    pub fn spawn_turned(&self, piece: Piece, rotation: Rotation) -> Pose {
        let usual = self.spawn(piece);
        self.lifted(Pose { orientation: usual.orientation.rotated_to(rotation), ..usual })
    }

    /// Where a piece appeared that was first seen in this pose: in its place, or where it may appear in any rotation, in this one
    /// and these columns.
    pub fn spawn_of(&self, seen: Pose) -> Pose {
        if self.is_turned { self.lifted(seen) } else { self.spawn(seen.orientation.piece()) }
    }

    /// A piece in this rotation and these columns, as high as it appears.
    fn lifted(&self, pose: Pose) -> Pose {
        let top = |pose: Pose| pose.cells().into_iter().map(|(_, y)| y).min().unwrap_or(pose.y);
        pose.moved(0, top(self.spawn(pose.orientation.piece())) - top(pose))
    }

    /// How pieces turn.
    pub fn rotation(&self) -> &RotationSystem {
        &self.rotation
    }

    /// The uppermost rows, in which pieces appear.
    pub fn spawn_rows(&self) -> usize {
        let lowest = self.spawn.iter().flat_map(|pose| pose.cells()).map(|cell| cell.1).max();
        lowest.map_or(0, |lowest| (lowest + 1).max(0) as usize)
    }

    /// The cells of a board of this size in which pieces appear.
    pub fn spawn_cells(&self, columns: usize, rows: usize) -> Board {
        let mut cells = Board::new(columns, rows);
        for (x, y) in self.spawn.iter().flat_map(|pose| pose.cells()) {
            if let (Ok(x), Ok(y)) = (usize::try_from(x), usize::try_from(y)) {
                cells.fill(x, y);
            }
        }
        cells
    }

    /// Where the piece appears.
    pub fn spawn(&self, piece: Piece) -> Pose {
        self.spawn[piece.index()]
    }
}

/// The pose in which a piece covers exactly these cells, whatever its orientation.
pub fn pose_of(piece: Piece, cells: &[(usize, usize)]) -> Option<Pose> {
    let mut wanted: Vec<(i8, i8)> = cells.iter().map(|&(x, y)| (x as i8, y as i8)).collect();
    wanted.sort_unstable();
    let &first = wanted.first()?;
    let spawn_first = std::iter::once(Orientation::spawn(piece));
    spawn_first.chain(Orientation::shapes(piece)).find_map(|orientation| {
        let mut cells = *orientation.cells();
        cells.sort_unstable();
        let pose = Pose { x: first.0 - cells[0].0, y: first.1 - cells[0].1, orientation };
        let mut covered = pose.cells();
        covered.sort_unstable();
        (covered[..] == wanted[..]).then_some(pose)
    })
}

/// The board after a piece locks at `pose`, and how many rows that clears.
pub fn place(board: &Board, pose: Pose) -> (Board, usize) {
    let mut after = *board;
    pose.stamp(&mut after);
    // Most placements clear nothing, and looking is quicker than moving each row to where it is.
    let lines = if after.has_full_row() { after.clear_full_rows() } else { 0 };
    (after, lines)
}
