//! Plans against chance: what is called certain is played with timings drawn at random, by a player that shares no code
//! with the planner's own proof; and what the next piece finds is compared with the console.

#![allow(clippy::unwrap_used, clippy::expect_used)]

use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use stackhand::game::Buttons;
use stackhand::game::nes::control::spawn_pose;
use stackhand::game::nes::entry::{CLEAR_STEP, entry_frames};
use stackhand::game::nes::{Console, Control, Event};
use stackhand::game::{Board, Piece, Pose, Rules};
use stackhand::planner::{Brain, Coming, Filters, Outlook, Plan, Planner};
use stackhand::profile::calibration::{Measured, Timing};
use stackhand::profile::layout::Layout;
use stackhand::schedule::outcome::Situation;
use stackhand::schedule::polls::{Polls, SpawnWindow, Spawns};
use stackhand::schedule::{ButtonSchedule, Change, Finger};
use stackhand::time::HostTime;
use stackhand::twin::player::Player;

const FRAME_MS: f64 = 1000.0 / 60.0988;
/// The bounce of the contacts, as the planner takes it: it only delays.
const BOUNCE_MS: f64 = 1.0;

fn planner(finger: Finger) -> Planner {
    let movement = Layout::load("nes").unwrap().movement().unwrap();
    Planner::new(movement, 20, Brain::default(), finger, Filters::default())
}

fn timing() -> Timing {
    let measured = |ms, spread_ms| Measured { ms, spread_ms };
    Timing { close: measured(4.0, 1.0), open: measured(3.0, 1.0), ..Timing::default() }
}

/// A pile of up to `rows` rows with holes in it.
fn pile(dice: &mut Xoshiro256PlusPlus, rows: usize) -> Board {
    let mut board = Board::default();
    for y in 20 - dice.random_range(0..=rows)..20 {
        let row = dice.random_range(0..1024u16) | dice.random_range(0..1024u16);
        board.set_row(y, if row == board.full_row() { 0x1FF } else { row });
    }
    board
}

/// Where a piece locks when the console polls from `spawn` on and the contacts change at these times.
fn play(board: &Board, piece: Piece, level: u8, spawn_ms: f64, changes: &[(f64, Buttons)]) -> Pose {
    let held_at = |ms: f64| changes.iter().rev().find(|(at, _)| *at <= ms).map_or(Buttons::NONE, |(_, held)| *held);
    let mut control = Control::spawn(piece, 0, held_at(spawn_ms));
    for frame in 1..3000 {
        if control.frame(board, level, held_at(spawn_ms + f64::from(frame) * FRAME_MS)) {
            return control.pose;
        }
    }
    panic!("{piece} never locked");
}

/// The contacts' changes, each off by less than its bound.
fn disturbed(changes: &[Change], timing: &Timing, dice: &mut Xoshiro256PlusPlus) -> Vec<(f64, Buttons)> {
    let mut before = Buttons::NONE;
    let mut late = |change: &Change| {
        let closes = change.buttons.without(before) != Buttons::NONE;
        before = change.buttons;
        let bound = BOUNCE_MS + if closes { timing.close.spread_ms } else { timing.open.spread_ms };
        (change.at.ms() + dice.random_range(-bound..bound), change.buttons)
    };
    changes.iter().map(&mut late).collect()
}

/// When the piece may have appeared: anywhere in 50 ms, or on one of two polls known to 1.5 ms.
fn spawns(by_clock: bool, first_ms: f64) -> Spawns {
    if by_clock {
        let polls = Polls { at: HostTime::from_ms(first_ms), frame: 10, frame_ms: FRAME_MS, error_ms: 1.5 };
        return Spawns::at_frames(polls, &[(10, 0.7), (11, 0.3)]);
    }
    let window = SpawnWindow { earliest: HostTime::from_ms(first_ms), latest: HostTime::from_ms(first_ms + 50.0) };
    Spawns::within(window, FRAME_MS)
}

fn drawn_spawn_ms(by_clock: bool, first_ms: f64, dice: &mut Xoshiro256PlusPlus) -> f64 {
    match by_clock {
        true => first_ms + FRAME_MS * f64::from(dice.random_range(0..2u8)) + dice.random_range(-1.5..1.5),
        false => first_ms + dice.random_range(0.0..50.0),
    }
}

struct Case {
    board: Board,
    piece: Piece,
    level: u8,
    by_clock: bool,
    first_ms: f64,
}

fn plan(case: &Case, finger: Finger, start_ms: f64) -> Option<Plan> {
    let (rules, timing) = (Rules::Nes, timing());
    let from = spawn_pose(case.piece);
    let starts = [rules.spawn(case.piece, from, case.level, false)];
    let spawns = spawns(case.by_clock, case.first_ms);
    let situation = Situation { rules: &rules, board: &case.board, starts: &starts, spawns, timing: &timing };
    planner(finger).plan(&situation, from, &Coming::of(Some(Piece::T)), HostTime::from_ms(start_ms))
}

#[test]
fn what_is_called_certain_comes_out_whatever_the_timing() {
    let mut dice = Xoshiro256PlusPlus::seed_from_u64(90_210);
    let (mut certain, mut pressed) = (0, 0);
    for number in 0..240 {
        let level = [0, 9, 18, 19, 29][number % 5];
        let finger = [Finger::RELAY, Finger::SOLID, Finger::taps_per_s(12.0, FRAME_MS)][number / 5 % 3];
        let case = Case {
            board: pile(&mut dice, 12),
            piece: Piece::ALL[number % 7],
            level,
            by_clock: number % 2 == 0,
            first_ms: 1000.0 + dice.random_range(0.0..FRAME_MS),
        };
        let start_ms = case.first_ms + [8.0, 60.0, 160.0][number / 2 % 3];
        let Some(plan) = plan(&case, finger, start_ms).filter(|plan| plan.certainty == 1.0) else { continue };
        certain += 1;
        pressed += usize::from(!plan.schedule.changes().is_empty());
        for _ in 0..60 {
            let changes = disturbed(plan.schedule.changes(), &timing(), &mut dice);
            let spawn_ms = drawn_spawn_ms(case.by_clock, case.first_ms, &mut dice);
            let locked = play(&case.board, case.piece, level, spawn_ms, &changes);
            assert_eq!(locked, plan.lock.pose, "level {level}, {}: {plan:?}\n{:?}", case.piece, case.board.to_lines());
        }
    }
    assert!(certain > 200 && pressed > 150, "{certain} certain plans, {pressed} with presses");
}

#[test]
fn where_nothing_is_certain_the_stated_probability_holds() {
    let mut dice = Xoshiro256PlusPlus::seed_from_u64(4_711);
    let (rules, timing) = (Rules::Nes, timing());
    let (mut claimed, mut came_out, mut uncertain) = (0.0, 0.0, 0);
    for number in 0..70 {
        let (piece, board) = (Piece::ALL[number % 7], pile(&mut dice, 8));
        let from = spawn_pose(piece);
        let starts = [rules.spawn(piece, from, 29, false)];
        let spawns = spawns(true, 500.0);
        let situation =
            Situation { rules: &rules, board: &board, starts: &starts, spawns: spawns.clone(), timing: &timing };
        // A press that is in time for the piece if it comes on the earlier frame, and has begun too early for the later.
        let mut done = ButtonSchedule::default();
        done.press(HostTime::from_ms(500.0 + 0.5 * FRAME_MS), Buttons::LEFT, FRAME_MS);
        let start = HostTime::from_ms(500.0 + 14.0 * FRAME_MS);
        let plan = planner(Finger::SOLID).plan_after(&done, &situation, from, &Coming::default(), start).unwrap();
        if plan.certainty == 1.0 {
            continue;
        }
        uncertain += 1;
        claimed += plan.certainty;
        let all = plan.schedule.after(&done);
        for (frame, weight) in [(0, 0.7), (1, 0.3)] {
            for _ in 0..50 {
                let changes = disturbed(all.changes(), &timing, &mut dice);
                let spawn_ms = 500.0 + FRAME_MS * f64::from(frame) + dice.random_range(-1.5..1.5);
                let hit = play(&board, piece, 29, spawn_ms, &changes) == plan.lock.pose;
                came_out += f64::from(u8::from(hit)) * weight / 50.0;
            }
        }
    }
    assert!(uncertain > 20, "{uncertain}");
    let off = (claimed - came_out).abs() / f64::from(uncertain);
    assert!(off < 0.03, "{uncertain} plans: {claimed:.1} should have come out, {came_out:.1} did");
}

#[test]
fn a_held_direction_reaches_the_wall_where_taps_may_be_lost() {
    // Contacts so bad that a tap of two frames may be missed, or seen twice as long.
    let bad = Measured { ms: 20.0, spread_ms: 17.0 };
    let timing = Timing { close: bad, open: bad, ..Timing::default() };
    let (rules, board) = (Rules::Nes, Board::default());
    let from = spawn_pose(Piece::O);
    let starts = [rules.spawn(Piece::O, from, 5, false)];
    let window = SpawnWindow { earliest: HostTime(0), latest: HostTime::from_ms(30.0) };
    let spawns = Spawns::within(window, FRAME_MS);
    let situation = Situation { rules: &rules, board: &board, starts: &starts, spawns, timing: &timing };
    let to = Pose { x: 1, y: 18, ..from };
    let done = ButtonSchedule::default();
    let way = planner(Finger::RELAY).certain_way(&done, &situation, from, to, HostTime::from_ms(100.0));
    let (schedule, lock) = way.expect("a hold to the wall is certain");
    assert_eq!(lock.pose, to);
    let lefts = schedule.changes().iter().filter(|change| change.buttons == Buttons::LEFT).count();
    assert_eq!(lefts, 1, "{schedule:?}");
}

#[test]
fn a_press_that_began_before_the_piece_appeared_is_no_new_press() {
    let (rules, timing, board) = (Rules::Nes, timing(), Board::default());
    let from = spawn_pose(Piece::T);
    let starts = [rules.spawn(Piece::T, from, 18, false)];
    let polls = Polls { at: HostTime(0), frame: 0, frame_ms: FRAME_MS, error_ms: 1.0 };
    let spawns = Spawns::at_frames(polls, &[(0, 1.0)]);
    let situation = Situation { rules: &rules, board: &board, starts: &starts, spawns, timing: &timing };
    let lock = |first_ms: f64| {
        let mut schedule = ButtonSchedule::default();
        schedule.press(HostTime::from_ms(first_ms), Buttons::LEFT, 2.0 * FRAME_MS);
        situation.certain_lock(&schedule).unwrap().pose.x
    };
    assert_eq!(lock(-0.5 * FRAME_MS), 5, "held before, nothing is newly pressed");
    assert_eq!(lock(0.5 * FRAME_MS), 4, "the first frame that takes it");
}

#[test]
fn hopeless_boards_and_fingers_have_a_clear_answer() {
    let mut full = Board::default();
    (0..20).for_each(|y| full.set_row(y, 0x1FF));
    let case = |board| Case { board, piece: Piece::T, level: 29, by_clock: false, first_ms: 0.0 };
    let blocked = plan(&case(full), Finger::RELAY, 100.0).unwrap();
    assert_eq!(blocked.outlook, Outlook::NoPlacement);
    assert!(blocked.schedule.changes().is_empty());
    let mut high = Board::default();
    (1..20).for_each(|y| high.set_row(y, 0b11_1101_1110));
    high.set_row(0, 0b01_1000_1111);
    let lost = plan(&case(high), Finger::RELAY, 100.0).unwrap();
    assert_eq!(lost.outlook, Outlook::Lost);
    // A tap a second, while the piece is down in a third of one.
    let slow = plan(&case(Board::default()), Finger::taps_per_s(1.0, FRAME_MS), 200.0).unwrap();
    assert_eq!(slow.outlook, Outlook::Open);
}

#[test]
fn the_console_delays_pieces_after_full_rows_as_the_rules_say() {
    let allowed = Rules::Nes.clear_delay().unwrap().frames;
    let mut delays = std::collections::BTreeSet::new();
    for seed in 0..6 {
        let (mut console, mut player) = (Console::new(9, 600 + seed as u32), Player::new(seed));
        let (mut locked, mut cleared, mut phases) = (None, false, std::collections::BTreeSet::new());
        for _ in 0..30_000 {
            let held = player.hold(&console);
            match console.frame(held) {
                Some(Event::Locked(pose)) => (locked, cleared) = (Some((console.frame.0, pose.y)), false),
                Some(Event::Cleared(_)) => cleared = true,
                Some(Event::Spawned(..)) => {
                    if let Some((at, row)) = locked.take().filter(|_| cleared) {
                        let delay = (console.frame.0 - at) as u32 - entry_frames(row);
                        assert!(allowed.contains(&delay), "{delay} frames at row {row}");
                        delays.insert(delay);
                        phases.insert(console.frame.0 % i64::from(CLEAR_STEP));
                    }
                }
                Some(Event::GameOver) => locked = None,
                _ => {}
            }
        }
        assert!(phases.len() <= 1, "{phases:?}: such pieces appear on frames {CLEAR_STEP} apart");
    }
    assert_eq!(delays.len(), 4, "{delays:?}");
}
