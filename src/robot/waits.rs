//! What is known of a game's waits.

use super::delays::Delays;
use super::guard::Guard;
use crate::message::DelayKind;
use crate::time::HostTime;

/// What is known of a game's waits.
#[derive(Debug, Clone, Default)]
pub(super) struct Waits {
    pub(super) delays: Delays,
    pub(super) guard: Guard,
    /// The press of the drop key that was looked at last.
    pub(super) judged: Option<HostTime>,
    /// What was told.
    pub(super) told: Vec<DelayKind>,
}
