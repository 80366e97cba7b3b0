//! One relay contact: a coil that is switched, a contact that follows late and bounces.

use crate::time::HostTime;
use rand::RngExt;
use rand_xoshiro::Xoshiro256PlusPlus;
use std::collections::VecDeque;

/// Moves remembered a contact: minutes of fast play.
const MOVES_KEPT: usize = 4096;

/// A contact that opens and closes once more does so after this time, and opens for good as much later, µs: more than a
/// frame each, so that a console sees both.
const AGAIN_US: i64 = 20_000;

/// How a contact fails to follow its coil.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Slip {
    /// It follows.
    None,
    /// It stays where it is.
    Idle,
    /// It moves, and there and back once more.
    Again,
}

/// How a contact moves, µs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ContactTimes {
    /// From the coil's switching to the first touch, mean.
    pub operate_us: i64,
    /// From the coil's switching to the first parting, mean.
    pub release_us: i64,
    /// Single events lie up to this far from either mean, evenly spread.
    pub spread_us: i64,
    /// From the first touch or parting to rest.
    pub bounce_us: i64,
}

impl Default for ContactTimes {
    /// A common signal relay; board and relay makers state 3–6 ms, 10 at worst.
    fn default() -> Self {
        Self { operate_us: 4000, release_us: 3000, spread_us: 1000, bounce_us: 1000 }
    }
}

impl ContactTimes {
    /// A double PhotoMOS AQW212EH: closes 4 ms after its LED at most, opens 1.0 ms after at most (maker's sheet of 2026-01);
    /// the least is not stated and taken as 0.
    pub const AQW212EH: Self = Self { operate_us: 2000, release_us: 500, spread_us: 2000, bounce_us: 0 };
}

/// A contact's moves, oldest first.
#[derive(Debug, Clone, Default)]
pub(super) struct Contact {
    /// Before the oldest remembered move.
    was_closed: bool,
    moves: VecDeque<(HostTime, bool)>,
    coil: bool,
}

impl Contact {
    /// Switches the coil at `at`, no earlier than any switching before. What the armature has not done by then it
    /// will not do.
    pub(super) fn switch(
        &mut self,
        on: bool,
        at: HostTime,
        times: ContactTimes,
        slip: Slip,
        rng: &mut Xoshiro256PlusPlus,
    ) {
        if self.coil == on {
            return;
        }
        self.coil = on;
        if slip == Slip::Idle {
            return;
        }
        while self.moves.back().is_some_and(|m| m.0 > at) {
            self.moves.pop_back();
        }
        if self.is_closed(at) == on {
            return;
        }
        let mean_us = if on { times.operate_us } else { times.release_us };
        let spread_us = times.spread_us.clamp(0, mean_us);
        let first = HostTime(at.0 + mean_us + rng.random_range(-spread_us..=spread_us));
        self.moves.push_back((first, on));
        // One parting and one touch within the bounce.
        if times.bounce_us > 1 {
            let mut inside = [rng.random_range(1..times.bounce_us), rng.random_range(1..times.bounce_us)];
            inside.sort_unstable();
            self.moves.push_back((HostTime(first.0 + inside[0]), !on));
            self.moves.push_back((HostTime(first.0 + inside[1]), on));
        }
        if slip == Slip::Again {
            self.moves.push_back((HostTime(first.0 + AGAIN_US), !on));
            self.moves.push_back((HostTime(first.0 + 2 * AGAIN_US), on));
        }
        while self.moves.len() > MOVES_KEPT {
            if let Some((_, closed)) = self.moves.pop_front() {
                self.was_closed = closed;
            }
        }
    }

    /// Whether the contact is closed at `at`.
    pub(super) fn is_closed(&self, at: HostTime) -> bool {
        let later = self.moves.partition_point(|m| m.0 <= at);
        later.checked_sub(1).map_or(self.was_closed, |last| self.moves[last].1)
    }

    /// Whether the coil is on.
    pub(super) fn coil(&self) -> bool {
        self.coil
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::SeedableRng;

    const TIMES: ContactTimes = ContactTimes { operate_us: 4000, release_us: 3000, spread_us: 1000, bounce_us: 1000 };

    #[test]
    fn a_contact_follows_its_coil_within_the_stated_times() {
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(1);
        for _ in 0..500 {
            let mut contact = Contact::default();
            contact.switch(true, HostTime(0), TIMES, Slip::None, &mut rng);
            assert!(!contact.is_closed(HostTime(2999)) && contact.is_closed(HostTime(6000)));
            contact.switch(false, HostTime(100_000), TIMES, Slip::None, &mut rng);
            assert!(contact.is_closed(HostTime(101_999)) && !contact.is_closed(HostTime(105_000)));
            assert!(contact.is_closed(HostTime(50_000)), "the past stays as it was");
        }
    }

    #[test]
    fn a_pulse_shorter_than_the_operate_time_never_closes() {
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(2);
        let mut contact = Contact::default();
        contact.switch(true, HostTime(0), TIMES, Slip::None, &mut rng);
        contact.switch(false, HostTime(2500), TIMES, Slip::None, &mut rng);
        assert!((0..20_000).step_by(50).all(|us| !contact.is_closed(HostTime(us))));
    }

    #[test]
    fn a_contact_bounces_and_comes_to_rest() {
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(3);
        let mut contact = Contact::default();
        contact.switch(true, HostTime(0), TIMES, Slip::None, &mut rng);
        let states: Vec<_> = (0..10_000).map(|us| contact.is_closed(HostTime(us))).collect();
        let changes = states.windows(2).filter(|w| w[0] != w[1]).count();
        assert_eq!((changes, states.last()), (3, Some(&true)));
    }

    /// What `--finger solid` stands on: alternate frames pressed and released, seen by every poll as they were meant, as
    /// long as each poll comes more than 4 ms after its command and before the next.
    #[test]
    fn one_frame_pressed_and_one_released_hold_with_a_double_photomos_that_is_locked_to_the_poll() {
        const FRAME_US: i64 = 16_639;
        // Both reads of a poll, and the games that read half a millisecond apart.
        const READS_US: i64 = 500;
        let wrong_polls = |poll_us: i64| {
            let (mut rng, mut contact) = (Xoshiro256PlusPlus::seed_from_u64(5), Contact::default());
            for n in 0..1000 {
                contact.switch(n % 2 == 0, HostTime(n * FRAME_US), ContactTimes::AQW212EH, Slip::None, &mut rng);
            }
            let sees = |at: i64| contact.is_closed(HostTime(at)) && contact.is_closed(HostTime(at + READS_US));
            (0..1000).filter(|n| sees(n * FRAME_US + poll_us) != (n % 2 == 0)).count()
        };
        // Mid-way, and 5.9 ms to either side; and what happens without a lock.
        let middle_us = (4000 + FRAME_US - READS_US) / 2;
        for poll_us in (middle_us - 5900..=middle_us + 5900).step_by(200) {
            assert_eq!(wrong_polls(poll_us), 0, "{poll_us}");
        }
        assert!(wrong_polls(1500) > 100 && wrong_polls(3000) > 50);
    }

    #[test]
    fn a_contact_that_slips_stays_or_moves_twice() {
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(4);
        let mut contact = Contact::default();
        contact.switch(true, HostTime(0), TIMES, Slip::Idle, &mut rng);
        assert!(contact.coil() && !contact.is_closed(HostTime(50_000)));
        contact.switch(false, HostTime(60_000), TIMES, Slip::None, &mut rng);
        contact.switch(true, HostTime(100_000), TIMES, Slip::None, &mut rng);
        contact.switch(false, HostTime(140_000), TIMES, Slip::Again, &mut rng);
        let closed = |ms: i64| contact.is_closed(HostTime(ms * 1000));
        assert_eq!([closed(120), closed(150), closed(170), closed(200)], [true, false, true, false]);
        contact.switch(true, HostTime(300_000), TIMES, Slip::None, &mut rng);
        contact.switch(false, HostTime(340_000), TIMES, Slip::Idle, &mut rng);
        assert!(!contact.coil() && contact.is_closed(HostTime(900_000)), "welded");
    }
}
