//! README and docs say what is so: their commands are command lines of this program, their links lead somewhere, and the
//! reference of the JSON lines is made from the events themselves (DOCS_WRITE=1 cargo test --test program docs:: writes it).

#![allow(clippy::unwrap_used, clippy::expect_used)]

use serde_json::Value;
use stackhand::message::RunEvent;
use stackhand::profile::layout::Layout;
use std::collections::BTreeMap;
use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// All pages that people read, with their texts.
fn pages() -> Vec<(PathBuf, String)> {
    let folders = ["", "docs", "hardware", "hardware/firmware", "fuzz"];
    let files = folders.iter().filter_map(|folder| fs::read_dir(root().join(folder)).ok()).flatten().flatten();
    let mut pages: Vec<PathBuf> =
        files.map(|file| file.path()).filter(|p| p.extension().is_some_and(|e| e == "md")).collect();
    pages.sort();
    assert!(pages.len() > 15, "{pages:?}");
    pages.into_iter().map(|page| (page.clone(), fs::read_to_string(page).unwrap())).collect()
}

/// A page's lines outside of fenced blocks, or inside of them.
fn lines(text: &str, fenced: bool) -> Vec<&str> {
    let mut is_inside = false;
    let mut found = Vec::new();
    for line in text.lines() {
        if line.trim_start().starts_with("```") {
            is_inside = !is_inside;
        } else if is_inside == fenced {
            found.push(line);
        }
    }
    found
}

/// A command line as a shell would part it; nothing behind a comment, a pipe or a redirection.
fn words(line: &str) -> Vec<String> {
    let (mut words, mut word, mut quote) = (Vec::new(), None::<String>, None);
    for c in line.chars() {
        match (quote, c) {
            (Some(q), c) if c == q => quote = None,
            (Some(_), c) => word.get_or_insert_default().push(c),
            (None, '"' | '\'') => {
                quote = Some(c);
                word.get_or_insert_default();
            }
            (None, c) if c.is_whitespace() => words.extend(word.take()),
            (None, '#') if word.is_none() => break,
            (None, '|' | '>' | '&' | ';') if word.is_none() => break,
            (None, c) => word.get_or_insert_default().push(c),
        }
    }
    words.extend(word);
    words
}

/// All commands of this program in the pages, with the page.
fn commands() -> Vec<(PathBuf, Vec<String>)> {
    let mut commands = Vec::new();
    for (page, text) in pages() {
        for line in lines(&text, true) {
            let line = line.trim_start().trim_start_matches("$ ");
            if line.starts_with("stackhand ") {
                commands.push((page.clone(), words(line)));
            }
        }
    }
    commands
}

#[test]
fn every_command_in_the_pages_is_one_of_this_program() {
    let commands = commands();
    assert!(commands.len() > 30, "only {} commands were found", commands.len());
    let wrong: Vec<String> = commands
        .iter()
        .filter_map(|(page, words)| {
            Some(format!("{}: {words:?}: {}", page.display(), stackhand::app::check(words).err()?))
        })
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// What can be made here, without hardware, a page or a person: shortened to a few pieces, and what it is called.
fn shortened(words: &[String]) -> Option<Vec<String>> {
    let has = |option: &str| words.iter().any(|word| word == option);
    let waits = ["--ui", "--listen", "--realtime", "--relay", "--source", "--measured", "--session"];
    match words.get(1)?.as_str() {
        "dry-run" if !waits.into_iter().any(has) => {
            let mut words = words.to_vec();
            match words.iter().position(|word| word == "--pieces") {
                Some(i) => words[i + 1] = "2".into(),
                None => words.extend(["--pieces".into(), "2".into()]),
            }
            // Pictures to draw with the pile are the reader's own, as are files of games and saved ones.
            let endings = [".toml", ".txt"];
            let is_own =
                |word: &String| word.starts_with("pattern:") || endings.iter().any(|ending| word.ends_with(ending));
            (!words.iter().any(is_own)).then_some(words)
        }
        // What the reader has trained is not there.
        "tournament" if !words.iter().any(|word| word.contains(".toml") || word.contains(".value")) => {
            let mut words = words.to_vec();
            for (option, few) in [("--threads", "1"), ("--to-pieces", "20"), ("--games", "1")] {
                match words.iter().position(|word| word == option) {
                    Some(i) => words[i + 1] = few.into(),
                    None => words.extend([option, few].map(String::from)),
                }
            }
            Some(words)
        }
        "console" if has("--headless") || (has("--trace") && !has("--movie")) => Some(words.to_vec()),
        "help" | "completions" | "man" => Some(words.to_vec()),
        _ => None,
    }
}

#[test]
fn what_the_pages_tell_a_newcomer_to_type_works() {
    let folder = tempfile::TempDir::new().unwrap();
    let mut commands: Vec<Vec<String>> = commands().iter().filter_map(|(_, words)| shortened(words)).collect();
    commands.sort();
    commands.dedup();
    assert!(commands.len() > 5, "{commands:?}");
    for words in commands {
        let mut command = Command::new(env!("CARGO_BIN_EXE_stackhand"));
        let command = command.args(&words[1..]).current_dir(folder.path()).stdin(Stdio::null());
        let output = command.output().unwrap();
        let told = String::from_utf8_lossy(&output.stderr);
        // The same file may be written by several pages' examples.
        assert!(output.status.success() || told.contains("exists"), "{words:?}: {told}");
    }
}

/// The game that a page describes step by step: its two files as they stand there are accepted, and played.
#[test]
fn the_game_that_a_page_describes_is_played() {
    let folder = tempfile::TempDir::new().unwrap();
    let page = fs::read_to_string(root().join("docs/own-game.md")).unwrap();
    let block = |file: &str| {
        let after = page.split(&format!("`{file}` (")).nth(1).unwrap_or_else(|| panic!("no heading of {file}"));
        let text = after.split("```toml\n").nth(1).and_then(|block| block.split("```").next()).unwrap();
        fs::write(folder.path().join(file), text).unwrap();
    };
    block("petris-game.toml");
    block("petris.toml");
    let run = |words: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_stackhand"));
        let output = command.args(words).current_dir(folder.path()).stdin(Stdio::null()).output().unwrap();
        assert!(output.status.success(), "{words:?}: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8_lossy(&output.stdout).into_owned()
    };
    assert!(run(&["game", "check", "petris-game.toml"]).contains("2 ways to turn"));
    run(&["game", "show", "petris-game.toml", "--pictures"]);
    let told = run(&["dry-run", "--game", "petris-game.toml", "--pieces", "12", "--json"]);
    let summary: Value = serde_json::from_str(told.lines().last().unwrap()).unwrap();
    assert!(summary["pieces"] == 12 && summary["misplaced"] == 0, "{summary}");
    // Its rules stand beside it, wherever the program is started.
    Layout::load(folder.path().join("petris.toml").to_str().unwrap()).unwrap().check_rules().unwrap();
}

/// The names that headings get as places to link to.
fn anchors(text: &str) -> Vec<String> {
    let headings = lines(text, false).into_iter().filter(|line| line.starts_with('#'));
    let name = |line: &str| -> String {
        let title = line.trim_start_matches('#').trim().to_lowercase();
        title
            .chars()
            .filter(|c| c.is_alphanumeric() || " -_".contains(*c))
            .map(|c| if c == ' ' { '-' } else { c })
            .collect()
    };
    headings.map(name).collect()
}

#[test]
fn every_link_leads_somewhere() {
    let mut wrong = Vec::new();
    for (page, text) in pages() {
        for line in lines(&text, false) {
            for (_, rest) in line.match_indices("](").map(|(i, _)| line.split_at(i + 2)) {
                let Some((target, _)) = rest.split_once(')') else { continue };
                if target.starts_with("http") || target.starts_with("mailto:") {
                    continue;
                }
                let (file, place) = target.split_once('#').map_or((target, None), |(file, place)| (file, Some(place)));
                let path = if file.is_empty() { page.clone() } else { page.parent().unwrap().join(file) };
                let is_there = path.exists()
                    && place.is_none_or(|place| {
                        fs::read_to_string(&path).is_ok_and(|text| anchors(&text).iter().any(|anchor| anchor == place))
                    });
                if !is_there {
                    wrong.push(format!("{}: {target}", page.display()));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn the_readme_is_short() {
    let readme = fs::metadata(root().join("README.md")).unwrap().len();
    assert!(readme <= 9 * 1024, "README.md has {readme} bytes; later work adds its pages to docs/");
}

// ---- the reference of the JSON lines ----

/// A line of each event, as a run says it.
const EXAMPLES: &[&str] = &[
    r##"{"event":"spawn","t_ms":12345.6,"frame":371,"piece":"T","next":"O","board":["..........","#.?......."],"confidence":0.998}"##,
    r#"{"event":"lock","t_ms":13012.4,"piece":"T","x":4,"y":18,"orientation":2,"lines":0,"intended":true}"#,
    r#"{"event":"game_over","t_ms":912345.0}"#,
    r#"{"event":"plan","t_ms":12391.2,"piece":"T","x":4,"y":18,"orientation":2,"skipped":0,"certainty":1.0,"ahead":false,"points":61240.0,"choices":[{"x":4,"y":18,"orientation":2,"cost":-10.743,"points":61240.0,"fate":"open"}],"presses":[[12433.0,2],[12466.3,0]],"commands":[[12412.5,2],[12445.8,0]]}"#,
    r#"{"event":"calibrated","corners":[[245.1,85.0],[437.2,85.3],[437.0,420.1],[245.0,419.8]],"layout":"nes","error_px":0.6}"#,
    r#"{"event":"differs","recorded":{"event":"plan","piece":"T"},"now":null}"#,
    r#"{"event":"surprise","t_ms":4102.7,"what":"the pile is another than believed","means":"believed from now on"}"#,
    r##"{"event":"frame","t_ms":33.3,"frame":1,"file":null,"console_frame":2,"state":"playing","piece":"T","next":"O","board":["...###....","....#....."],"cells":[[0.002,0.998]]}"##,
    r#"{"event":"field_lost","t_ms":60100.0}"#,
    r#"{"event":"field_back","t_ms":61733.3}"#,
    r#"{"event":"stalled","t_ms":20500.0}"#,
    r#"{"event":"stall_over","t_ms":20910.2,"lasted_ms":910.2}"#,
    r#"{"event":"camera_lost","t_ms":31000.0}"#,
    r#"{"event":"camera_back","t_ms":34120.0}"#,
    r#"{"event":"board_lost","t_ms":31000.0}"#,
    r#"{"event":"board_back","t_ms":34120.0}"#,
    r#"{"event":"watchdog_lost","t_ms":31000.0}"#,
    r#"{"event":"watchdog_back","t_ms":31250.0}"#,
    r#"{"event":"adrift","t_ms":20512.0,"piece":"L","why":"no picture has come for 512 ms"}"#,
    r#"{"event":"fall_time","t_ms":513533.7,"level":0,"row_ms":99.8,"believed_ms":799.0,"words":"pieces fall a row in 100 ms, not in 799 as at level 0; they are planned by that from now on (that is about level 9's: if the game began at another level, say so by --level)"}"#,
    r#"{"event":"delay","t_ms":41210.0,"what":"entry","ms":51.0,"spread_ms":9.0,"believed_ms":null,"words":"the next piece appears 51 ms after a lock, ± 9 (entry_delay_ms in a game's file, for the simulated table)"}"#,
    r#"{"event":"blame","t_ms":24810.3,"kind":"dead_button","button":"left","relay":1,"count":2,"words":"relay 1 (left): nothing that was pressed on the last 2 pieces had an effect"}"#,
    r#"{"event":"paused","t_ms":28034.1,"words":"the game is paused and all relays are open"}"#,
    r#"{"event":"not_paused","t_ms":30034.1,"words":"the game could not be paused; nothing more is pressed"}"#,
    r#"{"event":"waiting","t_ms":52100.0,"words":"nothing moves: taken for a pause"}"#,
    r#"{"event":"resumed","t_ms":61000.0}"#,
    r#"{"event":"relay","t_ms":12412.6,"due_ms":12412.5,"mask":2,"reason":"planned"}"#,
    r#"{"event":"settings","level":5,"finger":"relay","filters":[],"ai":"steady","version":"0.1.0","robot":{"wire":{"us":4167,"shared":false},"lead_ms":8.0,"restart":true,"blame":"pause"}}"#,
    r#"{"event":"input","what":"time","time_us":12391200}"#,
];

/// A variant of the events, as its source tells it.
struct Variant {
    name: String,
    words: String,
    fields: Vec<(String, String, String)>,
}

/// Reads the enum's source: names, types and what the comments say.
fn variants() -> Vec<Variant> {
    let source = fs::read_to_string(root().join("src/message/event.rs")).unwrap();
    let body = source.split_once("pub enum RunEvent {").unwrap().1;
    let body = body.split_once("\n}\n").unwrap().0;
    let (mut variants, mut words): (Vec<Variant>, String) = (Vec::new(), String::new());
    for line in body.lines() {
        let depth = line.len() - line.trim_start().len();
        let line = line.trim();
        if let Some(comment) = line.strip_prefix("///") {
            words = format!("{words} {}", comment.trim()).trim().to_string();
        } else if line.starts_with("#[") {
            continue;
        } else if depth == 4 && line.starts_with(char::is_uppercase) {
            let name: String = line.chars().take_while(|c| c.is_alphanumeric()).collect();
            variants.push(Variant { name: snake(&name), words: std::mem::take(&mut words), fields: Vec::new() });
        } else if depth == 8 && line.contains(':') {
            let (name, kind) = line.trim_end_matches(',').split_once(':').unwrap();
            let field = (name.to_string(), kind.trim().to_string(), std::mem::take(&mut words));
            variants.last_mut().unwrap().fields.push(field);
        }
    }
    variants.retain(|variant| variant.name != "other");
    variants
}

fn snake(name: &str) -> String {
    let mut snake = String::new();
    for c in name.chars() {
        if c.is_uppercase() && !snake.is_empty() {
            snake.push('_');
        }
        snake.extend(c.to_lowercase());
    }
    snake
}

/// A Rust type as a reader of JSON knows it.
fn json_type(kind: &str) -> String {
    match kind.strip_prefix("Option<").and_then(|inner| inner.strip_suffix('>')) {
        Some(inner) => format!("{} or null", json_type(inner)),
        None => match kind {
            "f64" | "u64" | "u32" | "u16" | "u8" | "usize" | "i8" | "i32" | "i64" | "u128" => "number".into(),
            "bool" => "true or false".into(),
            "Piece" => "one of T J Z O S L I".into(),
            "Value" => "any".into(),
            "Score" | "Agreements" | "Agreement" | "Repeated" | "WholeGame" => "object".into(),
            "Reliability" => "list".into(),
            kind if kind.starts_with("Vec<") || kind.starts_with('[') => "list".into(),
            _ => "text".into(),
        },
    }
}

/// Examples that the program itself gave in a short run, and those that it does not give then.
fn examples() -> BTreeMap<String, String> {
    let output = Command::new(env!("CARGO_BIN_EXE_stackhand"))
        .args(["dry-run", "--pieces", "2", "--seed", "5", "--json"])
        .output()
        .unwrap();
    let said = String::from_utf8(output.stdout).unwrap();
    let name = |line: &str| serde_json::from_str::<Value>(line).unwrap()["event"].as_str().unwrap().to_string();
    let summary = said.lines().last().unwrap().to_string();
    let given = EXAMPLES.iter().map(|line| (name(line), line.to_string()));
    given.chain([("summary".to_string(), summary)]).collect()
}

fn reference() -> String {
    let examples = examples();
    let mut page = String::from(
        "# JSON lines\n\nEvery event that the program writes, for whoever reads its lines with another program.\n\n\
         `--json` writes one JSON object a line to standard output and nothing else there; recordings, truth files and test\n\
         cases hold the same lines. `event` names the event. `t_ms` counts from the run's first picture, in ms. A line of\n\
         another version may have more fields: pass over those that you do not know. Exit status: 0 if all went well, 2 for\n\
         wrong usage, 130 or 143 after Ctrl-C or SIGTERM, 1 for anything else that failed, a run in which nothing was seen or\n\
         that could not be recorded to its end included.\n\n\
         This page is made from the program's source (`DOCS_WRITE=1 cargo test --test program docs::`).\n",
    );
    for Variant { name, words, fields } in variants() {
        write!(page, "\n## {name}\n\n{words}\n").unwrap();
        let example = examples.get(&name).unwrap_or_else(|| panic!("{name} has no example"));
        // What a run's sums are is not the same everywhere.
        let example = if name == "summary" { sums(example) } else { example.clone() };
        write!(page, "\n```json\n{example}\n```\n").unwrap();
        if !fields.is_empty() {
            page += "\n| field | is | says |\n| --- | --- | --- |\n";
            for (field, kind, words) in fields {
                writeln!(page, "| `{field}` | {} | {} |", json_type(&kind), words.replace('|', "or")).unwrap();
            }
        }
    }
    page + &fields_of("summary.rs", "struct Summary", "Fields of the summary")
        + &fields_of("summary.rs", "struct WholeGame", "Fields of its `whole_game`")
        + &fields_of("summary.rs", "struct Agreements", "Fields of its `consistency`")
        + &fields_of("summary.rs", "struct Repeated", "Fields of its `repeated`")
        + &fields_of("summary.rs", "struct Score", "Fields of its `truth`")
        + &fields_of("event.rs", "struct Considered", "Fields of each of a plan's `choices`")
        + &fields_of("event.rs", "struct RunSettings", "Fields of the settings")
        + &fields_of("event.rs", "enum TapedInput", "What an input may be")
}

/// The sums with their times left out, which differ.
fn sums(line: &str) -> String {
    let mut sums: serde_json::Map<String, Value> = serde_json::from_str(line).unwrap();
    sums.retain(|name, value| !(name.ends_with("_p50") || name.ends_with("_p99")) || value.is_null());
    ["duration_ms", "console_hz", "phase_error_ms"].iter().for_each(|name| drop(sums.remove(*name)));
    serde_json::to_string(&sums).unwrap()
}

/// The fields of a struct, or of all variants of an enum, from its source.
fn fields_of(file: &str, what: &str, title: &str) -> String {
    let source = fs::read_to_string(root().join("src/message").join(file)).unwrap();
    let body = source.split_once(&format!("pub {what} {{")).unwrap().1.split_once("\n}\n").unwrap().0;
    let mut page = format!("\n### {title}\n\n| field | is | says |\n| --- | --- | --- |\n");
    let (mut words, mut is_skipped) = (String::new(), false);
    for line in body.lines().map(str::trim) {
        if let Some(comment) = line.strip_prefix("///") {
            words = format!("{words} {}", comment.trim()).trim().to_string();
        } else if line.starts_with("#[") {
            is_skipped |= line == "#[serde(skip)]";
        } else if line.starts_with(char::is_uppercase) {
            let name = snake(line.trim_end_matches([' ', '{', ',']));
            writeln!(page, "| `\"what\": \"{name}\"` | | {} |", std::mem::take(&mut words)).unwrap();
        } else if let Some((name, kind)) = line.trim_start_matches("pub ").trim_end_matches(',').split_once(": ") {
            let words = std::mem::take(&mut words);
            if !std::mem::take(&mut is_skipped) {
                writeln!(page, "| `{name}` | {} | {words} |", json_type(kind)).unwrap();
            }
        }
    }
    page
}

#[test]
fn the_reference_of_the_json_lines_is_that_of_the_source() {
    for example in EXAMPLES {
        let event = RunEvent::from_line(example);
        assert_ne!(event, RunEvent::Other, "{example}");
        let again = serde_json::to_value(&event).unwrap();
        assert_eq!(again, serde_json::from_str::<Value>(example).unwrap(), "{example}");
    }
    let (path, made) = (root().join("docs/json.md"), reference());
    if std::env::var_os("DOCS_WRITE").is_some() {
        fs::write(&path, &made).unwrap();
    }
    let kept = fs::read_to_string(&path).unwrap_or_default();
    assert!(
        kept == made,
        "docs/json.md is not of this source; write it with DOCS_WRITE=1 cargo test --test program docs::"
    );
}
