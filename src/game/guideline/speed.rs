//! How fast pieces fall. Times are in µs.

/// The lowest and the highest level (seed 002:1559).
pub const LEVELS: std::ops::RangeInclusive<u8> = 1..=15;
/// How many times as fast a piece falls while it is dropped softly (seed 002:1496, 002:1728).
pub const SOFT_DROP: u64 = 20;
/// From a lock down to the next piece (seed 002:2418).
pub const GENERATION_US: u64 = 200_000;

/// The time a piece takes to fall by a row at a level: (0.8 − (level − 1) · 0.007)^(level − 1) seconds (seed 002:1722). A level
/// beyond 15 is played as 15.
pub fn fall_us(level: u8) -> u64 {
    let steps = level.clamp(*LEVELS.start(), *LEVELS.end()) - 1;
    let base = 0.8 - f64::from(steps) * 0.007;
    // Multiplied out, because how `powi` rounds may differ from machine to machine.
    let seconds = (0..steps).fold(1.0, |product, _| product * base);
    (seconds * 1e6_f64).round() as u64
}
