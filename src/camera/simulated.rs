//! The twin's camera: exposures are developed into pictures in a thread of their own, in order, while the table goes on.

use super::CameraError;
use crate::message::Frame;
use crate::time::CameraFrame;
use crate::twin::camera::CameraModel;
use crate::twin::picture::Picture;
use crate::twin::table::Exposure;
use crossbeam_channel::{Receiver, Sender, bounded};
use std::sync::Arc;
use std::thread::JoinHandle;

/// Exposures that may wait: more than a camera's latency holds at any rate.
const WAITING_MAX: usize = 64;

/// A camera that develops the table's exposures.
pub struct Darkroom {
    exposures: Option<Sender<Exposure>>,
    frames: Receiver<Frame>,
    thread: Option<JoinHandle<()>>,
}

impl Darkroom {
    /// Starts the thread.
    ///
    /// # Errors
    /// When the system has no thread left.
    pub fn start(mut model: CameraModel) -> Result<Self, CameraError> {
        let (exposures, waiting) = bounded::<Exposure>(WAITING_MAX);
        let (developed, frames) = bounded(WAITING_MAX);
        let develop = move || {
            for exposure in waiting {
                let shown: Vec<(f32, &Picture)> = exposure.shown.iter().map(|(s, p)| (*s, p.as_ref())).collect();
                let image = Arc::new(model.expose(&shown, exposure.index));
                let frame = Frame { index: CameraFrame(exposure.index), time: exposure.arrival, name: None, image };
                if developed.send(frame).is_err() {
                    return;
                }
            }
        };
        let thread = std::thread::Builder::new()
            .name("simulated camera".into())
            .spawn(develop)
            .map_err(|source| CameraError::System { source })?;
        Ok(Self { exposures: Some(exposures), frames, thread: Some(thread) })
    }

    /// Hands an exposure over; waits while too many are under way.
    pub fn develop(&self, exposure: Exposure) {
        if let Some(exposures) = &self.exposures {
            // The thread ends only after this end is dropped.
            let _ = exposures.send(exposure);
        }
    }

    /// The next picture, in the order of the exposures; `None` if none is under way any more.
    pub fn picture(&self) -> Option<Frame> {
        self.frames.recv().ok()
    }
}

impl Drop for Darkroom {
    fn drop(&mut self) {
        self.exposures = None;
        while self.frames.recv().is_ok() {}
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}
