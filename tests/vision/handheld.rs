//! The reader against real webcam photos of a handheld (not part of this repository; skipped where absent).
#![allow(clippy::unwrap_used)]

use crate::support::{fixtures, frame_of};
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use stackhand::game::Piece;
use stackhand::message::{Observation, ScreenState};
use stackhand::profile::layout::Layout;
use stackhand::vision::locate;
use stackhand::vision::read::Reader;
use stackhand::vision::view::geometry::{Homography, distance};

/// Of 180 cells: light blocks under moiré may be unknown, more so when the corners are off.
const MOST_UNKNOWN: u32 = 14;

struct Photo {
    name: String,
    current: Piece,
    next: Piece,
    /// The field's corners, px.
    corners: [[f64; 2]; 4],
    /// The settled pile and the falling piece in its spawn place, labelled by eye: `#` and `.`, top row first.
    cells: Vec<String>,
}

/// The pile of a photo, by its name.
fn pile(name: &str) -> Vec<String> {
    let labels = include_str!("support/gamebot_piles.txt").lines();
    let rows = labels.skip_while(|line| *line != name).skip(1).take_while(|line| !line.starts_with("test"));
    let mut pile = vec!["..........".to_string(); 18];
    for row in rows {
        let (row, cells) = row.split_once(' ').unwrap();
        pile[row.parse::<usize>().unwrap()] = cells.into();
    }
    pile
}

/// The pile with a piece in its spawn place, in the second and the third row.
fn with_piece(mut pile: Vec<String>, layout: &Layout, piece: Piece) -> Vec<String> {
    for (x, y) in layout.spawn_cells(piece) {
        pile[y].replace_range(x..=x, "#");
    }
    pile
}

fn photos() -> Vec<Photo> {
    let Some(folder) = fixtures("gamebot") else {
        return Vec::new();
    };
    let labels = std::fs::read_to_string(folder.join("labels.csv")).unwrap();
    let layout = Layout::load("gameboy").unwrap();
    let letter = |text: &str| Piece::from_letter(text.chars().next().unwrap()).unwrap();
    let point = |text: &str| {
        let (x, y) = text.split_once(';').unwrap();
        [x.parse().unwrap(), y.parse().unwrap()]
    };
    let photo = |line: &str| {
        let c: Vec<&str> = line.trim().split(',').collect();
        let screen = [point(c[7]), point(c[8]), point(c[10]), point(c[9])];
        // The labels give the corners of the handheld's 160 × 144 screen; the field is its x 16–96.
        let map = Homography::from_rectangle([0.0, 0.0, 160.0, 144.0], screen).unwrap();
        let corners = [[16.0, 0.0], [96.0, 0.0], [96.0, 144.0], [16.0, 144.0]].map(|p| map.map(p));
        let (current, name) = (letter(c[2]), c[0].to_string());
        let cells = with_piece(pile(name.trim_end_matches(".jpg")), &layout, current);
        Photo { name, current, next: letter(c[6]), corners, cells }
    };
    labels.lines().skip(1).map(photo).collect()
}

fn read(photo: &Photo, corners: [[f64; 2]; 4], k1: f64) -> Observation {
    let path = fixtures("gamebot").unwrap().join("images").join(&photo.name);
    let frame = frame_of(image::open(path).unwrap().to_rgb8());
    let layout = Layout::load("gameboy").unwrap();
    let size = [frame.image.width(), frame.image.height()];
    let mut reader = Reader::through(&layout, corners, k1, size).unwrap();
    reader.read(&frame)
}

fn problem(photo: &Photo, corners: [[f64; 2]; 4], k1: f64) -> Option<String> {
    let seen = read(photo, corners, k1);
    let right = seen.spawn.piece() == Some(photo.current)
        && seen.next.piece() == Some(photo.next)
        && seen.state == ScreenState::Playing
        && seen.grid.unknown().count() <= MOST_UNKNOWN;
    (!right).then(|| {
        let Photo { name, current, next, .. } = photo;
        let (spawn, shown, state) = (seen.spawn, seen.next, seen.state);
        format!("{name}: {current} {next}, seen {spawn:?} {shown:?} {state:?}\n{}\n", seen.grid.to_lines().join("\n"))
    })
}

/// The cells that are surely something else than they are, in words.
fn surely_wrong(photo: &Photo, seen: &Observation) -> Vec<String> {
    let seen = seen.grid.to_lines();
    let rows = seen.iter().zip(&photo.cells).enumerate();
    let wrong = |(y, (seen, is)): (usize, (&String, &String))| {
        let cells = seen.chars().zip(is.chars()).enumerate();
        let wrong = cells.filter(|(_, (seen, is))| *seen != '?' && seen != is).map(|(x, _)| (x, y));
        wrong.collect::<Vec<_>>()
    };
    rows.flat_map(wrong).map(|(x, y)| format!("{} column {x} row {y}", photo.name)).collect()
}

#[test]
fn every_photo_is_read_and_no_pale_block_is_surely_empty() {
    let problems: Vec<String> = photos().iter().filter_map(|p| problem(p, p.corners, 0.0)).collect();
    assert!(problems.is_empty(), "{} wrong:\n{}", problems.len(), problems.join("\n"));
    let wrong = |p: &Photo| surely_wrong(p, &read(p, p.corners, 0.0));
    assert_eq!(photos().iter().flat_map(wrong).collect::<Vec<_>>(), Vec::<String>::new());
}

#[test]
fn corners_two_pixels_off_are_good_enough() {
    let moves = [[2.0, 2.0], [-2.0, 2.0], [2.0, -2.0], [-2.0, -2.0]];
    let mut problems = Vec::new();
    for photo in photos() {
        // All corners moved together, and apart: shifted, stretched, turned, skewed.
        for turn in 0..4 {
            for step in 0..4 {
                let mut corners = photo.corners;
                for (i, corner) in corners.iter_mut().enumerate() {
                    let by = moves[(turn + step * i) % 4];
                    *corner = [corner[0] + by[0], corner[1] + by[1]];
                }
                problems.extend(problem(&photo, corners, 0.0).map(|p| format!("{turn}/{step} {p}")));
            }
        }
    }
    assert!(problems.is_empty(), "{} wrong:\n{}", problems.len(), problems.join("\n"));
}

#[test]
fn every_photo_is_found_without_a_click() {
    let layout = Layout::load("gameboy").unwrap();
    let (mut found, mut read_right, mut tried, mut wrong) = (0, 0, 0, Vec::new());
    for photo in photos() {
        tried += 1;
        let path = fixtures("gamebot").unwrap().join("images").join(&photo.name);
        match locate(&image::open(path).unwrap().to_rgb8(), &layout) {
            Ok(located) => {
                let off = |i: usize| distance(located.corners[i], photo.corners[i]);
                let error_px = (0..4).map(off).fold(0.0, f64::max);
                println!("{}: {error_px:.1} px off, {:.1} claimed", photo.name, located.error_px);
                assert!(error_px < 3.0, "{}: {located:?} for {:?}", photo.name, photo.corners);
                found += 1;
                let problem = problem(&photo, located.corners, located.k1);
                read_right += usize::from(problem.is_none());
                problem.into_iter().for_each(|p| println!("{p}"));
                let seen = read(&photo, located.corners, located.k1);
                // Where the display's pixels beat with the camera's a piece may stay unknown, but is never another.
                assert!(seen.spawn.piece().is_none_or(|p| p == photo.current), "{}: {:?}", photo.name, seen.spawn);
                assert_eq!(seen.next.piece(), Some(photo.next), "{}", photo.name);
                wrong.extend(surely_wrong(&photo, &seen));
            }
            Err(e) => println!("{}: {e}", photo.name),
        }
    }
    println!("{found} of {tried} found, {read_right} read without a flaw");
    assert_eq!(found, tried);
    assert!(wrong.len() <= 2, "{wrong:?}");
    assert!(read_right + 1 >= tried, "{read_right} of {tried} read");
}

/// The photo as a camera of less light, or more, would have taken it, with noise and a patch of light.
fn spoilt(image: &image::RgbImage, dice: &mut Xoshiro256PlusPlus) -> image::RgbImage {
    let (gain, lift, gamma) =
        (dice.random_range(0.55..1.0), dice.random_range(0.0..25.0), dice.random_range(0.7..1.4f64));
    let noise = dice.random_range(0.0..6.0f64);
    let [width, height] = [f64::from(image.width()), f64::from(image.height())];
    let light = [dice.random_range(0.0..width), dice.random_range(0.0..height), dice.random_range(0.0..40.0)];
    let mut spoilt = image.clone();
    for (x, y, pixel) in spoilt.enumerate_pixels_mut() {
        let away = (f64::from(x) - light[0]).powi(2) + (f64::from(y) - light[1]).powi(2);
        let glare = light[2] * (-away / 28_800.0).exp();
        for value in &mut pixel.0 {
            let clean = 255.0 * (f64::from(*value) / 255.0).powf(gamma) * gain + lift + glare;
            *value = (clean + noise * dice.random_range(-1.7..1.7)).clamp(0.0, 255.0) as u8;
        }
    }
    spoilt
}

#[test]
fn pale_blocks_are_hardly_ever_taken_for_empty_in_bad_light() {
    let layout = Layout::load("gameboy").unwrap();
    let (mut cells, mut wrong) = (0, Vec::new());
    for (i, photo) in photos().iter().enumerate() {
        let path = fixtures("gamebot").unwrap().join("images").join(&photo.name);
        let image = image::open(path).unwrap().to_rgb8();
        let mut dice = Xoshiro256PlusPlus::seed_from_u64(i as u64);
        for _ in 0..6 {
            let frame = frame_of(spoilt(&image, &mut dice));
            let size = [image.width(), image.height()];
            let seen = Reader::through(&layout, photo.corners, 0.0, size).unwrap().read(&frame);
            cells += photo.cells.iter().map(String::len).sum::<usize>();
            wrong.extend(surely_wrong(photo, &seen));
        }
    }
    println!("{} of {cells} cells are surely wrong", wrong.len());
    assert!(wrong.len() * 1000 <= cells, "{} of {cells}: {wrong:?}", wrong.len());
}
