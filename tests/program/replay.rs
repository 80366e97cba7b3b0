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
