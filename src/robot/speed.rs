//! Pieces that fall faster or slower than the game's description says.

use super::fall_time::Fallen;
use super::notice::Notice;
use super::state::Robot;
use crate::game::Piece;
use crate::game::orientation::Pose;
use crate::time::HostTime;

/// What a key did is seen this much later than a picture usually is, at the latest, ms.
const KEY_SHOWS_MS: f64 = 40.0;
/// Levels that a game may have been begun at instead, and how near their speed must be to what was measured.
const LEVELS: std::ops::RangeInclusive<u8> = 0..=29;
const LEVEL_SHARE: f64 = 0.08;

impl Robot {
    /// Measures how fast pieces fall by themselves, and believes that rather than the game's description.
    pub(super) fn watch_fall(&mut self, previous: HostTime, now: HostTime) {
        let rules = self.mind.variants.rules();
        let Some(keys) = rules.fall_keys() else { return };
        let (eye, level) = (self.calibration.timing.eye, self.watcher.belief.counters().level);
        let since = previous.plus_ms(-eye.ms - eye.spread_ms - KEY_SHOWS_MS);
        let is_pushed = self.mind.schedule.presses_between(since, now, keys);
        let piece = self.mind.falling.as_ref().map(|falling| falling.spawned.time);
        let seen = piece.zip(self.watcher.belief.falling());
        let pile = self.watcher.belief.pile();
        let fallen = |(piece, (_, pose)): (HostTime, (Piece, Pose))| {
            let rests = !pose.moved(0, 1).fits(pile);
            Fallen { piece, pose, level, is_pushed, rests }
        };
        self.fall_time.watch(seen.map(fallen), now);
        if let Some(row_ms) = self.fall_time.other_than(rules.row_ms(level)) {
            self.tell_fall_time(level, row_ms, now);
            let minds = std::iter::once(&mut self.mind).chain(&mut self.proposed);
            minds.for_each(|mind| mind.variants.fall_by(level, row_ms));
            self.fall_time.forget();
        }
    }

    fn tell_fall_time(&mut self, level: u8, row_ms: f64, now: HostTime) {
        let rules = self.mind.variants.rules();
        let believed_ms = rules.row_ms(level);
        let differs = |level: &u8| (rules.described_row_ms(*level) / row_ms).ln().abs();
        let nearest = LEVELS.min_by(|a, b| differs(a).total_cmp(&differs(b)));
        let remedy = match nearest.filter(|nearest| differs(nearest) < LEVEL_SHARE && *nearest != level) {
            Some(nearest) => {
                format!("that is about level {nearest}'s: if the game began at another level, say so by --level")
            }
            None => "if that is not right either, correct row_ms in the game's file".to_string(),
        };
        let words = format!(
            "pieces fall a row in {row_ms:.0} ms, not in {believed_ms:.0} as at level {level}; they are planned by that from now \
             on ({remedy})"
        );
        // Said once. Where the game counts its levels otherwise it is measured again and again.
        match std::mem::replace(&mut self.fall_time.is_told, true) {
            false => tracing::warn!(%now, "{words}"),
            true => tracing::debug!(%now, "{words}"),
        }
        self.mind.told.push(Notice::FallTime { time: now, level, row_ms, believed_ms, words });
    }
}
