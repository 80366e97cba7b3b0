//! The calibrating page before a camera that shows its pictures as a mirror does.
#![allow(clippy::unwrap_used)]

use crate::support::{Program, eventually, installed};
use std::path::Path;

/// A recorded game that nobody here wrote, turned over; and turned over twice, which is as it was.
#[test]
fn a_game_in_a_mirror_is_told_for_as_long_as_it_is_seen_and_no_place_is_taken_for_it() {
    if installed(&["ffmpeg"]).is_none() {
        eprintln!("SKIPPED: no ffmpeg here, so no video is looked at");
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let film = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/vitetris/robot-18s.mkv");
    let page = |mirrors: &str| {
        let source = format!("{mirrors}{}", film.display());
        let args = ["calibrate", "--source", &source, "--layout", "vitetris", "--ui", "--no-browser"];
        let args = [&args[..], &["--profile", "rig.toml"]].concat();
        Program::start(Path::new(env!("CARGO_BIN_EXE_stackhand")), &args, folder.path())
    };
    let program = page("mirrored:");
    let visitor = program.visitor();
    let is_told = || visitor.state()["problem"].as_str().is_some_and(|words| words.contains("as a mirror does"));
    eventually("the mirror is told", is_told);
    // Each picture is a new chance to forget it: one is new where the last one's age is less than it was.
    let (mut pictures, mut age_ms) = (0, f64::INFINITY);
    eventually("thirty more pictures", || {
        let state = visitor.state();
        assert!(state["problem"].as_str().is_some_and(|words| words.contains("as a mirror does")), "{state}");
        let now_ms = state["age_ms"].as_f64().unwrap();
        pictures += u32::from(now_ms < age_ms);
        age_ms = now_ms;
        pictures > 30
    });
    assert_eq!(visitor.state()["searching"], true);
    drop(program);
    let program = page("mirrored:mirrored:");
    let visitor = program.visitor();
    eventually("the field is found", || visitor.state()["searching"] == false);
    assert!(visitor.state()["problem"].is_null(), "{}", visitor.state());
}
