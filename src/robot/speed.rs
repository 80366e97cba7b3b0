//! Pieces that fall faster or slower than the game's description says.

use super::fall_time::Fallen;
use super::notice::{Notice, OnBlame};
use super::state::Robot;
use crate::game::Buttons;
use crate::time::HostTime;

/// What a key did is seen this much later than a picture usually is, at the latest, ms.
pub(super) const KEY_SHOWS_MS: f64 = 40.0;
/// Levels that a game may have been begun at instead, and how near their speed must be to what was measured.
const LEVELS: std::ops::RangeInclusive<u8> = 0..=29;
const LEVEL_SHARE: f64 = 0.08;

impl Robot {
    /// Measures how fast pieces fall by themselves, and how long the game waits. Where somebody else presses the keys, nothing
    /// tells what they did.
    pub(super) fn watch_times(&mut self, previous: HostTime, now: HostTime) {
        if self.settings.blame == OnBlame::Ignore {
            return;
        }
        let Some(keys) = self.mind.variants.rules().fall_keys() else { return };
        let look = self.fallen(keys, previous);
        self.watch_waits(look, previous, now);
        self.watch_fall(look, now);
    }

    /// Since when a press can have been that shows its effect after the previous picture.
    pub(super) fn shown_since(&self, previous: HostTime) -> HostTime {
        let eye = self.calibration.timing.eye;
        previous.plus_ms(-eye.ms - eye.spread_ms - KEY_SHOWS_MS)
    }

    /// What is seen of the falling piece; `keys` are those that take it down or make it wait.
    fn fallen(&self, keys: Buttons, previous: HostTime) -> Option<Fallen> {
        let piece = self.mind.falling.as_ref().filter(|falling| falling.is_own)?.spawned.time;
        let (_, pose) = self.watcher.belief.falling()?;
        let is_pushed = self.mind.schedule.presses_between(self.shown_since(previous), self.last_look, keys);
        let rests = !pose.moved(0, 1).fits(self.watcher.belief.pile());
        Some(Fallen { piece, pose, level: self.watcher.belief.counters().level, is_pushed, rests })
    }

    /// Believes what was measured rather than the game's description.
    fn watch_fall(&mut self, look: Option<Fallen>, now: HostTime) {
        let (rules, level) = (self.mind.variants.rules(), self.watcher.belief.counters().level);
        self.fall_time.watch(look, now);
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
        let like_level = nearest.filter(|nearest| differs(nearest) < LEVEL_SHARE && *nearest != level);
        let remedy = match like_level {
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
        self.mind.told.push(Notice::FallTime { time: now, level, row_ms, believed_ms, like_level, words });
    }
}
