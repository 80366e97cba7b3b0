//! Where the loop leaves what viewers see: one place, the newest thing, and a bell that only rings while somebody waits.

use crate::time::{Clock, HostTime};
use std::sync::atomic::{AtomicI64, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError, TryLockError};
use tokio::sync::Notify;

/// A viewer who asked less than this ago is still there, µs.
const WATCHED_FOR_US: i64 = 2_000_000;

/// The place. Whoever writes never waits: what cannot be left at once is not left, and counted.
pub struct Newest<T> {
    item: Mutex<Option<(u64, Arc<T>)>>,
    serial: AtomicU64,
    skipped: AtomicU64,
    waiting: AtomicUsize,
    watched_until: AtomicI64,
    bell: Notify,
}

impl<T> Default for Newest<T> {
    fn default() -> Self {
        Self {
            item: Mutex::new(None),
            serial: AtomicU64::new(0),
            skipped: AtomicU64::new(0),
            waiting: AtomicUsize::new(0),
            watched_until: AtomicI64::new(i64::MIN),
            bell: Notify::new(),
        }
    }
}

impl<T> Newest<T> {
    /// Leaves an item in the place of the one before.
    pub fn put(&self, item: T) {
        let item = Arc::new(item);
        let serial = self.serial.fetch_add(1, Ordering::Relaxed) + 1;
        let before = match self.item.try_lock() {
            Ok(mut place) => place.replace((serial, item)),
            Err(TryLockError::Poisoned(place)) => place.into_inner().replace((serial, item)),
            Err(TryLockError::WouldBlock) => {
                self.skipped.fetch_add(1, Ordering::Relaxed);
                return;
            }
        };
        // The picture before may be freed here, outside of the lock.
        drop(before);
        if self.waiting.load(Ordering::Acquire) > 0 {
            self.bell.notify_waiters();
        }
    }

    /// The newest item with its number, which only grows.
    pub fn get(&self) -> Option<(u64, Arc<T>)> {
        self.item.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// The newest item's number; 0 before the first.
    pub fn serial(&self) -> u64 {
        self.get().map_or(0, |(serial, _)| serial)
    }

    /// Items that could not be left because a reader was there at that moment.
    pub fn skipped(&self) -> u64 {
        self.skipped.load(Ordering::Relaxed)
    }

    /// Whether anybody has looked lately; without viewers nothing need be made for them.
    pub fn is_watched(&self, now: HostTime) -> bool {
        self.watched_until.load(Ordering::Relaxed) > now.0
    }

    /// Somebody looks.
    pub fn watch(&self, now: HostTime) {
        self.watched_until.fetch_max(now.0 + WATCHED_FOR_US, Ordering::Relaxed);
    }

    /// A viewer waits for an item with a number above `after`: it is there before, and has looked after.
    pub async fn look(&self, after: u64, clock: &dyn Clock) {
        self.watch(clock.now());
        self.wait(after).await;
        self.watch(clock.now());
    }

    /// Waits for an item with a number above `after`.
    pub async fn wait(&self, after: u64) {
        let _waiting = Waiting::new(&self.waiting);
        loop {
            let bell = self.bell.notified();
            tokio::pin!(bell);
            bell.as_mut().enable();
            if self.get().is_some_and(|(serial, _)| serial > after) {
                return;
            }
            bell.await;
        }
    }
}

/// Counts a waiting viewer, also when it goes away while it waits.
struct Waiting<'a>(&'a AtomicUsize);

impl<'a> Waiting<'a> {
    fn new(count: &'a AtomicUsize) -> Self {
        count.fetch_add(1, Ordering::AcqRel);
        Self(count)
    }
}

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::AcqRel);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reader_gets_the_newest_and_never_blocks_the_writer() {
        let place = Newest::default();
        place.put("first");
        place.put("second");
        assert_eq!(place.get().map(|(n, item)| (n, *item)), Some((2, "second")));
        let reading = place.item.lock().unwrap();
        place.put("third");
        drop(reading);
        assert_eq!((place.skipped(), place.get().map(|(_, item)| *item)), (1, Some("second")));
    }

    #[test]
    fn a_viewer_is_forgotten_when_it_stops_asking() {
        let place: Newest<()> = Newest::default();
        assert!(!place.is_watched(HostTime(0)));
        place.watch(HostTime(0));
        assert!(place.is_watched(HostTime(WATCHED_FOR_US - 1)));
        assert!(!place.is_watched(HostTime(WATCHED_FOR_US)));
    }
}
