//! A camera that is bumped, pushed slowly, or looks away while a game is played.
#![allow(clippy::unwrap_used, clippy::expect_used)]

use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use stackhand::message::{Frame, Observation, RelayMask, ScreenState};
use stackhand::profile::layout::Layout;
use stackhand::time::CameraFrame;
use stackhand::twin::camera::{CameraModel, Flaws};
use stackhand::twin::picture::{Picture, draw};
use stackhand::twin::table::{Table, TableSettings};
use stackhand::twin::view::{ConsoleView, Screen};
use stackhand::vision::follow::{Change, Watch};
use stackhand::vision::locate;
use std::sync::Arc;

const SIZE: [u32; 2] = [640, 480];
const FPS: f64 = 30.0;

/// A game on a table, filmed by whichever camera is held before it.
struct Film {
    table: Table,
    dice: Xoshiro256PlusPlus,
    pressed: RelayMask,
    pictures: u64,
}

impl Film {
    fn new(seed: u64) -> Self {
        let settings = TableSettings {
            start_level: (seed % 12) as u8,
            seed,
            fps: FPS,
            exposure_ms: 16.0,
            camera_latency_ms: 100.0,
        };
        let dice = Xoshiro256PlusPlus::seed_from_u64(seed);
        let mut table = Table::new(settings);
        // From the menu into the game.
        let has_begun = |table: &mut Table| {
            let shown = table.expose(|_| RelayMask::default());
            shown.scenes.iter().all(|scene| scene.state == Some(ScreenState::Playing))
        };
        assert!((0..100).any(|_| has_begun(&mut table)), "the game begins");
        Self { table, dice, pressed: RelayMask::default(), pictures: 0 }
    }

    /// The next picture; the player moves and turns pieces at random.
    fn next(&mut self, camera: &mut CameraModel) -> Frame {
        if self.pictures.is_multiple_of(6) {
            let relay = self.dice.random_range(0..8u8);
            self.pressed = RelayMask(if matches!(relay, 0 | 1 | 7) { 1 << relay } else { 0 });
        } else if self.pictures % 6 == 3 {
            self.pressed = RelayMask::default();
        }
        self.pictures += 1;
        let pressed = self.pressed;
        let exposure = self.table.expose(|_| pressed);
        let shown: Vec<(f32, &Picture)> = exposure.shown.iter().map(|(s, p)| (*s, p.as_ref())).collect();
        let image = Arc::new(camera.expose(&shown, exposure.index));
        Frame { index: CameraFrame(exposure.index), time: exposure.arrival, name: None, file: None, image }
    }
}

/// The camera of these flaws, shifted, turned and brought nearer.
fn moved(flaws: &Flaws, shift_px: [f64; 2], turn_deg: f64, zoom: f64, seed: u64) -> CameraModel {
    let mut flaws = flaws.clone();
    flaws.corner_shift_px.iter_mut().for_each(|c| *c = [c[0] + shift_px[0], c[1] + shift_px[1]]);
    flaws.roll_rad += turn_deg.to_radians();
    flaws.screen_height *= zoom;
    CameraModel::with_flaws(flaws, seed, FPS, SIZE)
}

fn off_px(a: [[f64; 2]; 4], b: [[f64; 2]; 4]) -> f64 {
    (0..4).map(|i| (a[i][0] - b[i][0]).hypot(a[i][1] - b[i][1])).fold(0.0, f64::max)
}

/// A watch that has seen the game for a second.
fn settled(film: &mut Film, camera: &mut CameraModel, layout: &Layout) -> Option<Watch> {
    let found = locate(&film.next(camera).image, layout).ok()?;
    let mut watch = Watch::new(layout, found.corners, found.k1, SIZE).unwrap();
    for _ in 0..30 {
        let (_, change) = watch.look(&film.next(camera));
        assert!(change.is_none(), "a camera that stands still: {change:?}");
    }
    Some(watch)
}

struct Bump {
    /// Pictures until the first that is not read as before.
    noticed: Option<u32>,
    /// Pictures until the game is read at its right place.
    back: Option<u32>,
    /// Pictures that were read as a game at a wrong place.
    misread: u32,
}

fn bump(film: &mut Film, watch: &mut Watch, camera: &mut CameraModel) -> Bump {
    let truth = camera.corners();
    let mut seen = Bump { noticed: None, back: None, misread: 0 };
    for picture in 1..=45 {
        let (observation, change): (Observation, _) = watch.look(&film.next(camera));
        let is_playing = observation.state == ScreenState::Playing;
        let is_right = off_px(watch.corners(), truth) < 3.0;
        if !is_playing || matches!(change, Some(Change::Moved(_))) {
            seen.noticed = seen.noticed.or(Some(picture));
        }
        if is_playing && is_right {
            seen.back = seen.back.or(Some(picture));
        } else if is_playing {
            seen.misread += 1;
            seen.back = None;
        }
    }
    seen
}

/// What is seen where a camera becomes another one; `None` where the field is not found, or not in the picture afterwards.
fn bumped(camera: &mut CameraModel, mut after: CameraModel, seed: u64, layout: &Layout) -> Option<Bump> {
    let is_inside = |c: &[f64; 2]| (2.0..638.0).contains(&c[0]) && (2.0..478.0).contains(&c[1]);
    if !after.corners().iter().all(is_inside) {
        return None;
    }
    let mut film = Film::new(seed);
    let mut watch = settled(&mut film, camera, layout)?;
    Some(bump(&mut film, &mut watch, &mut after))
}

fn bumps(hard: f64, seeds: std::ops::Range<u64>) -> (usize, Vec<String>) {
    let layout = Layout::load("nes").unwrap();
    let (mut count, mut failures) = (0, Vec::new());
    for seed in seeds {
        let mut dice = Xoshiro256PlusPlus::seed_from_u64(seed ^ 0x6275_6d70);
        let flaws = Flaws::draw(hard, seed, FPS);
        let mut camera = CameraModel::with_flaws(flaws.clone(), seed, FPS, SIZE);
        let (length_px, angle) = (dice.random_range(4.0..40.0f64), dice.random_range(0.0..std::f64::consts::TAU));
        let shift = [length_px * angle.cos(), length_px * angle.sin()];
        let (turn_deg, zoom) = (dice.random_range(-1.0..1.0), dice.random_range(0.98..1.02));
        let after = moved(&flaws, shift, turn_deg, zoom, seed);
        let Some(seen) = bumped(&mut camera, after, seed, &layout) else { continue };
        count += 1;
        // Until it is noticed, it may be misread.
        let is_good = seen.noticed.is_some_and(|n| n <= 5 && seen.misread < n) && seen.back.is_some_and(|n| n <= 30);
        if !is_good {
            failures.push(format!(
                "hard {hard} seed {seed}: shift {shift:.1?} turn {turn_deg:.2}° zoom {zoom:.3}: noticed after {:?} pictures, back after {:?}, misread {}",
                seen.noticed, seen.back, seen.misread
            ));
        }
    }
    (count, failures)
}

#[test]
fn a_bump_is_noticed_and_the_field_found_again() {
    // Through the worst of cameras an empty field may be read a row off for a while.
    for (hard, seeds, most) in [(0.3, 40..50, 0), (1.0, 40..60, 2)] {
        let (count, failures) = bumps(hard, seeds);
        assert!(count >= 6, "{count} bumps left the field in the picture");
        assert!(failures.len() <= most, "of {count}: {failures:#?}");
    }
}

#[test]
fn a_zoom_is_not_taken_for_a_bump() {
    let layout = Layout::load("nes").unwrap();
    let (mut count, mut found, mut misread) = (0, 0, Vec::new());
    for (seed, zoom) in (7101..7117u64).zip([0.82, 0.87, 0.92, 1.1].into_iter().cycle()) {
        let flaws = Flaws::draw(0.3, seed, FPS);
        let mut camera = CameraModel::with_flaws(flaws.clone(), seed, FPS, SIZE);
        let after = moved(&flaws, [-12.0, 9.0], 0.0, zoom, seed);
        let Some(seen) = bumped(&mut camera, after, seed, &layout) else { continue };
        count += 1;
        found += usize::from(seen.back.is_some());
        if seen.noticed.is_none_or(|noticed| seen.misread >= noticed) {
            misread.push(format!("seed {seed}, zoom {zoom}: {} pictures", seen.misread));
        }
        // A place half a cell beside may be believed until it is looked at once more.
        assert!(seen.misread <= 15, "{misread:?}");
    }
    println!("{found} of {count} found again in 1.5 s; read at a wrong place: {misread:?}");
    assert!(count >= 10 && 4 * found >= 3 * count, "{found} of {count} found again in 1.5 s");
    assert!(misread.len() <= 2, "{misread:?}");
}

#[test]
fn a_slow_drift_is_followed() {
    let layout = Layout::load("nes").unwrap();
    for (hard, seed) in [(0.3, 61), (0.8, 62)] {
        let flaws = Flaws::draw(hard, seed, FPS);
        let mut camera = CameraModel::with_flaws(flaws.clone(), seed, FPS, SIZE);
        let mut film = Film::new(seed);
        let mut watch = settled(&mut film, &mut camera, &layout).unwrap();
        let mut playing = 0;
        for step in 1..=30 {
            let mut now = moved(&flaws, [0.4 * f64::from(step), -0.2 * f64::from(step)], 0.0, 1.0, seed);
            for _ in 0..10 {
                let (observation, _) = watch.look(&film.next(&mut now));
                playing += u32::from(observation.state == ScreenState::Playing);
            }
            let off = off_px(watch.corners(), now.corners());
            assert!(off < 3.0, "hard {hard} step {step}: {off:.1} px behind");
        }
        assert!(playing >= 290, "hard {hard}: {playing} of 300 pictures read");
    }
}

#[test]
fn a_camera_that_looks_away_is_lost_and_back_again() {
    let layout = Layout::load("nes").unwrap();
    let mut camera = CameraModel::new(0.3, 71, FPS, SIZE);
    let mut film = Film::new(71);
    let mut watch = settled(&mut film, &mut camera, &layout).unwrap();
    let mut changes = Vec::new();
    for picture in 0..60 {
        let mut frame = film.next(&mut camera);
        frame.image = Arc::new(image::RgbImage::from_pixel(SIZE[0], SIZE[1], image::Rgb([60, 50, 40])));
        let (observation, change) = watch.look(&frame);
        assert_ne!(observation.state, ScreenState::Playing, "picture {picture}");
        changes.extend(change);
    }
    assert_eq!(changes, [Change::Lost]);
    let (observation, change) = watch.look(&film.next(&mut camera));
    assert_eq!((observation.state, change), (ScreenState::Playing, Some(Change::Back)));
}

/// Between two games most consoles show menus.
#[test]
fn a_menu_is_no_lost_field_until_it_stands_for_long() {
    let layout = Layout::load("nes").unwrap();
    let mut camera = CameraModel::new(0.3, 72, FPS, SIZE);
    let mut film = Film::new(72);
    let mut watch = settled(&mut film, &mut camera, &layout).unwrap();
    let game = film.table.expose(|_| RelayMask::default());
    let view = ConsoleView { screen: Screen::Menu, ..game.scenes[0].view.clone() };
    let mut menu = Picture::new();
    draw(&view, &mut menu);
    let mut changes = Vec::new();
    for picture in 0..240 {
        let image = Arc::new(camera.expose(&[(1.0, &menu)], game.index + picture));
        let (seen, change) = watch.look(&Frame { image, ..film.next(&mut camera) });
        assert_ne!(seen.state, ScreenState::Playing, "picture {picture}");
        changes.extend(change.map(|change| (picture, change)));
    }
    assert!(matches!(changes[..], [(120.., Change::Lost)]), "{changes:?}");
}

/// Where the field was, a wall stands still now, as a menu does: the game beside it is found by what falls in it.
#[test]
fn a_game_beside_something_that_stands_still_is_found() {
    let layout = Layout::load("nes").unwrap();
    let mut camera = CameraModel::new(0.3, 73, FPS, SIZE);
    let mut film = Film::new(73);
    let mut watch = settled(&mut film, &mut camera, &layout).unwrap();
    let mut away = moved(camera.flaws(), [-225.0, 0.0], 0.0, 1.0, 73);
    let mut states = Vec::new();
    let found = (0..300).find(|_| {
        let mut frame = film.next(&mut away);
        // From the next box on to the right.
        let pixels = Arc::make_mut(&mut frame.image).enumerate_pixels_mut().filter(|(x, ..)| *x >= 304);
        pixels.for_each(|(x, _, pixel)| *pixel = image::Rgb([(x / 3) as u8; 3]));
        let (seen, change) = watch.look(&frame);
        states.push(seen.state);
        matches!(change, Some(Change::Moved(_)))
    });
    assert!(states.contains(&ScreenState::Menu), "{states:?}");
    assert!(found.is_some_and(|pictures| pictures < 150), "{found:?} {states:?}");
    assert!(off_px(watch.corners(), away.corners()) < 2.0, "{:?}", watch.corners());
}

/// What was found first was something else: the watch notices when the game shows, and corrects it.
#[test]
fn a_wrong_place_is_left_when_the_game_shows_where_it_is() {
    let layout = Layout::load("nes").unwrap();
    for seed in [31, 32, 33] {
        let mut camera = CameraModel::new(0.5, seed, FPS, SIZE);
        let truth = camera.corners();
        // A row further up, two columns further left: a field may be read there for long.
        let wrong = |[x, y]: [f64; 2], columns: f64, rows: f64| {
            let across = [0, 1].map(|i| (truth[1][i] - truth[0][i]) / 10.0);
            let down = [0, 1].map(|i| (truth[3][i] - truth[0][i]) / 20.0);
            [x + columns * across[0] + rows * down[0], y + columns * across[1] + rows * down[1]]
        };
        let start = truth.map(|corner| wrong(corner, -0.5, -0.4));
        let mut watch = Watch::new(&layout, start, 0.0, SIZE).unwrap();
        let mut film = Film::new(seed);
        (0..150).for_each(|_| {
            watch.look(&film.next(&mut camera));
        });
        let off = (0..4).map(|i| (watch.corners()[i][0] - truth[i][0]).hypot(watch.corners()[i][1] - truth[i][1]));
        let off_px = off.fold(0.0, f64::max);
        assert!(off_px < 2.0, "seed {seed}: {off_px} px off");
    }
}
