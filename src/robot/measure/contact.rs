//! How likely a poll sees a contact closed, so long after it should have closed.

/// No contact is more regular than this, or rests sooner, ms.
const LEAST_SPREAD_MS: f64 = 0.05;
const LEAST_BOUNCE_MS: f64 = 0.01;
/// How long a contact may bounce, from its first touch to rest, ms, and how likely that is before anything is seen
/// (datasheets of signal relays: 0.3–2; the middle is taken to be likeliest). It looks much like spread: two milliseconds
/// of spread and one of bounce, or one and a half of each, differ in a few presses of a hundred.
pub const BOUNCES_MS: [(f64, f64); 5] = [(0.1, 0.05), (0.5, 0.25), (1.0, 0.4), (1.5, 0.2), (2.0, 0.1)];
/// The one that a first search takes.
pub use crate::schedule::outcome::BOUNCE_MS as USUAL_BOUNCE_MS;

/// The probability that a contact that first moves at 0 ± `spread_ms`, evenly spread, and parts once while it bounces for
/// `bounce_ms`, has its new state at `after_ms`.
pub fn has_moved(after_ms: f64, spread_ms: f64, bounce_ms: f64) -> f64 {
    let (spread_ms, bounce_ms) = (spread_ms.max(LEAST_SPREAD_MS), bounce_ms.max(LEAST_BOUNCE_MS));
    (moved_ms(after_ms + spread_ms, bounce_ms) - moved_ms(after_ms - spread_ms, bounce_ms)) / (2.0 * spread_ms)
}

/// For how long, on average, a contact that first moves at 0 had its new state until `ms`. While it bounces, that is
/// 1 − 2v(1 − v) of the time about the share v of the bounce: it parts and touches again at two random moments.
fn moved_ms(ms: f64, bounce_ms: f64) -> f64 {
    if ms <= 0.0 {
        0.0
    } else if ms < bounce_ms {
        let share = ms / bounce_ms;
        ms * (1.0 - share + 2.0 / 3.0 * share * share)
    } else {
        ms - bounce_ms / 3.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_contact_moves_within_its_spread_and_its_bounce() {
        assert_eq!(has_moved(-1.01, 1.0, 1.0), 0.0);
        assert!((has_moved(2.01, 1.0, 1.0) - 1.0).abs() < 1e-9);
        let middle = has_moved(1.0 / 3.0, 1.0, 1.0);
        assert!((0.45..0.55).contains(&middle), "{middle}");
        assert!((has_moved(1.0, 1.0, 0.0) - 1.0).abs() < 0.01, "without bounce only the spread is left");
        assert!(has_moved(0.5, 0.0, 1.0) > 0.4, "a contact without spread still bounces");
    }
}
