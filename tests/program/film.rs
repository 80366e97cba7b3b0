//! A film of a recorded run, looked at with the programs that others look at it with.

#![allow(clippy::unwrap_used, clippy::expect_used)]

#[cfg(unix)]
use crate::eventually::eventually;
use assert_cmd::cargo::CommandCargoExt;
use serde_json::Value;
use std::fs;
use std::path::Path;
use std::process::{Command, Output, Stdio};
use tempfile::TempDir;

/// Whether what writes and reads videos is there; says so if it is not.
fn has_ffmpeg() -> bool {
    let runs = |name: &str| Command::new(name).arg("-version").output().is_ok_and(|output| output.status.success());
    let found = runs("ffmpeg") && runs("ffprobe");
    if !found {
        crate::skip::skipped("films", &["ffmpeg", "ffprobe"]);
    }
    found
}

fn stackhand(folder: &Path, args: &[&str]) -> Command {
    let mut command = Command::cargo_bin("stackhand").unwrap();
    command.args(args).current_dir(folder).stdin(Stdio::null());
    command
}

/// Runs it in this folder and expects this exit status; standard output and standard error.
fn said(folder: &Path, args: &[&str], status: i32) -> [String; 2] {
    let Output { status: ended, stdout, stderr } = stackhand(folder, args).output().unwrap();
    let words = [stdout, stderr].map(|bytes| String::from_utf8(bytes).unwrap());
    assert_eq!(ended.code(), Some(status), "{args:?}: {}", words[1]);
    words
}

/// A folder with a recorded run of a few pieces, `run.shs`, and its last picture's time, s.
fn recorded(pieces: &str) -> (TempDir, f64) {
    let folder = TempDir::new().unwrap();
    said(folder.path(), &["dry-run", "--pieces", pieces, "--level", "9", "--record", "run.shs"], 0);
    let [lines, _] = said(folder.path(), &["replay", "run.shs", "--json"], 0);
    let summary: Value = serde_json::from_str(lines.lines().last().unwrap()).unwrap();
    let length_s = summary["duration_ms"].as_f64().unwrap() / 1000.0;
    (folder, length_s)
}

/// What ffprobe says of a film's pictures.
fn probed(film: &Path) -> Value {
    let args = ["-v", "error", "-count_packets", "-show_streams", "-of", "json"];
    let output = Command::new("ffprobe").args(args).arg(film).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice::<Value>(&output.stdout).unwrap()["streams"][0].clone()
}

/// The picture of a film at a time.
fn still(film: &Path, at_s: f64) -> image::RgbImage {
    let name = film.with_extension("png");
    let args = ["-v", "error", "-y", "-ss", &at_s.to_string(), "-i", film.to_str().unwrap(), "-frames:v", "1"];
    assert!(Command::new("ffmpeg").args(args).arg(&name).status().unwrap().success());
    image::open(&name).unwrap().to_rgb8()
}

fn seconds(stream: &Value) -> f64 {
    stream["duration"].as_str().unwrap().parse().unwrap()
}

/// How many of an area's pixels are much brighter than the ground.
fn bright(picture: &image::RgbImage, [left, top, width, height]: [u32; 4]) -> usize {
    let pixels = (top..top + height).flat_map(|y| (left..left + width).map(move |x| (x, y)));
    pixels.filter(|&(x, y)| *picture.get_pixel(x, y).0.iter().max().unwrap() > 110).count()
}

#[test]
fn a_film_of_a_run_plays_everywhere_and_lasts_as_long_as_the_run() {
    if !has_ffmpeg() {
        return;
    }
    let (folder, length_s) = recorded("5");
    let [told, _] = said(folder.path(), &["film", "run.shs"], 0);
    let film = folder.path().join("run-film.mp4");
    assert!(told.starts_with("run-film.mp4: "), "{told}");
    let stream = probed(&film);
    let is = |name: &str, value: Value| assert_eq!(stream[name], value, "{name}: {stream}");
    is("codec_name", "h264".into());
    is("pix_fmt", "yuv420p".into());
    is("width", 1280.into());
    is("height", 720.into());
    is("avg_frame_rate", "30/1".into());
    // The last picture is shown for as long as each of them.
    assert!((seconds(&stream) - length_s - 1.0 / 30.0).abs() <= 1.01 / 30.0, "{length_s} s: {stream}");
    // The index stands before the pictures: the film begins to play before all of it has come.
    let bytes = fs::read(&film).unwrap();
    let place = |name: &[u8]| bytes.windows(4).position(|word| word == name).unwrap();
    assert!(place(b"moov") < place(b"mdat"));
    // Of the board's lower rows nothing but the planned place's outline is bright at first; at the end they hold blocks.
    let rows = [692, 572, 312, 124];
    let (first, last) = (still(&film, 0.1), still(&film, length_s - 0.3));
    let filled = [&first, &last].map(|picture| bright(picture, rows));
    assert!(filled[0] < 1200 && filled[1] > 8 * 700, "{filled:?}");
    // Presses scroll by: none has been made yet at first.
    let presses = [100, 598, 540, 80];
    assert!(bright(&first, presses) < 300 && bright(&last, presses) > 1000);
    said(folder.path(), &["film", "run.shs"], 1);
    said(folder.path(), &["film", "run.shs", "--force"], 0);
}

#[test]
fn a_part_of_a_run_is_filmed_at_the_speed_that_is_wanted() {
    if !has_ffmpeg() {
        return;
    }
    let (folder, length_s) = recorded("4");
    assert!(length_s > 3.0, "{length_s}");
    said(folder.path(), &["film", "run.shs", "part.mkv", "--from-s", "1", "--to-s", "2.5", "--speed", "0.5"], 0);
    let pictures = probed(&folder.path().join("part.mkv"))["nb_read_packets"].as_str().unwrap().parse::<u64>();
    assert_eq!(pictures, Ok(90));
    let [_, error] = said(folder.path(), &["film", "run.shs", "none.mp4", "--from-s", "1000"], 1);
    assert!(error.contains("the recording has") && error.contains("--from-s"), "{error}");
    assert!(!folder.path().join("none.mp4").exists());
}

#[test]
fn what_is_left_of_a_run_that_was_cut_off_is_filmed_and_told_once() {
    if !has_ffmpeg() {
        return;
    }
    let (folder, length_s) = recorded("5");
    let whole = fs::read(folder.path().join("run.shs")).unwrap();
    fs::write(folder.path().join("cut.shs"), &whole[..whole.len() / 2]).unwrap();
    let [_, error] = said(folder.path(), &["film", "cut.shs", "cut.mp4"], 0);
    assert_eq!(error.matches("breaks off at byte").count(), 1, "{error}");
    let lasts_s = seconds(&probed(&folder.path().join("cut.mp4")));
    assert!(lasts_s > 0.3 * length_s && lasts_s < 0.7 * length_s, "{lasts_s} of {length_s}");
}

#[test]
fn a_video_of_a_game_is_filmed_without_presses() {
    if !has_ffmpeg() {
        return;
    }
    let video = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/vitetris/robot-18s.mkv");
    let folder = TempDir::new().unwrap();
    let args = ["film", video.to_str().unwrap(), "film.mp4", "--layout", "vitetris", "--auto", "--to-s", "5"];
    said(folder.path(), &args, 0);
    let film = folder.path().join("film.mp4");
    assert!((seconds(&probed(&film)) - 5.0).abs() < 0.05);
    // What locked has the colour of its piece: nothing of the pile but what was there before anybody looked is grey.
    let last = still(&film, 4.8);
    let board = (80..690).flat_map(|y| (690..1000).map(move |x| (x, y)));
    let is_coloured = |&(x, y): &(u32, u32)| {
        let [r, g, b] = last.get_pixel(x, y).0;
        r.max(g).max(b) > 120 && r.max(g).max(b) - r.min(g).min(b) > 60
    };
    assert!(board.filter(is_coloured).count() > 3000);
}

/// A recording is never what a film is written over, by whatever name.
#[test]
fn the_recording_itself_is_not_written_over() {
    if !has_ffmpeg() {
        return;
    }
    let folder = TempDir::new().unwrap();
    let video = folder.path().join("game.mkv");
    fs::copy(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/vitetris/robot-18s.mkv"), &video).unwrap();
    let [_, error] = said(folder.path(), &["film", "game.mkv", "./game.mkv", "--force"], 2);
    assert!(error.contains("the recording itself"), "{error}");
    assert!(fs::metadata(&video).unwrap().len() > 10_000);
}

#[cfg(unix)]
#[test]
fn who_interrupts_a_film_gets_what_was_filmed_until_then() {
    if !has_ffmpeg() {
        return;
    }
    let (folder, length_s) = recorded("12");
    let film = folder.path().join("film.mp4");
    // At a tenth of the speed there is ten times as much to write.
    let mut command = stackhand(folder.path(), &["film", "run.shs", "film.mp4", "--speed", "0.1"]);
    let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    eventually("the film begins", || fs::metadata(&film).is_ok_and(|file| file.len() > 20_000));
    let id = nix::unistd::Pid::from_raw(child.id() as i32);
    nix::sys::signal::kill(id, nix::sys::signal::Signal::SIGINT).unwrap();
    let output = child.wait_with_output().unwrap();
    let error = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(130), "{error}");
    assert!(error.contains("Stopped after") && error.contains("what was filmed until then is in it"), "{error}");
    let lasts_s = seconds(&probed(&film));
    assert!(lasts_s > 0.2 && lasts_s < 9.0 * length_s, "{lasts_s}");
    assert!(still(&film, 0.1).width() == 1280);
}
