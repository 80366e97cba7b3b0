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

/// A number within a range; `what` completes "it must be …".
pub fn in_range(text: &str, range: RangeInclusive<f64>, what: &str) -> Result<f64, String> {
    text.parse().ok().filter(|v| range.contains(v)).ok_or_else(|| format!("it must be {what}"))
}
