//! Finding and reading recordings of free PC games (not part of this repository; skipped where absent).
#![allow(clippy::unwrap_used)]

use crate::support::{fixtures, frame_of, recording};
use image::RgbImage;
use stackhand::game::Piece;
use stackhand::profile::layout::Layout;
use stackhand::vision::locate;
use stackhand::vision::read::Reader;
use std::collections::BTreeMap;

struct Truth {
    piece: Piece,
    next: Piece,
    board: Vec<String>,
}

/// The truth of the vitetris recordings, by picture number.
fn truth() -> BTreeMap<usize, Truth> {
    let Some(folder) = fixtures("pcgames") else {
        return BTreeMap::new();
    };
    let text = std::fs::read_to_string(folder.join("vitetris-30fps-45s.truth.jsonl")).unwrap();
    let entry = |line: &str| {
        let value: serde_json::Value = serde_json::from_str(line).unwrap();
        let piece = |key: &str| Piece::from_letter(value[key].as_str().unwrap().chars().next().unwrap()).unwrap();
        let rows = value["board"].as_array().unwrap().iter().map(|r| r.as_str().unwrap().to_string());
        let truth = Truth { piece: piece("piece"), next: piece("next"), board: rows.collect() };
        (value["frame"].as_u64().unwrap() as usize, truth)
    };
    text.lines().map(entry).collect()
}

fn worst(a: [[f64; 2]; 4], b: [[f64; 2]; 4]) -> f64 {
    a.iter().zip(b).map(|(a, b)| (a[0] - b[0]).hypot(a[1] - b[1])).fold(0.0, f64::max)
}

/// The truth's board with the piece in its spawn place.
fn with_piece(truth: &Truth, layout: &Layout) -> Vec<String> {
    let mut rows: Vec<Vec<char>> = truth.board.iter().map(|r| r.chars().collect()).collect();
    layout.spawn_cells(truth.piece).into_iter().for_each(|(x, y)| rows[y][x] = '#');
    rows.into_iter().map(String::from_iter).collect()
}

/// Reads every picture and compares those in which a piece appears; how many of them are wrong, in words.
fn misread(file: &str, size: [u32; 2], corners: [[f64; 2]; 4], slack: usize) -> (Vec<String>, usize) {
    let layout = Layout::load("vitetris").unwrap();
    let truth = truth();
    let mut reader = Reader::new(&layout, corners, size).unwrap();
    let mut open: Option<(usize, &Truth, String)> = None;
    let (mut problems, mut obscured) = (Vec::new(), 0);
    recording("pcgames", file, size, |index, image| {
        let seen = reader.read(&frame_of(image));
        obscured += usize::from(!seen.state.shows_field());
        if let Some(truth) = truth.get(&index) {
            problems.extend(open.take().map(|o| o.2));
            open = Some((index, truth, String::new()));
        }
        let Some((spawned, truth, _)) = &open else {
            return;
        };
        // Cells that come or go while the shutter is open are unknown; what is sure must be right.
        let agrees = |(seen, truth): (String, String)| {
            seen.chars().zip(truth.chars()).all(|(seen, truth)| seen == truth || seen == '?')
        };
        let right = seen.grid.unknown().count() <= 4
            && seen.grid.to_lines().into_iter().zip(with_piece(truth, &layout)).all(agrees)
            && seen.spawn.piece() == Some(truth.piece)
            && seen.next.piece() == Some(truth.next);
        if right {
            open = None;
        } else if index - spawned >= slack {
            let picture = seen.grid.to_lines().join("\n");
            problems.push(format!(
                "{index}: {} {}, seen {:?} {:?} {:?}\n{picture}",
                truth.piece, truth.next, seen.spawn, seen.next, seen.state
            ));
            open = None;
        }
    });
    (problems, obscured)
}

const LOSSLESS: [[f64; 2]; 4] = [[348.0, 96.0], [588.0, 96.0], [588.0, 576.0], [348.0, 576.0]];
const FILMED: [[f64; 2]; 4] = [[527.8, 163.6], [765.4, 166.5], [771.9, 625.7], [528.6, 630.0]];

/// Finds the field in every `every`th picture; the share found within `limit_px`, and the worst of them.
fn find(
    file: &str,
    name: &str,
    size: [u32; 2],
    corners: [[f64; 2]; 4],
    every: usize,
    limit_px: f64,
) -> (usize, usize, f64) {
    let layout = Layout::load(name).unwrap();
    let (mut tried, mut found, mut worst_px) = (0, 0, 0.0f64);
    recording("pcgames", file, size, |index, image: RgbImage| {
        if index % every != 0 {
            return;
        }
        tried += 1;
        match locate(&image, &layout) {
            Ok(located) if worst(located.corners, corners) < limit_px => {
                found += 1;
                worst_px = worst_px.max(worst(located.corners, corners));
            }
            other => println!("{file} {index}: {other:?}"),
        }
    });
    println!("{file}: {found}/{tried} within {worst_px:.2} px");
    (found, tried, worst_px)
}

#[test]
fn a_lossless_recording_is_read() {
    let (problems, obscured) = misread("vitetris-30fps-45s.mkv", [960, 600], LOSSLESS, 0);
    assert!(problems.is_empty(), "{} wrong, {obscured} obscured:\n{}", problems.len(), problems.join("\n"));
}

#[test]
fn a_filmed_recording_is_read() {
    // The exposures blend pictures, so a piece may show whole only a picture or two later.
    let (problems, obscured) = misread("vitetris-cam-easy.mkv", [1280, 720], FILMED, 3);
    assert!(problems.is_empty(), "{} wrong, {obscured} obscured:\n{}", problems.len(), problems.join("\n"));
}

#[test]
fn a_lossless_recording_is_found() {
    let (found, tried, _) = find("vitetris-30fps-45s.mkv", "vitetris", [960, 600], LOSSLESS, 25, 1.5);
    // Single pictures; a landing piece's white shadow in the lower border can draw the bottom edge away. `--auto` looks
    // at several.
    assert!(found * 100 >= tried * 90);
}

#[test]
fn a_filmed_recording_is_found() {
    let (found, tried, _) = find("vitetris-cam-easy.mkv", "vitetris", [1280, 720], FILMED, 25, 2.3);
    assert!(found * 100 >= tried * 90);
}

#[test]
fn a_textured_game_is_found() {
    let corners = [[70.0, 0.0], [270.0, 0.0], [270.0, 400.0], [70.0, 400.0]];
    let (found, tried, _) = find("ltris-30fps-45s.mkv", "ltris", [640, 480], corners, 25, 2.0);
    assert!(found * 100 >= tried * 95);
}

#[test]
fn a_textured_game_is_read() {
    let layout = Layout::load("ltris").unwrap();
    let corners = [[70.0, 0.0], [270.0, 0.0], [270.0, 400.0], [70.0, 400.0]];
    let mut reader = Reader::new(&layout, corners, [640, 480]).unwrap();
    let (mut spawns, mut next, mut inconsistent, mut obscured): (Vec<(usize, Piece)>, Option<Piece>, usize, usize) =
        (Vec::new(), None, 0, 0);
    let pictures = recording("pcgames", "ltris-30fps-45s.mkv", [640, 480], |index, image| {
        let seen = reader.read(&frame_of(image));
        obscured += usize::from(!seen.state.shows_field());
        if let Some(piece) = seen.spawn.piece() {
            if spawns.last().is_none_or(|last| index - last.0 > 5) {
                if next.is_some_and(|n| n != piece) {
                    inconsistent += 1;
                    println!("{index}: {piece} where {next:?} was shown");
                }
                spawns.push((index, piece));
            } else if let Some(last) = spawns.last_mut() {
                last.0 = index;
            }
            next = seen.next.piece();
        }
    });
    println!("ltris: {} spawns in {pictures} pictures, {inconsistent} inconsistent, {obscured} obscured", spawns.len());
    assert!(pictures == 0 || spawns.len() >= 10);
    assert_eq!(inconsistent, 0);
}
