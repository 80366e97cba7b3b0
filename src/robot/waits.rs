//! What is known of a game's waits.

use super::delays::Delays;
use super::guard::Guard;
use crate::message::DelayKind;

/// What is known of a game's waits.
#[derive(Debug, Clone, Default)]
pub(super) struct Waits {
    pub(super) delays: Delays,
    pub(super) guard: Guard,
    /// What was told.
    pub(super) told: Vec<DelayKind>,
}
