//! The NES model against the shared vectors and against the published timings.

#![allow(clippy::unwrap_used, clippy::expect_used)]

use stackhand::game::Buttons;
use stackhand::game::nes::{Console, Event, Phase, vectors::Case};
use stackhand::game::{Board, Piece};
use std::path::Path;

#[test]
fn shared_vectors_agree_in_every_frame() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/vectors/nes-control.jsonl");
    let Ok(text) = std::fs::read_to_string(&path) else {
        return crate::skip::skipped("the console's control, frame by frame", &["../shared/vectors/nes-control.jsonl"]);
    };
    let mut cases = 0;
    for (number, line) in text.lines().enumerate() {
        let difference = Case::parse(line).unwrap().check().unwrap();
        assert_eq!(difference, None, "case {}", number + 1);
        cases += 1;
    }
    assert_eq!(cases, 400);
}

#[test]
fn own_vectors_agree_in_every_frame() {
    for line in include_str!("../fixtures/nes-control.jsonl").lines() {
        assert_eq!(Case::parse(line).unwrap().check().unwrap(), None);
    }
}

fn started(level: u8) -> Console {
    let mut console = Console::new(level, 300);
    assert!(matches!(console.frame(Buttons::START), Some(Event::Spawned(..))));
    console.frame(Buttons::NONE);
    console
}

/// Frames from lock to spawn with the falling piece's pivot at row `y` when it locks on `board`.
fn entry_delay(board: Board, expected_y: i8) -> u32 {
    let mut console = started(18);
    console.board = board;
    while !matches!(console.frame(Buttons::NONE), Some(Event::Locked(pose)) if pose.y == expected_y) {
        assert!(console.phase != Phase::Locking, "locked elsewhere: {:?}", console.control.pose);
    }
    (1..).find(|_| matches!(console.frame(Buttons::NONE), Some(Event::Spawned(..)))).unwrap()
}

fn pillar(top_row: usize) -> Board {
    let mut board = Board::default();
    (top_row..20).for_each(|y| (3..8).for_each(|x| board.fill(x, y)));
    board
}

#[test]
fn the_first_piece_hangs_96_frames_unless_down_is_pressed() {
    let mut console = started(18);
    let hang = (1..).find(|_| {
        console.frame(Buttons::NONE);
        console.control.pose.y > 0
    });
    // One frame was played in `started`; the row comes with the frame after the 96th.
    assert_eq!(hang, Some(96));
    let mut console = started(18);
    let hang = (1..).find(|_| {
        console.frame(Buttons::DOWN);
        console.control.pose.y > 0
    });
    assert!(hang.unwrap() <= 4);
}

#[test]
fn entry_delay_follows_the_height_of_the_lock() {
    let reach = |piece: Piece| match piece {
        Piece::I => 0,
        _ => 1,
    };
    let bottom = reach(started(18).control.pose.orientation.piece());
    for (floor, delay) in [(20, 10), (19, 10), (17, 12), (13, 14), (9, 16), (5, 18)] {
        let y = floor as i8 - 1 - bottom;
        let board = pillar(floor);
        let expected = match y {
            18.. => 10,
            14..=17 => 12,
            10..=13 => 14,
            6..=9 => 16,
            _ => 18,
        };
        assert_eq!(entry_delay(board, y), expected, "lock at row {y} (near {delay})");
    }
}

#[test]
fn a_line_clear_adds_17_to_20_frames() {
    let mut seen = std::collections::BTreeSet::new();
    for wait in 0..4 {
        let mut console = started(18);
        (0..wait).for_each(|_| assert_eq!(console.frame(Buttons::NONE), None));
        // A flat floor with a hole of the piece's own shape where it will land.
        let cells = console.control.pose.cells();
        let lowest = cells.iter().map(|c| c.1).max().unwrap();
        let mut board = Board::default();
        (0..10).for_each(|x| board.fill(x, 19));
        for (x, _) in cells.iter().filter(|c| c.1 == lowest) {
            board.clear(*x as usize, 19);
        }
        console.board = board;
        while !matches!(console.frame(Buttons::NONE), Some(Event::Locked(_))) {}
        let mut cleared = None;
        let spawn = (1..)
            .find(|_| match console.frame(Buttons::NONE) {
                Some(Event::Cleared(n)) => {
                    cleared = Some(n);
                    false
                }
                event => matches!(event, Some(Event::Spawned(..))),
            })
            .unwrap();
        assert_eq!(cleared, Some(1));
        seen.insert(spawn - 10);
    }
    assert!(seen.iter().all(|d| (17..=20).contains(d)), "{seen:?}");
}

#[test]
fn a_game_ends_with_the_curtain_and_start_leads_to_a_new_one() {
    let mut console = started(19);
    let mut locks = 0;
    loop {
        match console.frame(Buttons::NONE) {
            Some(Event::GameOver) => break,
            Some(Event::Locked(_)) => locks += 1,
            _ => {}
        }
        assert!(locks < 100);
    }
    (0..200).for_each(|_| assert_eq!(console.frame(Buttons::NONE), None));
    assert_eq!(console.curtain_rows, 20);
    console.frame(Buttons::START);
    assert_eq!(console.phase, Phase::Over);
    console.frame(Buttons::NONE);
    assert_eq!(console.phase, Phase::Menu);
    assert!(matches!(console.frame(Buttons::START), Some(Event::Spawned(..))));
    assert_eq!(console.board.count(), 0);
}
