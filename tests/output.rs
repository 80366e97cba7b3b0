//! Standard output that is closed, full, or a terminal of any size.

#![cfg(unix)]
#![allow(clippy::unwrap_used, clippy::expect_used)]

use stackhand::session::SessionReader;
use std::fs::{self, OpenOptions};
use std::io::{BufRead, BufReader, pipe};
use std::path::Path;
use std::process::{Command, Output, Stdio};
use tempfile::TempDir;

fn stackhand(args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_stackhand"));
    command.args(args).stdin(Stdio::null());
    command
}

/// Standard error of a run that may not panic, and its status.
fn ended(output: &Output, args: &[&str]) -> (Option<i32>, String) {
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(!said.contains("panicked"), "{args:?}: {said}");
    (output.status.code(), said)
}

/// Every subcommand that prints, in words and as JSON; what they need stands in the folder.
fn commands(folder: &Path) -> Vec<Vec<String>> {
    let session = folder.join("run.shs");
    let recorded = ["dry-run", "--pieces", "2", "--record", session.to_str().unwrap()];
    assert!(stackhand(&recorded).stdout(Stdio::null()).status().unwrap().success());
    let profile = folder.join("rig.toml");
    let vectors = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/nes-control.jsonl");
    let [session, profile, vectors] = [session, profile, vectors].map(|path| path.to_str().unwrap().to_string());
    let lines = [
        "--help",
        "--version",
        "dry-run --pieces 1",
        "dry-run --pieces 1 --json",
        "dry-run --realtime --pieces 1",
        &format!("dry-run --source {session} --pieces 1 --json"),
        &format!("replay {session}"),
        &format!("replay {session} --json --each-frame"),
        &format!("calibrate --source {session} --layout nes --no-ui --profile {profile}"),
        &format!("calibrate --source {session} --layout nes --json --profile {profile}"),
        &format!("play --source sim --relay sim --profile {profile} --pieces 1"),
        &format!("play --source sim --relay sim --profile {profile} --pieces 1 --json"),
        &format!("console --vectors {vectors}"),
        "console --frames 60 --trace TRACE",
        "benchmark --hard 0 --clips 1 --seconds 1",
        "benchmark --hard 0 --clips 1 --seconds 1 --json",
        "doctor",
        "doctor --json",
    ];
    lines.iter().map(|line| line.split(' ').map(String::from).collect()).collect()
}

/// Runs each of them with such a standard output.
fn each(folder: &Path, stdout: impl Fn() -> Stdio, check: impl Fn(&[&str], &Output)) {
    for (i, args) in commands(folder).iter().enumerate() {
        let trace = folder.join(format!("{i}.jsonl"));
        let args: Vec<&str> = args.iter().map(|a| if a == "TRACE" { trace.to_str().unwrap() } else { a }).collect();
        check(&args, &stackhand(&args).stdout(stdout()).output().unwrap());
    }
}

#[test]
fn nobody_panics_when_standard_output_is_closed() {
    let folder = TempDir::new().unwrap();
    let closed = || {
        let (reader, writer) = pipe().unwrap();
        drop(reader);
        Stdio::from(writer)
    };
    each(folder.path(), closed, |args, output| {
        let (status, said) = ended(output, args);
        assert_eq!(status, Some(0), "{args:?}: {said}");
        assert!(!said.contains("standard output"), "{args:?}: {said}");
    });
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_standard_output_is_told_once() {
    let folder = TempDir::new().unwrap();
    let full = || Stdio::from(OpenOptions::new().write(true).open("/dev/full").unwrap());
    each(folder.path(), full, |args, output| {
        let (status, said) = ended(output, args);
        assert_eq!(status, Some(1), "{args:?}: {said}");
        assert_eq!(said.matches("standard output").count(), 1, "{args:?}: {said}");
        assert!(said.contains("No space left"), "{args:?}: {said}");
    });
}

#[test]
fn relays_are_open_after_whoever_read_has_gone() {
    let folder = TempDir::new().unwrap();
    let session = folder.path().join("run.shs");
    let args = ["dry-run", "--realtime", "--pieces", "50", "--json", "--record", session.to_str().unwrap()];
    let mut child = stackhand(&args).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    // It is playing by then.
    let planned = lines.by_ref().filter(|line| line.as_ref().unwrap().contains("\"plan\"")).take(3).count();
    assert_eq!(planned, 3);
    drop(lines);
    let output = child.wait_with_output().unwrap();
    let (status, said) = ended(&output, &args);
    assert_eq!(status, Some(0), "{said}");
    let mut reader = SessionReader::open(&session).unwrap();
    let mut masks = Vec::new();
    while let Some(line) = reader.next_event().unwrap() {
        let event: serde_json::Value = serde_json::from_str(&line).unwrap();
        masks.extend((event["event"] == "relay").then(|| event["mask"].as_u64().unwrap()));
    }
    assert!(masks.iter().any(|mask| *mask != 0), "nothing was pressed");
    assert_eq!(masks.last(), Some(&0));
}

#[test]
fn a_closed_standard_error_harms_nothing() {
    let (reader, writer) = pipe().unwrap();
    drop(reader);
    let args = ["dry-run", "--pieces", "2", "--json", "--fault", "dead:left", "-v"];
    let output = stackhand(&args).stderr(writer).output().unwrap();
    assert_eq!(output.status.code(), Some(0));
    assert!(String::from_utf8(output.stdout).unwrap().lines().last().unwrap().contains("summary"));
}

#[test]
fn a_profile_that_reads_nothing_is_not_written() {
    let folder = TempDir::new().unwrap();
    let dark = folder.path().join("dark");
    fs::create_dir(&dark).unwrap();
    for n in 0..5 {
        image::RgbImage::new(320, 240).save(dark.join(format!("{n}.png"))).unwrap();
    }
    let profile = folder.path().join("rig.toml");
    let [dark, path] = [&dark, &profile].map(|path| path.to_str().unwrap());
    let place = ["--corners", "110,20", "210,20", "210,220", "110,220"];
    let args = ["calibrate", "--source", dark, "--layout", "nes", "--no-ui", "--profile", path];
    let args: Vec<&str> = args.into_iter().chain(place).collect();
    let output = stackhand(&args).output().unwrap();
    let (status, said) = ended(&output, &args);
    assert_eq!(status, Some(1), "{said}");
    assert!(said.contains("0 of 5 pictures could be read") && said.contains("nothing was written"), "{said}");
    assert!(!profile.exists());
}
