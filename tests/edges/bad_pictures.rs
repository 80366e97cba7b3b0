//! Pictures that no camera should send, at times that no clock should show: the robot says what it sees, and goes on.
#![allow(clippy::unwrap_used, clippy::expect_used)]

use crate::driven::Driven;
use image::{Rgb, RgbImage};
use proptest::prelude::*;
use stackhand::belief::Event;
use stackhand::game::Buttons;
use stackhand::game::nes::Console;
use stackhand::message::{Frame, ScreenState};
use stackhand::planner::Filters;
use stackhand::profile::calibration::Calibration;
use stackhand::profile::layout::Layout;
use stackhand::robot::{OnBlame, Robot, Settings, Watcher};
use stackhand::schedule::Finger;
use stackhand::time::{CameraFrame, HostTime};
use stackhand::twin::camera::{CameraModel, DEFAULT_SIZE};
use stackhand::twin::{picture, table};
use std::sync::Arc;

/// A console that nobody plays, filmed at 30 pictures a second.
struct Film {
    console: Console,
    camera: CameraModel,
    pictures: u64,
}

impl Film {
    fn new() -> Self {
        let mut console = Console::new(5, 900);
        for _ in 0..4 {
            console.frame(Buttons::START);
        }
        Self { console, camera: CameraModel::new(0.3, 5, 30.0, DEFAULT_SIZE), pictures: 0 }
    }

    fn next(&mut self) -> RgbImage {
        for _ in 0..2 {
            self.console.frame(Buttons::NONE);
        }
        let mut shown = picture::Picture::new();
        picture::draw(&table::view(&self.console), &mut shown);
        self.pictures += 1;
        self.camera.expose(&[(1.0, &shown)], self.pictures)
    }

    fn calibration(&self) -> Calibration {
        Calibration::new("nes", DEFAULT_SIZE, self.camera.corners(), 0.5)
    }

    fn robot(&self) -> Robot {
        let finger = Finger::RELAY;
        let settings = Settings {
            finger,
            start_level: 5,
            wire: stackhand::profile::wire::Wire::at_once(7.0),
            lead_ms: 5.0,
            restart: true,
            drops_unseen: false,
            filters: Filters::default(),
            blame: OnBlame::Ignore,
        };
        Robot::new(&Layout::load("nes").unwrap(), &self.calibration(), settings).unwrap()
    }
}

fn frame(index: u64, time: HostTime, image: RgbImage) -> Frame {
    Frame { index: CameraFrame(index), time, name: None, file: None, image: Arc::new(image) }
}

/// What may come instead of a picture.
#[derive(Debug, Clone)]
enum Odd {
    Fine,
    Flat([u8; 3]),
    /// The lower part is missing, in grey.
    Truncated(u32),
    /// The lower part is the upper part of the picture.
    Torn(u32),
    Size(u32, u32),
    Noise(u64),
}

fn odd() -> impl Strategy<Value = Odd> {
    prop_oneof![
        4 => Just(Odd::Fine),
        1 => any::<[u8; 3]>().prop_map(Odd::Flat),
        1 => (0u32..480).prop_map(Odd::Truncated),
        1 => (1u32..480).prop_map(Odd::Torn),
        1 => (1u32..900, 1u32..700).prop_map(|(w, h)| Odd::Size(w, h)),
        1 => any::<u64>().prop_map(Odd::Noise),
    ]
}

impl Odd {
    fn apply(&self, mut image: RgbImage) -> RgbImage {
        match *self {
            Self::Fine => image,
            Self::Flat(colour) => RgbImage::from_pixel(640, 480, Rgb(colour)),
            Self::Truncated(from) => {
                image.enumerate_pixels_mut().filter(|(_, y, _)| *y >= from).for_each(|(.., p)| *p = Rgb([128; 3]));
                image
            }
            Self::Torn(from) => {
                let above = image.clone();
                image.enumerate_pixels_mut().filter(|(_, y, _)| *y >= from).for_each(|(x, y, p)| {
                    *p = *above.get_pixel(x, y - from);
                });
                image
            }
            Self::Size(width, height) => RgbImage::from_fn(width, height, |x, y| *image.get_pixel(x % 640, y % 480)),
            Self::Noise(seed) => {
                let mut state = seed | 1;
                image.iter_mut().for_each(|v| {
                    state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
                    *v = (state >> 56) as u8;
                });
                image
            }
        }
    }
}

/// When pictures come: on time, in jumps, backwards, all at once, at the ends of time.
fn step_us() -> impl Strategy<Value = i64> {
    prop_oneof![
        6 => Just(33_333i64),
        1 => Just(0i64),
        1 => -5_000_000i64..5_000_000,
        1 => any::<i64>(),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn no_picture_and_no_time_stops_the_robot(
        course in proptest::collection::vec((odd(), step_us()), 1..40),
    ) {
        let mut film = Film::new();
        let mut robot = film.robot();
        let mut time = HostTime(0);
        for (index, (odd, step_us)) in course.into_iter().enumerate() {
            time = HostTime(time.0.saturating_add(step_us));
            let look = robot.look(&frame(index as u64, time, odd.apply(film.next())));
            let (state, grid) = (look.observation.state, look.observation.grid);
            if matches!(odd, Odd::Flat(_) | Odd::Noise(_)) {
                // A flash may belong to a clear, but nothing is read from it.
                let is_nothing = state != ScreenState::Playing && grid.full().count() == 0;
                prop_assert!(is_nothing, "{odd:?} is taken for {state:?}");
            }
            if robot.has_to_decide(time) {
                robot.decide(time);
            }
        }
    }
}

#[test]
fn one_picture_a_second_is_read_and_explained() {
    let mut film = Film::new();
    let layout = Layout::load("nes").unwrap();
    let mut watcher = Watcher::new(&layout, &film.calibration(), 5).unwrap();
    let (mut playing, mut spawns) = (0, 0);
    for index in 0..40 {
        (0..29).for_each(|_| drop(film.next()));
        let look = watcher.look(&frame(index, HostTime::from_ms(1000.0 * index as f64), film.next()));
        playing += usize::from(look.observation.state == ScreenState::Playing);
        spawns += look.events.iter().filter(|e| matches!(e, Event::Spawned(_))).count();
    }
    assert!(playing >= 38, "{playing} of 40 pictures read");
    assert!(spawns >= 1, "with a picture a second some pieces are still seen");
}

#[test]
fn a_camera_that_changes_its_picture_size_is_followed() {
    let mut film = Film::new();
    let layout = Layout::load("nes").unwrap();
    let mut watcher = Watcher::new(&layout, &film.calibration(), 5).unwrap();
    let mut states = Vec::new();
    for index in 0..90u64 {
        let image = film.next();
        let size = if index < 20 { [640, 480] } else { [960, 720] };
        let image = image::imageops::resize(&image, size[0], size[1], image::imageops::FilterType::Triangle);
        let look = watcher.look(&frame(index, HostTime::from_ms(33.3 * index as f64), image));
        states.push(look.observation.state);
    }
    assert!(states[..20].iter().all(|s| *s == ScreenState::Playing), "{states:?}");
    assert!(!states[21].shows_field(), "{states:?}");
    assert!(states[75..].iter().all(|s| *s == ScreenState::Playing), "{states:?}");
}
