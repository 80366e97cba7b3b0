//! When the console polls, how far single contacts lie apart, and how late the camera shows a press: the likeliest values,
//! given the taps.

use super::contact::{BOUNCES_MS, USUAL_BOUNCE_MS, has_moved};
use super::trial::{Kind, Picture, Trial};
use crate::belief::clock::game_clock::GameClock;
use crate::game::Buttons;
use crate::vision::read::confidence::STILL_SHARE;

/// How far a share may be off: the scale of a t distribution of three degrees of freedom, which allows that one in fifty is
/// several times as far off. Old is hardly ever taken for new: were that thought likely, presses that a slow contact delayed
/// would pass for misread pictures, and the spread would come out too small.
const SHARE_SCALE: f64 = 0.06;
/// A trial is not what it seems in one of this many cases: a press was missed and a bounce counted, a picture misread.
const STRANGE: f64 = 0.02;
const STRANGE_LIKELIHOOD: f64 = 1e-3;
/// Polls that may have read a press, from the first after it.
const POLLS: i64 = 4;
/// The first search: delays about the mean way from press to picture, and phases about the game clock's, ms.
const DELAYS_ASIDE_MS: f64 = 14.0;
const PHASES_ASIDE_MS: f64 = 2.5;
const COARSE_STEP_MS: f64 = 0.5;
/// Rates about the game clock's, millionths.
const RATES_PPM: [f64; 7] = [-60.0, -40.0, -20.0, 0.0, 20.0, 40.0, 60.0];
const FIRST_SPREAD_MS: f64 = 1.5;
/// Exposures that are tried first, as shares of the time from picture to picture.
const EXPOSURES: [f64; 4] = [0.1, 0.25, 0.5, 0.9];
/// The fine search's first and last steps: poll and picture phase ms, rate ppm, spread ms, exposure ms, gamma.
const FIRST_STEPS: [f64; 6] = [1.0, 1.0, 20.0, 0.4, 3.0, 0.1];
const LAST_STEP_SHARE: f64 = 0.01;
const GROW: f64 = 1.3;
const SHRINK: f64 = 0.5;
const ROUNDS_MAX: usize = 200;
/// Bounds of what can be, ms.
const SPREADS_MS: std::ops::RangeInclusive<f64> = 0.05..=8.0;
const EXPOSURES_MS: std::ops::RangeInclusive<f64> = 0.5..=70.0;
/// A picture's brightness is light to this power; which one is hardly ever known (sRGB: about 0.45).
const GAMMAS: std::ops::RangeInclusive<f64> = 0.35..=1.4;
const FIRST_GAMMAS: [f64; 3] = [0.45, 0.7, 1.0];
/// The first search asks no more taps than this.
const COARSE_TAPS: usize = 60;
/// Fewer taps than this say nothing.
const LEAST_TAPS: usize = 12;
/// Spreads and polls that are weighed against each other in the end: up to here, in these steps, ms.
const WEIGHED_SPREADS_MS: f64 = 6.0;
const SPREAD_STEP_MS: f64 = 0.1;
const WEIGHED_POLLS_ASIDE_MS: f64 = 1.6;
const POLL_STEP_MS: f64 = 0.2;
/// A button's own delay is looked for so far about the mean, in these steps, ms.
const BUTTONS_ASIDE_MS: f64 = 3.0;
const BUTTON_STEP_MS: f64 = 0.1;
/// Relays of one board differ by so much (one standard deviation), ms. Without it, chance would pass for a difference, and
/// what is taken for a difference is missing in the spread.
const BUTTONS_SIGMA_MS: f64 = 0.5;

/// What the taps say.
#[derive(Debug, Clone, PartialEq)]
pub struct Fit {
    /// A command at the board by this time, ms on the host's clock, is read by the poll of frame 0 or by the one after it
    /// with equal odds, but for the bounce.
    pub poll_ms: f64,
    /// From poll to poll, ms.
    pub frame_ms: f64,
    /// From then until a picture would arrive that shows that frame for half of its exposure: eye + close, ms.
    pub delay_ms: f64,
    /// No contact closes further from the mean than this, ms.
    pub spread_ms: f64,
    /// How long it bounces, ms: the mean of all that may be.
    pub bounce_ms: f64,
    /// How long the shutter is open, ms.
    pub exposure_ms: f64,
    /// To which power of the light the camera's brightness goes.
    pub gamma: f64,
    /// By how much each button's contact closes later than the mean, ms.
    pub buttons: Vec<(Buttons, f64)>,
    /// One standard deviation of the delay, ms.
    pub delay_error_ms: f64,
    /// Taps that it is taken from.
    pub taps: usize,
}

/// What is searched for. `poll` and `picture` are phases about the mean of the taps' times, where the rate does not matter.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Guess {
    middle_ms: f64,
    frame_ms: f64,
    bounce_ms: f64,
    /// Poll ms, picture ms, rate ppm, spread ms, exposure ms, gamma.
    values: [f64; 6],
}

impl Guess {
    fn period_ms(&self) -> f64 {
        self.frame_ms * (1.0 + self.values[2] * 1e-6)
    }

    fn poll_ms(&self, frame: i64) -> f64 {
        self.middle_ms + self.values[0] + frame as f64 * self.period_ms()
    }

    fn delay_ms(&self) -> f64 {
        self.values[1] - self.values[0]
    }

    fn is_possible(&self) -> bool {
        let [_, _, _, spread_ms, exposure_ms, gamma] = self.values;
        SPREADS_MS.contains(&spread_ms) && EXPOSURES_MS.contains(&exposure_ms) && GAMMAS.contains(&gamma)
    }

    fn first_poll(&self, pressed_ms: f64) -> i64 {
        ((pressed_ms - self.middle_ms - self.values[0]) / self.period_ms()).floor() as i64 - 1
    }

    /// The polls that may have read a press, each with the probability of that and of the pictures.
    fn polls(&self, tap: &Trial, late_ms: f64) -> [(i64, f64); POLLS as usize] {
        let pressed_ms = tap.pressed_ms + late_ms;
        let first = self.first_poll(pressed_ms);
        let mut before = 0.0;
        std::array::from_fn(|i| {
            let frame = first + i as i64;
            let poll_ms = self.poll_ms(frame);
            let by_now = has_moved(poll_ms - pressed_ms, self.values[3], self.bounce_ms);
            let read = (by_now - before).max(0.0);
            before = by_now;
            (frame, if read > 0.0 { read * self.shown(&tap.pictures, poll_ms + self.delay_ms()) } else { 0.0 })
        })
    }

    /// How long after a press the next polls come, each with how likely the pictures are if that one read it.
    fn seen(&self, tap: &Trial, late_ms: f64) -> [(f64, f64); POLLS as usize] {
        let pressed_ms = tap.pressed_ms + late_ms;
        let first = self.first_poll(pressed_ms);
        std::array::from_fn(|i| {
            let poll_ms = self.poll_ms(first + i as i64);
            (poll_ms - pressed_ms, self.shown(&tap.pictures, poll_ms + self.delay_ms()))
        })
    }

    /// How likely these pictures are if the piece moved at a boundary.
    fn shown(&self, pictures: &[Picture], boundary_ms: f64) -> f64 {
        let tails = pictures.iter().map(|picture| {
            let share = ((picture.taken_ms - boundary_ms) / self.values[4] + 0.5).clamp(0.0, 1.0);
            let off = picture.share - seen_share(share, self.values[5]);
            1.0 + (off / SHARE_SCALE).powi(2) / 3.0
        });
        tails.product::<f64>().powi(-2)
    }

    fn log_likelihood(&self, taps: &[(&Trial, f64)]) -> f64 {
        let one = |&(tap, late_ms): &(&Trial, f64)| {
            let ways: f64 = self.polls(tap, late_ms).iter().map(|(_, likelihood)| likelihood).sum();
            ((1.0 - STRANGE) * ways + STRANGE * STRANGE_LIKELIHOOD).ln()
        };
        taps.iter().map(one).sum()
    }
}

/// The share as `share_between` reads it. Where brightness is light to a power below one, a cell that has come looks as if it
/// had been lit for longer, and so does one that has gone; and changes below [`STILL_SHARE`] are not seen.
fn seen_share(share: f64, gamma: f64) -> f64 {
    if share <= 0.0 || share >= 1.0 {
        return share;
    }
    let seen = |change: f64| if change < f64::from(STILL_SHARE) { 0.0 } else { change };
    (seen(share.powf(gamma)) + seen(1.0 - (1.0 - share).powf(gamma))) / 2.0
}

/// The likeliest values for these taps of directions, and each button's own delay; `None` of too few. `clock` is where the
/// search begins, and what is `known` from fewer trials; a source takes a picture every `period_ms`.
pub fn fit(trials: &[Trial], clock: &GameClock, period_ms: f64, known: Option<&Fit>) -> Option<Fit> {
    let all: Vec<&Trial> =
        trials.iter().filter(|trial| trial.moves > 0 && trial.seen_ms().is_some() && is_plain(trial)).collect();
    let mut taps: Vec<(&Trial, f64)> =
        all.iter().filter(|trial| is_direction(trial)).map(|trial| (*trial, 0.0)).collect();
    if taps.len() < LEAST_TAPS {
        return None;
    }
    // What fewer trials said may have been wrong, and a search among few taps may be.
    let firsts = known.map(|known| known.as_guess(middle_ms(&taps), clock));
    let climbed = firsts.into_iter().chain([coarse(&taps, clock, period_ms)]).map(|first| climb(first, &taps));
    let mut best = climbed.max_by(|a, b| a.log_likelihood(&taps).total_cmp(&b.log_likelihood(&taps)))?;
    // A button that differs from the others must not widen the flip of all.
    let lates = [Buttons::LEFT, Buttons::RIGHT].map(|button| (button, late_ms(&best, &all, button)));
    for (tap, late) in &mut taps {
        *late = lates.iter().find(|(button, _)| *button == tap.button).and_then(|(_, late)| *late).unwrap_or(0.0);
    }
    best = climb(best, &taps);
    let (mean, poll_error_ms) = weighed(best, &taps);
    best = mean;
    let buttons = [Buttons::LEFT, Buttons::RIGHT, Buttons::A, Buttons::B];
    let buttons = buttons.into_iter().filter_map(|button| Some((button, late_ms(&best, &all, button)?))).collect();
    let picture_error_ms = picture_error_ms(&best, &taps);
    Some(Fit {
        poll_ms: best.poll_ms(0),
        frame_ms: best.period_ms(),
        delay_ms: best.delay_ms(),
        spread_ms: best.values[3],
        bounce_ms: best.bounce_ms,
        exposure_ms: best.values[4],
        gamma: best.values[5],
        buttons,
        delay_error_ms: poll_error_ms.hypot(picture_error_ms),
        taps: taps.len(),
    })
}

impl Fit {
    /// The poll of a frame, in terms of when a command must be at the board, ms.
    pub fn poll_ms(&self, frame: i64) -> f64 {
        self.poll_ms + frame as f64 * self.frame_ms
    }

    /// The first frame whose poll comes at or after a time.
    pub fn frame_after(&self, ms: f64) -> i64 {
        ((ms - self.poll_ms) / self.frame_ms).ceil() as i64
    }

    /// By how much a button's contact closes later than the mean, ms.
    pub fn late_ms(&self, button: Buttons) -> f64 {
        self.buttons.iter().find(|(known, _)| *known == button).map_or(0.0, |(_, late)| *late)
    }

    /// Where a search goes on from, with phases about a time.
    fn as_guess(&self, middle_ms: f64, clock: &GameClock) -> Guess {
        let poll_ms = self.poll_ms(self.frame_after(middle_ms)) - middle_ms;
        let ppm = (self.frame_ms / clock.frame_ms - 1.0) * 1e6;
        let values = [poll_ms, poll_ms + self.delay_ms, ppm, self.spread_ms, self.exposure_ms, self.gamma];
        Guess { middle_ms, frame_ms: clock.frame_ms, bounce_ms: self.bounce_ms, values }
    }

    /// The polls that may have read a press, each with its likelihood.
    pub fn polls(&self, trial: &Trial) -> [(i64, f64); POLLS as usize] {
        let values = [0.0, self.delay_ms, 0.0, self.spread_ms, self.exposure_ms, self.gamma];
        let guess = Guess { middle_ms: self.poll_ms, frame_ms: self.frame_ms, bounce_ms: self.bounce_ms, values };
        guess.polls(trial, self.late_ms(trial.button))
    }
}

/// The mean of their presses' times.
fn middle_ms(taps: &[(&Trial, f64)]) -> f64 {
    taps.iter().map(|(tap, _)| tap.pressed_ms).sum::<f64>() / taps.len() as f64
}

/// Holds tell when a press began as well as taps.
fn is_plain(trial: &Trial) -> bool {
    trial.kind == Kind::Hold && trial.moves <= 2 || trial.moves == 1
}

fn is_direction(trial: &Trial) -> bool {
    trial.button == Buttons::LEFT || trial.button == Buttons::RIGHT
}

/// The best of a grid about the game clock's phase and the mean way from press to picture.
fn coarse(taps: &[(&Trial, f64)], clock: &GameClock, period_ms: f64) -> Guess {
    let some: Vec<_> = taps.iter().step_by(taps.len().div_ceil(COARSE_TAPS)).copied().collect();
    let taps = &some[..];
    let count = taps.len() as f64;
    let middle_ms = middle_ms(taps);
    let way_ms = taps.iter().filter_map(|(tap, _)| Some(tap.seen_ms()? - tap.pressed_ms)).sum::<f64>() / count;
    let usual_ms = way_ms - clock.frame_ms / 2.0;
    let boundary_ms = clock.boundary_near(crate::time::HostTime::from_ms(middle_ms + usual_ms)).ms() - middle_ms;
    let steps = |aside_ms: f64| {
        let count = (aside_ms / COARSE_STEP_MS) as i32;
        (-count..=count).map(move |i| f64::from(i) * COARSE_STEP_MS)
    };
    let guess = |picture: f64, delay: f64, ppm: f64, exposure: f64| Guess {
        middle_ms,
        frame_ms: clock.frame_ms,
        bounce_ms: USUAL_BOUNCE_MS,
        values: [picture - delay, picture, ppm, FIRST_SPREAD_MS, exposure, 1.0],
    };
    let rated = |guess: Guess| (guess.log_likelihood(taps), guess);
    let better = |a: (f64, Guess), b: (f64, Guess)| if b.0 > a.0 { b } else { a };
    let mut best = (f64::MIN, guess(boundary_ms, usual_ms, 0.0, period_ms / 2.0));
    for delay in steps(DELAYS_ASIDE_MS) {
        for ppm in RATES_PPM {
            let exposures = EXPOSURES.map(|share| rated(guess(boundary_ms, usual_ms + delay, ppm, share * period_ms)));
            best = exposures.into_iter().fold(best, better);
        }
    }
    let found = best.1;
    for picture in steps(PHASES_ASIDE_MS) {
        for delay in steps(3.0 * COARSE_STEP_MS) {
            let values = found.values;
            let moved = guess(boundary_ms + picture, found.delay_ms() + delay, values[2], values[4]);
            best = better(best, rated(moved));
        }
    }
    // Exposure and gamma look much alike, and between them there may be a valley.
    let gammas = FIRST_GAMMAS.map(|gamma| {
        let mut guess = best.1;
        guess.values[5] = gamma;
        let climbed = climb(guess, taps);
        rated(climbed)
    });
    gammas.into_iter().fold(best, better).1
}

/// One standard deviation of the picture's phase, from how fast the likelihood falls off about it, ms.
fn picture_error_ms(guess: &Guess, taps: &[(&Trial, f64)]) -> f64 {
    const ASIDE_MS: f64 = 0.2;
    let at = |by: f64| {
        let mut moved = *guess;
        moved.values[1] += by;
        moved.log_likelihood(taps)
    };
    let bend = (2.0 * at(0.0) - at(ASIDE_MS) - at(-ASIDE_MS)) / (ASIDE_MS * ASIDE_MS);
    if bend > 0.0 { bend.sqrt().recip() } else { FIRST_STEPS[1] }
}

/// From a guess uphill, one value after the other, each in ever smaller steps.
fn climb(from: Guess, taps: &[(&Trial, f64)]) -> Guess {
    let mut best = (from.log_likelihood(taps), from);
    let mut steps = FIRST_STEPS;
    for _ in 0..ROUNDS_MAX {
        for (which, step) in steps.iter_mut().enumerate() {
            let rated = [1.0, -1.0].into_iter().find_map(|sign| {
                let mut guess = best.1;
                guess.values[which] += sign * *step;
                let rated = if guess.is_possible() { guess.log_likelihood(taps) } else { f64::MIN };
                (rated > best.0).then_some((rated, guess, sign))
            });
            match rated {
                // Further the same way next time, and tried first.
                Some((rated, guess, sign)) => {
                    best = (rated, guess);
                    *step *= sign * GROW;
                }
                None => *step *= SHRINK,
            }
        }
        if steps.iter().zip(FIRST_STEPS).all(|(step, first)| step.abs() < LAST_STEP_SHARE * first) {
            break;
        }
    }
    best.1
}

/// The guess with the mean of all polls, spreads and bounces, each as likely as it makes the taps: the likeliest spread is
/// too narrow, for no tap need have met a contact at its slowest, and bounce is easily taken for spread. With it one standard
/// deviation of the polls' phase, ms.
fn weighed(guess: Guess, taps: &[(&Trial, f64)]) -> (Guess, f64) {
    let known: Vec<[(f64, f64); POLLS as usize]> = taps.iter().map(|(tap, late)| guess.seen(tap, *late)).collect();
    let polls = (WEIGHED_POLLS_ASIDE_MS / POLL_STEP_MS) as i32;
    let spreads = (WEIGHED_SPREADS_MS / SPREAD_STEP_MS) as i32;
    let mut rated = Vec::new();
    for (bounce_ms, odds) in BOUNCES_MS {
        for spread_ms in (1..=spreads).map(|i| f64::from(i) * SPREAD_STEP_MS) {
            for poll_ms in (-polls..=polls).map(|i| f64::from(i) * POLL_STEP_MS) {
                let log = known_likelihood(&known, poll_ms, spread_ms, bounce_ms) + odds.ln();
                rated.push(([poll_ms, spread_ms, bounce_ms], log));
            }
        }
    }
    let mean_of = |value: &dyn Fn(&[f64; 3]) -> f64| {
        mean(&rated.iter().map(|(values, log)| (value(values), *log)).collect::<Vec<_>>())
    };
    let poll_ms = mean_of(&|values| values[0]);
    let mut mean = Guess { bounce_ms: mean_of(&|values| values[2]), ..guess };
    mean.values[0] += poll_ms;
    mean.values[3] = mean_of(&|values| values[1]);
    (mean, mean_of(&|values| (values[0] - poll_ms).powi(2)).sqrt())
}

/// How likely the taps are if polls come so much later, for contacts of this kind; the pictures' part is known.
fn known_likelihood(known: &[[(f64, f64); POLLS as usize]], poll_ms: f64, spread_ms: f64, bounce_ms: f64) -> f64 {
    let one = |polls: &[(f64, f64); POLLS as usize]| {
        let (mut before, mut ways) = (0.0, 0.0);
        for (after_ms, shown) in polls {
            let by_now = has_moved(after_ms + poll_ms, spread_ms, bounce_ms);
            ways += (by_now - before).max(0.0) * shown;
            before = by_now;
        }
        ((1.0 - STRANGE) * ways + STRANGE * STRANGE_LIKELIHOOD).ln()
    };
    known.iter().map(one).sum()
}

/// The mean of values with these log-likelihoods.
pub(super) fn mean(rated: &[(f64, f64)]) -> f64 {
    let most = rated.iter().map(|(_, log)| *log).fold(f64::MIN, f64::max);
    let weights = rated.iter().map(|(value, log)| (value, (log - most).exp()));
    let (sum, total) = weights.fold((0.0, 0.0), |(sum, total), (value, weight)| (sum + value * weight, total + weight));
    sum / total
}

/// By how much one button's contact closes later than the guess says; `None` of too few taps.
fn late_ms(guess: &Guess, all: &[&Trial], button: Buttons) -> Option<f64> {
    let own: Vec<&Trial> = all.iter().filter(|trial| trial.button == button).copied().collect();
    if own.len() < LEAST_TAPS {
        return None;
    }
    let steps = (BUTTONS_ASIDE_MS / BUTTON_STEP_MS) as i32;
    let lates = (-steps..=steps).map(|i| f64::from(i) * BUTTON_STEP_MS);
    let rated = lates.map(|late| {
        let taps: Vec<(&Trial, f64)> = own.iter().map(|trial| (*trial, late)).collect();
        let off = late / BUTTONS_SIGMA_MS;
        (late, guess.log_likelihood(&taps) - 0.5 * off * off)
    });
    Some(mean(&rated.collect::<Vec<_>>()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_share_is_read_the_higher_the_more_of_the_exposure_the_piece_was_there() {
        for gamma in [0.45, 1.0, 1.3] {
            let seen: Vec<f64> = (0..=50).map(|i| seen_share(f64::from(i) / 50.0, gamma)).collect();
            assert!(seen.windows(2).all(|pair| pair[1] >= pair[0]), "{gamma}: {seen:?}");
            assert_eq!((seen[0], seen[50]), (0.0, 1.0));
        }
        assert!((seen_share(0.5, 0.45) - 0.5).abs() < 1e-9, "what comes and what goes differ from the light alike");
        assert_eq!(seen_share(0.1, 1.0), 0.0, "below what passes for a change");
    }
}
