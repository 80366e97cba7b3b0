//! The presses of a recorded session as a movie, as far as they are known: what the robot meant to hold, in its own time.

use crate::edge::session::{Record, SessionReader};
use crate::game::Buttons;
use crate::game::machine::Setup;
use crate::game::machine::movie::Movie;
use anyhow::bail;
use serde::Deserialize;
use std::path::Path;

/// Longest session that is laid out, ms: a day. Times beyond are damage.
const LENGTH_MS_MAX: f64 = 24.0 * 3600.0 * 1000.0;

/// The line of a plan, as the robot wrote it.
#[derive(Deserialize)]
struct PlanLine {
    event: String,
    t_ms: f64,
    #[serde(default)]
    presses: Vec<(f64, u8)>,
}

/// The movie of a session's plans, one frame every 1/60.0988 s from the session's first picture.
///
/// It begins where the recording began, which is not at power-on: the pieces of a game played from it differ, only the
/// presses are those of the session. Presses that the robot called off after planning are not told apart.
///
/// # Errors
/// When the file is no session, or holds no plan.
pub fn of_session(path: &Path) -> anyhow::Result<Movie> {
    let mut reader = SessionReader::open(path)?;
    let mut changes: Vec<(f64, Buttons)> = Vec::new();
    while let Some(record) = reader.next_record()? {
        let Record::Event(line) = record else { continue };
        let Ok(plan) = serde_json::from_str::<PlanLine>(&line) else { continue };
        if plan.event == "plan" {
            replace_from(&mut changes, &plan);
        }
    }
    if changes.is_empty() {
        bail!("{} holds no plan; record one with `stackhand play --record` and a relay board", path.display());
    }
    let setup = Setup::default();
    Ok(Movie::of(setup, &by_frame(&changes, 1000.0 / setup.region.frames_per_s())))
}

/// A plan replaces all presses of earlier ones that were still to come.
fn replace_from(changes: &mut Vec<(f64, Buttons)>, plan: &PlanLine) {
    changes.retain(|(at, _)| *at < plan.t_ms);
    let known = plan.presses.iter().filter(|(at, _)| (0.0..LENGTH_MS_MAX).contains(at));
    changes.extend(known.map(|&(at, buttons)| (at, Buttons(buttons))));
}

/// What is held in each frame, from 0 to the last change.
fn by_frame(changes: &[(f64, Buttons)], frame_ms: f64) -> Vec<Buttons> {
    let mut held = Vec::new();
    let mut now = Buttons::NONE;
    for &(at, buttons) in changes {
        let frame = (at / frame_ms).round() as usize;
        held.resize(frame.max(held.len()), now);
        now = buttons;
    }
    held.push(now);
    held
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plan(t_ms: f64, presses: &[(f64, u8)]) -> PlanLine {
        PlanLine { event: "plan".into(), t_ms, presses: presses.to_vec() }
    }

    #[test]
    fn a_later_plan_replaces_what_was_not_pressed_yet() {
        let mut changes = Vec::new();
        replace_from(&mut changes, &plan(0.0, &[(10.0, 1), (30.0, 0), (50.0, 2), (70.0, 0)]));
        replace_from(&mut changes, &plan(40.0, &[(60.0, 128), (80.0, 0), (f64::MAX, 1)]));
        let held: Vec<u8> = by_frame(&changes, 10.0).iter().map(|b| b.0).collect();
        assert_eq!(held, [0, 1, 1, 0, 0, 0, 128, 128, 0]);
    }
}
