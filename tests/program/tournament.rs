//! Tournaments as a person or a script starts them.

#![allow(clippy::unwrap_used)]

use serde_json::Value;
use std::path::Path;
use std::process::{Command, Output, Stdio};

fn tournament(folder: &Path, typed: &str) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_stackhand"));
    command.arg("tournament").args(typed.split(' ')).current_dir(folder).stdin(Stdio::null()).output().unwrap()
}

/// The lines, without what differs from run to run.
fn lines(typed: &str) -> Vec<Value> {
    let folder = tempfile::TempDir::new().unwrap();
    let output = tournament(folder.path(), typed);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let lines = String::from_utf8(output.stdout).unwrap();
    let line = |line: &str| {
        let mut line: Value = serde_json::from_str(line).unwrap();
        if line["event"] == "summary" {
            let fields = line.as_object_mut().unwrap();
            for time in ["move_us_p50", "move_us_p99"] {
                assert!(fields.remove(time).unwrap().as_f64().unwrap() > 0.0);
            }
        }
        line
    };
    lines.lines().map(line).collect()
}

#[test]
fn the_last_lines_are_the_sums_of_each_whatever_the_number_of_threads() {
    let typed = "--ai dellacherie,birken-2019 --game simple:10x12 --to-pieces 300 --games 3 --seed 7 --json";
    let told = lines(&format!("{typed} --threads 1"));
    assert_eq!(told, lines(&format!("{typed} --threads 3")));
    let events: Vec<&str> = told.iter().map(|line| line["event"].as_str().unwrap()).collect();
    assert_eq!(events, [["game"; 6].as_slice(), &["summary"; 2]].concat());
    for (player, summary) in told[6..].iter().enumerate() {
        let own: Vec<&Value> = told[..6].iter().skip(player).step_by(2).collect();
        assert!(own.iter().all(|game| game["ai"] == summary["ai"]), "{own:?}");
        let mean = |field: &str| own.iter().map(|game| game[field].as_f64().unwrap()).sum::<f64>() / 3.0;
        assert!((summary["mean_score"].as_f64().unwrap() - mean("score")).abs() < 0.1, "{summary}");
        assert!((summary["mean_lines"].as_f64().unwrap() - mean("lines")).abs() < 0.01, "{summary}");
        assert_eq!(summary["pieces"].as_f64().unwrap(), 3.0 * mean("pieces"));
        let seeds: Vec<u64> = own.iter().map(|game| game["seed"].as_u64().unwrap()).collect();
        assert_eq!(seeds, [7, 8, 9]);
    }
    assert_ne!(told[6]["mean_lines"], told[7]["mean_lines"]);
}

#[test]
fn a_finger_that_is_too_slow_for_the_level_loses_early() {
    let pieces = |finger: &str| {
        let typed = format!("--ai birken-2014 --level 29 --to-pieces 60 --games 2 --finger {finger} --pieces 1 --json");
        lines(&typed).last().unwrap()["pieces"].as_u64().unwrap()
    };
    assert_eq!(pieces("free"), 120);
    assert!(pieces("hz:5") < 60);
}

#[test]
fn the_page_holds_all_players_and_stands_by_itself() {
    let folder = tempfile::TempDir::new().unwrap();
    let typed = "--ai dellacherie,bcts --game simple --to-pieces 60000 --games 3 --report page.html";
    let output = tournament(folder.path(), typed);
    let told = String::from_utf8(output.stdout).unwrap();
    assert!(output.status.success() && told.contains("Lines that this predicts"), "{told}");
    let page = std::fs::read_to_string(folder.path().join("page.html")).unwrap();
    for part in ["<h2>dellacherie</h2>", "<h2>bcts</h2>", "tail of bcts", "Games of at least n lines", "seeds 1 to 3"] {
        assert!(page.contains(part), "{part}");
    }
    assert!(!page.contains("NaN") && !page.contains("src=") && !page.contains("href="));
    let again = tournament(folder.path(), typed);
    assert!(String::from_utf8(again.stderr).unwrap().contains("--force"));
}

#[test]
fn who_can_play_is_listed() {
    let folder = tempfile::TempDir::new().unwrap();
    let output = tournament(folder.path(), "--ai list");
    let told = String::from_utf8(output.stdout).unwrap();
    for name in ["birken-2014", "birken-2019", "dellacherie", "dt-20"] {
        assert!(told.lines().any(|line| line.starts_with(&format!("{name} ")) && line.len() > 25), "{told}");
    }
}

#[test]
fn drawn_futures_are_the_same_by_the_same_seed_whatever_the_number_of_threads() {
    for search in ["beam:5x3", "rollouts:3x4"] {
        let typed = format!("--ai birken-2019 --to-pieces 20 --games 2 --search {search} --nodes 3000 --json");
        let told = lines(&format!("{typed} --threads 1"));
        assert_eq!(told, lines(&format!("{typed} --threads 2")));
        assert_eq!(told[2]["pieces"], 40);
    }
}

#[test]
fn at_double_speed_a_finger_reaches_less() {
    let pieces = |double: &str| {
        let typed =
            format!("--ai birken-2014 --level 29 --to-pieces 60 --games 3 --finger hz:12 --pieces 1{double} --json");
        lines(&typed).last().unwrap()["pieces"].as_u64().unwrap()
    };
    assert!(pieces(" --double-speed-from 29") < pieces(""));
    assert_eq!(pieces(" --double-speed-from 39"), pieces(""));
}
