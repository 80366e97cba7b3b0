//! How long a game guards a new piece against early drops, measured while playing: a file may say nothing of it, and then
//! every drop of a piece that need not be moved is lost, and pressed again when that was seen.

use std::collections::VecDeque;

/// The last drops are kept.
const KEPT: usize = 16;
/// Guards that are tried, ms, and how far they are from each other.
const LONGEST_MS: f64 = 1500.0;
const STEP_MS: f64 = 5.0;
/// One press in so many is lost for another reason, or was misread.
const LOST: f64 = 0.05;
/// A longer guard is believed when it is likelier by this than the believed one, nats: after two drops that were not felt.
const SURE_NATS: f64 = 5.0;
/// Of the likely guards the shorter are tried first: this share further than the shortest, by no more than that again, or by so
/// many ms.
const TRIED_SHARE: f64 = 0.25;
const TRIED_MS: f64 = 50.0;

/// A drop of a piece that stood where it had appeared.
#[derive(Debug, Clone, Copy)]
struct Drop {
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
    /// A piece that had been there for so long, at least and at most, was to be dropped; it did, or it did not.
    pub(super) fn see(&mut self, age_ms: [f64; 2], was_felt: bool) {
        if self.drops.len() >= KEPT {
            self.drops.pop_front();
        }
        self.drops.push_back(Drop { age_ms, was_felt });
    }

    /// How long drops are to wait, if that is longer than is believed, ms.
    pub(super) fn longer_than(&self, believed_ms: f64) -> Option<f64> {
        let tried = (0..=(LONGEST_MS / STEP_MS) as u32).map(|step| f64::from(step) * STEP_MS);
        let tried: Vec<(f64, f64)> = tried.map(|ms| (ms, self.nats(ms))).collect();
        let best = tried.iter().map(|(_, nats)| *nats).fold(f64::NEG_INFINITY, f64::max);
        let mut likely = tried.iter().filter(|(_, nats)| *nats > best - 0.5).map(|(ms, _)| *ms);
        let least = likely.next()?;
        let most = likely.next_back().unwrap_or(least);
        let ms = least + (TRIED_SHARE * (most - least)).min(least.max(TRIED_MS));
        (best - self.nats(believed_ms) > SURE_NATS && ms > believed_ms).then_some(ms)
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

    /// Drops at these ages, known to 30 ms, in a game with this guard.
    fn dropped(guard_ms: f64, ages_ms: &[f64]) -> Guard {
        let mut guard = Guard::default();
        ages_ms.iter().for_each(|age| guard.see([age - 15.0, age + 15.0], *age >= guard_ms));
        guard
    }

    #[test]
    fn two_drops_that_were_not_felt_tell_of_a_guard() {
        assert_eq!(dropped(200.0, &[80.0]).longer_than(0.0), None);
        let ms = dropped(200.0, &[80.0, 90.0]).longer_than(0.0).unwrap();
        assert!((90.0..200.0).contains(&ms), "{ms}");
        // And where some were felt later on, it lies between.
        let ms = dropped(200.0, &[80.0, 400.0, 130.0, 420.0]).longer_than(0.0).unwrap();
        assert!((130.0..260.0).contains(&ms), "{ms}");
    }

    #[test]
    fn trying_leads_to_the_guard_and_no_further() {
        for true_ms in [60.0, 120.0, 250.0, 500.0, 900.0] {
            let (mut guard, mut believed, mut lost) = (Guard::default(), 0.0, 0);
            for _ in 0..40 {
                let age = believed + 40.0;
                guard.see([age - 20.0, age + 20.0], age >= true_ms);
                lost += usize::from(age < true_ms);
                believed = guard.longer_than(believed).unwrap_or(believed);
            }
            assert!((true_ms - 41.0..2.0 * true_ms + 60.0).contains(&believed), "{believed} for {true_ms}");
            assert!(lost <= 12, "{lost} lost with a guard of {true_ms}");
        }
    }

    #[test]
    fn a_press_that_is_lost_now_and_then_is_no_guard() {
        let ages = [80.0, 95.0, 110.0, 85.0, 100.0, 120.0, 90.0, 105.0];
        let mut guard = dropped(0.0, &ages);
        guard.see([60.0, 90.0], false);
        assert_eq!(guard.longer_than(0.0), None);
        ages.iter().for_each(|age| guard.see([age - 15.0, age + 15.0], true));
        assert_eq!(guard.longer_than(0.0), None);
    }
}
