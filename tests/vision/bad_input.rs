//! Pictures that are torn, covered, noisy or of other things, in the midst of a game: no panic, and nothing sure and wrong.
#![allow(clippy::unwrap_used, clippy::expect_used)]

use crate::support::frame_of;
use crate::support::play::{Film, Setup, Truth};
use image::{Rgb, RgbImage};
use proptest::prelude::*;
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use stackhand::message::{Cell, Frame, Observation};
use stackhand::profile::layout::Layout;
use stackhand::time::HostTime;
use stackhand::vision::read::Reader;
use std::sync::LazyLock;

/// A reader that has seen a game, and that game's next pictures with the truth about them.
static GAME: LazyLock<(Reader, Vec<(RgbImage, Truth)>)> = LazyLock::new(|| {
    let layout = Layout::load("nes").unwrap();
    let mut film = Film::new(Setup { careless: 0.1, level: 3, ..Setup::new(0.5, 40) }, &layout);
    let k1 = film.camera.flaws().radial_k1;
    let mut reader = Reader::through(&layout, film.camera.corners(), k1, [640, 480]).unwrap();
    for _ in 0..300 {
        reader.read(&film.shoot().0);
    }
    let shots = (0..30).map(|_| film.shoot()).map(|(frame, truth)| ((*frame.image).clone(), truth));
    (reader, shots.collect())
});

/// Cells that are surely something that they are not all the time.
fn wrong(seen: &Observation, truth: &Truth) -> usize {
    let cells = (0..200).map(|i| (i % 10, i / 10));
    let is_wrong = |&(x, y): &(usize, usize)| match seen.grid.cell(x, y) {
        Cell::Full => truth.full(x, y) < 0.02,
        Cell::Empty => truth.full(x, y) > 0.98,
        Cell::Unknown => false,
    };
    cells.filter(is_wrong).count()
}

fn noise(seed: u64, [width, height]: [u32; 2]) -> RgbImage {
    let mut dice = Xoshiro256PlusPlus::seed_from_u64(seed);
    RgbImage::from_fn(width, height, |_, _| Rgb([dice.random(), dice.random(), dice.random()]))
}

#[test]
fn exposure_and_white_balance_may_step_or_drift() {
    let (reader, shots) = &*GAME;
    for gain in [[0.6; 3], [0.8; 3], [1.4; 3], [0.8, 1.0, 1.3], [1.2, 0.9, 0.7]] {
        for is_step in [true, false] {
            let mut reader = reader.clone();
            for (i, (image, truth)) in shots.iter().enumerate() {
                let t = if is_step { 1.0 } else { (i as f64 / 20.0).min(1.0) };
                let mut image = image.clone();
                for pixel in image.pixels_mut() {
                    let value = |c: usize| (f64::from(pixel[c]) * (1.0 + (gain[c] - 1.0) * t)).min(255.0) as u8;
                    *pixel = Rgb([value(0), value(1), value(2)]);
                }
                let seen = reader.read(&frame_of(image));
                assert_eq!(wrong(&seen, truth), 0, "{gain:?} picture {i}:\n{}", seen.grid.to_lines().join("\n"));
                // Unknown for a moment is right; for longer it is not.
                assert!(i < 4 || seen.grid.unknown().count() <= 12, "{gain:?} picture {i} {:?}", seen.state);
            }
        }
    }
}

/// After a stall the first picture may be any: what was learned over seconds outlives it.
#[test]
fn an_odd_picture_after_a_stall_spoils_nothing() {
    let (reader, shots) = &*GAME;
    for gain in [0.7, 1.25] {
        let mut reader = reader.clone();
        let mut t_ms = 100_000.0;
        for (i, (image, truth)) in shots.iter().enumerate() {
            let mut image = image.clone();
            t_ms += 33.3;
            if i == 5 {
                t_ms += 900.0;
                let spoilt = |value: u8| (f64::from(value) * gain).min(255.0) as u8;
                image.pixels_mut().for_each(|pixel| *pixel = Rgb(pixel.0.map(spoilt)));
            }
            let seen = reader.read(&Frame { time: HostTime::from_ms(t_ms), ..frame_of(image) });
            assert_eq!(wrong(&seen, truth), 0, "{gain} picture {i}:\n{}", seen.grid.to_lines().join("\n"));
            assert!((5..8).contains(&i) || seen.grid.unknown().count() <= 12, "{gain} picture {i} {:?}", seen.state);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn a_torn_picture_is_no_panic_and_the_game_goes_on(line in 0u32..480, seed in any::<u64>()) {
        let (reader, shots) = &*GAME;
        let mut reader = reader.clone();
        let other = noise(seed, [640, 480]);
        let torn = RgbImage::from_fn(640, 480, |x, y| *if y < line { &shots[0].0 } else { &other }.get_pixel(x, y));
        reader.read(&frame_of(torn));
        for (image, _) in &shots[..5] {
            reader.read(&frame_of(image.clone()));
        }
        let seen = reader.read(&frame_of(shots[5].0.clone()));
        prop_assert!(seen.state.shows_cells());
        prop_assert_eq!(wrong(&seen, &shots[5].1), 0);
    }

    #[test]
    fn pictures_of_noise_show_nothing(seed in any::<u64>(), size in (1u32..700, 1u32..500)) {
        let (reader, _) = &*GAME;
        let mut reader = reader.clone();
        for size in [[640, 480], [size.0, size.1]] {
            let seen = reader.read(&frame_of(noise(seed, size)));
            prop_assert!(!seen.state.shows_field(), "{:?}", seen.state);
            prop_assert_eq!((seen.spawn.piece(), seen.next.piece()), (None, None));
            prop_assert_eq!(seen.grid.unknown().count(), 200);
        }
    }
}
