//! Waiting for others.

use stackhand::time::{Clock, SystemClock};

/// Waits for another thread or process; three minutes without success fail the test: on a busy machine a search for the field takes
/// seconds a picture, and how long things take is not what is asked here.
#[track_caller]
pub fn eventually(what: &str, mut is_so: impl FnMut() -> bool) {
    let clock = SystemClock::new();
    while !is_so() {
        assert!(clock.now().ms() < 180_000.0, "waited in vain: {what}");
        clock.sleep_until(clock.now().plus_ms(0.5));
    }
}
