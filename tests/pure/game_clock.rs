//! The console's clock, found from pictures alone: against the simulated table's true frame times, and from made-up changes.

#![allow(clippy::unwrap_used, clippy::expect_used)]

use stackhand::belief::clock::game_clock::{ClockFilter, Edge, GameClock, Gap, Reading};
use stackhand::belief::clock::picture_clock::{PictureClock, Taken};
use stackhand::message::Frame;
use stackhand::profile::calibration::Calibration;
use stackhand::profile::layout::Layout;
use stackhand::robot::Watcher;
use stackhand::time::{CameraFrame, ConsoleFrame, HostTime};
use stackhand::twin::camera::{CameraModel, DEFAULT_SIZE};
use stackhand::twin::picture::Picture;
use stackhand::twin::player::Player;
use stackhand::twin::table::{Table, TableSettings};
use std::sync::Arc;

const LATENCY_MS: f64 = 100.0;
const NTSC_MS: f64 = 655_171.0 / 39_375.0;
const PAL_MS: f64 = 1000.0 / 50.007;

/// Films a game at hardness 0.5; pictures within `lost_s` never arrive. Error and claimed uncertainty at the end, ms.
fn film(seed: u64, level: u8, fps: f64, seconds: f64, lost_s: std::ops::Range<f64>) -> Option<(f64, f64)> {
    let mut camera = CameraModel::new(0.5, seed, fps, DEFAULT_SIZE);
    let exposure_ms = camera.exposure_ms();
    let settings = TableSettings { start_level: level, seed, fps, exposure_ms, camera_latency_ms: LATENCY_MS };
    let (mut table, mut player) = (Table::new(settings), Player::new(seed));
    let lens_k1 = camera.flaws().radial_k1;
    let calibration = Calibration { lens_k1, ..Calibration::new("nes", DEFAULT_SIZE, camera.corners(), 0.3) };
    let mut watcher = Watcher::new(&Layout::load("nes").unwrap(), &calibration, level).unwrap();
    let mut error = None;
    for picture in 0..(seconds * fps) as u64 {
        let exposure = table.expose_played(|console, _| player.hold(console));
        if lost_s.contains(&(picture as f64 / fps)) {
            continue;
        }
        let shown: Vec<(f32, &Picture)> = exposure.shown.iter().map(|(share, p)| (*share, p.as_ref())).collect();
        let image = Arc::new(camera.expose(&shown, exposure.index));
        let frame = Frame { index: CameraFrame(exposure.index), time: exposure.arrival, name: None, file: None, image };
        let look = watcher.look(&frame);
        assert_eq!(look.clock.is_some(), look.console_frame.is_some());
        // A boundary is where a picture would arrive that shows the new frame for half of the time.
        let truth = HostTime::from_ms(exposure.since_ms.last().unwrap() + exposure_ms / 2.0 + LATENCY_MS);
        error = look.clock.map(|clock| (clock.boundary_near(truth).ms_since(truth), clock.uncertainty_ms(truth)));
    }
    error
}

fn check_films(seeds: std::ops::Range<u64>, levels: &[u8], fps: f64) {
    let (mut runs, mut covered) = (0, 0);
    for (seed, level) in seeds.flat_map(|seed| levels.iter().map(move |level| (seed, *level))) {
        let (error_ms, claimed_ms) = film(seed, level, fps, 20.0, 0.0..0.0).expect("the clock is known after 20 s");
        assert!(error_ms.abs() <= 2.0, "seed {seed} level {level} at {fps} fps: {error_ms:+.2} ms off");
        assert!(claimed_ms < 4.5, "seed {seed} level {level}: ± {claimed_ms} ms");
        runs += 1;
        covered += u32::from(error_ms.abs() <= claimed_ms);
    }
    assert!(covered * 4 >= runs * 3, "the claimed uncertainty held in {covered} of {runs}");
}

#[test]
fn frames_are_known_to_two_milliseconds_after_twenty_seconds_at_30_fps() {
    check_films(501..502, &[0, 5, 9, 18], 30.0);
}

#[test]
fn frames_are_known_at_60_fps() {
    check_films(511..512, &[0, 9], 60.0);
}

#[test]
fn a_dropped_second_does_not_lose_the_clock() {
    let (error_ms, _) = film(521, 9, 30.0, 20.0, 16.0..17.0).expect("the clock is known");
    assert!(error_ms.abs() <= 2.0, "{error_ms:+.2} ms");
}

/// A console and a camera without pictures: changes at known frames, seen as a camera of this rate and exposure would.
struct Bench {
    filter: ClockFilter,
    pictures: PictureClock,
    /// Index and taking of every picture so far.
    taken: Vec<(f64, Taken)>,
    frame_ms: f64,
    first_ms: f64,
    period_ms: f64,
    exposure_ms: f64,
}

impl Bench {
    fn new(nominal_ms: f64, ppm: f64, fps: f64, exposure_ms: f64) -> Self {
        Self {
            filter: ClockFilter::new(nominal_ms),
            pictures: PictureClock::default(),
            taken: Vec::new(),
            frame_ms: nominal_ms * (1.0 + ppm * 1e-6),
            first_ms: 5.3,
            period_ms: 1000.0 / fps,
            exposure_ms,
        }
    }

    fn boundary_ms(&self, frame: i64) -> f64 {
        self.first_ms + frame as f64 * self.frame_ms
    }

    /// A change at `frame`, `gap` after the last one.
    fn change(&mut self, frame: i64, gap: Option<u32>) {
        let boundary_ms = self.boundary_ms(frame);
        while self.taken.last().is_none_or(|(ms, _)| *ms < boundary_ms + self.period_ms) {
            let index = self.taken.len() as u64;
            let ms = index as f64 * self.period_ms;
            let late_ms = ((index * 2_654_435_761) % 1000) as f64 * 0.006 - 3.0;
            let taken = self.pictures.take(CameraFrame(index), HostTime::from_ms(ms + late_ms));
            self.taken.push((ms, taken.expect("no picture is late by a period")));
        }
        let share = |ms: f64| ((ms - boundary_ms) / self.exposure_ms + 0.5).clamp(0.0, 1.0);
        let after = self.taken.iter().position(|(ms, _)| share(*ms) >= 0.5).unwrap().max(1);
        let reading = |i: usize| Reading { taken: self.taken[i].1, share: share(self.taken[i].0), sigma: 0.15 };
        let likely = [(gap.unwrap_or(0), if gap.is_some() { 0.7 } else { 0.0 }), (0, 0.0)];
        self.filter.take(&Edge { before: reading(after - 1), after: reading(after) }, &Gap { likely });
    }

    /// How far the clock is off about a frame, ms.
    fn error_ms(&self, frame: i64) -> f64 {
        let truth = HostTime::from_ms(self.boundary_ms(frame));
        self.filter.clock().expect("the clock is known").boundary_near(truth).ms_since(truth)
    }
}

#[test]
fn brackets_alone_find_the_phase_of_a_camera_with_a_fast_shutter() {
    // No picture ever blends two frames; only the slow beat tells.
    for (nominal_ms, ppm) in [(NTSC_MS, 0.0), (NTSC_MS, 100.0), (NTSC_MS, -100.0), (PAL_MS, 60.0)] {
        let mut bench = Bench::new(nominal_ms, ppm, 30.0, 1.0);
        let last = (20_000.0 / nominal_ms) as i64 / 13 * 13;
        (0..=last).step_by(13).for_each(|frame| bench.change(frame, Some(13)));
        let error_ms = bench.error_ms(last);
        assert!(error_ms.abs() <= 2.0, "{nominal_ms} ms, {ppm} ppm: {error_ms:+.2} ms");
    }
}

#[test]
fn a_rate_off_by_100_millionths_is_followed_for_minutes() {
    for ppm in [-100.0, 100.0] {
        let mut bench = Bench::new(NTSC_MS, ppm, 30.0, 16.0);
        for frame in (0..12_000).step_by(24) {
            bench.change(frame, Some(24));
            let error_ms = if frame > 1200 { bench.error_ms(frame) } else { 0.0 };
            assert!(error_ms.abs() <= 2.0, "{ppm} ppm, frame {frame}: {error_ms:+.2} ms");
        }
        let found_ppm = (bench.filter.clock().unwrap().frame_ms / NTSC_MS - 1.0) * 1e6;
        assert!((found_ppm - ppm).abs() < 40.0, "{found_ppm} instead of {ppm}");
    }
}

#[test]
fn wrong_distances_and_misread_changes_are_outvoted() {
    let mut bench = Bench::new(NTSC_MS, 50.0, 30.0, 16.0);
    for (number, frame) in (0..2400).step_by(12).enumerate() {
        // Every eighth change is another one than thought, every eleventh comes a frame late.
        let gap = if number % 8 == 5 { 5 } else { 12 };
        bench.change(if number % 11 == 7 { frame + 1 } else { frame }, Some(gap));
    }
    assert!(bench.error_ms(2388).abs() <= 2.0, "{:+.2} ms", bench.error_ms(2388));
}

#[test]
fn a_console_switched_off_and_on_is_found_again() {
    let mut bench = Bench::new(NTSC_MS, 20.0, 30.0, 16.0);
    (0..1200).step_by(12).for_each(|frame| bench.change(frame, Some(12)));
    bench.first_ms += 0.45 * NTSC_MS;
    bench.filter.break_chain();
    (1400..3000).step_by(12).for_each(|frame| bench.change(frame, Some(12)));
    assert!(bench.error_ms(2996).abs() <= 2.0, "{:+.2} ms", bench.error_ms(2996));
}

#[test]
fn little_is_claimed_where_little_can_be_known() {
    // Exactly two frames a picture, never blended: nothing beats. Only that no boundary is near a picture's middle is seen.
    let mut bench = Bench::new(NTSC_MS, 0.0, 0.5 * 1000.0 / NTSC_MS, 1.0);
    (0..1200).step_by(2).for_each(|frame| bench.change(frame, None));
    if let Some(clock) = bench.filter.clock() {
        let claimed_ms = clock.uncertainty_ms(clock.origin);
        assert!(
            claimed_ms > 3.0 && bench.error_ms(1198).abs() <= claimed_ms,
            "{:+} ± {claimed_ms} ms",
            bench.error_ms(1198)
        );
    }
}

#[test]
fn frames_are_counted_on_and_boundaries_lie_a_frame_apart() {
    let origin = HostTime::from_ms(100.0);
    let clock = GameClock { origin, frame: ConsoleFrame(7), frame_ms: 16.0, phase_error_ms: 1.0, rate_error: 1e-4 };
    assert_eq!(clock.frame_at(HostTime::from_ms(136.0)), (ConsoleFrame(9), 0.25));
    assert_eq!(clock.frame_at(HostTime::from_ms(92.0)), (ConsoleFrame(6), 0.5));
    assert_eq!(clock.boundary_after(HostTime::from_ms(101.0)), HostTime::from_ms(116.0));
    assert_eq!(clock.boundary_near(HostTime::from_ms(101.0)), origin);
    assert!((clock.uncertainty_ms(HostTime::from_ms(10_100.0)) - 2.0).abs() < 1e-9);

    let mut bench = Bench::new(NTSC_MS, 80.0, 30.0, 16.0);
    (0..1200).step_by(12).for_each(|frame| bench.change(frame, Some(12)));
    let frame_at = |bench: &Bench, frame| {
        let middle = HostTime::from_ms(bench.boundary_ms(frame) + NTSC_MS / 2.0);
        bench.filter.clock().unwrap().frame_at(middle).0.0
    };
    let before = frame_at(&bench, 1188);
    (1200..6000).step_by(12).for_each(|frame| bench.change(frame, Some(12)));
    assert_eq!(frame_at(&bench, 5988) - before, 4800);
}
