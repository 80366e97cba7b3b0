//! What a short run says, kept word for word: a change of behaviour shows as a difference. Accept an intended one with
//! `INSTA_UPDATE=always cargo test --test program snapshots`.

#![allow(clippy::unwrap_used, clippy::expect_used)]

use assert_cmd::Command;
use serde_json::Value;

/// The events of a run as short lines; without confidences and corners, which vision may better without a decision changing.
fn story(args: &[&str]) -> String {
    let output = Command::cargo_bin("stackhand").unwrap().args(args).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let text = String::from_utf8(output.stdout).unwrap();
    let lines = text.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    let field = |line: &Value, name: &str| line[name].to_string().replace('"', "");
    let tell = |line: Value| match line["event"].as_str().unwrap() {
        "spawn" => Some(format!("spawn {} then {}", field(&line, "piece"), field(&line, "next"))),
        "lock" => {
            let [x, y, turn, lines] = ["x", "y", "orientation", "lines"].map(|n| field(&line, n));
            Some(format!("lock {} at {x},{y} turned {turn}, {lines} lines", field(&line, "piece")))
        }
        "summary" => Some(format!("{} pieces, {} lines", field(&line, "pieces"), field(&line, "lines"))),
        _ => None,
    };
    lines.filter_map(tell).collect::<Vec<_>>().join("\n")
}

#[test]
fn a_short_game() {
    insta::assert_snapshot!(story(&["dry-run", "--pieces", "12", "--seed", "5", "--hard", "0.2", "--json"]));
}
