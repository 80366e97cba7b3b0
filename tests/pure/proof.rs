//! Proof of what was read: simulated clips with their truth, recordings compared with themselves, and the report.

#![allow(clippy::unwrap_used, clippy::expect_used)]

use assert_cmd::Command;
use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;
use tempfile::TempDir;

fn stackhand(args: &[&str]) -> std::process::Output {
    Command::cargo_bin("stackhand").unwrap().args(args).output().unwrap()
}

fn json_lines(args: &[&str]) -> Vec<Value> {
    let output = stackhand(args);
    assert!(output.status.success(), "{args:?}: {}", String::from_utf8_lossy(&output.stderr));
    let text = String::from_utf8(output.stdout).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// Whether the program that decodes videos is there; says so if it is not.
fn has_ffmpeg() -> bool {
    let found = std::process::Command::new("ffmpeg").arg("-version").output().is_ok_and(|o| o.status.success());
    if !found {
        crate::skip::skipped("saving a clip", &["ffmpeg"]);
    }
    found
}

/// A simulated clip as files, and what the benchmark said about it.
struct Saved {
    folder: TempDir,
    clip: Value,
}

const NAME: &str = "hard-0.4-seed-32";

/// One clip serves several tests: filming and coding it takes longer than reading it.
static SAVED: LazyLock<Saved> = LazyLock::new(|| {
    let folder = TempDir::new().unwrap();
    let path = folder.path().to_str().unwrap();
    let lines = json_lines(&[
        "benchmark",
        "--hard",
        "0.4",
        "--clips",
        "1",
        "--seed",
        "32",
        "--seconds",
        "4",
        "--bump",
        "10",
        "--save",
        path,
        "--json",
    ]);
    Saved { clip: lines[0].clone(), folder }
});

impl Saved {
    fn video(&self) -> PathBuf {
        self.folder.path().join(format!("{NAME}.mkv"))
    }

    fn truth(&self) -> String {
        fs::read_to_string(self.folder.path().join(format!("{NAME}.truth.jsonl"))).unwrap()
    }

    /// Replays the clip against this truth; the summary and the page.
    fn replay(&self, truth: &str) -> (Value, String) {
        let folder = TempDir::new().unwrap();
        let [truth_path, page] = ["truth.jsonl", "page.html"].map(|name| folder.path().join(name));
        fs::write(&truth_path, truth).unwrap();
        let lines = json_lines(&[
            "replay",
            self.video().to_str().unwrap(),
            "--layout",
            "nes",
            "--auto",
            "--json",
            "--truth",
            truth_path.to_str().unwrap(),
            "--report",
            page.to_str().unwrap(),
        ]);
        (lines.last().unwrap().clone(), fs::read_to_string(page).unwrap())
    }
}

/// The titles of the page's mistakes, less those that `before` has.
fn new_titles(page: &str, before: &str) -> Vec<String> {
    let titles = |page: &str| -> Vec<String> {
        let heads = page.split("<h3>").skip(1);
        heads.map(|head| head.split("</h3>").next().unwrap().split(": ").last().unwrap().to_string()).collect()
    };
    let mut new = titles(page);
    for known in titles(before) {
        let i = new.iter().position(|title| *title == known).unwrap_or_else(|| panic!("{known} is gone"));
        new.remove(i);
    }
    new
}

/// The truth's lines with one of the `nth` event of this kind changed.
fn with_change(truth: &str, event: &str, nth: usize, change: impl Fn(&mut Value)) -> String {
    let mut lines: Vec<Value> = truth.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    change(lines.iter_mut().filter(|line| line["event"] == event).nth(nth).unwrap());
    lines.iter().map(|line| line.to_string() + "\n").collect()
}

#[test]
fn a_saved_clip_replays_to_the_same_figures() {
    if has_ffmpeg() {
        let (summary, page) = SAVED.replay(&SAVED.truth());
        assert_eq!(summary["truth"], SAVED.clip["truth"]);
        assert!(summary["truth"]["spawns"].as_u64().unwrap() >= 2, "{summary}");
        assert!(summary["truth"]["cells"].as_u64().unwrap() > 20_000, "{summary}");
        check_page(&page);
    }
}

#[test]
fn one_false_line_in_the_truth_is_one_mistake() {
    if !has_ffmpeg() {
        return;
    }
    let truth = SAVED.truth();
    let (right, page) = SAVED.replay(&truth);
    let less =
        |key: &str, summary: &Value| right["truth"][key].as_i64().unwrap() - summary["truth"][key].as_i64().unwrap();

    let other = |piece: &Value| if piece == "T" { "O" } else { "T" };
    let false_piece = with_change(&truth, "spawn", 1, |line| line["piece"] = other(&line["piece"]).into());
    let (summary, wrong) = SAVED.replay(&false_piece);
    assert_eq!(new_titles(&wrong, &page), ["a spawn with the wrong piece"]);
    assert_eq!(["piece", "exact", "next", "seen", "cells_wrong"].map(|key| less(key, &summary)), [1, 1, 0, 0, 0]);

    let false_cell = with_change(&truth, "frame", 20, |line| {
        let row = line["board"][10].as_str().unwrap();
        assert!(row.starts_with('.'), "{row}");
        line["board"][10] = format!("#{}", &row[1..]).into();
    });
    let (summary, wrong) = SAVED.replay(&false_cell);
    assert_eq!(new_titles(&wrong, &page), ["a wrong cell"]);
    assert_eq!(["exact", "cells", "cells_wrong"].map(|key| less(key, &summary)), [0, 0, -1]);
    check_page(&wrong);

    let false_corner = with_change(&truth, "calibrated", 0, |line| {
        line["corners"][2][0] = (line["corners"][2][0].as_f64().unwrap() + 12.0).into();
    });
    let (summary, wrong) = SAVED.replay(&false_corner);
    assert_eq!(new_titles(&wrong, &page), ["field at the wrong place"]);
    assert!((summary["truth"]["corner_error_px"].as_f64().unwrap() - 12.0).abs() < 2.0, "{summary}");

    let no_spawns: String =
        truth.lines().filter(|line| !line.contains("\"spawn\"")).map(|l| format!("{l}\n")).collect();
    let (summary, wrong) = SAVED.replay(&no_spawns);
    assert_eq!((&summary["truth"]["spawns"], &summary["truth"]["extra"]), (&0.into(), &0.into()), "nothing is known");
    assert!(new_titles(&wrong, &wrong).is_empty());
}

/// The page stands alone: all elements are closed, nothing is fetched or run.
fn check_page(page: &str) {
    let mut open: Vec<&str> = Vec::new();
    for tag in page.split('<').skip(1).map(|rest| rest.split('>').next().unwrap()) {
        let name = tag.trim_start_matches('/').split([' ', '\n']).next().unwrap();
        match name {
            "!DOCTYPE" | "meta" | "img" => {}
            _ if tag.starts_with('/') => assert_eq!(open.pop(), Some(name), "at </{name}>"),
            _ => open.push(name),
        }
    }
    assert!(open.is_empty(), "{open:?} are not closed");
    for outside in ["<script", "<link", "src=\"http", "url("] {
        assert!(!page.contains(outside), "the page has {outside}");
    }
    assert_eq!(page.matches("<article>").count(), page.matches("src=\"data:image/jpeg;base64,").count());
}

#[test]
fn a_recording_agrees_with_itself_as_far_as_it_can_be_compared() {
    if !has_ffmpeg() {
        return;
    }
    let video = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/vitetris/robot-18s.mkv");
    let corners = ["348,96", "588,96", "588,576", "348,576"];
    let replay = |more: &[&str]| {
        let args =
            [&["replay", video.to_str().unwrap(), "--layout", "vitetris", "--corners"][..], &corners, more].concat();
        stackhand(&args)
    };
    let said = String::from_utf8(replay(&[]).stdout).unwrap();
    assert!(said.contains("34 of 34 counts of cells fit, 34 of 34 placements can be reached"), "{said}");
    let summary = String::from_utf8(replay(&["--json"]).stdout).unwrap();
    let summary: Value = serde_json::from_str(summary.lines().last().unwrap()).unwrap();
    let Value::Object(consistency) = &summary["consistency"] else { panic!("{summary}") };
    let number = |what: &Value, key: &str| what[key].as_u64().unwrap();
    assert_eq!(number(&consistency["next"], "agree"), number(&consistency["next"], "of"));
    let pieces = number(&consistency["next"], "of") + consistency["next_taken_for_piece"].as_u64().unwrap();
    assert_eq!(pieces, 34, "each piece but the first was announced");
}

/// Some pictures of nothing, under a name that is no HTML.
fn odd_folder() -> (TempDir, PathBuf) {
    let folder = TempDir::new().unwrap();
    let pictures = folder.path().join("a<b>&\"c");
    fs::create_dir(&pictures).unwrap();
    for i in 0..4 {
        image::RgbImage::from_pixel(320, 240, image::Rgb([40 * i, 30, 90]))
            .save(pictures.join(format!("{i}.png")))
            .unwrap();
    }
    (folder, pictures)
}

#[test]
fn a_page_is_written_even_when_the_replay_breaks_off() {
    if !has_ffmpeg() {
        return;
    }
    let (folder, pictures) = odd_folder();
    let [page, annotated] = ["page.html", "seen.nosuchformat"].map(|name| folder.path().join(name));
    let output = stackhand(&[
        "replay",
        pictures.to_str().unwrap(),
        "--layout",
        "nes",
        "--corners",
        "96,20",
        "196,20",
        "196,220",
        "96,220",
        "--report",
        page.to_str().unwrap(),
        "--annotate",
        annotated.to_str().unwrap(),
    ]);
    assert_eq!(output.status.code(), Some(1));
    let page = fs::read_to_string(page).unwrap();
    check_page(&page);
    assert!(page.contains("The reading ended early: "), "{page}");
    assert!(page.contains("a&lt;b&gt;&amp;&quot;c") && !page.contains("<b>&"), "text is escaped: {page}");
    assert!(page.contains("Nothing in the recording could be compared with itself"), "{page}");
}

#[test]
fn a_truth_about_another_field_is_refused() {
    let (folder, pictures) = odd_folder();
    let truth = folder.path().join("truth.jsonl");
    fs::write(&truth, r#"{"t_ms":0,"piece":"T","next":"O","board":["....",".##."]}"#).unwrap();
    let output = stackhand(&[
        "replay",
        pictures.to_str().unwrap(),
        "--layout",
        "nes",
        "--corners",
        "96,20",
        "196,20",
        "196,220",
        "96,220",
        "--truth",
        truth.to_str().unwrap(),
    ]);
    let said = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(1));
    assert!(said.contains("line 1 of") && said.contains("give the right --layout"), "{said}");
}

#[test]
fn the_benchmark_says_the_same_every_time_and_reads_a_perfect_camera() {
    let args = ["benchmark", "--hard", "0", "--clips", "3", "--seed", "40", "--seconds", "8", "--json"];
    let (first, second) = (stackhand(&args), stackhand(&args));
    assert!(first.status.success(), "{}", String::from_utf8_lossy(&first.stderr));
    assert_eq!(first.stdout, second.stdout);
    let text = String::from_utf8(first.stdout).unwrap();
    let sums: Value = serde_json::from_str(text.lines().last().unwrap()).unwrap();
    let (truth, number) = (&sums["truth"], |key: &str| sums["truth"][key].as_u64().unwrap());
    assert_eq!((&sums["event"], &sums["found"], &sums["wrong_place"]), (&"benchmark".into(), &3.into(), &0.into()));
    assert_eq!(number("cells_wrong"), 0, "{truth}");
    assert!(number("cells_unknown") * 200 < number("cells"), "{truth}");
    assert!(number("spawns") >= 8 && number("exact") * 10 >= number("spawns") * 9, "{truth}");
    assert!(sums["corner_error_px"]["max"].as_f64().unwrap() < 1.0, "{sums}");
    let claims: u64 = truth["reliability"].as_array().unwrap().iter().map(|class| class[2].as_u64().unwrap()).sum();
    assert!(claims > number("cells") * 9 / 10, "each cell of a picture that was read is a claim: {truth}");
}

#[test]
fn a_worse_camera_makes_another_clip_of_the_same_game() {
    let clip = |hard: &str, seed: &str| {
        json_lines(&["benchmark", "--hard", hard, "--clips", "1", "--seed", seed, "--seconds", "4", "--json"])[0]
            .clone()
    };
    let (easy, hard, other) = (clip("0", "50"), clip("1", "50"), clip("0", "51"));
    assert_eq!((&easy["level"], &easy["truth"]["spawns"]), (&hard["level"], &hard["truth"]["spawns"]));
    assert_ne!(easy["corner_error_px"], hard["corner_error_px"]);
    assert_ne!(easy["truth"]["cells"], other["truth"]["cells"], "another seed is another game");
}
