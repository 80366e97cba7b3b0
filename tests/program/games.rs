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
