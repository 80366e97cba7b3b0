//! Clips as files: a video that any player shows, and the truth beside it.

use super::clip::{Clip, ClipSettings};
use super::measure::tell;
use crate::app::report::video::as_file;
use crate::app::score::{Comparison, Truth};
use crate::file::{self, Existing};
use anyhow::{Context, anyhow, ensure};
use std::fs;
use std::io::Write;
use std::path::Path;
use std::process::{Child, Command, Stdio};

/// Writes `hard-H-seed-S.mkv` and `hard-H-seed-S.truth.jsonl` into a folder, which is made if need be. The video is
/// compressed without loss, so that a replay of it gives the same figures.
///
/// # Errors
/// When a file exists already or cannot be written, or there is no ffmpeg.
pub fn save(settings: ClipSettings, folder: &Path, existing: Existing) -> anyhow::Result<()> {
    fs::create_dir_all(folder).with_context(|| format!("cannot make the folder {}", folder.display()))?;
    let name = format!("hard-{}-seed-{}", settings.hard, settings.seed);
    let [video, text] = ["mkv", "truth.jsonl"].map(|ending| folder.join(format!("{name}.{ending}")));
    file::check(&text, existing)?;
    file::create_stream(&video, existing)?;
    let truth = film(settings, &video)?;
    Ok(file::save(&text, truth.to_text()?.as_bytes(), existing)?)
}

fn film(settings: ClipSettings, video: &Path) -> anyhow::Result<Truth> {
    let (mut clip, mut comparison) = (Clip::new(settings), Comparison::default());
    let mut encoder = None;
    while let Some((frame, shown)) = clip.film() {
        tell(&mut comparison, &shown);
        let encoder = match &mut encoder {
            Some(known) => known,
            None => encoder.insert(encode(video, frame.image.dimensions(), settings.fps)?),
        };
        let pipe = encoder.stdin.as_mut().context("ffmpeg takes no pictures")?;
        pipe.write_all(&frame.image).map_err(|e| anyhow!("ffmpeg stopped ({e}); check the disk"))?;
    }
    if let Some(mut encoder) = encoder {
        drop(encoder.stdin.take());
        let status = encoder.wait().context("ffmpeg was lost")?;
        ensure!(status.success(), "ffmpeg could not write {}; check the disk", video.display());
    }
    Ok(std::mem::take(comparison.truth()))
}

fn encode(path: &Path, (width, height): (u32, u32), fps: f64) -> anyhow::Result<Child> {
    Command::new("ffmpeg")
        .args(["-loglevel", "error", "-nostdin", "-f", "rawvideo", "-pix_fmt", "rgb24"])
        .args(["-video_size", &format!("{width}x{height}"), "-framerate", &fps.to_string(), "-i", "-"])
        // Without loss, and many times as fast to decode as those that compress a noisy picture better.
        .args(["-c:v", "utvideo", "-pix_fmt", "gbrp", "-y"])
        .arg(as_file(path))
        .stdin(Stdio::piped())
        .spawn()
        .context("cannot run the program `ffmpeg`, which writes videos; install it")
}
