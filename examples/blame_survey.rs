//! What the robot makes of broken relays, at the table without pixels: `cargo run --release --example blame_survey -- WHAT`,
//! where WHAT is `correct`, `faults` or `healthy`, then seeds.

#![allow(clippy::unwrap_used, clippy::expect_used)]

#[path = "../tests/plans_table/bench.rs"]
mod bench;

use bench::Bench;
use stackhand::belief::Event;
use stackhand::robot::Robot;
use stackhand::schedule::Finger;
use stackhand::twin::fault::TableFault;

/// What became of the pieces of one run.
#[derive(Default)]
struct Sums {
    pieces: usize,
    misplaced: usize,
    /// Pieces while which a contact slipped, and of them those that locked elsewhere than last planned.
    slipped: usize,
    slipped_misplaced: usize,
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
                    if bench.slips(piece) > 0 {
                        sums.slipped += 1;
                        sums.slipped_misplaced += is_elsewhere;
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

fn correct(seeds: &[u64], pieces: usize) {
    let fault: TableFault = "lose:0.03@20".parse().unwrap();
    for (name, finger) in [("relay", Finger::RELAY), ("solid", Finger::SOLID)] {
        for level in [0, 9, 18, 19] {
            let mut sums = Sums::default();
            for seed in seeds {
                let mut bench = Bench::broken(*seed, level, Some(fault));
                let mut robot = bench.robot(finger);
                let one = play(&mut bench, &mut robot, pieces);
                sums.pieces += one.pieces;
                sums.misplaced += one.misplaced;
                sums.slipped += one.slipped;
                sums.slipped_misplaced += one.slipped_misplaced;
            }
            let Sums { pieces, misplaced, slipped, slipped_misplaced } = sums;
            println!(
                "{name} level {level}: {pieces} pieces, {misplaced} misplaced; with a lost press {slipped}, of them \
                 {slipped_misplaced} misplaced"
            );
        }
    }
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let seeds: Vec<u64> = arguments.iter().skip(2).filter_map(|text| text.parse().ok()).collect();
    let pieces = arguments.get(1).and_then(|text| text.parse().ok()).unwrap_or(200);
    match arguments.first().map(String::as_str) {
        Some("correct") => correct(&seeds, pieces),
        _ => eprintln!("correct PIECES SEEDS…"),
    }
}
