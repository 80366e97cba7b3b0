//! `bot` and `versus` as a person or another program starts them.

#![allow(clippy::unwrap_used)]

use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Output, Stdio};

const STACKHAND: &str = env!("CARGO_BIN_EXE_stackhand");

/// A bot that is talked to.
struct Bot {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
}

impl Bot {
    fn start(arguments: &[&str]) -> Self {
        let mut command = Command::new(STACKHAND);
        let command = command.arg("bot").args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.stderr(Stdio::piped()).spawn().unwrap();
        let (input, output) = (child.stdin.take().unwrap(), BufReader::new(child.stdout.take().unwrap()));
        Self { child, input, output }
    }

    fn tell(&mut self, line: impl std::fmt::Display) {
        writeln!(self.input, "{line}").unwrap();
    }

    fn hear(&mut self) -> Value {
        let mut line = String::new();
        self.output.read_line(&mut line).unwrap();
        serde_json::from_str(&line).unwrap_or_else(|error| panic!("{error}: {line:?}"))
    }

    fn ended(mut self) -> Output {
        drop(self.input);
        let mut rest = String::new();
        std::io::Read::read_to_string(&mut self.output, &mut rest).unwrap();
        assert_eq!(rest, "");
        self.child.wait_with_output().unwrap()
    }
}

fn start(queue: &str) -> Value {
    let queue: Vec<String> = queue.chars().map(String::from).collect();
    let row = vec![Value::Null; 10];
    json!({"type": "start", "hold": null, "queue": queue, "combo": 0, "back_to_back": false, "board": vec![row; 40],
        "randomizer": {"type": "seven_bag", "bag_state": ["S"]}})
}

#[test]
fn a_front_end_is_answered_line_by_line_and_told_what_it_does_wrong() {
    let mut bot = Bot::start(&["--nodes", "2000"]);
    let info = bot.hear();
    assert!(info["type"] == "info" && info["name"] == "stackhand", "{info}");
    // Rules that it does not know are no error by the specification, and none is left without an answer.
    for rules in [
        json!({"type": "rules"}),
        json!({"type": "rules", "randomizer": "new"}),
        json!({"type": "rules", "randomizer": 7}),
    ] {
        bot.tell(rules);
        assert_eq!(bot.hear(), json!({"type": "ready"}));
    }
    // By these rules nobody knows of a bag.
    bot.tell(start("TOILJZ"));
    bot.tell(json!({"type": "suggest"}));
    assert!(!bot.hear()["moves"].as_array().unwrap().is_empty());
    bot.tell(json!({"type": "rules", "randomizer": "seven_bag"}));
    assert_eq!(bot.hear(), json!({"type": "ready"}));
    bot.tell("this is no JSON");
    bot.tell("");
    bot.tell(json!({"type": "from_the_future"}));
    let mut first = Vec::new();
    for _ in 0..2 {
        bot.tell(start("TOILJZ"));
        bot.tell(json!({"type": "suggest"}));
        let suggestion = bot.hear();
        assert!(suggestion["type"] == "suggestion", "{suggestion}");
        first.push(suggestion["moves"][0].clone());
        bot.tell(json!({"type": "play", "move": suggestion["moves"][0]}));
        bot.tell(json!({"type": "new_piece", "piece": "S"}));
        bot.tell(json!({"type": "suggest"}));
        assert!(!bot.hear()["moves"].as_array().unwrap().is_empty());
        bot.tell(json!({"type": "stop"}));
    }
    // So many piles, the same moves.
    assert_eq!(first[0], first[1]);
    bot.tell(json!({"type": "quit"}));
    let output = bot.ended();
    let told = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{told}");
    let told: Vec<&str> = told.lines().collect();
    assert!(told.len() == 2 && told[0].contains("send the same randomizer in both messages"), "{told:?}");
    assert!(told[1].contains("send one JSON object a line: this is no JSON"), "{told:?}");
}

#[test]
fn a_front_end_that_goes_away_ends_it() {
    let mut bot = Bot::start(&[]);
    bot.hear();
    bot.tell(start("TOILJZ"));
    assert!(bot.ended().status.success());
}

fn versus(arguments: &[&str]) -> (Vec<Value>, String, bool) {
    let output = Command::new(STACKHAND).arg("versus").args(arguments).arg("--json").stdin(Stdio::null()).output();
    let output = output.unwrap();
    let lines = String::from_utf8(output.stdout).unwrap();
    let lines = lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    (lines, String::from_utf8_lossy(&output.stderr).into_owned(), output.status.success())
}

#[test]
fn who_rates_more_piles_wins_and_the_same_games_are_played_again() {
    let (strong, weak) = (format!("{STACKHAND} bot --nodes 600"), format!("{STACKHAND} bot --nodes 20"));
    let typed = [&*strong, &weak, "--games", "4", "--move-ms", "0", "--late-ms", "5000", "--seed", "3"];
    let (lines, told, is_well) = versus(&typed);
    assert!(is_well, "{told}");
    let sums = &lines[4];
    assert!(lines.len() == 5 && sums["event"] == "match" && sums["games"] == 4, "{sums}");
    assert!(sums["won"][0].as_u64() > sums["won"][1].as_u64(), "{sums}");
    assert!(sums["illegal"] == json!([0, 0]) && sums["refused"] == json!([0, 0]) && sums["respun"] == json!([0, 0]));
    let winners = lines[..4].iter().filter(|game| game["winner"] == 1).count() as u64;
    assert_eq!(sums["won"][0], winners);
    assert_eq!(versus(&typed).0[..4], lines[..4]);
}

/// A bot in a few lines of shell: it says the same whatever it is asked.
#[cfg(unix)]
fn stubborn(folder: &std::path::Path, name: &str, suggestion: &str) -> String {
    let path = folder.join(name);
    let script = format!(
        "echo '{{\"type\":\"info\",\"name\":\"{name}\",\"version\":\"1\",\"author\":\"a\",\"features\":[]}}'\n\
         while read -r line; do case \"$line\" in\n\
         *rules*) echo '{{\"type\":\"ready\"}}';;\n\
         *suggest*) {suggestion};;\n*quit*) exit;;\nesac; done\n"
    );
    std::fs::write(&path, script).unwrap();
    format!("sh {}", path.display())
}

#[cfg(unix)]
#[test]
fn who_cannot_play_what_it_says_or_says_nothing_has_lost_and_that_is_told() {
    let folder = tempfile::TempDir::new().unwrap();
    let own = format!("{STACKHAND} bot --nodes 50");
    let floating = r#"{"location":{"type":"T","orientation":"north","x":4,"y":9},"spin":"none"}"#;
    let illegal = format!(r#"echo '{{"type":"suggestion","moves":[{floating}]}}'"#);
    for (name, suggestion, loss, said) in
        [("cheat", &*illegal, "illegal", "nothing that can be played"), ("mute", "true", "late", "answered too late")]
    {
        let other = stubborn(folder.path(), name, suggestion);
        let (lines, told, is_well) = versus(&[&own, &other, "--games", "2", "--move-ms", "0", "--late-ms", "1500"]);
        assert!(is_well, "{told}");
        for game in &lines[..2] {
            assert!(game["winner"] == 1 && game["loss"] == json!([null, loss]), "{name}: {game}");
        }
        assert_eq!(told.matches(said).count(), 2, "{told}");
    }
    let (_, told, is_well) = versus(&["/no/such/program"]);
    assert!(!is_well && told.contains("/no/such/program does not start; check its name"), "{told}");
    let (_, told, is_well) = versus(&["true"]);
    assert!(!is_well && told.contains("true has ended"), "{told}");
}
