//! The stream of a camera's pictures: numbered, timed, looked through for broken ones, and started again when it stands
//! still. It runs in the camera's thread and never waits longer than [`TURN`].

use super::device::{Device, Raw, Trouble};
use super::jpeg::{self, Flaw};
use super::mode::Mode;
use super::pixels::Layout;
use super::told;
use crate::edge::CameraError;
use crate::edge::Losses;
use crate::time::{CameraFrame, Clock, HostTime};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// The longest that one turn waits: so soon a camera is given back when nobody wants it any more.
pub(super) const TURN: Duration = Duration::from_millis(100);
/// Pictures that may wait in the driver; more at once are none that it held back.
const QUEUE_MAX: usize = 8;
/// Without a picture for this long the stream is started again: at first, when cameras take their time, and later, ms.
const START_SILENCE_MS: f64 = 4000.0;
const SILENCE_MS: f64 = 1000.0;
/// The same for slow cameras, in pictures.
const SILENCE_PICTURES: f64 = 8.0;
/// Starts in a row that fail before the camera is given up.
const FAILURES_MAX: u32 = 3;
/// A camera that sends nothing but broken pictures is given up after this many, and after this long, ms.
const FLAWED_MAX: u32 = 8;
const FLAWED_MS: f64 = 2000.0;
/// A driver's time this long before a picture is fetched is no time of that picture, ms: a queue of four at 2 a second.
const AGE_MAX_MS: f64 = 2000.0;
/// A clock may seem to run ahead by so much, ms.
const AHEAD_MS: f64 = 1.0;
/// A jump of the driver's numbers beyond this is a new count, not that many lost pictures.
const JUMP_MAX: u32 = 1000;
/// The state in which a camera gives no pictures, for [`told`].
const SILENT: &str = "silent";

/// A picture that can be decoded.
#[derive(Debug)]
pub(super) struct Arrived {
    pub(super) index: CameraFrame,
    pub(super) time: HostTime,
    pub(super) bytes: Vec<u8>,
}

/// Losses that two threads count.
pub(super) type Counted = Arc<Mutex<Losses>>;

/// Counts something in `losses`.
pub(super) fn count(losses: &Counted, what: impl FnOnce(&mut Losses)) {
    what(&mut losses.lock().unwrap_or_else(PoisonError::into_inner));
}

/// The stream.
pub(super) struct Feed<'a> {
    camera: u32,
    clock: &'a dyn Clock,
    mode: Mode,
    /// Bytes of a picture that is not compressed.
    full_bytes: usize,
    losses: Counted,
    numbering: Numbering,
    watch: Watch,
    flawed: Flawed,
    uses_stamps: bool,
}

/// When something came last, and what was tried since.
struct Watch {
    /// The last picture, good or not; or the start.
    heard: HostTime,
    has_heard: bool,
    started: HostTime,
    restarts: u32,
    failures: u32,
}

/// Broken pictures in a row.
#[derive(Default)]
struct Flawed {
    count: u32,
    since: HostTime,
}

impl<'a> Feed<'a> {
    /// A stream that starts now. `stride` is the device's, `losses` where it counts.
    pub(super) fn new(camera: u32, mode: Mode, stride: usize, clock: &'a dyn Clock, losses: Counted) -> Self {
        let now = clock.now();
        let full_bytes = mode.layout.bytes(mode.width as usize, mode.height as usize, stride);
        let watch = Watch { heard: now, has_heard: false, started: now, restarts: 0, failures: 0 };
        let numbering = Numbering::default();
        Self { camera, clock, mode, full_bytes, losses, numbering, watch, flawed: Flawed::default(), uses_stamps: true }
    }

    /// Waits shortly; the newest picture if there is one.
    pub(super) fn turn(&mut self, device: &mut dyn Device) -> Result<Option<Arrived>, CameraError> {
        match device.wait(TURN) {
            Ok(true) => self.fetch_newest(device),
            Ok(false) => self.mind_silence(device).map(|()| None),
            Err(trouble) => self.mend(device, trouble).map(|()| None),
        }
    }

    /// Takes all that wait in the driver, and keeps the newest that is good.
    fn fetch_newest(&mut self, device: &mut dyn Device) -> Result<Option<Arrived>, CameraError> {
        let mut newest = None;
        for _ in 0..QUEUE_MAX {
            match device.fetch() {
                Ok(Some(raw)) => {
                    if let Some(good) = self.look_at(raw)?
                        && newest.replace(good).is_some()
                    {
                        count(&self.losses, |losses| losses.replaced += 1);
                    }
                }
                Ok(None) => self.hear(),
                // A picture that is here already goes first; the trouble will show again.
                Err(_) if newest.is_some() => break,
                Err(trouble) => return self.mend(device, trouble).map(|()| None),
            }
            if !device.wait(Duration::ZERO).unwrap_or(false) {
                break;
            }
        }
        Ok(newest)
    }

    /// Numbers and times a picture, and says what is wrong with it if something is.
    fn look_at(&mut self, raw: Raw) -> Result<Option<Arrived>, CameraError> {
        let time = self.time_of(&raw);
        let (index, never_came) = self.numbering.next(raw.sequence, time, self.mode.period_ms());
        count(&self.losses, |losses| losses.never_came += never_came);
        self.hear();
        let flaw = if raw.is_marked_bad && !raw.bytes.is_empty() {
            count(&self.losses, |losses| losses.marked_bad += 1);
            told::warn_once(self.camera, &format!("its driver marks a picture as damaged: {PASSED_OVER}"));
            Flaw::BrokenOff
        } else {
            match self.checked(raw.bytes) {
                Ok(bytes) => {
                    self.flawed.count = 0;
                    return Ok(Some(Arrived { index, time, bytes }));
                }
                Err(flaw) => {
                    count(&self.losses, |losses| losses.count(flaw));
                    told::warn_once(self.camera, &format!("a picture is {flaw}: {PASSED_OVER}"));
                    flaw
                }
            }
        };
        self.bear(flaw).map(|()| None)
    }

    fn checked(&self, mut bytes: Vec<u8>) -> Result<Vec<u8>, Flaw> {
        if self.mode.layout != Layout::Mjpeg {
            return match bytes.len() {
                0 => Err(Flaw::Empty),
                some if some < self.full_bytes => Err(Flaw::BrokenOff),
                _ => {
                    bytes.truncate(self.full_bytes);
                    Ok(bytes)
                }
            };
        }
        let repaired = jpeg::repair(&bytes)?;
        if repaired.end_added && told::is_news(self.camera, "no end") {
            tracing::info!(
                "camera {}: its pictures have no end mark, but all their pixels; they are used",
                self.camera
            );
        }
        if repaired.padding > 0 && told::is_news(self.camera, "padded") {
            tracing::info!("camera {}: it sends bytes after a picture's end; they are cut off", self.camera);
        }
        Ok(repaired.bytes.into_owned())
    }

    /// A broken picture is passed over, but not for ever.
    fn bear(&mut self, flaw: Flaw) -> Result<(), CameraError> {
        let now = self.clock.now();
        if self.flawed.count == 0 {
            self.flawed.since = now;
        }
        self.flawed.count += 1;
        if self.flawed.count >= FLAWED_MAX && now.ms_since(self.flawed.since) >= FLAWED_MS {
            return Err(CameraError::Garbled {
                source_name: format!("camera {}", self.camera),
                problem: flaw.to_string(),
            });
        }
        Ok(())
    }

    /// The driver's time if it can be that picture's, else now; once it was wrong it is not asked again.
    fn time_of(&mut self, raw: &Raw) -> HostTime {
        let now = self.clock.now();
        let Some(stamp) = raw.stamp.filter(|_| self.uses_stamps) else { return now };
        let is_in_order = self.numbering.time.is_none_or(|last| stamp > last);
        if is_in_order && (-AHEAD_MS..=AGE_MAX_MS).contains(&now.ms_since(stamp)) {
            return stamp.min(now);
        }
        self.uses_stamps = false;
        if told::is_news(self.camera, "stamps") {
            tracing::info!("camera {}: its driver's times are wrong; those of arrival are used", self.camera);
        }
        now
    }

    fn hear(&mut self) {
        let silent_ms = self.clock.now().ms_since(self.watch.heard);
        if self.watch.restarts > 0 {
            tracing::info!("camera {}: it gives pictures again, after {:.1} s", self.camera, silent_ms / 1000.0);
            told::forget(self.camera, SILENT);
        }
        self.watch = Watch { heard: self.clock.now(), has_heard: true, restarts: 0, failures: 0, ..self.watch };
    }

    /// Nothing came: after a while the stream is started again.
    fn mind_silence(&mut self, device: &mut dyn Device) -> Result<(), CameraError> {
        let now = self.clock.now();
        let patience_ms = if self.watch.has_heard { SILENCE_MS } else { START_SILENCE_MS };
        let patience_ms = patience_ms.max(SILENCE_PICTURES * self.mode.period_ms());
        let quiet_since = self.watch.heard.max(self.watch.started);
        if now.ms_since(quiet_since) < patience_ms {
            return Ok(());
        }
        if told::is_news(self.camera, SILENT) {
            let silent_s = now.ms_since(self.watch.heard) / 1000.0;
            tracing::warn!(
                "camera {}: no picture for {silent_s:.1} s; its stream is started again. If that goes on, try another cable or \
                 USB port, without a hub",
                self.camera
            );
        }
        self.restart(device)
    }

    /// The driver failed: the stream is started again, unless the camera is gone.
    fn mend(&mut self, device: &mut dyn Device, trouble: Trouble) -> Result<(), CameraError> {
        match trouble {
            Trouble::Gone(problem) => Err(CameraError::CameraLost { index: self.camera, problem }),
            Trouble::Other(problem) => {
                self.watch.failures += 1;
                if self.watch.failures > FAILURES_MAX {
                    return Err(CameraError::CameraLost { index: self.camera, problem });
                }
                if told::is_news(self.camera, SILENT) {
                    tracing::warn!("camera {}: its driver fails ({problem}); its stream is started again", self.camera);
                }
                self.restart(device)
            }
        }
    }

    fn restart(&mut self, device: &mut dyn Device) -> Result<(), CameraError> {
        self.watch.restarts += 1;
        self.watch.started = self.clock.now();
        self.numbering.restart();
        match device.restart() {
            Ok(()) => Ok(()),
            Err(Trouble::Gone(problem)) => Err(CameraError::CameraLost { index: self.camera, problem }),
            Err(Trouble::Other(problem)) => {
                self.watch.failures += 1;
                if self.watch.failures > FAILURES_MAX {
                    return Err(CameraError::CameraLost { index: self.camera, problem });
                }
                tracing::debug!("camera {}: its stream does not start: {problem}", self.camera);
                Ok(())
            }
        }
    }
}

/// What becomes of a broken picture, and what to do about it.
const PASSED_OVER: &str = "it is passed over and counted, and so are those that follow; if there are many, try another cable \
                           or USB port, without a hub";

/// From the driver's numbers to ours, which only grow and jump where pictures are missing.
#[derive(Default)]
struct Numbering {
    sequence: Option<u32>,
    index: Option<u64>,
    time: Option<HostTime>,
}

impl Numbering {
    /// The next picture's number, and how many before it never came.
    fn next(&mut self, sequence: Option<u32>, time: HostTime, period_ms: f64) -> (CameraFrame, u64) {
        let step = match (sequence, self.sequence) {
            (Some(now), Some(before)) => match now.wrapping_sub(before) {
                // A number that stands still, or a new count.
                0 | JUMP_MAX.. => 1,
                step => u64::from(step),
            },
            // The first after a new start: the camera's own count is gone, but time is not.
            (Some(_), None) => {
                let elapsed_ms = self.time.map_or(0.0, |before| time.ms_since(before));
                ((elapsed_ms / period_ms).round() as u64).max(1)
            }
            (None, _) => 1,
        };
        let is_counted = sequence.is_some() && self.sequence.is_some();
        let index = self.index.map_or(0, |index| index + step);
        self.sequence = sequence;
        self.index = Some(index);
        self.time = Some(time);
        (CameraFrame(index), if is_counted { step - 1 } else { 0 })
    }

    /// The driver counts from 0 again.
    fn restart(&mut self) {
        self.sequence = None;
    }
}

#[cfg(test)]
#[path = "feed_tests.rs"]
mod tests;
