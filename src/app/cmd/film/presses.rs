//! The presses of a recorded run, a row a button.

use crate::app::cmd::replay::track::Told;
use crate::app::report::film::scene::{Key, Presses, Span};
use crate::game::Buttons;
use crate::message::RunEvent;

/// A command that left so much after it was due was late, ms: half a frame of a console, where it may miss the poll that it
/// was for.
const LATE_MS: f64 = 8.0;
/// A command of a plan and a line about it are the same if they are due so near to each other, ms: lines are rounded.
const SAME_MS: f64 = 0.2;

/// The presses; `None` if there were none.
pub fn of(told: &Told) -> Option<Presses> {
    let mut presses = Presses::default();
    // Buttons in the order of a pad, others behind them.
    let order = |name: &str| Buttons::NAMED.iter().position(|(_, known)| *known == name).unwrap_or(usize::MAX);
    let mut buttons: Vec<(&String, u8)> = told.buttons.iter().map(|(name, relay)| (name, *relay)).collect();
    buttons.sort_by_key(|(name, _)| order(name));
    let commands = commands(told);
    for (name, relay) in buttons {
        let bit = 1_u8.checked_shl(relay.into()).unwrap_or(0);
        let key = key(name, bit, told, &commands);
        if !key.spans.is_empty() || !key.missed_ms.is_empty() {
            presses.keys.push(key);
        }
    }
    presses.stops_ms = told.events.iter().filter_map(stopped_ms).collect();
    (!presses.keys.is_empty()).then_some(presses)
}

/// When everything was told to open.
fn stopped_ms(event: &RunEvent) -> Option<f64> {
    match event {
        RunEvent::Relay { t_ms, reason, .. } if reason == "opened" => Some(*t_ms),
        _ => None,
    }
}

/// What plans wanted closed, and when it was due, ms; in the order of time.
fn commands(told: &Told) -> Vec<(f64, u8)> {
    let plans = told.events.iter().filter_map(|event| match event {
        RunEvent::Plan { commands, .. } => Some(commands.iter().copied()),
        _ => None,
    });
    let mut commands: Vec<(f64, u8)> = plans.flatten().collect();
    commands.sort_by(|a, b| a.0.total_cmp(&b.0));
    commands
}

fn key(name: &str, bit: u8, told: &Told, commands: &[(f64, u8)]) -> Key {
    let mut key = Key { name: name.into(), ..Key::default() };
    let mut open: Option<Span> = None;
    for event in &told.events {
        let RunEvent::Relay { t_ms, due_ms, mask, reason } = event else { continue };
        let is_late = t_ms - due_ms > LATE_MS;
        match (open, mask & bit != 0) {
            (None, true) => open = Some(Span { from_ms: *t_ms, to_ms: f64::INFINITY, is_late }),
            (Some(span), false) => {
                key.spans.push(Span { to_ms: *t_ms, is_late: span.is_late || is_late, ..span });
                open = None;
            }
            _ => {}
        }
        let first = commands.partition_point(|(due, _)| *due < due_ms - SAME_MS);
        let wanted = commands[first..].iter().take_while(|(due, _)| *due <= due_ms + SAME_MS);
        let is_refused = matches!(reason.as_str(), "stale" | "refused");
        if is_refused && wanted.into_iter().any(|(_, wanted)| wanted & bit & !mask != 0) {
            key.missed_ms.push(*t_ms);
        }
    }
    key.spans.extend(open);
    key
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_button_is_closed_from_to_and_what_came_too_late_is_missed() {
        let lines = [
            r#"{"event":"plan","t_ms":0.0,"piece":"T","x":4,"y":18,"orientation":2,"certainty":1.0,"commands":[[100.0,2],[133.0,0],[166.0,2],[200.0,0]]}"#,
            r#"{"event":"relay","t_ms":100.1,"due_ms":100.04,"mask":2,"reason":"planned"}"#,
            r#"{"event":"relay","t_ms":133.0,"due_ms":133.0,"mask":0,"reason":"planned"}"#,
            r#"{"event":"relay","t_ms":190.0,"due_ms":166.0,"mask":0,"reason":"stale"}"#,
            r#"{"event":"relay","t_ms":320.0,"due_ms":300.0,"mask":4,"reason":"planned"}"#,
            r#"{"event":"relay","t_ms":400.0,"due_ms":400.0,"mask":0,"reason":"opened"}"#,
            r#"{"event":"relay","t_ms":500.0,"due_ms":500.0,"mask":4,"reason":"planned"}"#,
            r#"{"event":"relay","t_ms":600.0,"due_ms":580.0,"mask":0,"reason":"stale"}"#,
            r#"{"event":"relay","t_ms":700.0,"due_ms":700.0,"mask":4,"reason":"planned"}"#,
        ];
        let buttons = [("down", 2), ("left", 1), ("a", 5)].map(|(name, relay)| (name.to_string(), relay));
        let told = Told { events: lines.map(RunEvent::from_line).into(), buttons: buttons.into() };
        let presses = of(&told).unwrap();
        let [left, down] = presses.keys.as_slice() else { panic!("{presses:?}") };
        assert_eq!((left.name.as_str(), down.name.as_str()), ("left", "down"), "what was never pressed has no row");
        let times = |key: &Key| key.spans.iter().map(|s| (s.from_ms, s.to_ms, s.is_late)).collect::<Vec<_>>();
        assert_eq!((times(left), left.missed_ms.clone()), (vec![(100.1, 133.0, false)], vec![190.0]));
        assert_eq!(times(down), [(320.0, 400.0, true), (500.0, 600.0, true), (700.0, f64::INFINITY, false)]);
        assert_eq!((down.missed_ms.len(), presses.stops_ms), (0, vec![400.0]));
        assert_eq!(of(&Told::default()), None);
    }
}
