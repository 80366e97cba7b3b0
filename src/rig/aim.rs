//! When to press and to let go, so that the next trial tells most.

use super::estimate::Fit;
use super::release::Release;
use super::trial::Kind;
use crate::message::Buttons;

/// How long a tap presses, frames.
const TAP_FRAMES: f64 = 2.5;
/// Presses are swept so far beyond the spread on either side of the flip, ms.
const MARGIN_MS: f64 = 1.5;
/// Releases, while nothing is known about them.
const FIRST_RELEASES_MS: f64 = 6.0;
/// The golden section: steps by it fill an interval evenly, however many there are.
const GOLDEN: f64 = 0.618_033_988_749_895;

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
        let swept = (f64::from(number) * GOLDEN).fract();
        let Some(fit) = self.fit else {
            let press_ms = earliest_ms + swept * self.frame_ms;
            return (press_ms, press_ms + TAP_FRAMES * self.frame_ms);
        };
        let aside = 2.0 * swept - 1.0;
        let late_ms = fit.late_ms(button);
        match kind {
            Kind::Tap => {
                let flip_ms = aside * (fit.spread_ms + MARGIN_MS) - late_ms;
                let frame = self.told_apart(fit, fit.frame_after(earliest_ms - flip_ms));
                let press_ms = fit.poll_ms(frame) + flip_ms;
                (press_ms, press_ms + TAP_FRAMES * fit.frame_ms)
            }
            Kind::Hold => {
                // Halfway between two polls there is no doubt about which one reads the press.
                let half_ms = fit.frame_ms / 2.0;
                let frame = fit.frame_after(earliest_ms + late_ms + half_ms);
                let (later_ms, reach_ms) = match self.release {
                    Some(release) => (release.later_ms, release.spread_ms + MARGIN_MS),
                    None => (self.typical_later_ms, FIRST_RELEASES_MS),
                };
                let decides_ms = fit.poll_ms(frame + self.shift_frames);
                (fit.poll_ms(frame) - late_ms - half_ms, decides_ms - later_ms + aside * reach_ms)
            }
        }
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
