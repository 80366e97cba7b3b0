//! What the tests of `vision` share.
#![allow(dead_code, clippy::unwrap_used)]

pub mod flat;
pub mod grab;
pub mod play;
pub mod spoil;
pub mod steep;

use image::RgbImage;
use stackhand::message::Frame;
use stackhand::time::{CameraFrame, HostTime};
use std::cell::Cell;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::sync::Arc;

/// A folder of the large fixtures beside the repository; says so where there is none.
pub fn fixtures(name: &str) -> Option<PathBuf> {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../shared/fixtures").join(name);
    let found = folder.is_dir().then_some(folder);
    if found.is_none() {
        crate::skip::skipped(name, &[&*format!("../shared/fixtures/{name}")]);
    }
    found
}

/// A picture as a frame, taken a thirtieth of a second after the last that this thread asked for.
pub fn frame_of(image: RgbImage) -> Frame {
    thread_local! {
        static TAKEN: Cell<u64> = const { Cell::new(0) };
    }
    let taken = TAKEN.replace(TAKEN.get() + 1);
    let time = HostTime::from_ms(33.3 * taken as f64);
    Frame { index: CameraFrame(taken), time, name: None, file: None, image: Arc::new(image) }
}

/// All pictures of a recording, decoded by ffmpeg; none, said aloud, where there is no ffmpeg.
pub fn recording(set: &str, file: &str, [width, height]: [u32; 2], mut each: impl FnMut(usize, RgbImage)) -> usize {
    use std::io::Read;
    let Some(folder) = fixtures(set) else {
        return 0;
    };
    let mut ffmpeg = Command::new("ffmpeg");
    ffmpeg.args(["-v", "error", "-nostdin", "-i"]).arg(folder.join(file));
    ffmpeg.args(["-fps_mode", "passthrough", "-f", "rawvideo", "-pix_fmt", "rgb24", "-"]);
    let Ok(mut child) = ffmpeg.stdout(Stdio::piped()).spawn() else {
        crate::skip::skipped(file, &["ffmpeg"]);
        return 0;
    };
    let mut pixels = child.stdout.take().unwrap();
    let mut count = 0;
    loop {
        let mut bytes = vec![0; (width * height * 3) as usize];
        if pixels.read_exact(&mut bytes).is_err() {
            break;
        }
        each(count, RgbImage::from_raw(width, height, bytes).unwrap());
        count += 1;
    }
    child.wait().unwrap();
    count
}
