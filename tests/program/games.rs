//! Games as files: rules of another program imported and played, games drawn.

#![allow(clippy::unwrap_used)]

use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// Enough for each kind of piece to be met.
const PIECES: &str = "10";

fn rule(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/rules").join(format!("{name}.rul"))
}

fn stackhand(args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_stackhand")).args(args).output().unwrap()
}

fn told(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr)
}

#[test]
fn imported_rules_are_played_at_the_simulated_table_without_a_misplaced_piece() {
    let folder = tempfile::TempDir::new().unwrap();
    for (name, level) in [("console-right", "4"), ("classic", "3"), ("modern", "3")] {
        let file = folder.path().join(name).with_extension("toml");
        let file = file.to_str().unwrap();
        let imported = stackhand(&["game", "import", rule(name).to_str().unwrap(), "--out", file]);
        assert!(imported.status.success() && told(&imported).contains("Left out"), "{}", told(&imported));
        let played = stackhand(&["dry-run", "--game", file, "--pieces", PIECES, "--level", level, "--json"]);
        let summary = String::from_utf8_lossy(&played.stdout).lines().last().unwrap().to_string();
        let summary: Value = serde_json::from_str(&summary).unwrap();
        assert_eq!(summary["event"], "summary", "{}", told(&played));
        assert_eq!((&summary["misplaced"], &summary["pieces"]), (&0.into(), &10.into()), "{name}: {summary}");
    }
}

/// Next pieces are known in whichever rotation the box shows them.
#[test]
fn pieces_that_appear_turned_are_announced_and_played_without_a_misplaced_piece() {
    let folder = tempfile::TempDir::new().unwrap();
    let file = folder.path().join("turned.toml");
    let usual = stackhand(&["game", "show", "vitetris"]);
    std::fs::write(&file, told(&usual) + "\n[pieces]\nturned = true\n").unwrap();
    let run = ["dry-run", "--game", file.to_str().unwrap(), "--pieces", "40", "--hard", "0.3", "--json"];
    let played = stackhand(&run);
    let events: Vec<Value> =
        String::from_utf8_lossy(&played.stdout).lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let summary = events.last().unwrap();
    assert_eq!((&summary["misplaced"], &summary["pieces"]), (&0.into(), &40.into()), "{}", told(&played));
    assert!(summary["lines"].as_u64().unwrap() >= 8, "{summary}");
    let spawns: Vec<&Value> = events.iter().filter(|event| event["event"] == "spawn").collect();
    let announced = spawns.windows(2).filter(|pair| pair[0]["next"] == pair[1]["piece"]).count();
    assert!(announced + 2 >= spawns.len() - 1, "{announced} of {} were announced", spawns.len() - 1);
}

/// The drop key is still down when the next piece is there, and has nothing to do with it.
#[test]
fn a_piece_that_comes_as_the_one_before_is_dropped_is_planned_with_the_next_picture() {
    let played = stackhand(&["dry-run", "--game", "ltris", "--level", "1", "--pieces", "15", "--seed", "1", "--json"]);
    let lines = String::from_utf8_lossy(&played.stdout).into_owned();
    let events: Vec<Value> = lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let (mut waits_ms, mut spawned_ms) = (Vec::new(), None);
    for event in &events {
        let t_ms = event["t_ms"].as_f64();
        match event["event"].as_str() {
            Some("spawn") => spawned_ms = t_ms,
            Some("plan") => waits_ms.extend(t_ms.zip(spawned_ms.take()).map(|(at, since)| at - since)),
            _ => {}
        }
    }
    // The key is let go 33 ms after it was pressed, and a press that takes that away lets the piece wait for 100 ms more.
    assert!(waits_ms.len() >= 15 && waits_ms.iter().all(|wait_ms| *wait_ms < 60.0), "{waits_ms:?}");
}

/// A game with kicks and locks that are put off, whose pieces come from above the field.
const KICKED: &str = r#####"
name = "kicked"
title = "a game with kicks"
[field]
columns = 10
rows = 20
[spawn]
T = { column = 3, row = -2, cells = [".#.", "###"] }
J = { column = 3, row = -2, cells = ["#..", "###"] }
Z = { column = 3, row = -2, cells = ["##.", ".##"] }
O = { column = 4, row = -2, cells = ["##", "##"] }
S = { column = 3, row = -2, cells = [".##", "##."] }
L = { column = 3, row = -2, cells = ["..#", "###"] }
I = { column = 3, row = -1, cells = ["####"] }
[pieces]
generator = "bag"
[rules]
family = "simple"
row_ms = [300]
clockwise = "up"
counter_clockwise = "b"
hard_drop = "a"
lock_delay_ms = 500
lock_begins = "contact"
lock_resets = ["fall", "move", "turn"]
lock_resets_max = 15
rotation = "super"
"#####;

#[test]
fn games_of_other_programs_are_played_at_the_simulated_table_without_a_misplaced_piece() {
    let folder = tempfile::TempDir::new().unwrap();
    let file = folder.path().join("kicked.toml");
    std::fs::write(&file, KICKED).unwrap();
    for (game, level) in [("tint", "1"), ("bastet", "2"), (file.to_str().unwrap(), "0")] {
        let run = ["dry-run", "--game", game, "--pieces", "30", "--level", level, "--hard", "0.5", "--json"];
        let played = stackhand(&run);
        let summary = String::from_utf8_lossy(&played.stdout).lines().last().unwrap().to_string();
        let summary: Value = serde_json::from_str(&summary).unwrap();
        assert_eq!((&summary["misplaced"], &summary["pieces"]), (&0.into(), &30.into()), "{game}: {}", told(&played));
        assert!(summary["lines"].as_u64() >= Some(5), "{game}: {summary}");
    }
}

/// The modern game at the table: pieces are put aside, the boxes are read, and nobody takes a drop into the ghost for one that was
/// not felt. A hold whose key is dead is noticed, told once, and done without.
#[test]
fn the_modern_game_is_played_with_its_hold_or_without_if_that_key_is_dead() {
    let run = |more: &[&str]| -> Vec<Value> {
        let usual = ["dry-run", "--game", "guideline", "--pieces", "40", "--level", "5", "--json"];
        let played = stackhand(&[&usual, more].concat());
        let lines = String::from_utf8_lossy(&played.stdout).into_owned();
        let lines: Vec<Value> = lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        let summary = lines.last().unwrap();
        assert_eq!((&summary["misplaced"], &summary["pieces"]), (&0.into(), &40.into()), "{}", told(&played));
        assert!(summary["surprises"] == 0 && summary["lines"].as_u64() >= Some(8), "{summary}");
        lines
    };
    let of =
        |lines: &[Value], event: &str| lines.iter().filter(|line| line["event"] == event).cloned().collect::<Vec<_>>();
    let lines = run(&["--hard", "0.5"]);
    let spawns = of(&lines, "spawn");
    let held: Vec<&Value> = spawns.iter().filter(|spawn| spawn["by_hold"] == true).collect();
    // One line for each that was seen, whatever was pressed.
    assert_eq!(lines.last().unwrap()["holds"], held.len());
    assert!(held.len() >= 3 && held.iter().all(|spawn| spawn["hold"].is_string()), "{} holds", held.len());
    assert!(spawns.iter().all(|spawn| spawn["queue"].as_array().is_some_and(|queue| queue.len() == 5)));
    assert!(!of(&lines, "delay").iter().any(|delay| delay["what"] == "drop_guard"));
    let lines = run(&["--fault", "dead:select"]);
    let blamed = of(&lines, "blame");
    assert!(
        blamed.len() == 1 && blamed[0]["words"].as_str().is_some_and(|words| words.contains("put a piece aside")),
        "{blamed:?}"
    );
    assert!(of(&lines, "spawn").iter().all(|spawn| spawn["by_hold"].is_null()));
    // The key was pressed, and put nothing aside.
    assert_eq!(lines.last().unwrap()["holds"], 0);
}

/// One whole game each: the run ends with it, and says how by the game's own count. Ultra's level stays, which the robot knows.
#[test]
fn a_game_of_the_modern_kind_is_played_to_its_goal_and_no_further() {
    let run = |mode: &str, more: &[&str]| -> Value {
        let usual = ["dry-run", "--game", "guideline", "--mode", mode, "--hard", "0.5", "--drop-unseen", "--json"];
        let played = stackhand(&[&usual, more].concat());
        assert!(played.status.success(), "{}", told(&played));
        let summary = String::from_utf8_lossy(&played.stdout).lines().last().unwrap().to_string();
        let summary: Value = serde_json::from_str(&summary).unwrap();
        assert_eq!((&summary["games_over"], &summary["surprises"]), (&0.into(), &0.into()), "{}", told(&played));
        summary
    };
    let sprint = run("sprint", &[]);
    let (game, lines) = (&sprint["whole_game"], sprint["lines"].as_u64().unwrap());
    assert!(game["mode"] == "sprint" && game["end"] == "completed" && game["level"] == 1, "{sprint}");
    let cleared = game["lines"].as_u64().unwrap();
    // The last piece is not seen to lock.
    assert!((40..=43).contains(&cleared) && lines < 40 && cleared - lines <= 4, "{sprint}");
    // The first picture comes before Start, and the last ones after the end.
    let (time, duration) = (game["time_ms"].as_f64().unwrap(), sprint["duration_ms"].as_f64().unwrap());
    assert!(time > 30_000.0 && time < duration && duration < time + 2000.0, "{sprint}");
    let ultra = run("ultra", &[]);
    let game = &ultra["whole_game"];
    assert!(
        game["end"] == "completed" && game["time_ms"] == 120_000.0 && game["score"].as_u64() > Some(1000),
        "{ultra}"
    );
    assert!(game["level"] == 1 && ultra["misplaced"] == 0, "{ultra}");
    // Who ends before it does not claim to have reached anything.
    let short = run("marathon", &["--pieces", "3"]);
    assert!(short["whole_game"]["end"].is_null() && short["pieces"] == 3, "{short}");
}

/// A game with a drop key whose presses get lost, or whose camera is later than anybody knows: neither is dropped, nor corrected,
/// by what was only reckoned.
#[test]
fn pieces_are_dropped_where_they_are_seen_with_lost_presses_and_a_camera_that_is_late() {
    for (game, level, fault) in [
        ("guideline", "5", "lose:0.1"),
        ("guideline", "5", "late-camera:60"),
        ("vitetris", "5", "lose:0.1"),
        ("vitetris", "5", "late-camera:120"),
        // There is a second for each piece.
        ("standard", "10", "lose:0.05"),
    ] {
        // Who plays for spins also turns pieces below, where a camera that is later than it says shows it too late now and then.
        let ai = ["--ai", "steady"];
        let table = ["dry-run", "--game", game, "--level", level, "--pieces", "40", "--hard", "0.5"];
        let table = [&table[..], &ai].concat();
        let played = stackhand(&[&table[..], &["--fault", fault, "--no-pause", "--json"]].concat());
        let lines = String::from_utf8_lossy(&played.stdout).into_owned();
        let summary: Value = serde_json::from_str(lines.lines().last().unwrap()).unwrap();
        assert!(summary["pieces"] == 40 && summary["misplaced"] == 0, "{game}, {fault}: {summary}");
        assert!(summary["lines"].as_u64() >= Some(11), "{game}, {fault}: {summary}");
    }
}

/// A game whose file names a key for it, on the screen of the simulated table: pieces are put aside, and all boxes are read.
#[test]
fn a_described_game_is_played_with_its_hold() {
    let run = ["dry-run", "--game", "tetris-tui", "--pieces", "40", "--level", "3", "--hard", "0.5", "--json"];
    let played = stackhand(&run);
    let lines = String::from_utf8_lossy(&played.stdout).into_owned();
    let lines: Vec<Value> = lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let summary = lines.last().unwrap();
    assert_eq!((&summary["misplaced"], &summary["pieces"]), (&0.into(), &40.into()), "{}", told(&played));
    assert!(summary["surprises"] == 0 && summary["lines"].as_u64() >= Some(8), "{summary}");
    let spawns: Vec<&Value> = lines.iter().filter(|line| line["event"] == "spawn").collect();
    assert!(spawns.iter().filter(|spawn| spawn["by_hold"] == true).count() >= 3, "{summary}");
    // A box may be unreadable in one picture.
    let whole = |spawn: &&&Value| spawn["queue"].as_array().is_some_and(|queue| queue.len() == 5);
    assert!(spawns.iter().filter(whole).count() * 10 >= spawns.len() * 9, "{} spawns", spawns.len());
}

#[test]
fn what_an_imported_rule_is_printed_as_is_a_game_file() {
    let folder = tempfile::TempDir::new().unwrap();
    let printed = stackhand(&["game", "import", rule("modern").to_str().unwrap(), "--row-ms", "500,400"]);
    let file = folder.path().join("mine.toml");
    std::fs::write(&file, &printed.stdout).unwrap();
    let checked = stackhand(&["game", "check", file.to_str().unwrap()]);
    assert!(checked.status.success() && told(&checked).contains("500 ms a row at level 0"), "{}", told(&checked));
    let drawn = told(&stackhand(&["game", "show", file.to_str().unwrap(), "--pictures"]));
    assert!(drawn.contains("  1   ...###....   ....##....   ...###....   ...##....."), "{drawn}");
    // What is there already is kept.
    let again = stackhand(&["game", "import", rule("modern").to_str().unwrap(), "--out", file.to_str().unwrap()]);
    assert!(!again.status.success() && told(&again).contains("add --force"), "{}", told(&again));
}

/// The summary of a run of Standard Tetris with these options besides.
fn standard(options: &[&str]) -> Value {
    let played = stackhand(&[&["dry-run", "--game", "standard", "--pieces", PIECES, "--json"], options].concat());
    let text = String::from_utf8_lossy(&played.stdout).into_owned();
    let summary = text.lines().last().unwrap_or_else(|| panic!("{options:?}: {}", told(&played)));
    serde_json::from_str(summary).unwrap()
}

#[test]
fn standard_tetris_is_played_as_its_player_has_set_it() {
    let folder = tempfile::TempDir::new().unwrap();
    let saved = folder.path().join("game.txt");
    let saved = saved.to_str().unwrap();
    for options in [
        &["--junk", "3", "--level", "3"][..],
        &["--sz", "--hide-next", "--level", "5", "--save-game", saved],
        &["--speed-bias", "-2", "--level", "9"],
        &["--load-game", saved],
        &["--board", "8x16", "--monochrome", "--level", "5"],
        &["--board", "16x22", "--shadow", "--level", "8"],
    ] {
        let summary = standard(options);
        assert_eq!((&summary["misplaced"], &summary["pieces"]), (&0.into(), &10.into()), "{options:?}: {summary}");
    }
    let text = std::fs::read_to_string(saved).unwrap();
    assert!(text.contains("pieces alternating") && text.contains("nextPiece hidden"), "{text}");
    let spoilt = text.replacen("initialLevel 5", "initialLevel 50", 1);
    std::fs::write(saved, spoilt).unwrap();
    let refused = stackhand(&["dry-run", "--game", "standard", "--load-game", saved]);
    assert!(!refused.status.success() && told(&refused).contains("a level from 1 to 10"), "{}", told(&refused));
}

#[test]
fn looks_hints_and_boards_of_standard_tetris_are_in_its_picture() {
    let folder = tempfile::TempDir::new().unwrap();
    let path = folder.path().join("p.png");
    let picture = |options: &[&str]| {
        let run = ["console", "--game", "standard", "--headless", "--frames", "60", "--force", "--screenshot"];
        let output = stackhand(&[&run[..], &[path.to_str().unwrap()], options].concat());
        assert!(output.status.success(), "{options:?}: {}", told(&output));
        image::open(&path).unwrap().to_rgb8()
    };
    let plain = picture(&[]);
    for options in [&["--monochrome"][..], &["--shadow"], &["--hint"], &["--hint", "--ai", "dellacherie"]] {
        assert!(picture(options) != plain, "{options:?}");
    }
    for (board, size) in
        [("4x4", [256, 240]), ("16x40", [256, 240]), ("100x100", [512, 480]), ("200x400", [1280, 1200])]
    {
        let drawn = picture(&["--board", board, "--shadow"]);
        assert_eq!([drawn.width(), drawn.height()], size, "{board}");
    }
    // A saved game brings its board and its looks along.
    let saved = folder.path().join("g.txt");
    let saved = saved.to_str().unwrap();
    let first = picture(&["--board", "30x50", "--monochrome", "--save-game", saved]);
    assert!(picture(&["--load-game", saved]) != plain && first.width() == 256);
    let text = std::fs::read_to_string(saved).unwrap();
    assert!(text.contains("columns 30\nrows 50\n") && text.contains("colours one\nshadow hidden"), "{text}");
}

#[test]
fn other_games_than_the_consoles_run_without_a_window_too() {
    let folder = tempfile::TempDir::new().unwrap();
    let file = |name: &str| folder.path().join(name).to_str().unwrap().to_string();
    for (game, options) in
        [("standard", &["--junk", "2", "--save-game", &file("s.txt")][..]), ("vitetris", &["--seed", "4"])]
    {
        let pictures = ["20", "900"].map(|frames| {
            let picture = file(&format!("{game}-{frames}.png"));
            let run =
                ["console", "--game", game, "--headless", "--frames", frames, "--screenshot", &picture, "--force"];
            let output = stackhand(&[&run, options].concat());
            assert!(output.status.success(), "{}", told(&output));
            std::fs::read(picture).unwrap()
        });
        assert_ne!(pictures[0], pictures[1], "{game}");
    }
    assert!(std::fs::read_to_string(file("s.txt")).unwrap().contains("heightHistogram"));
}
