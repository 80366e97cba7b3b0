//! Pictures through the external `ffmpeg` program: video files with their own times, and live inputs.
//!
//! ffmpeg writes each picture with its size (PPM) to its standard output; for files it also logs each picture's
//! timestamp, in the same order, before it writes the picture. Works with ffmpeg 4 and later.

mod arguments;
mod live;
mod log;
mod ppm;
mod process;
mod video;
mod words;

pub(super) use arguments::{check, check_profile};
pub use live::LiveFfmpeg;
pub use video::VideoFile;
pub(super) use words::split_words;
