//! The twin's camera, on a simulated clock and in real time.

use crate::edge::{CameraError, FrameSource};
use crate::message::{Frame, RelayMask};
use crate::time::{CameraFrame, Clock, HostTime};
use crate::twin::camera::CameraModel;
use crate::twin::picture::Picture;
use crate::twin::table::{Exposure, Table};
use crossbeam_channel::{Receiver, Sender, bounded};
use std::sync::Arc;
use std::thread::JoinHandle;

/// Exposures that may wait: more than a camera's latency holds at any rate.
const WAITING_MAX: usize = 64;

/// Pictures are developed so long before they are due, ms: rendering one takes one to five.
const DEVELOP_MS: f64 = 25.0;

/// Develops exposures into pictures in a thread of its own, in order, while the table goes on.
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
                let frame =
                    Frame { index: CameraFrame(exposure.index), time: exposure.arrival, name: None, file: None, image };
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

/// A picture that nobody has asked for is replaced by a newer one after this time, ms, as the drivers' edge does.
const REPLACED_MS: f64 = 70.0;

/// A computer that cannot keep up with the table is given the picture that there is after this time, ms.
const CATCH_UP_MS_MAX: f64 = 500.0;

/// What the contacts were at a past time.
pub type ContactsAt = Box<dyn FnMut(HostTime) -> RelayMask + Send>;

/// The simulated camera in real time: each picture comes when the clock reaches its arrival.
///
/// The console's polls are caught up with when a picture is due. That is no back-channel: what the contacts were at a
/// poll's time is asked after the fact, and nothing about the console leaves but the picture.
pub struct SimulatedCamera {
    table: Table,
    model: CameraModel,
    contacts: ContactsAt,
    clock: Arc<dyn Clock>,
    replaced: u64,
}

impl SimulatedCamera {
    /// A camera before `table`, whose pad is wired to `contacts`.
    pub fn new(table: Table, model: CameraModel, contacts: ContactsAt, clock: Arc<dyn Clock>) -> Self {
        Self { table, model, contacts, clock, replaced: 0 }
    }
}

impl FrameSource for SimulatedCamera {
    fn next_frame(&mut self) -> Result<Option<Frame>, CameraError> {
        let patience = self.clock.now().plus_ms(CATCH_UP_MS_MAX);
        let exposure = loop {
            // The exposure must have ended before its polls can be asked for.
            let end = self.table.next_exposure_end();
            let begin = end.max(self.table.next_arrival_mean().plus_ms(-DEVELOP_MS));
            self.clock.sleep_until(begin);
            let exposure = self.table.expose(&mut self.contacts);
            if exposure.is_lost {
                continue;
            }
            let now = self.clock.now();
            let is_old = now.ms_since(exposure.arrival) > REPLACED_MS;
            if !is_old || self.table.next_arrival_mean() > now || now > patience {
                break exposure;
            }
            self.replaced += 1;
        };
        let shown: Vec<(f32, &Picture)> = exposure.shown.iter().map(|(s, p)| (*s, p.as_ref())).collect();
        let image = Arc::new(self.model.expose(&shown, exposure.index));
        self.clock.sleep_until(exposure.arrival);
        let time = self.clock.now();
        Ok(Some(Frame { index: CameraFrame(exposure.index), time, name: None, file: None, image }))
    }

    fn is_live(&self) -> bool {
        true
    }

    fn dropped(&self) -> u64 {
        self.replaced
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::twin::table::TableSettings;
    use std::sync::Mutex;

    /// A clock on which everybody oversleeps by nothing.
    struct Leaps(Mutex<HostTime>);

    /// A clock that goes on by a tenth of a second whenever it is looked at.
    struct Hurries(Leaps);

    impl Clock for Hurries {
        fn now(&self) -> HostTime {
            let now = self.0.now();
            self.0.sleep_until(now.plus_ms(100.0));
            now
        }

        fn sleep_until(&self, deadline: HostTime) {
            self.0.sleep_until(deadline);
        }
    }

    impl Clock for Leaps {
        fn now(&self) -> HostTime {
            *self.0.lock().unwrap()
        }

        fn sleep_until(&self, deadline: HostTime) {
            let mut now = self.0.lock().unwrap();
            *now = deadline.max(*now);
        }
    }

    fn camera(clock: Arc<dyn Clock>) -> SimulatedCamera {
        let settings = TableSettings { start_level: 0, seed: 1, fps: 30.0, exposure_ms: 8.0, camera_latency_ms: 30.0 };
        let (table, model) = (Table::new(settings), CameraModel::new(0.0, 1, 30.0, [64, 48]));
        SimulatedCamera::new(table, model, Box::new(|_| RelayMask(0)), clock)
    }

    #[test]
    fn a_computer_that_cannot_keep_up_sees_something_all_the_same() {
        let mut camera = camera(Arc::new(Hurries(Leaps(Mutex::new(HostTime(0))))));
        let seen: Vec<u64> = (0..10).map(|_| camera.next_frame().unwrap().unwrap().index.0).collect();
        assert!(seen.is_sorted_by(|a, b| a < b) && camera.dropped() > 0, "{seen:?}");
    }

    #[test]
    fn whoever_comes_late_gets_the_newest_picture() {
        let clock = Arc::new(Leaps(Mutex::new(HostTime(0))));
        let mut camera = camera(clock.clone());
        for _ in 0..30 {
            camera.next_frame().unwrap().unwrap();
        }
        assert_eq!(camera.dropped(), 0);
        let before = clock.now();
        clock.sleep_until(before.plus_ms(1000.0));
        let frame = camera.next_frame().unwrap().unwrap();
        // Of the pictures of a second, those that came within the last 70 ms are left.
        assert!((55..=59).contains(&frame.index.0) && frame.index.0 - 30 == camera.dropped(), "{:?}", frame.index);
    }
}
