//! Learns the times of simulated rigs of all kinds and compares them with the truth: `cargo run --release --example
//! rig_survey [FIRST_SEED] [RIGS]`. The truth is only compared; the experimenter gets pictures and presses.

#![allow(clippy::unwrap_used, clippy::expect_used)]

#[path = "../tests/rig_support/mod.rs"]
mod rig_support;

use rig_support::{Truth, learn};
use stackhand::twin::relay_board::ContactTimes;

fn main() {
    let mut args = std::env::args().skip(1).map(|arg| arg.parse::<u64>().expect("a number"));
    let (first, rigs) = (args.next().unwrap_or(1), args.next().unwrap_or(8));
    println!(
        "seed hard spread | eye+close error (claimed) | close spread error | open-close error | open spread | exposure | s, missed"
    );
    for seed in first..first + rigs {
        let pick = |salt: u64, of: u64| (seed.wrapping_mul(0x9E37_79B9_7F4A_7C15).rotate_left(salt as u32) >> 20) % of;
        let contact = ContactTimes {
            operate_us: 2500 + 500 * pick(3, 8) as i64,
            release_us: 1500 + 500 * pick(11, 8) as i64,
            spread_us: [500, 1000, 1500, 2000][pick(17, 4) as usize],
            bounce_us: [300, 1000, 1500][pick(23, 3) as usize],
        };
        let truth = Truth {
            seed,
            hard: [0.3, 0.5][pick(29, 2) as usize],
            exposure_ms: [None, None, Some(4.0), Some(30.0)][pick(31, 4) as usize],
            latency_ms: 40.0 + 10.0 * pick(37, 10) as f64,
            contact,
            ..Truth::default()
        };
        match learn(truth) {
            Ok(found) => {
                let fit = &found.fit;
                let truth_ms = truth.eye_and_close_ms();
                let late: Vec<String> =
                    fit.buttons.iter().map(|(_, late)| format!("{:+.2}", fit.delay_ms + late - truth_ms)).collect();
                println!(
                    "{seed} {} b{} w{:.1} | {:+.2} ({:.2}) [{}] | {:+.0} % | {:+.2} | {:+.0} % | {:.1} of {:?} | {:.0} s, {} {}",
                    truth.hard,
                    truth.contact.bounce_us,
                    truth.spread_ms(),
                    fit.delay_ms - truth_ms,
                    fit.delay_error_ms,
                    late.join(" "),
                    (fit.spread_ms / truth.spread_ms() - 1.0) * 100.0,
                    found.release.later_ms - truth.open_minus_close_ms(),
                    (found.release.spread_ms / truth.spread_ms() - 1.0) * 100.0,
                    fit.exposure_ms,
                    truth.exposure_ms,
                    found.took_ms / 1000.0,
                    found.missed,
                    found.doubled,
                );
            }
            Err(error) => println!("{seed}: {error}"),
        }
    }
}
