//! A webcam: a thread of its own reads its stream, and whoever wants pictures gets the newest.

use super::controls::ControlDesk;
use super::device::Device;
use super::feed::{Arrived, Counted, Feed, count};
use super::mode::Mode;
use super::newest::{Newest, Taken};
use super::{WebcamSpec, pixels};
use crate::edge::CameraControl;
use crate::edge::Losses;
use crate::edge::{CameraError, FrameSource, IsEnded};
use crate::message::Frame;
use crate::time::Clock;
use crossbeam_channel::{Receiver, RecvTimeoutError, Sender, bounded};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, PoisonError};
use std::time::Duration;

/// How long a camera may take to open and to give its first picture.
const START_PATIENCE_S: u64 = 10;
/// How long any later picture may take.
const STALL_PATIENCE_S: u64 = 5;
/// Undecodable pictures in a row after which the source gives up: two seconds at 30 a second.
const GARBLED_MAX: u32 = 60;
/// Whoever waits for a camera to open looks this often whether the program ends: a signal leaves it two seconds.
const OPEN_SLICE: Duration = Duration::from_millis(50);
/// How long the thread may take to give the camera back: it looks ten times a second whether it shall.
const CLOSE_PATIENCE: Duration = Duration::from_secs(1);

/// A camera. Pictures carry the time that its driver stamped, or that of their arrival; a newer picture replaces one that
/// nobody took. Dropping it gives the camera back.
pub struct Webcam {
    index: u32,
    shape: Shape,
    shared: Shared,
    /// Ends when the thread does.
    closed: Receiver<()>,
    is_ended: Option<IsEnded>,
    has_given: bool,
}

/// What the thread and the reader share.
#[derive(Clone)]
struct Shared {
    newest: Newest<Arrived>,
    stop: Arc<AtomicBool>,
    controls: ControlDesk,
    losses: Counted,
}

/// How the bytes of a picture lie.
#[derive(Clone, Copy)]
struct Shape {
    mode: Mode,
    stride: usize,
}

impl Webcam {
    /// Starts the camera's thread and waits until the camera is open, but no longer than `is_ended` allows.
    ///
    /// # Errors
    /// When there is no such camera (the error lists those there are), it does not open, or does not in time.
    pub fn open(spec: &WebcamSpec, clock: Arc<dyn Clock>, is_ended: Option<IsEnded>) -> Result<Self, CameraError> {
        let shared = Shared {
            newest: Newest::new(),
            stop: Arc::default(),
            controls: ControlDesk::default(),
            losses: Counted::default(),
        };
        let (send_opened, opened) = bounded(1);
        let (open, closed) = bounded(0);
        let (place, spec) = (shared.clone(), *spec);
        let body = move || {
            let _open: Sender<()> = open;
            work(&spec, &place, &send_opened, &*clock);
        };
        // Not joined: where the driver has no timeout it may hang for ever.
        std::thread::Builder::new()
            .name("camera".into())
            .spawn(body)
            .map_err(|source| CameraError::System { source })?;
        match wait_for(&opened, is_ended.as_ref()) {
            Ok(shape) => Ok(Self { index: spec.index, shape: shape?, shared, closed, is_ended, has_given: false }),
            Err(problem) => {
                shared.stop.store(true, Ordering::Relaxed);
                Err(CameraError::CameraOpen { index: spec.index, problem: problem.into() })
            }
        }
    }

    fn name(&self) -> String {
        format!("camera {}", self.index)
    }
}

impl FrameSource for Webcam {
    fn next_frame(&mut self) -> Result<Option<Frame>, CameraError> {
        let mut problem = String::new();
        for _ in 0..GARBLED_MAX {
            let seconds = if self.has_given { STALL_PATIENCE_S } else { START_PATIENCE_S };
            let arrived = match self.shared.newest.take_until(Duration::from_secs(seconds), self.is_ended.as_ref()) {
                Taken::Item(arrived) => arrived,
                Taken::Nothing => return Err(CameraError::Stalled { source_name: self.name(), seconds }),
                Taken::End(result) => {
                    result?;
                    if self.is_ended.as_ref().is_some_and(|is_ended| is_ended()) {
                        return Ok(None);
                    }
                    return Err(CameraError::CameraLost { index: self.index, problem: "it was closed".into() });
                }
            };
            let Mode { layout, width, height, .. } = self.shape.mode;
            match pixels::decode(layout, width, height, self.shape.stride, &arrived.bytes) {
                Ok((image, file)) => {
                    self.has_given = true;
                    let (index, time, image) = (arrived.index, arrived.time, Arc::new(image));
                    return Ok(Some(Frame { index, time, name: None, file, image }));
                }
                Err(why) => {
                    count(&self.shared.losses, |losses| losses.undecodable += 1);
                    super::told::warn_once(
                        self.index,
                        &format!("pictures that cannot be decoded are passed over: {why}"),
                    );
                    problem = why;
                }
            }
        }
        Err(CameraError::Garbled { source_name: self.name(), problem })
    }

    fn is_live(&self) -> bool {
        true
    }

    fn dropped(&self) -> u64 {
        self.losses().total()
    }

    fn losses(&self) -> Losses {
        let counted = *self.shared.losses.lock().unwrap_or_else(PoisonError::into_inner);
        Losses { replaced: counted.replaced + self.shared.newest.replaced(), ..counted }
    }

    fn nominal_fps(&self) -> Option<f64> {
        self.shape.mode.rate.map(super::PictureRate::per_s)
    }

    fn end_when(&mut self, is_ended: IsEnded) {
        self.is_ended = Some(is_ended);
    }

    fn controls(&self) -> Vec<CameraControl> {
        self.shared.controls.controls()
    }

    fn set_control(&mut self, id: u32, value: Option<i64>) {
        self.shared.controls.wish(id, value);
    }
}

impl Drop for Webcam {
    fn drop(&mut self) {
        self.shared.stop.store(true, Ordering::Relaxed);
        // The camera can be opened again only when the thread has given it back.
        if let Err(RecvTimeoutError::Timeout) = self.closed.recv_timeout(CLOSE_PATIENCE) {
            tracing::debug!("camera {} is not given back yet", self.index);
        }
        let lost = self.losses().in_words();
        if !lost.is_empty() {
            tracing::info!("camera {}: pictures that were not seen: {lost}", self.index);
        }
    }
}

/// What the thread says of the camera that it opens, or why nobody waits for that any longer.
fn wait_for<T>(opened: &Receiver<T>, is_ended: Option<&IsEnded>) -> Result<T, &'static str> {
    let mut left = Duration::from_secs(START_PATIENCE_S);
    while !left.is_zero() {
        match opened.recv_timeout(OPEN_SLICE) {
            Ok(said) => return Ok(said),
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => return Err("its driver gives odd answers"),
        }
        if is_ended.is_some_and(|is_ended| is_ended()) {
            return Err("the program is ending");
        }
        left = left.saturating_sub(OPEN_SLICE);
    }
    Err("its driver does not answer")
}

/// The camera's thread: opens it, and reads until it fails or nobody wants more.
fn work(spec: &WebcamSpec, shared: &Shared, opened: &Sender<Result<Shape, CameraError>>, clock: &dyn Clock) {
    // The driver's crate panics at answers that it does not know.
    let odd = |index| CameraError::CameraOpen { index, problem: "its driver gives odd answers".into() };
    let open = || -> Result<Box<dyn Device>, CameraError> {
        #[cfg(target_os = "linux")]
        return Ok(Box::new(super::linux::LinuxCamera::start(spec, clock)?));
        #[cfg(not(target_os = "linux"))]
        return Ok(Box::new(super::portable::PortableCamera::start(spec)?));
    };
    let device = catch_unwind(AssertUnwindSafe(open)).unwrap_or_else(|_| Err(odd(spec.index)));
    // Nobody listens when the opening took too long.
    let mut device = match device {
        Ok(device) => device,
        Err(error) => return drop(opened.send(Err(error))),
    };
    let shape = Shape { mode: device.mode(), stride: device.stride() };
    tracing::info!("camera {} gives {}", spec.index, shape.mode);
    let _ = opened.send(Ok(shape));
    let capture = || capture(&mut *device, spec.index, shape, shared, clock);
    let end = catch_unwind(AssertUnwindSafe(capture)).unwrap_or_else(|_| Err(odd(spec.index)));
    shared.newest.end(end);
}

fn capture(
    device: &mut dyn Device,
    index: u32,
    shape: Shape,
    shared: &Shared,
    clock: &dyn Clock,
) -> Result<(), CameraError> {
    let mut feed = Feed::new(index, shape.mode, shape.stride, clock, shared.losses.clone());
    let mut pictures = 0;
    while !shared.stop.load(Ordering::Relaxed) {
        if let Some(arrived) = feed.turn(device)? {
            shared.newest.put(arrived);
            shared.controls.serve(device, pictures);
            pictures += 1;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_camera_that_takes_its_time_is_not_waited_for_when_the_program_ends() {
        let (_open, opened) = bounded::<()>(1);
        let is_ended: IsEnded = Arc::new(|| true);
        assert_eq!(wait_for(&opened, Some(&is_ended)), Err("the program is ending"));
        let (send, opened) = bounded(1);
        send.send(7).unwrap();
        assert_eq!(wait_for(&opened, Some(&is_ended)), Ok(7));
        drop(send);
        assert_eq!(wait_for(&opened, None), Err("its driver gives odd answers"));
    }

    #[test]
    fn a_missing_camera_is_named_with_those_there_are() {
        let clock: Arc<dyn Clock> = Arc::new(crate::time::SystemClock::new());
        let error = Webcam::open(&WebcamSpec::new(987), clock, None).err().unwrap().to_string();
        assert!(error.contains("no camera 987") && error.contains("cameras found"), "{error}");
    }
}
