//! Whether anybody steers the falling piece. One that nobody does is planned again from where it is seen, and told if that
//! does not help.

use super::notice::{Notice, Why};
use super::state::Robot;
use super::task::News;
use crate::belief::Locked;
use crate::game::{Piece, Pose};
use crate::message::ScreenState;
use crate::time::HostTime;

/// A piece is told that has fallen so long without a plan, ms: whatever is usual (a press that must be seen first, a turn
/// that is tried) takes less.
const TELL_AFTER_MS: f64 = 500.0;
/// While the game is seen, but nothing in it explained for this long, ms, nobody knows where the falling piece is.
const BLIND_MS: f64 = 1000.0;

impl Robot {
    /// Whether a piece falls that nobody steers, for the moment or for good.
    pub fn is_adrift(&self) -> bool {
        self.mind.steering.is_adrift()
    }

    /// A picture was taken in: is the falling piece steered, and if not, is it to be planned again?
    pub(super) fn watch_steering(&mut self, state: ScreenState, now: HostTime) {
        let Some(piece) = self.mind.falling.as_ref().map(|falling| falling.spawned.piece) else {
            return self.mind.steering.let_go();
        };
        if self.mind.rest.is_some() || self.standstill.is_told() {
            return self.mind.steering.let_go();
        }
        if state == ScreenState::Paused {
            return;
        }
        let unseen_since = self.watcher.belief.unexplained_since().filter(|_| state == ScreenState::Playing);
        if let Some(since) =
            unseen_since.filter(|since| now.ms_since(*since) > BLIND_MS && self.mind.steering.is_planned())
        {
            self.mind.steering.lose(since, Why::Unseen);
        }
        let rests = self.standstill.rests();
        rests.inspect(|(pose, _)| self.mind.steering.see(*pose));
        let is_overdue = rests.is_some_and(|(pose, since)| self.mind.steering.is_overdue(pose, since));
        let hangs = |pose: Pose| pose.moved(0, 1).fits(self.watcher.belief.pile());
        let shown = self.watcher.belief.shown_falling().map(|(_, pose)| pose).filter(|pose| hangs(*pose));
        self.mind.steering.see_hanging(shown, now);
        let is_undropped = shown.is_some_and(|pose| self.mind.steering.is_undropped(pose, now));
        if (is_overdue || is_undropped) && self.watcher.belief.falling().is_some_and(|(seen, _)| seen == piece) {
            self.mind.steering.lose(now, Why::Astray);
            self.mind.hear(News::Adrift(now));
        }
        if !self.mind.task.is_pending() && self.mind.steering.is_due(now) && self.is_worth_a_look() {
            let eye = self.calibration.timing.eye;
            let (kept, _) = self.cut(self.moment(now));
            // What was pressed must show first.
            let shows = kept.end().map_or(now, |end| now.max(end.plus_ms(eye.ms + eye.spread_ms)));
            self.mind.hear(News::Adrift(shows));
        }
        if let Some(why) = self.mind.steering.tell(now, TELL_AFTER_MS) {
            self.tell_adrift(piece, why, now);
        }
    }

    /// Whether a picture tells the falling piece's row: not if it falls one sooner than it is known when that was taken.
    fn is_worth_a_look(&self) -> bool {
        let level = self.watcher.belief.counters().level;
        self.mind.variants.rules().row_ms(level) > 2.0 * self.calibration.timing.eye.spread_ms
    }

    /// The falling piece is no more. If nobody steered it to its end, that is told, unless it lies where it was meant to.
    pub(super) fn end_steering(&mut self, locked: Option<&Locked>, now: HostTime) {
        let is_right = locked.is_some_and(|locked| locked.intended == Some(true));
        let piece = self.mind.falling.as_ref().map(|falling| falling.spawned.piece).filter(|_| !is_right);
        if let Some((piece, why)) = piece.and_then(|piece| Some((piece, self.mind.steering.tell(now, 0.0)?))) {
            self.tell_adrift(piece, why, now);
        }
        self.mind.steering.let_go();
    }

    fn tell_adrift(&mut self, piece: Piece, why: Why, now: HostTime) {
        let words = format!("nobody steers the {piece}: {}", why.words());
        tracing::warn!(%now, "{words}");
        self.mind.told.push(Notice::Adrift { time: now, piece, why, words });
    }
}
