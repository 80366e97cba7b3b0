//! Company for a board while no command is due: a board that can guard itself must hear from its host, and any board that
//! answers can be heard to have stopped.

use super::board::{Health, KeepAlive, RelayError};
use crate::message::RelayMask;
use crate::time::HostTime;
use std::time::Duration;

/// Calls to a board that guards itself follow each other by so much.
const GUARDED_EVERY: Duration = Duration::from_millis(250);
/// To others, which only show that they still answer.
const OTHERS_EVERY: Duration = Duration::from_millis(500);
/// A board is silent when this many calls in a row were not answered, the first of them so long ago, ms: USB adapters and a
/// busy computer hold an answer back for a tenth of that.
const UNANSWERED_MAX: u32 = 3;
const SILENT_MS: f64 = 1000.0;

impl KeepAlive {
    pub(super) fn new(guards_itself: bool, takes: Duration) -> Self {
        Self { every: if guards_itself { GUARDED_EVERY } else { OTHERS_EVERY }, takes, guards_itself }
    }
}

/// What a board says of itself in answer to a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Sign {
    /// The relays that it holds closed.
    pub closed: RelayMask,
    /// How often it has opened all by itself since it was started, if it counts that; stands still at 65535.
    pub rescues: Option<u16>,
}

/// Calls and answers, in order. Pure.
#[derive(Debug, Clone, Default)]
pub(super) struct Calls {
    /// The oldest call that was not answered, and how many there are.
    unanswered: Option<(HostTime, u32)>,
    /// When the last was made, and what the board had been told by then.
    last: Option<HostTime>,
    told: Option<RelayMask>,
    rescues: Option<u16>,
}

impl Calls {
    /// A call is made at `now` to a board that was told `told`.
    pub(super) fn call(&mut self, now: HostTime, told: Option<RelayMask>) {
        let (since, count) = self.unanswered.unwrap_or((now, 0));
        self.unanswered = Some((since, count + 1));
        self.last = Some(now);
        self.told = told;
    }

    /// When the last call was made.
    pub(super) fn last(&self) -> Option<HostTime> {
        self.last
    }

    /// The last call was answered, when nobody asked for it.
    pub(super) fn forget(&mut self) {
        (self.unanswered, self.told) = (None, None);
    }

    /// What was heard of the last call by `now`, just before the next one.
    pub(super) fn hear(&mut self, now: HostTime, sign: Option<Sign>) -> Health {
        let Some(sign) = sign else {
            let overdue = self.unanswered.filter(|(_, count)| *count >= UNANSWERED_MAX);
            let silent_ms = overdue.map_or(0.0, |(since, _)| now.ms_since(since));
            return if silent_ms >= SILENT_MS { Health::Silent(silent_ms) } else { Health::Well };
        };
        self.unanswered = None;
        let before = std::mem::replace(&mut self.rescues, sign.rescues);
        let times = sign.rescues.zip(before).map_or(0, |(now, before)| now.wrapping_sub(before));
        match self.told.take() {
            _ if times > 0 => Health::OpenedItself(times),
            Some(told) if told != sign.closed => Health::Disagrees(sign.closed),
            _ => Health::Well,
        }
    }
}

/// What is wrong with a board in this health, if the relays it holds cannot be trusted any more.
pub(super) fn complaint(health: Health, board: String) -> Option<RelayError> {
    match health {
        Health::Well => None,
        Health::OpenedItself(times) => Some(RelayError::OpenedItself { board, times }),
        Health::Disagrees(got) => Some(RelayError::Disagrees { board, got: got.0 }),
        Health::Silent(ms) => Some(RelayError::Silent { board, ms: ms.round() as u64 }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ms(ms: i64) -> HostTime {
        HostTime(ms * 1000)
    }

    fn sign(closed: u8, rescues: u16) -> Option<Sign> {
        Some(Sign { closed: RelayMask(closed), rescues: Some(rescues) })
    }

    #[test]
    fn a_board_is_silent_after_a_second_and_three_calls() {
        let mut calls = Calls::default();
        for (at, expect) in [(0, 0.0), (250, 0.0), (500, 0.0), (750, 0.0), (1000, 1000.0), (1250, 1250.0)] {
            let health = calls.hear(ms(at), None);
            assert_eq!(health, if expect > 0.0 { Health::Silent(expect) } else { Health::Well }, "{at}");
            calls.call(ms(at), Some(RelayMask(0)));
        }
        assert_eq!(calls.hear(ms(1300), sign(0, 0)), Health::Well);
        // A computer that slept for a minute has not waited for an answer.
        let mut calls = Calls::default();
        calls.call(ms(0), None);
        assert_eq!(calls.hear(ms(60_000), None), Health::Well);
    }

    #[test]
    fn what_the_board_holds_is_compared_with_what_it_was_told_before_the_call() {
        let mut calls = Calls::default();
        for (told, says, expect) in [
            (Some(4), sign(4, 7), Health::Well),
            (Some(4), sign(0, 7), Health::Disagrees(RelayMask(0))),
            (Some(0), sign(4, 7), Health::Disagrees(RelayMask(4))),
            (None, sign(4, 7), Health::Well),
            (Some(4), sign(0, 8), Health::OpenedItself(1)),
            (Some(0), sign(0, 10), Health::OpenedItself(2)),
            (Some(0), sign(0, 10), Health::Well),
        ] {
            calls.call(ms(0), told.map(RelayMask));
            assert_eq!(calls.hear(ms(250), says), expect);
        }
    }
}
