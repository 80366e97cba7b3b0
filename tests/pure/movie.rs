//! Movies: read, written, played; from a run of the robot to the console and back; broken and foreign ones.

#![allow(clippy::unwrap_used, clippy::expect_used)]

use assert_cmd::Command as Program;
use proptest::prelude::*;
use serde_json::Value;
use stackhand::game::Buttons;
use stackhand::game::nes::console::Screen;
use stackhand::game::nes::movie::{Command, Movie, MovieError, MovieFrame};
use stackhand::game::nes::{Choice, Console, Event, GameType, KillScreen, Phase, Players, Region, Setup};
use std::fs;
use std::path::Path;
use tempfile::TempDir;

const HEAD: &str = "version 3\nemuVersion 20605\npalFlag 0\nfourscore 0\nport0 1\nport1 0\nport2 0\n";

fn movie(log: &str) -> Result<Movie, MovieError> {
    Movie::parse(format!("{HEAD}{log}").as_bytes())
}

#[test]
fn buttons_stand_in_the_order_of_the_format() {
    let log = "|0|R.......|||\n|0|.L......|||\n|0|..D.....|||\n|0|...U....|||\n|0|....T...|||\n|0|.....S..|||\n|0|......B.|||\n|0|.......A|||\n|0|x  . ..*|||\n";
    let frames = movie(log).unwrap().frames;
    let held: Vec<u8> = frames.iter().map(|f| f.held.0).collect();
    assert_eq!(held, [1, 2, 4, 8, 16, 32, 64, 128, 129]);
}

#[test]
fn what_does_not_matter_is_skipped() {
    let odd = format!(
        "\u{feff}version 3\r\n\r\nrerecordCount 17\r\nromChecksum base64:xyz==\r\ncomment author Jørgen | 5\r\nsubtitle 30 hello\r\nNewPPU 1\r\nlength 2\r\npalFlag 1\r\nport0 1\r\nport1 1\r\n{}",
        "|1|........|........||\r\n|2|....T...||RLDUTSBA||\r\n"
    );
    let movie = Movie::parse(odd.as_bytes()).unwrap();
    assert_eq!(movie.setup.region, Region::Pal);
    let commands: Vec<_> = movie.frames.iter().map(|f| (f.command, f.held)).collect();
    assert_eq!(commands, [(Command::Reset, Buttons::NONE), (Command::Power, Buttons::START)]);
    // Not every subtitle is in our encoding.
    assert!(Movie::parse(b"version 3\nsubtitle 1 \xE9\xFF\n|0|........|||\n").is_ok());
}

#[test]
fn broken_and_foreign_movies_are_refused_with_their_line_and_a_remedy() {
    for (text, words) in [
        ("", "no line \"version 3\""),
        ("version 2\n|0|........|||\n", "line 1: this is version \"2\""),
        ("|0|........|||\n", "line 1 is no header"),
        ("version 3\nbinary 1\n|", "line 2: the movie's frames are in binary"),
        ("version 3\nsavestate 0x12ab\n", "line 2: the movie starts from a saved state"),
        ("version 3\nfourscore 1\n", "line 2: a four-pad adapter"),
        ("version 3\nport0 2\n", "line 2: another device in port 0"),
        ("version 3\nport2 1\n", "line 2: a device in the expansion port"),
        ("version 3\nFDS 1\n", "line 2: a disk game"),
        ("version 3\npalFlag maybe\n", "line 2: palFlag cannot be \"maybe\""),
        ("version 3\nport0 1\n", "the movie has no frame"),
        ("version 3\n|0|.......|||\n", "line 2 is no frame: the first pad must have eight letters"),
        ("version 3\n|0|.........|||\n", "line 2 is no frame"),
        ("version 3\n|0|........|||\n|0|....", "line 3 is no frame: it ends too early"),
        ("version 3\n|x|........|||\n", "line 2 is no frame: the command is no number"),
        ("version 3\n|4|........|||\n", "line 2: command 4 is for other hardware"),
        ("version 3\n|999|........|||\n", "line 2 is no frame"),
        ("version 3\n|0|........|||\nversion 3\n", "line 3 is no frame: it does not begin with |"),
        ("FCM\u{1a}\u{2}\u{0}\u{0}", "line 1 is no header"),
        ("\u{89}PNG\r\n", "line 1 is no header"),
    ] {
        let said = Movie::parse(text.as_bytes()).unwrap_err().to_string();
        assert!(said.contains(words), "{text:?}: {said}");
        let remedies = ["give ", "save ", "record ", "export ", "must be", "must look like", "only 1"];
        assert!(remedies.iter().any(|r| said.contains(r)), "no remedy: {said}");
    }
    let endless = format!("{HEAD}comment {}\n|0|........|||\n", "x".repeat(1 << 17));
    assert_eq!(Movie::parse(endless.as_bytes()), Err(MovieError::TooLong));
}

fn any_movie() -> impl Strategy<Value = Movie> {
    let command = prop_oneof![8 => Just(Command::None), 1 => Just(Command::Reset), 1 => Just(Command::Power)];
    let frame = (any::<u8>(), any::<u8>(), command).prop_map(|(held, second, command)| MovieFrame {
        held: Buttons(held),
        second: Buttons(second),
        command,
    });
    let setup = (any::<bool>(), any::<[bool; 2]>(), proptest::option::of(any::<u8>())).prop_map(
        |(pal, [kills, two], level)| Setup {
            region: if pal { Region::Pal } else { Region::Ntsc },
            kill_screen: if kills { KillScreen::On } else { KillScreen::Off },
            forced_level: level,
            players: if two { Players::Two } else { Players::One },
        },
    );
    (setup, proptest::collection::vec(frame, 1..200)).prop_map(|(setup, frames)| Movie { setup, frames })
}

proptest! {
    #[test]
    fn what_is_written_is_read_again(movie in any_movie()) {
        let text = movie.to_text();
        prop_assert_eq!(&Movie::parse(text.as_bytes()).unwrap(), &movie);
        prop_assert_eq!(&Movie::parse(text.replace('\n', "\r\n").as_bytes()).unwrap(), &movie);
    }

    #[test]
    fn any_bytes_are_read_or_refused(bytes in proptest::collection::vec(any::<u8>(), 0..400)) {
        let _ = Movie::parse(&bytes);
    }

    #[test]
    fn a_damaged_movie_is_read_or_refused(movie in any_movie(), at in any::<prop::sample::Index>(), byte in any::<u8>(), cut in any::<bool>()) {
        let mut bytes = movie.to_text().into_bytes();
        let at = at.index(bytes.len());
        bytes[at] = byte;
        if cut {
            bytes.truncate(at);
        }
        if let Ok(read) = Movie::parse(&bytes) {
            prop_assert!(read.frames.len() <= movie.frames.len() + 1);
        }
    }

    #[test]
    fn any_presses_can_be_played(movie in any_movie()) {
        let console = movie.play(|_, _, _| Ok::<_, ()>(())).unwrap();
        prop_assert!(console.frame.0 <= movie.frames.len() as i64);
    }
}

/// The pieces that a movie brings, from power-on.
fn pieces(movie: &Movie) -> Vec<(u32, String)> {
    let (mut frame, mut pieces) = (0, Vec::new());
    let each = |_: &Console, _: MovieFrame, event: Option<Event>| {
        frame += 1;
        if let Some(Event::Spawned(piece, next)) = event {
            pieces.push((frame, format!("{piece}{next}")));
        }
        Ok::<_, ()>(())
    };
    movie.play(each).unwrap();
    pieces
}

#[test]
fn the_same_presses_from_power_on_bring_the_same_pieces_and_a_frame_in_a_menu_changes_them() {
    let with_wait = |wait| {
        let (_, mut held) = Console::walked(Setup::default(), Choice { level: 9, ..Choice::default() }, wait);
        held.push(Buttons::START);
        held.resize(held.len() + 4000, Buttons::NONE);
        Movie::of(Setup::default(), &held)
    };
    let first = pieces(&with_wait(10));
    assert!(first.len() > 10);
    assert_eq!(first, pieces(&with_wait(10)));
    let letters = |pieces: &[(u32, String)]| pieces.iter().map(|p| p.1.clone()).collect::<Vec<_>>();
    let differ = (11..21).filter(|wait| letters(&pieces(&with_wait(*wait))) != letters(&first)).count();
    // The level menu draws two numbers a frame and throws some away, so that two waits may come to the same.
    assert!(differ >= 6, "{differ} of 10");
}

#[test]
fn the_walk_ends_in_the_level_menu_with_what_was_wanted() {
    for level in 0..20 {
        for (game_type, heights) in [(GameType::A, 0..1), (GameType::B, 0..6)] {
            for height in heights {
                let wanted = Choice { game_type, level, height };
                let (mut console, held) = Console::walked(Setup::default(), wanted, 3);
                assert_eq!((console.phase, console.menu.screen), (Phase::Menu, Screen::Level));
                // Nobody can leave the legal screen before, and nobody has to stay for two minutes.
                assert!((260..500).contains(&held.len()), "{wanted:?}: {} frames", held.len());
                let mut console_again = Console::power_on(Setup::default());
                held.iter().for_each(|h| assert!(console_again.frame(*h).is_none()));
                for console in [&mut console, &mut console_again] {
                    let start = console.with_help(Buttons::START, level);
                    let spawned = (0..30).find_map(|i| console.frame(if i == 0 { start } else { Buttons::NONE }));
                    assert!(matches!(spawned, Some(Event::Spawned(..))), "{wanted:?}");
                    assert_eq!((console.counters.level, console.menu.choice.height), (level, height), "{wanted:?}");
                }
                assert_eq!(console.random, console_again.random);
            }
        }
    }
}

#[test]
fn reset_and_power_start_anew() {
    let (_, mut held) = Console::walked(Setup::default(), Choice::default(), 0);
    held.push(Buttons::START);
    held.resize(held.len() + 60, Buttons::NONE);
    let once = Movie::of(Setup::default(), &held);
    let mut twice = once.clone();
    twice.frames.extend(once.frames.iter().copied());
    twice.frames[once.frames.len()].command = Command::Reset;
    let (first, both) = (pieces(&once), pieces(&twice));
    assert_eq!(first.len(), 1);
    assert_eq!(both.iter().map(|p| &p.1).collect::<Vec<_>>(), [&first[0].1, &first[0].1]);
}

fn stackhand(args: &[&str]) -> std::process::Output {
    Program::cargo_bin("stackhand").unwrap().args(args).output().unwrap()
}

fn json_lines(text: &[u8]) -> Vec<Value> {
    String::from_utf8(text.to_vec()).unwrap().lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// The places, boards and points of a run, as the robot says them.
fn robot_says(lines: &[Value], event: &str, keys: &[&str]) -> Vec<Vec<Value>> {
    lines.iter().filter(|l| l["event"] == event).map(|l| keys.iter().map(|k| l[k].clone()).collect()).collect()
}

fn round_trip(level: &str, seed: &str, pieces: usize) {
    let folder = TempDir::new().unwrap();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_string();
    let (movie, trace) = (path("run.fm2"), path("run.jsonl"));
    let count = pieces.to_string();
    let run = ["dry-run", "--pieces", &count, "--seed", seed, "--level", level, "--json", "--movie-out", &movie];
    let output = stackhand(&run);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let robot = json_lines(&output.stdout);
    let played = stackhand(&["console", "--movie", &movie, "--trace", &trace]);
    assert!(played.status.success(), "{}", String::from_utf8_lossy(&played.stderr));
    let states = json_lines(&fs::read(Path::new(&trace)).unwrap());

    let spawns: Vec<_> = states.iter().filter(|s| s["event"] == "spawn").collect();
    let says = robot_says(&robot, "spawn", &["piece", "next", "board"]);
    assert!(says.len() >= pieces);
    for (i, (robot, state)) in says.iter().zip(&spawns).enumerate() {
        assert_eq!(robot, &["spawned", "next", "board"].map(|k| state[k].clone()), "spawn {i}");
    }
    let locks: Vec<_> = states.iter().filter(|s| s["event"] == "lock").collect();
    let says = robot_says(&robot, "lock", &["piece", "x", "y", "orientation"]);
    assert_eq!(says.len(), pieces);
    for (i, (robot, state)) in says.iter().zip(&locks).enumerate() {
        assert_eq!(robot, &["locked", "x", "y", "orientation"].map(|k| state[k].clone()), "lock {i}");
    }
    // The robot does not see push-down points; the lines it counts are the console's.
    let lines = robot.last().unwrap()["lines"].as_u64().unwrap();
    let at_end = states.iter().rev().find_map(|s| s["lines"].as_u64()).unwrap();
    assert!(lines == at_end || lines + 4 >= at_end, "{lines} and {at_end}");
    assert!(spawns[0]["level"] == level.parse::<u8>().unwrap());
}

#[test]
fn a_run_of_the_robot_can_be_played_from_its_movie() {
    round_trip("0", "31", 20);
}

#[test]
fn so_can_a_run_from_a_level_that_needs_a_held_and_one_that_no_menu_offers() {
    round_trip("18", "32", 12);
    round_trip("29", "33", 6);
}

#[test]
fn a_movie_is_not_overwritten_and_needs_the_simulated_console() {
    let folder = TempDir::new().unwrap();
    let there = folder.path().join("there.fm2");
    fs::write(&there, "mine").unwrap();
    let output = stackhand(&["dry-run", "--pieces", "1", "--movie-out", there.to_str().unwrap()]);
    assert_eq!(output.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&output.stderr).contains("is not overwritten; choose another name"));
    assert_eq!(fs::read(&there).unwrap(), b"mine");
    let output = stackhand(&["dry-run", "--source", "camera:0", "--movie-out", "x.fm2"]);
    assert!(String::from_utf8_lossy(&output.stderr).contains("leave out --source"));
    let output = stackhand(&["console", "--movie", there.to_str().unwrap()]);
    assert_eq!(output.status.code(), Some(1));
    let said = String::from_utf8_lossy(&output.stderr).to_string();
    assert!(said.contains("there.fm2") && said.contains("version 3"), "{said}");
}

#[test]
fn a_traced_type_b_game_begins_with_garbage() {
    let folder = TempDir::new().unwrap();
    let trace = folder.path().join("b.jsonl");
    let path = trace.to_str().unwrap();
    let args = ["console", "--trace", path, "--frames", "700", "--type-b", "5", "--level", "12", "--pal"];
    assert!(stackhand(&args).status.success());
    let states = json_lines(&fs::read(&trace).unwrap());
    assert_eq!(states.len(), 700);
    let last = states.last().unwrap();
    assert_eq!((&last["game_type"], &last["lines"], &last["level"]), (&"B".into(), &25.into(), &12.into()));
    let full = last["board"].to_string().matches('#').count();
    // Twelve rows of nine cells, half of them blocks.
    assert!((30..80).contains(&full), "{full}");
}

#[test]
fn a_sessions_presses_become_a_movie() {
    use stackhand::edge::session::{PictureFormat, SessionWriter};
    use stackhand::time::SystemClock;
    let folder = TempDir::new().unwrap();
    let path = |name: &str| folder.path().join(name);
    let record = |name: &str, lines: &[&str]| {
        let clock = std::sync::Arc::new(SystemClock::new());
        let session = SessionWriter::create(&path(name), clock, PictureFormat::Png).unwrap();
        lines.iter().for_each(|line| session.event(*line));
        session.finish().unwrap();
    };
    let plan = r#"{"event":"plan","t_ms":100.0,"piece":"T","x":4,"y":18,"presses":[[1000.0,2],[1050.0,0],[1100.0,129],[1150.0,0]]}"#;
    record("evening.shs", &[r#"{"event":"spawn","t_ms":0}"#, plan, "no JSON"]);
    let (session, movie) = (path("evening.shs"), path("evening.fm2"));
    let output =
        stackhand(&["console", "--session", session.to_str().unwrap(), "--movie-out", movie.to_str().unwrap()]);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let movie = Movie::parse(&fs::read(movie).unwrap()).unwrap();
    let held: Vec<u8> = movie.frames.iter().map(|f| f.held.0).collect();
    assert_eq!(&held[60..70], [2, 2, 2, 0, 0, 0, 129, 129, 129, 0]);
    assert!(held[..60].iter().all(|h| *h == 0) && held.len() == 70);
    record("idle.shs", &[r#"{"event":"spawn","t_ms":0}"#]);
    let idle = path("idle.shs");
    let output = stackhand(&["console", "--session", idle.to_str().unwrap(), "--movie-out", "x.fm2"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&output.stderr).contains("holds no plan"));
}
