//! How long a game guards a new piece against early drops, measured while playing: a file may say nothing of it, and then
//! every drop of a piece that need not be moved is lost, and pressed again when that was seen.

use crate::time::HostTime;
use std::collections::VecDeque;

/// The last drops are kept.
const KEPT: usize = 16;
/// Guards that are tried, ms, and how far they are from each other.
const LONGEST_MS: f64 = 1500.0;
const STEP_MS: f64 = 5.0;
/// One press in so many is lost for another reason, or was misread.
const LOST: f64 = 0.05;
/// A longer guard is believed when it is likelier by this than the believed one, nats: after two pieces whose drops were not felt.
const SURE_NATS: f64 = 5.0;
/// Of the likely guards the shorter are tried first: this share further than the shortest, by no more than that again, or by so
/// many ms.
const TRIED_SHARE: f64 = 0.25;
const TRIED_MS: f64 = 50.0;

/// A drop of a piece that stood where it had appeared.
#[derive(Debug, Clone, Copy)]
struct Drop {
    /// When the piece appeared.
    piece: HostTime,
    /// How long the piece had been there: at least, and at most.
    age_ms: [f64; 2],
    was_felt: bool,
}

/// What was seen of drops.
#[derive(Debug, Clone, Default)]
pub(super) struct Guard {
    drops: VecDeque<Drop>,
}

impl Guard {
    /// A piece that had been there for so long, at least and at most, was to be dropped; it did, or it did not. What keeps one drop
    /// from being felt may keep the next ones of the same piece: they count once, with the latest.
    pub(super) fn see(&mut self, piece: HostTime, age_ms: [f64; 2], was_felt: bool) {
        if self.drops.back().is_some_and(|last| last.piece == piece && !last.was_felt && !was_felt) {
            self.drops.pop_back();
        }
        if self.drops.len() >= KEPT {
            self.drops.pop_front();
        }
        self.drops.push_back(Drop { piece, age_ms, was_felt });
    }

    /// How long drops are to wait, if that is longer than is believed, ms. A key that does nothing at all tells of no guard: later
    /// drops must have been felt.
    pub(super) fn longer_than(&self, believed_ms: f64) -> Option<f64> {
        let tried = (0..=(LONGEST_MS / STEP_MS) as u32).map(|step| f64::from(step) * STEP_MS);
        let tried: Vec<(f64, f64)> = tried.map(|ms| (ms, self.nats(ms))).collect();
        let best = tried.iter().map(|(_, nats)| *nats).fold(f64::NEG_INFINITY, f64::max);
        let mut likely = tried.iter().filter(|(_, nats)| *nats > best - 0.5).map(|(ms, _)| *ms);
        let least = likely.next()?;
        let most = likely.next_back().unwrap_or(least);
        let ms = least + (TRIED_SHARE * (most - least)).min(least.max(TRIED_MS));
        let is_bounded = self.drops.iter().any(|drop| drop.was_felt && drop.age_ms[1] > ms);
        (best - self.nats(believed_ms) > SURE_NATS && ms > believed_ms && is_bounded).then_some(ms)
    }

    /// The logarithm of the likelihood of all that was seen if the guard is so long.
    fn nats(&self, ms: f64) -> f64 {
        let felt = |drop: &Drop| {
            let [least, most] = drop.age_ms;
            let share = ((most - ms) / (most - least).max(STEP_MS)).clamp(0.0, 1.0);
            LOST / 2.0 + (1.0 - LOST) * share
        };
        self.drops.iter().map(|drop| if drop.was_felt { felt(drop) } else { 1.0 - felt(drop) }).map(f64::ln).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn see(guard: &mut Guard, piece: u32, age: f64, was_felt: bool) {
        guard.see(HostTime::from_ms(f64::from(piece) * 3000.0), [age - 15.0, age + 15.0], was_felt);
    }

    /// Pieces that are dropped at these ages, known to 30 ms, and again 300 ms later until that is felt, in a game with this guard.
    fn dropped(guard_ms: f64, ages_ms: &[f64]) -> Guard {
        let mut guard = Guard::default();
        for (piece, age) in (0..).zip(ages_ms) {
            let ages = (0..).map(|again| age + 300.0 * f64::from(again));
            for age in ages.clone().take_while(|age| *age < guard_ms) {
                see(&mut guard, piece, age, false);
            }
            see(&mut guard, piece, ages.into_iter().find(|age| *age >= guard_ms).unwrap(), true);
        }
        guard
    }

    #[test]
    fn two_pieces_whose_drops_were_not_felt_tell_of_a_guard() {
        assert_eq!(dropped(200.0, &[80.0]).longer_than(0.0), None);
        assert_eq!(dropped(900.0, &[80.0]).longer_than(0.0), None);
        let ms = dropped(200.0, &[80.0, 90.0]).longer_than(0.0).unwrap();
        assert!((90.0..250.0).contains(&ms), "{ms}");
    }

    #[test]
    fn a_key_that_is_never_felt_is_not_guarded_but_dead() {
        let mut guard = Guard::default();
        for piece in 0..20 {
            (0..5).for_each(|again| see(&mut guard, piece, 80.0 + 300.0 * f64::from(again), false));
            assert_eq!(guard.longer_than(0.0), None);
        }
    }

    #[test]
    fn trying_leads_to_the_guard_and_not_far_beyond() {
        for true_ms in [60.0, 120.0, 250.0, 500.0, 900.0] {
            let (mut guard, mut believed, mut lost) = (Guard::default(), 0.0, 0);
            for piece in 0..40 {
                let mut age = believed + 40.0;
                lost += u32::from(age < true_ms);
                while age < true_ms {
                    see(&mut guard, piece, age, false);
                    age += 300.0;
                }
                see(&mut guard, piece, age, true);
                believed = guard.longer_than(believed).unwrap_or(believed);
            }
            assert!((true_ms - 41.0..true_ms + 310.0).contains(&believed), "{believed} for {true_ms}");
            assert!(lost <= 6, "{lost} pieces with lost drops, of a guard of {true_ms}");
        }
    }

    #[test]
    fn a_press_that_is_lost_now_and_then_is_no_guard() {
        let mut guard = dropped(0.0, &[80.0, 95.0, 110.0, 85.0, 100.0, 120.0, 90.0, 105.0]);
        see(&mut guard, 90, 104.0, false);
        assert_eq!(guard.longer_than(0.0), None);
        see(&mut guard, 90, 404.0, true);
        (91..96).for_each(|piece| see(&mut guard, piece, 95.0, true));
        see(&mut guard, 96, 98.0, false);
        assert_eq!(guard.longer_than(0.0), None);
    }
}
