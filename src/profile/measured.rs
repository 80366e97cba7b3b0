//! A duration that was measured.

use serde::{Deserialize, Serialize};

/// A measured duration: its mean and how far single events lie from it.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Measured {
    /// The mean, ms.
    pub ms: f64,
    /// No event lay further from the mean than this, ms.
    pub spread_ms: f64,
}
