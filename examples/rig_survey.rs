//! Learns the times of simulated rigs of all kinds and compares them with the truth: `cargo run --example rig_survey -- twin
//! [FIRST_SEED] [RIGS]`, or `-- synthetic` for trials without a camera. The truth is only compared; the experimenter gets
//! pictures and presses.

#![allow(clippy::unwrap_used, clippy::expect_used)]

#[path = "../tests/pure/rig_support/mod.rs"]
mod rig_support;

use rig_support::synthetic::learn_without_pictures;
use rig_support::{Truth, learn};
use stackhand::robot::measure::{Fit, Release};

fn main() {
    let mut args = std::env::args().skip(1);
    let is_twin = args.next().is_none_or(|kind| kind == "twin");
    let mut number = |otherwise: u64| args.next().map_or(otherwise, |arg| arg.parse().expect("a number"));
    let (first, rigs) = (number(1), number(8));
    println!(
        "seed hard bounce spread | eye+close error (claimed) [with each button] | close spread | open-close | open spread | exposure"
    );
    for seed in first..first + rigs {
        let truth = Truth::drawn(seed);
        if is_twin {
            match learn(truth) {
                Ok(found) => {
                    row(truth, &found.fit, &found.release);
                    println!("    {:.0} s, {} missed, {} doubled", found.took_ms / 1000.0, found.missed, found.doubled);
                }
                Err(error) => println!("{seed}: {error}"),
            }
        } else if let Some((fit, release)) = learn_without_pictures(truth) {
            row(truth, &fit, &release);
        }
    }
}

fn row(truth: Truth, fit: &Fit, release: &Release) {
    let error_ms = fit.delay_ms - truth.eye_and_close_ms();
    let each: Vec<String> = fit.buttons.iter().map(|(_, late_ms)| format!("{:+.2}", error_ms + late_ms)).collect();
    let percent = |ms: f64| (ms / truth.spread_ms() - 1.0) * 100.0;
    println!(
        "{} {} b{} w{:.1} | {error_ms:+.2} ({:.2}) [{}] | {:+.0} % | {:+.2} | {:+.0} % | {:.1} of {:.1}",
        truth.seed,
        truth.hard,
        truth.contact.bounce_us,
        truth.spread_ms(),
        fit.delay_error_ms,
        each.join(" "),
        percent(fit.spread_ms),
        release.later_ms - truth.open_minus_close_ms(),
        percent(release.spread_ms),
        fit.exposure_ms,
        truth.exposure_ms(),
    );
}
