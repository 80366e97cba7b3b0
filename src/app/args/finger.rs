//! What several subcommands share: options that describe the rig, and finding the field.

use crate::game::Buttons;
use crate::game::Rules;
use crate::profile::calibration::{Calibration, CalibrationError};
use crate::profile::layout::Layout;
use crate::schedule::Finger;
use std::fmt::{self, Display};
use std::str::FromStr;

/// From a picture's arrival to the first byte that answers it, ms: reading and planning take a few, and a late thread
/// must not make the first command stale.
pub const LEAD_MS: f64 = 8.0;

/// Checks that every button which the game needs has a relay, whatever is left open about its rules; one that is only needed
/// for the next game is told.
///
/// # Errors
/// When one has none.
pub fn check_wired(layout: &Layout, calibration: &Calibration) -> Result<(), CalibrationError> {
    let needed = layout.rule_variants().iter().fold(Buttons::NONE, |all, rules| all | rules.buttons());
    calibration.check_wired(needed)?;
    if calibration.check_wired(Buttons::START).is_err() {
        tracing::warn!("no relay presses start: after a game the next one must be begun by hand; add it to [buttons]");
    }
    Ok(())
}

/// What the actuator can do.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum FingerSpec {
    /// Mechanical contacts.
    Relay,
    /// Solid-state contacts.
    Solid,
    /// This many taps a second.
    Hz(f64),
}

impl FromStr for FingerSpec {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let hz = |n: &str| n.parse().ok().filter(|hz| (1.0..=30.0).contains(hz)).map(Self::Hz);
        match text {
            "relay" => Some(Self::Relay),
            "solid" => Some(Self::Solid),
            _ => text.strip_prefix("hz:").and_then(hz),
        }
        .ok_or_else(|| "use relay, solid, or hz:N with N from 1 to 30 taps a second".into())
    }
}

impl Display for FingerSpec {
    /// As it is read.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Relay => f.write_str("relay"),
            Self::Solid => f.write_str("solid"),
            Self::Hz(hz) => write!(f, "hz:{hz}"),
        }
    }
}

impl FingerSpec {
    /// The finger in the frames of these rules.
    pub fn finger(self, rules: &Rules) -> Finger {
        match self {
            Self::Relay => Finger::RELAY,
            Self::Solid => Finger::SOLID,
            Self::Hz(hz) => Finger::taps_per_s(hz, rules.frame_ms()),
        }
    }
}
