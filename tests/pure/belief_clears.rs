//! Rows on their way out, and the curtain that ends a game, as the belief takes them.

#![allow(clippy::unwrap_used, clippy::expect_used)]

use super::belief_scene::{Scene, pile};
use stackhand::belief::{Event, Surprise};
use stackhand::game::Piece;
use stackhand::game::movement::pose_of;
use stackhand::message::{ScreenState, Sighting};
use stackhand::time::HostTime;

#[test]
fn a_line_clear_is_explained_and_counted() {
    let mut scene = Scene::with_piece(Piece::I, &["######...."]);
    scene.next = Sighting::Piece(Piece::J, 1.0);
    // The row vanishes step by step, with and without a piece to be seen.
    for steps in ["##########", "####..####", "###....###", "#........#"] {
        assert_eq!(scene.show(None, &[steps]), []);
    }
    let events = scene.show(Some(Piece::T), &[]);
    assert!(matches!(events[0], Event::Locked(l) if l.lines == 1 && l.pose.y == 19), "{events:?}");
    assert!(events.contains(&Event::Surprise(
        Surprise::OtherPiece { expected: Piece::I, piece: Piece::T },
        HostTime::from_ms(33.0 * 9.0)
    )));
    assert_eq!(scene.belief.counters().lines, 1);
}

/// As in the BSD games' tetris from above, elsewhere from below; each is gone for half a second before the next one goes.
#[test]
fn rows_may_go_one_after_another_before_the_next_piece_comes() {
    let pile = ["#.........", "#########.", "#########.", "##........", "#########."];
    let from_above: [&[&str]; 5] = [
        &["#.........", "##########", "##########", "##.......#", "##########"],
        &["#.........", "..........", "##########", "##.......#", "##########"],
        &["#.........", "##########", "##.......#", "##########"],
        &["#.........", "##.......#", "##########"],
        &["#.........", "##.......#", ".........."],
    ];
    let from_below: [&[&str]; 5] = [
        &["#.........", "##########", "##########", "##.......#", "##########"],
        &["#.........", "##########", "##########", "##.......#", ".........."],
        &["#.........", "##########", "##########", "##.......#"],
        &["#.........", "##########", "##.......#"],
        &["#.........", "..........", "##.......#"],
    ];
    for pictures in [from_above, from_below] {
        // A gap in the row between them keeps it.
        let mut scene = Scene::with_piece(Piece::I, &pile);
        scene.next = Sighting::Piece(Piece::J, 1.0);
        for shown in pictures {
            (0..15).for_each(|_| assert_eq!(scene.show(None, shown), [], "{shown:?}"));
        }
        let left = ["#.........", "##.......#"];
        let events: Vec<Event> = (0..3).flat_map(|_| scene.show(Some(Piece::J), &left)).collect();
        assert!(matches!(events[0], Event::Locked(l) if l.lines == 3), "{events:?}");
        assert_eq!(*scene.belief.pile(), self::pile(&left));
    }
}

#[test]
fn a_curtain_ends_the_game_and_an_empty_field_begins_the_next() {
    let mut scene = Scene::with_piece(Piece::O, &["####......"]);
    let mut rows = scene.rows(None, &["####......"]);
    rows[..6].fill("##########".into());
    let events: Vec<Event> = (0..8).flat_map(|_| scene.look(&rows, None)).collect();
    assert!(matches!(events[..], [Event::GameOver { .. }]), "{events:?}");
    let events: Vec<Event> = (0..3).flat_map(|_| scene.show(Some(Piece::Z), &[])).collect();
    assert!(matches!(events[..], [Event::Spawned(s)] if s.first_of_game), "{events:?}");
}

#[test]
fn a_curtain_with_an_unreadable_cell_is_no_pile_and_the_next_game_is_seen() {
    let ended = || {
        let mut scene = Scene::with_piece(Piece::O, &["####......"]);
        scene.next = Sighting::Piece(Piece::S, 1.0);
        (0..4).for_each(|_| drop(scene.show(Some(Piece::I), &["....##....", "######...."])));
        let curtain = vec!["##########".to_string(); 20];
        (0..8).for_each(|_| drop(scene.look(&curtain, None)));
        assert!(scene.belief.is_game_over());
        scene
    };
    // A curtain that is read whole, one of which a cell is open, and one of which a cell seems empty.
    for cell in ["#", "?", "."] {
        let mut scene = ended();
        let row = format!("####{cell}#####");
        let mut curtain = vec!["##########".to_string(); 20];
        curtain[1] = row;
        let still: Vec<Event> = (0..40).flat_map(|_| scene.look_at(&curtain, None, ScreenState::GameOver)).collect();
        assert!(still.is_empty(), "{still:?}");
        (0..30).for_each(|_| drop(scene.look_at(&curtain, None, ScreenState::Menu)));
        let events: Vec<Event> = (0..3).flat_map(|_| scene.show(Some(Piece::S), &[])).collect();
        assert!(matches!(events[..], [Event::Spawned(s)] if s.first_of_game), "{cell}: {events:?}");
    }
}

/// The first rows of a curtain are no rows that are being cleared, and no other piece.
#[test]
fn a_curtain_that_begins_to_fall_over_a_piece_without_room_ends_the_game_and_nothing_has_locked() {
    // A Z would complete two rows in the well, if it got there.
    let tower = [
        "....#.#...",
        "....###...",
        ".....##...",
        "....####..",
        "..######..",
        "...#####..",
        "...#.#.#..",
        "..#######.",
    ];
    let well = [&["..#######.", "..########", "..########", "..########"][..], &[".#########"; 6]].concat();
    let before = [&["....#....."], &tower[..], &well].concat();
    let mut scene = Scene::new();
    scene.next = Sighting::Piece(Piece::Z, 1.0);
    let rows = scene.rows(Some(Piece::T), &before);
    (0..4).for_each(|_| drop(scene.look(&rows, Some(Piece::T))));
    scene.belief.intend(scene.movement.spawn(Piece::T));
    scene.next = Sighting::Piece(Piece::I, 1.0);
    // It appears over the T.
    let shown = [&["....###...", "....###..."], &tower[..], &well].concat();
    let shown = scene.rows(None, &shown);
    let events: Vec<Event> = (0..3).flat_map(|_| scene.look(&shown, None)).collect();
    assert!(matches!(events[..], [Event::Locked(_), Event::Spawned(s)] if s.piece == Piece::Z), "{events:?}");
    (0..30).for_each(|_| assert_eq!(scene.look(&shown, None), []));
    let mut events = Vec::new();
    for row in 0..6 {
        // The shutter sees a row for a part of an exposure first.
        for seen in ["????######", "##########"] {
            let mut curtain = shown.clone();
            curtain[..row].fill("##########".into());
            curtain[row] = seen.into();
            events.extend(scene.look(&curtain, None));
        }
    }
    assert!(matches!(events[..], [Event::GameOver { .. }]), "{events:?}");
}

#[test]
fn a_top_that_mostly_cannot_be_read_is_no_curtain() {
    let mut scene = Scene::with_piece(Piece::O, &["####......"]);
    let mut rows = scene.rows(None, &["####......"]);
    rows[..4].fill("######????".into());
    let mut covered = rows.clone();
    covered[..4].fill("####??????".into());
    let events: Vec<Event> = (0..12).flat_map(|_| scene.look(&covered, None)).collect();
    assert!(!events.iter().any(|event| matches!(event, Event::GameOver { .. })), "{events:?}");
    let events: Vec<Event> = (0..4).flat_map(|_| scene.look(&rows, None)).collect();
    assert!(events.iter().any(|event| matches!(event, Event::GameOver { .. })), "{events:?}");
}

#[test]
fn the_flash_of_a_four_is_no_curtain() {
    let four = ["##........", "#########.", "#########.", "#########.", "#########."];
    let scene = Scene::with_piece(Piece::I, &four);
    // The I stands in the gap; the rows are cleared from their middle on.
    let cleared = ["##########", "####..####", "##......##", ".........."];
    let dark = cleared.map(|row| scene.rows(None, &["##........", row, row, row, row]));
    let lit = vec!["##########".to_string(); 20];
    // Some games light up their field with it. The shutter shares the lit frames out to one picture, or to two in a row.
    for (lit_pictures, of) in [(1, 2), (2, 3), (2, 4)] {
        let mut scene = scene.clone();
        let flash = (0..12).map(|i| if i % of < lit_pictures { &lit } else { &dark[i / 3] });
        let meanwhile: Vec<Event> = flash.flat_map(|rows| scene.look_at(rows, None, ScreenState::LineClear)).collect();
        assert!(!meanwhile.iter().any(|event| matches!(event, Event::GameOver { .. })), "{meanwhile:?}");
        assert!(!scene.belief.is_game_over());
        let events: Vec<Event> = (0..2).flat_map(|_| scene.show(Some(Piece::I), &["##........"])).collect();
        assert!(matches!(events[0], Event::Locked(l) if l.piece == Piece::I && l.lines == 4), "{events:?}");
        assert_eq!(scene.belief.counters().lines, 4);
        // So it does not for ever where the clock jumps back.
        let mut earlier = Scene { picture: 0, ..scene.clone() };
        let events: Vec<Event> = (0..4).flat_map(|_| earlier.look(&lit, None)).collect();
        assert!(events.iter().any(|event| matches!(event, Event::GameOver { .. })), "{events:?}");
        // Where rows were cleared lately, a curtain that stays ends the game all the same.
        let events: Vec<Event> = (0..14).flat_map(|_| scene.look(&lit, None)).collect();
        assert!(events.iter().any(|event| matches!(event, Event::GameOver { .. })), "{events:?}");
    }
}

/// In the light of the flash little is read of the pile, and what stands out on it may be of the next piece's shape.
#[test]
fn no_piece_is_seen_in_a_pile_that_has_yet_to_come_down() {
    let top = ["........#.", "........##", "....###.##", "...#######", "...#######", "..########", "..########"];
    let gap = ["..#####.##", ".#########", ".#########"];
    let floor = "#######.##";
    let before = [&top[..], &gap, &[".#########"; 4], &[floor]].concat();
    let mut scene = Scene::new();
    scene.next = Sighting::Piece(Piece::J, 1.0);
    let rows = scene.rows(Some(Piece::I), &before);
    (0..4).for_each(|_| drop(scene.look(&rows, Some(Piece::I))));
    let meant = pose_of(Piece::I, &[(0, 15), (0, 16), (0, 17), (0, 18)]).unwrap();
    scene.belief.intend(meant);
    let cleared = ["##########", "####..####", "###....###", "##......##", "#........#", ".........."];
    let mut events = Vec::new();
    for row in cleared {
        let dark = [&top[..], &gap, &[row; 4], &[floor]].concat();
        let lit_top =
            ["........#.", "........##", "....###.##", "...,,,####", "...,######", "..,,######", "..#,#,####"];
        let lit_gap = ["..#,,##.##", ".#,,,#####", ".#,,,,####"];
        let lit = [&lit_top[..], &lit_gap, &[row; 4], &["#,###.,#,#"]].concat();
        for pile in [&dark, &dark, &lit] {
            let rows = scene.rows(None, pile);
            events.extend(scene.look_at(&rows, None, ScreenState::LineClear));
        }
    }
    let after = [&top[..], &gap, &[floor]].concat();
    events.extend(scene.show(None, &after));
    assert_eq!(events, [], "nothing is told while the rows go");
    scene.next = Sighting::Piece(Piece::O, 1.0);
    let events: Vec<Event> = (0..3).flat_map(|_| scene.show(Some(Piece::J), &after)).collect();
    let is_meant = |locked: &stackhand::belief::Locked| locked.pose == meant && locked.lines == 4;
    assert!(
        matches!(&events[..], [Event::Locked(locked), Event::Spawned(s)] if is_meant(locked) && s.piece == Piece::J),
        "{events:?}"
    );
    assert_eq!(*scene.belief.pile(), pile(&after));
}

#[test]
fn a_game_that_ends_without_a_curtain_is_over_when_the_next_begins() {
    let mut scene = Scene::with_piece(Piece::O, &["####......"]);
    let events: Vec<Event> = (0..3).flat_map(|_| scene.show(Some(Piece::Z), &[])).collect();
    assert!(matches!(events[..], [Event::GameOver { .. }, Event::Spawned(s)] if s.first_of_game), "{events:?}");
    assert_eq!(scene.belief.counters().lines, 0);
}

/// Of a piece that was dropped, too: beside what stands higher, and above everything.
#[test]
fn rows_may_still_be_seen_to_go_while_the_next_piece_falls() {
    let mut scene = Scene::with_piece(Piece::I, &[".#......#.", "####....##", "#..##....#"]);
    let intended = scene.movement.spawn(Piece::I).moved(1, 18);
    scene.belief.intend(intended);
    scene.next = Sighting::Piece(Piece::T, 1.0);
    // It is still drawn a row too high when the next piece is there; then rows fade, and fall.
    let pictures: [&[&str]; 7] = [
        &[".#..#####.", "####....##", "#..##....#"],
        &[".#..#####.", "####....##", "#..##....#"],
        &[".#..????#.", "##??????##", "#..##....#"],
        &[".?.....??.", "###???####", "#..##....#"],
        &["..........", "##########", "#..##....#"],
        &["..........", ".##?..???.", "#..##....#"],
        &["..........", ".#......#.", "#..##....#"],
    ];
    let shown = |pile| std::iter::repeat_n(pile, 3);
    let mut events: Vec<Event> = Vec::new();
    for pile in pictures.into_iter().flat_map(shown) {
        events.extend(scene.show(Some(Piece::I), pile));
    }
    let is_meant = |locked: &stackhand::belief::Locked| locked.pose == intended && locked.lines == 1;
    assert!(matches!(&events[..], [Event::Locked(locked), Event::Spawned(_)] if is_meant(locked)), "{events:?}");
    assert_eq!(*scene.belief.pile(), self::pile(&[".#......#.", "#..##....#"]));
    assert_eq!(scene.belief.counters().lines, 1);
}

#[test]
fn a_piece_that_completes_a_row_may_still_be_drawn_above_it_when_the_next_one_is_there() {
    let mut scene = Scene::with_piece(Piece::I, &["######....", "####.....#"]);
    let intended = scene.movement.spawn(Piece::I).moved(3, 18);
    scene.belief.intend(intended);
    scene.next = Sighting::Unknown;
    let shown: [(u32, &[&str]); 4] = [
        (2, &["......####", "######....", "####.....#"]),
        (3, &["......#???", "######????", "####.....#"]),
        (6, &["......????", "##????????", "####.....#"]),
        (5, &["####.....#"]),
    ];
    let mut events: Vec<Event> = Vec::new();
    for (times, pile) in shown {
        (0..times).for_each(|_| events.extend(scene.show(Some(Piece::I), pile)));
        scene.next = Sighting::Piece(Piece::T, 1.0);
    }
    let is_meant = |locked: &stackhand::belief::Locked| locked.pose == intended && locked.lines == 1;
    assert!(matches!(&events[..], [Event::Locked(locked), Event::Spawned(_)] if is_meant(locked)), "{events:?}");
    assert_eq!(*scene.belief.pile(), self::pile(&["####.....#"]));
}
