//! The whole robot but its eyes, at the simulated table: are certain plans certain, and do presses that are made ahead of
//! their piece reach it?

#![allow(clippy::unwrap_used, clippy::expect_used)]

mod bench;
mod blame;
mod drops;
mod modern;
mod simple;
mod speed;
mod stalls;
mod waits;

use crate::driven::Driven;
use bench::{Bench, Poll};
use stackhand::belief::{Event, Locked};
use stackhand::game::Buttons;
use stackhand::game::nes::Phase;
use stackhand::planner::{Brain, Plan};
use stackhand::robot::{OnBlame, Robot};
use stackhand::schedule::Finger;

/// What became of a piece.
struct Placed {
    lock: Locked,
    /// The last plan for it; `None` if there was none.
    plan: Option<Plan>,
    /// It was planned before it appeared.
    was_ahead: bool,
}

/// Plays this many pieces.
fn play(bench: &mut Bench, robot: &mut Robot, pieces: usize) -> Vec<Placed> {
    let mut placed: Vec<Placed> = Vec::new();
    let (mut seen, mut coming, mut foreseen): (Option<Plan>, Option<Plan>, Option<Plan>) = (None, None, None);
    for _ in 0..pieces * 400 {
        if placed.len() >= pieces {
            break;
        }
        let observation = bench.next();
        let now = observation.time;
        for event in robot.take(observation).events {
            match event {
                Event::Locked(lock) => {
                    let was_ahead = foreseen.is_some();
                    placed.push(Placed { lock, plan: seen.take().or(foreseen.take()), was_ahead });
                }
                Event::Spawned(_) => foreseen = coming.take(),
                Event::GameOver { .. } => (seen, coming, foreseen) = (None, None, None),
                Event::Surprise(..) => {}
            }
        }
        let Some(decision) = robot.has_to_decide(now).then(|| robot.decide(now)).flatten() else { continue };
        bench.schedule(&decision);
        match decision.plan {
            Some(new) if decision.is_ahead => coming = Some(new),
            Some(new) => seen = Some(new),
            None => {}
        }
    }
    placed
}

fn is_certain(placed: &&Placed) -> bool {
    placed.plan.as_ref().is_some_and(|plan| plan.certainty == 1.0)
}

/// Pieces that were moved before they were seen are first seen where they rest, or have locked: when they appeared cannot
/// be told from the row then.
#[test]
fn certain_plans_come_out_though_their_pieces_are_seen_late() {
    let mut bench = Bench::new(8202, 29);
    let mut robot = bench.robot(Finger::SOLID);
    let placed = play(&mut bench, &mut robot, 290);
    let certain: Vec<&Placed> = placed.iter().filter(is_certain).collect();
    let elsewhere: Vec<&Locked> =
        certain.iter().map(|placed| &placed.lock).filter(|lock| lock.intended == Some(false)).collect();
    assert!(certain.len() > 250, "{} certain plans", certain.len());
    assert!(elsewhere.is_empty(), "{elsewhere:?}");
}

/// Where simple presses are too slow or too blunt they are made to the frame: what the best place is worth is not lost because
/// no way to it is certain. With simple presses alone this game comes to 330,980 points.
#[test]
fn the_finger_of_real_relays_plays_for_fours() {
    let mut bench = Bench::new(7, 18);
    let brain = Brain::named("learned-12hz").unwrap();
    let mut robot = bench.robot_by(brain, bench.calibration(), Finger::RELAY, OnBlame::Pause);
    let placed = play(&mut bench, &mut robot, 300);
    let misplaced = placed.iter().filter(|placed| placed.lock.intended == Some(false)).count();
    let fours = placed.iter().filter(|placed| placed.lock.lines == 4).count();
    let score = robot.belief().counters().score;
    assert!(score > 450_000 && fours >= 18 && misplaced == 0, "{score} points, {fours} fours, {misplaced} misplaced");
}

#[test]
fn presses_made_ahead_land_on_the_first_frame_that_takes_them() {
    let mut bench = Bench::new(31, 29);
    let mut robot = bench.robot(Finger::SOLID);
    let placed = play(&mut bench, &mut robot, 60);
    let ahead = placed.iter().filter(|placed| placed.was_ahead).count();
    assert!(ahead > 10, "{ahead} pieces were planned ahead");
    let polls: Vec<Poll> = bench.polls.iter().copied().collect();
    let appeared =
        (1..polls.len()).filter(|&i| polls[i].phase == Phase::Falling && polls[i - 1].phase == Phase::Spawning);
    let (mut first, mut early) = (0, 0);
    for i in appeared {
        first += usize::from(polls[i].held != Buttons::NONE);
        early += usize::from(polls[i - 1].held != Buttons::NONE);
    }
    assert!(first >= 10, "{first} pieces were pressed on their first frame");
    assert_eq!(early, 0, "what is held before a piece appears is no new press");
}
