//! Standard output that is closed, full, or a terminal of any size.

#![cfg(unix)]
#![allow(clippy::unwrap_used, clippy::expect_used)]

use stackhand::edge::session::SessionReader;
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

/// A terminal as far as this program uses one: lines that have scrolled away, and those on the screen.
struct Terminal {
    columns: usize,
    rows: usize,
    lines: Vec<Vec<char>>,
    /// Line, counted from the first that ever was, and column.
    cursor: [usize; 2],
}

impl Terminal {
    fn shown(columns: usize, rows: usize, text: &str) -> String {
        let mut terminal = Self { columns, rows, lines: vec![Vec::new()], cursor: [0, 0] };
        let mut chars = text.chars();
        while let Some(c) = chars.next() {
            match c {
                '\r' => terminal.cursor[1] = 0,
                '\n' => terminal.go_down(),
                '\x1b' => {
                    let code: String = chars.by_ref().skip(1).take_while_inclusive(|c| !c.is_ascii_alphabetic());
                    terminal.obey(&code);
                }
                c => terminal.put(c),
            }
        }
        terminal.lines.iter().map(|line| line.iter().collect::<String>() + "\n").collect()
    }

    fn go_down(&mut self) {
        self.cursor[0] += 1;
        if self.lines.len() == self.cursor[0] {
            self.lines.push(Vec::new());
        }
    }

    fn put(&mut self, c: char) {
        if self.cursor[1] == self.columns {
            self.cursor[1] = 0;
            self.go_down();
        }
        let line = &mut self.lines[self.cursor[0]];
        if line.len() <= self.cursor[1] {
            line.resize(self.cursor[1] + 1, ' ');
        }
        line[self.cursor[1]] = c;
        self.cursor[1] += 1;
    }

    fn obey(&mut self, code: &str) {
        let number = code[..code.len() - 1].parse().unwrap_or(1);
        match code.chars().last() {
            // Not above the screen: what has scrolled away is out of reach.
            Some('A') => {
                let top = self.lines.len().saturating_sub(self.rows);
                self.cursor[0] = self.cursor[0].saturating_sub(number).max(top);
            }
            Some('B') => (0..number).for_each(|_| self.go_down()),
            Some('K') => self.lines[self.cursor[0]].truncate(self.cursor[1]),
            Some('J') => {
                self.lines[self.cursor[0]].truncate(self.cursor[1]);
                // The screen keeps its lines, empty.
                let below = self.cursor[0] + 1;
                self.lines[below..].iter_mut().for_each(Vec::clear);
            }
            Some('m') => {}
            other => panic!("the terminal was told {other:?}"),
        }
    }
}

trait TakeWhileInclusive: Iterator<Item = char> + Sized {
    /// Up to the first that is not so, and that one.
    fn take_while_inclusive(self, is_so: impl Fn(&char) -> bool) -> String {
        let mut taken = String::new();
        for c in self {
            taken.push(c);
            if !is_so(&c) {
                break;
            }
        }
        taken
    }
}

impl<T: Iterator<Item = char>> TakeWhileInclusive for T {}

#[cfg(target_os = "linux")]
#[test]
fn messages_can_be_read_while_the_board_is_drawn_in_a_terminal_of_any_size() {
    let play = |(columns, rows): (usize, usize)| {
        // A piece falls for two seconds: where the field is found late, the next ones are seen all the same.
        let output = in_a_terminal((columns, rows), UNICODE, "-v dry-run --realtime --level 9 --seconds 8");
        (columns, rows, output)
    };
    // Two at once, for each looks for its field first, as hard as the processor allows.
    let play_both = |sizes: [(usize, usize); 2]| {
        let runs = std::thread::scope(|scope| {
            sizes.map(|size| scope.spawn(move || play(size))).map(|run| run.join().unwrap())
        });
        runs.into_iter()
    };
    let sizes = [[(80, 24), (100, 50)], [(80, 20), (20, 24)], [(40, 10), (12, 3)]];
    for (columns, rows, output) in sizes.into_iter().flat_map(play_both) {
        let Ok(output) = output else { return crate::skip::skipped("the board in a terminal", &["script"]) };
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        let shown = Terminal::shown(columns, rows, &text);
        let at = format!("{columns} x {rows}:\n{shown}");
        // The board stands there once, at the end, or not at all: no copy of it was left behind, none was scrolled away.
        let boards = [20, 10].map(|width| shown.matches(&format!("+{}+", "-".repeat(width))).count());
        let is_full = rows >= 22 && columns >= 25;
        let is_compact = !is_full && rows >= 12 && columns >= 15;
        assert_eq!(boards, [is_full, is_compact].map(usize::from), "{at}");
        assert_eq!(shown.contains(['█', '▀', '▄']), is_compact, "{at}");
        // Every message stands above it from its first word to its last. In the log they have colours, beside the board
        // they have none.
        let above: String =
            shown.lines().filter(|line| !line.starts_with("  |")).flat_map(str::split_whitespace).collect();
        let messages: Vec<&str> = text.split("DEBUG\x1b[0m ").skip(1).filter_map(|rest| rest.lines().next()).collect();
        assert!(!messages.is_empty(), "{at}");
        for message in messages {
            let mut words: String = Terminal::shown(usize::MAX, 1, message);
            words.retain(|c| !c.is_whitespace());
            assert!(above.contains(&words), "{at}{words}");
        }
        assert!(above.contains("pieces,") || columns < 25, "{at}");
    }
}

/// The environment of a terminal with all characters and colours; of one with ASCII alone; of one that only takes lines.
const UNICODE: &str = "LC_ALL=C.UTF-8 TERM=xterm NO_COLOR=";
const ASCII: &str = "LC_ALL=C TERM=xterm NO_COLOR=1";
const DUMB: &str = "LC_ALL=C.UTF-8 TERM=dumb NO_COLOR=";

/// Runs the program in a terminal of this size, which both outputs go to; an error where none can be had.
#[cfg(target_os = "linux")]
fn in_a_terminal((columns, rows): (usize, usize), environment: &str, args: &str) -> std::io::Result<Output> {
    let program = env!("CARGO_BIN_EXE_stackhand");
    let line = format!("stty rows {rows} cols {columns}; {environment} exec {program} {args}");
    let mut script = Command::new("script");
    script.args(["-qec", &line, "/dev/null"]).env("SHELL", "/bin/sh").stdin(Stdio::null()).output()
}

#[cfg(target_os = "linux")]
#[test]
fn a_terminal_is_sent_only_what_it_can_show() {
    let play = |environment| in_a_terminal((80, 20), environment, "dry-run --realtime --seconds 3");
    let (Ok(ascii), Ok(dumb)) = (play(ASCII), play(DUMB)) else {
        return crate::skip::skipped("a terminal with fewer characters", &["script"]);
    };
    let text = String::from_utf8_lossy(&ascii.stdout);
    assert!(text.is_ascii(), "{text}");
    assert!(!text.contains("m#") && !text.contains("\x1b[0m"), "colours were refused: {text}");
    let shown = Terminal::shown(80, 20, &text);
    assert!(shown.contains("  +----------+\n") && shown.contains(['#', '^', '_']), "{shown}");
    let text = String::from_utf8_lossy(&dumb.stdout);
    assert!(!text.contains('\x1b'), "{text}");
    assert!(text.starts_with("Looking for the field") && text.contains("Played"), "{text}");
}

#[cfg(target_os = "linux")]
#[test]
fn who_waits_is_told_how_far_it_is_and_nothing_of_it_stays() {
    let folder = TempDir::new().unwrap();
    let session = folder.path().join("run.shs");
    let session = session.to_str().unwrap();
    let record = format!("dry-run --pieces 4 --record {session}");
    let rows: [(&str, &[&str]); 6] = [
        (&record, &["Looking for the field", " pieces, 0 misplaced", " lines"]),
        (&format!("replay {session}"), &["Running the recorded robot again", " pictures, "]),
        (&format!("replay {session} --auto"), &["Looking for the field", "Reading the recording", " pictures, "]),
        ("benchmark --hard 0 --clips 2 --seconds 2", &["Filming the first clip", "1 of 2 clips"]),
        ("doctor --no-probe --timing 3", &["Looking at permissions and cameras", "Timing: ", " commands; Ctrl-C ends"]),
        ("calibrate --source sim --layout nes --no-ui --profile /nowhere/x.toml", &[]),
    ];
    for (args, words) in rows {
        let Ok(output) = in_a_terminal((100, 30), UNICODE, args) else {
            return crate::skip::skipped("what is said of work under way", &["script"]);
        };
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        let lacks: Vec<_> = words.iter().filter(|word| !text.contains(**word)).collect();
        assert!(lacks.is_empty(), "{args}: {lacks:?} in {text}");
        let stays = Terminal::shown(100, 30, &text);
        assert!(!stays.contains("Ctrl-C ends") && !stays.contains("pictures,  "), "{args}: {stays}");
    }
}
