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

pub(super) use arguments::{check, check_profile};
pub use live::LiveFfmpeg;
pub use video::VideoFile;

/// Reads bytes as what ffmpeg writes: its log, and its pictures. For fuzzing.
#[doc(hidden)]
pub fn read_streams(bytes: &[u8]) {
    let mut log = log::Log::default();
    for line in String::from_utf8_lossy(bytes).lines() {
        let _ = log.take(line);
    }
    let mut stream = bytes;
    while let Ok(Some(_)) = ppm::read_picture(&mut stream) {}
}
