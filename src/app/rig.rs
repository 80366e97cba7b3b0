//! What several subcommands share: options that describe the rig, and finding the field.

use crate::game::Rules;
use crate::schedule::Finger;
use std::str::FromStr;

/// From a picture's arrival to the first byte that answers it, ms: reading and planning take a few, and a late thread
/// must not make the first command stale.
pub const LEAD_MS: f64 = 8.0;

/// What the actuator can do.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum FingerSpec {
    /// Mechanical contacts.
    Relay,
    /// Solid-state contacts.
    Solid,
    /// So many taps a second.
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
