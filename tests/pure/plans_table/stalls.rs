//! Pictures that stop for a while, or come late: what that costs, and what is told.

use super::bench::Bench;
use super::simple::SimpleBench;
use crate::driven::Driven;
use stackhand::belief::Event;
use stackhand::message::Observation;
use stackhand::robot::{Decision, Notice, OnBlame, Robot};
use stackhand::schedule::Finger;
use stackhand::time::HostTime;
use stackhand::twin::fault::TableFault;

/// The console, or a game of simple rules.
enum World {
    Console(Box<Bench>),
    Simple(Box<SimpleBench>),
}

impl World {
    fn new(is_simple: bool, seed: u64, level: u8, fault: TableFault) -> Self {
        match is_simple {
            true => Self::Simple(Box::new(SimpleBench::new(seed, level, fault))),
            false => Self::Console(Box::new(Bench::broken(seed, level, Some(fault)))),
        }
    }

    fn robot(&self) -> Robot {
        match self {
            Self::Console(bench) => bench.robot_that(Finger::RELAY, OnBlame::Tell),
            Self::Simple(bench) => bench.robot(),
        }
    }

    fn next(&mut self) -> Observation {
        match self {
            Self::Console(bench) => bench.next(),
            Self::Simple(bench) => bench.next(),
        }
    }

    fn schedule(&mut self, decision: &Decision) {
        match self {
            Self::Console(bench) => bench.schedule(decision),
            Self::Simple(bench) => bench.schedule(decision),
        }
    }

    /// When each piece appeared, and whether anything was pressed for it while it fell.
    fn fallen(&self) -> Vec<(HostTime, bool)> {
        match self {
            Self::Console(bench) => bench.fallen(),
            Self::Simple(bench) => bench.fallen(),
        }
    }
}

/// A piece that nobody touched in its whole fall: from when to when, s.
#[derive(Debug, Clone, Copy)]
struct Untouched {
    from_s: f64,
    to_s: f64,
}

/// What became of a run.
#[derive(Debug, Default)]
struct Run {
    pieces: usize,
    misplaced: usize,
    untouched: Vec<Untouched>,
    /// When pieces were told adrift, s.
    told_s: Vec<f64>,
}

fn run(is_simple: bool, level: u8, fault: &str) -> Run {
    let mut world = World::new(is_simple, 7000 + u64::from(level), level, fault.parse().unwrap());
    let (mut robot, mut run) = (world.robot(), Run::default());
    let mut now = HostTime::default();
    while now.ms() < SECONDS * 1000.0 {
        let observation = world.next();
        now = observation.time;
        let look = robot.take(observation);
        let misplaced =
            look.events.iter().filter(|event| matches!(event, Event::Locked(l) if l.intended == Some(false)));
        run.misplaced += misplaced.count();
        run.told_s.extend(look.told.iter().filter_map(|told| match told {
            Notice::Adrift { time, .. } => Some(time.ms() / 1000.0),
            _ => None,
        }));
        if let Some(decision) = robot.has_to_decide(now).then(|| robot.decide(now)).flatten() {
            world.schedule(&decision);
        }
    }
    let fallen = world.fallen();
    run.pieces = fallen.len();
    let lives = fallen.windows(2).filter(|pair| !pair[0].1);
    run.untouched = lives.map(|p| Untouched { from_s: p[0].0.ms() / 1000.0, to_s: p[1].0.ms() / 1000.0 }).collect();
    run
}

/// Stalls begin at 8 s, 20 s and 32 s.
const FIRST_S: f64 = 8.0;
const EVERY_S: f64 = 12.0;
const SECONDS: f64 = 44.0;
/// A piece that is seen for this long is steered or told, s.
const SEEN_S: f64 = 0.9;

/// Pictures stop three times for this long: each stall costs a piece at most, and none that appears two seconds later.
#[track_caller]
fn check_stalls(is_simple: bool, level: u8, kind: &str, stall_s: f64) {
    let run = run(is_simple, level, &format!("{kind}:{stall_s},{EVERY_S}@{FIRST_S}"));
    let what = format!("simple {is_simple}, level {level}, {kind} of {stall_s} s: {run:?}");
    let ends: Vec<f64> = (0..3).map(|i| FIRST_S + f64::from(i) * EVERY_S + stall_s).collect();
    let mut costs = [0; 3];
    for Untouched { from_s, to_s } in run.untouched.iter().copied() {
        let number = ends.iter().rposition(|end| from_s > end - stall_s - 3.0);
        let number = number.unwrap_or_else(|| panic!("before all stalls: {what}"));
        // Whatever has come and gone while no picture came was nobody's.
        if to_s > ends[number] + 0.2 {
            costs[number] += 1;
            assert!(from_s < ends[number] + 2.0, "{from_s}: {what}");
        }
        let is_seen = to_s - from_s.max(ends[number]) > SEEN_S;
        let is_told = run.told_s.iter().any(|at| (from_s..to_s + 0.5).contains(at));
        assert!(is_told || !is_seen, "{from_s} is not told: {what}");
    }
    assert!(costs.iter().all(|cost| *cost <= 1), "{costs:?}: {what}");
    assert!(run.misplaced <= 3, "{what}");
    assert!(run.pieces >= if is_simple { 40 } else { 24 }, "{what}");
}

fn check_all_stalls(is_simple: bool) {
    for level in [0, 5, 9] {
        for stall_s in [0.3, 0.7, 3.0] {
            check_stalls(is_simple, level, "stall", stall_s);
        }
        check_stalls(is_simple, level, "gap", 0.7);
    }
}

#[test]
fn a_stall_costs_a_piece_at_most_at_the_console() {
    check_all_stalls(false);
}

#[test]
fn a_stall_costs_a_piece_at_most_where_nothing_goes_by_frames() {
    check_all_stalls(true);
}

#[test]
fn pictures_that_come_late_now_and_then_cost_nothing() {
    for is_simple in [false, true] {
        for level in [0, 5, 9] {
            let run = run(is_simple, level, "late:0.05,40@5");
            let what = format!("simple {is_simple}, level {level}: {run:?}");
            assert!(run.untouched.is_empty() && run.told_s.is_empty() && run.misplaced <= 1, "{what}");
            assert!(run.pieces >= 24, "{what}");
        }
    }
}
