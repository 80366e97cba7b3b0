//! What a camera or a screen does to a picture beyond the simulated camera's own flaws: combs, ghosts, glare that comes,
//! a hand, an exposure that jumps. Nothing may be read as what it is not.
#![allow(clippy::unwrap_used, clippy::expect_used)]

use crate::support::spoil::{Fault, Place, SPOILED, Tally, mix, nothing_covered, run};
use image::{Rgb, RgbImage};

/// Cells that showed one thing are hardly ever unknown, and practically never surely wrong.
fn assert_cells(tally: &Tally, most_unknown_percent: usize) {
    println!("{tally:?}");
    let [right, unknown, wrong] = tally.cells;
    let all = right + unknown + wrong;
    assert!(wrong * 10_000 <= all, "{wrong} of {all} cells are surely wrong");
    assert!(unknown * 100 <= most_unknown_percent * all, "{unknown} of {all} cells are unknown");
    assert_eq!(tally.next[2], 0, "no next piece is taken for another");
    // A piece that turns, combed, may for one picture look like another one, fainter.
    assert!(tally.wrong_spawns * 100 <= tally.pictures, "{} wrong pieces in the spawn place", tally.wrong_spawns);
    assert!(tally.after[0] * 100 >= tally.after[1] * 95, "not read again: {tally:?}");
}

/// The whole clip is spoiled and yet read.
fn assert_read(tally: &Tally) {
    assert_cells(tally, 1);
    assert!(tally.read * 100 >= tally.pictures * 98, "only {} of {} pictures are read", tally.read, tally.pictures);
    assert!(tally.next[1] * 10 <= tally.next[0], "the next piece is unknown too often: {:?}", tally.next);
}

#[test]
fn interlaced_pictures_are_read() {
    let comb = |now: &RgbImage, last: &RgbImage, _: &Place| mix(now, last, |_, y, a, b| if y % 2 == 1 { b } else { a });
    for (hard, seeds) in [(0.0, 810..811), (0.5, 812..814)] {
        assert_read(&run(hard, seeds, &Fault { spoil: &comb, covers: &nothing_covered, when: 1..270 }));
    }
}

#[test]
fn what_is_left_of_the_last_picture_is_no_block() {
    let ghost = |now: &RgbImage, last: &RgbImage, _: &Place| mix(now, last, |_, _, a, b| 0.7 * a + 0.3 * b);
    for (hard, seeds) in [(0.0, 820..821), (0.5, 822..824)] {
        assert_read(&run(hard, seeds, &Fault { spoil: &ghost, covers: &nothing_covered, when: 1..270 }));
    }
}

/// A picture with light added around a place, px: so many steps in its middle, none at a radius given as a share of the
/// picture's width.
fn shone_on(picture: &RgbImage, [cx, cy]: [f64; 2], radius: f64, light: f64) -> RgbImage {
    let size = radius * f64::from(picture.width());
    mix(picture, picture, |x, y, a, _| {
        let far = ((f64::from(x) - cx).hypot(f64::from(y) - cy) / size).min(1.0);
        a + light * (1.0 - far * far).powi(2)
    })
}

/// The light of a window, with sharp edges: over a part of the field's width and height, in its own measure, and beyond it.
fn behind_a_window(picture: &RgbImage, place: &Place, [left, top, right, bottom]: [f64; 4], light: f64) -> RgbImage {
    let ([from_x, from_y], [to_x, to_y]) = (place.at(left, top), place.at(right, bottom));
    mix(picture, picture, |x, y, a, _| {
        let is_lit = (from_x..to_x).contains(&f64::from(x)) && (from_y..to_y).contains(&f64::from(y));
        if is_lit { 255.0 - (255.0 - a) * (1.0 - light) } else { a }
    })
}

#[test]
fn the_light_of_a_window_that_was_there_from_the_start_is_no_pile() {
    for (part, light) in [([-1.0, -0.5, 2.5, 0.37], 0.3), ([-1.0, 0.52, 2.5, 1.5], 0.4)] {
        let lit = |now: &RgbImage, _: &RgbImage, place: &Place| behind_a_window(now, place, part, light);
        let tally = run(0.3, 840..844, &Fault { spoil: &lit, covers: &nothing_covered, when: 0..270 });
        println!("{part:?}: {tally:?}");
        let [right, unknown, wrong] = tally.cells;
        let all = right + unknown + wrong;
        assert!(wrong * 1000 <= all, "{wrong} of {all} cells are surely wrong");
        assert!(unknown * 100 <= 7 * all, "{unknown} of {all} cells are unknown");
        assert!(tally.read * 100 >= tally.pictures * 98, "only {} of {} are read", tally.read, tally.pictures);
    }
}

#[test]
fn glare_that_comes_and_goes_is_no_block() {
    for (at, radius, strength) in [((0.5, 0.6), 0.25, 60.0), ((0.2, 0.85), 0.12, 60.0), ((0.7, 0.3), 0.3, 120.0)] {
        let glare = |now: &RgbImage, _: &RgbImage, place: &Place| shone_on(now, place.at(at.0, at.1), radius, strength);
        let tally = run(0.5, 830..832, &Fault { spoil: &glare, covers: &nothing_covered, when: SPOILED });
        println!("glare {strength} at {at:?}");
        assert_cells(&tally, 25);
    }
}

#[test]
fn a_small_bright_spot_over_empty_cells_is_no_block() {
    for (at, radius, light) in [((0.5, 0.35), 0.08, 200.0), ((0.25, 0.5), 0.06, 260.0), ((0.8, 0.2), 0.1, 150.0)] {
        let spot = |now: &RgbImage, _: &RgbImage, place: &Place| shone_on(now, place.at(at.0, at.1), radius, light);
        let tally = run(0.5, 830..832, &Fault { spoil: &spot, covers: &nothing_covered, when: SPOILED });
        println!("spot {light} at {at:?}: {tally:?}");
        let [right, unknown, wrong] = tally.cells;
        assert!(wrong * 2_000 <= right, "{wrong} cells are surely wrong");
        assert!(unknown * 100 <= 25 * right, "{unknown} cells are unknown");
        assert!(tally.wrong_spawns == 0 && tally.next[2] == 0);
        assert!(tally.after[0] * 100 >= tally.after[1] * 95, "not read again");
    }
}

#[test]
fn one_picture_of_another_exposure_is_read() {
    for gain in [0.6, 1.5] {
        let step = |now: &RgbImage, _: &RgbImage, _: &Place| mix(now, now, |_, _, a, _| a * gain);
        let mut all = Tally::default();
        for picture in [110, 210] {
            let fault = Fault { spoil: &step, covers: &nothing_covered, when: picture..picture + 20 };
            let tally = run(0.5, 840..843, &fault);
            all.read += tally.read;
            all.pictures += tally.pictures;
            assert_cells(&tally, 2);
        }
        assert!(all.read * 100 >= all.pictures * 95, "gain {gain}: {} of {} read", all.read, all.pictures);
    }
}

/// A hand that comes from the right of the field and hides what is under it.
#[test]
fn a_hand_before_the_field_makes_no_pile() {
    for colour in [[205.0, 150.0, 120.0], [12.0, 10.0, 10.0]] {
        for (reach, height) in [(0.75, 0.5), (0.45, 0.8), (0.6, 0.2)] {
            let covers = |p: [f64; 2], place: &Place| {
                let ([x, y], [right, _]) = (place.at(reach, height), place.at(1.4, height));
                let half = 0.12 * (place.corners[3][1] - place.corners[0][1]).abs();
                p[0] < right && (p[1] - y).abs() < half && p[0] > x + (p[1] - y).powi(2) / half
            };
            let hand = |now: &RgbImage, _: &RgbImage, place: &Place| {
                RgbImage::from_fn(now.width(), now.height(), |x, y| {
                    let hidden = covers([f64::from(x), f64::from(y)], place);
                    // Skin is not one colour: folds and shadows.
                    let shade = 1.0 - 0.12 * (f64::from(x) / 9.0).sin() * (f64::from(y) / 7.0).cos();
                    if hidden { Rgb(colour.map(|c: f64| (c * shade) as u8)) } else { *now.get_pixel(x, y) }
                })
            };
            let tally = run(0.5, 850..851, &Fault { spoil: &hand, covers: &covers, when: SPOILED });
            println!("colour {colour:?} at {reach} {height}");
            assert_cells(&tally, 5);
        }
    }
}
