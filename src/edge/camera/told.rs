//! What was said about a camera already: each state is told once, however often the camera is opened again.

use std::collections::BTreeSet;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Camera and state.
static TOLD: Mutex<BTreeSet<(u32, String)>> = Mutex::new(BTreeSet::new());

/// Whether `state` of camera `index` is news. It is none a second time, until [`forget`].
pub(super) fn is_news(index: u32, state: &str) -> bool {
    lock().insert((index, state.to_string()))
}

/// The state has ended: it is news when it comes again.
pub(super) fn forget(index: u32, state: &str) {
    lock().remove(&(index, state.to_string()));
}

/// Warns unless the same was said of this camera before.
pub(super) fn warn_once(index: u32, words: &str) {
    if is_news(index, words) {
        tracing::warn!("camera {index}: {words}");
    }
}

/// How many states of camera `index` were told.
#[cfg(test)]
pub(super) fn told_of(index: u32) -> usize {
    lock().iter().filter(|(camera, _)| *camera == index).count()
}

fn lock() -> MutexGuard<'static, BTreeSet<(u32, String)>> {
    TOLD.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_state_is_news_once_until_it_has_ended() {
        assert!(is_news(9001, "silent") && !is_news(9001, "silent") && is_news(9002, "silent"));
        forget(9001, "silent");
        assert!(is_news(9001, "silent") && !is_news(9002, "silent"));
    }
}
