//! Pictures that stop for a while, or come late: what that costs, and what is told.

use crate::bench::Bench;
use crate::simple::SimpleBench;
use stackhand::belief::Event;
use stackhand::message::Observation;
use stackhand::robot::{Decision, OnBlame, Robot, Told};
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

    /// When each piece appeared, and whether anything was pressed for it while it fell; without the one that falls.
    fn fallen(&self) -> Vec<(HostTime, bool)> {
        let mut fallen = match self {
            Self::Console(bench) => bench.fallen(),
            Self::Simple(bench) => bench.fallen(),
        };
        fallen.pop();
        fallen
    }
}

/// What became of a run.
#[derive(Debug, Default)]
struct Run {
    pieces: usize,
    misplaced: usize,
    /// When pieces appeared that nobody touched in their whole fall, s.
    untouched_s: Vec<f64>,
    /// When pieces were told adrift, s.
    told_s: Vec<f64>,
    why: Vec<stackhand::robot::Why>,
}

fn run(is_simple: bool, seed: u64, level: u8, fault: &str, seconds: f64) -> Run {
    let mut world = World::new(is_simple, seed, level, fault.parse().unwrap());
    let (mut robot, mut run) = (world.robot(), Run::default());
    let mut now = HostTime::default();
    while now.ms() < seconds * 1000.0 {
        let observation = world.next();
        now = observation.time;
        let look = robot.take(observation);
        for event in look.events {
            if let Event::Locked(lock) = event {
                run.misplaced += usize::from(lock.intended == Some(false));
            }
        }
        for told in look.told {
            if let Told::Adrift { time, why, .. } = told {
                run.told_s.push(time.ms() / 1000.0);
                run.why.push(why);
            }
        }
        if let Some(decision) = robot.has_to_decide(now).then(|| robot.decide(now)).flatten() {
            world.schedule(&decision);
        }
    }
    let fallen = world.fallen();
    run.pieces = fallen.len();
    run.untouched_s = fallen.iter().filter(|(_, pressed)| !pressed).map(|(at, _)| at.ms() / 1000.0).collect();
    run
}

#[test]
fn baseline() {
    for is_simple in [false, true] {
        for fault in ["stall:0.3,20@15", "stall:0.7,20@15", "stall:3,20@15", "gap:0.7,20@15", "late:0.05,40@5", "late:0,40"] {
            for level in [0, 5, 9] {
                let run = run(is_simple, 7000, level, fault, 95.0);
                println!("{is_simple} {fault} level {level}: {run:?}");
            }
        }
    }
}
