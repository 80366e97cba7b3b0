//! Real games that nobody here wrote, played on a virtual display: by `screen:` and `keys:`, without a camera or a board.

#![allow(clippy::unwrap_used, clippy::panic)] // helpers outside #[test] functions are test code too

use crate::desk::Desk;
use crate::eventually::eventually;
use crate::skip::skipped;
use serde_json::Value;
use stackhand::time::{Clock, SystemClock};
use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::sync::{Arc, Mutex};

const ENTER: u32 = 0xFF0D;
const UP: u32 = 0xFF52;
const RIGHT: u32 = 0xFF53;
const DOWN: u32 = 0xFF54;
/// Three times what the longest of these games takes: one in which no piece comes any more ends, and is judged, too.
const WITHIN: [&str; 2] = ["--seconds", "200"];
const STACKHAND: &str = env!("CARGO_BIN_EXE_stackhand");

fn pause(ms: f64) {
    let clock = SystemClock::new();
    clock.sleep_until(clock.now().plus_ms(ms));
}

/// A program that runs, and what it has said.
struct Running {
    child: Child,
    said: Arc<Mutex<String>>,
    reader: std::thread::JoinHandle<()>,
}

impl Running {
    fn start(mut command: Command) -> Self {
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let said = Arc::new(Mutex::new(String::new()));
        let (errors, place) = (BufReader::new(child.stderr.take().unwrap()), said.clone());
        let reader = std::thread::spawn(move || {
            errors.lines().map_while(Result::ok).for_each(|line| *place.lock().unwrap() += &format!("{line}\n"));
        });
        Self { child, said, reader }
    }

    fn has_said(&self, words: &str) -> bool {
        self.said.lock().unwrap().contains(words)
    }

    /// Its last line on standard output, and all of standard error.
    fn end(self) -> (Value, String) {
        let (mut lines, said) = self.lines();
        (lines.pop().unwrap(), said)
    }

    /// All lines of both.
    fn lines(mut self) -> (Vec<Value>, String) {
        let mut out = String::new();
        self.child.stdout.take().unwrap().read_to_string(&mut out).unwrap();
        self.child.wait().unwrap();
        self.reader.join().unwrap();
        let said = self.said.lock().unwrap().clone();
        let lines: Vec<Value> = out.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        assert!(!lines.is_empty(), "nothing was said: {said}");
        (lines, said)
    }
}

fn ran(mut command: Command) -> Output {
    command.stdout(Stdio::piped()).stderr(Stdio::piped()).output().unwrap()
}

/// How a game is opened.
#[derive(Clone, Copy)]
enum Opened {
    /// In a terminal, with these options.
    InTerminal(&'static [&'static str]),
    /// By its program of the Python package index with these options, in a terminal that knows all letters.
    FromPython(&'static str, &'static [&'static str]),
    /// It has a window of its own.
    InWindow,
}

/// A real game.
struct Game {
    /// Its program and its layout.
    name: &'static str,
    /// What its window is called.
    title: &'static str,
    /// How it is opened.
    opened: Opened,
    /// What is pressed at the keyboard until a game begins.
    begins: &'static [u32],
    /// Where its field is, for one that is not found by itself.
    corners: &'static [&'static str],
    /// The level at which it begins.
    level: &'static str,
}

const VITETRIS: Game = Game {
    name: "vitetris",
    title: "vitetris",
    opened: Opened::InTerminal(&["-nomenu", "-level", "0"]),
    begins: &[ENTER],
    corners: &[],
    level: "0",
};
const TINT: Game = Game {
    name: "tint",
    title: "tint",
    opened: Opened::InTerminal(&["-n", "-l", "1"]),
    begins: &[],
    corners: &["--corners", "348,48", "588,48", "588,528", "348,528"],
    level: "1",
};
/// A window of its own, with blocks, bevels, pictures behind the field and a shadow that pulses. Its menu begins a game of
/// the kind that was played last, at first a demonstration: the fifth line of its second page says which.
const LTRIS: Game = Game {
    name: "ltris",
    title: "LTris",
    opened: Opened::InWindow,
    begins: &[DOWN, ENTER, DOWN, DOWN, DOWN, DOWN, DOWN, RIGHT, UP, UP, UP, UP, ENTER],
    corners: &[],
    level: "0",
};

/// Hold, kicks, a ghost, and pieces that come from above the field. The first line of its menu is a game of 150 lines.
const MODERN: Game = Game {
    name: "tetris-terminal",
    title: "modern",
    opened: Opened::FromPython("tetris", &["--disable-config"]),
    begins: &[ENTER],
    corners: &[],
    level: "1",
};
/// Another by the same rules and not by the same looks: dots in empty cells, a ghost of half-lit letters, pieces that appear in the
/// field, the next piece as soon as one has locked, and rows that are gone at once. It begins without a key.
const MODERN_DOTTED: Game = Game {
    name: "tetris-tui",
    title: "dotted",
    opened: Opened::FromPython("terminal-tetris", &["--no-records"]),
    begins: &[],
    corners: &[],
    level: "1",
};

/// Where `make system-test` puts a program of the Python package index.
fn python_program(name: &str) -> PathBuf {
    let target = Path::new(STACKHAND).ancestors().nth(2).unwrap();
    target.join("modern/bin").join(name)
}

/// The game, a terminal beside it, and a profile that was made by looking.
fn started(game: &Game, what: &str) -> Option<(Desk, tempfile::TempDir, String)> {
    let Game { name, title, opened, begins, corners, .. } = *game;
    let needs = match opened {
        Opened::FromPython(program, _) if !python_program(program).is_file() => {
            skipped(what, &[name]);
            return None;
        }
        Opened::FromPython(..) => vec!["xterm"],
        Opened::InTerminal(_) | Opened::InWindow => vec!["xterm", name],
    };
    let mut desk = Desk::start(what, "1200x620x24", &needs)?;
    desk.terminal("other", "10x5+1000+400", &["cat"]);
    match opened {
        Opened::InTerminal(options) => {
            let program = crate::desk::program(name).unwrap();
            desk.terminal(title, "80x25+0+0", &[&[program.to_str().unwrap()], options].concat());
        }
        Opened::FromPython(program, options) => {
            let program = python_program(program);
            desk.unicode_terminal(title, "60x30+0+0", &[&[program.to_str().unwrap()], options].concat());
        }
        Opened::InWindow => desk.open(name),
    }
    eventually("both windows are there", || desk.window(title).is_some() && desk.window("other").is_some());
    pause(1000.0);
    desk.focus(title);
    for key in begins {
        desk.key(*key, true);
        pause(50.0);
        desk.key(*key, false);
        pause(450.0);
    }
    pause(500.0);
    let folder = tempfile::tempdir().unwrap();
    let profile = folder.path().join("profile.toml").to_str().unwrap().to_string();
    let mut command = desk.command(STACKHAND);
    command.args(["calibrate", "--no-ui", "--source", &format!("screen:{title}"), "--layout", name]).args(corners);
    command.args(["--relay", &format!("keys:{title}"), "--profile", &profile]);
    let output = ran(command);
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{said}");
    Some((desk, folder, profile))
}

/// A game goes on while a busy computer does not: what was played too badly is played once more, and that is said.
fn twice(mut play: impl FnMut() -> Result<(), String>) {
    let Err(first) = play() else { return };
    eprintln!("played badly, and once more: {first}");
    play().unwrap_or_else(|second| panic!("{first}\n{second}"));
}

/// Not beside all other tests: where these keep the computer busy, it sees every third picture only, and plays worse than it can.
#[test]
#[ignore = "needs a quiet computer; `make test` runs it after all others: cargo test --test program -- --ignored"]
fn vitetris_is_played_on_this_computer_and_only_in_its_own_window() {
    twice(|| {
        let Some((desk, _folder, profile)) = started(&VITETRIS, "a real game on this computer's screen") else {
            return Ok(());
        };
        let text = std::fs::read_to_string(&profile).unwrap();
        assert!(text.contains("relay = \"keys:vitetris?a=space\""), "{text}");
        let mut command = desk.command(STACKHAND);
        // Of 60 pieces 24 rows at most can be made; the usual brain, which is for fast games, makes 20 of them on average.
        command.args(["play", "--profile", &profile, "--pieces", "60", "--json", "--ai", "dellacherie"]);
        command.args(WITHIN);
        let run = Running::start(command);
        pause(8000.0);
        // Somebody works in another window for a while.
        desk.focus("other");
        eventually("it is said why nothing is pressed", || run.has_said("has not the focus"));
        pause(300.0);
        assert!(!desk.has_key_down());
        desk.focus("vitetris");
        pause(3000.0);
        // A screen lock that leaves the screen to be seen.
        desk.grab_keys(true);
        eventually("it is said why nothing is pressed", || run.has_said("takes every key"));
        pause(300.0);
        assert!(!desk.has_key_down());
        desk.grab_keys(false);
        let (summary, said) = run.end();
        assert!(said.contains("is back"), "{said}");
        // Nothing has to be released by hand: everything was, and it was known.
        assert!(!said.contains("MAY STILL BE CLOSED") && !said.contains("by hand"), "{said}");
        assert!(!desk.has_key_down());
        let number = |key: &str| summary[key].as_u64().unwrap_or_else(|| panic!("no {key}: {summary}\n{said}"));
        match number("pieces") == 60 && number("misplaced") <= 1 && number("lines") >= 20 {
            true => {
                let text = std::fs::read_to_string(&profile).unwrap();
                assert!(text.contains("[game_times.entry_delay]"), "what was measured is not kept: {text}\n{said}");
                Ok(())
            }
            false => Err(format!("{summary}\n{said}")),
        }
    });
}

/// One key at a time, pieces that turn one way only, and nothing that falls while a key is pressed.
#[test]
fn tint_is_played_on_this_computer() {
    by_keys(&TINT);
}

/// Pieces that slide pixel by pixel, and that nothing but the drop key brings down.
#[test]
fn ltris_is_played_on_this_computer() {
    by_keys(&LTRIS);
}

/// Not beside all other tests, as vitetris.
#[test]
#[ignore = "needs a quiet computer; `make test` runs it after all others: cargo test --test program -- --ignored"]
fn a_modern_game_is_played_with_its_hold_on_this_computer() {
    with_its_hold(&MODERN);
}

/// The same.
#[test]
#[ignore = "needs a quiet computer; `make test` runs it after all others: cargo test --test program -- --ignored"]
fn a_modern_game_of_other_looks_is_played_with_its_hold_on_this_computer() {
    with_its_hold(&MODERN_DOTTED);
}

fn with_its_hold(game: &Game) {
    twice(|| {
        let Some((desk, _folder, profile)) = started(game, &format!("{} on this computer's screen", game.name)) else {
            return Ok(());
        };
        let mut command = desk.command(STACKHAND);
        command.args(["play", "--profile", &profile, "--level", game.level, "--pieces", "100", "--json"]).args(WITHIN);
        let (lines, said) = Running::start(command).lines();
        assert!(!desk.has_key_down());
        let summary = lines.last().unwrap();
        let number = |key: &str| summary[key].as_u64().unwrap_or_else(|| panic!("no {key}: {summary}\n{said}"));
        let holds = lines.iter().filter(|line| line["by_hold"] == true).count();
        match number("pieces") == 100 && number("misplaced") <= 1 && number("lines") >= 30 && holds >= 5 {
            true => Ok(()),
            false => Err(format!("{holds} pieces were put aside, {summary}\n{said}")),
        }
    });
}

fn by_keys(game: &Game) {
    twice(|| {
        let Some((desk, _folder, profile)) = started(game, &format!("{} on this computer's screen", game.name)) else {
            return Ok(());
        };
        let mut command = desk.command(STACKHAND);
        command.args(["play", "--profile", &profile, "--level", game.level, "--pieces", "40", "--json"]);
        command.args(WITHIN);
        let (summary, said) = Running::start(command).end();
        assert!(!desk.has_key_down());
        let number = |key: &str| summary[key].as_u64().unwrap_or_else(|| panic!("no {key}: {summary}\n{said}"));
        match number("pieces") == 40 && number("misplaced") <= 1 && number("lines") >= 10 {
            true => Ok(()),
            false => Err(format!("{summary}\n{said}")),
        }
    });
}

/// By an ADR2200's protocol on a pseudo-terminal, with the true bytes and their times.
#[test]
fn vitetris_is_played_by_a_relay_boards_protocol() {
    by_a_relay_boards_protocol(&VITETRIS, &[]);
}

/// The same, by the keys that its layout names.
#[test]
fn tint_is_played_by_a_relay_boards_protocol() {
    by_a_relay_boards_protocol(&TINT, &["--keys", "l,j,Down,k,p,Escape,z,space"]);
}

/// Not beside all other tests: LTris waits for nobody, and a board that is a program stands still on a busy computer.
#[test]
#[ignore = "needs a quiet computer; `make test` runs it after all others: cargo test --test program -- --ignored"]
fn ltris_is_played_by_a_relay_boards_protocol() {
    by_a_relay_boards_protocol(&LTRIS, &["--keys", "Right,Left,Down,Up,p,Escape,Next,End"]);
}

fn by_a_relay_boards_protocol(game: &Game, keys: &[&str]) {
    let has_library = Command::new("ldconfig")
        .arg("-p")
        .output()
        .is_ok_and(|output| String::from_utf8_lossy(&output.stdout).contains("libXtst.so"));
    if !has_library || crate::desk::program("python3").is_none() {
        return skipped("a real game by a relay board's protocol", &["python3", "the library libXtst"]);
    }
    twice(|| {
        let Some((desk, folder, profile)) = started(game, "a real game by a relay board's protocol") else {
            return Ok(());
        };
        let link = folder.path().join("relays");
        let mut bridge = desk.command("python3");
        bridge.arg(concat!(env!("CARGO_MANIFEST_DIR"), "/contrib/adr2200-keys.py")).arg("--link").arg(&link).args(keys);
        let mut bridge = bridge.spawn().unwrap();
        eventually("the board is there", || link.exists());
        let mut command = desk.command(STACKHAND);
        command.args(["play", "--profile", &profile, "--level", game.level, "--pieces", "40", "--json"]);
        command.args(WITHIN).arg("--relay").arg(format!("adr2200:{}", link.display()));
        let (summary, said) = Running::start(command).end();
        eventually("every key is up", || !desk.has_key_down());
        let _ = bridge.kill().and_then(|()| bridge.wait());
        let number = |key: &str| summary[key].as_u64().unwrap_or_else(|| panic!("no {key}: {summary}\n{said}"));
        match number("pieces") == 40 && number("misplaced") <= 1 {
            true => Ok(()),
            false => Err(format!("{summary}\n{said}")),
        }
    });
}

/// A terminal in which keys are pressed one after the other, and one is down; `None`, and said, where there is no display.
fn clicking() -> Option<(Desk, Running)> {
    let mut desk = Desk::start("keys of this computer", "400x300x24", &["xterm"])?;
    desk.terminal("game", "10x5+0+0", &["cat"]);
    eventually("the terminal is there", || desk.window("game").is_some());
    desk.focus("game");
    let mut command = desk.command(STACKHAND);
    command.args(["doctor", "--relay", "keys:game", "--click"]);
    let run = Running::start(command);
    eventually("a key is down", || desk.has_key_down());
    Some((desk, run))
}

#[test]
fn keys_are_released_when_the_program_is_killed() {
    let Some((desk, mut run)) = clicking() else { return };
    run.child.kill().unwrap();
    run.child.wait().unwrap();
    eventually("it is up again", || !desk.has_key_down());
}

#[test]
fn no_key_is_pressed_while_another_program_takes_all_of_them() {
    let Some((desk, run)) = clicking() else { return };
    desk.grab_keys(true);
    eventually("all are up", || !desk.has_key_down());
    for _ in 0..10 {
        pause(100.0);
        assert!(!desk.has_key_down(), "a key was pressed that went elsewhere");
    }
    let Running { mut child, said, reader } = run;
    let mut out = String::new();
    child.stdout.take().unwrap().read_to_string(&mut out).unwrap();
    child.wait().unwrap();
    reader.join().unwrap();
    out += &said.lock().unwrap();
    assert!(out.contains("another program takes every key"), "{out}");
}

#[test]
fn keys_and_windows_that_are_not_there_are_named_with_a_remedy() {
    let Some(mut desk) = Desk::start("keys of this computer", "400x300x24", &["xterm"]) else { return };
    desk.terminal("game", "10x5+0+0", &["cat"]);
    desk.terminal("game two", "10x5+200+0", &["cat"]);
    eventually("both are there", || desk.window("game").is_some() && desk.window("game two").is_some());
    let said = |words: &[&str], display: Option<&str>| {
        let mut command = desk.command(STACKHAND);
        display.map(|name| command.env("DISPLAY", name));
        command.args(words);
        let output = ran(command);
        assert!(!output.status.success());
        [output.stdout, output.stderr].map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).concat()
    };
    let folder = tempfile::tempdir().unwrap();
    let profile = folder.path().join("profile.toml").to_str().unwrap().to_string();
    let calibrate =
        |source| ["calibrate", "--no-ui", "--profile", &profile, "--layout", "vitetris", "--source", source];
    let doctor = |relay| ["doctor", "--relay", relay];
    for (text, words) in [
        (said(&doctor("keys:chess"), None), ["no window has \"chess\"", "game two", "open the game first"]),
        (said(&doctor("keys:two?a=Ä"), None), ["no key \"Ä\"", "f1 to f12", ""]),
        (said(&doctor("keys:game tw"), Some(":4711")), ["no X display", ":4711", "DISPLAY=:0"]),
        (said(&doctor("keys:gam"), None), ["more than one window", "game, game two", "give more of the title"]),
        (said(&calibrate("screen:chess"), None), ["no window has \"chess\"", "game two", "open the game first"]),
        (said(&calibrate("screen:game"), Some("")), ["no X display", "DISPLAY is", "ffmpeg:ARGS"]),
    ] {
        words.iter().for_each(|words| assert!(text.contains(words), "{words}: {text}"));
    }
}
