//! A game whose pieces fall faster or slower than the robot was told.

use super::bench::Bench;
use super::simple::SimpleBench;
use crate::driven::Driven;
use stackhand::belief::Event;
use stackhand::profile::layout::Layout;
use stackhand::robot::Notice;

/// What became of a run.
#[derive(Debug, Default)]
struct Run {
    pieces: usize,
    misplaced: usize,
    adrift: usize,
    /// At which level, how long a row was said to take, and in which words.
    told: Vec<(u8, f64, String)>,
}

/// Plays for a minute a game at a level of which the robot was told that it is another, with pictures that are disturbed so.
fn run(seed: u64, level: u8, told: u8, fault: &str) -> Run {
    const UNTIL_MS: f64 = 60_000.0;
    let mut bench = SimpleBench::new(seed, level, fault.parse().unwrap());
    let mut run = Run::default();
    bench.play(bench.robot_told(told), UNTIL_MS, |_, look| {
        for event in &look.events {
            if let Event::Locked(locked) = event {
                run.pieces += 1;
                run.misplaced += usize::from(locked.intended == Some(false));
            }
        }
        for told in look.told {
            match told {
                Notice::FallTime { level, row_ms, words, .. } => run.told.push((level, row_ms, words)),
                Notice::Adrift { .. } => run.adrift += 1,
                _ => {}
            }
        }
    });
    run
}

/// None in the first minute; pictures that come 40 ms late, one of twenty; and none for 0.7 s, every twelve seconds.
const FAULTS: [&str; 3] = ["stall:0.1,1000@1000", "late:0.05,40@5", "stall:0.7,12@8"];

#[test]
fn the_speed_is_measured_where_the_level_was_told_wrong() {
    let rules = Layout::load("vitetris").unwrap().game_rules();
    let games = [(9, 0), (12, 5), (16, 9), (9, 15)];
    for ((level, told), fault) in games.into_iter().flat_map(|game| FAULTS.map(|fault| (game, fault))) {
        let run = run(40 + u64::from(level), level, told, fault);
        println!("level {level}, told {told}, {fault}: {run:?}");
        let (at, row_ms, words) = run.told.first().unwrap_or_else(|| panic!("nothing was told"));
        // It has counted lines by then.
        assert!((told..told + 4).contains(at), "{run:?}");
        assert!((row_ms - rules.row_ms(level)).abs() < 0.12 * rules.row_ms(level), "{row_ms}");
        assert!(
            (level - 1..=level + 1).any(|level| words.contains(&format!("about level {level}'s")))
                && words.contains("--level"),
            "{words}"
        );
        assert!(run.told.len() <= 4, "{:?}", run.told);
        // A stall costs a piece at most.
        assert!(run.pieces > 40 && run.misplaced <= 5, "{run:?}");
    }
}

#[test]
fn a_speed_that_is_as_it_should_be_is_not_told() {
    for (level, fault) in [0, 5, 9, 12, 16].into_iter().flat_map(|level| FAULTS.map(|fault| (level, fault))) {
        let run = run(60 + u64::from(level), level, level, fault);
        assert!(run.told.is_empty() && run.pieces > 30, "level {level}, {fault}: {run:?}");
    }
}

/// Plays so many pieces of the console's game at a level of which the robot was told that it is another: what was told, and how
/// many pieces of the second half were misplaced.
fn console(level: u8, told: u8, pieces: usize) -> (Vec<(u8, f64, String)>, usize) {
    let mut bench = Bench::new(500 + u64::from(level), level);
    let mut robot = bench.robot_told(told);
    let (mut said, mut locked, mut misplaced) = (Vec::new(), 0, 0);
    for _ in 0..pieces * 400 {
        if locked >= pieces {
            break;
        }
        let observation = bench.next();
        let now = observation.time;
        let look = robot.take(observation);
        for event in look.events {
            if let Event::Locked(lock) = event {
                locked += 1;
                misplaced += usize::from(locked > pieces / 2 && lock.intended == Some(false));
            }
        }
        for told in look.told {
            if let Notice::FallTime { level, row_ms, words, .. } = told {
                said.push((level, row_ms, words));
            }
        }
        if let Some(decision) = robot.has_to_decide(now).then(|| robot.decide(now)).flatten() {
            bench.schedule(&decision);
        }
    }
    assert_eq!(locked, pieces, "level {level}, told {told}: {said:?}");
    (said, misplaced)
}

#[test]
fn another_level_of_the_console_than_was_told_is_known_by_its_speed() {
    // The speeds of several levels are the same: the first of them is taken.
    for (level, told, named, taken) in
        [(9, 0, "level 9", 9), (18, 0, "levels 16 to 18", 16), (18, 8, "levels 16 to 18", 16), (5, 18, "level 5", 5)]
    {
        let (said, misplaced) = console(level, told, 40);
        println!("level {level}, told {told}: {misplaced} misplaced, {said:?}");
        let (at, _, words) = said.first().unwrap_or_else(|| panic!("nothing was told"));
        assert_eq!(*at, told);
        let is_named =
            words.contains(&format!("taken to be at level {taken} from now on (that is the speed of {named}:"));
        assert!(is_named && words.contains("--level"), "{words}");
        assert_eq!(said.len(), 1, "{said:?}");
        assert!(misplaced <= 1, "{misplaced} of the last 20");
    }
}

#[test]
fn the_level_that_was_told_stays_where_the_console_is_at_it() {
    for level in [0, 5, 8, 9, 10, 13, 16, 18, 19, 29] {
        let pieces = if level == 29 { 12 } else { 40 };
        let (said, _) = console(level, level, pieces);
        assert!(said.is_empty(), "level {level}: {said:?}");
    }
}
