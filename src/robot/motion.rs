//! A game in which nothing moves: somebody has paused it, or it is over and draws no curtain.
//!
//! Start ends a pause, so it is pressed only where the picture says that the game is over: the falling piece rests, or covers
//! blocks, and the next one would find no room. A piece in mid-air, a screen that hides the field, a pile that leaves room:
//! that is taken for a pause, told once, and waited for.

use super::notice::Notice;
use super::state::{Robot, Standstill};
use crate::game::Piece;
use crate::game::orientation::Pose;
use crate::message::ScreenState;
use crate::time::HostTime;

/// Nothing has moved for so much longer than a piece takes to fall, ms: the longest pause that games make by themselves is
/// a few seconds.
const STILL_MS: f64 = 6000.0;

impl Robot {
    /// Watches whether the falling piece moves; a game that is over is begun anew.
    pub(super) fn watch_motion(&mut self, state: ScreenState, now: HostTime) {
        let Some((_, pose)) = self.watcher.belief.falling() else {
            self.standstill = Standstill::default();
            return;
        };
        let (_, since) = match self.standstill.last {
            Some(known) if known.0 == pose => known,
            before => {
                self.standstill.last = Some((pose, now));
                if before.is_some() {
                    self.moves_again(now);
                }
                return;
            }
        };
        let still_ms = now.ms_since(since);
        let level = self.watcher.belief.counters().level;
        let fall_ms = self.mind.variants.rules().row_ms(level) * self.watcher.belief.pile().height() as f64;
        if self.mind.next_start.is_some() || self.standstill.is_told || still_ms <= fall_ms + STILL_MS {
            return;
        }
        match self.why_not_over(pose, state) {
            None => {
                tracing::warn!("nothing moves any more, and the next piece has no room: taking the game for over");
                self.mind.next_start = Some(now);
            }
            Some(why) => self.tell_standstill(still_ms, why, now),
        }
    }

    /// It runs: another press of Start would pause it.
    fn moves_again(&mut self, now: HostTime) {
        (self.mind.next_start, self.mind.starts) = (None, 0);
        if std::mem::take(&mut self.standstill.is_told) {
            tracing::warn!("the game goes on");
            self.mind.told.push(Notice::Resumed { time: now });
            self.lose_track(now);
        }
    }

    /// What speaks against the end of the game.
    fn why_not_over(&self, pose: Pose, state: ScreenState) -> Option<&'static str> {
        let pile = self.watcher.belief.pile();
        let mut settled = *pile;
        pose.stamp(&mut settled);
        let movement = &self.planner.movement;
        // One that appears above the field has to come in, too.
        let has_room = |piece: Piece| {
            movement.begins_above(piece).is_none_or(|pose| pose.fits(&settled)) && movement.spawn(piece).fits(&settled)
        };
        let next_has_room = self.watcher.belief.next().map_or_else(|| Piece::ALL.into_iter().all(has_room), has_room);
        match state {
            ScreenState::Paused => Some("the picture shows a pause"),
            ScreenState::Obscured | ScreenState::NotThisGame => Some("the field cannot be seen"),
            _ if !pose.fits(pile) => None,
            _ if pose.moved(0, 1).fits(pile) => Some("the piece hangs in mid-air"),
            _ if next_has_room => Some("the pile leaves room for the next piece"),
            _ => None,
        }
    }

    fn tell_standstill(&mut self, still_ms: f64, why: &str, now: HostTime) {
        self.standstill.is_told = true;
        let words = format!(
            "nothing has moved for {:.0} s, but {why}: this is taken for a pause, and Start is not pressed. Let the game go on; \
             if it is over, begin the next one by hand",
            still_ms / 1000.0
        );
        tracing::warn!("{words}");
        self.mind.told.push(Notice::Waiting { time: now, words });
    }
}
