//! Decisions in situations that are set up by hand.

use super::*;
use crate::game::Buttons;
use crate::game::machine::spawn_pose;
use crate::game::simple_rules::{LockOut, SimpleRules};
use crate::game::{Board, Rules};
use crate::profile::calibration::Timing;
use crate::profile::layout::Layout;
use crate::schedule::outcome::Run;
use crate::schedule::polls::Polls;
use crate::schedule::polls::{SpawnWindow, Spawns};

fn planner() -> Planner {
    let movement = Layout::load("nes").unwrap().movement().unwrap();
    let (brain, filters) = (Brain::default(), Filters::default());
    Planner::new(movement, 20, brain, Finger::RELAY, filters)
}

fn plan_at(level: u8, board: &Board, piece: Piece) -> Option<Plan> {
    let (rules, timing) = (Rules::Nes, Timing::default());
    let starts = [rules.spawn(piece, spawn_pose(piece), level, false)];
    let window = SpawnWindow { earliest: HostTime(0), latest: HostTime::from_ms(50.0) };
    let spawns = Spawns::within(window, rules.frame_ms());
    let situation = Situation { rules: &rules, board, starts: &starts, spawns, timing: &timing };
    planner().plan(&situation, spawn_pose(piece), &Coming::of(Some(Piece::I)), HostTime::from_ms(160.0))
}

#[test]
fn slow_levels_leave_the_best_placement_certain() {
    for piece in Piece::ALL {
        let plan = plan_at(0, &Board::default(), piece).unwrap();
        assert_eq!(plan.skipped, 0, "{piece}: {plan:?}");
        assert!(plan.schedule.end().is_some_and(|end| end > plan.lock.latest));
    }
}

#[test]
fn at_full_speed_only_what_is_certain_is_done() {
    for piece in Piece::ALL {
        let plan = plan_at(29, &Board::default(), piece).unwrap();
        assert!(plan.lock.latest < HostTime::from_ms(800.0), "{piece}: {plan:?}");
    }
}

#[test]
fn the_best_placements_are_told_with_what_spoke_against_those_that_were_passed_over() {
    // A tower in the middle: at full speed its left side is soon out of reach.
    let mut board = Board::default();
    (8..20).for_each(|y| (4..7).for_each(|x| board.fill(x, y)));
    let mut passed_over = 0;
    for piece in Piece::ALL {
        let plan = plan_at(29, &board, piece).unwrap();
        assert!(plan.choices.len() > 1 && plan.points.is_none(), "{piece}: {plan:?}");
        assert!(plan.choices.is_sorted_by(|a, b| a.candidate.cost <= b.candidate.cost), "{piece}: {plan:?}");
        for (place, choice) in plan.choices.iter().enumerate().filter(|_| plan.certainty == 1.0) {
            assert_eq!(choice.fate == Fate::Open, place >= plan.skipped, "{piece}: {plan:?}");
            assert!(place != plan.skipped || choice.candidate.pose == plan.lock.pose, "{piece}: {plan:?}");
            passed_over += usize::from(choice.fate == Fate::TooFar);
        }
    }
    assert!(passed_over > 0);
}

#[test]
fn a_learned_value_says_what_it_expects_in_points() {
    // Nothing counts here but lines; where each piece does, too, see the value's own test.
    let learned = Planner { brain: Brain::named("learned-free").unwrap(), ..planner() };
    let (rules, timing, board) = (Rules::Nes, Timing::default(), Board::default());
    let starts = [18, 9].map(|level| [rules.spawn(Piece::O, spawn_pose(Piece::O), level, false)]);
    let [fast, slow] = starts.each_ref().map(|starts| {
        let window = SpawnWindow { earliest: HostTime(0), latest: HostTime(0) };
        let spawns = Spawns::within(window, rules.frame_ms());
        let situation = Situation { rules: &rules, board: &board, starts, spawns, timing: &timing };
        learned.plan(&situation, spawn_pose(Piece::O), &Coming::of(Some(Piece::I)), HostTime::from_ms(60.0)).unwrap()
    });
    let points = |plan: &Plan| plan.points.unwrap();
    assert!((points(&fast) + fast.cost * 300.0 * 19.0).abs() < 1.0, "{fast:?}");
    // What is learned says nothing else of a hundred pieces: some 40 lines in fours, at that level.
    assert!((30_000.0..400_000.0).contains(&points(&fast)) && points(&slow) < points(&fast), "{fast:?} {slow:?}");
    let first = |plan: &Plan| plan.choices.iter().find(|c| c.candidate.pose == plan.lock.pose).unwrap().points;
    assert_eq!(first(&fast), fast.points);
}

#[test]
fn where_frames_are_known_all_that_taps_can_do_in_time_comes_out_for_certain() {
    // High enough that three taps decide, with an overhang to get under and a well at the side.
    let mut board = Board::default();
    (9..20).for_each(|y| (1..9).for_each(|x| board.fill(x, y)));
    (1..4).for_each(|x| board.clear(x, 10));
    let (rules, timing, planner) = (Rules::Nes, Timing::default(), planner());
    let polls = Polls { at: HostTime::from_ms(1000.0), frame: 0, frame_ms: rules.frame_ms(), error_ms: 1.0 };
    let level = 18;
    let pace = rules.pace(level).unwrap();
    let hand = Hand::of(planner.finger).unwrap();
    let mut all = 0;
    // The hand begins early, or so late that some taps are lost.
    for (piece, first) in Piece::ALL.into_iter().flat_map(|piece| [2, 7, 11, 15].map(|first| (piece, first))) {
        let (spawn, start) = (spawn_pose(piece), polls.time(first));
        let starts = [rules.spawn(piece, spawn, level, false)];
        let spawns = Spawns::at_frames(polls, &[(0, 1.0)]);
        let situation = Situation { rules: &rules, board: &board, starts: &starts, spawns, timing: &timing };
        let done = ButtonSchedule::default();
        let mut run = Run::new(&starts[0], &situation, polls.time(0), done.changes());
        assert!(run.runs_to(start));
        let touch = Touch { pace, hand, style: TimedStyle::Taps };
        for pose in touch.reach(&board, run.faller.control().unwrap()).locks() {
            let way = planner.certain_way(&done, &situation, spawn, pose, start);
            let (schedule, lock) = way.unwrap_or_else(|| panic!("{piece} to {pose:?}"));
            assert_eq!(lock.pose, pose);
            assert!(schedule.changes().first().is_none_or(|first| first.at >= start), "{schedule:?}");
            all += 1;
        }
    }
    assert!(all > 300, "{all}");
}

#[test]
fn a_guarded_drop_waits_until_the_game_takes_it() {
    let layout = Layout::load("vitetris").unwrap();
    let (rules, timing, board) = (layout.game_rules(), Timing::default(), Board::default());
    let planner = Planner { movement: layout.movement().unwrap(), ..planner() };
    let from = planner.movement.spawn(Piece::O);
    let starts = [rules.spawn(Piece::O, from, 0, false)];
    // The spawn may be as late as the picture that showed it, whatever the eye's time says.
    let window = SpawnWindow { earliest: HostTime(0), latest: HostTime(0) };
    let spawns = Spawns::within(window, rules.frame_ms());
    let situation = Situation { rules: &rules, board: &board, starts: &starts, spawns, timing: &timing };
    let start = HostTime::from_ms(60.0);
    let to = crate::game::orientation::Pose { y: 18, ..from };
    // The drop key may still be down from the piece before.
    let mut dropped = ButtonSchedule::default();
    dropped.press(HostTime::from_ms(-10.0), rules.hard_drop().unwrap(), 33.0);
    for done in [ButtonSchedule::default(), dropped] {
        let (schedule, lock) = planner.certain_way(&done, &situation, from, to, start).unwrap();
        assert_eq!(schedule.changes()[0].at, start.plus_ms(100.0), "{done:?}");
        assert!(lock.latest < HostTime::from_ms(250.0), "{lock:?}");
    }
}

#[test]
fn where_nothing_reaches_above_the_field_a_piece_is_turned_as_soon_as_it_has_room() {
    let layout = Layout::load("vitetris").unwrap();
    let Rules::Simple(rules) = layout.game_rules() else { panic!("vitetris has rules of its own") };
    let rules = Rules::Simple(std::sync::Arc::new(SimpleRules { hidden_rows: 0, ..(*rules).clone() }));
    let planner = Planner { movement: layout.movement().unwrap(), ..planner() };
    let (timing, board, key) = (Timing::default(), Board::default(), rules.hard_drop().unwrap());
    let window = SpawnWindow { earliest: HostTime(0), latest: HostTime::from_ms(30.0) };
    let spawns = Spawns::within(window, rules.frame_ms());
    for piece in [Piece::T, Piece::J, Piece::L] {
        let from = planner.movement.spawn(piece);
        let starts = [rules.spawn(piece, from, 0, false)];
        let situation =
            Situation { rules: &rules, board: &board, starts: &starts, spawns: spawns.clone(), timing: &timing };
        let plan = planner.plan(&situation, from, &Coming::of(Some(Piece::O)), HostTime::from_ms(60.0)).unwrap();
        let uncertain = plan.choices.iter().filter(|choice| choice.fate != Fate::Open).count();
        assert_eq!((plan.certainty, uncertain), (1.0, 0), "{piece}: {plan:?}");
        let turned = Move::Clockwise.apply(from, rules.rotation());
        let to = (0..20).map(|y| Pose { y, ..turned }).rfind(|pose| pose.fits(&board)).unwrap();
        let way = planner.certain_way(&ButtonSchedule::default(), &situation, from, to, HostTime::from_ms(60.0));
        let (schedule, _) = way.unwrap_or_else(|| panic!("{piece} is not turned"));
        let presses = schedule.changes().iter().map(|change| change.buttons).filter(|held| *held != Buttons::NONE);
        let presses: Vec<Buttons> = presses.collect();
        assert!(presses.len() <= 4 && presses.last() == Some(&key), "{piece}: {presses:?}");
    }
}

#[test]
fn a_piece_is_slid_under_an_overhang_by_a_timed_soft_drop() {
    // A roof over the lower left corner: the flat I gets under it only by sliding left once it is below row 17.
    let mut board = Board::default();
    (0..4).for_each(|x| board.fill(x, 17));
    let (rules, timing) = (Rules::Nes, Timing::default());
    let from = spawn_pose(Piece::I);
    let starts = [rules.spawn(Piece::I, from, 0, false)];
    let window = SpawnWindow { earliest: HostTime(0), latest: HostTime::from_ms(50.0) };
    let spawns = Spawns::within(window, rules.frame_ms());
    let situation = Situation { rules: &rules, board: &board, starts: &starts, spawns, timing: &timing };
    let to = crate::game::orientation::Pose { x: 2, y: 19, ..from };
    let done = ButtonSchedule::default();
    let way = planner().certain_way(&done, &situation, from, to, HostTime::from_ms(160.0));
    let (schedule, lock) = way.expect("there is a certain way under the roof");
    assert_eq!(lock.pose, to);
    let downs = schedule.changes().iter().filter(|c| c.buttons == crate::game::Buttons::DOWN).count();
    assert!(downs >= 2, "one timed descent to below the roof, one to the floor: {schedule:?}");
}

#[test]
fn no_piece_is_put_where_it_ends_the_game_as_it_locks_if_there_is_another_place() {
    // An upright I on the left would clear a row, and reach out of the field.
    let mut board = Board::default();
    board.set_row(2, 0b11_1111_1110);
    (3..20).for_each(|y| board.set_row(y, 0b11_1110_1111));
    let plan_where = |lock_out| {
        let layout = Layout::load("vitetris").unwrap();
        let Rules::Simple(rules) = layout.game_rules() else { panic!("vitetris has rules of its own") };
        let rules = Rules::Simple(std::sync::Arc::new(SimpleRules { lock_out, ..(*rules).clone() }));
        let (movement, timing) = (layout.movement().unwrap(), Timing::default());
        let from = movement.spawn(Piece::I);
        let starts = [rules.spawn(Piece::I, from, 0, false)];
        let spawns =
            Spawns::within(SpawnWindow { earliest: HostTime(0), latest: HostTime::from_ms(50.0) }, rules.frame_ms());
        let situation = Situation { rules: &rules, board: &board, starts: &starts, spawns, timing: &timing };
        let planner = Planner::new(movement, 20, Brain::default(), Finger::RELAY, Filters::default());
        planner.plan(&situation, from, &Coming::of(Some(Piece::O)), HostTime::from_ms(160.0)).unwrap().lock.pose
    };
    assert!(plan_where(LockOut::None).rows_above() > 0);
    assert_eq!(plan_where(LockOut::Partial).rows_above(), 0);
}

#[test]
fn a_piece_that_slides_in_is_planned_before_all_of_it_is_in_the_field() {
    let layout = Layout::load("ltris").unwrap();
    let (rules, movement, timing) = (layout.game_rules(), layout.movement().unwrap(), Timing::default());
    let board = Board::default();
    for (piece, level) in Piece::ALL.into_iter().zip([0, 1, 5].into_iter().cycle()) {
        let from = movement.spawn(piece).moved(0, -1);
        let starts = [rules.spawn(piece, from, level, false)];
        let window = SpawnWindow { earliest: HostTime(0), latest: HostTime::from_ms(50.0) };
        let spawns = Spawns::within(window, rules.frame_ms());
        let situation = Situation { rules: &rules, board: &board, starts: &starts, spawns, timing: &timing };
        let (brain, filters) = (Brain::default(), Filters::default());
        let planner = Planner::new(movement.clone(), 20, brain, Finger::RELAY, filters);
        let plan = planner.plan(&situation, from, &Coming::of(Some(Piece::I)), HostTime::from_ms(160.0)).unwrap();
        assert!(plan.choices.len() > 3, "{piece} at level {level}: {plan:?}");
    }
}

/// A plan in a game in which a tap of Down is a row, and what such a piece would do by itself.
fn tapped(piece: Piece, row_ms: f64, board: &Board, finger: Finger) -> (Plan, Lock) {
    let layout = Layout::load("vitetris").unwrap();
    let Rules::Simple(rules) = layout.game_rules() else { panic!("vitetris has rules of its own") };
    let rules = SimpleRules { row_ms: vec![row_ms], hard_drop: None, ..(*rules).clone() };
    let rules = Rules::Simple(std::sync::Arc::new(rules));
    let (movement, timing) = (layout.movement().unwrap(), Timing::default());
    let spawn = movement.spawn(piece);
    let starts = [rules.spawn(piece, spawn, 0, false)];
    let window = SpawnWindow { earliest: HostTime(0), latest: HostTime::from_ms(50.0) };
    let spawns = Spawns::within(window, rules.frame_ms());
    let situation = Situation { rules: &rules, board, starts: &starts, spawns, timing: &timing };
    let (brain, filters) = (Brain::default(), Filters::default());
    let planner = Planner::new(movement, 20, brain, finger, filters);
    let plan = planner.plan(&situation, spawn, &Coming::of(Some(Piece::T)), HostTime::from_ms(160.0)).unwrap();
    (plan, situation.certain_lock(&ButtonSchedule::default()).unwrap())
}

#[test]
fn where_down_is_a_row_a_tap_no_press_outlasts_the_piece() {
    let mut high = Board::default();
    (8..20).for_each(|y| (0..9).for_each(|x| high.fill(x, y)));
    for board in [Board::default(), high] {
        for (piece, finger) in Piece::ALL.into_iter().flat_map(|p| [(p, Finger::RELAY), (p, Finger::SOLID)]) {
            let (plan, alone) = tapped(piece, 467.0, &board, finger);
            let changes = plan.schedule.changes();
            let longest = changes.chunks(2).map(|pair| pair[1].at.ms_since(pair[0].at)).fold(0.0, f64::max);
            assert!(longest < 70.0, "{piece}: held for {longest} ms");
            let last = changes[changes.len() - 2];
            assert!(last.at < plan.lock.earliest, "{piece}: pressed at {} after {:?}", last.at, plan.lock);
            // Each of the rows takes a tap in the place of half a second.
            let is_soon = plan.lock.latest.ms() < alone.latest.ms() / 2.0;
            assert!(is_soon || board.count() > 0, "{piece}: {:?}, alone {alone:?}", plan.lock);
        }
    }
}

#[test]
fn where_a_piece_falls_as_fast_as_the_finger_taps_down_is_left_alone() {
    let (plan, _) = tapped(Piece::O, 60.0, &Board::default(), Finger::RELAY);
    assert!(plan.schedule.changes().iter().all(|change| !change.buttons.contains(Buttons::DOWN)), "{plan:?}");
}

#[test]
fn where_nothing_turns_at_the_top_a_turn_waits_for_the_fall_and_a_shift_does_not() {
    let layout = Layout::load("standard").unwrap();
    let (rules, timing, board) = (layout.game_rules(), Timing::default(), Board::default());
    let planner = Planner { movement: layout.movement().unwrap(), ..planner() };
    let (done, start) = (ButtonSchedule::default(), HostTime::from_ms(160.0));
    for (level, row_ms) in [(1, 500.0), (6, 250.0), (10, 50.0)] {
        for piece in Piece::ALL {
            let from = planner.movement.spawn(piece);
            let starts = [rules.spawn(piece, from, level, false)];
            let window = SpawnWindow { earliest: HostTime(0), latest: HostTime::from_ms(50.0) };
            let spawns = Spawns::within(window, rules.frame_ms());
            let situation = Situation { rules: &rules, board: &board, starts: &starts, spawns, timing: &timing };
            let mut turned = 0;
            let moves = Moves { movement: &planner.movement, manner: Manner::Standard };
            for pose in moves.locks(&board, from) {
                let way = planner.certain_way(&done, &situation, from, pose, start);
                let (schedule, lock) = way.unwrap_or_else(|| panic!("{piece} to {pose:?} at level {level}"));
                assert_eq!(lock.pose, pose);
                let turn = schedule.changes().iter().find(|change| change.buttons.contains(Buttons::UP));
                let is_late = |at: HostTime| at.ms() > 50.0 + row_ms;
                assert!(turn.is_none_or(|turn| is_late(turn.at)), "{piece} at level {level}: {schedule:?}");
                let first = schedule.changes().first().map(|change| change.at);
                assert!(turn.is_some() || first == Some(start), "{piece} at level {level}: {schedule:?}");
                turned += usize::from(turn.is_some());
            }
            assert!(turned > 5 || piece == Piece::O, "{piece} at level {level}: {turned} turned");
        }
    }
}

#[test]
fn half_a_turn_is_one_press_where_the_game_has_its_key() {
    let mut layout = Layout::load("guideline").unwrap();
    let text = include_str!("../../calibration/games/guideline.toml")
        .replace("soft_drop = 20", "half_turn = \"down\"\nsoft_drop = false");
    layout.rules = Some(crate::profile::game_file::GameFile::parse("mine", &text).unwrap().rules);
    let (rules, timing) = (layout.game_rules(), Timing::default());
    // A T upside down fits between two columns.
    let mut board = Board::default();
    for (x, row) in (0..10).flat_map(|x| [18, 19].map(|row| (x, row))).filter(|(x, row)| *x < 3 || *x > 5 || *row == 19)
    {
        board.fill(x, row);
    }
    board.rows();
    let planner = Planner::new(layout.movement().unwrap(), 20, Brain::default(), Finger::RELAY, Filters::default());
    let from = planner.movement.spawn(Piece::T);
    let starts = [rules.spawn(Piece::T, from, 1, false)];
    let window = SpawnWindow { earliest: HostTime(0), latest: HostTime(0) };
    let spawns = Spawns::within(window, rules.frame_ms());
    let situation = Situation { rules: &rules, board: &board, starts: &starts, spawns, timing: &timing };
    let turned = rules.rotation().half_turned(from);
    let to = (0..20).map(|rows| turned.moved(0, rows)).take_while(|pose| pose.fits(&board)).last().unwrap();
    let (done, start) = (ButtonSchedule::default(), HostTime::from_ms(60.0));
    let (schedule, lock) = planner.certain_way(&done, &situation, from, to, start).unwrap();
    let pressed: Vec<_> = schedule.changes().iter().map(|change| change.buttons).filter(|held| held.0 != 0).collect();
    assert_eq!((pressed, lock.pose), (vec![Buttons::DOWN, Buttons::UP], to));
}
