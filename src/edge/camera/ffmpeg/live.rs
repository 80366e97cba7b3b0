//! A live input of ffmpeg's: a screen, a capture card, a network camera.

use super::arguments::PROTOCOLS;
use super::ppm::read_picture;
use super::process::{Process, Streams, input_limits, output_arguments, version};
use crate::edge::camera::newest::{Newest, Taken};
use crate::edge::{CameraError, FrameSource, IsEnded};
use crate::message::Frame;
use crate::time::{CameraFrame, Clock};
use std::io::BufReader;
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::Duration;

/// How long the first picture may take: network cameras answer slowly and send a key picture every few seconds.
const START_PATIENCE_S: u64 = 15;
/// How long any later picture may take.
const STALL_PATIENCE_S: u64 = 5;
/// Reads of this many bytes keep system calls rare.
const BUFFER_BYTES: usize = 1 << 18;

/// A live input. Pictures carry the time at which they arrived; a newer picture replaces one that nobody took.
pub struct LiveFfmpeg {
    arguments: String,
    process: Process,
    newest: Newest<Frame>,
    thread: Option<JoinHandle<()>>,
    given: u64,
    is_ended: Option<IsEnded>,
}

impl LiveFfmpeg {
    /// Starts ffmpeg on the user's own input arguments (`-f … -i …`).
    ///
    /// # Errors
    /// When ffmpeg is missing. Whether the input works shows at the first picture.
    pub fn open(words: &[String], clock: Arc<dyn Clock>) -> Result<Self, CameraError> {
        let (process, streams) = Process::start(&arguments(words, version()?))?;
        let newest = Newest::new();
        let place = newest.clone();
        let spawned =
            std::thread::Builder::new().name("live input".into()).spawn(move || read(streams, &place, &*clock));
        let thread = Some(spawned.map_err(|source| CameraError::System { source })?);
        Ok(Self { arguments: words.join(" "), process, newest, thread, given: 0, is_ended: None })
    }
}

impl FrameSource for LiveFfmpeg {
    fn next_frame(&mut self) -> Result<Option<Frame>, CameraError> {
        let seconds = if self.given == 0 { START_PATIENCE_S } else { STALL_PATIENCE_S };
        match self.newest.take_until(Duration::from_secs(seconds), self.is_ended.as_ref()) {
            Taken::Item(frame) => {
                self.given += 1;
                Ok(Some(frame))
            }
            Taken::Nothing => {
                let said = self.process.log().complaints();
                let said = if said.is_empty() { String::new() } else { format!(" ({said})") };
                Err(CameraError::Stalled { source_name: format!("ffmpeg on `{}`{said}", self.arguments), seconds })
            }
            Taken::End(result) => {
                result?;
                if self.is_ended.as_ref().is_some_and(|is_ended| is_ended()) {
                    return Ok(None);
                }
                let said = self.process.last_words();
                match self.process.finish() {
                    Ok(status) if status.success() && self.given > 0 => Ok(None),
                    _ => Err(CameraError::Ffmpeg { arguments: self.arguments.clone(), said }),
                }
            }
        }
    }

    fn is_live(&self) -> bool {
        true
    }

    fn dropped(&self) -> u64 {
        self.newest.replaced()
    }

    fn end_when(&mut self, is_ended: IsEnded) {
        self.is_ended = Some(is_ended);
    }
}

impl Drop for LiveFfmpeg {
    fn drop(&mut self) {
        self.process.kill();
        if let Some(thread) = self.thread.take()
            && thread.join().is_err()
        {
            tracing::error!("the thread that reads the live input panicked");
        }
    }
}

fn arguments(words: &[String], version: (u32, u32)) -> Vec<String> {
    // The user's words come later and so win. `-fflags nobuffer` would save nothing, since older pictures are passed
    // over anyway, but loses the first key picture, without which many inputs cannot be decoded.
    let first = ["-hide_banner", "-nostdin", "-nostats", "-loglevel", "level+warning", "-flags", "low_delay"];
    let first = first.into_iter().map(String::from).chain(input_limits(PROTOCOLS));
    let mut arguments: Vec<String> = first.chain(words.iter().cloned()).collect();
    if !words.iter().any(|w| matches!(w.as_str(), "-map" | "-filter_complex" | "-lavfi")) {
        arguments.extend(["-map", "0:V:0"].map(String::from));
    }
    arguments.extend(output_arguments(version));
    arguments
}

fn read(streams: Streams, newest: &Newest<Frame>, clock: &dyn Clock) {
    let mut pictures = BufReader::with_capacity(BUFFER_BYTES, streams.pictures);
    for index in 0.. {
        match read_picture(&mut pictures) {
            Ok(Some(image)) => {
                let frame = Frame {
                    index: CameraFrame(index),
                    time: clock.now(),
                    name: None,
                    file: None,
                    image: Arc::new(image),
                };
                newest.put(frame);
            }
            Ok(None) => break,
            Err(e) => {
                tracing::error!("cannot read ffmpeg's pictures: {e}");
                break;
            }
        }
    }
    newest.end(Ok(()));
}
