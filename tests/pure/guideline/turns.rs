//! Every turn at every point, as pictures; and what the guideline says of the points in words.

use super::boards::{cells_of, facing, field, pose_on, sorted};
use stackhand::game::guideline::{POINTS, spawn_pose, super_rotation, turn};
use stackhand::game::{Board, Orientation, Piece, Pose, Rotation};

#[test]
fn every_point_of_every_turn_leads_to_where_its_picture_says() {
    let text = include_str!("../../fixtures/guideline-turns.txt");
    let blocks =
        text.split("\n\n").map(|block| block.lines().filter(|line| !line.starts_with('#')).collect::<Vec<_>>());
    let (mut turns, mut shown) = (0, 0);
    for block in blocks.filter(|block| !block.is_empty()) {
        let [piece, from, way] = block[0].split(' ').collect::<Vec<_>>()[..] else { panic!("{}", block[0]) };
        let (piece, from) = (Piece::from_letter(piece.chars().next().unwrap()).unwrap(), facing(from));
        let columns: Vec<Vec<&str>> = block[1..].iter().map(|line| line.split("  ").collect()).collect();
        turns += 1;
        for point in 0..POINTS {
            let picture: Vec<&str> = columns.iter().map(|line| line[point]).collect();
            if picture[0].starts_with('-') {
                continue;
            }
            shown += 1;
            let lines: Vec<String> = picture
                .iter()
                .map(|row| row.chars().map(|cell| if cell == '#' { '#' } else { '.' }).collect())
                .collect();
            let board = Board::parse(&lines).unwrap();
            let start = pose_on(piece, from, &cells_of(&picture, "o@"));
            let (end, found, _) = turn(&board, start, way == "clockwise").unwrap();
            assert_eq!((found + 1, sorted(end)), (point + 1, cells_of(&picture, "x@")), "{}", block[0]);
            assert_eq!(end.orientation.rotation(), from.turned(way == "clockwise"));
        }
    }
    // Six pieces, four facings, two ways; four of the pictures cannot be.
    assert_eq!((turns, shown), (48, 48 * POINTS - 4));
}

#[test]
fn if_no_point_fits_nothing_turns() {
    // seed 002:2573.
    let shaft = ["####.#####"; 8];
    let board = field(&shaft);
    let upright = Pose { x: 4, y: 36, orientation: Orientation::of(Piece::I, Rotation::Right) };
    assert!(upright.fits(&board));
    assert_eq!([true, false].map(|clockwise| turn(&board, upright, clockwise)), [None, None]);
}

#[test]
fn an_o_stays_where_it_is() {
    // seed 002:2649.
    let board = field(&[]);
    let pose = spawn_pose(Piece::O);
    for clockwise in [true, false] {
        assert_eq!(turn(&board, pose, clockwise), Some((pose, 0, 0)));
        assert_eq!(super_rotation().turned(pose, clockwise), pose);
    }
}

#[test]
fn off_a_wall_point_two_is_used_and_of_an_i_two_or_three() {
    // seed 002:2632, 002:2639: an upright piece at either wall turns both ways.
    let board = field(&[]);
    for piece in Piece::ALL.into_iter().filter(|piece| *piece != Piece::O) {
        for (rotation, at_left) in [(Rotation::Right, true), (Rotation::Left, false)] {
            let orientation = Orientation::of(piece, rotation);
            let all = (0..10).map(|x| Pose { x, y: 30, orientation }).filter(|pose| pose.fits(&board));
            let mut at_wall = if at_left { all.min() } else { all.max() }.unwrap();
            at_wall.orientation = orientation;
            for clockwise in [true, false] {
                let (turned, point, _) = turn(&board, at_wall, clockwise).unwrap();
                let expected: &[usize] = if piece == Piece::I { &[1, 2] } else { &[1] };
                assert!(expected.contains(&point) || piece == Piece::I && point == 0, "{piece} {rotation:?} {point}");
                assert!(turned.cells().iter().any(|(x, _)| *x == if at_left { 0 } else { 9 }), "{piece}");
            }
        }
    }
}

#[test]
fn the_guidelines_own_example_of_a_point() {
    // seed 002:2624–2628: an S facing east at the left wall turns off it by point 2, both ways.
    let board = field(&[]);
    let east = Pose { x: 0, y: 30, orientation: Orientation::of(Piece::S, Rotation::Right) };
    for clockwise in [true, false] {
        let (turned, point, down) = turn(&board, east, clockwise).unwrap();
        assert_eq!((point, down), (1, 0));
        assert_eq!(turned.cells().iter().map(|(x, _)| *x).min(), Some(0));
    }
}

#[test]
fn off_the_floor_the_piece_goes_up() {
    // seed 002:2614, 002:2633: a flat piece on the floor turns upright.
    let board = field(&[]);
    for piece in [Piece::T, Piece::J, Piece::L, Piece::S, Piece::Z] {
        let flat = spawn_pose(piece);
        let fallen = (0..40).map(|rows| flat.moved(0, rows)).rfind(|pose| pose.fits(&board)).unwrap();
        for clockwise in [true, false] {
            let (turned, point, down) = turn(&board, fallen, clockwise).unwrap();
            assert_eq!((point, down), (2, -1), "{piece}");
            assert_eq!(turned.cells().iter().map(|(_, y)| *y).max(), Some(39), "{piece}");
        }
    }
}

#[test]
fn pieces_appear_where_the_guideline_puts_them() {
    // seed 002:736–742 and 002:2425–2434, columns from 1 and rows from the floor, from 1.
    for (piece, columns, rows) in [
        (Piece::T, 4..=6, 21..=22),
        (Piece::J, 4..=6, 21..=22),
        (Piece::L, 4..=6, 21..=22),
        (Piece::S, 4..=6, 21..=22),
        (Piece::Z, 4..=6, 21..=22),
        (Piece::I, 4..=7, 21..=21),
        (Piece::O, 5..=6, 21..=22),
    ] {
        let cells = spawn_pose(piece).cells();
        let (x, y) = (cells.map(|(x, _)| x + 1), cells.map(|(_, y)| 40 - y));
        let range = |all: [i8; 4]| *all.iter().min().unwrap()..=*all.iter().max().unwrap();
        assert_eq!((range(x), range(y)), (columns, rows), "{piece}");
        assert!(cells.contains(&(4, 19)), "{piece}: its centre is at column 5, row 21");
    }
}
