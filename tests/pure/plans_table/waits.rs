//! A game that waits longer than its file says.

use super::simple::SimpleBench;
use stackhand::belief::Event;
use stackhand::message::DelayKind;
use stackhand::profile::calibration::Measured;
use stackhand::profile::game_file::RulesSpec;
use stackhand::profile::layout::Layout;
use stackhand::robot::{Input, Notice, Robot};

/// What became of a run.
#[derive(Debug, Default)]
struct Run {
    pieces: usize,
    misplaced: usize,
    told: Vec<(DelayKind, Measured)>,
}

impl Run {
    fn told(&self, kind: DelayKind) -> Vec<Measured> {
        self.told.iter().filter(|(what, _)| *what == kind).map(|(_, length)| *length).collect()
    }
}

/// Plays for so long a game that waits so long after a lock, frames, and until a piece can be dropped, ms: the robot was told
/// of 100 ms.
fn run(level: u8, entry_frames: u32, guard_ms: f64, fault: &str, until_ms: f64) -> Run {
    let bench = SimpleBench::new(71, level, fault.parse().unwrap()).waiting(entry_frames, guard_ms);
    let robot = bench.robot();
    play(bench, robot, until_ms)
}

fn play(bench: SimpleBench, robot: Robot, until_ms: f64) -> Run {
    play_and(bench, robot, until_ms, |_| {})
}

/// The same, and the robot is told more after every picture.
fn play_and(mut bench: SimpleBench, robot: Robot, until_ms: f64, tell: impl Fn(&mut Robot)) -> Run {
    let mut run = Run::default();
    bench.play(robot, until_ms, |robot, look| {
        tell(robot);
        for event in &look.events {
            if let Event::Locked(locked) = event {
                run.pieces += 1;
                run.misplaced += usize::from(locked.intended == Some(false));
            }
        }
        let delay = |told| match told {
            Notice::Delay { what, length, .. } => Some((what, length)),
            _ => None,
        };
        run.told.extend(look.told.into_iter().filter_map(delay));
    });
    run
}

/// None in the first minutes, and pictures that come 40 ms late, one of twenty.
const FAULTS: [&str; 2] = ["stall:0.1,1000@1000", "late:0.05,40@5"];

#[test]
fn a_guard_that_is_longer_than_its_file_says_is_found_and_waited_for() {
    // A piece that has fallen a row is guarded no more: only slow games show how long a guard is.
    for (guard_ms, fault) in [350.0, 600.0].into_iter().flat_map(|guard| FAULTS.map(|fault| (guard, fault))) {
        let run = run(0, 3, guard_ms, fault, 120_000.0);
        println!("{guard_ms} ms, {fault}: {run:?}");
        let told = run.told(DelayKind::DropGuard);
        let last = told.last().map(|guard| guard.ms);
        let last = last.unwrap_or_else(|| panic!("nothing was told of a guard of {guard_ms} ms: {run:?}"));
        // A drop waits that long from when the piece is seen, some 60 ms after it appeared, and answers a picture; by the end of
        // the longer guard many pieces have fallen a row.
        assert!((guard_ms - 140.0..2.0 * guard_ms).contains(&last), "{told:?} for {guard_ms}");
        // What was not felt is made again at once: by waiting 160 pieces fell in that time.
        assert!(run.misplaced == 0 && run.pieces > 250, "{run:?}");
    }
}

#[test]
fn a_guard_that_is_as_its_file_says_is_not_told_and_the_entry_delay_is() {
    for (entry_frames, fault) in [1, 6, 40].into_iter().flat_map(|frames| FAULTS.map(|fault| (frames, fault))) {
        let run = run(5, entry_frames, 100.0, fault, 60_000.0);
        println!("{entry_frames} frames, {fault}: {run:?}");
        assert!(run.told(DelayKind::DropGuard).is_empty(), "{run:?}");
        let told = run.told(DelayKind::Entry);
        let [Measured { ms, spread_ms }] = told[..] else { panic!("told of the entry delay: {told:?}") };
        let true_ms = f64::from(entry_frames) * 1000.0 / 60.0;
        // To within a picture's period and half of what one may be late: a drop that answers a picture always falls between the
        // same two.
        assert!((ms - true_ms).abs() < spread_ms + 8.0 && spread_ms < 34.0 + 20.0, "{told:?} for {true_ms}");
        assert!(run.misplaced == 0 && run.pieces > 30, "{run:?}");
    }
}

/// On a busy computer what a drop did shows late, for one piece of several: that is not because it was not felt.
#[test]
fn drops_that_show_late_tell_of_no_guard() {
    for (guard_ms, fault) in [(0.0, "late:0.05,150@5"), (100.0, "late:0.03,250@5"), (100.0, "late:0.1,90@5")] {
        let run = run(0, 3, guard_ms, fault, 120_000.0);
        println!("{guard_ms} ms, {fault}: {run:?}");
        assert!(run.told(DelayKind::DropGuard).is_empty() && run.pieces > 150, "{run:?}");
    }
}

#[test]
fn nothing_is_learned_while_a_person_holds_the_hand() {
    let bench = SimpleBench::new(71, 5, FAULTS[0].parse().unwrap()).waiting(6, 350.0);
    let robot = bench.robot();
    let run = play_and(bench, robot, 60_000.0, |robot| {
        robot.handle(Input::Held);
    });
    assert!(run.told.is_empty() && run.pieces > 20, "{run:?}");
}

#[test]
fn a_key_that_drops_nothing_is_not_taken_for_a_long_guard() {
    let bench = SimpleBench::new(74, 5, FAULTS[0].parse().unwrap()).without_drop_key(166.0);
    let robot = bench.robot();
    let run = play(bench, robot, 120_000.0);
    println!("{run:?}");
    assert!(run.told.is_empty() && run.pieces > 5, "{run:?}");
}

/// Where nothing but their weight locks pieces, the next one tells how long they rested at most.
#[test]
fn a_lock_that_comes_sooner_than_its_file_says_is_found_without_a_drop_key() {
    for (lock_ms, told_ms, is_told) in [(0.0, 500.0, true), (166.0, 500.0, true), (166.0, 166.0, false)] {
        let bench = SimpleBench::new(73, 12, FAULTS[0].parse().unwrap()).without_drop_key(lock_ms);
        let mut layout = Layout::load("vitetris").unwrap();
        let Some(RulesSpec::Simple { hard_drop, lock_delay_ms, .. }) = &mut layout.rules else { panic!("{layout:?}") };
        (*hard_drop, *lock_delay_ms) = (None, told_ms);
        let robot = bench.robot_of(&layout, 12);
        let run = play(bench, robot, 60_000.0);
        println!("{lock_ms} ms, told {told_ms}: {run:?}");
        let told = run.told(DelayKind::Lock);
        assert_eq!(!told.is_empty(), is_told, "{run:?}");
        // 50 ms from a lock to the next piece cannot be told from it.
        assert!(told.iter().all(|most| (most.ms - lock_ms - 50.0).abs() < most.spread_ms + 25.0), "{told:?}");
    }
}
