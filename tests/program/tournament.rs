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

/// The last line: the sums of the only AI.
fn summary(typed: &str) -> Value {
    lines(&format!("{typed} --json")).pop().unwrap()
}

#[test]
fn s_and_z_in_turn_end_every_game_but_on_widths_that_are_multiples_of_four() {
    let survival = |columns: usize| {
        let typed = format!("--ai bcts --game simple:{columns}x20 --generator alternating --to-pieces 5000 --games 2");
        summary(&typed)["survival"].as_f64().unwrap()
    };
    assert_eq!([8, 10, 12].map(survival), [1.0, 0.0, 1.0]);
}

#[test]
fn a_b_type_game_is_won_at_25_lines_and_garbage_makes_another_game_of_it() {
    let sums = |height: u8| summary(&format!("--ai birken-2014 --game b-type:{height} --games 3"));
    let (empty, garbage) = (sums(0), sums(5));
    assert_eq!((&empty["survival"], empty["mean_lines"].as_f64().unwrap() as u64 / 25), (&1.0.into(), 1));
    assert!(garbage["mean_lines"].as_f64().unwrap() < 29.0);
    // An empty field takes at least 62 pieces to 25 lines; twelve rows of garbage hold half of them already, if it is won.
    assert_ne!(empty["pieces"], garbage["pieces"]);
    assert!(garbage["survival"] != 1.0 || garbage["pieces"].as_u64() < empty["pieces"].as_u64(), "{garbage}");
}

#[test]
fn junk_rises_and_what_ends_in_s_and_z_ends() {
    let game = |typed: &str| lines(&format!("--ai birken-2014 --games 1 --to-lines 100000 --json {typed}")).remove(0);
    let risen = game("--junk-rows 4 --junk-rises 10 --to-pieces 100");
    let pieces = risen["pieces"].as_u64().unwrap();
    assert_eq!(risen["junk_rows"].as_u64().unwrap(), 4 + pieces / 10, "{risen}");
    let cleared = game("--junk-rises cleared --to-pieces 60");
    assert_eq!(cleared["junk_rows"], cleared["lines"], "{cleared}");
    let worsening = game("--generator worsening --to-pieces 3000");
    assert!(worsening["lost"] == true && worsening["pieces"].as_u64().unwrap() > 100, "{worsening}");
    assert!(worsening.get("junk_rows").is_none());
}

#[test]
fn filters_choose_the_placements() {
    let fours = |filter: &str| {
        let sums = summary(&format!("--ai birken-2014 --level 19 --to-pieces 250 --games 2{filter}"));
        sums["fours_share"].as_f64().unwrap()
    };
    assert!(fours(" --filter well") > fours(""));
    let folder = tempfile::TempDir::new().unwrap();
    let picture = image::RgbaImage::from_fn(10, 20, |x, y| {
        image::Rgba(if y == 19 && x != 4 { [0, 0, 0, 255] } else { [255; 4] })
    });
    picture.save(folder.path().join("line.png")).unwrap();
    let typed = "--ai birken-2014 --filter pattern:line.png --to-pieces 60 --games 1 --json";
    let output = tournament(folder.path(), typed);
    let told = String::from_utf8(output.stdout).unwrap();
    let game: Value = serde_json::from_str(told.lines().next().unwrap()).unwrap();
    assert_eq!(game["picture_rows"], 1, "{told}");
    let refused = tournament(folder.path(), "--ai bcts --game simple:8x20 --filter pattern:line.png");
    assert!(String::from_utf8(refused.stderr).unwrap().contains("10 × 20 cells"));
}

#[test]
fn in_ten_rows_what_was_learned_there_lives_longer() {
    let typed = "--game simple:10x10 --to-pieces 12000 --games 40 --ai";
    let survival = |ai: &str| summary(&format!("{typed} {ai}"))["survival"].as_f64().unwrap();
    let (learned, dellacherie) = (survival("learned-10x10"), survival("dellacherie"));
    assert!(learned > dellacherie + 0.15, "{learned} {dellacherie}");
}

#[test]
fn the_half_box_is_as_hard_as_its_author_found_it() {
    let lines = summary("--ai dellacherie --game standard:10x10 --games 500")["mean_lines"].as_f64().unwrap();
    // 280, and the mean of 500 games is off by some 13.
    assert!((235.0..340.0).contains(&lines), "{lines}");
}

#[test]
fn who_places_both_pieces_before_it_looks_again_clears_fewer_lines() {
    let typed = "--ai birken-2014 --finger unturned --to-lines 1000000 --games 150 --pieces";
    let mean = |pieces: &str| summary(&format!("{typed} {pieces}"))["mean_lines"].as_f64().unwrap();
    let (pairs, each) = (mean("pairs"), mean("2"));
    assert!(pairs < each - 0.7, "{pairs} {each}");
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
