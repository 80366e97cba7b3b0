//! Pieces that fall faster or slower than the game's description says, or than they do at the level that was told.

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
        let rules = self.mind.variants.rules();
        let may_wait_otherwise = !rules.is_known_to_the_frame();
        let look = self.fallen(rules.fall_keys(), previous);
        if may_wait_otherwise {
            self.watch_waits(look, previous, now);
        }
        self.watch_fall(look, now);
    }

    /// Since when a press can have been that shows its effect after the previous picture.
    pub(super) fn shown_since(&self, previous: HostTime) -> HostTime {
        let eye = self.calibration.timing.eye;
        previous.plus_ms(-eye.ms - eye.spread_ms - KEY_SHOWS_MS)
    }

    /// The last press that the last picture can show.
    fn shown_until(&self) -> HostTime {
        let eye = self.calibration.timing.eye;
        self.last_look.plus_ms((eye.spread_ms - eye.ms).min(0.0))
    }

    /// What is seen of the falling piece; `keys` are those that take it down or make it wait.
    fn fallen(&self, keys: Buttons, previous: HostTime) -> Option<Fallen> {
        let piece = self.mind.falling.as_ref().filter(|falling| falling.is_own)?.spawned.time;
        let (_, pose) = self.watcher.belief.falling()?;
        let is_pushed = self.mind.schedule.presses_between(self.shown_since(previous), self.shown_until(), keys);
        let rests = !pose.moved(0, 1).fits(self.watcher.belief.pile());
        Some(Fallen { piece, pose, level: self.watcher.belief.counters().level, is_pushed, rests })
    }

    /// Believes what was measured rather than the game's description, or where all times are known another level.
    fn watch_fall(&mut self, look: Option<Fallen>, now: HostTime) {
        let (rules, level) = (self.mind.variants.rules(), self.watcher.belief.counters().level);
        self.fall_time.watch(look, now);
        let Some(row_ms) = self.fall_time.other_than(rules.row_ms(level)) else { return };
        if rules.is_known_to_the_frame() {
            self.believe_other_level(level, row_ms, now);
        } else {
            self.tell_other_times(level, row_ms, now);
            let minds = std::iter::once(&mut self.mind).chain(&mut self.proposed);
            minds.for_each(|mind| mind.variants.fall_by(level, row_ms));
        }
        self.fall_time.forget();
    }

    /// The first level at which a row takes about so long, ms, and by how much it differs, as the logarithm of a factor.
    fn nearest_level(&self, row_ms: f64) -> Option<(u8, f64)> {
        let rules = self.mind.variants.rules();
        let differs = |level: u8| (rules.described_row_ms(level) / row_ms).ln().abs();
        LEVELS.map(|level| (level, differs(level))).min_by(|a, b| a.1.total_cmp(&b.1))
    }

    fn believe_other_level(&mut self, level: u8, row_ms: f64, now: HostTime) {
        let Some((nearest, differs)) = self.nearest_level(row_ms) else { return };
        let rules = self.mind.variants.rules();
        let believed_ms = rules.row_ms(level);
        let is_alike = |other: &u8| rules.row_ms(*other) == rules.row_ms(nearest);
        let last = LEVELS.filter(is_alike).max().unwrap_or(nearest);
        let levels = if last == nearest { format!("level {nearest}") } else { format!("levels {nearest} to {last}") };
        let remedy = if differs < LEVEL_SHARE {
            format!(
                "that is the speed of {levels}: if the game began at another level than was said, say so by --level"
            )
        } else {
            format!(
                "no level of this game has that speed, {levels} come nearest: does the game run as fast as it should?"
            )
        };
        let words = format!(
            "pieces fall a row in {row_ms:.0} ms, not in {believed_ms:.0} as at level {level}; the game is taken to be at level \
             {nearest} from now on ({remedy})"
        );
        self.watcher.belief.take_level(nearest);
        self.tell_fall_time(Notice::FallTime {
            time: now,
            level,
            row_ms,
            believed_ms,
            like_level: Some(nearest),
            words,
        });
    }

    fn tell_other_times(&mut self, level: u8, row_ms: f64, now: HostTime) {
        let believed_ms = self.mind.variants.rules().row_ms(level);
        let nearest = self.nearest_level(row_ms);
        let like_level =
            nearest.filter(|(nearest, differs)| *differs < LEVEL_SHARE && *nearest != level).map(|nearest| nearest.0);
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
        self.tell_fall_time(Notice::FallTime { time: now, level, row_ms, believed_ms, like_level, words });
    }

    fn tell_fall_time(&mut self, notice: Notice) {
        // Said once. Where the game counts its levels otherwise it is measured again and again.
        let is_told = std::mem::replace(&mut self.fall_time.is_told, true);
        match notice.said() {
            Some((now, words)) if !is_told => tracing::warn!(%now, "{words}"),
            Some((now, words)) => tracing::debug!(%now, "{words}"),
            None => {}
        }
        self.mind.told.push(notice);
    }
}
