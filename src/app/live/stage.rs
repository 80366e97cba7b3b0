//! What a run is played with, and why it cannot go on.

use crate::app::live::care::Care;
use crate::app::live::page::Viewed;
use crate::app::live::pause::Pauser;
use crate::app::live::rig::Rig;
use crate::edge::relay::RelayError;
use crate::edge::{CameraError, FrameSource};
use crate::message::Summary;
use crate::profile::calibration::{Calibration, CalibrationError};
use crate::time::Clock;
use std::sync::Arc;

/// Everything a live run needs besides the robot.
pub struct Stage {
    /// Pictures.
    pub source: Box<dyn FrameSource>,
    /// Contacts.
    pub rig: Rig,
    /// The clock that the source and the executor use.
    pub clock: Arc<dyn Clock>,
    /// Where the field is; pictures of another size end the run.
    pub calibration: Calibration,
    /// When to end.
    pub until: Until,
    /// What to do when something is lost, and what is watched and counted.
    pub care: Care,
    /// The page, if there is one.
    pub page: Option<Viewed>,
    /// Pauses the game itself when a person pauses the robot.
    pub pauser: Pauser,
}

/// Why a live run ended early.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    /// The camera.
    #[error("the run ended")]
    Camera(#[from] CameraError),
    /// The relay board.
    #[error("the run ended")]
    Relay(#[from] RelayError),
    /// Pictures of another size.
    #[error("the run ended")]
    Picture(#[from] CalibrationError),
    /// Standard output.
    #[error("the run ended")]
    Output(#[from] std::io::Error),
}

/// A run ends by itself when one of these is reached.
#[derive(Debug, Clone, Copy, Default)]
pub struct Until {
    /// This many pieces have locked.
    pub pieces: Option<u64>,
    /// This long after the first picture, s.
    pub seconds: Option<f64>,
    /// The robot rests, and nobody is there to mend what it waits for.
    pub rest: bool,
}

impl Until {
    /// Whether the run is at its end.
    pub fn reached(&self, summary: &Summary) -> bool {
        self.pieces.is_some_and(|n| summary.pieces >= n)
            || self.seconds.is_some_and(|s| summary.duration_ms >= s * 1000.0)
    }

    /// How much of the run is over, 0 to 1, by what will end it; `None` of one that nothing ends.
    pub fn share(&self, summary: &Summary) -> Option<f64> {
        let pieces = self.pieces.map(|n| summary.pieces as f64 / n.max(1) as f64);
        let seconds = self.seconds.map(|s| summary.duration_ms / (s * 1000.0));
        pieces.into_iter().chain(seconds).reduce(f64::max)
    }
}
