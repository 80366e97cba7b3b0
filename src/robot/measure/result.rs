//! What was learned, in the terms that robot and schedule use.

use super::experimenter::Learned;
use crate::game::Buttons;
use crate::profile::calibration::{Measured, MeasuredTimes, Timing};
use std::collections::BTreeMap;

/// Buttons that are pressed too rarely to be measured by moves; their contacts are taken for ones like the directions'.
const LIKE_DIRECTIONS: [Buttons; 2] = [Buttons::DOWN, Buttons::UP];

impl Learned {
    /// By how much the contact that closes last does so after the directions' mean, ms.
    fn last_ms(&self) -> f64 {
        self.fit.buttons.iter().map(|(_, late_ms)| *late_ms).fold(0.0, f64::max)
    }

    /// The times to play with. Only sums can be measured (see [`crate::robot::measure`]): of `typical` its `close` is kept, for the
    /// button whose contact closes last.
    pub fn timing(&self, typical: Timing) -> Timing {
        let (fit, release) = (&self.fit, &self.release);
        let close_ms = typical.close.ms;
        let direction_ms = close_ms - self.last_ms();
        Timing {
            eye: Measured { ms: fit.delay_ms - direction_ms, spread_ms: fit.exposure_ms / 2.0 + self.jitter_ms },
            close: Measured { ms: close_ms, spread_ms: fit.spread_ms },
            open: Measured { ms: (direction_ms + release.later_ms).max(0.0), spread_ms: release.spread_ms },
        }
    }

    /// What goes into the file beside the times; `date` as YYYY-MM-DD.
    pub fn record(&self, date: String) -> MeasuredTimes {
        let (fit, release) = (&self.fit, &self.release);
        let last_ms = self.last_ms();
        let others = LIKE_DIRECTIONS.map(|button| (button, 0.0));
        let lates = fit.buttons.iter().copied().chain(others);
        let name =
            |button: Buttons| Buttons::NAMED.into_iter().find(|(known, _)| *known == button).map(|(_, name)| name);
        let sooner = lates.filter_map(|(button, late_ms)| Some((name(button)?.to_string(), last_ms - late_ms)));
        MeasuredTimes {
            date,
            presses: fit.taps as u32,
            releases: release.holds as u32,
            missed: self.missed,
            eye_and_close: Measured { ms: fit.delay_ms, spread_ms: fit.spread_ms },
            eye_and_close_error_ms: fit.delay_error_ms,
            open_after_close: Measured { ms: release.later_ms, spread_ms: release.spread_ms },
            exposure_ms: fit.exposure_ms,
            arrival_jitter_ms: self.jitter_ms,
            closes_sooner_ms: sooner.collect::<BTreeMap<_, _>>(),
        }
    }
}
