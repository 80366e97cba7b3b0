//! Pictures that do not come: told while the loop still waits for one, once a stall, and once more when one comes.

use crate::time::{Clock, HostTime};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

/// A time without pictures that has ended.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Stall {
    /// When the last picture had come.
    pub since: HostTime,
    /// When the next one was due at the latest.
    pub due: HostTime,
    /// When it came.
    pub until: HostTime,
    /// That none comes was told meanwhile.
    pub was_told: bool,
}

impl Stall {
    /// In words, when it is over.
    pub fn words(&self) -> String {
        format!("pictures come again, after {:.1} s without one", self.until.ms_since(self.since) / 1000.0)
    }
}

/// What is told while no picture comes.
pub const WORDS: &str = "no picture comes any more, so nothing is pressed until one does; look after the camera, or after what captures the screen";

/// Waits for pictures that do not come.
#[derive(Default)]
pub struct Stalls {
    shared: Arc<Shared>,
    teller: Option<JoinHandle<()>>,
}

#[derive(Default)]
struct Shared {
    state: Mutex<State>,
    wake: Condvar,
}

#[derive(Default)]
struct State {
    /// The last picture, and when the next is due at the latest.
    last: Option<(HostTime, HostTime)>,
    is_told: bool,
    is_over: bool,
}

impl Stalls {
    /// With `tell`, called in a thread of its own when no picture has come in time. Where the system gives no thread it is
    /// told when one comes.
    pub fn told_by(clock: Arc<dyn Clock>, tell: impl Fn(HostTime) + Send + 'static) -> Self {
        let shared = Arc::new(Shared::default());
        let watched = shared.clone();
        let body = move || watched.watch(clock.as_ref(), &tell);
        let teller = std::thread::Builder::new().name("stalls".into()).spawn(body).ok();
        Self { shared, teller }
    }

    /// A picture came, and the next is due at the latest at `due`. The stall that ends with it, if it came late.
    pub fn see(&self, time: HostTime, due: HostTime) -> Option<Stall> {
        let mut state = self.shared.lock();
        let before = state.last.replace((time, due));
        let was_told = std::mem::take(&mut state.is_told);
        drop(state);
        self.shared.wake.notify_all();
        let late = before.filter(|(_, due)| was_told || time > *due);
        late.map(|(since, due)| Stall { since, due, until: time, was_told })
    }

    /// No more pictures are waited for. The stall that has not ended, if there is one.
    pub fn end(&mut self, now: HostTime) -> Option<Stall> {
        let mut state = self.shared.lock();
        state.is_over = true;
        let last = state.last.take().filter(|_| state.is_told);
        drop(state);
        self.shared.wake.notify_all();
        if let Some(teller) = self.teller.take()
            && teller.join().is_err()
        {
            tracing::error!("the thread that waits for pictures panicked");
        }
        last.map(|(since, due)| Stall { since, due, until: now, was_told: true })
    }
}

impl Drop for Stalls {
    fn drop(&mut self) {
        self.end(HostTime::default());
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn watch(&self, clock: &dyn Clock, tell: &dyn Fn(HostTime)) {
        let mut state = self.lock();
        while !state.is_over {
            let due = state.last.map(|(_, due)| due).filter(|_| !state.is_told);
            let left_ms = due.map(|due| due.ms_since(clock.now()));
            match left_ms {
                Some(left_ms) if left_ms <= 0.0 => {
                    state.is_told = true;
                    drop(state);
                    tell(due.unwrap_or_default());
                    state = self.lock();
                }
                Some(left_ms) => {
                    let wait = Duration::from_secs_f64(left_ms / 1000.0);
                    state = self.wake.wait_timeout(state, wait).unwrap_or_else(PoisonError::into_inner).0;
                }
                None => state = self.wake.wait(state).unwrap_or_else(PoisonError::into_inner),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::time::SystemClock;
    use std::sync::mpsc::channel;

    fn at(ms: f64) -> HostTime {
        HostTime::from_ms(ms)
    }

    #[test]
    fn a_stall_is_one_however_it_is_told() {
        let stalls = Stalls::default();
        assert_eq!(stalls.see(at(0.0), at(500.0)), None);
        assert_eq!(stalls.see(at(33.0), at(533.0)), None);
        let stall = Stall { since: at(33.0), due: at(533.0), until: at(733.0), was_told: false };
        assert_eq!(stalls.see(at(733.0), at(1233.0)), Some(stall));
        assert_eq!(stall.words(), "pictures come again, after 0.7 s without one");
        assert_eq!(stalls.see(at(766.0), at(1266.0)), None);
    }

    #[test]
    fn a_stall_is_told_once_while_it_lasts_and_only_after_its_time() {
        let clock = Arc::new(SystemClock::new());
        let (told, heard) = channel();
        let telling = clock.clone();
        let tell = move |due: HostTime| told.send((due, telling.now())).unwrap();
        let mut stalls = Stalls::told_by(clock.clone(), tell);
        let now = clock.now();
        let due = now.plus_ms(30.0);
        stalls.see(now, due);
        let (told_due, told_at) = heard.recv_timeout(Duration::from_secs(20)).unwrap();
        assert!(told_due == due && told_at >= due);
        let later = clock.now();
        let stall = stalls.see(later, later.plus_ms(60_000.0)).unwrap();
        assert!(stall.was_told && stall.until == later);
        assert_eq!(stalls.end(later.plus_ms(1.0)), None);
        assert!(heard.try_recv().is_err(), "once");
    }
}
