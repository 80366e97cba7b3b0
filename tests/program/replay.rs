//! Recordings of a real game, replayed by the program as a person runs it, against their true spawns.

#![allow(clippy::unwrap_used, clippy::expect_used)]

use assert_cmd::Command;
use serde_json::{Map, Value};
use std::path::{Path, PathBuf};

/// The folder of this file's own recordings.
fn fixtures() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/vitetris")
}

/// Whether the program that decodes videos is there; says so if it is not.
fn has_ffmpeg() -> bool {
    let found = std::process::Command::new("ffmpeg").arg("-version").output().is_ok_and(|o| o.status.success());
    if !found {
        crate::skip::skipped("recordings", &["ffmpeg"]);
    }
    found
}

fn replay(video: &Path, truth: &Path) -> Vec<Value> {
    let output = Command::cargo_bin("stackhand")
        .unwrap()
        .arg("replay")
        .arg(video)
        .args(["--layout", "vitetris", "--auto", "--json", "--truth"])
        .arg(truth)
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let text = String::from_utf8(output.stdout).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// Replays and asks every spawn to be exact: its time, its picture, both pieces, all 200 cells, and none besides.
fn check(video: &Path, truth: &Path, spawns: usize) -> Vec<Value> {
    let lines = replay(video, truth);
    let summary = lines.last().unwrap();
    let score = &summary["truth"];
    for what in ["spawns", "seen", "piece", "next", "board", "exact"] {
        assert_eq!(score[what], spawns, "{what}: {summary}");
    }
    assert_eq!((&score["extra"], &summary["surprises"]), (&0.into(), &0.into()), "{summary}");
    let text = std::fs::read_to_string(truth).unwrap();
    let true_frames = text.lines().map(|line| serde_json::from_str::<Value>(line).unwrap()["frame"].clone());
    let seen = lines.iter().filter(|l| l["event"] == "spawn");
    for (wanted, seen) in true_frames.zip(seen) {
        let late = seen["frame"].as_i64().unwrap() - wanted.as_i64().unwrap();
        assert!((0..=1).contains(&late), "the spawn of picture {wanted} was seen in {}", seen["frame"]);
    }
    lines
}

#[test]
fn every_spawn_of_our_own_recording_is_exact() {
    if has_ffmpeg() {
        let folder = fixtures();
        let lines = check(&folder.join("robot-18s.mkv"), &folder.join("robot-18s.truth.jsonl"), 35);
        assert_eq!(lines.last().unwrap()["lines"], 12);
        let locks: Vec<_> = lines.iter().filter(|l| l["event"] == "lock").collect();
        assert_eq!(locks.len(), 34, "each piece but the last locks within the recording");
    }
}

#[test]
fn every_spawn_of_the_longer_recording_is_exact() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/fixtures/pcgames");
    if !folder.is_dir() {
        return crate::skip::skipped("the longer recording", &["../shared/fixtures/pcgames"]);
    }
    if has_ffmpeg() {
        let truth = folder.join("vitetris-30fps-45s.truth.jsonl");
        check(&folder.join("vitetris-30fps-45s.mkv"), &truth, 60);
    }
}

#[test]
fn a_replay_says_the_same_every_time() {
    if !has_ffmpeg() {
        return;
    }
    let folder = fixtures();
    let run = || {
        let mut lines = replay(&folder.join("robot-18s.mkv"), &folder.join("robot-18s.truth.jsonl"));
        let summary: &mut Map<_, _> = lines.last_mut().unwrap().as_object_mut().unwrap();
        // How long this computer took is measured, and differs.
        summary.retain(|key, _| !key.contains("_us_"));
        lines.iter().map(Value::to_string).collect::<Vec<_>>()
    };
    assert_eq!(run(), run());
}

#[test]
fn what_the_pictures_of_a_folder_show_counts_and_not_only_the_last() {
    if !has_ffmpeg() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let ffmpeg = |arguments: &[&str], name: &str| {
        let mut ffmpeg = std::process::Command::new("ffmpeg");
        let status = ffmpeg.args(["-v", "error"]).args(arguments).arg(folder.path().join(name)).status();
        assert!(status.unwrap().success());
    };
    // Thirteen pictures through a camera that hangs upside-down, then two of a screen that was switched off.
    let video = fixtures().join("robot-18s.mkv");
    let shown = ["-ss", "3", "-i", video.to_str().unwrap(), "-vf", "hflip,vflip", "-r", "2", "-frames:v", "13"];
    ffmpeg(&shown, "a%02d.png");
    ffmpeg(&["-f", "lavfi", "-i", "color=gray:s=960x600", "-frames:v", "2"], "z%02d.png");
    let mut stackhand = Command::cargo_bin("stackhand").unwrap();
    let output = stackhand.arg("replay").arg(folder.path()).args(["--layout", "vitetris", "--auto", "--json"]).output();
    let output = output.unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let first: Value = serde_json::from_str(String::from_utf8_lossy(&output.stdout).lines().next().unwrap()).unwrap();
    assert_eq!(first["event"], "calibrated", "{first}");
    let top_left = [0, 1].map(|axis| first["corners"][0][axis].as_f64().unwrap());
    // The field's top left corner is at 348, 96 of 960 × 600 px.
    assert!((top_left[0] - 612.0).abs() < 4.0 && (top_left[1] - 504.0).abs() < 4.0, "{first}");
}

/// Our own recording through some of ffmpeg's filters.
fn filtered(folder: &Path, name: &str, filter: &str) -> PathBuf {
    let film = folder.join(name);
    let source = fixtures().join("robot-18s.mkv");
    let made = std::process::Command::new("ffmpeg")
        .args(["-v", "error", "-i"])
        .arg(source)
        .args(["-filter_complex", filter, "-fps_mode", "passthrough", "-c:v", "ffv1"])
        .arg(&film)
        .status()
        .unwrap();
    assert!(made.success());
    film
}

#[test]
fn a_time_without_pictures_is_told_and_nothing_is_made_up_for_it() {
    if !has_ffmpeg() {
        return;
    }
    let folder = tempfile::TempDir::new().unwrap();
    let film = filtered(folder.path(), "gap.mkv", "select='not(between(t,6.01,7.01))'");
    let lines = replay(&film, &fixtures().join("robot-18s.truth.jsonl"));
    let told = |event: &str| lines.iter().filter(|line| line["event"] == event).count();
    let summary = lines.last().unwrap();
    assert_eq!((told("stalled"), told("stall_over"), &summary["stalls"]), (1, 1, &1.into()), "{summary}");
    let over = lines.iter().find(|line| line["event"] == "stall_over").unwrap();
    assert!((1000.0..1100.0).contains(&over["lasted_ms"].as_f64().unwrap()), "{over}");
    let score = &summary["truth"];
    // Two pieces or three came in it; whatever was told of the others is right.
    assert!(score["seen"].as_u64().unwrap() >= 31, "{summary}");
    assert_eq!((&score["piece"], &score["board"]), (&score["seen"], &score["seen"]), "{summary}");
}

#[test]
fn of_two_games_side_by_side_none_is_taken() {
    if !has_ffmpeg() {
        return;
    }
    let folder = tempfile::TempDir::new().unwrap();
    let side_by_side = "split[a][b];[a]trim=end=5[c];[b]trim=9:14,setpts=PTS-STARTPTS[d];[c][d]hstack";
    let film = filtered(folder.path(), "two.mkv", side_by_side);
    let refused =
        Command::cargo_bin("stackhand").unwrap().arg("replay").arg(film).args(["--layout", "vitetris"]).output();
    let refused = refused.unwrap();
    let words = String::from_utf8_lossy(&refused.stderr).into_owned();
    assert!(!refused.status.success() && words.contains("two playfields of the layout \"vitetris\""), "{words}");
}

#[test]
fn a_video_of_one_picture_is_read_as_that_picture() {
    if !has_ffmpeg() {
        return;
    }
    let folder = tempfile::TempDir::new().unwrap();
    let film = filtered(folder.path(), "one.mkv", "select='eq(n,90)'");
    let output =
        Command::cargo_bin("stackhand").unwrap().arg("replay").arg(film).args(["--layout", "vitetris"]).output();
    let output = output.unwrap();
    let words = String::from_utf8_lossy(&output.stdout).into_owned();
    let rows = words.lines().filter(|line| line.trim().len() == 10 && line.trim().chars().all(|c| "#.?".contains(c)));
    assert!(output.status.success() && words.contains("Picture 1"), "{words}");
    assert_eq!(rows.count(), 20, "{words}");
}
