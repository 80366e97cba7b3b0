//! The open connections of one kind: a bounded number, and who must go when one more comes.

use crate::time::HostTime;
use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use tokio::task::AbortHandle;

/// A connection that has asked nothing for this long is idle, µs: between two pictures a viewer is silent for less.
const IDLE_AFTER_US: i64 = 250_000;
/// What [`Presence`] holds while a request is being answered.
const BUSY: i64 = i64::MAX;

/// Since when a connection has had nothing to do.
#[derive(Clone)]
pub struct Presence(Arc<AtomicI64>);

impl Presence {
    /// Of a connection whose first request has just come.
    pub fn busy() -> Self {
        Self(Arc::new(AtomicI64::new(BUSY)))
    }

    /// A request has come.
    pub fn asks(&self) {
        self.0.store(BUSY, Ordering::Relaxed);
    }

    /// It is answered.
    pub fn rests(&self, now: HostTime) {
        self.0.store(now.0, Ordering::Relaxed);
    }

    fn idle_since(&self) -> Option<i64> {
        Some(self.0.load(Ordering::Relaxed)).filter(|since| *since != BUSY)
    }
}

/// What a connection is run by, and can be ended by.
pub trait Task {
    /// It has ended by itself.
    fn is_over(&self) -> bool;
    /// Ends it.
    fn end(&self);
}

impl Task for AbortHandle {
    fn is_over(&self) -> bool {
        self.is_finished()
    }

    fn end(&self) {
        self.abort();
    }
}

struct Guest<T> {
    task: T,
    presence: Presence,
    since: HostTime,
}

/// Open connections, oldest first. Times come from outside.
pub struct Guests<T> {
    seats: usize,
    /// Nobody who is being answered must go before this, ms: or many would only chase each other away.
    stay_ms: f64,
    here: VecDeque<Guest<T>>,
}

impl<T: Task> Guests<T> {
    /// This many seats, each for `stay_ms` at least unless it is idle.
    pub fn new(seats: usize, stay_ms: f64) -> Self {
        Self { seats, stay_ms, here: VecDeque::new() }
    }

    /// Makes room for one more: those who have gone make room first, then who has been idle longest, then who has been here
    /// longest. False if nobody can be asked to go yet.
    pub fn make_room(&mut self, now: HostTime) -> bool {
        if self.here.len() < self.seats {
            return true;
        }
        self.here.retain(|guest| !guest.task.is_over());
        if self.here.len() < self.seats {
            return true;
        }
        let idle = self.here.iter().enumerate().filter_map(|(i, guest)| Some((guest.presence.idle_since()?, i)));
        let idlest = idle.min().filter(|(since, _)| now.0 - since >= IDLE_AFTER_US).map(|(_, i)| i);
        let oldest = || self.here.front().filter(|guest| now.ms_since(guest.since) >= self.stay_ms).map(|_| 0);
        let Some(guest) = idlest.or_else(oldest).and_then(|i| self.here.remove(i)) else { return false };
        guest.task.end();
        true
    }

    /// Whether one more fills the last seat.
    pub fn is_full_but_one(&self) -> bool {
        self.here.len() + 1 >= self.seats
    }

    /// One more has come.
    pub fn enter(&mut self, task: T, presence: Presence, now: HostTime) {
        self.here.push_back(Guest { task, presence, since: now });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::AtomicBool;

    #[derive(Clone, Default)]
    struct Call(Arc<AtomicBool>);

    impl Task for Call {
        fn is_over(&self) -> bool {
            self.0.load(Ordering::Relaxed)
        }

        fn end(&self) {
            self.0.store(true, Ordering::Relaxed);
        }
    }

    /// This many busy guests, one a millisecond.
    fn house(seats: usize, stay_ms: f64) -> (Guests<Call>, Vec<Call>, Vec<Presence>) {
        let mut guests = Guests::new(seats, stay_ms);
        let calls: Vec<Call> = (0..seats).map(|_| Call::default()).collect();
        let presences: Vec<Presence> = (0..seats).map(|_| Presence::busy()).collect();
        for (i, (call, presence)) in calls.iter().zip(&presences).enumerate() {
            let now = HostTime::from_ms(i as f64);
            assert!(guests.make_room(now));
            guests.enter(call.clone(), presence.clone(), now);
        }
        (guests, calls, presences)
    }

    fn ended(calls: &[Call]) -> Vec<bool> {
        calls.iter().map(Task::is_over).collect()
    }

    #[test]
    fn the_idlest_goes_first_then_the_oldest_and_nobody_before_their_time() {
        let at = HostTime::from_ms;
        let (mut guests, calls, presences) = house(3, 1000.0);
        presences[1].rests(at(10.0));
        presences[2].rests(at(5.0));
        assert!(!guests.make_room(at(100.0)), "nobody is idle yet, nobody old");
        assert!(guests.make_room(at(300.0)));
        assert_eq!(ended(&calls), [false, false, true]);
        guests.enter(Call::default(), Presence::busy(), at(300.0));
        presences[1].asks();
        assert!(!guests.make_room(at(999.0)));
        assert!(guests.make_room(at(1000.0)));
        assert_eq!(ended(&calls), [true, false, true]);
    }

    #[test]
    fn who_has_gone_makes_room_and_strangers_go_at_once_oldest_first() {
        let at = HostTime::from_ms;
        let (mut guests, calls, _) = house(3, 0.0);
        calls[1].end();
        assert!(guests.make_room(at(3.0)));
        assert_eq!(ended(&calls), [false, true, false], "nobody had to go");
        guests.enter(Call::default(), Presence::busy(), at(3.0));
        assert!(guests.make_room(at(3.0)));
        assert_eq!(ended(&calls), [true, true, false]);
    }
}
