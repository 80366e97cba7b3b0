//! How much sooner or later contacts open than they close, by counting held frames: a direction that is held moves the
//! piece once more if the poll of auto-shift still sees it.

use super::contact::{BOUNCES_MS, has_moved};
use super::estimate::{Fit, mean};
use super::trial::{Kind, Trial};

/// Where the difference is looked for, and in which steps, ms.
const DIFFERENCES_MS: f64 = 12.0;
const SPREAD_MAX_MS: f64 = 6.0;
const STEP_MS: f64 = 0.2;
const SPREAD_STEP_MS: f64 = 0.1;
/// A hold is not what it seems in one of this many cases.
const STRANGE: f64 = 0.02;
/// Fewer holds than this say nothing.
const LEAST_HOLDS: usize = 12;

/// What the holds say.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Release {
    /// By how much contacts open later after their command than they close, ms; negative if sooner.
    pub later_ms: f64,
    /// No contact opens further from the mean than this, ms.
    pub spread_ms: f64,
    /// Holds that it is taken from.
    pub holds: usize,
}

/// The likeliest values; `None` of too few holds. `delay_frames`: after how many frames auto-shift moves again.
pub fn fit_release(trials: &[Trial], fit: &Fit, delay_frames: i64) -> Option<Release> {
    let holds: Vec<&Trial> =
        trials.iter().filter(|trial| trial.kind == Kind::Hold && (1..=2).contains(&trial.moves)).collect();
    if holds.len() < LEAST_HOLDS {
        return None;
    }
    // For each hold: how long after its release each poll came that decided, with the odds that it was that one.
    let deciding: Vec<(Vec<(f64, f64)>, bool)> = holds
        .iter()
        .map(|hold| {
            let polls = fit.polls(hold);
            let total: f64 = polls.iter().map(|(_, likelihood)| likelihood).sum();
            let odds = polls
                .iter()
                .filter(|(_, likelihood)| *likelihood > 0.0)
                .map(|&(frame, likelihood)| (fit.poll_ms(frame + delay_frames) - hold.released_ms, likelihood / total));
            (odds.collect(), hold.moves == 2)
        })
        .collect();
    let rated = |later_ms: f64, spread_ms: f64, bounce_ms: f64| -> f64 {
        let one = |(polls, moved_twice): &(Vec<(f64, f64)>, bool)| {
            let open: f64 =
                polls.iter().map(|(after_ms, odds)| odds * has_moved(after_ms - later_ms, spread_ms, bounce_ms)).sum();
            let likelihood = if *moved_twice { 1.0 - open } else { open };
            ((1.0 - STRANGE) * likelihood + STRANGE / 2.0).ln()
        };
        deciding.iter().map(one).sum()
    };
    let steps = (DIFFERENCES_MS / STEP_MS) as i32;
    let mut laters = Vec::new();
    let mut spreads = Vec::new();
    for later_ms in (-steps..=steps).map(|i| f64::from(i) * STEP_MS) {
        for spread_ms in (1..=(SPREAD_MAX_MS / SPREAD_STEP_MS) as i32).map(|i| f64::from(i) * SPREAD_STEP_MS) {
            for log in BOUNCES_MS.map(|(bounce_ms, odds)| rated(later_ms, spread_ms, bounce_ms) + odds.ln()) {
                laters.push((later_ms, log));
                spreads.push((spread_ms, log));
            }
        }
    }
    // The likeliest spread would be too narrow, as with presses.
    Some(Release { later_ms: mean(&laters), spread_ms: mean(&spreads), holds: holds.len() })
}
