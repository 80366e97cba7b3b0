//! The mode for two players that sleeps in the cartridge; rules by their addresses.

#![allow(clippy::unwrap_used, clippy::expect_used)]

use stackhand::game::nes::console::Screen;
use stackhand::game::nes::movie::Movie;
use stackhand::game::nes::{Choice, Console, Event, GameType, Phase, Players, Setup};
use stackhand::game::{Board, Buttons, Piece};
use stackhand::twin::picture::{Picture, WIDTH_PX, draw_two};
use stackhand::twin::table::view;

const NONE: [Buttons; 2] = [Buttons::NONE; 2];

fn setup() -> Setup {
    Setup { players: Players::Two, ..Setup::default() }
}

/// A game of two in its first frame.
fn started(choice: Choice) -> Console {
    started_after(choice, 0)
}

/// The same after a wait in the menus, on which the pieces depend.
fn started_after(choice: Choice, wait: u32) -> Console {
    let (mut console, _) = Console::walked(setup(), choice, wait);
    console.frame(Buttons::START);
    while console.phase == Phase::Menu {
        console.frame_of_two(NONE);
    }
    console
}

fn second(console: &Console) -> Console {
    console.second_player().unwrap()
}

/// The first player's lowest rows lack what the piece fills that falls there, so that Down clears `rows` rows.
fn ready_to_clear(console: &mut Console, rows: usize) {
    let cells = console.control.pose.cells();
    let mut board = Board::default();
    for (x, y) in (0..10).flat_map(|x| (20 - rows..20).map(move |y| (x, y))) {
        if !cells.iter().any(|cell| cell.0 == x as i8) {
            board.fill(x, y);
        }
    }
    console.board = board;
}

/// Plays on with these pads until it is so.
fn until(console: &mut Console, pads: [Buttons; 2], is_so: impl Fn(&Console) -> bool) -> u32 {
    (1..20_000)
        .find(|_| {
            console.frame_of_two(pads);
            is_so(console)
        })
        .expect("it never came to that")
}

#[test]
fn both_begin_with_the_same_piece_and_steer_with_pads_of_their_own() {
    let mut console = started(Choice { level: 5, ..Choice::default() });
    let other = second(&console);
    assert_eq!(console.control.pose, other.control.pose);
    assert_eq!((console.counters.level, other.counters.level), (5, 0), "the level menu asks the first player only");
    // The piece that both have is counted once.
    assert_eq!(console.statistics.iter().sum::<u16>(), 1);
    console.frame_of_two([Buttons::LEFT, Buttons::RIGHT]);
    assert_eq!((console.control.pose.x, second(&console).control.pose.x), (4, 6));
    let random = console.random;
    console.frame_of_two([Buttons::NONE, Buttons::START]);
    assert_eq!(console.phase, Phase::Falling, "the second Start is not looked at");
    console.frame_of_two([Buttons::START, Buttons::NONE]);
    assert_eq!(console.phase, Phase::Paused);
    let at = second(&console).control;
    for _ in 0..50 {
        console.frame_of_two([Buttons::NONE, Buttons::LEFT]);
    }
    assert_eq!(second(&console).control, at, "both stand still");
    assert_ne!(console.random, random);
}

#[test]
fn pieces_wait_for_28_frames_and_for_each_other_988e() {
    let mut console = started(Choice::default());
    // Both lock at once: the first player's turn comes first.
    until(&mut console, [Buttons::DOWN; 2], |c| c.phase == Phase::Spawning);
    let both = [console.phase, second(&console).phase];
    assert_eq!(both, [Phase::Spawning; 2]);
    let (next, statistics) = (console.next, console.statistics);
    let first = until(&mut console, NONE, |c| c.phase == Phase::Falling);
    assert_eq!(second(&console).phase, Phase::Spawning);
    assert_eq!(console.control.pose.orientation.piece(), next);
    let coming = console.next;
    let other = until(&mut console, NONE, |c| second(c).phase == Phase::Falling);
    assert_eq!(second(&console).control.pose.orientation.piece(), coming, "one next box for both");
    // The second one's turn came in the frame in which the first one's piece appeared.
    assert_eq!(other, 27);
    assert!((27..=36).contains(&first), "{first}");
    assert_eq!(console.statistics.iter().sum::<u16>(), statistics.iter().sum::<u16>() + 2, "counted together");
}

/// Rows cleared by the first player, and what the second one then finds in the field.
fn sent(rows: usize) -> (u8, Board) {
    let mut console = started(Choice::default());
    // An upright I completes up to four rows, any other piece fewer; it is put into the hand.
    console.control = stackhand::game::Control::spawn(Piece::I, 0, Buttons::NONE);
    console.frame_of_two([Buttons::A, Buttons::NONE]);
    console.frame_of_two(NONE);
    ready_to_clear(&mut console, rows);
    until(&mut console, [Buttons::DOWN, Buttons::NONE], |c| c.phase == Phase::Clearing);
    let pending = second(&console).pending_garbage();
    assert_eq!(console.pending_garbage(), 0);
    until(&mut console, [Buttons::NONE, Buttons::DOWN], |c| second(c).phase == Phase::Spawning);
    (pending, second(&console).board)
}

#[test]
fn rows_send_0_0_1_2_4_with_one_gap_9b53_9b03() {
    let mut gaps = Vec::new();
    for (rows, expected) in [(1, 0), (2, 1), (3, 2), (4, 4)] {
        let (pending, board) = sent(rows);
        assert_eq!(pending, expected, "{rows} rows");
        let garbage = &board.rows()[20 - usize::from(expected)..];
        assert!(garbage.iter().all(|row| row.count_ones() == 9), "{board:?}");
        gaps.extend_from_slice(garbage);
        // The piece that locked meanwhile has been lifted with the rest of the pile.
        assert_eq!(board.count(), 4 + 9 * u32::from(expected));
    }
    assert!(gaps.iter().all(|gap| *gap == gaps[0]), "the gap is drawn in the level menu, for a whole game");
}

#[test]
fn a_piece_that_locks_beside_garbage_clears_it_gap_and_all_9a91() {
    let mut console = under_garbage();
    assert_eq!(second(&console).board.count(), 4 + 36);
    until(&mut console, [Buttons::NONE, Buttons::DOWN], |c| second(c).phase == Phase::Clearing);
    // The piece came to rest on the garbage, so that one row of that was near enough.
    assert_eq!(second(&console).completed_lines, 1);
    assert_eq!(second(&console).board.count(), 8 + 27);
}

#[test]
fn while_the_second_players_rows_vanish_the_game_goes_at_half_speed_813b() {
    let mut console = started(Choice::default());
    let falls = |console: &mut Console| {
        let before = console.control.fall_timer;
        console.frame_of_two(NONE);
        console.frame_of_two(NONE);
        console.control.fall_timer - before
    };
    console.frame_of_two([Buttons::DOWN, Buttons::NONE]);
    console.frame_of_two(NONE);
    assert_eq!(falls(&mut console), 2);
    console = clearing_second();
    assert_eq!(second(&console).phase, Phase::Clearing);
    assert_eq!(falls(&mut console), 1);
}

/// The second player's field has four rows of garbage with a piece on them, and the next piece is about to come down left of
/// that, its centre in its lowest row: rows are looked through down to one below the centre.
fn under_garbage() -> Console {
    (0..50).find_map(under_garbage_after).expect("no such piece came")
}

fn under_garbage_after(wait: u32) -> Option<Console> {
    let mut console = started_after(Choice::default(), wait);
    console.control = stackhand::game::Control::spawn(Piece::I, 0, Buttons::NONE);
    console.frame_of_two([Buttons::A, Buttons::NONE]);
    console.frame_of_two(NONE);
    ready_to_clear(&mut console, 4);
    until(&mut console, [Buttons::DOWN, Buttons::NONE], |c| c.phase == Phase::Clearing);
    until(&mut console, [Buttons::NONE, Buttons::DOWN], |c| second(c).phase == Phase::Spawning);
    until(&mut console, NONE, |c| second(c).phase == Phase::Falling);
    until(&mut console, [Buttons::NONE, Buttons::LEFT], |c| second(c).control.pose.x <= 2);
    let turns = match second(&console).control.pose.orientation.piece() {
        Piece::T | Piece::J | Piece::L => 2,
        Piece::I => 0,
        _ => return None,
    };
    for _ in 0..turns {
        console.frame_of_two([Buttons::NONE, Buttons::A]);
        console.frame_of_two(NONE);
    }
    console.frame_of_two(NONE);
    Some(console)
}

/// The second player clears garbage while the first one's piece falls.
fn clearing_second() -> Console {
    let mut console = under_garbage();
    until(&mut console, [Buttons::NONE, Buttons::DOWN], |c| second(c).phase == Phase::Clearing);
    console
}

#[test]
fn whoever_loses_resets_the_console_9a4b() {
    let mut console = started(Choice::default());
    let mut is_over = false;
    let frames = (0..60_000).find(|i| {
        // The second player's pile reaches the top.
        let down = if i % 20 == 0 { Buttons::NONE } else { Buttons::DOWN };
        console.frame_of_two([Buttons::NONE, down]);
        is_over |= console.second_event() == Some(Event::GameOver);
        console.phase == Phase::Menu
    });
    assert!(frames.is_some() && is_over);
    assert_eq!((console.menu.screen, console.frame.0), (Screen::Boot, 0));
    assert!(console.has_two_players());
}

#[test]
fn a_b_type_game_gives_both_the_same_garbage_the_second_player_of_height_0() {
    let console = started(Choice { game_type: GameType::B, height: 5, ..Choice::default() });
    let other = second(&console);
    assert_eq!((console.counters.lines, other.counters.lines), (25, 25));
    assert!(console.board.count() > 30 && other.board.count() == 0);
}

#[test]
fn movies_hold_two_pads_and_say_that_two_play() {
    let text = "version 3\nport0 1\nport1 1\ncomment stackhand players 2\n|0|R.......|.L.....A||\n";
    let movie = Movie::parse(text.as_bytes()).unwrap();
    assert_eq!(movie.setup.players, Players::Two);
    assert_eq!([movie.frames[0].held, movie.frames[0].second], [Buttons::RIGHT, Buttons::LEFT | Buttons::A]);
    assert!(movie.to_text().contains("port1 1\n") && movie.to_text().ends_with("|0|R.......|.L.....A||\n"));
    let broken = text.replace(".L.....A", ".L");
    assert!(
        Movie::parse(broken.as_bytes()).unwrap_err().to_string().contains("the second pad must have eight letters")
    );
    let device = text.replace("port1 1", "port1 2");
    assert!(Movie::parse(device.as_bytes()).unwrap_err().to_string().contains("another device than a pad in port 1"));
    let console = movie.play(|_, _, _| Ok::<_, ()>(())).unwrap();
    assert!(console.has_two_players());
}

#[test]
fn the_picture_has_both_fields_and_the_next_piece_in_the_second() {
    let console = started(Choice::default());
    let mut picture = Picture::new();
    draw_two([&view(&console), &view(&second(&console))], &mut picture);
    let lit = |left: usize, top: usize, width: usize, height: usize| {
        let rows = (top..top + height).flat_map(|y| (left..left + width).map(move |x| y * WIDTH_PX + x));
        rows.filter(|&at| picture.pixels()[at] != 0x0F).count()
    };
    let [one, two] = [32, 144].map(|left| lit(left, 48, 80, 16));
    assert!(one > 100 && one == two, "{one}, {two}");
    assert_eq!(lit(32, 100, 80, 60), 0);
    assert!(lit(192, 112, 32, 32) > 100);
}
