//! The belief, driven by pictures written as text.

#![allow(clippy::unwrap_used, clippy::expect_used)]

use super::belief_scene::{Scene, is_only_lost, pile, spawned};
use stackhand::belief::{Event, Surprise};
use stackhand::game::Piece;
use stackhand::message::Sighting;
use stackhand::time::CameraFrame;

#[test]
fn a_legal_lock_is_believed_at_once() {
    let mut scene = Scene::with_piece(Piece::O, &[]);
    let events = scene.show(Some(Piece::I), &["##........", "##........"]);
    // The next box still shows what has just appeared: it may not have been redrawn, so a second look is needed.
    assert_eq!(events, []);
    let events = scene.show(Some(Piece::I), &["##........", "##........"]);
    assert!(matches!(events[0], Event::Locked(l) if l.piece == Piece::O && l.pose.x == 1 && l.lines == 0));
    assert_eq!(spawned(&events), (Piece::I, pile(&["##........", "##........"])));
    scene.next = Sighting::Piece(Piece::T, 1.0);
    let events = scene.show(Some(Piece::T), &["##........", "######...."]);
    assert!(events.is_empty(), "a T that was promised by nobody, next to itself, waits: {events:?}");
}

/// As a program that records 60 pictures a second of a camera that takes 30.
#[test]
fn the_same_picture_twice_is_no_second_look_at_the_next_box() {
    let mut scene = Scene::with_piece(Piece::O, &[]);
    let rows = scene.rows(Some(Piece::I), &["##........", "##........"]);
    let look_again = |scene: &mut Scene, next| {
        scene.next = Sighting::Piece(next, 1.0);
        let mut events = scene.look(&rows, Some(Piece::I));
        events.extend(scene.look_late(&rows, Some(Piece::I), 17.0));
        events
    };
    // The box is redrawn a frame after the piece has come.
    assert_eq!(look_again(&mut scene, Piece::I), []);
    let events = look_again(&mut scene, Piece::T);
    assert!(matches!(events[..], [Event::Locked(_), Event::Spawned(s)] if s.next == Some(Piece::T)), "{events:?}");
}

#[test]
fn the_same_piece_on_the_same_pile_is_still_the_same() {
    let mut scene = Scene::with_piece(Piece::S, &["..####...."]);
    for _ in 0..50 {
        assert_eq!(scene.show(Some(Piece::S), &["..####...."]), []);
    }
}

#[test]
fn a_flickering_cell_is_no_event_and_a_lasting_one_is_a_surprise() {
    let mut scene = Scene::with_piece(Piece::S, &["..####...."]);
    assert_eq!(scene.show(Some(Piece::S), &["..#####..."]), []);
    assert_eq!(scene.show(Some(Piece::S), &["..####...."]), []);
    let events: Vec<Event> = (0..3).flat_map(|_| scene.show(Some(Piece::S), &["..#####..."])).collect();
    assert!(matches!(events[..], [Event::Surprise(Surprise::Pile { .. }, _)]), "{events:?}");
    assert_eq!(*scene.belief.pile(), pile(&["..#####..."]));
}

/// Whether all that was told is, once, that cells show what cannot be: these, where that is believed.
fn is_only_impossible(events: &[Event], cells: &[&str], over: &[&str]) -> bool {
    matches!(events, [Event::Surprise(Surprise::Impossible { believed, seen }, _)]
        if *believed == pile(over) && *seen == pile(cells))
}

#[test]
fn a_cell_that_lights_up_where_no_piece_has_locked_is_told_once_and_not_believed() {
    let mut scene = Scene::with_piece(Piece::S, &["..####...."]);
    let lit = [".#........", "..........", "..####...."];
    let events: Vec<Event> = (0..60).flat_map(|_| scene.show(Some(Piece::S), &lit)).collect();
    assert!(is_only_impossible(&events, &lit, &["..####...."]), "{events:?}");
    // Pieces come and lock as before.
    let after = [".#........", "..........", "..####.##.", "..####..##"];
    let believed = ["..####.##.", "..####..##"];
    let mut scene = Scene::with_piece(Piece::Z, &["..####....", "..####...."]);
    (0..9).for_each(|_| {
        assert_eq!(scene.show(Some(Piece::Z), &[".#........", "..........", "..####....", "..####...."]), [])
    });
    scene.next = Sighting::Piece(Piece::T, 1.0);
    let events: Vec<Event> = (0..4).flat_map(|_| scene.show(Some(Piece::I), &after)).collect();
    assert_eq!(spawned(&events), (Piece::I, pile(&believed)), "{events:?}");
    // It goes, and may come again.
    (0..9).for_each(|_| assert_eq!(scene.show(Some(Piece::I), &believed), []));
    assert_eq!(*scene.belief.pile(), pile(&believed));
    let events: Vec<Event> = (0..60).flat_map(|_| scene.show(Some(Piece::I), &after)).collect();
    assert!(is_only_impossible(&events, &after, &believed), "{events:?}");
}

#[test]
fn a_cell_that_flickers_for_long_is_told_once_too() {
    let mut scene = Scene::with_piece(Piece::S, &["..####...."]);
    let lit = [".#........", "..........", "..####...."];
    let mut events = Vec::new();
    for i in 0..180 {
        events.extend(scene.show(Some(Piece::S), if i % 12 < 6 { &lit } else { &lit[1..] }));
    }
    assert!(is_only_impossible(&events, &lit, &["..####...."]), "{events:?}");
    assert_eq!(*scene.belief.pile(), pile(&["..####...."]));
}

#[test]
fn what_was_never_seen_to_be_as_believed_is_no_impossible_sight() {
    // The story began with this pile: what its picture did not show may come to light.
    let mut scene = Scene::with_piece(Piece::S, &["##........", "######...."]);
    let events: Vec<Event> = (0..4).flat_map(|_| scene.show(Some(Piece::S), &["##........", "#######..."])).collect();
    assert!(matches!(events[..], [Event::Surprise(Surprise::Pile { .. }, _)]), "{events:?}");
    // More than a piece has is no light on a few cells.
    let mut scene = Scene::with_piece(Piece::S, &["######...."]);
    let five = ["#####.....", "..........", "######...."];
    let events: Vec<Event> = (0..60).flat_map(|_| scene.show(Some(Piece::S), &five)).collect();
    assert!(!events.iter().any(|event| matches!(event, Event::Surprise(Surprise::Impossible { .. }, _))), "{events:?}");
    assert_eq!(*scene.belief.pile(), pile(&five));
}

#[test]
fn blocks_that_locked_and_were_seen_do_not_vanish() {
    let mut scene = Scene::with_piece(Piece::O, &[]);
    scene.next = Sighting::Piece(Piece::T, 1.0);
    let locked = ["....##....", "....##...."];
    let events: Vec<Event> = (0..9).flat_map(|_| scene.show(Some(Piece::I), &locked)).collect();
    assert_eq!(spawned(&events), (Piece::I, pile(&locked)));
    let hidden = ["....#.....", "....##...."];
    let events: Vec<Event> = (0..60).flat_map(|_| scene.show(Some(Piece::I), &hidden)).collect();
    assert!(is_only_impossible(&events, &hidden, &locked), "{events:?}");
    assert_eq!(*scene.belief.pile(), pile(&locked));
}

#[test]
fn a_gap_that_was_one_while_a_piece_fell_does_not_fill_up_by_itself() {
    let gap = ["##.#......"];
    let mut scene = Scene::with_piece(Piece::O, &gap);
    scene.next = Sighting::Piece(Piece::T, 1.0);
    let locked = ["....##....", "##.###...."];
    let events: Vec<Event> = (0..9).flat_map(|_| scene.show(Some(Piece::I), &locked)).collect();
    assert_eq!(spawned(&events), (Piece::I, pile(&locked)));
    let lit = ["....##....", "######...."];
    let events: Vec<Event> = (0..60).flat_map(|_| scene.show(Some(Piece::I), &lit)).collect();
    assert!(is_only_impossible(&events, &lit, &locked), "{events:?}");
    assert_eq!(*scene.belief.pile(), pile(&locked));
}

#[test]
fn a_piece_whose_place_cannot_be_read_is_known_by_the_box_it_left() {
    let mut scene = Scene::with_piece(Piece::O, &[]);
    let locked = ["....##....", "....##...."];
    (0..3).for_each(|_| assert_eq!(scene.show(None, &locked), []));
    // Light lies over the place; it says nothing, until the box does.
    let mut rows = scene.rows(None, &locked);
    rows[..4].iter_mut().for_each(|row| row.replace_range(2..8, "??????"));
    let look = |scene: &mut Scene| (0..4).flat_map(|_| scene.look(&rows, None)).collect::<Vec<Event>>();
    assert_eq!(look(&mut scene), []);
    scene.next = Sighting::Piece(Piece::T, 1.0);
    let events = look(&mut scene);
    assert_eq!(spawned(&events), (Piece::I, pile(&locked)), "{events:?}");
    assert_eq!(scene.belief.falling().map(|falling| falling.1.y), Some(0));
}

#[test]
fn a_word_over_the_field_of_a_new_game_is_no_pile() {
    let shows = |scene: &mut Scene, word: [&str; 2], pictures: usize| {
        let mut rows = scene.rows(Some(Piece::S), &[]);
        rows[6..8].clone_from_slice(&word.map(ToString::to_string));
        (0..pictures).flat_map(|_| scene.look(&rows, Some(Piece::S))).collect::<Vec<Event>>()
    };
    let mut scene = Scene::new();
    let events = shows(&mut scene, [".#?#.??##.", ".#.#.?##.?"], 40);
    assert_eq!(spawned(&events[..1]), (Piece::S, pile(&[])), "{events:?}");
    assert!(matches!(events[1..], [Event::Surprise(Surprise::Impossible { .. }, _)]), "{events:?}");
    // The word goes, and the game goes on.
    (0..20).for_each(|_| assert_eq!(scene.show(Some(Piece::S), &[]), []));
    // A short one is none either.
    let events = shows(&mut Scene::new(), ["...#.##...", "...?.?...."], 4);
    assert_eq!(spawned(&events), (Piece::S, pile(&[])), "{events:?}");
    // On the floor it would be blocks.
    let mut scene = Scene::new();
    let low = [".###.####.", ".#.#.###.#"];
    let events: Vec<Event> = (0..40).flat_map(|_| scene.show(Some(Piece::S), &low)).collect();
    assert_eq!(spawned(&events), (Piece::S, pile(&low)), "{events:?}");
}

#[test]
fn an_unexplained_pile_is_believed_when_it_lasts() {
    let mut scene = Scene::with_piece(Piece::O, &["####......"]);
    scene.show(None, &["####......"]);
    let other = ["#.#.......", "####.#.#.#"];
    let events: Vec<Event> = (0..3).flat_map(|_| scene.show(Some(Piece::T), &other)).collect();
    assert!(matches!(events[0], Event::Surprise(Surprise::Unexplained { .. }, _)), "{events:?}");
    assert_eq!(spawned(&events), (Piece::T, pile(&other)));
}

#[test]
fn unknown_cells_leave_the_lock_open_until_only_one_is_possible() {
    let mut scene = Scene::with_piece(Piece::O, &[]);
    scene.next = Sighting::Piece(Piece::S, 1.0);
    // An O at column 0–1, 1–2 or 2–3: the picture does not tell.
    assert_eq!(scene.show(Some(Piece::I), &["????......", "????......"]), []);
    let events = scene.show(Some(Piece::I), &["?##.......", "?##......."]);
    assert_eq!(spawned(&events).1, pile(&[".##.......", ".##......."]));
}

#[test]
fn a_word_over_three_rows_does_not_hide_what_is_seen_above_and_below_it() {
    let mut scene = Scene::with_piece(Piece::O, &[]);
    scene.next = Sighting::Piece(Piece::S, 1.0);
    let mut rows = scene.rows(Some(Piece::I), &["....##....", "....##...."]);
    rows[8..11].fill("??????????".into());
    let events: Vec<Event> = (0..3).flat_map(|_| scene.look(&rows, Some(Piece::I))).collect();
    assert_eq!(spawned(&events), (Piece::I, pile(&["....##....", "....##...."])));
}

#[test]
fn a_lock_that_stays_open_is_told_as_a_lost_thread() {
    let mut scene = Scene::with_piece(Piece::O, &[]);
    scene.next = Sighting::Piece(Piece::S, 1.0);
    let open = ["????......", "????......"];
    let meanwhile: Vec<Event> = (0..60).flat_map(|_| scene.show(Some(Piece::I), &open)).collect();
    assert!(is_only_lost(&meanwhile), "{meanwhile:?}");
    let events = scene.show(Some(Piece::I), &["?##.......", "?##......."]);
    assert_eq!(spawned(&events).1, pile(&[".##.......", ".##......."]));
}

#[test]
fn a_piece_that_falls_between_two_pictures_is_followed() {
    let mut scene = Scene::with_piece(Piece::O, &[]);
    scene.next = Sighting::Piece(Piece::L, 1.0);
    // Promised: I. It is seen between rows 1 and 2, both half lit and both taken for full.
    let mut rows = scene.rows(None, &["##........", "##........"]);
    rows[1] = "...####...".into();
    rows[2] = "...####...".into();
    let events = scene.look(&rows, None);
    let (piece, board) = spawned(&events);
    assert_eq!((piece, board), (Piece::I, pile(&["##........", "##........"])));
    rows[1] = "..........".into();
    rows[3] = "...####...".into();
    assert_eq!(scene.look(&rows, None), []);
    assert_eq!(scene.belief.falling().unwrap().1.y, 2);
}

#[test]
fn a_lost_belief_takes_the_steady_cells_for_the_pile() {
    let mut scene = Scene::with_piece(Piece::O, &["####......"]);
    let other = ["##........", "####.#.#.#"];
    let meanwhile: Vec<Event> = (0..30).flat_map(|_| scene.show(None, &other)).collect();
    assert!(is_only_lost(&meanwhile), "{meanwhile:?}");
    let events = scene.show(Some(Piece::J), &other);
    assert_eq!(spawned(&events), (Piece::J, pile(&other)));
}

#[test]
fn an_unreadable_next_box_is_waited_for_but_not_for_ever() {
    let mut scene = Scene::with_piece(Piece::O, &[]);
    scene.next = Sighting::Unknown;
    let events: Vec<Event> = (0..4).flat_map(|_| scene.show(Some(Piece::I), &["##........", "##........"])).collect();
    assert!(matches!(events[..], [Event::Locked(_), Event::Spawned(s)] if s.next.is_none()), "{events:?}");
}

#[test]
fn no_piece_is_imagined_into_a_pile_that_reaches_the_top() {
    let tower = vec!["...#####.."; 20];
    let mut scene = Scene::with_piece(Piece::O, &[]);
    let meanwhile: Vec<Event> = (0..40).flat_map(|_| scene.show(None, &tower)).collect();
    assert!(is_only_lost(&meanwhile), "{meanwhile:?}");
}

#[test]
fn a_first_piece_over_a_pile_that_reaches_into_its_place_is_known_by_its_coming() {
    let mut scene = Scene::new();
    let row = [".....#...."];
    let tower: Vec<&str> = row.into_iter().cycle().take(19).collect();
    (0..4).for_each(|_| assert!(scene.show(None, &tower).is_empty()));
    // The spawn place cannot be read: the tower stands in it.
    let with_piece = scene.rows(Some(Piece::J), &tower);
    let events: Vec<Event> = (0..3).flat_map(|_| scene.look(&with_piece, None)).collect();
    assert_eq!(spawned(&events), (Piece::J, pile(&tower)));
}

#[test]
fn a_pile_that_looks_like_a_piece_in_the_spawn_place_is_none() {
    let mut column = vec![".....#....", ".....#...."];
    column.resize(19, "....##....");
    let mut scene = Scene::new();
    scene.next = Sighting::Piece(Piece::L, 1.0);
    let rows = scene.rows(Some(Piece::J), &column);
    let events: Vec<Event> = (0..4).flat_map(|_| scene.look(&rows, Some(Piece::J))).collect();
    assert_eq!(spawned(&events).0, Piece::J);
    // The J has turned and locked: two by two cells are full where an O appears. The promised L, for which the next box
    // makes room, will show one cell more.
    let mut locked = vec!["....##....", "....##....", "....##...."];
    locked.resize(20, "....##....");
    scene.next = Sighting::Piece(Piece::T, 1.0);
    assert_eq!(scene.show(Some(Piece::O), &locked), []);
    let mut with_l = locked.clone();
    with_l[0] = "....###...";
    let events = scene.show(None, &with_l);
    assert_eq!(spawned(&events), (Piece::L, pile(&locked)));
}

#[test]
fn a_piece_between_two_rows_is_not_one_locked_and_another_new() {
    let column = vec!["....##...."; 17];
    let mut scene = Scene::with_piece(Piece::O, &column);
    for _ in 0..3 {
        assert_eq!(scene.show(Some(Piece::O), &column), []);
    }
    // The shutter was open while the O fell by a row: three rows of it are lit.
    let mut rows = scene.rows(Some(Piece::O), &column);
    rows[2] = rows[1].clone();
    assert_eq!(scene.look(&rows, Some(Piece::O)), []);
    rows[0] = "..........".into();
    assert_eq!(scene.look(&rows, None), []);
}

#[test]
fn the_first_piece_is_known_by_the_box_it_left_while_the_pile_cannot_be_read() {
    let mut scene = Scene::new();
    let floor = "##.#######";
    scene.next = Sighting::Piece(Piece::S, 1.0);
    for _ in 0..3 {
        assert!(scene.show(None, &["?#.#######", floor]).is_empty());
    }
    // The rows above a clear have just come down: some cells are half of two things when the piece appears.
    scene.next = Sighting::Piece(Piece::Z, 1.0);
    assert!(scene.show(Some(Piece::S), &["?#........", floor]).is_empty());
    let came = scene.picture;
    let mut rows = scene.rows(None, &[".#........", floor]);
    for (x, y) in scene.movement.spawn(Piece::S).cells() {
        rows[y as usize + 2].replace_range(x as usize..=x as usize, "#");
    }
    let events = scene.look(&rows, None);
    let [Event::Spawned(spawn)] = events[..] else { panic!("{events:?}") };
    assert_eq!((spawn.piece, spawn.next, spawn.frame), (Piece::S, Some(Piece::Z), CameraFrame(came)));
    assert_eq!(spawn.pose, scene.movement.spawn(Piece::S), "where it was then");
    assert_eq!(spawn.board.count(), 10);
}

/// An I falls a row a picture over an O that has locked; what the next box shows in each picture. What is reported of it.
fn other_nexts(boxes: &[Piece]) -> (Vec<Event>, Option<Piece>) {
    let pile = ["##........", "##........"];
    let mut scene = Scene::with_piece(Piece::O, &[]);
    scene.next = Sighting::Piece(boxes[0], 1.0);
    assert_eq!(spawned(&scene.show(Some(Piece::I), &pile)).0, Piece::I);
    let mut events = Vec::new();
    for (fallen, piece) in boxes.iter().enumerate().skip(1) {
        scene.next = Sighting::Piece(*piece, 1.0);
        let mut rows = scene.rows(None, &pile);
        for (x, y) in scene.movement.spawn(Piece::I).cells() {
            rows[y as usize + fallen].replace_range(x as usize..=x as usize, "#");
        }
        events.extend(scene.look(&rows, None));
    }
    (events, scene.belief.next())
}

#[test]
fn a_next_piece_that_was_misread_at_the_spawn_is_corrected() {
    let [o, z] = [Piece::O, Piece::Z];
    let (events, next) = other_nexts(&[o, z, z, z, z, z]);
    let is_corrected = |event: &Event| matches!(event, Event::Surprise(Surprise::OtherNext { believed, seen }, _) if *believed == o && *seen == z);
    assert!(events.iter().any(is_corrected), "{events:?}");
    assert_eq!(next, Some(z));
}

#[test]
fn a_box_that_is_redrawn_later_was_not_misread() {
    let [o, z] = [Piece::O, Piece::Z];
    let (events, next) = other_nexts(&[o, o, o, o, z, z, z, z, z, z]);
    assert_eq!(next, Some(o), "{events:?}");
    assert!(!events.iter().any(|event| matches!(event, Event::Surprise(Surprise::OtherNext { .. }, _))), "{events:?}");
}

#[test]
fn a_piece_that_is_not_the_promised_one_is_known_within_a_second_wherever_it_was_pushed() {
    let mut scene = Scene::new();
    scene.next = Sighting::Piece(Piece::O, 1.0);
    for _ in 0..4 {
        scene.show(Some(Piece::L), &[]);
    }
    assert_eq!(scene.belief.next(), Some(Piece::O));
    // The box was misread: a T comes, upright, and soon stands at the wall, for it falls slowly.
    scene.next = Sighting::Piece(Piece::J, 1.0);
    let pile = ["###.......", "#........."];
    let upright = |column: usize, top: usize| {
        let mut rows = scene.rows(None, &pile);
        for (row, cells) in ["#.", "##", "#."].iter().enumerate() {
            let at = |c: &char| *c == '#';
            for (x, _) in cells.chars().enumerate().filter(|(_, c)| at(c)) {
                rows[top + row].replace_range(column + x..=column + x, "#");
            }
        }
        rows
    };
    let (came, pushed) = (upright(4, 0), upright(0, 1));
    for _ in 0..6 {
        scene.look(&came, None);
    }
    let known = (0..60).map(|pictures| (pictures, scene.look(&pushed, None)));
    let events: Vec<(u32, Event)> = known.flat_map(|(n, events)| events.into_iter().map(move |e| (n, e))).collect();
    let is_t = |event: &Event| matches!(event, Event::Spawned(spawned) if spawned.piece == Piece::T);
    let told = events
        .iter()
        .find(|(_, event)| is_t(event))
        .unwrap_or_else(|| panic!("{events:?} {:?} {:?}", scene.belief.falling(), scene.belief.unexplained_since()));
    assert!(f64::from(told.0) * 33.0 < 1000.0, "{events:?}");
    assert_eq!(scene.belief.falling().map(|(piece, pose)| (piece, pose.x)), Some((Piece::T, 0)));
    assert_eq!(*scene.belief.pile(), self::pile(&pile));
}

#[test]
fn an_island_of_the_pile_is_no_piece_however_late_the_next_one_comes() {
    let island = ["##........", "##........", "..........", "#####....#"];
    let mut scene = Scene::with_piece(Piece::O, &island);
    let landed = ["##........", "##........", "......##..", "#####.##.#"];
    scene.next = Sighting::Piece(Piece::T, 1.0);
    // The box has moved on, and for three seconds nothing comes.
    let events: Vec<Event> = (0..90).flat_map(|_| scene.show(None, &landed)).collect();
    assert!(!events.iter().any(|event| matches!(event, Event::Spawned(_))), "{events:?}");
    let events: Vec<Event> = (0..8).flat_map(|_| scene.show(Some(Piece::I), &landed)).collect();
    assert_eq!(spawned(&events), (Piece::I, pile(&landed)));
}

#[test]
fn what_came_and_locked_while_no_picture_came_is_not_made_up() {
    let low = ["####......", "####.#.#.#"];
    let mut scene = Scene::with_piece(Piece::O, &low);
    // For a second there is no picture. Two pieces have locked meanwhile, and a third falls, pushed aside and turned.
    scene.picture += 30;
    scene.next = Sighting::Piece(Piece::S, 1.0);
    let landed = ["....##....", "######....", "####.#.###", "####.#####"];
    let mut rows = scene.rows(None, &landed);
    for (x, y) in [(7, 3), (7, 4), (8, 4), (7, 5)] {
        rows[y].replace_range(x..=x, "#");
    }
    let told: Vec<(u32, Event)> =
        (0..30).flat_map(|n| scene.look(&rows, None).into_iter().map(move |event| (n, event))).collect();
    let events: Vec<Event> = told.iter().map(|(_, event)| event.clone()).collect();
    let Event::Surprise(Surprise::Unexplained { unseen_ms: Some(unseen_ms), .. }, _) = events[0] else {
        panic!("{events:?}");
    };
    assert!((950.0..1050.0).contains(&unseen_ms), "{unseen_ms}");
    assert_eq!(spawned(&events), (Piece::T, pile(&landed)), "{events:?}");
    assert!(told.iter().all(|(n, _)| *n < 6), "soon: {told:?}");
    assert_eq!(events.len(), 2, "nothing else is made up or found strange: {events:?}");
}

#[test]
fn one_lock_while_no_picture_came_is_no_surprise() {
    let low = ["####......", "####.#.#.#"];
    let mut scene = Scene::with_piece(Piece::O, &low);
    scene.picture += 25;
    scene.next = Sighting::Piece(Piece::S, 1.0);
    let landed = ["....##....", "######....", "####.#.#.#"];
    let events: Vec<Event> = (0..8).flat_map(|_| scene.show(Some(Piece::I), &landed)).collect();
    assert_eq!(spawned(&events), (Piece::I, pile(&landed)), "{events:?}");
    assert!(!events.iter().any(|event| matches!(event, Event::Surprise(..))), "{events:?}");
}
