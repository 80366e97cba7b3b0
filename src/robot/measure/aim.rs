//! When to press and to let go, so that the next trial tells most.

use super::estimate::Fit;
use super::release::Release;
use super::trial::Kind;
use crate::game::Buttons;

/// How long a tap presses, frames.
const TAP_FRAMES: f64 = 2.5;
/// Presses are swept so far beyond the spread on either side of the flip, ms.
const MARGIN_MS: f64 = 1.5;
/// Releases, while nothing is known about them.
const FIRST_RELEASES_MS: f64 = 6.0;
/// How wide a flip is, is told best where one press in eight goes the other way: most presses go there, from this share of
/// the spread to this one on either side.
const TELLING: [f64; 2] = [0.4, 1.1];
/// One press in this many is swept over the whole reach, so that a wrong aim shows.
const WIDE_ONE_IN: u32 = 6;
/// The golden section and the square root of two: steps by either fill an interval evenly, however many there are, and a
/// square by both.
const GOLDEN: f64 = 0.618_033_988_749_895;
const ROOT: f64 = std::f64::consts::SQRT_2 - 1.0;

/// What is known when a trial is planned.
#[derive(Debug, Clone, Copy)]
pub struct Aim<'a> {
    /// From the presses so far.
    pub fit: Option<&'a Fit>,
    /// From the releases so far.
    pub release: Option<Release>,
    /// How much later contacts open than they close if nothing is measured, ms.
    pub typical_later_ms: f64,
    /// From poll to poll, nominal, ms.
    pub frame_ms: f64,
    /// Polls from the first that sees a direction to the one at which auto-shift moves again.
    pub shift_frames: i64,
    /// When a picture was taken, as [`Picture::taken_ms`](super::trial::Picture::taken_ms), and from picture to picture, ms.
    pub picture_ms: f64,
    /// See `picture_ms`; 0 while unknown.
    pub period_ms: f64,
}

impl Aim<'_> {
    /// When the commands of trial number `number` should be at the board, not before `earliest_ms`: press and release.
    pub fn times_ms(&self, kind: Kind, button: Buttons, number: u32, earliest_ms: f64) -> (f64, f64) {
        let Some(fit) = self.fit else {
            let press_ms = earliest_ms + (f64::from(number) * GOLDEN).fract() * self.frame_ms;
            return (press_ms, press_ms + TAP_FRAMES * self.frame_ms);
        };
        let late_ms = fit.late_ms(button);
        // While a contact bounces, it is as likely closed as open a third of the bounce after the first touch.
        let flip_ms = aside_ms(number, GOLDEN, fit.spread_ms) - late_ms - fit.bounce_ms / 3.0;
        let frame = self.told_apart(fit, fit.frame_after(earliest_ms - flip_ms));
        let press_ms = fit.poll_ms(frame) + flip_ms;
        if kind == Kind::Tap {
            return (press_ms, press_ms + TAP_FRAMES * fit.frame_ms);
        }
        // The poll that most likely reads the press; auto-shift counts from there.
        let read = frame + i64::from(flip_ms + late_ms > 0.0);
        let release_ms = fit.poll_ms(read + self.shift_frames);
        let release_ms = match self.release {
            Some(release) => release_ms - release.later_ms + aside_ms(number, ROOT, release.spread_ms),
            None => release_ms - self.typical_later_ms + FIRST_RELEASES_MS * aside(number, ROOT),
        };
        (press_ms, release_ms)
    }

    /// The frame, of the next ones, that a picture tells best from the one after it: the picture is taken midway between the
    /// two. With fewer pictures than frames many a pair has none between.
    fn told_apart(&self, fit: &Fit, first: i64) -> i64 {
        if self.period_ms <= 0.0 {
            return first;
        }
        let off_ms = |frame: i64| {
            let midway_ms = fit.poll_ms(frame) + fit.delay_ms + fit.frame_ms / 2.0;
            let pictures = (midway_ms - self.picture_ms) / self.period_ms;
            (pictures - pictures.round()).abs() * self.period_ms
        };
        let frames = (self.period_ms / fit.frame_ms).ceil() as i64;
        (first..first + frames).min_by(|a, b| off_ms(*a).total_cmp(&off_ms(*b))).unwrap_or(first)
    }
}

/// Where in a sweep from -1 to 1 trial number `number` goes.
fn aside(number: u32, step: f64) -> f64 {
    2.0 * (f64::from(number) * step).fract() - 1.0
}

/// How far from the middle of a flip of this half-width, ms.
fn aside_ms(number: u32, step: f64, spread_ms: f64) -> f64 {
    let aside = aside(number, step);
    if number.is_multiple_of(WIDE_ONE_IN) {
        return aside * (spread_ms + MARGIN_MS);
    }
    let [near, far] = TELLING;
    (near + (far - near) * aside.abs()).copysign(aside) * spread_ms
}
