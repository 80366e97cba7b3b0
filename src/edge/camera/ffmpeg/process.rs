//! The ffmpeg program: starting it, following what it says, ending it.

use super::log::{Log, Stamp};
use crate::edge::CameraError;
use crate::file::PIXELS_MAX;
use crossbeam_channel::{Receiver, Sender, bounded};
use std::ffi::OsStr;
use std::io::{BufRead, BufReader, ErrorKind};
use std::process::{Child, ChildStderr, ChildStdout, Command, ExitStatus, Stdio};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::thread::JoinHandle;

/// Stamps that may wait for their picture: more than tiny pictures fit into a pipe.
const STAMPS_WAITING_MAX: usize = 4096;

/// An ffmpeg version, major and minor.
pub(super) type Version = (u32, u32);

/// A running ffmpeg. Dropping it ends it.
pub(super) struct Process {
    child: Child,
    log: Arc<Mutex<Log>>,
    log_thread: Option<JoinHandle<()>>,
}

/// A started ffmpeg's two streams: pictures, and what is said of each.
pub(super) struct Streams {
    pub(super) pictures: ChildStdout,
    pub(super) stamps: Receiver<Stamp>,
}

impl Process {
    /// Starts ffmpeg with these arguments.
    pub(super) fn start(arguments: &[impl AsRef<OsStr>]) -> Result<(Self, Streams), CameraError> {
        let mut command = Command::new("ffmpeg");
        command.args(arguments).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        // Ctrl-C is for us: ffmpeg is ended when the relays are open.
        #[cfg(unix)]
        std::os::unix::process::CommandExt::process_group(&mut command, 0);
        let mut child = command.spawn().map_err(|source| CameraError::NoFfmpeg { source })?;
        let (Some(pictures), Some(stderr)) = (child.stdout.take(), child.stderr.take()) else {
            return Err(CameraError::NoFfmpeg { source: ErrorKind::BrokenPipe.into() });
        };
        let log = Arc::new(Mutex::new(Log::default()));
        let (send_stamp, stamps) = bounded(STAMPS_WAITING_MAX);
        let follow_log = log.clone();
        let thread = std::thread::Builder::new().name("ffmpeg log".into());
        let mut process = Self { child, log, log_thread: None };
        let spawned = thread.spawn(move || follow(stderr, &follow_log, &send_stamp));
        process.log_thread = Some(spawned.map_err(|source| CameraError::System { source })?);
        Ok((process, Streams { pictures, stamps }))
    }

    /// What ffmpeg has said.
    pub(super) fn log(&self) -> MutexGuard<'_, Log> {
        self.log.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits for the end and for all that ffmpeg says.
    pub(super) fn finish(&mut self) -> std::io::Result<ExitStatus> {
        let status = self.child.wait();
        self.join_log();
        status
    }

    /// What ffmpeg complained about, or how it ended.
    pub(super) fn last_words(&mut self) -> String {
        let status = self.finish();
        match (self.log().complaints(), status) {
            (complaints, _) if !complaints.is_empty() => complaints,
            (_, Ok(status)) => format!("ffmpeg ended with {status}"),
            (_, Err(e)) => e.to_string(),
        }
    }

    /// Ends ffmpeg now.
    pub(super) fn kill(&mut self) {
        // An error means that it has ended already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }

    fn join_log(&mut self) {
        if let Some(thread) = self.log_thread.take()
            && thread.join().is_err()
        {
            tracing::error!("the thread that follows ffmpeg's log panicked");
        }
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        self.kill();
        self.join_log();
    }
}

fn follow(stderr: ChildStderr, log: &Mutex<Log>, stamps: &Sender<Stamp>) {
    let mut lines = BufReader::new(stderr);
    let mut line = Vec::new();
    while lines.read_until(b'\n', &mut line).is_ok_and(|count| count > 0) {
        let text = String::from_utf8_lossy(&line);
        let stamp = log.lock().unwrap_or_else(PoisonError::into_inner).take(text.trim_end());
        if let Some(stamp) = stamp {
            // Nobody listens any more when the source was dropped; ffmpeg must still not block on its log.
            let _ = stamps.send(stamp);
        }
        line.clear();
    }
}

/// The installed ffmpeg's version; unnumbered builds count as new.
pub(super) fn version() -> Result<Version, CameraError> {
    static VERSION: OnceLock<Version> = OnceLock::new();
    if let Some(version) = VERSION.get() {
        return Ok(*version);
    }
    let output = Command::new("ffmpeg").arg("-version").stdin(Stdio::null()).output();
    let text = output.map_err(|source| CameraError::NoFfmpeg { source })?.stdout;
    let version = parse_version(&String::from_utf8_lossy(&text));
    Ok(*VERSION.get_or_init(|| version))
}

fn parse_version(text: &str) -> Version {
    let word = text.split_whitespace().nth(2).unwrap_or_default().trim_start_matches('n');
    let mut numbers = word.split(|c: char| !c.is_ascii_digit()).map(str::parse::<u32>);
    match (numbers.next(), numbers.next()) {
        (Some(Ok(major)), Some(Ok(minor))) => (major, minor),
        (Some(Ok(major)), _) => (major, 0),
        _ => (u32::MAX, 0),
    }
}

/// The options of an input that keep it to these protocols, and to pictures that are not too large to be read.
pub(super) fn input_limits(protocols: &str) -> [String; 4] {
    ["-protocol_whitelist", protocols, "-max_pixels", &PIXELS_MAX.to_string()].map(String::from)
}

/// The options that hand every picture through once, as it is, with its size.
pub(super) fn output_arguments((major, minor): Version) -> Vec<String> {
    // The option's name changed in 5.1; the old one is to be removed.
    let passthrough = if (major, minor) >= (5, 1) { "-fps_mode" } else { "-vsync" };
    let pictures = ["-an", "-sn", "-dn", passthrough, "passthrough", "-pix_fmt", "rgb24", "-c:v", "ppm"];
    // One encoder thread: several would hold back one picture each.
    let stream = ["-threads", "1", "-f", "image2pipe", "-flush_packets", "1", "pipe:1"];
    pictures.into_iter().chain(stream).map(String::from).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_read() {
        for (text, version) in [
            ("ffmpeg version 5.1.9-0+deb12u1 Copyright", (5, 1)),
            ("ffmpeg version 4.2.7-0ubuntu0.1 Copyright", (4, 2)),
            ("ffmpeg version n7.0 Copyright", (7, 0)),
            ("ffmpeg version 6 Copyright", (6, 0)),
            ("ffmpeg version N-110000-g1234 Copyright", (u32::MAX, 0)),
            ("", (u32::MAX, 0)),
        ] {
            assert_eq!(parse_version(text), version, "{text}");
        }
    }
}
