//! Where pictures come from: a camera, ffmpeg, a video file, pictures, a recorded session.

mod controls;
mod device;
mod feed;
mod ffmpeg;
mod folder;
pub mod jpeg;
#[cfg(target_os = "linux")]
mod linux;
mod listing;
mod mode;
mod newest;
mod pixels;
// Compiled on Linux, too, so that it stays right.
#[cfg_attr(target_os = "linux", allow(dead_code))]
mod portable;
mod rate;
mod spec;
mod told;
mod webcam;

pub use ffmpeg::{LiveFfmpeg, VideoFile, read_streams};
pub use folder::PictureFolder;
pub use listing::{Offer, WebcamInfo, list_webcams, webcam_names};
pub use pixels::decode_jpeg;
pub use rate::PictureRate;
pub use spec::{SourceSpec, WebcamSpec};
pub use webcam::Webcam;
