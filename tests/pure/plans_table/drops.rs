//! Where a drop locks the piece, it waits until a picture has shown what the moves did.

use super::bench::held;
use super::simple::SimpleBench;
use crate::driven::Driven;
use stackhand::belief::Event;
use stackhand::message::{RelayMask, ScreenState};
use stackhand::profile::layout::Layout;
use stackhand::robot::Robot;

/// Pieces that locked, and those of them that locked elsewhere than planned.
fn play(fault: &str, level: u8, until_ms: f64, robot: impl Fn(&SimpleBench) -> Robot) -> (usize, usize) {
    let mut bench = SimpleBench::new(72, level, fault.parse().unwrap());
    let robot = robot(&bench);
    let (mut pieces, mut misplaced) = (0, 0);
    bench.play(robot, until_ms, |_, look| {
        for event in &look.events {
            if let Event::Locked(locked) = event {
                pieces += 1;
                misplaced += usize::from(locked.intended != Some(true));
            }
        }
    });
    (pieces, misplaced)
}

#[test]
fn presses_that_are_lost_or_doubled_are_corrected_before_the_drop() {
    for (fault, level) in ["lose:0.1", "double:0.25"].into_iter().flat_map(|fault| [0, 9].map(|level| (fault, level))) {
        let (pieces, misplaced) = play(fault, level, 60_000.0, SimpleBench::robot);
        // Not for longer, or that game is lost.
        let (_, unseen) = play(fault, level, 9_000.0, SimpleBench::robot_that_drops_unseen);
        println!("{fault}, level {level}: {misplaced} of {pieces} misplaced, {unseen} without a look");
        assert!(pieces > 60 && misplaced == 0, "{fault}, level {level}: {misplaced} of {pieces}");
        assert!(unseen >= 3, "nothing was to be corrected: {unseen}");
    }
}

#[test]
fn a_look_before_each_drop_takes_a_picture_and_its_way() {
    let [seen, unseen] = [SimpleBench::robot, SimpleBench::robot_that_drops_unseen].map(|robot| {
        let (pieces, misplaced) = play("lose:0", 0, 60_000.0, robot);
        assert_eq!(misplaced, 0);
        60_000.0 / pieces as f64
    });
    println!("{seen:.0} ms a piece, {unseen:.0} without a look");
    assert!((20.0..160.0).contains(&(seen - unseen)), "{seen} ms a piece, {unseen} without a look");
}

#[test]
fn a_drop_that_was_not_felt_is_made_again() {
    let mut bench = SimpleBench::new(74, 0, "lose:0.2".parse().unwrap());
    let robot = bench.robot();
    bench.play(robot, 60_000.0, |_, _| {});
    let times: Vec<f64> = bench.fallen().iter().map(|(at, _)| at.ms()).collect();
    let longest = times.windows(2).map(|pair| pair[1] - pair[0]).fold(0.0, f64::max);
    println!("{} pieces, the longest took {longest:.0} ms", times.len());
    // By themselves they take 14 s and more, and a row of that takes more than half a second.
    assert!(times.len() > 80 && longest < 2500.0, "{} pieces, the longest took {longest} ms", times.len());
}

#[test]
fn no_press_that_drops_leaves_with_a_move_or_without_a_picture_after_it() {
    let mut bench = SimpleBench::new(73, 2, "lose:0.05".parse().unwrap());
    let mut robot = bench.robot();
    let key = Layout::load("vitetris").unwrap().game_rules().hard_drop().unwrap();
    // The last move whose contact may still be closed, and what pictures show.
    let (mut moved_until, mut drops) = (0.0, 0);
    for _ in 0..1500 {
        let observation = bench.next();
        let now = observation.time;
        robot.take(observation);
        let Some(decision) = robot.has_to_decide(now).then(|| robot.decide(now)).flatten() else { continue };
        let presses: Vec<_> = decision.commands.iter().filter(|command| command.mask.0 != 0).collect();
        let is_drop = |mask: u8| held(RelayMask(mask)).intersects(key);
        for press in &presses {
            if is_drop(press.mask.0) {
                drops += 1;
                assert_eq!(presses.len(), 1, "at {now} it is moved and dropped at once");
                assert!(now.ms() > moved_until + 40.0, "at {now} it is dropped, and was moved until {moved_until}");
            } else {
                moved_until = press.due.ms();
            }
        }
        bench.schedule(&decision);
    }
    assert!(drops > 20, "{drops} drops");
}

#[test]
fn nothing_is_pressed_for_a_piece_that_no_picture_shows() {
    let mut bench = SimpleBench::new(75, 2, "lose:0.05".parse().unwrap());
    let mut robot = bench.robot();
    let (mut covered, mut covers, mut pressed) = (0, 0, 0);
    for picture in 0..2500 {
        let mut observation = bench.next();
        if covered > 0 {
            // Somebody stands before the camera.
            covered -= 1;
            observation.state = ScreenState::Obscured;
        }
        let (now, is_covered) = (observation.time, observation.state == ScreenState::Obscured);
        robot.take(observation);
        let Some(decision) = robot.has_to_decide(now).then(|| robot.decide(now)).flatten() else { continue };
        let presses = decision.commands.iter().filter(|command| command.mask.0 != 0).count();
        assert!(!is_covered || presses == 0, "at {now} {presses} presses are made that nobody has looked at");
        pressed += presses;
        if presses > 0 && picture / 100 > covers {
            (covered, covers) = (24, picture / 100);
        }
        bench.schedule(&decision);
    }
    assert!(covers > 15 && pressed > 200, "{covers} covers, {pressed} presses");
}
