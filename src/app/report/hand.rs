//! What becomes of the hand and the eye themselves: lost, back, to blame, and every mask that was sent.

use super::numbers::round;
use super::{Report, Voice};
use crate::app::live::recorder::Recorded;
use crate::app::live::stalls::{self, Stall};
use crate::app::out;
use crate::belief::blame::ledger::Blame;
use crate::edge::relay::Sent;
use crate::game::Buttons;
use crate::message::{BlameKind, DelayKind, RunEvent};
use crate::profile::calibration::Measured;
use crate::profile::game_times::RowTime;
use crate::robot::Notice;
use crate::time::HostTime;
use std::io;

/// What was lost, or came back.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
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

impl Report {
    /// Something was lost or came back.
    ///
    /// # Errors
    /// When standard output is closed.
    pub fn loss(&self, what: Loss, time: HostTime) -> io::Result<()> {
        let t_ms = self.t_ms(time);
        self.json(&match what {
            Loss::CameraLost => RunEvent::CameraLost { t_ms },
            Loss::CameraBack => RunEvent::CameraBack { t_ms },
            Loss::BoardLost => RunEvent::BoardLost { t_ms },
            Loss::BoardBack => RunEvent::BoardBack { t_ms },
            Loss::WatchdogLost => RunEvent::WatchdogLost { t_ms },
            Loss::WatchdogBack => RunEvent::WatchdogBack { t_ms },
        })
    }

    /// What tells of a stall while it lasts: words on standard error, or a line of JSON.
    pub fn stall_teller(&self, first: HostTime) -> impl Fn(HostTime) + Send + use<> {
        let (is_json, start) = (self.voice != Voice::Words, self.start.unwrap_or(first));
        move |due| {
            tracing::warn!("{}", stalls::WORDS);
            let line = RunEvent::Stalled { t_ms: round(due.ms_since(start), 1) };
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
        let begun = RunEvent::Stalled { t_ms: self.t_ms(stall.due) };
        if stall.was_told {
            self.keep(&serde_json::to_string(&begun)?);
        } else {
            tracing::warn!("{}", stalls::WORDS);
            self.json(&begun)?;
        }
        tracing::warn!("{}", stall.words());
        self.json(&self.stall_over(stall))
    }

    fn stall_over(&self, stall: &Stall) -> RunEvent {
        let lasted_ms = round(stall.until.ms_since(stall.since), 1);
        RunEvent::StallOver { t_ms: self.t_ms(stall.until), lasted_ms }
    }

    /// A recording has no picture for long. In words it is told once, and counted in the summary.
    ///
    /// # Errors
    /// When standard output is closed.
    pub fn gap(&mut self, stall: &Stall) -> io::Result<()> {
        self.summary.stalls += 1;
        let [since_s, until_s] = [stall.since, stall.until].map(|time| self.t_ms(time) / 1000.0);
        if self.summary.stalls == 1 {
            tracing::warn!(
                "the recording has no picture from {since_s:.1} to {until_s:.1} s: what happened meanwhile is not known, and pieces \
                 that came then are told late or not at all; further such times are counted at the end"
            );
        }
        tracing::debug!(since_s, until_s, "no picture");
        self.json(&RunEvent::Stalled { t_ms: self.t_ms(stall.due) })?;
        self.json(&self.stall_over(stall))
    }

    /// What became of the run's recording.
    pub fn recorded(&mut self, recorded: Recorded) {
        (self.summary.pictures_lost, self.summary.recording_failed) = (recorded.pictures_lost, recorded.has_failed);
    }

    /// What the robot tells about itself and its rig.
    ///
    /// # Errors
    /// When standard output is closed.
    pub(super) fn told(&mut self, told: &Notice) -> io::Result<()> {
        self.learn(told);
        let event = match told {
            Notice::Blame { blame, relay, words } => {
                self.summary.blames += 1;
                self.blamed(blame, *relay, words)
            }
            Notice::Paused { time, words } => RunEvent::Paused { t_ms: self.t_ms(*time), words: words.clone() },
            Notice::NotPaused { time, words } => RunEvent::NotPaused { t_ms: self.t_ms(*time), words: words.clone() },
            Notice::Waiting { time, words } => RunEvent::Waiting { t_ms: self.t_ms(*time), words: words.clone() },
            Notice::Resumed { time } => RunEvent::Resumed { t_ms: self.t_ms(*time) },
            Notice::FallTime { time, level, row_ms, believed_ms, words, .. } => RunEvent::FallTime {
                t_ms: self.t_ms(*time),
                level: *level,
                row_ms: round(*row_ms, 1),
                believed_ms: round(*believed_ms, 1),
                words: words.clone(),
            },
            Notice::Delay { time, what, length, believed_ms, words } => RunEvent::Delay {
                t_ms: self.t_ms(*time),
                what: *what,
                ms: round(length.ms, 1),
                spread_ms: round(length.spread_ms, 1),
                believed_ms: believed_ms.map(|ms| round(ms, 1)),
                words: words.clone(),
            },
            Notice::Adrift { time, piece, why, .. } => {
                self.summary.adrift += 1;
                RunEvent::Adrift { t_ms: self.t_ms(*time), piece: *piece, why: why.words().into() }
            }
        };
        self.json(&event)
    }

    fn learn(&mut self, told: &Notice) {
        let learned = &mut self.learned;
        match *told {
            // A game that runs at another level's speed was begun at that, as likely as not.
            Notice::FallTime { level, row_ms, like_level: None, .. } => {
                learned.row = Some(RowTime { level, ms: round(row_ms, 1) });
            }
            Notice::Delay { what, length: Measured { ms, spread_ms }, .. } => {
                let (ms, spread_ms) = (round(ms, 1), round(spread_ms, 1));
                let length = Some(Measured { ms, spread_ms });
                match what {
                    DelayKind::Entry => learned.entry_delay = length,
                    DelayKind::Clear => learned.clear_delay = length,
                    DelayKind::Lock => learned.lock_delay = length,
                    DelayKind::DropGuard => learned.drop_guard_ms = Some(ms),
                }
            }
            _ => {}
        }
    }

    fn blamed(&self, blame: &Blame, relay: Option<u8>, words: &str) -> RunEvent {
        let Blame { culprit, count, late_ms, .. } = *blame;
        RunEvent::Blame {
            t_ms: self.t_ms(blame.time),
            kind: culprit.kind,
            button: culprit.button.and_then(name),
            other: culprit.other.and_then(name),
            relay,
            count,
            late_ms: (culprit.kind == BlameKind::LateCamera).then(|| round(late_ms, 0)),
            words: words.into(),
        }
    }

    /// A line for each mask that was sent: when it was due and when it left, to the µs.
    pub fn relay_lines(&self, sent: &[Sent]) -> Vec<String> {
        let start = self.start.unwrap_or_default();
        let ms = |time: HostTime| round(time.ms_since(start), 3);
        let line = |s: &Sent| RunEvent::Relay {
            t_ms: ms(s.at),
            due_ms: ms(s.due),
            mask: s.mask.0,
            reason: s.reason.name().into(),
        };
        sent.iter().filter_map(|s| serde_json::to_string(&line(s)).ok()).collect()
    }
}

fn name(button: Buttons) -> Option<String> {
    Buttons::NAMED.into_iter().find(|(known, _)| *known == button).map(|(_, name)| name.into())
}
