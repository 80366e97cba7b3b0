//! What was measured of a game's times while it was played: `[game_times]` in a calibration. Later runs plan by it.

use super::measured::Measured;
use serde::{Deserialize, Serialize};

/// The longest time that is taken for one, ms.
const LONGEST_MS: f64 = 10_000.0;
/// Times that differ by less are the same: by so many ms, or a row's by this share.
const SAME_MS: f64 = 10.0;
const SAME_SHARE: f64 = 0.05;

/// Times of a game, as far as they were measured.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GameTimes {
    /// So long after it appeared a piece that was not moved cannot be dropped, ms.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub drop_guard_ms: Option<f64>,
    /// How long a row takes at a level, where the game's file has another time and no level's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub row: Option<RowTime>,
    /// How long a piece rests before it locks.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lock_delay: Option<Measured>,
    /// From a lock that fills no row to the next piece.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub entry_delay: Option<Measured>,
    /// So much longer if rows are full.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub clear_delay: Option<Measured>,
}

/// How long a row takes at a level.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RowTime {
    /// The level.
    pub level: u8,
    /// So long, ms.
    pub ms: f64,
}

impl GameTimes {
    /// Whether nothing was measured.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// These, and of the others what these have not.
    #[must_use]
    pub fn or(self, others: Self) -> Self {
        Self {
            drop_guard_ms: self.drop_guard_ms.or(others.drop_guard_ms),
            row: self.row.or(others.row),
            lock_delay: self.lock_delay.or(others.lock_delay),
            entry_delay: self.entry_delay.or(others.entry_delay),
            clear_delay: self.clear_delay.or(others.clear_delay),
        }
    }

    /// Whether these say something that the others do not.
    pub fn is_news_to(self, others: Self) -> bool {
        let is_other = |new: f64, old: Option<f64>, spread_ms: f64| old.is_none_or(|old| (new - old).abs() > spread_ms);
        let measured = |new: Option<Measured>, old: Option<Measured>| {
            new.is_some_and(|new| is_other(new.ms, old.map(|old| old.ms), SAME_MS.max(new.spread_ms)))
        };
        let row = |row: RowTime| {
            let old = others.row.filter(|old| old.level == row.level);
            is_other(row.ms, old.map(|old| old.ms), SAME_SHARE * row.ms)
        };
        measured(self.lock_delay, others.lock_delay)
            || measured(self.entry_delay, others.entry_delay)
            || measured(self.clear_delay, others.clear_delay)
            || self.drop_guard_ms.is_some_and(|new| is_other(new, others.drop_guard_ms, SAME_MS))
            || self.row.is_some_and(row)
    }

    /// What of it is no time, if something is.
    pub(super) fn problem(&self) -> Option<String> {
        let of = |measured: Option<Measured>| measured.map(|measured| measured.ms);
        let times = [
            ("drop_guard_ms", self.drop_guard_ms),
            ("row.ms", self.row.map(|row| row.ms)),
            ("lock_delay.ms", of(self.lock_delay)),
            ("entry_delay.ms", of(self.entry_delay)),
            ("clear_delay.ms", of(self.clear_delay)),
        ];
        let is_wrong = |(name, ms): (&str, Option<f64>)| {
            let ms = ms.filter(|ms| !(0.0..=LONGEST_MS).contains(ms) || name == "row.ms" && *ms < 1.0)?;
            Some(format!("{name} = {ms} in [game_times], which is no time of a game"))
        };
        times.into_iter().find_map(is_wrong)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn measured(ms: f64) -> Option<Measured> {
        Some(Measured { ms, spread_ms: 6.0 })
    }

    #[test]
    fn what_was_measured_before_is_kept_until_it_is_measured_to_be_another() {
        let old = GameTimes { drop_guard_ms: Some(120.0), entry_delay: measured(33.0), ..GameTimes::default() };
        let same = GameTimes { entry_delay: measured(41.0), ..GameTimes::default() };
        assert!(!same.is_news_to(old) && !old.is_news_to(old) && !GameTimes::default().is_news_to(old));
        let news = [
            GameTimes { entry_delay: measured(50.0), ..GameTimes::default() },
            GameTimes { clear_delay: measured(0.0), ..GameTimes::default() },
            GameTimes { lock_delay: measured(500.0), ..GameTimes::default() },
            GameTimes { drop_guard_ms: Some(200.0), ..GameTimes::default() },
            GameTimes { row: Some(RowTime { level: 3, ms: 95.0 }), ..GameTimes::default() },
        ];
        for new in news {
            assert!(new.is_news_to(old), "{new:?}");
            let kept = new.or(old);
            assert!(!new.is_news_to(kept) && kept.drop_guard_ms.is_some() && kept.entry_delay.is_some(), "{kept:?}");
        }
    }

    #[test]
    fn no_time_of_a_game_is_refused() {
        for (text, name) in [
            ("drop_guard_ms = -1.0", "drop_guard_ms"),
            ("row = { level = 3, ms = 0.0 }", "row.ms"),
            ("lock_delay = { ms = inf, spread_ms = 1.0 }", "lock_delay.ms"),
            ("entry_delay = { ms = 20000.0, spread_ms = 1.0 }", "entry_delay.ms"),
            ("clear_delay = { ms = nan, spread_ms = 1.0 }", "clear_delay.ms"),
        ] {
            let times: GameTimes = toml::from_str(text).unwrap();
            assert!(times.problem().is_some_and(|problem| problem.contains(name)), "{text}");
        }
        assert!(toml::from_str::<GameTimes>("lock = 3").is_err());
    }
}
