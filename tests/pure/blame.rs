//! Verdicts about one piece, from sights made by hand; and what the program says of a broken table.

#![allow(clippy::unwrap_used, clippy::expect_used)]

use stackhand::belief::blame::cause::Cause;
use stackhand::belief::blame::ledger::Trust;
use stackhand::belief::blame::{Record, View};
use stackhand::belief::clock::clock_watch::Sight;
use stackhand::game::Buttons;
use stackhand::game::nes::control::spawn_pose;
use stackhand::game::{Board, Piece, Pose, Rules};
use stackhand::profile::calibration::Timing;
use stackhand::schedule::ButtonSchedule;
use stackhand::schedule::outcome::{Run, Situation};
use stackhand::schedule::polls::{Polls, Spawns};
use stackhand::schedule::press::{changes, presses};
use stackhand::time::HostTime;
use std::process::Command;

const FRAME_MS: f64 = 1000.0 / 60.0988;
/// The piece appears on this frame.
const APPEARS: i64 = 100;
/// Every other frame is seen.
const STEP: i64 = 2;

fn polls() -> Polls {
    Polls { at: HostTime(0), frame: 0, frame_ms: FRAME_MS, error_ms: 1.5 }
}

/// Taps of two frames, this many frames after the piece appeared, as relays make them.
fn taps(taps: &[(i64, Buttons)]) -> ButtonSchedule {
    let mut schedule = ButtonSchedule::default();
    for (after, buttons) in taps {
        let at = polls().time(APPEARS + after).plus_ms(FRAME_MS / 2.0);
        schedule.press(at, *buttons, 2.0 * FRAME_MS);
    }
    schedule
}

fn lost(schedule: &ButtonSchedule, number: usize) -> Cause {
    let press = presses(schedule.changes())[number];
    Cause::Lost(press.button, press.from)
}

/// A piece that was given something else than was pressed: what was seen of it, and where it locked.
fn seen(schedule: &ButtonSchedule, truth: &[Cause], piece: Piece) -> (Record, Pose) {
    let (rules, timing, board) = (Rules::Nes, Timing::default(), Board::default());
    let start = rules.spawn(piece, spawn_pose(piece), 9, false);
    let frames = [(APPEARS, 0.6), (APPEARS + 1, 0.4)];
    let mut given = presses(schedule.changes());
    truth.iter().for_each(|cause| cause.apply(&mut given, FRAME_MS));
    let given = changes(&given);
    let starts = [start.clone()];
    let spawns = Spawns::at_frames(polls(), &frames);
    let situation = Situation { rules: &rules, board: &board, starts: &starts, spawns, timing: &timing };
    let mut run = Run::new(&start, &situation, polls().time(APPEARS), &given);
    let mut record = Record::new(start.clone(), board, &frames, polls().time(APPEARS).plus_ms(-50.0), None);
    let mut pose = run.faller.pose();
    for frame in 1.. {
        let before = pose;
        let has_locked = run.frame();
        pose = run.faller.pose();
        if frame % STEP == 0 {
            // Shown for half of the exposure, the frame before for the other half.
            let height = f64::from(before.y + pose.y) / 2.0;
            record.see(&Sight { frames: (APPEARS + frame) as f64, height, pose });
        }
        if has_locked {
            break;
        }
    }
    (record, pose)
}

fn causes(schedule: &ButtonSchedule, record: &Record, lock: Pose) -> Option<Vec<Cause>> {
    let (rules, timing, polls, trust) = (Rules::Nes, Timing::default(), polls(), Trust::default());
    let view = View { rules: &rules, timing: &timing, polls: &polls, trust: &trust };
    let conclusion = record.conclude(view, schedule, &[], lock).unwrap();
    (!conclusion.is_open).then_some(conclusion.causes)
}

const L: Buttons = Buttons::LEFT;
const A: Buttons = Buttons::A;

#[test]
fn each_cause_is_told_from_the_others() {
    let schedule = taps(&[(4, L), (8, A), (12, L), (30, Buttons::RIGHT)]);
    let single = presses(schedule.changes());
    let truths = [
        lost(&schedule, 1),
        Cause::Doubled(A, single[1].from, false),
        Cause::Swapped(L, Buttons::RIGHT),
        Cause::Swapped(A, Buttons::B),
        Cause::Stuck(L, None),
        Cause::Late(14),
    ];
    for truth in truths {
        let (record, lock) = seen(&schedule, &[truth], Piece::T);
        let found = causes(&schedule, &record, lock).unwrap_or_else(|| panic!("{truth:?}: nobody knows"));
        match (truth, found.as_slice()) {
            (Cause::Late(_), [Cause::Late(halves)]) => assert!((12..=16).contains(halves), "{halves}"),
            (Cause::Doubled(..), [Cause::Doubled(button, at, _)]) => assert_eq!((*button, *at), (A, single[1].from)),
            _ => assert_eq!(found, [truth]),
        }
    }
    let dead = Cause::Dead(L);
    let (record, lock) = seen(&schedule, &[dead], Piece::J);
    assert_eq!(causes(&schedule, &record, lock), Some(vec![dead]));
}

#[test]
fn what_works_blames_nobody_and_counts_as_work() {
    let schedule = taps(&[(4, L), (8, A), (12, L)]);
    let (record, lock) = seen(&schedule, &[], Piece::T);
    let (rules, timing, polls, trust) = (Rules::Nes, Timing::default(), polls(), Trust::default());
    let view = View { rules: &rules, timing: &timing, polls: &polls, trust: &trust };
    let conclusion = record.conclude(view, &schedule, &[], lock).unwrap();
    assert_eq!((conclusion.causes.len(), conclusion.worked), (0, vec![L, A, L]));
}

#[test]
fn presses_against_the_wall_have_no_effect_to_lose() {
    let schedule = taps(&[(2, L), (6, L), (10, L), (14, L), (18, L), (22, L), (26, L)]);
    let (record, lock) = seen(&schedule, &[lost(&schedule, 6)], Piece::T);
    assert_eq!(causes(&schedule, &record, lock), Some(Vec::new()));
}

#[test]
fn misread_pictures_blame_nobody() {
    let schedule = taps(&[(4, L), (8, A), (12, L)]);
    for wrong in 1..=3 {
        let (mut record, lock) = seen(&schedule, &[], Piece::T);
        for number in 0..wrong {
            let pose = Pose { x: 5, ..spawn_pose(Piece::T) };
            record.see(&Sight { frames: (APPEARS + 60 + 10 * number) as f64, height: 9.0, pose });
        }
        let found = causes(&schedule, &record, lock);
        assert!(found.as_ref().is_none_or(Vec::is_empty), "{wrong}: {found:?}");
    }
}

#[test]
fn where_nothing_fits_nobody_knows() {
    let schedule = taps(&[(4, L), (8, A), (12, L)]);
    let (record, lock) = seen(&schedule, &[], Piece::T);
    let elsewhere = Pose { x: lock.x + 3, ..lock };
    assert_eq!(causes(&schedule, &record, elsewhere), None);
}

#[test]
fn a_lost_press_is_told_while_the_piece_falls() {
    let schedule = taps(&[(4, L), (12, L)]);
    let truth = lost(&schedule, 0);
    let (record, _) = seen(&schedule, &[truth], Piece::T);
    let (rules, timing, polls, trust) = (Rules::Nes, Timing::default(), polls(), Trust::default());
    let view = View { rules: &rules, timing: &timing, polls: &polls, trust: &trust };
    assert_eq!(record.explain(view, &schedule, &[]).unwrap().causes, [truth]);
    assert!(record.explain(view, &schedule, &[truth]).is_none(), "known already");
}

fn dry_run(args: &[&str]) -> Vec<serde_json::Value> {
    let output = Command::new(env!("CARGO_BIN_EXE_stackhand"))
        .args(["dry-run", "--json", "--hard", "0.3", "--seed", "77"])
        .args(args)
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap().lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn the_program_names_a_dead_relay_through_the_camera_and_ends_its_run() {
    let lines = dry_run(&["--pieces", "60", "--fault", "dead:left@5"]);
    let of = |name: &str| lines.iter().filter(|line| line["event"] == name).collect::<Vec<_>>();
    let blames = of("blame");
    assert!(
        blames.len() >= 3 && blames.iter().all(|line| line["button"] == "left" && line["relay"] == 1),
        "{blames:?}"
    );
    assert_eq!(blames.last().unwrap()["kind"], "dead_button");
    let paused = of("paused");
    assert!(paused.len() == 1 && paused[0]["words"].as_str().unwrap().contains("relay 1 (left)"), "{paused:?}");
    let summary = of("summary")[0];
    assert!(summary["pieces"].as_u64().unwrap() < 60 && summary["blames"].as_u64() == Some(blames.len() as u64));
}

#[test]
fn a_fault_that_nobody_knows_is_refused_with_those_that_are_known() {
    let output =
        Command::new(env!("CARGO_BIN_EXE_stackhand")).args(["dry-run", "--fault", "nose:dead"]).output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&output.stderr).contains("late-camera:MS"));
}
