//! T-spins and mini T-spins: the examples that the guideline names (seed 002:1989–2122; their drawings are lost, so these are the
//! pictures' titles on boards drawn here), and its exceptions.

use super::boards::{cells_of, facing, field, pose_on};
use stackhand::game::Piece;
use stackhand::game::guideline::{Action, Arrival, Spin, recognise, turn};

/// A T that starts on the cells `o`, facing so, and turns: the point used, and what its lock down is.
fn spin(from: &str, clockwise: bool, rows: &[&str]) -> (usize, Action) {
    let padded: Vec<&str> = std::iter::repeat_n("..........", 40 - rows.len()).chain(rows.iter().copied()).collect();
    let start = pose_on(Piece::T, facing(from), &cells_of(&padded, "o"));
    let lines: Vec<String> = rows.iter().map(|row| row.replace('o', ".")).collect();
    let mut board = field(&lines.iter().map(String::as_str).collect::<Vec<_>>());
    let (end, point, _) = turn(&board, start, clockwise).unwrap();
    assert!(!end.moved(0, 1).fits(&board), "it does not lie on anything");
    let spin = recognise(&board, end, Arrival::default().turned(point));
    end.stamp(&mut board);
    (point + 1, Action::of(board.clear_full_rows(), spin))
}

#[test]
fn t_spins_by_point_one() {
    // E–S, clockwise: none, one and two lines.
    assert_eq!(spin("east", true, &["....o#....", "###.oo.##.", "####o####."]), (1, Action::TSpin));
    assert_eq!(spin("east", true, &["....o#....", "###.oo####", "####o####."]), (1, Action::TSpinSingle));
    assert_eq!(spin("east", true, &["....o#....", "###.oo####", "####o#####"]), (1, Action::TSpinDouble));
    // S–W, clockwise.
    assert_eq!(spin("south", true, &["...#......", "...ooo....", "...#o#....", "....#....."]), (1, Action::TSpin));
}

#[test]
fn t_spins_by_point_five() {
    // N–E, clockwise, and N–W, counter-clockwise: none to three lines.
    for (open, action) in [
        ([true, true, true], Action::TSpin),
        ([true, true, false], Action::TSpinSingle),
        ([true, false, false], Action::TSpinDouble),
        ([false, false, false], Action::TSpinTriple),
    ] {
        let last = |is_open: bool| if is_open { '.' } else { '#' };
        let rows = [
            "##o.......".to_string(),
            "#ooo......".to_string(),
            format!("#.#######{}", last(open[0])),
            format!("#..######{}", last(open[1])),
            format!("#.#######{}", last(open[2])),
        ];
        let mirrored: Vec<String> = rows.iter().map(|row| row.chars().rev().collect()).collect();
        for (rows, clockwise) in [(rows.to_vec(), true), (mirrored, false)] {
            let rows: Vec<&str> = rows.iter().map(String::as_str).collect();
            assert_eq!(spin("north", clockwise, &rows), (5, action), "{rows:?}");
        }
    }
}

#[test]
fn mini_t_spins_by_point_two() {
    // N–E, clockwise: at the wall, beside blocks, and in a corner of both.
    assert_eq!(spin("north", true, &[".o........", "ooo.......", ".########."]), (2, Action::MiniTSpin));
    assert_eq!(spin("north", true, &["..#.o.....", "...ooo....", "###.####.."]), (2, Action::MiniTSpin));
    assert_eq!(spin("north", true, &["#.o.......", ".ooo......", "#.#######."]), (2, Action::MiniTSpin));
    assert_eq!(spin("north", true, &[".o........", "ooo.......", ".#########"]), (2, Action::MiniTSpinSingle));
    assert_eq!(spin("north", true, &["..#.o.....", "...ooo....", "###.######"]), (2, Action::MiniTSpinSingle));
}

#[test]
fn mini_t_spins_by_point_three() {
    // W–N, clockwise.
    assert_eq!(spin("west", true, &["....o.....", "..#oo#....", "##..o####.", "#########."]), (3, Action::MiniTSpin));
    assert_eq!(
        spin("west", true, &["....o.....", "..#oo#....", "##..o#####", "#########."]),
        (3, Action::MiniTSpinSingle)
    );
}

#[test]
fn point_five_makes_a_full_spin_of_what_would_be_a_mini_one_and_so_does_every_turn_after_it() {
    // seed 002:1980, 002:1987. Beside the nose only one cell is full.
    let rows = ["##o.......", "#ooo......", "#.#######.", "#..######.", "#..######."];
    assert_eq!(spin("north", true, &rows), (5, Action::TSpin));
    let board = field(&rows.map(|row| row.replace('o', ".")).iter().map(String::as_str).collect::<Vec<_>>());
    let pose = pose_on(Piece::T, facing("east"), &[(1, 37), (1, 38), (1, 39), (2, 38)]);
    let by = |by_point_five| recognise(&board, pose, Arrival { by_turn: true, by_point_five });
    assert_eq!((by(false), by(true)), (Spin::Mini, Spin::Full));
    assert_eq!(Arrival::default().turned(4).turned(0), Arrival { by_turn: true, by_point_five: true });
    assert_eq!(Arrival::default().turned(3).turned(0), Arrival { by_turn: true, by_point_five: false });
}

#[test]
fn what_is_not_turned_last_or_is_no_t_or_touches_less_is_no_spin() {
    // seed 002:1930.
    let board = field(&["....##....", "###...####", "####.#####"]);
    let pose = pose_on(Piece::T, facing("south"), &[(3, 38), (4, 38), (4, 39), (5, 38)]);
    assert_eq!(recognise(&board, pose, Arrival::default()), Spin::None);
    assert_eq!(recognise(&board, pose, Arrival { by_turn: true, by_point_five: false }), Spin::Full);
    let open = field(&["###...####", "####.#####"]);
    assert_eq!(recognise(&open, pose, Arrival { by_turn: true, by_point_five: true }), Spin::None);
    let l = pose_on(Piece::L, facing("south"), &[(3, 38), (3, 39), (4, 38), (5, 38)]);
    assert_eq!(recognise(&board, l, Arrival { by_turn: true, by_point_five: true }), Spin::None);
}
