//! What the tests at the edges share.

use stackhand::time::{Clock, SystemClock};

/// Waits for another thread or process; twenty seconds without success fail the test.
#[track_caller]
pub fn eventually(what: &str, mut is_so: impl FnMut() -> bool) {
    let clock = SystemClock::new();
    while !is_so() {
        assert!(clock.now().ms() < 20_000.0, "waited in vain: {what}");
        clock.sleep_until(clock.now().plus_ms(0.5));
    }
}
