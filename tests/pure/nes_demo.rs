//! The demo as a user meets it, and what a game that is left leaves behind.

#![allow(clippy::unwrap_used, clippy::expect_used)]

use assert_cmd::Command as Program;
use stackhand::game::nes::console::{Screen, Skipped};
use stackhand::game::nes::demo::{Demo, DemoError, PAIRS, PIECES, byte_of};
use stackhand::game::nes::{Console, Event, GameType, Phase, Region, Setup};
use stackhand::game::{Board, Buttons, Piece};
use stackhand::twin::table::view;
use std::fs;
use std::sync::Arc;
use tempfile::TempDir;

/// A demo of these pairs, the rest of which passes at once, over pieces I.
fn demo_of(pairs: &[(Buttons, u8)]) -> Arc<Demo> {
    let mut demo = Demo::blank([byte_of(Piece::I); PIECES]);
    demo.pairs[..pairs.len()].copy_from_slice(pairs);
    Arc::new(demo)
}

/// A console at the first frame of this demo's game.
fn in_demo(demo: Arc<Demo>) -> Console {
    let mut console = Console::power_on(Setup::default());
    console.insert_demo(demo);
    console.wait_for_demo();
    while console.phase == Phase::Menu {
        console.frame(Buttons::NONE);
    }
    console
}

fn wait(console: &mut Console, frames: std::ops::Range<u32>) {
    frames.for_each(|_| {
        console.frame(Buttons::NONE);
    });
}

fn press(console: &mut Console, held: Buttons) {
    console.frame(held);
    console.frame(Buttons::NONE);
}

/// From the title screen to the first frame of a game.
fn begin_game(console: &mut Console, game_type: GameType) {
    while console.phase == Phase::Menu {
        let choosing = console.menu.screen == Screen::GameType && console.menu.choice.game_type != game_type;
        press(console, if choosing { Buttons::RIGHT } else { Buttons::START });
    }
}

#[test]
fn texts_are_read_and_written_and_broken_ones_refused_with_a_remedy() {
    let demo = Demo::ours();
    assert_eq!(Demo::parse(&demo.to_text()).as_ref(), Ok(&**demo));
    let bare: String = demo.to_text().lines().filter_map(|line| line.split('#').next()).collect();
    assert_eq!(Demo::parse(&bare.to_uppercase()).as_ref(), Ok(&**demo));
    assert_eq!(Demo::parse(""), Err(DemoError::Length { found: 0 }));
    assert_eq!(Demo::parse(&"0".repeat(1537)), Err(DemoError::Length { found: 1537 }));
    assert_eq!(Demo::parse("00 # Z\n0z"), Err(DemoError::Digit { line: 2, found: 'z' }));
    assert!(DemoError::Length { found: 2 }.to_string().contains("1536"));
}

#[test]
fn the_pieces_are_bits_6_to_4_and_seven_is_a_t_98f8() {
    let mut demo = Demo::blank([0; PIECES]);
    demo.pieces[..8].copy_from_slice(&[0x8F, 0x10, 0xAF, 0x30, 0x40, 0x5C, 0x60, 0x70]);
    let pieces: String = (0..8).map(|i| demo.piece(i).letter()).collect();
    assert_eq!(pieces, "TJZOSLIT");
}

#[test]
fn the_title_screen_waits_1280_frames_for_the_demo_and_it_ends_with_its_buttons() {
    let pairs = [(Buttons::NONE, 2), (Buttons::LEFT, 0), (Buttons::NONE, 0), (Buttons::RIGHT | Buttons::A, 5)];
    let mut console = Console::power_on(Setup::default());
    console.insert_demo(demo_of(&pairs));
    while console.menu.screen != Screen::Title || !console.menu.is_ready() {
        console.frame(Buttons::NONE);
    }
    let high_byte = |console: &Console| console.frame.0 >> 8;
    let (at, mut frames) = (high_byte(&console), 0);
    while console.menu.screen == Screen::Title {
        console.frame(Buttons::NONE);
        frames += 1;
    }
    // The low byte goes on where it was.
    assert_eq!((high_byte(&console) - at, console.frame.0 % 256), (5, 0));
    assert!((1024..=1280).contains(&frames), "{frames}");
    assert_eq!(console.skipped, []);
    let spawned = (1..=5).filter_map(|_| console.frame(Buttons::NONE)).next();
    assert_eq!(spawned, Some(Event::Spawned(Piece::I, Piece::I)));
    let mut poses = vec![console.control.pose];
    while console.menu.screen != Screen::Title {
        console.frame(Buttons(0xEF));
        poses.push(console.control.pose);
    }
    assert_eq!(console.phase, Phase::Menu);
    let columns: Vec<i8> = poses.iter().map(|pose| pose.x).collect();
    assert_eq!(columns[..9], [5, 5, 5, 5, 4, 4, 5, 5, 5], "the pad is not looked at");
    assert_ne!(poses[5].orientation, poses[6].orientation);
    // 3 + 1 + 1 + 6 frames, and 252 pairs of one frame; the last pair is read and not played.
    assert_eq!(poses.len() - 1, 11 + 252);
}

#[test]
fn start_leaves_the_demo_in_any_frame_also_while_it_is_loaded() {
    for after in 1..60 {
        let mut console = Console::power_on(Setup::default());
        console.wait_for_demo();
        wait(&mut console, 1..after);
        console.frame(Buttons::START);
        wait(&mut console, 0..4);
        assert_eq!((console.phase, console.menu.screen), (Phase::Menu, Screen::Title), "{after}");
        assert!(!console.is_demo());
        begin_game(&mut console, GameType::A);
        assert_eq!(console.counters.level, 0);
    }
}

#[test]
fn screens_are_a_frame_later_where_what_they_leave_in_a_is_the_games_state_813b() {
    let mut console = Console::power_on(Setup::default());
    let until_ready = |console: &mut Console, held: Buttons| {
        console.frame(held);
        let screen = console.menu.screen;
        (1..20)
            .find(|_| {
                console.frame(Buttons::NONE);
                assert_eq!(console.menu.screen, screen);
                console.menu.is_ready()
            })
            .unwrap()
    };
    while console.menu.screen != Screen::Title || !console.menu.is_ready() {
        let held = if console.menu.screen == Screen::Legal { Buttons::START } else { Buttons::NONE };
        press(&mut console, held);
    }
    // Start leaves the sound's number 2, B in the game menu 0; the game's state is 0.
    assert_eq!(until_ready(&mut console, Buttons::START), 4);
    assert_eq!(until_ready(&mut console, Buttons::B), 5 + 1);
    let mut console = in_demo(Arc::clone(Demo::ours()));
    // It is 2 after the demo.
    assert_eq!(until_ready(&mut console, Buttons::START), 5);
    assert_eq!(until_ready(&mut console, Buttons::START), 4 + 1);
    assert_eq!(until_ready(&mut console, Buttons::B), 5);
}

#[test]
fn our_own_demo_fills_its_table_in_about_a_minute_and_clears_rows() {
    let mut console = in_demo(Arc::clone(Demo::ours()));
    assert_eq!(console.skipped, [Skipped::Demo]);
    let (mut frames, mut most) = (0u32, [0; 5]);
    while console.phase != Phase::Menu {
        if let Some(event) = console.frame(Buttons::NONE) {
            assert!(!matches!(event, Event::GameOver));
            if let Event::Cleared(rows) = event {
                most[usize::from(rows)] += 1;
            }
        }
        frames += 1;
    }
    let held: u32 = Demo::ours().pairs[..PAIRS - 1].iter().map(|pair| u32::from(pair.1) + 1).sum();
    assert_eq!(frames, held);
    assert!((3000..6000).contains(&frames), "{frames}");
    assert!(console.counters.lines >= 10 && most[4] > 0, "{} rows, {most:?}", console.counters.lines);
}

/// A demo that is left while four rows vanish, which an I held Down has completed.
fn left_in_a_clear() -> Console {
    let demo = demo_of(&[(Buttons::NONE, 2), (Buttons::A, 0), (Buttons::NONE, 1), (Buttons::DOWN, 255)]);
    let mut console = in_demo(demo);
    wait(&mut console, 0..6);
    let column = console.control.pose.cells()[0].0;
    let mut board = Board::default();
    for (x, y) in (0..10).flat_map(|x| (16..20).map(move |y| (x, y))).filter(|cell| cell.0 != column as usize) {
        board.fill(x, y);
    }
    console.board = board;
    while console.phase != Phase::Clearing {
        console.frame(Buttons::NONE);
    }
    assert!(console.control.hold_down_points > 10);
    console.frame(Buttons::START);
    assert_eq!((console.phase, console.menu.screen), (Phase::Menu, Screen::Title));
    assert_eq!((console.completed_lines, console.counters.lines), (4, 0));
    console
}

#[test]
fn lines_of_a_demo_that_is_left_are_counted_with_the_next_games_first_piece() {
    let mut console = left_in_a_clear();
    let held = console.control.hold_down_points;
    begin_game(&mut console, GameType::A);
    assert_eq!((console.counters.lines, console.counters.score), (0, 0));
    // The wall flashes all the while, but not in the menus.
    let flashes = (0..100).filter(|_| {
        console.frame(Buttons::NONE);
        view(&console).flash
    });
    assert_eq!(flashes.count(), 25);
    let mut clearing = 0;
    let cleared = (0..5000).find_map(|_| {
        let event = console.frame(Buttons::NONE);
        clearing += u32::from(console.phase == Phase::Clearing);
        event.filter(|event| matches!(event, Event::Cleared(_)))
    });
    assert_eq!(cleared, Some(Event::Cleared(4)));
    // The animation passes as if rows vanished, and none does.
    assert!((17..=20).contains(&clearing), "{clearing}");
    assert_eq!(console.board.count(), 4);
    // 1,200 points, and the push-down that the demo had begun: 18 rows, $12 in binary, which reads as 12.
    assert_eq!((console.counters.lines, console.completed_lines), (4, 0));
    assert_eq!((held, console.counters.score), (19, 1212));
}

#[test]
fn a_push_down_begun_anew_forgets_the_demos_and_b_type_counts_its_lines_down() {
    let mut console = left_in_a_clear();
    begin_game(&mut console, GameType::B);
    assert_eq!(console.counters.lines, 25);
    press(&mut console, Buttons::DOWN);
    while console.phase != Phase::Spawning {
        console.frame(Buttons::NONE);
    }
    assert_eq!((console.counters.lines, console.counters.score), (21, 1200));
}

#[test]
fn lines_are_carried_into_the_next_demo_too_and_delay_it() {
    let mut console = left_in_a_clear();
    let lock_to_spawn = |console: &mut Console| {
        let mut locked = None;
        (0..5000).find_map(|_| match console.frame(Buttons::NONE)? {
            Event::Locked(_) => {
                locked = Some(console.frame.0);
                None
            }
            Event::Spawned(..) => Some(console.frame.0 - locked?),
            _ => None,
        })
    };
    console.wait_for_demo();
    let delayed = lock_to_spawn(&mut console).unwrap();
    assert_eq!((console.counters.lines, console.counters.score > 1200), (4, true));
    let undelayed = lock_to_spawn(&mut in_demo(demo_of(&[
        (Buttons::NONE, 2),
        (Buttons::A, 0),
        (Buttons::NONE, 1),
        (Buttons::DOWN, 255),
    ])))
    .unwrap();
    assert!((17..=20).contains(&(delayed - undelayed)), "{delayed}, {undelayed}");
}

#[test]
fn the_european_legal_screen_lasts_204_frames() {
    let frames = |region| {
        let mut console = Console::power_on(Setup { region, ..Setup::default() });
        (0..).find(|_| {
            console.frame(Buttons::NONE);
            console.menu.screen == Screen::Title
        })
    };
    let [american, european]: [i32; 2] = [Region::Ntsc, Region::Pal].map(|region| frames(region).unwrap());
    assert_eq!(american - european, 2 * (255 - 204));
}

fn stackhand(folder: &TempDir, args: &[&str]) -> (Option<i32>, String) {
    let output = Program::cargo_bin("stackhand").unwrap().args(args).current_dir(folder.path()).output().unwrap();
    (output.status.code(), [output.stdout, output.stderr].map(|text| String::from_utf8(text).unwrap()).concat())
}

#[test]
fn a_movie_records_a_demo_which_a_trace_then_plays() {
    let folder = TempDir::new().unwrap();
    let mut console = Console::power_on(Setup::default());
    let wait = console.wait_for_demo();
    let line = |letters: &str| format!("|0|{letters}|||\n");
    let mut movie = String::from("version 3\n");
    (0..wait + 10).for_each(|_| movie.push_str(&line("........")));
    for i in 0..600 {
        movie.push_str(&line(["R.......", "........", "..D.....", ".L....B."][i / 7 % 4]));
    }
    fs::write(folder.path().join("m.fm2"), movie).unwrap();
    let (code, said) =
        stackhand(&folder, &["console", "--movie", "m.fm2", "--record-demo", "d.txt", "--trace", "m.jsonl"]);
    assert_eq!(code, Some(0), "{said}");
    assert!(said.contains("of 256 pairs of buttons written to d.txt."), "{said}");
    let frames = (wait + 600).to_string();
    let (code, said) = stackhand(&folder, &["console", "--demo", "d.txt", "--trace", "d.jsonl", "--frames", &frames]);
    assert_eq!(code, Some(0), "{said}");
    let columns = |name: &str| -> Vec<serde_json::Value> {
        let text = fs::read_to_string(folder.path().join(name)).unwrap();
        let lines = text.lines().map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap());
        let falling = lines.filter(|line| line["demo"] == true && line["phase"] == "falling");
        falling.map(|line| line["x"].clone()).collect()
    };
    let (recorded, played) = (columns("m.jsonl"), columns("d.jsonl"));
    assert!(recorded.len() > 400);
    // What was recorded plays a frame later, as on the console.
    assert_eq!(recorded[..300], played[1..301]);
    assert_eq!(stackhand(&folder, &["console", "--movie", "m.fm2", "--record-demo", "d.txt"]).0, Some(1));
}

#[test]
fn a_recording_that_never_begins_is_an_error_with_a_remedy() {
    let folder = TempDir::new().unwrap();
    fs::write(folder.path().join("m.fm2"), "version 3\n|0|........|||\n").unwrap();
    let (code, said) = stackhand(&folder, &["console", "--movie", "m.fm2", "--record-demo", "d.txt"]);
    assert_eq!(code, Some(1));
    assert!(said.contains("no demo was recorded") && said.contains("let the movie wait there"), "{said}");
    assert!(!folder.path().join("d.txt").exists());
    fs::write(folder.path().join("no.txt"), "hello").unwrap();
    let (code, said) = stackhand(&folder, &["console", "--demo", "no.txt", "--headless", "--frames", "9"]);
    assert_eq!(code, Some(1));
    assert!(said.contains("no.txt is no demo") && said.contains("line 1: 'h' is no hexadecimal digit"), "{said}");
}

#[test]
fn the_demo_is_seen_without_a_window() {
    let folder = TempDir::new().unwrap();
    let (code, said) =
        stackhand(&folder, &["console", "--demo", "--headless", "--frames", "900", "--screenshot", "d.png"]);
    assert_eq!(code, Some(0), "{said}");
    let picture = image::open(folder.path().join("d.png")).unwrap().to_rgb8();
    let lit = picture
        .enumerate_pixels()
        .filter(|(x, y, pixel)| (96..176).contains(x) && (48..208).contains(y) && pixel.0 != [0; 3]);
    assert!(lit.count() > 500);
}
