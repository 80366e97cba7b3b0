//! The whole robot but its eyes, at the simulated table: are certain plans certain, and do presses that are made ahead of
//! their piece reach it?

#![allow(clippy::unwrap_used, clippy::expect_used)]

mod bench;

use bench::{Bench, Poll};
use stackhand::belief::{Event, Locked};
use stackhand::game::nes::Phase;
use stackhand::message::Buttons;
use stackhand::planner::Plan;
use stackhand::robot::Robot;
use stackhand::schedule::Finger;

/// What became of a piece.
struct Placed {
    lock: Locked,
    /// The last plan for it; `None` if there was none.
    plan: Option<Plan>,
    /// That plan was made before the piece appeared, and never again.
    is_ahead: bool,
    /// A press for it was lost.
    is_robbed: bool,
}

/// Plays so many pieces; of every `rob`th that has a plan made ahead the first press is lost.
fn play(bench: &mut Bench, robot: &mut Robot, pieces: usize, rob: Option<usize>) -> Vec<Placed> {
    let mut placed: Vec<Placed> = Vec::new();
    let (mut plan, mut coming): (Option<(Plan, bool)>, Option<Plan>) = (None, None);
    let (mut is_robbed, mut will_be_robbed, mut ahead) = (false, false, 0);
    for _ in 0..pieces * 400 {
        if placed.len() >= pieces {
            break;
        }
        let seen = bench.next();
        let now = seen.time;
        for event in robot.take(seen).events {
            match event {
                Event::Locked(lock) => {
                    let (plan, is_ahead) = plan.take().unzip();
                    let is_ahead = is_ahead.unwrap_or_default();
                    placed.push(Placed { lock, plan, is_ahead, is_robbed });
                }
                Event::Spawned(_) => {
                    plan = coming.take().map(|plan| (plan, true));
                    is_robbed = std::mem::take(&mut will_be_robbed);
                }
                Event::GameOver { .. } => (plan, coming) = (None, None),
                Event::Surprise(..) => {}
            }
        }
        let Some(decision) = robot.has_to_decide(now).then(|| robot.decide(now)).flatten() else { continue };
        bench.schedule(&decision);
        match decision.plan {
            Some(new) if decision.is_ahead => {
                ahead += 1;
                will_be_robbed = rob.is_some_and(|rob| ahead % rob == 0) && !new.schedule.changes().is_empty();
                bench.loses_a_press |= will_be_robbed;
                coming = Some(new);
            }
            Some(new) => plan = Some((new, false)),
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
    let placed = play(&mut bench, &mut robot, 290, None);
    let certain: Vec<&Placed> = placed.iter().filter(is_certain).collect();
    let elsewhere: Vec<&Locked> =
        certain.iter().map(|placed| &placed.lock).filter(|lock| lock.intended == Some(false)).collect();
    assert!(certain.len() > 250, "{} certain plans", certain.len());
    assert!(elsewhere.is_empty(), "{elsewhere:?}");
}

#[test]
fn presses_made_ahead_land_on_the_first_frame_that_takes_them() {
    let mut bench = Bench::new(31, 29);
    let mut robot = bench.robot(Finger::SOLID);
    let placed = play(&mut bench, &mut robot, 25, None);
    assert!(placed.iter().filter(|placed| placed.is_ahead).count() > 10);
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

#[test]
fn a_press_lost_under_a_plan_made_ahead_is_made_up_for() {
    let mut bench = Bench::new(77, 18);
    let mut robot = bench.robot(Finger::RELAY);
    let placed = play(&mut bench, &mut robot, 120, Some(4));
    let robbed: Vec<&Placed> = placed.iter().filter(|placed| placed.is_robbed).collect();
    let again = robbed.iter().filter(|placed| !placed.is_ahead && placed.lock.intended == Some(true)).count();
    assert!(robbed.len() >= 6, "{} pieces were robbed of a press", robbed.len());
    assert!(5 * again >= 4 * robbed.len(), "{again} of {} came out where a plan made anew put them", robbed.len());
    let others = placed.iter().filter(|placed| !placed.is_robbed && placed.lock.intended == Some(false)).count();
    assert_eq!(others, 0, "pieces whose presses all came");
}
