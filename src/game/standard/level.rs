//! Levels, how fast pieces fall, and what a piece is worth.

use std::fmt;
use std::ops::RangeInclusive;
use std::str::FromStr;

/// The levels, the easiest first.
pub const LEVELS: RangeInclusive<u8> = 1..=10;
/// A step of the delay from level to level, ms.
const STEP_MS: u32 = 50;
/// The shortest delay with a speed bias of −1, ms. (The article calls it level 6's, whose delay by its own table is 250 ms.)
const LIMITED_MS: u32 = 200;
/// The delay with a speed bias of +1, ms.
const HURRIED_MS: u32 = 50;
/// Slower than level 1 by how much the article does not say: so many ms for each step of the bias.
const SLOW_MS: u32 = 500;

/// The level that a number of completed lines earns.
pub fn earned_level(lines: u32) -> u8 {
    match lines {
        0 => 1,
        1..=90 => (1 + (lines - 1) / 10) as u8,
        _ => *LEVELS.end(),
    }
}

/// The level that is played: the higher one of that chosen at the start and that earned.
pub fn actual_level(initial: u8, lines: u32) -> u8 {
    initial.max(earned_level(lines)).clamp(*LEVELS.start(), *LEVELS.end())
}

/// From one falling iteration to the next at a level (1–10), ms.
pub fn iteration_ms(level: u8) -> u32 {
    STEP_MS * u32::from(11 - level.clamp(*LEVELS.start(), *LEVELS.end()))
}

/// What a piece is worth that lands at a level after so many falling iterations. The formula falls below zero on boards higher
/// than the article's own; what a piece is worth does not.
pub fn points(level: u8, iterations: u32) -> u32 {
    (21 + 3 * u32::from(level)).saturating_sub(iterations)
}

/// How a player has changed the speed, −3 (slow) to 3.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, PartialOrd, Ord)]
pub struct SpeedBias(i8);

impl SpeedBias {
    /// All of them.
    pub const RANGE: RangeInclusive<i8> = -3..=3;

    /// A bias; `None` outside of [`Self::RANGE`].
    pub fn new(steps: i8) -> Option<Self> {
        Self::RANGE.contains(&steps).then_some(Self(steps))
    }

    /// Steps from the usual speed.
    pub fn steps(self) -> i8 {
        self.0
    }
}

impl fmt::Display for SpeedBias {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0)
    }
}

impl FromStr for SpeedBias {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let steps = text.parse().ok().and_then(Self::new);
        steps.ok_or_else(|| "use a whole number from -3 (slow) to 3; 0 is the usual speed".into())
    }
}

/// When falling iterations come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Cadence {
    /// One every so many ms.
    EveryMs(u32),
    /// So many in each frame of the screen.
    PerFrame(u32),
}

/// When falling iterations come at a level and a speed bias.
pub fn cadence(level: u8, bias: SpeedBias) -> Cadence {
    let usual = iteration_ms(level);
    match bias.0 {
        ..=-2 => Cadence::EveryMs(SLOW_MS * u32::from(bias.0.unsigned_abs())),
        -1 => Cadence::EveryMs(usual.max(LIMITED_MS)),
        0 => Cadence::EveryMs(usual),
        1 => Cadence::EveryMs(HURRIED_MS),
        more => Cadence::PerFrame(u32::from(more.unsigned_abs()) - 1),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_earn_the_articles_levels() {
        // seed 004:661–679: first and last number of lines of each level.
        let table =
            [(0, 10), (11, 20), (21, 30), (31, 40), (41, 50), (51, 60), (61, 70), (71, 80), (81, 90), (91, 1_000_000)];
        for (level, (first, last)) in (1..).zip(table) {
            for lines in [first, last] {
                assert_eq!(earned_level(lines), level, "{lines} lines");
            }
        }
        // seed 004:655.
        assert_eq!([(4, 0), (4, 40), (4, 41), (9, 95), (10, 0)].map(|(i, l)| actual_level(i, l)), [4, 4, 5, 10, 10]);
    }

    #[test]
    fn each_level_has_its_delay() {
        // seed 004:757–775, in hundredths of a second.
        let table = [50, 45, 40, 35, 30, 25, 20, 15, 10, 5];
        assert_eq!(LEVELS.map(iteration_ms).collect::<Vec<_>>(), table.map(|hundredths| 10 * hundredths));
    }

    #[test]
    fn a_landing_is_worth_what_the_chart_says() {
        // seed 004:823–841: free fall of 18 rows (seed 004:867), and instant drop.
        let table = [(6, 24), (9, 27), (12, 30), (15, 33), (18, 36), (21, 39), (24, 42), (27, 45), (30, 48), (33, 51)];
        for (level, (fallen, dropped)) in LEVELS.zip(table) {
            assert_eq!((points(level, 18), points(level, 0)), (fallen, dropped), "level {level}");
        }
        assert_eq!(points(1, 38), 0);
    }

    #[test]
    fn a_speed_bias_changes_the_delay_as_listed() {
        let at = |level, steps| cadence(level, SpeedBias::new(steps).unwrap());
        // seed 004:1203–1215.
        for level in LEVELS {
            assert_eq!(at(level, -3), Cadence::EveryMs(1500));
            assert_eq!(at(level, -2), Cadence::EveryMs(1000));
            assert_eq!(at(level, -1), Cadence::EveryMs(iteration_ms(level).max(200)));
            assert_eq!(at(level, 0), Cadence::EveryMs(iteration_ms(level)));
            assert_eq!(at(level, 1), Cadence::EveryMs(50));
            assert_eq!((at(level, 2), at(level, 3)), (Cadence::PerFrame(1), Cadence::PerFrame(2)));
        }
        assert_eq!((SpeedBias::new(4), SpeedBias::new(-4)), (None, None));
        assert_eq!("-3".parse(), SpeedBias::new(-3).ok_or_else(String::new));
        assert!("4".parse::<SpeedBias>().unwrap_err().contains("from -3"));
    }
}
