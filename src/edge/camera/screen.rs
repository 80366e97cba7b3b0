//! This computer's screen, or one window of it, as a camera that sees straight.

use super::newest::{Newest, Taken};
use super::spec::ScreenSpec;
use crate::edge::desktop::{DesktopError, View};
use crate::edge::{CameraError, FrameSource, IsEnded};
use crate::message::Frame;
use crate::time::{CameraFrame, Clock, HostTime};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::Duration;

/// How long a picture may take.
const PATIENCE_S: u64 = 5;

/// A screen or window. Pictures carry the time at which they were taken; a newer picture replaces one that nobody took.
pub struct ScreenSource {
    name: String,
    fps: f64,
    newest: Newest<Frame>,
    is_over: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
    is_ended: Option<IsEnded>,
}

impl ScreenSource {
    /// Starts to look.
    ///
    /// # Errors
    /// When there is no display, or no such window on it.
    pub fn open(spec: &ScreenSpec, clock: Arc<dyn Clock>) -> Result<Self, CameraError> {
        let view = View::open(&spec.title)?;
        let (name, fps) = (view.name(), spec.fps());
        let (newest, is_over) = (Newest::new(), Arc::new(AtomicBool::new(false)));
        let (place, flag) = (newest.clone(), is_over.clone());
        let body = move || look(view, 1000.0 / fps, &place, &flag, &*clock);
        let spawned = std::thread::Builder::new().name("screen".into()).spawn(body);
        let thread = Some(spawned.map_err(|source| CameraError::System { source })?);
        Ok(Self { name, fps, newest, is_over, thread, is_ended: None })
    }
}

/// Takes pictures until nobody wants them, or none can be taken.
fn look(mut view: View, period_ms: f64, newest: &Newest<Frame>, is_over: &AtomicBool, clock: &dyn Clock) {
    let mut due = clock.now();
    for index in 0.. {
        if is_over.load(Ordering::Relaxed) {
            break;
        }
        match picture(&mut view, index, clock) {
            Ok(frame) => newest.put(frame),
            Err(error) => return newest.end(Err(error.into())),
        }
        // After a pause the pictures that were missed are not made up for.
        due = due.plus_ms(period_ms).max(clock.now().plus_ms(-period_ms));
        clock.sleep_until(due);
    }
    newest.end(Ok(()));
}

/// Its time is when it was there: what it shows may be a little older, but no key was pressed after that time whose effect it
/// shows. (The screen may be busy for some ms before it looks.)
fn picture(view: &mut View, index: u64, clock: &dyn Clock) -> Result<Frame, DesktopError> {
    let image = Arc::new(view.take()?);
    let time: HostTime = clock.now();
    Ok(Frame { index: CameraFrame(index), time, name: None, file: None, image })
}

impl FrameSource for ScreenSource {
    fn next_frame(&mut self) -> Result<Option<Frame>, CameraError> {
        match self.newest.take_until(Duration::from_secs(PATIENCE_S), self.is_ended.as_ref()) {
            Taken::Item(frame) => Ok(Some(frame)),
            Taken::End(result) => result.map(|()| None),
            Taken::Nothing => Err(CameraError::Stalled { source_name: self.name.clone(), seconds: PATIENCE_S }),
        }
    }

    fn is_live(&self) -> bool {
        true
    }

    fn dropped(&self) -> u64 {
        self.newest.replaced()
    }

    fn nominal_fps(&self) -> Option<f64> {
        Some(self.fps)
    }

    fn end_when(&mut self, is_ended: IsEnded) {
        self.is_ended = Some(is_ended);
    }
}

impl Drop for ScreenSource {
    fn drop(&mut self) {
        self.is_over.store(true, Ordering::Relaxed);
        if let Some(thread) = self.thread.take()
            && thread.join().is_err()
        {
            tracing::error!("the thread that looks at the screen panicked");
        }
    }
}
