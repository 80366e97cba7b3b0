//! How well the console's clock is found, over many simulated tables: `clock_survey SEED COUNT FPS LEVEL HARD [SECONDS]`.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::print_stdout)]

use stackhand::message::Frame;
use stackhand::profile::calibration::Calibration;
use stackhand::profile::layout::Layout;
use stackhand::robot::Watcher;
use stackhand::time::{CameraFrame, HostTime};
use stackhand::twin::camera::{CameraModel, DEFAULT_SIZE};
use stackhand::twin::picture::Picture;
use stackhand::twin::player::Player;
use stackhand::twin::table::{Table, TableSettings};
use std::sync::Arc;

fn main() {
    let args: Vec<f64> = std::env::args().skip(1).map(|a| a.parse().expect("a number")).collect();
    let [seed, count, fps, level, hard] = args[..5] else { panic!("SEED COUNT FPS LEVEL HARD [SECONDS]") };
    let seconds = args.get(5).copied().unwrap_or(20.0);
    let mut errors = Vec::new();
    let (mut first, mut unknown, mut outside) = (Vec::new(), 0, 0);
    for seed in seed as u64..(seed + count) as u64 {
        let run = film(seed, fps, level as u8, hard, seconds);
        match run.error {
            Some((error, claimed)) => {
                outside += u32::from(error.abs() > claimed);
                errors.push(error);
                println!(
                    "{seed}: error {error:+.2} ms, claimed {claimed:.2}, first within 2 ms at {:?}, worst after {:.2}",
                    run.first_s, run.worst
                );
            }
            None => {
                unknown += 1;
                println!("{seed}: unknown");
            }
        }
        first.extend(run.first_s);
    }
    errors.sort_by(|a, b| a.abs().total_cmp(&b.abs()));
    first.sort_by(f64::total_cmp);
    let within = errors.iter().filter(|e| e.abs() <= 2.0).count();
    let at = |share: f64| errors.get((errors.len() as f64 * share) as usize).map_or(f64::NAN, |e| e.abs());
    println!(
        "fps {fps} level {level} hard {hard}: within 2 ms {within} of {count}, unknown {unknown}, outside the claim {outside}, |error| p50 {:.2} p90 {:.2} max {:.2}; mean {:+.2}; first within 2 ms: p50 {:?} s",
        at(0.5),
        at(0.9),
        at(0.9999),
        errors.iter().sum::<f64>() / errors.len().max(1) as f64,
        first.get(first.len() / 2)
    );
}

struct Run {
    error: Option<(f64, f64)>,
    first_s: Option<f64>,
    worst: f64,
}

fn film(seed: u64, fps: f64, level: u8, hard: f64, seconds: f64) -> Run {
    let latency_ms = 100.0;
    let mut camera = CameraModel::new(hard, seed, fps, DEFAULT_SIZE);
    let exposure_ms = camera.exposure_ms();
    let settings = TableSettings { start_level: level, seed, fps, exposure_ms, camera_latency_ms: latency_ms };
    let (mut table, mut player) = (Table::new(settings), Player::new(seed));
    let layout = Layout::load("nes").unwrap();
    let calibration = Calibration {
        lens_k1: camera.flaws().radial_k1,
        ..Calibration::new("nes", DEFAULT_SIZE, camera.corners(), 0.3)
    };
    let mut watcher = Watcher::new(&layout, &calibration, level).unwrap();
    let mut run = Run { error: None, first_s: None, worst: 0.0 };
    for _ in 0..(seconds * fps) as u64 {
        let exposure = table.expose_played(|console, _| player.hold(console));
        let shown: Vec<(f32, &Picture)> = exposure.shown.iter().map(|(s, p)| (*s, p.as_ref())).collect();
        let image = Arc::new(camera.expose(&shown, exposure.index));
        let frame = Frame { index: CameraFrame(exposure.index), time: exposure.arrival, name: None, file: None, image };
        let clock = watcher.look(&frame).clock;
        let truth = HostTime::from_ms(exposure.since_ms.last().unwrap() + exposure_ms / 2.0 + latency_ms);
        run.error = clock.map(|clock| (clock.boundary_near(truth).ms_since(truth), clock.uncertainty_ms(truth)));
        match run.error {
            Some((error, _)) if error.abs() <= 2.0 => {
                run.first_s.get_or_insert(exposure.index as f64 / fps);
            }
            Some((error, _)) if run.first_s.is_some() => run.worst = run.worst.max(error.abs()),
            _ => {}
        }
    }
    run
}
