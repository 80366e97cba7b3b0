//! Where pictures come from: a camera, the screen, ffmpeg, a video file, pictures, a recorded session.

#[cfg(feature = "webcam")]
mod controls;
#[cfg(feature = "webcam")]
mod device;
#[cfg(feature = "webcam")]
mod feed;
mod ffmpeg;
mod folder;
pub mod jpeg;
#[cfg(all(feature = "webcam", target_os = "linux"))]
mod linux;
mod listing;
pub mod mirrored;
#[cfg(feature = "webcam")]
mod mode;
mod newest;
#[cfg_attr(not(feature = "webcam"), allow(dead_code))]
mod pixels;
// Compiled on Linux, too, so that it stays right.
#[cfg(feature = "webcam")]
#[cfg_attr(target_os = "linux", allow(dead_code))]
mod portable;
mod rate;
#[cfg(feature = "desktop")]
mod screen;
mod spec;
#[cfg(feature = "webcam")]
mod told;
#[cfg(feature = "webcam")]
mod webcam;

pub use ffmpeg::{LiveFfmpeg, VideoFile, read_streams};
pub use folder::PictureFolder;
pub use listing::{Offer, WebcamInfo, list_webcams, webcam_names};
pub use pixels::decode_jpeg;
pub use rate::PictureRate;
#[cfg(feature = "desktop")]
pub use screen::ScreenSource;
pub use spec::{ScreenSpec, SourceSpec, WebcamSpec};
#[cfg(feature = "webcam")]
pub use webcam::Webcam;
