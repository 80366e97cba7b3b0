//! What becomes of the hand and the eye themselves: lost, back, to blame, and every mask that was sent.

use super::numbers::round;
use super::{Report, Voice};
use crate::app::live::recorder::Recorded;
use crate::app::live::stalls::{self, Stall};
use crate::app::out;
use crate::belief::blame::ledger::{Blame, Kind};
use crate::edge::relay::Sent;
use crate::game::Buttons;
use crate::game::Piece;
use crate::robot::Told;
use crate::time::HostTime;
use serde::Serialize;
use std::io;

/// What was lost, or came back.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Loss {
    /// No pictures any more; the relays are open.
    CameraLost,
    /// Pictures again.
    CameraBack,
    /// The port is gone; nothing is pressed until the board is back.
    BoardLost,
    /// The board is back, its relays open.
    BoardBack,
    /// Nobody would open the relays if the program died; they are open, and nothing is pressed.
    WatchdogLost,
    /// A new watchdog stands.
    WatchdogBack,
}

#[derive(Serialize)]
struct LossLine {
    event: Loss,
    t_ms: f64,
}

#[derive(Serialize)]
struct BlameLine<'a> {
    event: &'static str,
    t_ms: f64,
    kind: Kind,
    button: Option<&'static str>,
    /// The button with which it is swapped.
    #[serde(skip_serializing_if = "Option::is_none")]
    other: Option<&'static str>,
    relay: Option<u8>,
    count: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    late_ms: Option<f64>,
    words: &'a str,
}

#[derive(Serialize)]
struct RestLine<'a> {
    event: &'static str,
    t_ms: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    words: Option<&'a str>,
}

#[derive(Serialize)]
struct AdriftLine {
    event: &'static str,
    t_ms: f64,
    piece: Piece,
    why: &'static str,
}

#[derive(Serialize)]
struct StallLine {
    event: &'static str,
    t_ms: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    lasted_ms: Option<f64>,
}

/// Only in recordings.
#[derive(Serialize)]
struct RelayLine {
    event: &'static str,
    t_ms: f64,
    due_ms: f64,
    mask: u8,
    reason: &'static str,
}

impl Report {
    /// Something was lost or came back.
    ///
    /// # Errors
    /// When standard output is closed.
    pub fn loss(&self, what: Loss, time: HostTime) -> io::Result<()> {
        self.json(&LossLine { event: what, t_ms: self.t_ms(time) })
    }

    /// What tells of a stall while it lasts: words on standard error, or a line of JSON.
    pub fn stall_teller(&self, first: HostTime) -> impl Fn(HostTime) + Send + use<> {
        let (is_json, start) = (self.voice != Voice::Words, self.start.unwrap_or(first));
        move |due| {
            tracing::warn!("{}", stalls::WORDS);
            let line = StallLine { event: "stalled", t_ms: round(due.ms_since(start), 1), lasted_ms: None };
            if let Some(text) = is_json.then(|| serde_json::to_string(&line).ok()).flatten() {
                // The loop finds out by itself that nobody listens.
                let _ = out::line(text);
            }
        }
    }

    /// No picture came for long.
    ///
    /// # Errors
    /// When standard output is closed.
    pub fn stall(&mut self, stall: &Stall) -> io::Result<()> {
        self.summary.stalls += 1;
        let begun = StallLine { event: "stalled", t_ms: self.t_ms(stall.due), lasted_ms: None };
        if stall.was_told {
            self.keep(&serde_json::to_string(&begun)?);
        } else {
            tracing::warn!("{}", stalls::WORDS);
            self.json(&begun)?;
        }
        tracing::warn!("{}", stall.words());
        let lasted_ms = round(stall.until.ms_since(stall.since), 1);
        self.json(&StallLine { event: "stall_over", t_ms: self.t_ms(stall.until), lasted_ms: Some(lasted_ms) })
    }

    /// What became of the run's recording.
    pub fn recorded(&mut self, recorded: Recorded) {
        (self.summary.pictures_lost, self.summary.recording_failed) = (recorded.pictures_lost, recorded.has_failed);
    }

    /// What the robot tells about itself and its rig.
    ///
    /// # Errors
    /// When standard output is closed.
    pub(super) fn told(&mut self, told: &Told) -> io::Result<()> {
        let (event, time, words) = match told {
            Told::Blame { blame, relay, words } => {
                self.summary.blames += 1;
                return self.json(&self.blame_line(blame, *relay, words));
            }
            Told::Paused { time, words } => ("paused", time, Some(words)),
            Told::NotPaused { time, words } => ("not_paused", time, Some(words)),
            Told::Waiting { time, words } => ("waiting", time, Some(words)),
            Told::Resumed { time } => ("resumed", time, None),
            Told::Adrift { time, piece, why, .. } => {
                self.summary.adrift += 1;
                let (t_ms, why) = (self.t_ms(*time), why.words());
                return self.json(&AdriftLine { event: "adrift", t_ms, piece: *piece, why });
            }
        };
        self.json(&RestLine { event, t_ms: self.t_ms(*time), words: words.map(String::as_str) })
    }

    fn blame_line<'a>(&self, blame: &Blame, relay: Option<u8>, words: &'a str) -> BlameLine<'a> {
        let Blame { culprit, count, late_ms, .. } = *blame;
        BlameLine {
            event: "blame",
            t_ms: self.t_ms(blame.time),
            kind: culprit.kind,
            button: culprit.button.and_then(name),
            other: culprit.other.and_then(name),
            relay,
            count,
            late_ms: (culprit.kind == Kind::LateCamera).then(|| round(late_ms, 0)),
            words,
        }
    }

    /// A line for each mask that was sent: when it was due and when it left, to the µs.
    pub fn relay_lines(&self, sent: &[Sent]) -> Vec<String> {
        let start = self.start.unwrap_or_default();
        let ms = |time: HostTime| round(time.ms_since(start), 3);
        let line = |s: &Sent| RelayLine {
            event: "relay",
            t_ms: ms(s.at),
            due_ms: ms(s.due),
            mask: s.mask.0,
            reason: s.reason.name(),
        };
        sent.iter().filter_map(|s| serde_json::to_string(&line(s)).ok()).collect()
    }
}

fn name(button: Buttons) -> Option<&'static str> {
    Buttons::NAMED.into_iter().find(|(known, _)| *known == button).map(|(_, name)| name)
}
