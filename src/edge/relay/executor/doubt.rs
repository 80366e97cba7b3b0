//! When nobody can be sure that the relays are open: said at once, before anybody asks again, and before the program ends.

use super::{ExecutorHandle, Hold};
use crate::edge::relay::executor::handle::{Shared, Verdict};
use std::sync::PoisonError;
use std::time::Duration;

impl Shared {
    /// Notes what is known; a doubt is told once.
    pub(super) fn judge(&self, verdict: Verdict) {
        let mut state = self.lock();
        state.verdict = Some(verdict);
        let is_new = match verdict {
            Verdict::Open => std::mem::replace(&mut state.doubt_told, false),
            Verdict::Told => false,
            Verdict::Doubt => !std::mem::replace(&mut state.doubt_told, true),
        };
        let board = state.board.clone();
        if is_new {
            let words = match verdict {
                Verdict::Doubt => format!(
                    "RELAYS MAY STILL BE CLOSED: {board} does not confirm that they are open; pull its supply or the pad's plug now"
                ),
                _ => format!("{board} says after all that its relays are open"),
            };
            state.news.push(words.clone());
            drop(state);
            match verdict {
                Verdict::Doubt => tracing::error!("{words}"),
                _ => tracing::warn!("{words}"),
            }
        }
        self.opened.notify_all();
    }
}

impl ExecutorHandle {
    /// Forgets the schedule, opens all relays, presses nothing any more, and has the board asked whether they are open, which
    /// goes on after this returns. Waits at most `timeout` of real time; false if the relays were not told to open in it.
    pub fn hold(&self, hold: Hold, timeout: Duration) -> bool {
        let mut state = self.shared.lock();
        // The end is not called off by a pause.
        if state.hold != Some(Hold::End) {
            state.hold = Some(hold);
        }
        self.open_and_wait(state, timeout)
    }

    /// The pause is over: what was planned before it is stale.
    pub fn go_on(&self) {
        let mut state = self.shared.lock();
        state.hold = state.hold.filter(|hold| *hold == Hold::End);
        state.schedule = None;
        state.opens_asked += 1;
        state.stats.interrupted += 1;
        drop(state);
        self.shared.wake.notify_all();
    }

    /// Waits at most `timeout` of real time until it is known whether the relays are open after [`Self::hold`], and says so
    /// when nobody can be sure; the last thing before the program ends or stands still.
    pub fn tell_doubt(&self, timeout: Duration) {
        let state = self.shared.lock();
        let waited = self.shared.opened.wait_timeout_while(state, timeout, |s| s.verdict.is_none() && !s.ended);
        let (state, _) = waited.unwrap_or_else(PoisonError::into_inner);
        let is_known = state.verdict.is_some();
        drop(state);
        if !is_known {
            self.shared.judge(Verdict::Doubt);
        }
    }
}
