//! The film's log: what a run told, in few words.

use crate::app::report::film::scene::{Said, Tone};
use crate::game::Piece;
use crate::message::{BlameKind, DelayKind, RunEvent};

/// What is said by when, in the order of time.
#[derive(Debug, Default)]
pub struct Diary(Vec<Said>);

impl Diary {
    /// These events and what was said before.
    pub fn note(&mut self, events: &[RunEvent]) {
        self.0.extend(events.iter().filter_map(said));
        // Where a piece lies is known later than that the next one has come.
        self.0.sort_by(|a, b| a.t_ms.total_cmp(&b.t_ms));
    }

    /// What was said by this time, ms, oldest first.
    pub fn until(&self, time_ms: f64) -> &[Said] {
        &self.0[..self.0.partition_point(|said| said.t_ms <= time_ms)]
    }
}

/// An event's line; `None` of what needs none.
fn said(event: &RunEvent) -> Option<Said> {
    let line = |t_ms: &f64, tone, words: &str| Some(Said { t_ms: *t_ms, piece: None, words: words.into(), tone });
    let of = |t_ms: &f64, piece: &Piece, tone, words: String| {
        Some(Said { t_ms: *t_ms, piece: Some(*piece), words: format!("{piece} {words}"), tone })
    };
    match event {
        RunEvent::Spawn { t_ms, piece, .. } => of(t_ms, piece, Tone::Usual, "appears".into()),
        RunEvent::Lock { t_ms, piece, intended: Some(false), .. } => of(t_ms, piece, Tone::Bad, "misplaced".into()),
        RunEvent::Lock { t_ms, piece, lines: 0, .. } => of(t_ms, piece, Tone::Usual, "locks".into()),
        RunEvent::Lock { t_ms, piece, lines: 1, .. } => of(t_ms, piece, Tone::Good, "clears a line".into()),
        RunEvent::Lock { t_ms, piece, lines, .. } => of(t_ms, piece, Tone::Good, format!("clears {lines} lines")),
        RunEvent::Adrift { t_ms, piece, .. } => of(t_ms, piece, Tone::Warning, "is not steered".into()),
        RunEvent::FallTime { t_ms, row_ms, .. } => line(t_ms, Tone::Warning, &format!("a row takes {row_ms:.0} ms")),
        RunEvent::Delay { t_ms, what, ms, .. } => line(t_ms, Tone::Good, &format!("{} of {ms:.0} ms", delay(*what))),
        RunEvent::GameOver { t_ms } => line(t_ms, Tone::Bad, "game over"),
        RunEvent::Surprise { t_ms, .. } => line(t_ms, Tone::Warning, "a surprise"),
        RunEvent::Calibrated { t_ms: Some(t_ms), .. } => line(t_ms, Tone::Warning, "the field moved"),
        RunEvent::FieldLost { t_ms } => line(t_ms, Tone::Bad, "field lost"),
        RunEvent::FieldBack { t_ms } => line(t_ms, Tone::Good, "field back"),
        RunEvent::Stalled { t_ms } => line(t_ms, Tone::Warning, "no pictures"),
        RunEvent::StallOver { t_ms, .. } => line(t_ms, Tone::Good, "pictures again"),
        RunEvent::CameraLost { t_ms } => line(t_ms, Tone::Bad, "camera lost"),
        RunEvent::CameraBack { t_ms } => line(t_ms, Tone::Good, "camera back"),
        RunEvent::BoardLost { t_ms } => line(t_ms, Tone::Bad, "relay board lost"),
        RunEvent::BoardBack { t_ms } => line(t_ms, Tone::Good, "relay board back"),
        RunEvent::WatchdogLost { t_ms } => line(t_ms, Tone::Bad, "watchdog lost"),
        RunEvent::WatchdogBack { t_ms } => line(t_ms, Tone::Good, "watchdog back"),
        RunEvent::Blame { t_ms, kind, button, .. } => {
            let button = button.as_deref().map(|name| format!(": {name}")).unwrap_or_default();
            line(t_ms, Tone::Bad, &format!("{}{button}", blamed(*kind)))
        }
        RunEvent::Paused { t_ms, .. } => line(t_ms, Tone::Warning, "paused"),
        RunEvent::NotPaused { t_ms, .. } => line(t_ms, Tone::Bad, "could not pause"),
        RunEvent::Waiting { t_ms, .. } => line(t_ms, Tone::Warning, "nothing moves"),
        RunEvent::Resumed { t_ms } => line(t_ms, Tone::Good, "goes on"),
        RunEvent::Relay { t_ms, reason, .. } => {
            let (tone, words) = pressed(reason)?;
            line(t_ms, tone, words)
        }
        _ => None,
    }
}

fn delay(what: DelayKind) -> &'static str {
    match what {
        DelayKind::Entry => "an entry delay",
        DelayKind::Clear => "a clear delay",
        DelayKind::Lock => "a lock delay",
        DelayKind::DropGuard => "a drop guard",
    }
}

fn blamed(kind: BlameKind) -> &'static str {
    match kind {
        BlameKind::LostPress => "press lost",
        BlameKind::DoublePress => "press doubled",
        BlameKind::DeadButton => "dead button",
        BlameKind::StuckClosed => "stuck button",
        BlameKind::SwappedWires => "swapped wires",
        BlameKind::NoKicks => "no kicks",
        BlameKind::LateCamera => "late camera",
    }
}

/// A command that was not sent as planned.
fn pressed(reason: &str) -> Option<(Tone, &'static str)> {
    match reason {
        "opened" => Some((Tone::Bad, "STOP: relays open")),
        "stale" => Some((Tone::Warning, "press too late")),
        "refused" => Some((Tone::Bad, "press refused")),
        "held_too_long" => Some((Tone::Bad, "held too long")),
        "ran_dry" => Some((Tone::Warning, "press not ended")),
        "blind" => Some((Tone::Warning, "no picture: opened")),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::app::report::film::colours::INK;
    use crate::app::report::film::letters::{Style, width_px};

    #[test]
    fn what_happened_is_said_once_it_has() {
        let lines = [
            r#"{"event":"spawn","t_ms":900.0,"piece":"S","next":"O","board":[]}"#,
            r#"{"event":"lock","t_ms":800.0,"piece":"T","x":4,"y":18,"orientation":2,"lines":2,"intended":true}"#,
            r#"{"event":"lock","t_ms":1500.0,"piece":"S","x":4,"y":18,"orientation":8,"lines":1,"intended":false}"#,
            r#"{"event":"relay","t_ms":1600.0,"due_ms":1600.0,"mask":0,"reason":"opened"}"#,
            r#"{"event":"relay","t_ms":1601.0,"due_ms":1601.0,"mask":0,"reason":"planned"}"#,
            r#"{"event":"game_over","t_ms":2000.0}"#,
        ];
        let mut diary = Diary::default();
        diary.note(&lines.map(RunEvent::from_line));
        let words = |ms| diary.until(ms).iter().map(|said| said.words.as_str()).collect::<Vec<_>>();
        assert_eq!(words(1000.0), ["T clears 2 lines", "S appears"]);
        assert_eq!(words(9000.0)[2..], ["S misplaced", "STOP: relays open", "game over"]);
        assert_eq!(diary.until(1500.0)[2].tone, Tone::Bad);
    }

    #[test]
    fn every_line_has_room() {
        let style = Style { capital_px: 9.5, pen_px: 1.35, colour: INK };
        let kinds = [BlameKind::DeadButton, BlameKind::SwappedWires, BlameKind::DoublePress];
        let blames = kinds.map(|kind| format!("{}: left", blamed(kind)));
        let relays = ["opened", "blind", "ran_dry"].map(|reason| pressed(reason).unwrap().1.to_string());
        for words in blames.into_iter().chain(relays).chain(["T is not steered".into()]) {
            assert!(width_px(&words, style) <= 134, "{words}: {} px", width_px(&words, style));
        }
    }
}
