//! A video file, each picture at its own time.

use super::log::Stamp;
use super::ppm::read_picture;
use super::process::{Process, Streams, input_limits, output_arguments, version};
use crate::edge::{CameraError, FrameSource};
use crate::message::Frame;
use crate::time::{CameraFrame, HostTime};
use crossbeam_channel::{Receiver, Sender, bounded};
use std::ffi::OsString;
use std::io::BufReader;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::thread::JoinHandle;
use std::time::Duration;

/// Pictures decoded ahead of the reader.
const AHEAD: usize = 4;
/// Reads of this many bytes keep system calls rare.
const BUFFER_BYTES: usize = 1 << 18;
/// A picture's time is logged before the picture is written, so this is only for an ffmpeg that logs otherwise.
const TIME_PATIENCE: Duration = Duration::from_secs(2);
/// What is drawn after a damaged picture shows its damage until a picture is drawn anew; films in which none ever is are believed
/// again after so many.
const UNSOUND_PICTURES: u32 = 300;
/// The step for pictures without a usable timestamp, µs.
const STEP_US: i64 = 33_333;
/// A timestamp this far before the last one starts another piece of a joined recording, µs.
const JOINT_US: i64 = 1_000_000;

/// A video file. Times are the recording's own, from 0 at the first picture, variable rates included; rotation marks
/// are ignored.
pub struct VideoFile {
    path: PathBuf,
    process: Process,
    /// Closed first when dropped, so that the thread ends.
    frames: Option<Receiver<Frame>>,
    thread: Option<JoinHandle<()>>,
    given: u64,
    damaged: Arc<AtomicU64>,
    /// The time of the last picture handed out.
    last: HostTime,
}

impl VideoFile {
    /// Starts to decode. Whether the file is a video shows at the first picture.
    ///
    /// # Errors
    /// When the file cannot be read or ffmpeg is missing.
    pub fn open(path: &Path) -> Result<Self, CameraError> {
        // ffmpeg's own message would do, but the system's is clearer.
        std::fs::File::open(path).map_err(|source| CameraError::Read { path: path.into(), source })?;
        let version = version()?;
        let (process, streams) = Process::start(&arguments(path, version))?;
        let (send, frames) = bounded(AHEAD);
        let damaged = Arc::new(AtomicU64::new(0));
        let counter = damaged.clone();
        let thread = std::thread::Builder::new().name("video".into()).spawn(move || decode(streams, &send, &counter));
        let thread = Some(thread.map_err(|source| CameraError::System { source })?);
        Ok(Self { path: path.into(), process, frames: Some(frames), thread, given: 0, damaged, last: HostTime(0) })
    }

    /// After the last picture: was it the end, a broken file, or no video at all?
    fn end(&mut self) -> Result<Option<Frame>, CameraError> {
        self.frames = None;
        let said = self.process.last_words();
        if self.given > 0 {
            self.tell_damage();
            return Ok(None);
        }
        if self.dropped() > 0 {
            return Err(CameraError::Damaged { path: self.path.clone(), pictures: self.dropped(), said });
        }
        if said.contains("matches no streams") || said.contains("does not contain any stream") {
            return Err(CameraError::NoVideo { path: self.path.clone() });
        }
        Err(CameraError::NotAVideo { path: self.path.clone(), said })
    }
}

impl VideoFile {
    /// Says what could not be decoded.
    fn tell_damage(&self) {
        let (complaints, damaged, file) = (self.process.log().complaints(), self.dropped(), self.path.display());
        let said = if complaints.is_empty() { String::new() } else { format!(" (ffmpeg said last: {complaints})") };
        if damaged > 0 {
            tracing::warn!(
                "{file} is damaged{said}: {damaged} of its pictures could not be decoded whole, or were drawn after such a one, and \
                 were left out; copy the file anew if there is a better one"
            );
        } else if !said.is_empty() {
            tracing::warn!(
                "{file} has errors{said}: {} pictures could be read, and more may have been lost; copy it anew if there is a better one",
                self.given
            );
        }
    }
}

impl FrameSource for VideoFile {
    fn next_frame(&mut self) -> Result<Option<Frame>, CameraError> {
        let Some(frame) = self.frames.as_ref().and_then(|frames| frames.recv().ok()) else { return self.end() };
        // ffmpeg draws any text file as a picture of a terminal.
        if self.given == 0 && self.process.log().format.as_deref() == Some("tty") {
            self.frames = None;
            self.process.kill();
            return Err(CameraError::NotAVideo { path: self.path.clone(), said: "it is a text file".into() });
        }
        self.given += 1;
        self.last = frame.time;
        Ok(Some(frame))
    }

    fn is_live(&self) -> bool {
        false
    }

    /// Damaged pictures.
    fn dropped(&self) -> u64 {
        self.damaged.load(Relaxed)
    }

    /// By the duration that the file claims.
    fn read_share(&self) -> Option<f64> {
        let duration_s = self.process.log().duration_s.filter(|duration| *duration > 0.0)?;
        Some((self.last.ms() / 1000.0 / duration_s).min(1.0))
    }
}

impl Drop for VideoFile {
    fn drop(&mut self) {
        self.process.kill();
        self.frames = None;
        if let Some(thread) = self.thread.take()
            && thread.join().is_err()
        {
            tracing::error!("the thread that reads the video panicked");
        }
    }
}

fn arguments(path: &Path, version: (u32, u32)) -> Vec<OsString> {
    let quiet = ["-hide_banner", "-nostdin", "-nostats", "-loglevel", "level+info"];
    // `file:` keeps a name such as `a:b.mkv` from being taken for a protocol.
    let mut file = OsString::from("file:");
    file.push(path);
    // Checksums cost as much as decoding; older versions cannot leave them out.
    let filter = if version >= (5, 0) { "showinfo=checksum=0" } else { "showinfo" };
    let mut arguments: Vec<OsString> = quiet.into_iter().map(OsString::from).collect();
    // A playlist that calls itself a video reads nothing from elsewhere.
    arguments.extend(input_limits("file").into_iter().map(OsString::from));
    arguments.extend(["-noautorotate", "-i"].map(OsString::from));
    arguments.push(file);
    arguments.extend(["-map", "0:V:0", "-vf", filter].map(OsString::from));
    arguments.extend(output_arguments(version).into_iter().map(OsString::from));
    arguments
}

fn decode(streams: Streams, send: &Sender<Frame>, damaged: &AtomicU64) {
    let mut pictures = BufReader::with_capacity(BUFFER_BYTES, streams.pictures);
    let mut timeline = Timeline::default();
    let mut soundness = Soundness::default();
    for index in 0.. {
        let image = match read_picture(&mut pictures) {
            Ok(Some(image)) => Arc::new(image),
            Ok(None) => return,
            Err(e) => return tracing::error!("cannot read ffmpeg's pictures: {e}"),
        };
        let stamp = streams.stamps.recv_timeout(TIME_PATIENCE).unwrap_or_default();
        let time = timeline.place(stamp.time_us);
        if !soundness.look(stamp) {
            damaged.fetch_add(1, Relaxed);
            continue;
        }
        let frame = Frame { index: CameraFrame(index), time, name: None, file: None, image };
        if send.send(frame).is_err() {
            return;
        }
    }
}

/// Which pictures show what was filmed.
#[derive(Debug, Default)]
struct Soundness {
    /// So many more show what a damaged one left, unless one is drawn anew.
    unsound: u32,
}

impl Soundness {
    /// Whether a picture with this stamp does.
    fn look(&mut self, stamp: Stamp) -> bool {
        self.unsound = match (stamp.is_damaged, stamp.is_key) {
            (true, _) => UNSOUND_PICTURES,
            (false, true) => 0,
            (false, false) => self.unsound.saturating_sub(1),
        };
        self.unsound == 0
    }
}

/// Puts timestamps on one timeline that starts at 0 and always advances.
#[derive(Debug, Default)]
struct Timeline {
    last_us: Option<i64>,
    /// Added to timestamps; changes where a recording was joined from pieces.
    offset_us: i64,
}

impl Timeline {
    fn place(&mut self, stamp_us: Option<i64>) -> HostTime {
        let time_us = match (stamp_us.map(|stamp| stamp + self.offset_us), self.last_us) {
            (Some(time), Some(last)) if time > last => time,
            // Doubled or slightly swapped stamps: the next good one is on the same timeline.
            (Some(time), Some(last)) if time > last - JOINT_US => last + 1,
            (_, last) => {
                let time = last.map_or(0, |last| last + STEP_US);
                self.offset_us = stamp_us.map_or(self.offset_us, |stamp| time - stamp);
                time
            }
        };
        self.last_us = Some(time_us);
        HostTime(time_us)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_follows_a_damaged_picture_is_unsound_until_one_is_drawn_anew() {
        let (key, plain) = (Stamp { is_key: true, ..Stamp::default() }, Stamp::default());
        let damaged = Stamp { is_damaged: true, ..Stamp::default() };
        let mut soundness = Soundness::default();
        let seen = [key, plain, damaged, plain, plain, key, plain].map(|stamp| soundness.look(stamp));
        assert_eq!(seen, [true, true, false, false, false, true, true]);
        // A key picture may be damaged itself.
        assert!(!soundness.look(Stamp { is_key: true, ..damaged }));
        let unsound = (0..1000).take_while(|_| !soundness.look(plain)).count();
        assert_eq!(unsound, UNSOUND_PICTURES as usize - 1);
    }

    #[test]
    fn times_start_at_zero_and_always_advance() {
        let mut timeline = Timeline::default();
        let stamps = [5_000_000, 5_040_000, 5_040_000, 5_080_000, 100_000, 140_000].map(Some);
        let times = stamps.map(|stamp| timeline.place(stamp).0);
        assert_eq!(times, [0, 40_000, 40_001, 80_000, 113_333, 153_333]);
        assert_eq!(timeline.place(None).0, 186_666);
        assert_eq!(timeline.place(Some(220_000)).0, 233_333);
    }
}
