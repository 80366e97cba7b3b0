//! What the robot makes of broken relays, at the table without pixels:
//! `cargo run --release --example blame_survey -- correct|faults|healthy PIECES SEED… [level=N…] [finger=relay|solid]`.
//! `correct` loses presses and counts what they do to their pieces, `faults` breaks one thing after the other and counts
//! pieces until it is named, `healthy` breaks nothing and counts verdicts.

#![allow(clippy::unwrap_used, clippy::expect_used)]

#[allow(dead_code)]
#[path = "../tests/pure/plans_table/bench.rs"]
mod bench;

#[path = "../tests/shared/driven.rs"]
mod driven;

use bench::Bench;
use driven::Driven;
use stackhand::belief::Event;
use stackhand::belief::blame::ledger::Culprit;
use stackhand::game::Buttons;
use stackhand::message::BlameKind;
use stackhand::robot::{Notice as Said, OnBlame, Robot};
use stackhand::schedule::Finger;
use stackhand::time::HostTime;
use stackhand::twin::fault::{FaultKind, TableFault};
use stackhand::twin::pad::WIRING;

/// From the console's poll to the picture, ms.
const EYE_MS: f64 = 126.0;
/// From a press that was lost to the first press that can answer it, and one press: the eye, two pictures, the wire, two
/// frames, ms.
const REACTION_MS: f64 = 270.0;

/// What became of the pieces of one run.
#[derive(Default)]
struct Sums {
    pieces: usize,
    misplaced: usize,
    /// Pieces while which a contact slipped, and of them those that locked elsewhere than last planned.
    slipped: usize,
    slipped_misplaced: usize,
    /// The same where there was time to see it and to press something.
    mendable: usize,
    mendable_misplaced: usize,
}

fn play(bench: &mut Bench, robot: &mut Robot, pieces: usize) -> Sums {
    let mut sums = Sums::default();
    let mut piece = 0;
    while sums.pieces < pieces {
        let observation = bench.next();
        let now = observation.time;
        for event in robot.take(observation).events {
            match event {
                Event::Locked(lock) => {
                    sums.pieces += 1;
                    let is_elsewhere = usize::from(lock.intended == Some(false));
                    sums.misplaced += is_elsewhere;
                    if !bench.slip_times(piece).is_empty() {
                        sums.slipped += 1;
                        sums.slipped_misplaced += is_elsewhere;
                        let left_ms = |at: HostTime| lock.time.ms_since(at) - EYE_MS;
                        if bench.slip_times(piece).into_iter().all(|at| left_ms(at) > REACTION_MS) {
                            sums.mendable += 1;
                            sums.mendable_misplaced += is_elsewhere;
                        }
                    }
                }
                Event::Spawned(_) => piece = bench.pieces(),
                _ => {}
            }
        }
        if let Some(decision) = robot.has_to_decide(now).then(|| robot.decide(now)).flatten() {
            bench.schedule(&decision);
        }
    }
    sums
}

/// What the command line asks for.
struct Wanted {
    pieces: usize,
    seeds: Vec<u64>,
    levels: Vec<u8>,
    fingers: Vec<(&'static str, Finger)>,
}

impl Wanted {
    fn of(arguments: &[String]) -> Self {
        let mut numbers = arguments.iter().filter_map(|text| text.parse().ok());
        let named = |name: &str| arguments.iter().filter_map(|text| text.strip_prefix(name)).collect::<Vec<_>>();
        let fingers = [("relay", Finger::RELAY), ("solid", Finger::SOLID)];
        let only = named("finger=");
        Self {
            pieces: numbers.next().unwrap_or(100) as usize,
            seeds: numbers.collect(),
            levels: named("level=").iter().filter_map(|text| text.parse().ok()).collect(),
            fingers: fingers.into_iter().filter(|(name, _)| only.is_empty() || only.contains(name)).collect(),
        }
    }

    fn levels_or(&self, usual: &[u8]) -> Vec<u8> {
        if self.levels.is_empty() { usual.to_vec() } else { self.levels.clone() }
    }
}

fn correct(wanted: &Wanted) {
    let fault: TableFault = "lose:0.03@20".parse().unwrap();
    for &(name, finger) in &wanted.fingers {
        for level in wanted.levels_or(&[0, 9, 18, 19]) {
            let mut sums = Sums::default();
            for seed in &wanted.seeds {
                let mut bench = Bench::broken(*seed, level, Some(fault));
                let mut robot = bench.robot_that(finger, OnBlame::Tell);
                let one = play(&mut bench, &mut robot, wanted.pieces);
                sums.pieces += one.pieces;
                sums.misplaced += one.misplaced;
                sums.slipped += one.slipped;
                sums.slipped_misplaced += one.slipped_misplaced;
                sums.mendable += one.mendable;
                sums.mendable_misplaced += one.mendable_misplaced;
            }
            let Sums { pieces, misplaced, slipped, slipped_misplaced, mendable, mendable_misplaced } = sums;
            println!(
                "{name} level {level}: {pieces} pieces, {misplaced} misplaced; with a lost press {slipped}, of them \
                 {slipped_misplaced} misplaced; where it came {REACTION_MS} ms before the lock {mendable}, of them \
                 {mendable_misplaced}"
            );
        }
    }
}

/// What was said at a table of which something is broken.
struct Notice {
    /// Pieces from the fault to the first right verdict, and to the pause.
    named: Option<usize>,
    paused: Option<usize>,
    right: usize,
    wrong: Vec<String>,
    pieces: usize,
    misplaced: usize,
}

/// Whether this verdict is right about this fault.
fn is_right(kind: FaultKind, culprit: Culprit) -> bool {
    let is = |relay: u8, button: Option<Buttons>| button == Some(WIRING[relay as usize]);
    let is_lost = matches!(culprit.kind, BlameKind::LostPress | BlameKind::DeadButton);
    match kind {
        FaultKind::Dead(relay) => is_lost && is(relay, culprit.button),
        // A turning button that is always held does nothing.
        FaultKind::Stuck(relay @ (6 | 7)) => is_lost && is(relay, culprit.button),
        FaultKind::Stuck(relay) => culprit.kind == BlameKind::StuckClosed && is(relay, culprit.button),
        FaultKind::Swapped(a, b) => {
            culprit.kind == BlameKind::SwappedWires
                && (is(a, culprit.button) && is(b, culprit.other) || is(b, culprit.button) && is(a, culprit.other))
        }
        FaultKind::Loses(_) => is_lost,
        FaultKind::Doubles(_) => culprit.kind == BlameKind::DoublePress,
        FaultKind::LateCamera(_) => culprit.kind == BlameKind::LateCamera,
        // Nobody is to blame for a piece that was not seen.
        FaultKind::LatePictures(..) | FaultKind::Stall(_) => false,
    }
}

fn watch(seed: u64, level: u8, finger: Finger, fault: Option<TableFault>, pieces: usize) -> Notice {
    let mut bench = Bench::broken(seed, level, fault);
    let mut robot = bench.robot(finger);
    let mut told = Notice { named: None, paused: None, right: 0, wrong: Vec::new(), pieces: 0, misplaced: 0 };
    let mut onset = None;
    while told.pieces < pieces && told.paused.is_none() {
        let observation = bench.next();
        let now = observation.time;
        let look = robot.take(observation);
        if fault.is_some_and(|fault| now >= fault.since) {
            onset.get_or_insert(bench.pieces());
        }
        let since = bench.pieces() - onset.unwrap_or(0);
        told.pieces += look.events.iter().filter(|event| matches!(event, Event::Locked(_))).count();
        told.misplaced += look
            .events
            .iter()
            .filter(|event| matches!(event, Event::Locked(lock) if lock.intended == Some(false)))
            .count();
        for line in &look.told {
            match line {
                Said::Blame { blame, .. } if fault.is_some_and(|fault| is_right(fault.kind, blame.culprit)) => {
                    told.right += 1;
                    told.named.get_or_insert(since);
                }
                Said::Blame { blame, .. } => {
                    let Culprit { kind, button, .. } = blame.culprit;
                    told.wrong.push(format!("{kind:?} {:?} after {since}", button.map(|b| b.0)));
                }
                Said::Paused { .. } | Said::NotPaused { .. } => told.paused = Some(since),
                Said::Resumed { .. }
                | Said::Adrift { .. }
                | Said::Waiting { .. }
                | Said::FallTime { .. }
                | Said::Delay { .. } => {}
            }
        }
        if let Some(decision) = robot.has_to_decide(now).then(|| robot.decide(now)).flatten() {
            bench.schedule(&decision);
        }
    }
    told
}

fn faults(wanted: &Wanted) {
    let names = [
        "dead:left",
        "dead:right",
        "dead:a",
        "dead:b",
        "dead:down",
        "stuck:left",
        "stuck:right",
        "stuck:down",
        "stuck:a",
        "swapped:left,right",
        "swapped:a,b",
        "swapped:left,a",
        "swapped:down,right",
        "lose:0.05",
        "double:0.05",
        "late-camera:60",
        "late-camera:120",
    ];
    for name in names {
        let fault: TableFault = format!("{name}@20").parse().unwrap();
        for level in wanted.levels_or(&[0, 5, 9]) {
            let run = |seed: &u64| watch(*seed, level, Finger::RELAY, Some(fault), wanted.pieces);
            let runs: Vec<Notice> = wanted.seeds.iter().map(run).collect();
            let named: Vec<_> = runs.iter().map(|run| run.named.map_or("-".into(), |n| n.to_string())).collect();
            let paused: Vec<_> = runs.iter().map(|run| run.paused.map_or("-".into(), |n| n.to_string())).collect();
            let right: usize = runs.iter().map(|run| run.right).sum();
            let wrong: Vec<_> = runs.iter().flat_map(|run| &run.wrong).collect();
            println!(
                "{name:20} level {level}: named after {}, paused after {} pieces; {right} right, {} wrong {wrong:?}",
                named.join(" "),
                paused.join(" "),
                wrong.len()
            );
        }
    }
}

fn healthy(wanted: &Wanted) {
    for &(name, finger) in &wanted.fingers {
        for level in wanted.levels_or(&[0, 9, 18, 19]) {
            for seed in &wanted.seeds {
                let Notice { pieces, misplaced, paused, wrong, .. } = watch(*seed, level, finger, None, wanted.pieces);
                println!(
                    "{name} level {level} seed {seed}: {pieces} pieces, {misplaced} misplaced, paused {paused:?}, verdicts \
                     {wrong:?}"
                );
            }
        }
    }
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let wanted = Wanted::of(&arguments);
    match arguments.first().map(String::as_str) {
        Some("correct") => correct(&wanted),
        Some("faults") => faults(&wanted),
        Some("healthy") => healthy(&wanted),
        _ => eprintln!("correct|faults|healthy PIECES SEED… [level=N…] [finger=relay|solid]"),
    }
}
