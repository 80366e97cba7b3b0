//! Opening whatever pictures can come from.

use super::camera::mirrored::{self, Mirrored};
use super::camera::{LiveFfmpeg, PictureFolder, SourceSpec, VideoFile};
use super::session::SessionSource;
use super::source::{CameraError, FrameSource, IsEnded};
use crate::time::Clock;
use std::sync::Arc;

/// Opens the source that `text` names. Live sources take their pictures' times from `clock`.
///
/// # Errors
/// When it names none, or the source does not open; [`CameraError::Simulated`] for `sim`, which only the simulated table
/// has.
pub fn open(text: &str, clock: Arc<dyn Clock>) -> Result<Box<dyn FrameSource>, CameraError> {
    open_until(text, clock, None)
}

/// The same; a camera that takes its time is not waited for once `is_ended` says so, neither while it opens nor later.
///
/// # Errors
/// As [`open()`].
pub fn open_until(
    text: &str,
    clock: Arc<dyn Clock>,
    is_ended: Option<IsEnded>,
) -> Result<Box<dyn FrameSource>, CameraError> {
    let spec = SourceSpec::parse(text)?;
    let (source, is_turned) = mirrored::behind(text);
    if source.len() < text.len() {
        let source = open_until(source, clock, is_ended)?;
        return Ok(if is_turned { Box::new(Mirrored(source)) } else { source });
    }
    Ok(match spec {
        #[cfg(feature = "webcam")]
        SourceSpec::Webcam(spec) => Box::new(super::camera::Webcam::open(&spec, clock, is_ended)?),
        #[cfg(not(feature = "webcam"))]
        SourceSpec::Webcam(_) => return Err(no_webcam(is_ended)),
        #[cfg(feature = "desktop")]
        SourceSpec::Screen(spec) => Box::new(super::camera::ScreenSource::open(&spec, clock)?),
        #[cfg(not(feature = "desktop"))]
        SourceSpec::Screen(_) => return Err(super::desktop::DesktopError::NotBuilt.into()),
        SourceSpec::Ffmpeg(words) => Box::new(LiveFfmpeg::open(&words, clock)?),
        SourceSpec::Video(path) => Box::new(VideoFile::open(&path)?),
        SourceSpec::Pictures(path) => Box::new(PictureFolder::open(&path)?),
        SourceSpec::Session(path) => Box::new(SessionSource::open(&path)?),
        SourceSpec::Simulated => return Err(CameraError::Simulated),
    })
}

/// Nobody waits for a camera that cannot come.
#[cfg(not(feature = "webcam"))]
fn no_webcam(_: Option<IsEnded>) -> CameraError {
    CameraError::NotBuilt
}
