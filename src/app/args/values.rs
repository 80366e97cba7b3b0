//! What numbers on the command line may be.

use std::ops::RangeInclusive;

/// A number from 0 to 1.
pub fn share(text: &str) -> Result<f64, String> {
    in_range(text, 0.0..=1.0, "a number from 0 to 1")
}

/// A camera's rate, pictures a second.
pub fn fps(text: &str) -> Result<f64, String> {
    in_range(text, 5.0..=240.0, "a rate from 5 to 240 pictures a second")
}

/// How many of something, at least one.
pub fn count(text: &str) -> Result<u64, String> {
    text.parse().ok().filter(|count| *count > 0).ok_or_else(|| "it must be a whole number from 1 on".into())
}

/// How long a run may last, s.
pub fn seconds(text: &str) -> Result<f64, String> {
    in_range(text, 0.1..=1e7, "a time from 0.1 s to 10,000,000 s")
}

/// How long a row takes, ms.
pub fn row_ms(text: &str) -> Result<f64, String> {
    in_range(text, 1.0..=10_000.0, "a time from 1 to 10000 ms")
}

/// A number within a range; `what` completes "it must be …".
pub fn in_range(text: &str, range: RangeInclusive<f64>, what: &str) -> Result<f64, String> {
    text.parse().ok().filter(|v| range.contains(v)).ok_or_else(|| format!("it must be {what}"))
}
