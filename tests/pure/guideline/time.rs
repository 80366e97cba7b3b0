//! What happens when: falls, drops, auto-repeat, lock down, generation, hold and pause.

use super::boards::{begun, cells_of, field, game_of, tap};
use stackhand::game::guideline::{
    ACROSS_US, Action, DELAY_US, EXTENDED_MOVES, End, Event, GENERATION_US, Game, Keys, LOCK_DOWN_US, LockDown, Queue,
    REPEAT_US, Repeat, Settings, Side, Variant, fall_us, spawn_pose,
};
use stackhand::game::{Piece, Rotation};

/// Steps in which time is measured here.
const STEP_US: u64 = 1_000;

fn with(lock_down: LockDown) -> Settings {
    Settings { lock_down, ..Settings::default() }
}

fn is_locked(events: &[Event]) -> bool {
    events.iter().any(|event| matches!(event, Event::Locked { .. }))
}

fn x(game: &Game) -> i8 {
    game.falling().unwrap().x
}

fn row(game: &Game) -> i8 {
    game.falling().unwrap().y
}

/// Drops the piece softly until it lies on something.
fn land(game: &mut Game) {
    while game.view().ghost != game.falling() {
        game.advance(Keys::SOFT_DROP, STEP_US);
    }
    game.advance(Keys::NONE, 0);
}

/// µs until the piece locks if nothing is pressed.
fn us_to_lock(game: &mut Game) -> u64 {
    (1..10_000).find(|_| is_locked(&game.advance(Keys::NONE, STEP_US))).unwrap() * STEP_US
}

#[test]
fn pieces_fall_as_fast_as_the_table_says() {
    // seed 002:1652–1710.
    let seconds =
        [1.0, 0.793, 0.618, 0.473, 0.355, 0.262, 0.190, 0.135, 0.094, 0.064, 0.043, 0.028, 0.018, 0.011, 0.007];
    for (level, expected) in (1..).zip(seconds) {
        let exact = fall_us(level) as f64 / 1e6;
        assert!((exact - expected).abs() <= 0.0005, "level {level}: {exact}");
        let mut game = begun("T", &[], Settings { level, ..Settings::default() });
        let before = row(&game);
        game.advance(Keys::NONE, fall_us(level) - 1);
        assert_eq!(row(&game), before, "level {level}");
        game.advance(Keys::NONE, 1);
        assert_eq!(row(&game), before + 1, "level {level}");
        // However the time is cut, no part of a row is lost.
        (0..5 * fall_us(level) / 700).for_each(|_| drop(game.advance(Keys::NONE, 700)));
        game.advance(Keys::NONE, 5 * fall_us(level) % 700);
        assert_eq!(row(&game), before + 6, "level {level}");
    }
}

#[test]
fn a_piece_drops_a_row_as_it_appears_unless_something_is_in_its_path() {
    // seed 002:750–755.
    for piece in Piece::ALL {
        let game = begun(&piece.letter().to_string(), &[], Settings::default());
        assert_eq!(game.falling(), Some(spawn_pose(piece).moved(0, 1)));
    }
    let high = ["....#....."; 20];
    assert_eq!(begun("T", &high, Settings::default()).falling(), Some(spawn_pose(Piece::T)));
}

#[test]
fn a_piece_that_leaves_a_surface_begins_a_new_row() {
    let mut game = begun("O", &["####......"], Settings::default());
    game.advance(Keys::NONE, 18 * fall_us(1) + fall_us(1) / 2);
    let before = row(&game);
    // Half a row above the floor it goes onto the ledge and back.
    tap(&mut game, Keys::LEFT);
    assert_eq!(game.view().ghost, game.falling());
    tap(&mut game, Keys::RIGHT);
    game.advance(Keys::NONE, fall_us(1) - 1);
    assert_eq!(row(&game), before);
    game.advance(Keys::NONE, 1);
    assert_eq!(row(&game), before + 1);
}

#[test]
fn a_soft_drop_is_twenty_times_as_fast_and_locks_nothing() {
    // seed 002:1496–1503.
    let mut game = begun("TL", &[], Settings::default());
    let before = row(&game);
    game.advance(Keys::SOFT_DROP, 5 * fall_us(1) / 20 - 1);
    assert_eq!((row(&game), game.score()), (before + 4, 4));
    game.advance(Keys::SOFT_DROP, 1);
    assert_eq!((row(&game), game.score()), (before + 5, 5));
    // Half a row softly, and the other half takes half of the normal time.
    game.advance(Keys::SOFT_DROP, fall_us(1) / 40);
    game.advance(Keys::NONE, fall_us(1) / 2 - 1);
    assert_eq!(row(&game), before + 5);
    game.advance(Keys::NONE, 1);
    assert_eq!((row(&game), game.score()), (before + 6, 5));
    land(&mut game);
    assert!(!is_locked(&game.advance(Keys::SOFT_DROP, LOCK_DOWN_US - 1)));
    assert!(is_locked(&game.advance(Keys::SOFT_DROP, 1)));
    // Held on, it goes on with the next piece.
    let events = game.advance(Keys::SOFT_DROP, GENERATION_US + fall_us(1) / 20);
    assert_eq!(events, [Event::Appeared(Piece::L)]);
    assert_eq!(game.falling(), Some(spawn_pose(Piece::L).moved(0, 2)));
}

#[test]
fn a_hard_drop_locks_at_once_and_the_next_piece_comes_after_the_generation_time() {
    // seed 002:1485–1488, 002:2418.
    let mut game = begun("TL", &[], Settings::default());
    let ghost = game.view().ghost.unwrap();
    let events = game.advance(Keys::HARD_DROP, 0);
    assert!(matches!(events[..], [Event::Locked { pose, .. }] if pose == ghost), "{events:?}");
    assert_eq!(game.falling(), None);
    assert_eq!(game.advance(Keys::HARD_DROP, GENERATION_US - 1), []);
    // Held on, it does not repeat.
    assert_eq!(game.advance(Keys::HARD_DROP, 1), [Event::Appeared(Piece::L)]);
    assert_eq!(game.advance(Keys::HARD_DROP, 400_000), []);
}

#[test]
fn a_held_direction_repeats_after_its_delay_and_crosses_the_field_in_half_a_second() {
    // seed 002:1462–1468. An upright I has the widest way.
    let mut game = begun("I", &[], Settings::default());
    tap(&mut game, Keys::CLOCKWISE);
    (0..9).for_each(|_| drop(tap(&mut game, Keys::LEFT)));
    let left = x(&game);
    game.advance(Keys::RIGHT, DELAY_US - 1);
    assert_eq!(x(&game), left + 1);
    game.advance(Keys::RIGHT, 1);
    assert_eq!(x(&game), left + 2);
    game.advance(Keys::RIGHT, REPEAT_US);
    assert_eq!(x(&game), left + 3);
    game.advance(Keys::RIGHT, 6 * REPEAT_US);
    assert_eq!(x(&game), left + 9);
    assert_eq!(ACROSS_US / REPEAT_US, 9);
    // It turns while it repeats, and a turn does not repeat (seed 002:1482).
    game.advance(Keys::LEFT | Keys::CLOCKWISE, DELAY_US + 2 * REPEAT_US);
    assert_eq!(game.falling().unwrap().orientation.rotation(), Rotation::Down);
}

#[test]
fn the_direction_pressed_last_moves_and_the_one_that_stays_begins_anew() {
    // seed 002:1470–1475.
    let mut game = begun("O", &[], Settings::default());
    game.advance(Keys::LEFT, DELAY_US + REPEAT_US);
    let before = x(&game);
    let both = Keys::LEFT | Keys::RIGHT;
    game.advance(both, 0);
    assert_eq!(x(&game), before + 1);
    game.advance(both, DELAY_US - 1);
    assert_eq!(x(&game), before + 1);
    game.advance(both, 1);
    assert_eq!(x(&game), before + 2);
    game.advance(Keys::LEFT, DELAY_US - 1);
    assert_eq!(x(&game), before + 2);
    game.advance(Keys::LEFT, 1);
    assert_eq!(x(&game), before + 1);
    // The older one is let go: the other goes on with the delay, too.
    game.advance(both, 0);
    assert_eq!(x(&game), before + 2);
    game.advance(Keys::RIGHT, DELAY_US - 1);
    assert_eq!(x(&game), before + 2);
    game.advance(Keys::RIGHT, 1);
    assert_eq!(x(&game), before + 3);
    let mut repeat = Repeat::default();
    assert_eq!((repeat.hold([true, true]), repeat.due_us()), (None, None));
    assert_eq!((repeat.hold([true, false]), repeat.due_us()), (None, Some(DELAY_US)));
    assert_eq!((repeat.pass(DELAY_US), repeat.hold([false, false])), (Some(Side::Left), None));
    assert_eq!(repeat.due_us(), None);
}

#[test]
fn auto_repeat_goes_on_with_the_next_piece() {
    // seed 002:1468: charged before the lock down, it needs no delay after it.
    let mut game = begun("OT", &[], Settings::default());
    game.advance(Keys::LEFT, DELAY_US + 8 * REPEAT_US);
    game.advance(Keys::LEFT | Keys::HARD_DROP, 0);
    game.advance(Keys::LEFT, GENERATION_US);
    assert_eq!(game.falling(), Some(spawn_pose(Piece::T).moved(0, 1)));
    game.advance(Keys::LEFT, 3 * REPEAT_US);
    assert_eq!(x(&game), spawn_pose(Piece::T).x - 3);
}

#[test]
fn without_a_touch_every_rule_locks_after_half_a_second() {
    for rule in [LockDown::Extended, LockDown::Infinite, LockDown::Classic] {
        let mut game = begun("T", &[], with(rule));
        land(&mut game);
        assert_eq!(us_to_lock(&mut game), LOCK_DOWN_US, "{rule:?}");
    }
}

#[test]
fn each_rule_resets_the_timer_for_its_own_reasons() {
    // seed 002:1515–1551. Moves to and fro, 100 ms each: how many until it locks, at most 40.
    let moves = |rule| {
        let mut game = begun("T", &[], with(rule));
        land(&mut game);
        let sides = [Keys::LEFT, Keys::RIGHT].into_iter().cycle().take(40);
        sides.enumerate().find(|(_, side)| {
            let locked = is_locked(&tap(&mut game, *side));
            locked || is_locked(&game.advance(Keys::NONE, 100_000))
        })
    };
    assert_eq!(moves(LockDown::Extended).map(|(count, _)| count + 1), Some(EXTENDED_MOVES.into()));
    assert_eq!(moves(LockDown::Infinite), None);
    assert_eq!(moves(LockDown::Classic).map(|(count, _)| count + 1), Some(5));
}

#[test]
fn what_changes_nothing_resets_nothing() {
    // seed 002:1537: an O that turns, and a piece at the wall.
    let mut game = begun("O", &[], with(LockDown::Infinite));
    land(&mut game);
    (0..9).for_each(|_| drop(tap(&mut game, Keys::LEFT)));
    game.advance(Keys::NONE, 300_000);
    tap(&mut game, Keys::LEFT);
    tap(&mut game, Keys::CLOCKWISE);
    assert_eq!(us_to_lock(&mut game), 200_000);
}

#[test]
fn a_new_lowest_row_gives_all_moves_and_the_whole_time_back() {
    // seed 002:1522–1524: fourteen moves on a ledge, and the fifteenth over its edge.
    for rule in [LockDown::Extended, LockDown::Classic] {
        let mut game = begun("O", &["#####....."], with(rule));
        land(&mut game);
        (0..7).for_each(|_| drop((tap(&mut game, Keys::LEFT), tap(&mut game, Keys::RIGHT))));
        assert_eq!(game.moves_left(), Some(1));
        game.advance(Keys::NONE, 300_000);
        assert!(!is_locked(&tap(&mut game, Keys::RIGHT)));
        assert_eq!(game.moves_left(), Some(0));
        assert!(!is_locked(&game.advance(Keys::NONE, fall_us(1))));
        assert_eq!((row(&game), game.moves_left()), (38, Some(EXTENDED_MOVES)));
        assert_eq!(us_to_lock(&mut game), LOCK_DOWN_US, "{rule:?}");
    }
}

#[test]
fn a_turn_that_lifts_the_piece_stops_the_timer() {
    // seed 002:2460–2464. The fourth turn of a T on the floor leaves it a row above.
    for rule in [LockDown::Extended, LockDown::Infinite] {
        let mut game = begun("T", &[], with(rule));
        land(&mut game);
        (0..3).for_each(|_| drop(tap(&mut game, Keys::CLOCKWISE)));
        game.advance(Keys::NONE, 300_000);
        tap(&mut game, Keys::CLOCKWISE);
        assert_eq!(us_to_lock(&mut game), fall_us(1) + 200_000, "{rule:?}");
    }
}

#[test]
fn who_has_used_all_moves_locks_on_the_first_touch_and_may_move_until_then() {
    // seed 002:1526–1530.
    let mut game = begun("T", &[], with(LockDown::Extended));
    land(&mut game);
    (0..3).for_each(|_| drop(tap(&mut game, Keys::CLOCKWISE)));
    (0..11).for_each(|nth| drop(tap(&mut game, if nth % 2 == 0 { Keys::LEFT } else { Keys::RIGHT })));
    assert!(!is_locked(&tap(&mut game, Keys::CLOCKWISE)));
    assert_eq!(game.moves_left(), Some(0));
    let before = x(&game);
    assert!(!is_locked(&tap(&mut game, Keys::LEFT)));
    assert_eq!(x(&game), before - 1);
    assert_eq!(us_to_lock(&mut game), fall_us(1));
}

#[test]
fn a_piece_is_held_once_until_a_lock_down() {
    // seed 002:1505–1513.
    let mut game = begun("TLJ", &[], Settings::default());
    game.advance(Keys::NONE, 3 * fall_us(1));
    tap(&mut game, Keys::CLOCKWISE);
    assert_eq!(tap(&mut game, Keys::HOLD), [Event::Held(Piece::T), Event::Appeared(Piece::L)]);
    assert_eq!((game.held(), game.falling()), (Some(Piece::T), Some(spawn_pose(Piece::L).moved(0, 1))));
    assert_eq!(tap(&mut game, Keys::HOLD), []);
    tap(&mut game, Keys::HARD_DROP);
    game.advance(Keys::NONE, GENERATION_US);
    assert_eq!(tap(&mut game, Keys::HOLD), [Event::Held(Piece::J), Event::Appeared(Piece::T)]);
    // It faces north again.
    assert_eq!((game.held(), game.falling()), (Some(Piece::J), Some(spawn_pose(Piece::T).moved(0, 1))));
    let mut without = begun("TLJ", &[], Settings { has_hold: false, ..Settings::default() });
    assert_eq!(tap(&mut without, Keys::HOLD), []);
}

#[test]
fn a_pause_stops_the_time_and_hides_the_field_and_the_queues() {
    // seed 002:2293–2296.
    let mut game = begun("TLJ", &["#........."], Settings::default());
    tap(&mut game, Keys::HOLD);
    let before = game.view();
    assert_eq!((before.next.len(), before.held), (6, Some(Piece::T)));
    assert_eq!(
        cells_of(&before.matrix.unwrap().to_lines().iter().map(String::as_str).collect::<Vec<_>>(), "#"),
        [(0, 19)]
    );
    assert_eq!(before.ghost.map(|pose| pose.y), Some(39));
    tap(&mut game, Keys::PAUSE);
    assert!(game.is_paused());
    let hidden = game.view();
    assert_eq!(
        (hidden.matrix, hidden.falling, hidden.ghost, hidden.next, hidden.held),
        (None, None, None, vec![], None)
    );
    let still = game.clone();
    (0..50).for_each(|_| drop(game.advance(Keys::LEFT, 100_000)));
    game.advance(Keys::NONE, 0);
    assert_eq!(game, still);
    tap(&mut game, Keys::PAUSE);
    assert_eq!((game.view().falling, game.is_paused()), (before.falling, false));
}

#[test]
fn the_queue_shows_one_to_six_pieces_from_bags_of_seven() {
    // seed 002:617, 002:729–733.
    for (asked, shown) in [(0, 1), (1, 1), (3, 3), (6, 6), (9, 6)] {
        let settings = Settings { shown_next: asked, has_ghost: false, ..Settings::default() };
        let view = game_of("T", &[], settings).view();
        assert_eq!((view.next.len(), view.ghost), (shown, None));
    }
    let mut orders = std::collections::BTreeSet::new();
    for seed in 0..200 {
        let mut queue = Queue::new(seed);
        for _ in 0..3 {
            let coming: Vec<Piece> = queue.coming().take(6).collect();
            let mut bag: Vec<Piece> = (0..7).map(|_| queue.draw()).collect();
            assert_eq!(coming, bag[..6]);
            orders.insert(bag.clone());
            bag.sort();
            assert_eq!(bag, Piece::ALL);
        }
    }
    // Of 5,040 orders, 600 drawn: hardly any twice.
    assert!(orders.len() > 540, "{}", orders.len());
}

#[test]
fn ultra_ends_with_its_time_and_a_pause_takes_none_of_it() {
    // seed 002:2250–2253.
    let settings =
        Settings { variant: Variant::ULTRA_TWO_MINUTES, lock_down: LockDown::Infinite, ..Settings::default() };
    let mut game = game_of("T", &[], settings);
    game.advance(Keys::NONE, 500_000);
    tap(&mut game, Keys::PAUSE);
    game.advance(Keys::NONE, 500_000_000);
    tap(&mut game, Keys::PAUSE);
    // Without a touch the pile would end the game before: infinite moves keep the first piece in the air or on the floor.
    while game.elapsed_us() < 119_000_000 {
        tap(&mut game, Keys::LEFT);
        game.advance(Keys::NONE, 200_000);
        tap(&mut game, Keys::RIGHT);
        game.advance(Keys::NONE, 200_000);
    }
    let left = 120_000_000 - game.elapsed_us();
    assert!(!game.advance(Keys::NONE, left - 1).contains(&Event::Ended(End::Completed)));
    assert_eq!(game.end(), None);
    assert_eq!(game.advance(Keys::NONE, 1).last(), Some(&Event::Ended(End::Completed)));
    assert_eq!((game.elapsed_us(), game.advance(Keys::HARD_DROP, 1)), (120_000_000, vec![]));
}

#[test]
fn the_same_keys_make_the_same_game() {
    let play = || {
        let mut game = Game::on(field(&[]), Settings { level: 9, ..Settings::default() }, 77);
        let keys = [Keys::LEFT, Keys::CLOCKWISE, Keys::RIGHT, Keys::SOFT_DROP, Keys::HOLD, Keys::HARD_DROP, Keys::NONE];
        let mut events = Vec::new();
        for nth in 0..3_000u64 {
            let number = nth.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 40;
            events.extend(game.advance(keys[number as usize % keys.len()], 16_667));
        }
        (game, events)
    };
    let (game, events) = play();
    assert_eq!((game.clone(), events.clone()), play());
    let locked = events.iter().filter(|event| is_locked(std::slice::from_ref(event))).count();
    assert!(locked > 5, "{locked}");
    assert!(events.iter().all(|event| !matches!(event, Event::Locked { award, .. } if award.action == Action::Tetris)));
}
