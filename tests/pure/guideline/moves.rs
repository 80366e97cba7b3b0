//! The move generator against counts of other programs, and against a plain flood by poses.

use super::boards::field;
use stackhand::game::chance::Chance;
use stackhand::game::guideline::{self, Arrival, Spin, facing_north, recognise, super_rotation, turn};
use stackhand::game::movegen::{Field, Landing, Moves, Place, perft};
use stackhand::game::{Board, Handedness, Orientation, Piece, Pose, RotationSystem};
use std::collections::BTreeSet;

/// Each piece from row 19, counted from 0 at the floor, as in the published counts.
fn counted() -> Moves {
    Moves::new(super_rotation(), 40, |piece| facing_north(piece, 4, 20))
}

#[test]
fn as_many_ways_as_other_programs_count() {
    // shared/facts/ai.md: kicks of the super rotation system, spawn row 19, no half turns, positions counted once.
    let moves = counted();
    for (pieces, leaves) in [
        ("", 1),
        ("I", 17),
        ("IO", 153),
        ("IOL", 5_266),
        ("IOLJ", 188_374),
        ("IOLJS", 3_497_187),
        ("T", 34),
        ("TI", 600),
        ("TIO", 5_578),
        ("TIOL", 201_082),
        ("TIOLJ", 7_451_934),
        // High piles, where pieces are blocked as they appear; the figures reach this depth only here.
        ("IIIIII", 33_325_345),
    ] {
        let pieces: Vec<Piece> = pieces.chars().map(|letter| Piece::from_letter(letter).unwrap()).collect();
        assert_eq!(perft(&moves, &Field::default(), &pieces), leaves, "{pieces:?}");
    }
}

/// A pile of so many rows, each cell full or not by chance, and some columns open from above.
fn pile(random: &mut Chance, rows: usize, height: usize) -> Board {
    let mut board = Board::new(10, rows);
    let open = random.number() as u16 & random.number() as u16;
    for y in rows - height..rows {
        let bits = (random.number() | random.number()) as u16 & !open;
        board.set_row(y, if bits & board.full_row() == board.full_row() { bits & !1 } else { bits });
    }
    board
}

/// Everything that can be reached from a pose, with a state that says how.
fn flood<S: Copy + Ord>(start: (Pose, S), next: impl Fn((Pose, S)) -> Vec<(Pose, S)>) -> BTreeSet<(Pose, S)> {
    let (mut seen, mut open) = (BTreeSet::from([start]), vec![start]);
    while let Some(pose) = open.pop() {
        open.extend(next(pose).into_iter().filter(|pose| seen.insert(*pose)));
    }
    seen
}

fn is_landed(board: &Board, pose: Pose) -> bool {
    !pose.moved(0, 1).fits(board)
}

#[test]
fn every_system_reaches_what_a_flood_by_poses_reaches() {
    let systems = [
        ("guideline", super_rotation().clone(), 40),
        ("super", super_rotation().clone(), 40),
        ("right", RotationSystem::classic(Handedness::Right).clone(), 20),
        ("left", RotationSystem::classic(Handedness::Left).clone(), 20),
        ("standard", RotationSystem::standard().clone(), 20),
        ("left and low", RotationSystem::left_low().clone(), 20),
    ];
    let mut random = Chance(5);
    let mut with_caves = 0;
    for (name, system, rows) in systems {
        let spawn = |piece: Piece| match name {
            "guideline" => guideline::spawn_pose(piece),
            "super" => facing_north(piece, 4, 20),
            _ => Pose { x: 5, y: 0, orientation: Orientation::spawn(piece) },
        };
        let moves = if name == "guideline" { guideline::moves() } else { Moves::new(&system, rows, spawn) };
        for round in 0..600 {
            let board = pile(&mut random, rows, (round % 23).min(rows));
            let piece = Piece::from_index(round / 23);
            let turn = |pose: Pose, clockwise| system.turned_on(&board, pose, clockwise).map(|turned| (turned, ()));
            let step = |pose: Pose, (dx, dy)| Some((pose.moved(dx, dy), ())).filter(|(pose, ())| pose.fits(&board));
            let start = spawn(piece);
            let dropped = start.moved(0, 1);
            let begin = if name == "guideline" && dropped.fits(&board) { dropped } else { start };
            let reached = if start.fits(&board) {
                flood((begin, ()), |(pose, ())| {
                    let steps = [(-1, 0), (1, 0), (0, 1)].map(|by| step(pose, by));
                    steps.into_iter().chain([true, false].map(|way| turn(pose, way))).flatten().collect()
                })
            } else {
                BTreeSet::new()
            };
            let expected: BTreeSet<Pose> = reached
                .iter()
                .map(|(pose, ())| *pose)
                .filter(|pose| is_landed(&board, *pose))
                .map(Pose::shape)
                .collect();
            let places = moves.places(&Field::of(&board), piece);
            let found: BTreeSet<Pose> = places.iter().map(|place| place.pose(rows)).map(Pose::shape).collect();
            assert_eq!(found, expected, "{name} {piece} {board:?}");
            assert_eq!((places.len(), moves.count(&Field::of(&board), piece) as usize), (found.len(), found.len()));
            let is_open =
                |pose: &Pose| (0..).map(|up| pose.moved(0, -up)).take_while(|pose| pose.y >= 0).all(|p| p.fits(&board));
            with_caves += usize::from(!found.iter().all(is_open));
        }
    }
    // Otherwise nothing but drops would have been compared.
    assert!(with_caves > 300, "{with_caves}");
}

#[test]
fn spins_are_those_of_the_game() {
    let moves = guideline::moves();
    let mut random = Chance(8);
    let mut seen = BTreeSet::new();
    for round in 0..400 {
        let board = pile(&mut random, 40, round % 23);
        let appeared = guideline::spawn_pose(Piece::T);
        let start = Some(appeared.moved(0, 1)).filter(|pose| pose.fits(&board)).unwrap_or(appeared);
        let next = |(pose, (by_turn, by_point_five)): (Pose, (bool, bool))| {
            let steps = [(-1, 0), (1, 0), (0, 1)].map(|(dx, dy)| pose.moved(dx, dy));
            let mut all: Vec<_> =
                steps.into_iter().filter(|pose| pose.fits(&board)).map(|pose| (pose, (false, false))).collect();
            for clockwise in [true, false] {
                if let Some((turned, point, _)) = turn(&board, pose, clockwise) {
                    let arrival = Arrival { by_turn, by_point_five }.turned(point);
                    all.push((turned, (arrival.by_turn, arrival.by_point_five)));
                }
            }
            all
        };
        let reached = if appeared.fits(&board) { flood((start, (false, false)), next) } else { BTreeSet::new() };
        let expected: BTreeSet<(Pose, Spin)> = reached
            .into_iter()
            .filter(|(pose, _)| is_landed(&board, *pose))
            .map(|(pose, (by_turn, by_point_five))| (pose, recognise(&board, pose, Arrival { by_turn, by_point_five })))
            .collect();
        let landings = moves.landings(&Field::of(&board));
        let found: BTreeSet<(Pose, Spin)> =
            landings.iter().map(|Landing { place, spin }| (place.pose(40), *spin)).collect();
        assert_eq!(found, expected, "{board:?}");
        assert_eq!(landings.len(), found.len());
        seen.extend(found.into_iter().map(|(_, spin)| spin));
    }
    assert_eq!(seen.len(), 3);
}

#[test]
fn a_field_is_its_board() {
    let board = field(&["#.........", ".#########", "##########"]);
    let mut packed = Field::of(&board);
    assert_eq!(packed.height(), 3);
    for y in 0..40 {
        for x in 0..10 {
            assert_eq!(packed.is_full(x, 39 - y), board.is_full(x, y), "{x} {y}");
        }
    }
    assert_eq!(packed.clear_full_rows(), 1);
    assert_eq!(packed, Field::of(&field(&["#.........", ".#########"])));
    assert_eq!((Field::default().height(), Field::of(&Board::new(10, 40)).height()), (0, 0));
    let place = Place { orientation: Orientation::spawn(Piece::O), column: 3, row: 0 };
    assert_eq!((place.pose(40).x, place.pose(40).y), (3, 39));
}
