//! When the camera or the board goes away while playing: relays open, told once, looked for, and played on.

use super::perform::{RunError, Stage};
use super::report::Report;
use super::report::hand::Loss;
use crate::camera::{CameraError, FrameSource};
use crate::message::Frame;
use crate::relay::{StopFlag, Watchdog, WearKeeper};
use crate::robot::Robot;
use crate::time::{CameraFrame, HostTime};
use std::time::Duration;

/// Without a picture for so long the relays open, ms: 15 pictures of a usual camera, and less than two rows at level 0.
const BLIND_MS_MIN: f64 = 500.0;
/// The same for slow cameras, in pictures.
const BLIND_PICTURES: f64 = 8.0;
/// A camera is looked for this often, ms.
const EVERY_MS: f64 = 250.0;
/// The stop flag is looked at this often meanwhile, ms.
const SLICE_MS: f64 = 50.0;

/// Opens the camera again.
pub type OpenCamera = Box<dyn FnMut() -> Result<Box<dyn FrameSource>, CameraError>>;

/// What a run takes care of besides playing.
#[derive(Default)]
pub struct Care {
    /// How a lost camera is opened again, and for how long that is tried; without, its loss ends the run.
    pub camera: Option<(OpenCamera, Duration)>,
    /// The process that opens the relays if this one is killed.
    pub watchdog: Option<Watchdog>,
    /// Counts the relays' operations.
    pub wear: Option<WearKeeper>,
    eye: Eye,
    board_is_lost: bool,
}

/// What is known of the pictures so far.
#[derive(Default)]
struct Eye {
    last: Option<HostTime>,
    /// Their period, ms; smoothed.
    period_ms: f64,
    /// A camera that was opened again counts from 0.
    next_index: u64,
    offset: u64,
    away_since: Option<HostTime>,
}

impl Care {
    /// A run with these.
    pub fn new(camera: Option<(OpenCamera, Duration)>, watchdog: Option<Watchdog>, wear: Option<WearKeeper>) -> Self {
        Self { camera, watchdog, wear, ..Self::default() }
    }

    /// Numbers a picture that came; until when presses may go on after it.
    pub(super) fn see(&mut self, frame: &mut Frame) -> HostTime {
        let eye = &mut self.eye;
        frame.index = CameraFrame(frame.index.0 + eye.offset);
        eye.next_index = frame.index.0 + 1;
        if let Some(last) = eye.last.replace(frame.time) {
            eye.period_ms += (frame.time.ms_since(last) - eye.period_ms) / BLIND_PICTURES;
        }
        frame.time.plus_ms(BLIND_MS_MIN.max(BLIND_PICTURES * eye.period_ms))
    }

    /// Whether this picture is the first after the camera was lost.
    pub(super) fn is_back(&mut self) -> bool {
        self.eye.away_since.take().is_some()
    }
}

/// The camera failed: opens the relays and looks for it. `Ok` when there is another one, or the run shall end.
pub(super) fn wait_for_camera(
    stage: &mut Stage,
    report: &Report,
    stop: &StopFlag,
    error: CameraError,
) -> Result<(), RunError> {
    stage.executor.open_all();
    let now = stage.clock.now();
    let Some((open, patience)) = &mut stage.care.camera else { return Err(error.into()) };
    let since = stage.care.eye.away_since.unwrap_or(now);
    if stage.care.eye.away_since.replace(since).is_none() {
        tracing::error!("{error}; the relays are open, and the camera is looked for during {patience:?}");
        report.loss(Loss::CameraLost, now)?;
    }
    // Closed first: most cameras open once only.
    stage.source = Box::new(NoCamera);
    while !stop.is_set() {
        let now = stage.clock.now();
        if now > since + *patience {
            return Err(error.into());
        }
        match open() {
            Ok(source) => {
                stage.source = source;
                stage.care.eye.offset = stage.care.eye.next_index;
                return Ok(());
            }
            Err(e) => tracing::debug!("the camera is not back: {e}"),
        }
        let next = now.plus_ms(EVERY_MS);
        while !stop.is_set() && stage.clock.now() < next {
            stage.clock.sleep_until(next.min(stage.clock.now().plus_ms(SLICE_MS)));
        }
    }
    Ok(())
}

/// Whether the board can be played on. After it was lost, the falling piece is planned again from where it is seen.
pub(super) fn has_board(stage: &mut Stage, robot: &mut Robot, report: &Report) -> Result<bool, RunError> {
    let is_lost = stage.executor.handle().is_lost();
    if is_lost != std::mem::replace(&mut stage.care.board_is_lost, is_lost) {
        let now = stage.clock.now();
        report.loss(if is_lost { Loss::BoardLost } else { Loss::BoardBack }, now)?;
        robot.lose_track(now);
    }
    Ok(!is_lost)
}

/// Stands in for a camera that is away.
struct NoCamera;

impl FrameSource for NoCamera {
    fn next_frame(&mut self) -> Result<Option<Frame>, CameraError> {
        Ok(None)
    }

    fn is_live(&self) -> bool {
        true
    }
}
