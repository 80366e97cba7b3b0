//! What becomes of the hand and the eye themselves: lost, back, and every mask that was sent.

use super::{Report, round};
use crate::relay::Sent;
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
}

#[derive(Serialize)]
struct LossLine {
    event: Loss,
    t_ms: f64,
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
