//! Presses of single buttons, and the changes of the set that is pressed: the same, told two ways.

use crate::game::Buttons;
use crate::schedule::Change;
use crate::time::HostTime;

/// Long after any press.
pub const NEVER: HostTime = HostTime(i64::MAX / 4);

/// One button, pressed once.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Press {
    /// Which.
    pub button: Buttons,
    /// When its contact should have closed.
    pub from: HostTime,
    /// When it should have opened.
    pub to: HostTime,
}

/// The single presses of a schedule, in order.
pub fn presses(changes: &[Change]) -> Vec<Press> {
    let mut presses = Vec::new();
    for (button, _) in Buttons::NAMED {
        let mut since = None;
        for change in changes {
            match (since, change.buttons.contains(button)) {
                (None, true) => since = Some(change.at),
                (Some(from), false) => {
                    presses.push(Press { button, from, to: change.at });
                    since = None;
                }
                _ => {}
            }
        }
        presses.extend(since.map(|from| Press { button, from, to: NEVER }));
    }
    presses.sort_by_key(|press| (press.from, press.button));
    presses
}

/// The moments at which what is held changes.
pub fn changes(presses: &[Press]) -> Vec<Change> {
    let mut times: Vec<HostTime> = presses.iter().flat_map(|press| [press.from, press.to]).collect();
    times.sort_unstable();
    times.dedup();
    let held = |at: HostTime| {
        presses.iter().filter(|p| p.from <= at && at < p.to).fold(Buttons::NONE, |held, press| held | press.button)
    };
    times.into_iter().map(|at| Change { at, buttons: held(at) }).collect()
}
