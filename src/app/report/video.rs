//! Pictures into a video file, which the program `ffmpeg` writes.

use anyhow::{Context, anyhow, ensure};
use image::RgbImage;
use std::ffi::OsString;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Stdio};

/// A video that is being written. Whoever drops it leaves a file that ffmpeg completes by itself.
pub struct VideoWriter {
    path: PathBuf,
    child: Child,
    pipe: ChildStdin,
    size: [u32; 2],
}

impl VideoWriter {
    /// Starts to write over a file that was made for it: pictures of this size (width and height, px), so many a second,
    /// coded as ffmpeg's options `coding` say.
    ///
    /// # Errors
    /// When ffmpeg does not start.
    pub fn start(path: &Path, size: [u32; 2], fps: u32, coding: &[&str]) -> anyhow::Result<Self> {
        let [width, height] = size;
        let mut command = Command::new("ffmpeg");
        command
            .args(["-loglevel", "error", "-f", "rawvideo", "-pix_fmt", "rgb24"])
            .args(["-video_size", &format!("{width}x{height}"), "-framerate", &fps.to_string(), "-i", "-"])
            .args(coding)
            .arg("-y")
            .arg(as_file(path))
            .stdin(Stdio::piped());
        // Ctrl-C is for us: ffmpeg completes the file when no more pictures come.
        #[cfg(unix)]
        std::os::unix::process::CommandExt::process_group(&mut command, 0);
        let mut child = command.spawn().context(NO_FFMPEG)?;
        let pipe = child.stdin.take().context("ffmpeg takes no pictures")?;
        Ok(Self { path: path.into(), child, pipe, size })
    }

    /// Adds a picture; one of another size than the video's is left out.
    ///
    /// # Errors
    /// When ffmpeg has ended.
    pub fn write(&mut self, picture: &RgbImage) -> anyhow::Result<()> {
        if [picture.width(), picture.height()] != self.size {
            return Ok(());
        }
        // As its own error: a broken pipe would be taken for closed standard output, which is none.
        let written = self.pipe.write_all(picture);
        written.map_err(|e| anyhow!("ffmpeg stopped ({e}); check the file name's extension and the disk"))
    }

    /// Completes the file.
    ///
    /// # Errors
    /// When ffmpeg could not write it.
    pub fn finish(self) -> anyhow::Result<()> {
        let Self { path, mut child, pipe, .. } = self;
        drop(pipe);
        let status = child.wait().context("ffmpeg was lost")?;
        ensure!(status.success(), "ffmpeg could not write {}; check its extension and the disk", path.display());
        Ok(())
    }
}

const NO_FFMPEG: &str = "cannot run the program `ffmpeg`, which writes videos; install it (`sudo apt install ffmpeg`), \
                         then try again";

/// Whether ffmpeg is there, asked before the work that leads up to a video.
///
/// # Errors
/// When it does not start.
pub fn check_ffmpeg() -> anyhow::Result<()> {
    let quiet = |command: &mut Command| {
        command.arg("-version").stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).status()
    };
    quiet(&mut Command::new("ffmpeg")).map(drop).context(NO_FFMPEG)
}

/// ffmpeg's name for a file that was made for it: a path that begins with a dash or has a colon is still a path.
pub fn as_file(path: &Path) -> OsString {
    let mut name = OsString::from("file:");
    name.push(path);
    name
}
