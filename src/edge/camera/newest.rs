//! A place for one item between two threads: a newer one replaces it, and the loss is counted.

use crate::edge::{CameraError, IsEnded};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// The place. Clones are the same place.
pub(super) struct Newest<T> {
    shared: Arc<(Mutex<State<T>>, Condvar)>,
}

struct State<T> {
    item: Option<T>,
    end: Option<Result<(), CameraError>>,
    ended: bool,
    replaced: u64,
}

/// Whoever waits looks this often whether it shall end: a signal leaves a program two seconds.
const SLICE: Duration = Duration::from_millis(50);

/// What [`Newest::take`] found.
pub(super) enum Taken<T> {
    /// The newest item.
    Item(T),
    /// The writer has ended; its error, the first time.
    End(Result<(), CameraError>),
    /// Nothing came in time.
    Nothing,
}

impl<T> Clone for Newest<T> {
    fn clone(&self) -> Self {
        Self { shared: self.shared.clone() }
    }
}

impl<T> Newest<T> {
    pub(super) fn new() -> Self {
        let state = State { item: None, end: None, ended: false, replaced: 0 };
        Self { shared: Arc::new((Mutex::new(state), Condvar::new())) }
    }

    pub(super) fn put(&self, item: T) {
        let mut state = self.lock();
        state.replaced += u64::from(state.item.replace(item).is_some());
        drop(state);
        self.shared.1.notify_all();
    }

    /// Nothing more will come.
    pub(super) fn end(&self, how: Result<(), CameraError>) {
        let mut state = self.lock();
        state.end = Some(how);
        state.ended = true;
        drop(state);
        self.shared.1.notify_all();
    }

    /// Waits for an item that was not taken yet.
    pub(super) fn take(&self, timeout: Duration) -> Taken<T> {
        let waited = self.shared.1.wait_timeout_while(self.lock(), timeout, |s| s.item.is_none() && !s.ended);
        let (mut state, _) = waited.unwrap_or_else(PoisonError::into_inner);
        match (state.item.take(), state.ended) {
            (Some(item), _) => Taken::Item(item),
            (None, true) => Taken::End(state.end.take().unwrap_or(Ok(()))),
            (None, false) => Taken::Nothing,
        }
    }

    /// The same, but ends early when `is_ended` says so.
    pub(super) fn take_until(&self, timeout: Duration, is_ended: Option<&IsEnded>) -> Taken<T> {
        let Some(is_ended) = is_ended else { return self.take(timeout) };
        let mut left = timeout;
        loop {
            match self.take(left.min(SLICE)) {
                Taken::Nothing if is_ended() => return Taken::End(Ok(())),
                Taken::Nothing if left > SLICE => left -= SLICE,
                taken => return taken,
            }
        }
    }

    /// Items that nobody took.
    pub(super) fn replaced(&self) -> u64 {
        self.lock().replaced
    }

    fn lock(&self) -> MutexGuard<'_, State<T>> {
        self.shared.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_newest_item_replaces_older_ones_and_the_end_comes_last() {
        let place = Newest::new();
        assert!(matches!(place.take(Duration::ZERO), Taken::Nothing));
        place.put(1);
        place.put(2);
        place.end(Ok(()));
        assert!(matches!(place.take(Duration::ZERO), Taken::Item(2)));
        assert!(matches!(place.take(Duration::ZERO), Taken::End(Ok(()))));
        assert_eq!(place.replaced(), 1);
    }

    #[test]
    fn waiting_ends_when_the_run_does() {
        let place: Newest<u8> = Newest::new();
        let looks = Arc::new(std::sync::atomic::AtomicU32::new(0));
        let counted = looks.clone();
        let third: IsEnded = Arc::new(move || counted.fetch_add(1, std::sync::atomic::Ordering::Relaxed) == 2);
        assert!(matches!(place.take_until(Duration::from_secs(3600), Some(&third)), Taken::End(Ok(()))));
        assert_eq!(looks.load(std::sync::atomic::Ordering::Relaxed), 3);
        let never: IsEnded = Arc::new(|| false);
        assert!(matches!(place.take_until(Duration::from_millis(120), Some(&never)), Taken::Nothing));
        place.put(5);
        assert!(matches!(place.take_until(Duration::from_secs(3600), Some(&never)), Taken::Item(5)));
    }
}
