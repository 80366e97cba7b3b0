//! Waiting for others.

use stackhand::time::{Clock, SystemClock};

/// Waits for another thread or process; a minute without success fails the test.
#[track_caller]
pub fn eventually(what: &str, mut is_so: impl FnMut() -> bool) {
    let clock = SystemClock::new();
    while !is_so() {
        assert!(clock.now().ms() < 60_000.0, "waited in vain: {what}");
        clock.sleep_until(clock.now().plus_ms(0.5));
    }
}
