//! How the pieces of a game turn: which rotations each has, where each stands, and what is tried where it does not fit.

use super::orientation::{Orientation, Pose, Rotation};
use super::{Board, Piece};
use serde::{Deserialize, Serialize};

/// Columns and rows (downwards) by which a pose is moved.
pub type Shift = (i8, i8);

/// The most places that are tried for one turn.
pub const TESTS_MAX: usize = 8;

/// One turn of a piece.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Turn {
    /// The rotation that it leads to.
    pub to: Rotation,
    tests: [Shift; TESTS_MAX],
    count: usize,
}

impl Turn {
    /// Without a kick: the pivot stays, or moves by `shift`.
    const fn plain(to: Rotation, shift: Shift) -> Self {
        let mut tests = [(0, 0); TESTS_MAX];
        tests[0] = shift;
        Self { to, tests, count: 1 }
    }

    /// The places that are tried one after the other, as shifts of the pivot.
    pub fn tests(&self) -> &[Shift] {
        &self.tests[..self.count]
    }

    /// The place that is tried first.
    fn first(&self, pose: Pose) -> Pose {
        self.placed(pose, self.tests[0])
    }

    fn placed(&self, pose: Pose, (dx, dy): Shift) -> Pose {
        Pose { orientation: pose.orientation.rotated_to(self.to), ..pose.moved(dx, dy) }
    }
}

/// How the pieces of a game turn.
///
/// What a piece looks like in each rotation is geometry and the same everywhere ([`Orientation::cells`]); a system says where
/// it stands then, relative to where it stood, and what is tried if it does not fit there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RotationSystem {
    /// By piece, rotation, and whether it turns clockwise.
    turns: [[[Turn; 2]; Rotation::COUNT]; 7],
    /// See [`Self::lean`].
    leans: [Option<i8>; 7],
}

/// Where the pieces with two orientations (I, S, Z) stand upright: games without wall kicks come in both kinds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Handedness {
    /// In the column right of the middle, as on the NES ($88EE).
    #[default]
    Right,
    /// In the column left of it, as on the Game Boy.
    Left,
}

impl Handedness {
    /// Both.
    pub const ALL: [Self; 2] = [Self::Right, Self::Left];
}

/// The two systems without kicks.
static CLASSIC: [RotationSystem; 2] =
    [RotationSystem::without_kicks(Handedness::Right), RotationSystem::without_kicks(Handedness::Left)];

/// That of Standard Tetris.
static STANDARD: RotationSystem = RotationSystem::without_kicks(Handedness::Right).with_upright(Piece::I, (0, 1));
/// See [`RotationSystem::left_low`].
static LEFT_LOW: RotationSystem =
    RotationSystem::without_kicks(Handedness::Left).with_upright(Piece::S, (-1, 1)).with_upright(Piece::Z, (-1, 1));

impl RotationSystem {
    /// That of Standard Tetris: as [`Self::classic`], but an upright I reaches one row above its middle and two below it, so
    /// that every piece has room to turn when it has fallen by a row.
    pub fn standard() -> &'static Self {
        &STANDARD
    }

    /// That of LTris: left-handed, and an upright S or Z reaches two rows below its upper row, not one above it.
    pub fn left_low() -> &'static Self {
        &LEFT_LOW
    }

    /// That of the NES and its like: no kicks, O does not turn, I, S and Z have two rotations.
    pub fn classic(hand: Handedness) -> &'static Self {
        &CLASSIC[hand as usize]
    }

    const fn without_kicks(hand: Handedness) -> Self {
        let mut turns = [[[Turn::plain(Rotation::Up, (0, 0)); 2]; Rotation::COUNT]; 7];
        let lean = match hand {
            Handedness::Right => 0,
            Handedness::Left => -1,
        };
        let mut leans = [Some(0); 7];
        let mut piece = 0;
        while piece < 7 {
            if matches!(Piece::ALL[piece], Piece::I | Piece::S | Piece::Z) {
                leans[piece] = Some(lean);
            }
            let mut from = 0;
            while from < Rotation::COUNT {
                let rotation = Rotation::ALL[from];
                turns[piece][from] = match Piece::ALL[piece] {
                    Piece::O => [Turn::plain(rotation, (0, 0)); 2],
                    Piece::I | Piece::S | Piece::Z => {
                        [match rotation {
                            Rotation::Up | Rotation::Down => Turn::plain(Rotation::Right, (lean, 0)),
                            Rotation::Right | Rotation::Left => Turn::plain(Rotation::Up, (-lean, 0)),
                        }; 2]
                    }
                    Piece::T | Piece::J | Piece::L => {
                        [Turn::plain(rotation.turned(false), (0, 0)), Turn::plain(rotation.turned(true), (0, 0))]
                    }
                };
                from += 1;
            }
            piece += 1;
        }
        Self { turns, leans }
    }

    /// The same, but the pivot of this piece of two rotations moves so as it turns upright, and back.
    const fn with_upright(mut self, piece: Piece, (dx, dy): Shift) -> Self {
        let turns = &mut self.turns[piece as usize];
        let mut from = 0;
        while from < Rotation::COUNT {
            turns[from] = match Rotation::ALL[from] {
                Rotation::Up | Rotation::Down => [Turn::plain(Rotation::Right, (dx, dy)); 2],
                Rotation::Right | Rotation::Left => [Turn::plain(Rotation::Up, (-dx, -dy)); 2],
            };
            from += 1;
        }
        // It moves between rows as it turns.
        self.leans[piece as usize] = None;
        self
    }

    /// Of a piece that is never kicked: the columns by which its pivot moves when it turns from a flat rotation (the first and
    /// third) to an upright one, and back by as many; `None` of any other.
    pub fn lean(&self, piece: Piece) -> Option<i8> {
        self.leans[piece.index()]
    }

    /// The same, but this piece turns from one rotation to the next one by these tests, at most [`TESTS_MAX`]; further ones are
    /// not tried. The pivot is that of [`Orientation::cells`].
    #[must_use]
    pub fn with_turn(mut self, piece: Piece, from: Rotation, clockwise: bool, tests: &[Shift]) -> Self {
        let turn = &mut self.turns[piece.index()][from as usize][usize::from(clockwise)];
        turn.to = from.turned(clockwise);
        turn.count = tests.len().min(TESTS_MAX);
        turn.tests[..turn.count].copy_from_slice(&tests[..turn.count]);
        self.leans[piece.index()] = None;
        self
    }

    /// One without kicks: by [`Piece::index`] and rotation, where the pivot stands in a frame that stays as the piece turns.
    pub fn of_pivots(pivots: &[[Shift; Rotation::COUNT]; 7]) -> Self {
        let mut system = Self::classic(Handedness::Right).clone();
        for piece in Piece::ALL {
            system.set_pivots(piece, &pivots[piece.index()]);
        }
        system
    }

    fn set_pivots(&mut self, piece: Piece, pivots: &[Shift; Rotation::COUNT]) {
        // Where half a turn changes nothing, no more rotations are told apart than can be seen.
        let shapes = Orientation::shapes(piece).count();
        let is_plain = (0..Rotation::COUNT).all(|i| pivots[i] == pivots[i % shapes]);
        for from in Rotation::ALL {
            for clockwise in [true, false] {
                let next = from.turned(clockwise);
                let to = if is_plain { Rotation::ALL[next as usize % shapes] } else { next };
                let (here, there) = (pivots[from as usize], pivots[next as usize]);
                let turn = Turn::plain(to, (there.0 - here.0, there.1 - here.1));
                self.turns[piece.index()][from as usize][usize::from(clockwise)] = turn;
            }
        }
        let [flat, upright, flat_again, upright_again] = *pivots;
        let is_even = flat == flat_again && upright == upright_again && flat.1 == upright.1;
        self.leans[piece.index()] = is_even.then_some(upright.0 - flat.0);
    }

    /// A turn of a piece that stands in this rotation.
    pub fn turn(&self, orientation: Orientation, clockwise: bool) -> &Turn {
        &self.turns[orientation.piece().index()][orientation.rotation() as usize][usize::from(clockwise)]
    }

    /// Where a turn leads if nothing is in its way, whether or not something is.
    pub fn turned(&self, pose: Pose, clockwise: bool) -> Pose {
        self.turn(pose.orientation, clockwise).first(pose)
    }

    /// The same without kicks: a turn is made where it has room at once, and not otherwise.
    #[must_use]
    pub fn unkicked(&self) -> Self {
        let mut system = self.clone();
        system.turns.iter_mut().flatten().flatten().for_each(|turn| turn.count = turn.count.min(1));
        system
    }

    /// Where half a turn leads if nothing is in its way, whether or not something is: it is never kicked.
    pub fn half_turned(&self, pose: Pose) -> Pose {
        self.turned(self.turned(pose, true), true)
    }

    /// Where a turn leads on a board; `None` if the piece fits nowhere.
    pub fn turned_on(&self, board: &Board, pose: Pose, clockwise: bool) -> Option<Pose> {
        let turn = self.turn(pose.orientation, clockwise);
        turn.tests().iter().map(|&shift| turn.placed(pose, shift)).find(|turned| turned.fits(board))
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    #[test]
    fn left_handed_games_stand_two_fold_pieces_one_column_further_left() {
        let leftmost = |pose: Pose| pose.cells().map(|c| c.0).into_iter().min();
        let [right_handed, left_handed] = Handedness::ALL.map(RotationSystem::classic);
        for piece in Piece::ALL {
            let flat = Pose { x: 5, y: 2, orientation: Orientation::spawn(piece) };
            let [right, left] = [right_handed, left_handed].map(|system| system.turned(flat, true));
            let shifts = matches!(piece, Piece::I | Piece::S | Piece::Z);
            assert_eq!(leftmost(left), leftmost(right).map(|x| x - i8::from(shifts)), "{piece}");
            for clockwise in [true, false] {
                assert_eq!(left_handed.turned(left_handed.turned(left, clockwise), !clockwise), left);
            }
        }
    }

    #[test]
    fn the_console_turns_through_the_listings_orientations() {
        let system = RotationSystem::classic(Handedness::Right);
        // For each id, those that B and A lead to. $88EE.
        let table = "0301 0002 0103 0200 0705 0406 0507 0604 0909 0808 0A0A 0C0C 0B0B 100E 0D0F 0E10 0F0D 1212 1111";
        for (id, row) in table.split(' ').enumerate() {
            let pose = Pose { x: 4, y: 4, orientation: Orientation::from_id(id as u8).unwrap() };
            let turned = [false, true].map(|clockwise| system.turned(pose, clockwise));
            assert_eq!(turned.map(|t| format!("{:02X}", t.orientation.id())).concat(), row);
            assert!(turned.iter().all(|turned| (turned.x, turned.y) == (4, 4)));
        }
    }

    #[test]
    fn upright_pieces_of_ltris_cover_the_cells_that_its_masks_do() {
        // Columns and rows of its 4 × 4 masks, of which the pivot is (1, 1), of the I (2, 2).
        let system = RotationSystem::left_low();
        for (piece, pivot, mut upright) in [
            (Piece::S, (1, 1), [(0, 1), (0, 2), (1, 2), (1, 3)]),
            (Piece::Z, (1, 1), [(1, 1), (1, 2), (0, 2), (0, 3)]),
            (Piece::I, (2, 2), [(1, 0), (1, 1), (1, 2), (1, 3)]),
        ] {
            let flat = Pose { x: pivot.0, y: pivot.1, orientation: Orientation::spawn(piece) };
            for clockwise in [true, false] {
                let turned = system.turned(flat, clockwise);
                let mut cells = turned.cells();
                cells.sort_unstable();
                upright.sort_unstable();
                assert_eq!(cells, upright, "{piece}");
                assert_eq!(system.turned(turned, !clockwise), flat);
            }
        }
    }

    /// Where the pivots stand in a frame that does not turn, if a piece begins at (0, 0) there and turns clockwise.
    fn pivots_of(system: &RotationSystem) -> [[Shift; Rotation::COUNT]; 7] {
        Piece::ALL.map(|piece| {
            let mut pose = Pose { x: 0, y: 0, orientation: Orientation::of(piece, Rotation::Up) };
            Rotation::ALL.map(|_| {
                let pivot = (pose.x, pose.y);
                pose = system.turned(pose, true);
                pivot
            })
        })
    }

    #[test]
    fn a_system_is_told_by_where_its_pivots_stand() {
        // T, J and L turn through the circle in each of them, the pivot staying.
        for system in [
            RotationSystem::classic(Handedness::Right),
            RotationSystem::classic(Handedness::Left),
            RotationSystem::standard(),
            RotationSystem::left_low(),
        ] {
            let again = RotationSystem::of_pivots(&pivots_of(system));
            let board = Board::default();
            for piece in Piece::ALL {
                assert_eq!(again.lean(piece), system.lean(piece), "{piece}");
                for orientation in Orientation::shapes(piece) {
                    let pose = Pose { x: 5, y: 9, orientation };
                    for clockwise in [true, false] {
                        let [one, other] = [&again, system].map(|system| system.turned_on(&board, pose, clockwise));
                        assert_eq!(one, other, "{pose:?}");
                    }
                }
            }
        }
        // An I that steps down as it turns over: its third rotation looks like the first and is not where that was.
        let mut pivots = pivots_of(RotationSystem::classic(Handedness::Right));
        pivots[Piece::I.index()] = [(0, 0), (0, 1), (0, 1), (-1, 1)];
        let four = RotationSystem::of_pivots(&pivots);
        let start = Pose { x: 5, y: 9, orientation: Orientation::spawn(Piece::I) };
        let over = four.turned(four.turned(start, true), true);
        assert_eq!((over.x, over.y, over.orientation.rotation()), (5, 10, Rotation::Down));
        assert_eq!(four.turned(four.turned(over, true), true), start);
        assert_eq!(four.lean(Piece::I), None);
    }

    /// The guideline's kicks of the T: from Up and Down as from Left and Right, mirrored.
    pub fn kicked_t() -> RotationSystem {
        let from_up = [(0, 0), (-1, 0), (-1, -1), (0, 2), (-1, 2)];
        let mut system = RotationSystem::classic(Handedness::Right).clone();
        for (from, clockwise, side, back) in [
            (Rotation::Up, true, 1, 1),
            (Rotation::Up, false, -1, 1),
            (Rotation::Down, true, -1, 1),
            (Rotation::Down, false, 1, 1),
            (Rotation::Right, true, -1, -1),
            (Rotation::Right, false, -1, -1),
            (Rotation::Left, true, 1, -1),
            (Rotation::Left, false, 1, -1),
        ] {
            let tests = from_up.map(|(dx, dy)| (side * dx, back * dy));
            system = system.with_turn(Piece::T, from, clockwise, &tests);
        }
        system
    }

    #[test]
    fn a_t_is_kicked_two_rows_down_into_a_hole_that_it_cannot_fall_into() {
        // The known triple: from lying on the overhang into the shaft below it.
        let rows = ["##........", "#.........", "#.########", "#..#######", "#.########"];
        let mut board = Board::default();
        for (y, row) in rows.iter().enumerate() {
            row.bytes().enumerate().filter(|(_, cell)| *cell == b'#').for_each(|(x, _)| board.fill(x, 15 + y));
        }
        let up = Pose { x: 2, y: 16, orientation: Orientation::of(Piece::T, Rotation::Up) };
        assert!(up.fits(&board));
        let system = kicked_t();
        let turned = system.turned_on(&board, up, true).unwrap();
        assert_eq!(turned, Pose { x: 1, y: 18, orientation: Orientation::of(Piece::T, Rotation::Right) });
        assert_eq!(RotationSystem::classic(Handedness::Right).turned_on(&board, up, true), None);
    }
}
