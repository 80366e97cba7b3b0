//! Learning the rig's times by pressing and watching, against simulated rigs whose times are known to the test only.

#![allow(clippy::unwrap_used, clippy::expect_used)]

use crate::rig_support::synthetic::learn_without_pictures;
use crate::rig_support::{Truth, learn, learn_with};
use image::RgbImage;
use stackhand::game::Buttons;
use stackhand::message::Frame;
use stackhand::profile::calibration::{Calibration, Timing};
use stackhand::profile::layout::Layout;
use stackhand::profile::wire::Wire;
use stackhand::robot::measure::{Experimenter, Fit, Release, RigError};
use stackhand::time::{CameraFrame, HostTime};
use stackhand::twin::relay_board::ContactTimes;
use std::path::Path;
use std::sync::Arc;

/// The bar for delays: the true ones within 1 ms.
fn check_delays(truth: Truth, fit: &Fit, release: &Release) {
    let error_ms = fit.delay_ms - truth.eye_and_close_ms();
    assert!(error_ms.abs() <= 1.0, "{truth:?}: {error_ms:+.2} ms");
    assert_eq!(fit.buttons.len(), 4, "left, right and both turns");
    let open_error_ms = release.later_ms - truth.open_minus_close_ms();
    assert!(open_error_ms.abs() <= 1.0, "{truth:?}: opening {open_error_ms:+.2} ms");
}

/// The bar for spreads: within 30 % of the true one.
fn check_spreads(truth: Truth, fit: &Fit, release: &Release) {
    for spread_ms in [fit.spread_ms, release.spread_ms] {
        let ratio = spread_ms / truth.spread_ms();
        assert!((0.7..=1.3).contains(&ratio), "{truth:?}: {ratio:.2} of the true spread");
    }
}

#[test]
fn delays_are_found_in_pictures_and_go_into_the_file_and_the_schedule() {
    let truth = Truth { seed: 31, ..Truth::default() };
    let found = learn(truth).unwrap();
    check_delays(truth, &found.fit, &found.release);
    check_spreads(truth, &found.fit, &found.release);
    assert!(found.took_ms < 370_000.0, "{:.0} s", found.took_ms / 1000.0);
    let mut calibration = Calibration::new("nes", [640, 480], [[0.0; 2]; 4], 0.0);
    calibration.timing = found.timing(Timing::default());
    calibration.measured = Some(found.record("2026-11-22".into()));
    let text = calibration.to_text().unwrap();
    let read = Calibration::parse(&text, Path::new("rig.toml")).unwrap();
    assert_eq!(read, calibration);
    // The sum is what counts: however eye and close share it, a press lands where it should.
    for button in [Buttons::LEFT, Buttons::A] {
        let late_ms = found.fit.late_ms(button);
        let sum_ms = read.timing.eye.ms + read.close_ms(button);
        assert!((sum_ms - found.fit.delay_ms - late_ms).abs() < 1e-6, "{button:?}");
    }
}

#[test]
fn spreads_of_contacts_that_bounce_as_usual_are_found_whatever_the_spread() {
    for (seed, spread_us, exposure_ms) in [(51, 1000, None), (52, 1500, Some(4.0)), (53, 2000, Some(30.0))] {
        let contact = ContactTimes { spread_us, ..ContactTimes::default() };
        let truth = Truth { seed, contact, exposure_ms, ..Truth::default() };
        let (fit, release) = learn_without_pictures(truth).unwrap();
        check_delays(truth, &fit, &release);
        check_spreads(truth, &fit, &release);
        let ratio = fit.exposure_ms / truth.exposure_ms();
        assert!((0.75..=1.25).contains(&ratio), "{truth:?}: {ratio:.2} of the true exposure");
    }
}

#[test]
fn a_file_from_before_there_were_measured_times_still_loads() {
    let text = Calibration::new("nes", [640, 480], [[0.0; 2]; 4], 0.0).to_text().unwrap();
    assert!(!text.contains("measured"), "{text}");
    let read = Calibration::parse(&text, Path::new("old.toml")).unwrap();
    assert!(read.measured.is_none());
    assert_eq!(read.close_ms(Buttons::LEFT), Timing::default().close.ms);
}

#[test]
fn presses_that_reach_no_game_are_refused_with_a_remedy() {
    let error = learn(Truth { lost_one_in: 1, ..Truth::default() }).unwrap_err();
    assert!(matches!(error, RigError::NothingMoves(_)), "{error}");
}

#[test]
fn left_and_right_swapped_are_named() {
    let swap = |mut calibration: Calibration| {
        calibration.buttons.insert("left".into(), 0);
        calibration.buttons.insert("right".into(), 1);
        calibration
    };
    let error = learn_with(Truth::default(), swap).unwrap_err();
    assert!(matches!(error, RigError::WrongWay(_)), "{error}");
}

#[test]
fn where_no_game_runs_nothing_is_pressed_and_that_is_said() {
    let corners = [[200.0, 80.0], [400.0, 80.0], [400.0, 440.0], [200.0, 440.0]];
    let calibration = Calibration::new("nes", [640, 480], corners, 0.3);
    let layout = Layout::load("nes").unwrap();
    let mut experimenter = Experimenter::new(&layout, &calibration, Wire::at_once(5.0), 8.0).unwrap();
    let image = Arc::new(RgbImage::new(640, 480));
    let error = (0..600_u64).find_map(|n| {
        let time = HostTime::from_ms(n as f64 * 33.3);
        let frame = Frame { index: CameraFrame(n), time, name: None, file: None, image: image.clone() };
        match experimenter.look(&frame) {
            Ok(commands) => {
                assert!(commands.is_empty(), "nothing falls, so nothing may be pressed");
                None
            }
            Err(error) => Some(error),
        }
    });
    assert!(matches!(error, Some(RigError::NoGame)), "{error:?}");
}
