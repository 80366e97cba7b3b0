//! A webcam through the nokhwa crate.
//!
//! The driver's `frame()` has no timeout and can hang for ever, so it runs in its own thread, and whoever waits for a
//! picture waits under a watchdog. The thread fetches every buffer at once, because the driver queues four of them and
//! hands out the oldest. Pictures are decoded on the reader's side, only the newest.

use super::newest::{Newest, Taken};
use super::pixels::{self, Layout};
use super::{CameraError, FrameSource, WebcamSpec};
use crate::message::Frame;
use crate::time::{CameraFrame, Clock, HostTime};
use nokhwa::utils::{
    ApiBackend, CameraFormat, CameraIndex, ControlValueSetter, FrameFormat, KnownCameraControl, RequestedFormat,
    RequestedFormatType,
};
use nokhwa::{Buffer, Camera};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// How long a camera may take to open and to give its first picture.
const START_PATIENCE_S: u64 = 10;
/// How long any later picture may take.
const STALL_PATIENCE_S: u64 = 5;
/// Undecodable pictures in a row after which the source gives up: two seconds at 30 a second.
const GARBLED_MAX: u32 = 60;
/// Wanted if the user does not say: enough pixels for 10 cells of 10 px, few enough to decode in time.
const SIZE_WANTED: (u32, u32) = (1280, 720);
/// Fewer pictures a second miss pieces; more than the console draws tell nothing new.
const FPS_NEEDED: u32 = 30;
const FPS_USEFUL: u32 = 60;
/// What [`decode`] can read.
pub(super) const DECODABLE: [FrameFormat; 6] = [
    FrameFormat::MJPEG,
    FrameFormat::YUYV,
    FrameFormat::NV12,
    FrameFormat::GRAY,
    FrameFormat::RAWRGB,
    FrameFormat::RAWBGR,
];
/// Linux's numbers for controls that nokhwa has no name for (V4L2_CID_EXPOSURE_AUTO and two that follow it).
const EXPOSURE_AUTO: KnownCameraControl = KnownCameraControl::Other(0x9a_0901);
const EXPOSURE_ABSOLUTE: KnownCameraControl = KnownCameraControl::Other(0x9a_0902);
const EXPOSURE_LOWERS_RATE: KnownCameraControl = KnownCameraControl::Other(0x9a_0903);
/// V4L2_EXPOSURE_MANUAL.
const MANUAL: i64 = 1;

/// A camera. Pictures carry the time at which they arrived; a newer picture replaces one that nobody took.
pub struct Webcam {
    index: u32,
    newest: Newest<Arrived>,
    stop: Arc<AtomicBool>,
    given: u64,
    undecodable: u64,
}

struct Arrived {
    index: CameraFrame,
    time: HostTime,
    buffer: Buffer,
}

impl Webcam {
    /// Starts the camera's thread and waits until the camera is open.
    ///
    /// # Errors
    /// When there is no such camera (the error lists those there are), it does not open, or does not in time.
    pub fn open(spec: &WebcamSpec, clock: Arc<dyn Clock>) -> Result<Self, CameraError> {
        ask_permission(spec.index)?;
        check_exists(spec.index)?;
        let newest = Newest::new();
        let stop = Arc::new(AtomicBool::new(false));
        let (send_opened, opened) = crossbeam_channel::bounded(1);
        let (place, stopped, spec) = (newest.clone(), stop.clone(), *spec);
        let body = move || match open_camera(&spec) {
            Ok(mut camera) => {
                let _ = send_opened.send(Ok(()));
                let end = capture(&mut camera, spec.index, &place, &stopped, &*clock);
                place.end(end);
            }
            // Nobody listens when the opening took too long.
            Err(problem) => {
                let _ = send_opened.send(Err(problem));
            }
        };
        // Not joined: it may hang in the driver for ever.
        std::thread::Builder::new()
            .name("camera".into())
            .spawn(body)
            .map_err(|source| CameraError::System { source })?;
        match opened.recv_timeout(Duration::from_secs(START_PATIENCE_S)) {
            Ok(Ok(())) => Ok(Self { index: spec.index, newest, stop, given: 0, undecodable: 0 }),
            Ok(Err(problem)) => Err(CameraError::CameraOpen { index: spec.index, problem }),
            Err(_) => {
                stop.store(true, Ordering::Relaxed);
                Err(CameraError::CameraOpen { index: spec.index, problem: "its driver does not answer".into() })
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
            let seconds = if self.given == 0 { START_PATIENCE_S } else { STALL_PATIENCE_S };
            let arrived = match self.newest.take(Duration::from_secs(seconds)) {
                Taken::Item(arrived) => arrived,
                Taken::Nothing => return Err(CameraError::Stalled { source_name: self.name(), seconds }),
                Taken::End(result) => {
                    result?;
                    return Err(CameraError::CameraLost { index: self.index, problem: "it was closed".into() });
                }
            };
            match decode(&arrived.buffer) {
                Ok(image) => {
                    self.given += 1;
                    let image = Arc::new(image);
                    return Ok(Some(Frame { index: arrived.index, time: arrived.time, name: None, image }));
                }
                Err(why) => {
                    self.undecodable += 1;
                    tracing::debug!("camera {}: skipping a picture: {why}", self.index);
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
        self.newest.replaced() + self.undecodable
    }
}

impl Drop for Webcam {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
    }
}

/// macOS asks its user first.
fn ask_permission(index: u32) -> Result<(), CameraError> {
    if !cfg!(target_os = "macos") {
        return Ok(());
    }
    let (send, answer) = crossbeam_channel::bounded(1);
    // A second answer has no room, and is the same.
    nokhwa::nokhwa_initialize(move |is_granted| {
        let _ = send.try_send(is_granted);
    });
    match answer.recv_timeout(Duration::from_secs(60)) {
        Ok(true) => Ok(()),
        _ => Err(CameraError::CameraOpen { index, problem: "the use of cameras is not allowed".into() }),
    }
}

fn check_exists(index: u32) -> Result<(), CameraError> {
    let cameras = match nokhwa::query(ApiBackend::Auto) {
        Ok(cameras) => cameras,
        Err(e) => return Err(CameraError::CameraMissing { index, found: format!("none, {e}") }),
    };
    if cameras.iter().any(|c| c.index().as_index().is_ok_and(|i| i == index)) {
        return Ok(());
    }
    let names: Vec<_> = cameras.iter().map(|c| format!("{}: {}", c.index(), c.human_name())).collect();
    let found = if names.is_empty() { "none".into() } else { names.join(", ") };
    Err(CameraError::CameraMissing { index, found })
}

fn open_camera(spec: &WebcamSpec) -> Result<Camera, String> {
    let any = RequestedFormat::with_formats(RequestedFormatType::None, &DECODABLE);
    let mut camera =
        Camera::new(CameraIndex::Index(spec.index), any).map_err(|e| explain(&e.to_string(), spec.index))?;
    // `Closest` fails unless format and size exist, so the nearest is chosen here, among what the camera lists.
    match camera.compatible_camera_formats() {
        Ok(formats) => {
            if let Some(best) = formats.into_iter().min_by_key(|f| distance(f, spec)) {
                let request = RequestedFormat::with_formats(RequestedFormatType::Closest(best), &DECODABLE);
                if let Err(e) = camera.set_camera_requset(request) {
                    tracing::warn!("camera {} stays at {}: {e}", spec.index, camera.camera_format());
                }
            }
        }
        Err(e) => tracing::warn!("camera {} does not list its formats: {e}", spec.index),
    }
    set_exposure(&mut camera, spec);
    camera.open_stream().map_err(|e| e.to_string())?;
    tracing::info!("camera {} ({}) gives {}", spec.index, camera.info().human_name(), camera.camera_format());
    Ok(camera)
}

/// The driver refuses cameras that another program left at, say, 12.5 pictures a second.
fn explain(problem: &str, index: u32) -> String {
    if problem.contains("not whole number") {
        return format!("{problem}; reset its rate with `v4l2-ctl -d /dev/video{index} -p 30`");
    }
    problem.into()
}

/// How far a format is from what is wanted: what the user asked for first, then enough pictures a second, then the size,
/// then the cost of decoding.
fn distance(format: &CameraFormat, spec: &WebcamSpec) -> [u32; 5] {
    let asked_size = spec.size.map_or(0, |size| size_distance(format, size));
    let asked_fps = spec.fps.map_or(0, |fps| format.frame_rate().abs_diff(fps));
    // Below 30 a second pieces are seen too late, whatever the size.
    let is_slow = u32::from(format.frame_rate() < FPS_NEEDED);
    let cost = match format.format() {
        FrameFormat::RAWRGB | FrameFormat::RAWBGR | FrameFormat::YUYV | FrameFormat::NV12 => 0,
        FrameFormat::MJPEG => 1,
        // No colours.
        FrameFormat::GRAY => 2,
    };
    let slowness = FPS_USEFUL.saturating_sub(format.frame_rate());
    [asked_size * 1000 + asked_fps, is_slow, size_distance(format, SIZE_WANTED), slowness, cost]
}

fn size_distance(format: &CameraFormat, (width, height): (u32, u32)) -> u32 {
    format.width().abs_diff(width) + format.height().abs_diff(height)
}

/// Cameras differ in what they allow, so nothing here is fatal.
fn set_exposure(camera: &mut Camera, spec: &WebcamSpec) {
    let mut try_to = |what: &str, control, value| {
        if let Err(e) = camera.set_camera_control(control, ControlValueSetter::Integer(value)) {
            match spec.exposure {
                Some(_) => tracing::warn!("camera {}: cannot {what}: {e}", spec.index),
                None => tracing::debug!("camera {}: cannot {what}: {e}", spec.index),
            }
        }
    };
    try_to("keep its rate in the dark", EXPOSURE_LOWERS_RATE, 0);
    if let Some(exposure) = spec.exposure {
        try_to("switch automatic exposure off", EXPOSURE_AUTO, MANUAL);
        try_to("set the exposure", EXPOSURE_ABSOLUTE, exposure);
    }
}

/// Fetches pictures until the camera fails or nobody wants more.
fn capture(
    camera: &mut Camera,
    index: u32,
    newest: &Newest<Arrived>,
    stop: &AtomicBool,
    clock: &dyn Clock,
) -> Result<(), CameraError> {
    for count in 0.. {
        if stop.load(Ordering::Relaxed) {
            break;
        }
        match camera.frame() {
            Ok(buffer) => newest.put(Arrived { index: CameraFrame(count), time: clock.now(), buffer }),
            Err(e) => return Err(CameraError::CameraLost { index, problem: e.to_string() }),
        }
    }
    if let Err(e) = camera.stop_stream() {
        tracing::debug!("camera {index} does not stop cleanly: {e}");
    }
    Ok(())
}

fn decode(buffer: &Buffer) -> Result<image::RgbImage, String> {
    let layout = match buffer.source_frame_format() {
        FrameFormat::MJPEG => Layout::Mjpeg,
        FrameFormat::YUYV => Layout::Yuyv,
        FrameFormat::NV12 => Layout::Nv12,
        FrameFormat::GRAY => Layout::Gray,
        FrameFormat::RAWRGB => Layout::Rgb,
        FrameFormat::RAWBGR => Layout::Bgr,
    };
    let size = buffer.resolution();
    pixels::decode(layout, size.width(), size.height(), buffer.buffer())
}

#[cfg(test)]
mod tests {
    use super::*;
    use nokhwa::utils::Resolution;

    fn best(formats: &[(u32, u32, FrameFormat, u32)], spec: &WebcamSpec) -> (u32, u32, FrameFormat, u32) {
        let key =
            |f: &&(u32, u32, FrameFormat, u32)| distance(&CameraFormat::new(Resolution::new(f.0, f.1), f.2, f.3), spec);
        *formats.iter().min_by_key(key).unwrap()
    }

    #[test]
    fn a_format_is_chosen_that_is_fast_and_large_enough() {
        use FrameFormat::{MJPEG, YUYV};
        let formats = [
            (640, 480, YUYV, 30),
            (1280, 720, YUYV, 10),
            (1280, 720, MJPEG, 30),
            (640, 480, MJPEG, 30),
            (1920, 1080, MJPEG, 30),
            (640, 480, MJPEG, 60),
        ];
        let spec = WebcamSpec::new(0);
        assert_eq!(best(&formats, &spec), (1280, 720, MJPEG, 30));
        assert_eq!(best(&formats, &WebcamSpec { size: Some((640, 480)), ..spec }), (640, 480, MJPEG, 60));
        assert_eq!(best(&formats, &WebcamSpec { size: Some((640, 480)), fps: Some(30), ..spec }), (640, 480, YUYV, 30));
        assert_eq!(best(&formats, &WebcamSpec { fps: Some(60), ..spec }), (640, 480, MJPEG, 60));
        assert_eq!(best(&formats[..2], &spec), (640, 480, YUYV, 30));
    }

    #[test]
    fn a_missing_camera_is_named_with_those_there_are() {
        let clock: Arc<dyn Clock> = Arc::new(crate::time::SystemClock::new());
        let error = Webcam::open(&WebcamSpec::new(987), clock).err().unwrap().to_string();
        assert!(error.contains("no camera 987") && error.contains("cameras found"), "{error}");
    }
}
