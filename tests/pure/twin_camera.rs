//! The simulated camera against what it promises.

use image::{GrayImage, RgbImage};
use stackhand::game::Piece;
use stackhand::twin::camera::{CameraModel, DEFAULT_SIZE, Flaws};
use stackhand::twin::picture::{Picture, WIDTH_PX, draw};
use stackhand::twin::view::{ConsoleView, Screen, Tile};

fn view(level: u8) -> ConsoleView {
    let mut playfield = [[Tile::Empty; 10]; 20];
    for (y, row) in playfield.iter_mut().enumerate().skip(12) {
        for (x, tile) in row.iter_mut().enumerate() {
            let kinds = [Tile::Empty, Tile::White, Tile::Light, Tile::Dark];
            *tile = kinds[if x == 9 { 0 } else { (x * 7 + y * 5 + x * y) % 4 }];
        }
    }
    ConsoleView {
        screen: Screen::Game,
        playfield,
        falling: Some(([(4, 3), (5, 3), (6, 3), (5, 4)], Tile::White)),
        next: Some(Piece::L),
        level,
        lines: 47,
        score: 123_456,
        top: 10_000,
        statistics: [1, 22, 13, 4, 105, 6, 7],
        flash: false,
    }
}

fn picture(view: &ConsoleView) -> Picture {
    let mut picture = Picture::new();
    draw(view, &mut picture);
    picture
}

fn film(hard: f64, seed: u64, index: u64) -> RgbImage {
    let mut camera = CameraModel::new(hard, seed, 30.0, DEFAULT_SIZE);
    let (a, b) = (picture(&view(0)), picture(&view(1)));
    camera.expose(&[(0.6, &a), (0.4, &b)], index)
}

/// Mean difference of two pictures, of 255.
fn difference(a: &RgbImage, b: &RgbImage) -> f64 {
    let sum: u64 = a.iter().zip(b.iter()).map(|(a, b)| u64::from(a.abs_diff(*b))).sum();
    sum as f64 / a.len() as f64
}

#[test]
fn equal_seeds_give_equal_bytes_and_others_do_not() {
    for hard in [0.0, 0.3, 1.0] {
        assert!(film(hard, 4, 9) == film(hard, 4, 9), "{hard}");
    }
    assert!(film(1.0, 4, 9) != film(1.0, 5, 9));
    assert!(film(1.0, 4, 9) != film(1.0, 4, 10), "noise must change from picture to picture");
    assert!(film(0.0, 4, 9) == film(0.0, 4, 10), "a perfect camera has no noise");
}

/// The bytes themselves: the same on every machine, and changed only on purpose.
#[test]
fn bytes_are_the_ones_written_down() {
    let checksums = [0.0, 0.3, 1.0].map(|hard| crc32fast::hash(&film(hard, 4, 9)));
    assert_eq!(checksums, [0xa27a_2695, 0x9cb4_1f66, 0x3f96_991f], "{checksums:08x?}");
}

/// What is kept from earlier exposures must not be seen.
#[test]
fn a_picture_does_not_depend_on_the_ones_before() {
    for hard in [0.0, 0.4, 1.0] {
        let mut used = CameraModel::new(hard, 3, 30.0, DEFAULT_SIZE);
        let moved = ConsoleView { falling: Some(([(1, 7), (2, 7), (3, 7), (4, 7)], Tile::White)), ..view(0) };
        let views =
            [view(0), moved, ConsoleView { flash: true, ..view(0) }, view(6), ConsoleView { score: 7, ..view(6) }];
        let pictures = views.map(|v| picture(&v));
        for index in 0..10u64 {
            let (a, b) = (&pictures[index as usize * 2 % 5], &pictures[index as usize * 3 % 5]);
            let shown = [(0.3, a), (0.7, b)];
            let shown = &shown[..1 + index as usize % 2];
            let mut fresh = CameraModel::new(hard, 3, 30.0, DEFAULT_SIZE);
            assert!(used.expose(shown, index) == fresh.expose(shown, index), "hard {hard}, picture {index}");
        }
    }
}

/// The pale frame stands one pixel outside the field; its inner edge is where brightness passes the middle.
#[test]
fn corners_of_a_perfect_camera_are_where_the_frame_says() {
    let mut camera = CameraModel::new(0.0, 1, 30.0, DEFAULT_SIZE);
    let empty = ConsoleView { playfield: [[Tile::Empty; 10]; 20], falling: None, ..view(0) };
    let shot = camera.expose(&[(1.0, &picture(&empty))], 0);
    let [top_left, _, bottom_right, _] = camera.corners();
    let scale = [(bottom_right[0] - top_left[0]) / 80.0, (bottom_right[1] - top_left[1]) / 160.0];
    let middle = [(top_left[0] + bottom_right[0]) / 2.0, (top_left[1] + bottom_right[1]) / 2.0];
    for axis in 0..2 {
        for (direction, corner) in [(-1.0, top_left), (1.0, bottom_right)] {
            let value = |distance: f64| {
                let mut at = middle;
                at[axis] += direction * distance;
                f64::from(shot.get_pixel(at[0] as u32, at[1] as u32)[1])
            };
            let first_bright = (0..400).map(f64::from).find(|d| value(*d) > 125.0).unwrap();
            let before = value(first_bright - 1.0);
            let part = (125.0 - before) / (value(first_bright) - before);
            // Values belong to pixel centres.
            let pixel = (middle[axis] + direction * (first_bright - 1.0)).floor() + 0.5;
            let edge = pixel + direction * part;
            let expected = corner[axis] + direction * scale[axis];
            assert!((edge - expected).abs() < 0.5, "axis {axis}, {direction}: {edge} instead of {expected}");
        }
    }
}

#[test]
fn flaws_grow_with_hardness() {
    let plain = film(0.0, 0, 1);
    let mean = |hard: f64| (0..6).map(|seed| difference(&plain, &film(hard, seed, 1))).sum::<f64>() / 6.0;
    let means = [0.05, 0.2, 0.5, 1.0].map(mean);
    assert!(means.is_sorted() && means[3] > 2.0 * means[0], "{means:?}");
    let noise = |hard: f64| difference(&film(hard, 2, 1), &film(hard, 2, 2));
    assert!(noise(0.1) < noise(0.4) && noise(0.4) < noise(1.0));
}

#[test]
fn shares_that_make_no_sense_do_no_harm() {
    let mut camera = CameraModel::new(0.3, 1, f64::NAN, [0, 333]);
    let p = picture(&view(2));
    let normal = camera.expose(&[(0.5, &p), (0.5, &p)], 0);
    assert_eq!(normal.dimensions(), (16, 333));
    assert!(camera.expose(&[(17.0, &p)], 0) == normal);
    assert!(camera.expose(&[(f32::NAN, &p), (-1.0, &p), (2.0, &p)], 0) == normal);
    let dark = camera.expose(&[], 0);
    assert!(camera.expose(&[(0.0, &p)], 0) == dark && camera.expose(&[(f32::INFINITY, &p)], 0) == dark);
    camera.expose(&[(f32::MAX, &p), (f32::MAX, &p)], u64::MAX);
    let _ = CameraModel::new(f64::NAN, 1, -1.0, [17, 31]).expose(&[(1.0, &p)], 0);
}

#[test]
fn exposure_times_are_those_of_the_design() {
    let ms = |fps: f64| CameraModel::new(0.0, 0, fps, [32, 32]).exposure_ms();
    assert!((ms(30.0) - 16.0).abs() < 1e-9 && (ms(60.0) - 8.0).abs() < 1e-9 && ms(5.0) <= 16.0);
}

/// The camera leaves out JPEG's entropy coding; what it loses must be what a real encoder and decoder lose.
#[test]
fn compression_loses_what_a_real_one_loses() {
    let quality = 70;
    let plain = Flaws::draw(0.0, 0, 30.0);
    let shown = picture(&view(3));
    let film = |flaws: Flaws| CameraModel::with_flaws(flaws, 0, 30.0, DEFAULT_SIZE).expose(&[(1.0, &shown)], 0);
    let original = film(plain.clone());
    let ours = film(Flaws { jpeg_quality: Some(f64::from(quality)), ..plain });

    let mut bytes = Vec::new();
    let mut encoder = jpeg_encoder::Encoder::new(&mut bytes, quality);
    encoder.set_sampling_factor(jpeg_encoder::SamplingFactor::F_2_2);
    encoder.encode(&original, 640, 480, jpeg_encoder::ColorType::Rgb).unwrap();
    let real = image::load_from_memory(&bytes).unwrap().to_rgb8();

    let (lost, really_lost) = (difference(&original, &ours), difference(&original, &real));
    assert!((lost / really_lost - 1.0).abs() < 0.15, "{lost} instead of {really_lost}");
    // Decoders differ in how they spread the halved chroma, and clipping at black carries some of that into luma. A loss
    // of another kind but the same size would be about 1.4 times as far apart as it is large.
    let [original, ours, real] = [original, ours, real].map(|p| image::DynamicImage::ImageRgb8(p).to_luma8());
    let mean = |a: &GrayImage, b: &GrayImage| {
        a.iter().zip(b.iter()).map(|(a, b)| f64::from(a.abs_diff(*b))).sum::<f64>() / a.len() as f64
    };
    let (apart, lost) = (mean(&ours, &real), mean(&original, &real));
    assert!(apart < 0.5 * lost, "luma {apart} apart at a loss of {lost}");
}

#[test]
fn the_screens_differ_and_a_flash_lights_the_wall_alone() {
    let game = view(0);
    let screens =
        [Screen::Game, Screen::Menu, Screen::Paused].map(|screen| picture(&ConsoleView { screen, ..game.clone() }));
    assert!(screens[0] != screens[1] && screens[0] != screens[2] && screens[1] != screens[2]);
    let flash = picture(&ConsoleView { flash: true, ..game.clone() });
    let lit = flash.pixels().iter().zip(screens[0].pixels()).enumerate().filter(|(_, (lit, dark))| lit != dark);
    let lit: Vec<[usize; 2]> = lit.map(|(at, _)| [at % WIDTH_PX, at / WIDTH_PX]).collect();
    assert!(lit.len() > 5000, "{}", lit.len());
    assert!(lit.iter().all(|[x, y]| !(96..176).contains(x) || !(48..208).contains(y)), "the field");
    assert!(lit.iter().all(|[x, y]| flash.to_rgb().get_pixel(*x as u32, *y as u32)[0] > 250), "white");
    // Hidden rows and numbers too large for their places are no reason to fall over.
    let odd = ConsoleView {
        falling: Some(([(-1, -2), (3, -1), (10, 3), (4, 25)], Tile::Dark)),
        score: u32::MAX,
        lines: u32::MAX,
        level: 255,
        top: 10_000,
        statistics: [u16::MAX; 7],
        ..game
    };
    picture(&odd);
}
