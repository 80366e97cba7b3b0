//! The seven situations around the skyline (seed 002:2136–2160).

use super::boards::{begun, field, game_of, tap};
use stackhand::game::guideline::{End, Event, GENERATION_US, Keys, SKYLINE, Settings, spawn_pose};
use stackhand::game::{Board, Piece};

/// The columns in which pieces appear, filled up to this height.
fn tower(rows: usize) -> Vec<&'static str> {
    vec!["...####..."; rows]
}

#[test]
fn a_piece_may_lock_below_the_skyline_or_peek_over_it() {
    // 1 and 2.
    for (height, above) in [(17, 0), (18, 0), (19, 1)] {
        let mut game = begun("T", &tower(height), Settings::default());
        tap(&mut game, Keys::HARD_DROP);
        assert_eq!(game.end(), None, "height {height}");
        let rows_above = (0..SKYLINE).filter(|y| game.board().row(*y) != 0).count();
        assert_eq!(rows_above, above, "height {height}");
    }
}

#[test]
fn a_piece_may_move_above_the_skyline() {
    // 3.
    let mut game = begun("T", &tower(20), Settings::default());
    assert_eq!(game.falling(), Some(spawn_pose(Piece::T)));
    let before = game.falling().unwrap();
    tap(&mut game, Keys::LEFT);
    assert_eq!(game.falling(), Some(before.moved(-1, 0)));
    tap(&mut game, Keys::CLOCKWISE);
    assert_ne!(game.falling(), Some(before.moved(-1, 0)));
    // Beside the tower it falls below the skyline.
    (0..4).for_each(|_| drop(tap(&mut game, Keys::LEFT)));
    tap(&mut game, Keys::HARD_DROP);
    assert_eq!(game.end(), None);
}

#[test]
fn a_piece_that_locks_wholly_above_the_skyline_ends_the_game() {
    // 6, seed 002:2156.
    let mut game = begun("T", &tower(20), Settings::default());
    let events = tap(&mut game, Keys::HARD_DROP);
    assert!(matches!(events[..], [Event::Locked { .. }, Event::Ended(End::LockOut)]), "{events:?}");
    assert_eq!((game.end(), game.falling()), (Some(End::LockOut), None));
    assert_eq!(game.advance(Keys::HARD_DROP, 10_000_000), []);
}

#[test]
fn a_piece_that_has_no_room_to_appear_ends_the_game() {
    // 7, seed 002:2158: one cell of the next piece is enough, at once, after a lock down, and after a hold.
    let mut at_once = game_of("T", &["...#......"; 21], Settings::default());
    assert_eq!(at_once.advance(Keys::NONE, 0), [Event::Ended(End::BlockOut)]);
    // Below the second row of a T that points up there is room on its left.
    let mut beside = game_of("T", &[&["#........."][..], &["#........."; 21][..]].concat(), Settings::default());
    assert_eq!(beside.advance(Keys::NONE, 0), [Event::Appeared(Piece::T)]);
    let mut later = begun("OT", &tower(19), Settings::default());
    tap(&mut later, Keys::HARD_DROP);
    assert_eq!(later.end(), None);
    assert_eq!(later.advance(Keys::NONE, GENERATION_US), [Event::Ended(End::BlockOut)]);
    // An I fits where only row 21 is open; the T that is held for it does not.
    let rows = [&["...#.#...."][..], &[".........."][..], &["...####..."; 20][..]].concat();
    let mut held = begun("IT", &rows, Settings::default());
    assert_eq!(tap(&mut held, Keys::HOLD), [Event::Held(Piece::I), Event::Appeared(Piece::T)]);
    let rows = [&["....#....."][..], &[".........."][..], &["...####..."; 20][..]].concat();
    let mut held = begun("IT", &rows, Settings::default());
    assert_eq!(tap(&mut held, Keys::HOLD), [Event::Held(Piece::I), Event::Ended(End::BlockOut)]);
}

#[test]
fn rows_of_others_may_force_blocks_above_the_skyline_but_not_out_of_the_buffer_zone() {
    // 4 and 5, seed 002:2148–2153.
    let column = |rows: usize| vec!["#........."; rows];
    for (height, received, end) in [(15, 10, None), (30, 10, None), (30, 11, Some(End::TopOut))] {
        let mut game = begun("O", &column(height), Settings::default());
        game.receive(received);
        tap(&mut game, Keys::HARD_DROP);
        assert_eq!(game.end(), end, "{height} {received}");
        if end.is_none() {
            assert!(game.board().is_full(0, 40 - height - received as usize));
        }
    }
}

#[test]
fn a_game_can_begin_with_blocks() {
    // seed 002:637. Boards of other sizes give their lowest rows.
    let small = Board::parse(&["#...", "##.."]).unwrap();
    let game = stackhand::game::guideline::Game::on(small, Settings::default(), 1);
    assert_eq!(*game.board(), field(&["#.........", "##........"]));
}
