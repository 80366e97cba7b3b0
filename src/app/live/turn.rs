//! One picture's turn: the robot looks, decides, and what it decided goes to a hand. Every loop that plays takes its turns
//! here, whatever clock it lives by.

use crate::app::live::taped::Taped;
use crate::app::report::Report;
use crate::edge::relay::RelayError;
use crate::message::Frame;
use crate::robot::{Decision, Input, Look, Output, RobotError};
use crate::time::{Clock, HostTime};
use std::io;

/// Plans made for one piece when the processor is so busy that each is ready too late; the last is sent as it is: what
/// is stale of it is dropped, and the piece planned again from where it is seen.
const PLANS_MAX: usize = 4;

/// What presses the buttons.
pub trait Hand {
    /// Takes a decision that took so long, µs, where that was measured; whether it will be pressed.
    ///
    /// # Errors
    /// When the board cannot be used any more.
    fn send(&mut self, decision: Decision, took_us: Option<f64>) -> Result<bool, RelayError>;
}

/// Looks at a picture and reports what it showed.
///
/// # Errors
/// When standard output is closed.
pub fn look(
    robot: &mut Taped,
    frame: &Frame,
    report: &mut Report,
    clock: Option<&dyn Clock>,
) -> io::Result<(Look, f64)> {
    let began = clock.map(|clock| clock.now());
    let look = robot.handle(Input::Picture(frame)).into_iter().find_map(|output| match output {
        Output::Look(look) => Some(look),
        Output::Decision(_) | Output::Wake(_) => None,
    });
    let look = look.ok_or_else(|| io::Error::other(RobotError::Blind))?;
    let took_us = || clock.zip(began).map(|(clock, began)| us_between(began, clock.now()));
    let (state, read_us) = (look.observation.state, took_us());
    tracing::trace!(frame = frame.index.0, time = %frame.time, ?state, read_us, "looked");
    report.can_hold(robot.belief().can_hold());
    report.spun(robot.spins());
    report.look(&look, frame.name.as_deref(), read_us)?;
    report.count(robot.belief().counters());
    Ok((look, took_us().unwrap_or_default()))
}

/// Decides what is due at a picture, by the picture's own time if there is no clock, and sends it.
///
/// # Errors
/// When the board or standard output cannot be used any more.
pub fn decide<E: From<RelayError> + From<io::Error>>(
    robot: &mut Taped,
    frame: &Frame,
    report: &mut Report,
    hand: &mut dyn Hand,
    clock: Option<&dyn Clock>,
) -> Result<(), E> {
    if !robot.has_to_decide(frame.time) {
        return Ok(());
    }
    let now = || clock.map_or(frame.time, |clock| clock.now());
    for attempt in 1..=PLANS_MAX {
        let began = now();
        let decision = decision(robot, began);
        let ended = now();
        let first_due = decision.as_ref().and_then(|d| d.commands.first()).map(|c| c.due);
        if attempt < PLANS_MAX && first_due.is_some_and(|due| due < ended) {
            tracing::debug!("the plan was ready too late for its first press; making another");
            continue;
        }
        let took_us = clock.map(|_| us_between(began, ended));
        report.decided(began, decision.as_ref(), took_us)?;
        if let Some(decision) = decision {
            tracing::debug!(time = %began, took_us, plan = ?decision.plan, "decided");
            if hand.send(decision, took_us)? {
                robot.handle(Input::Sent);
            }
        }
        break;
    }
    Ok(())
}

fn decision(robot: &mut Taped, now: HostTime) -> Option<Decision> {
    robot.handle(Input::Time(now)).into_iter().find_map(|output| match output {
        Output::Decision(decision) => Some(decision),
        Output::Look(_) | Output::Wake(_) => None,
    })
}

fn us_between(began: HostTime, ended: HostTime) -> f64 {
    (ended - began) as f64
}
