//! What follows a game as it is drawn, and as the robot gets past it.

use super::{a_type, lost, press, won};
use assert_cmd::Command as Program;
use stackhand::game::Buttons;
use stackhand::game::nes::{Console, Phase, Region};
use stackhand::twin::picture::{Picture, WIDTH_PX, draw};
use stackhand::twin::table::view;
use stackhand::twin::view::Screen as Shown;
use std::fs;
use tempfile::TempDir;

fn picture(console: &Console) -> Picture {
    let mut picture = Picture::new();
    draw(&view(console), &mut picture);
    picture
}

#[test]
fn endings_and_names_are_drawn_from_their_variables() {
    let shown = |mut console: Console, frames: u32| {
        while !console.ending.is_some_and(|ending| ending.is_shown) {
            console.frame(Buttons::NONE);
        }
        (0..frames).for_each(|_| {
            console.frame(Buttons::NONE);
        });
        console
    };
    // Each rocket is larger than the one before: more white pixels.
    let white = |console: &Console| picture(console).pixels().iter().filter(|pixel| **pixel == 0x30).count();
    let scores = [30_000, 50_000, 70_000, 100_000, 120_000];
    let sizes = scores.map(|score| white(&shown(lost(Region::Ntsc, a_type(0), score, 0), 10)));
    assert!(sizes.windows(2).all(|pair| pair[0] < pair[1]), "{sizes:?}");
    // The jet flickers, the rocket rises, and then it is gone.
    let console = shown(lost(Region::Ntsc, a_type(0), 30_000, 0), 10);
    let mut flickered = console.clone();
    (0..2).for_each(|_| {
        flickered.frame(Buttons::NONE);
    });
    assert!(picture(&console) != picture(&flickered));
    let white_in_field = |frames: u32| {
        let picture = picture(&shown(console.clone(), frames));
        let field = picture.pixels().chunks(WIDTH_PX).skip(60).take(140);
        field.map(|row| row[0x50..0x60].iter().filter(|pixel| **pixel == 0x30).count()).sum::<usize>()
    };
    assert_eq!((white_in_field(0), white_in_field(280) > 30, white_in_field(400)), (white_in_field(100), true, 0));
    // Five more objects, five more figures, three roofs less.
    let [one, six] = [0, 5].map(|height| picture(&shown(won(Region::Ntsc, 4, height, 0, 0), 180)));
    let coloured = |picture: &Picture| picture.pixels().iter().filter(|pixel| **pixel == 0x22).count();
    assert!(coloured(&six) > 4 * coloured(&one), "{} and {}", coloured(&one), coloured(&six));
    let stages = (0..6).map(|height| picture(&shown(won(Region::Ntsc, 9, height, 0, 0), 1)));
    let faces: Vec<usize> = stages.map(|p| p.pixels().iter().filter(|pixel| **pixel == 0x3C).count()).collect();
    assert!(faces.windows(2).all(|pair| pair[0] < pair[1]), "{faces:?}");
    // The name's letters and its cursor.
    let mut console = lost(Region::Ntsc, a_type(0), 20_000, 0);
    console.frame(Buttons::START);
    console.frame(Buttons::NONE);
    assert_eq!(view(&console).screen, Shown::Black);
    while !console.menu.is_ready() || console.frame.0 % 8 != 1 {
        console.frame(Buttons::NONE);
    }
    let first = picture(&console);
    press(&mut console, Buttons::RIGHT);
    let second = picture(&console);
    (0..8).for_each(|_| {
        console.frame(Buttons::UP);
    });
    let [first, second, third] = [&first, &second, &picture(&console)].map(|picture| picture.pixels().to_vec());
    assert!(first != second && second != third);
    // The best score stands on the game's screen from then on.
    while console.phase == Phase::Menu {
        press(&mut console, Buttons::START);
    }
    assert_eq!(view(&console).top, 20_000);
}

/// At this level, with a finger as slow as this and this seed, the robot loses its first game above 30,000 points.
const GOOD_GAME: [&str; 8] = ["dry-run", "--level", "19", "--finger", "hz:6", "--seed", "23", "--pieces"];

#[test]
fn the_robots_hand_gets_past_an_ending_and_a_name_to_the_next_game() {
    let folder = TempDir::new().unwrap();
    let stackhand = |args: &[&str]| {
        let output = Program::cargo_bin("stackhand").unwrap().args(args).current_dir(folder.path()).output().unwrap();
        let said = [output.stdout, output.stderr].map(|text| String::from_utf8(text).unwrap()).concat();
        assert_eq!(output.status.code(), Some(0), "{said}");
        said
    };
    stackhand(&[&GOOD_GAME[..], &["90", "--movie-out", "m.fm2"]].concat());
    let said = stackhand(&["console", "--movie", "m.fm2", "--trace", "t.jsonl"]);
    assert!(!said.contains("Left out"), "{said}");
    let mut phases: Vec<(String, serde_json::Value)> = Vec::new();
    for line in fs::read_to_string(folder.path().join("t.jsonl")).unwrap().lines() {
        let line: serde_json::Value = serde_json::from_str(line).unwrap();
        let phase = line["phase"].as_str().unwrap().to_owned();
        if phases.last().is_none_or(|last| last.0 != phase) {
            phases.push((phase, line));
        }
    }
    let curtain = phases.iter().position(|(phase, _)| phase == "curtain").expect("no game was lost; take another seed");
    let after: Vec<&str> = phases[curtain..].iter().map(|(phase, _)| phase.as_str()).take(7).collect();
    assert_eq!(after, ["curtain", "ending", "over", "high_score", "level_menu", "loading", "falling"]);
    assert_eq!(phases[curtain + 1].1["ending"]["rocket"].as_array().unwrap().len(), 3);
    assert_eq!(phases[curtain + 3].1["entry"], serde_json::json!({"place": 0, "letter": 0, "name": "------"}));
}
