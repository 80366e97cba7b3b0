//! The reader against real webcam photos of a handheld (not part of this repository; skipped where absent).
#![allow(clippy::unwrap_used)]

use crate::support::{fixtures, frame_of};
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
}

fn photos() -> Vec<Photo> {
    let Some(folder) = fixtures("gamebot") else {
        return Vec::new();
    };
    let labels = std::fs::read_to_string(folder.join("labels.csv")).unwrap();
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
        Photo { name: c[0].into(), current: letter(c[2]), next: letter(c[6]), corners }
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

#[test]
fn every_photo_is_read() {
    let problems: Vec<String> = photos().iter().filter_map(|p| problem(p, p.corners, 0.0)).collect();
    assert!(problems.is_empty(), "{} wrong:\n{}", problems.len(), problems.join("\n"));
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
    let (mut found, mut read_right, mut tried) = (0, 0, 0);
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
            }
            Err(e) => println!("{}: {e}", photo.name),
        }
    }
    println!("{found} of {tried} found, {read_right} read without a flaw");
    assert_eq!(found, tried);
    assert!(read_right + 1 >= tried, "{read_right} of {tried} read");
}
