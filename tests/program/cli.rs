//! The program as a person or a script runs it.

#![allow(clippy::unwrap_used, clippy::expect_used)]

use assert_cmd::Command;
use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

fn stackhand(args: &[&str]) -> std::process::Output {
    Command::cargo_bin("stackhand").unwrap().args(args).output().unwrap()
}

/// Runs it and expects success; the JSON lines it wrote.
fn json_lines(args: &[&str]) -> Vec<Value> {
    let output = stackhand(args);
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{args:?}: {errors}");
    let text = String::from_utf8(output.stdout).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap_or_else(|e| panic!("{line}: {e}"))).collect()
}

/// Runs it and expects one clear error: the exit status and what standard error says.
fn refusal(args: &[&str]) -> (i32, String) {
    let output = stackhand(args);
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(!said.contains("panicked"), "{args:?}: {said}");
    assert!(output.stdout.is_empty(), "{args:?} wrote to standard output");
    (output.status.code().unwrap(), said)
}

/// Runs it and expects exit status 1 and these words.
fn refuses(args: &[&str], words: &[&str]) {
    let (status, said) = refusal(args);
    assert_eq!(status, 1, "{args:?}: {said}");
    assert!(said.contains("stackhand: "), "{args:?}: {said}");
    assert_eq!(said.matches("stackhand: ").count(), 1, "{args:?}: {said}");
    for word in words {
        assert!(said.contains(word), "{args:?} does not say {word:?}: {said}");
    }
}

fn fixture(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures").join(name)
}

fn events<'a>(lines: &'a [Value], event: &str) -> Vec<&'a Value> {
    lines.iter().filter(|l| l["event"] == event).collect()
}

#[test]
fn a_dry_run_places_every_piece_as_meant() {
    let lines = json_lines(&["dry-run", "--pieces", "40", "--hard", "0.3", "--json"]);
    let locks = events(&lines, "lock");
    assert_eq!(locks.len(), 40);
    assert!(locks.iter().all(|l| l["intended"] == true));
    let summary = lines.last().unwrap();
    assert_eq!((&summary["event"], &summary["misplaced"]), (&"summary".into(), &0.into()));
    assert!(summary["fours"].as_u64().unwrap() >= 4, "{summary}");
    // Who does not wait for fours clears lines sooner.
    let steady = json_lines(&["dry-run", "--pieces", "25", "--hard", "0.3", "--ai", "steady", "--json"]);
    let summary = steady.last().unwrap();
    assert_eq!((&summary["pieces"], &summary["misplaced"], &summary["fours"]), (&25.into(), &0.into(), &0.into()));
    assert!(summary["lines"].as_u64().unwrap() >= 5, "{summary}");
}

#[test]
fn a_dry_run_of_standard_tetris_places_every_piece_as_meant_and_says_the_same_again() {
    let args = ["dry-run", "--game", "standard", "--pieces", "30", "--level", "4", "--hard", "0.5", "--json"];
    let lines = json_lines(&args);
    assert_eq!(events(&lines, "calibrated")[0]["layout"], "standard");
    assert_eq!(events(&lines, "lock").len(), 30);
    let summary = lines.last().unwrap();
    assert_eq!(
        (&summary["misplaced"], &summary["surprises"], &summary["games_over"]),
        (&0.into(), &0.into(), &0.into())
    );
    assert!(summary["lines"].as_u64().unwrap() >= 5, "{summary}");
    assert_eq!(lines, json_lines(&args));
}

#[test]
fn a_game_that_a_file_describes_is_checked_and_played() {
    let folder = TempDir::new().unwrap();
    let file = folder.path().join("mine.toml").to_str().unwrap().to_string();
    let shown = stackhand(&["game", "show", "vitetris"]);
    let shown = String::from_utf8(shown.stdout).unwrap();
    // A game that deals from a bag and turns both ways, neither of which vitetris does.
    let mine = shown
        .replace("name = \"vitetris\"", "name = \"mine\"")
        .replace("turn = \"up\"", "clockwise = \"up\"\ncounter_clockwise = \"b\"\nhandedness = \"left\"")
        .replace("[levels]", "[pieces]\ngenerator = \"bag\"\nentry_delay_ms = 120\n\n[levels]");
    fs::write(&file, &mine).unwrap();
    let checked = String::from_utf8(stackhand(&["game", "check", &file]).stdout).unwrap();
    assert!(checked.contains("799 ms a row at level 0") && !checked.contains("ways to turn"), "{checked}");
    // The seed leaves the robot to find out how vitetris turns.
    for game in [&file, "vitetris"] {
        let lines = json_lines(&["dry-run", "--game", game, "--pieces", "28", "--level", "3", "--seed", "3", "--json"]);
        let summary = lines.last().unwrap();
        assert_eq!((&summary["pieces"], &summary["misplaced"]), (&28.into(), &0.into()), "{game}");
        let pieces: Vec<&str> = events(&lines, "spawn").iter().map(|l| l["piece"].as_str().unwrap()).collect();
        let is_bag =
            pieces.chunks_exact(7).all(|seven| seven.iter().all(|p| seven.iter().filter(|o| *o == p).count() == 1));
        assert_eq!(is_bag, game != "vitetris", "{pieces:?}");
    }
    let wrong = mine.replace("entry_delay_ms = 120", "entry_delay_ms = -1");
    let line = wrong.lines().position(|line| line.starts_with("entry_delay_ms")).unwrap() + 1;
    fs::write(&file, &wrong).unwrap();
    refuses(
        &["game", "check", &file],
        &[&format!("line {line} of"), "pieces.entry_delay_ms", "between 0 and 10,000 ms"],
    );
    // A board of another size is played as well.
    fs::write(&file, mine.replace("rows = 20", "rows = 18")).unwrap();
    let lines = json_lines(&["dry-run", "--game", &file, "--pieces", "10", "--level", "3", "--json"]);
    let summary = lines.last().unwrap();
    assert_eq!((&summary["pieces"], &summary["misplaced"]), (&10.into(), &0.into()));
    let (status, said) = refusal(&["dry-run", "--game", &file, "--effect", "pale=0.5"]);
    assert!(status == 2 && said.contains("10 × 20"), "{said}");
}

#[test]
fn the_same_dry_run_says_the_same_byte_for_byte() {
    let args = ["dry-run", "--pieces", "8", "--seed", "7", "--hard", "0.5", "--level", "5", "--json", "--each-frame"];
    let (first, second) = (stackhand(&args), stackhand(&args));
    assert!(first.status.success());
    assert!(!first.stdout.is_empty());
    assert_eq!(first.stdout, second.stdout);
    let other = ["dry-run", "--pieces", "8", "--seed", "8", "--hard", "0.5", "--level", "5", "--json", "--each-frame"];
    assert_ne!(first.stdout, stackhand(&other).stdout);
}

#[test]
fn what_the_robot_saw_is_what_it_says() {
    let lines = json_lines(&["dry-run", "--pieces", "6", "--json"]);
    for pair in events(&lines, "spawn").windows(2) {
        assert_eq!(pair[0]["next"], pair[1]["piece"]);
        let count = |spawn: &Value| spawn["board"].to_string().matches('#').count();
        assert_eq!((count(pair[1]) + 10 * 4 - count(pair[0])) % 10, 4);
        assert_eq!(pair[0]["board"].as_array().unwrap().len(), 20);
    }
}

#[cfg(unix)]
#[test]
fn a_real_time_run_plays_through_the_serial_driver() {
    let lines = json_lines(&["dry-run", "--realtime", "--pieces", "4", "--json"]);
    let locks = events(&lines, "lock");
    assert_eq!(locks.len(), 4);
    let summary = lines.last().unwrap();
    assert!(summary["press_error_ms_p50"].is_number() && summary["frame_us_p50"].is_number(), "{summary}");
}

#[test]
fn test_vectors_are_checked_and_the_first_difference_is_named() {
    let vectors = fixture("nes-control.jsonl");
    let output = stackhand(&["console", "--vectors", vectors.to_str().unwrap()]);
    assert!(output.status.success());
    assert_eq!(String::from_utf8(output.stdout).unwrap(), "12 of 12 cases agree in every frame.\n");
    let folder = TempDir::new().unwrap();
    let wrong = folder.path().join("wrong.jsonl");
    let text = fs::read_to_string(&vectors).unwrap().replacen("[5,1,18,15,0,0,0,0]", "[5,1,18,15,0,1,0,0]", 1);
    fs::write(&wrong, text).unwrap();
    let output = stackhand(&["console", "--vectors", wrong.to_str().unwrap()]);
    assert_eq!(output.status.code(), Some(1));
    let said = String::from_utf8(output.stdout).unwrap();
    assert!(said.contains("line 1: first difference in frame 0: fallTimer should be 1 but is 0"), "{said}");
}

#[test]
fn a_trace_is_a_line_a_frame() {
    let folder = TempDir::new().unwrap();
    let trace = folder.path().join("trace.jsonl");
    let path = trace.to_str().unwrap();
    assert!(stackhand(&["console", "--trace", path, "--frames", "600"]).status.success());
    let text = fs::read_to_string(&trace).unwrap();
    assert_eq!(text.lines().count(), 600);
    let last: Value = serde_json::from_str(text.lines().last().unwrap()).unwrap();
    assert_eq!(last["phase"], "falling");
    refuses(&["console", "--trace", path], &["is not overwritten", "--force"]);
}

#[test]
fn wrong_usage_has_status_two() {
    for args in [
        &["fly"][..],
        &["dry-run", "--hard", "2"],
        &["dry-run", "--finger", "hz:0"],
        &["dry-run", "--pieces", "0"],
        &["dry-run", "--each-frame"],
        &["replay"],
        &["replay", "x.mkv", "--auto", "--profile", "x.toml"],
        &["replay", "x.mkv", "--corners", "1,2", "3,4"],
        &["replay", "x.mkv", "--corners", "1,2", "3,4", "5,6", "seven"],
        &["play"],
        &[],
    ] {
        let (status, said) = refusal(args);
        assert_eq!(status, 2, "{args:?}: {said}");
    }
}

#[test]
fn what_is_missing_is_named_with_a_remedy() {
    refuses(&["replay", "/no/such.mkv", "--auto"], &["/no/such.mkv", "no such file or folder"]);
    refuses(&["replay", "sim"], &["no recording"]);
    refuses(&["replay", "camera:0"], &["no recording"]);
    refuses(&["play", "--profile", "/no/such.toml"], &["/no/such.toml", "stackhand calibrate"]);
    refuses(&["console", "--vectors", "/no/such.jsonl"], &["cannot read /no/such.jsonl"]);
    refuses(&["dry-run", "--relay", "lpt:1"], &["lpt", "adr2200:"]);
    refuses(&["dry-run", "--relay", "adr2200:/no/such/port"], &["/no/such/port"]);
    refuses(&["calibrate", "--source", "camera:77", "--layout", "nes"], &["camera"]);
    refuses(&["calibrate", "--source", "ffmpeg:-f nonsense", "--layout", "nes"], &["-i INPUT"]);
}

#[test]
fn broken_files_are_named_with_a_remedy() {
    let folder = TempDir::new().unwrap();
    let file = |name: &str, text: &str| {
        let path = folder.path().join(name);
        fs::write(&path, text).unwrap();
        path.to_str().unwrap().to_string()
    };
    let profile = file("broken.toml", "version = \"one\"");
    refuses(&["play", "--profile", &profile], &["is not a calibration", "stackhand calibrate"]);
    let vectors = file("broken.jsonl", "{\"board\":3}\n");
    refuses(&["console", "--vectors", &vectors], &["line 1", "not a test vector"]);
    let empty = file("empty.jsonl", "");
    let output = stackhand(&["console", "--vectors", &empty]);
    assert_eq!(output.status.code(), Some(1));
    let layout = file("broken-layout.toml", "name = 3");
    let picture = file("picture.png", "no picture");
    refuses(&["replay", &picture, "--layout", &layout, "--auto"], &["is not valid"]);
    refuses(&["replay", &picture, "--layout", "nes", "--auto"], &["no readable picture"]);
    refuses(&["replay", &picture, "--layout", "chess", "--auto"], &["no layout named \"chess\"", "vitetris"]);
}

/// A folder of pictures of the simulated console: what a user without a camera can calibrate on.
fn pictures(folder: &Path) -> String {
    use stackhand::game::Buttons;
    use stackhand::game::nes::Console;
    use stackhand::twin::camera::{CameraModel, DEFAULT_SIZE};
    use stackhand::twin::{picture, table};
    let mut console = Console::new(0, 1000);
    let mut camera = CameraModel::new(0.2, 3, 30.0, DEFAULT_SIZE);
    let mut shown = picture::Picture::new();
    let pictures = folder.join("pictures");
    fs::create_dir(&pictures).unwrap();
    console.frame(Buttons::START);
    for i in 0..10u64 {
        console.frame(Buttons::NONE);
        picture::draw(&table::view(&console), &mut shown);
        camera.expose(&[(1.0, &shown)], i).save(pictures.join(format!("{i:03}.png"))).unwrap();
    }
    pictures.to_str().unwrap().into()
}

#[test]
fn calibrate_finds_the_field_and_the_file_serves_replay_and_is_checked() {
    let folder = TempDir::new().unwrap();
    let pictures = pictures(folder.path());
    let profile = folder.path().join("rig.toml");
    let path = profile.to_str().unwrap();
    let lines = json_lines(&[
        "calibrate",
        "--source",
        &pictures,
        "--layout",
        "nes",
        "--auto",
        "--no-ui",
        "--profile",
        path,
        "--json",
    ]);
    assert_eq!((&lines[0]["event"], &lines[0]["layout"]), (&"calibrated".into(), &"nes".into()));
    let lines = json_lines(&["replay", &pictures, "--profile", path, "--json", "--each-frame"]);
    assert_eq!(events(&lines, "frame").len(), 10);
    assert_eq!(events(&lines, "spawn").len(), 1);
    assert_eq!(events(&lines, "frame")[0]["file"], "000.png");
    // The same file for pictures of another size is refused.
    let text = fs::read_to_string(&profile).unwrap().replace("640", "320");
    fs::write(&profile, text).unwrap();
    refuses(&["replay", &pictures, "--profile", path], &["320", "640 × 480", "stackhand calibrate"]);
}

#[test]
fn corners_can_be_given_by_hand() {
    let folder = TempDir::new().unwrap();
    let pictures = pictures(folder.path());
    let found = json_lines(&["replay", &pictures, "--auto", "--layout", "nes", "--json"]);
    let corners: Vec<String> =
        found[0]["corners"].as_array().unwrap().iter().map(|c| format!("{},{}", c[0], c[1])).collect();
    let mut args = vec!["replay", &pictures, "--layout", "nes", "--json", "--corners"];
    args.extend(corners.iter().map(String::as_str));
    let given = json_lines(&args);
    assert_eq!(events(&given, "spawn"), events(&found, "spawn"));
    refuses(&["replay", &pictures, "--corners", "1,1", "2,1", "2,2", "1,2"], &["--layout"]);
    let flat = ["replay", &pictures, "--layout", "nes", "--corners", "1,1", "2,1", "3,1", "4,1"];
    let (status, said) = refusal(&flat);
    assert!(status == 2 && said.contains("corners"), "{status}: {said}");
}

#[test]
fn a_recording_that_is_read_at_the_wrong_place_says_so() {
    let folder = TempDir::new().unwrap();
    let pictures = pictures(folder.path());
    let wrong = ["replay", &pictures, "--layout", "gameboy", "--corners", "10,10", "90,10", "90,160", "10,160"];
    let output = stackhand(&wrong);
    let said = String::from_utf8(output.stdout).unwrap();
    // Nothing was seen, which is no success.
    assert!(output.status.code() == Some(1) && said.contains("did not show the game clearly"), "{said}");
}

#[test]
fn annotated_pictures_are_written_to_a_new_folder() {
    let folder = TempDir::new().unwrap();
    let pictures = pictures(folder.path());
    let out = folder.path().join("annotated");
    let args = ["replay", &pictures, "--auto", "--layout", "nes", "--annotate", out.to_str().unwrap()];
    assert!(stackhand(&args).status.success());
    assert_eq!(fs::read_dir(&out).unwrap().count(), 10);
    refuses(&args, &["exists already"]);
}

/// Pictures stop for 0.9 s again and again: that is told when it is known, and how long it lasted when it is over. A busy
/// computer adds shorter stops of its own in real time.
fn check_stalls(args: &[&str], is_real_time: bool) {
    let all: Vec<&str> = [&["dry-run", "--level", "9", "--json"], args].concat();
    let lines = json_lines(&all);
    let told: Vec<&Value> = lines.iter().filter(|l| l["event"] == "stalled" || l["event"] == "stall_over").collect();
    let summary = lines.last().unwrap();
    assert!(told.len() >= 2 && summary["stalls"] == (told.len() / 2) as u64, "{told:?} {summary}");
    for pair in told.chunks_exact(2) {
        assert_eq!((&pair[0]["event"], &pair[1]["event"]), (&"stalled".into(), &"stall_over".into()), "{told:?}");
        let ms = |value: &Value| value.as_f64().unwrap();
        let (begun, over, lasted) = (ms(&pair[0]["t_ms"]), ms(&pair[1]["t_ms"]), ms(&pair[1]["lasted_ms"]));
        assert!(lasted > if is_real_time { 499.0 } else { 800.0 }, "{pair:?}");
        let told_after = begun - (over - lasted);
        assert!(told_after > 400.0 && begun <= over, "{pair:?}");
        // A busy computer tells it when it can.
        assert!(is_real_time || told_after < 600.0, "{pair:?}");
    }
    // In real time the picture before it may come late, too.
    assert!(is_real_time || told.iter().any(|event| event["lasted_ms"].as_f64() > Some(800.0)), "{told:?}");
    assert_eq!(summary["adrift"], events(&lines, "adrift").len() as u64);
    assert!(is_real_time || summary["adrift"].as_u64() <= summary["stalls"].as_u64(), "{summary}");
    let last_plan = events(&lines, "plan").last().unwrap()["t_ms"].as_f64().unwrap();
    assert!(last_plan > told[1]["t_ms"].as_f64().unwrap(), "the robot plays on");
}

#[test]
fn pictures_that_stop_are_told_and_counted() {
    check_stalls(&["--pieces", "14", "--fault", "stall:0.9,5@6"], false);
}

#[test]
#[ignore = "needs a quiet computer; `make test` runs it after all others: cargo test --test program -- --ignored"]
fn pictures_that_stop_in_real_time_are_told_and_counted() {
    // A busy computer that lags behind makes the stop shorter.
    let args = ["--realtime", "--pieces", "1000", "--seconds", "12", "--fault", "stall:3,20@4"];
    check_stalls(&args, true);
}

/// A recorded run at level 5 in a folder, and the points for lines that it said.
fn recorded_at_level_5(folder: &TempDir) -> (String, u64) {
    let session = folder.path().join("run.shs").to_str().unwrap().to_string();
    let args = ["dry-run", "--pieces", "20", "--level", "5", "--finger", "hz:5", "--record", &session, "--json"];
    let score = json_lines(&args).last().unwrap()["score"].as_u64().unwrap();
    assert!(score > 0);
    (session, score)
}

#[test]
fn a_session_knows_the_level_and_the_finger_that_it_was_played_with() {
    let folder = TempDir::new().unwrap();
    let (session, score) = recorded_at_level_5(&folder);
    let replayed = |more: &[&str]| {
        let args: Vec<&str> = ["replay", &session, "--json"].iter().chain(more).copied().collect();
        json_lines(&args).last().unwrap()["score"].as_u64().unwrap()
    };
    // The score shows the level: points for lines are multiplied by it.
    assert_eq!((replayed(&[]), replayed(&["--level", "0"])), (score, score / 6));
    // A robot that looks at it plans with the finger of then, unless told otherwise: five taps a second press for 100 ms.
    let shortest = |more: &[&str]| {
        let args = ["dry-run", "--source", &session, "--pieces", "2", "--json"];
        let lines = json_lines(&args.iter().chain(more).copied().collect::<Vec<_>>());
        let plans = events(&lines, "plan");
        let presses = plans.iter().flat_map(|plan| plan["presses"].as_array().unwrap().windows(2));
        let lengths = presses.filter(|p| p[0][1] != 0).map(|p| p[1][0].as_f64().unwrap() - p[0][0].as_f64().unwrap());
        lengths.fold(f64::MAX, f64::min)
    };
    let (then, relay) = (shortest(&[]), shortest(&["--finger", "relay"]));
    assert!(then > 95.0 && relay < 40.0, "{then} ms, {relay} ms");
}

/// What a recorded run planned, and what its robot plans when it is run again: the lines as they were printed.
fn planned_twice(args: &[&str]) -> [Vec<String>; 2] {
    let folder = TempDir::new().unwrap();
    let session = folder.path().join("run.shs").to_str().unwrap().to_string();
    let plans = |args: &[&str]| {
        let output = stackhand(args);
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        let said = String::from_utf8(output.stdout).unwrap();
        let summary: Value = serde_json::from_str(said.lines().last().unwrap()).unwrap();
        let plans: Vec<String> = said.lines().filter(|l| l.contains(r#""event":"plan""#)).map(String::from).collect();
        (plans, summary)
    };
    let run = [&["dry-run", "--json", "--record", &session], args].concat();
    let (recorded, _) = plans(&run);
    let (again, summary) = plans(&["replay", &session, "--json"]);
    let repeated = &summary["repeated"];
    assert_eq!((&repeated["plans"], &repeated["differ"]), (&recorded.len().into(), &0.into()), "{summary}");
    assert!(recorded.len() > 5 && recorded[0].contains(r#""commands":[["#));
    [recorded, again]
}

#[test]
fn a_recorded_robot_decides_the_same_again_commands_included() {
    let [recorded, again] = planned_twice(&["--pieces", "25", "--level", "9", "--hard", "0.5", "--fault", "lose:0.05"]);
    assert_eq!(recorded, again);
}

#[test]
fn a_robot_recorded_in_real_time_decides_the_same_again() {
    let args = ["--realtime", "--pieces", "1000", "--seconds", "15", "--level", "9", "--fault", "late:0.05,40"];
    let [recorded, again] = planned_twice(&args);
    assert_eq!(recorded, again);
}

#[test]
fn a_game_of_unknown_rules_is_looked_at_and_not_played() {
    let folder = TempDir::new().unwrap();
    let session = folder.path().join("run.shs").to_str().unwrap().to_string();
    let profile = folder.path().join("rig.toml").to_str().unwrap().to_string();
    json_lines(&["dry-run", "--pieces", "2", "--record", &session, "--json"]);
    // The NES's own looks, and not a word about its rules.
    let looks = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("calibration/layouts/nes.toml")).unwrap();
    let layout = folder.path().join("looks.toml");
    fs::write(&layout, looks.replace("name = \"nes\"", "name = \"looks\"").replace("game = \"nes\"\n", "")).unwrap();
    let layout = layout.to_str().unwrap();
    refuses(
        &["dry-run", "--source", &session, "--layout", layout, "--auto", "--pieces", "1"],
        &["looks does not say how its game plays", "[rules]"],
    );
    // Looking goes on, and says what it takes for granted.
    let said = |args: &[&str]| {
        let output = stackhand(args);
        let said = String::from_utf8(output.stderr).unwrap();
        assert!(output.status.success(), "{args:?}: {said}");
        said
    };
    let replayed = said(&["replay", &session, "--layout", layout, "--auto"]);
    assert_eq!(replayed.matches("taken to be the NES's").count(), 1, "{replayed}");
    let calibrated = said(&["calibrate", "--source", &session, "--layout", layout, "--no-ui", "--profile", &profile]);
    assert_eq!(calibrated.matches("it cannot be played").count(), 1, "{calibrated}");
    let play = ["play", "--profile", &profile, "--source", "sim", "--relay", "sim", "--pieces", "1"];
    refuses(&play, &["looks does not say how its game plays"]);
}

#[test]
fn a_button_without_a_relay_is_found_out_before_the_game() {
    let folder = TempDir::new().unwrap();
    let profile = folder.path().join("rig.toml").to_str().unwrap().to_string();
    let calibrated = stackhand(&["calibrate", "--source", "sim", "--layout", "nes", "--no-ui", "--profile", &profile]);
    assert!(calibrated.status.success());
    let whole = fs::read_to_string(&profile).unwrap();
    let play = ["play", "--profile", &profile, "--source", "sim", "--relay", "sim", "--pieces", "1"];
    for button in ["left", "down", "b"] {
        let is_other = |line: &&str| !line.starts_with(&format!("{button} = "));
        let text: Vec<&str> = whole.lines().filter(is_other).collect();
        assert_eq!(text.len() + 1, whole.lines().count(), "{button}");
        fs::write(&profile, text.join("\n")).unwrap();
        refuses(&play, &[&format!("no relay presses {button}"), "[buttons]"]);
    }
    // Select is pressed in no game, and without Start a person begins the next one.
    let text: Vec<&str> = whole.lines().filter(|l| !l.starts_with("start = ") && !l.starts_with("select = ")).collect();
    fs::write(&profile, text.join("\n")).unwrap();
    let output = stackhand(&play);
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(output.status.success() && said.contains("no relay presses start"), "{said}");
}

#[cfg(unix)]
#[test]
fn a_run_that_could_not_be_recorded_to_its_end_is_no_success() {
    let folder = TempDir::new().unwrap();
    let session = folder.path().join("run.shs");
    let run = "ulimit -f 200; exec \"$0\" dry-run --pieces 3 --json --record \"$1\"";
    let program = assert_cmd::cargo::cargo_bin("stackhand");
    let output = std::process::Command::new("sh").args(["-c", run]).arg(program).arg(&session).output().unwrap();
    let (out, said) = (String::from_utf8(output.stdout).unwrap(), String::from_utf8(output.stderr).unwrap());
    assert_eq!(output.status.code(), Some(1), "{said}");
    assert!(said.contains("ends here") && said.contains("make room on the disk"), "{said}");
    let summary: Value = serde_json::from_str(out.lines().last().unwrap()).unwrap();
    assert_eq!((&summary["recording_failed"], &summary["pieces"]), (&Value::Bool(true), &Value::from(3)), "{summary}");
    assert!(summary["pictures_lost"].as_u64().unwrap() > 0, "{summary}");
}
