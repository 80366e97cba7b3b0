//! Pictures with what was read in them: the field's cells, the falling piece, the next box.

use crate::file::{self, Existing, FileError};
use crate::message::{Cell, Frame, Observation, Sighting};
use crate::profile::calibration::Calibration;
use crate::vision::View;
use anyhow::{Context, anyhow, ensure};
use image::{Rgb, RgbImage};
use imageproc::drawing::{draw_filled_circle_mut, draw_hollow_circle_mut, draw_line_segment_mut};
use std::ffi::OsString;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Stdio};

const FULL: Rgb<u8> = Rgb([40, 255, 40]);
const EMPTY: Rgb<u8> = Rgb([70, 90, 200]);
const UNKNOWN: Rgb<u8> = Rgb([255, 60, 60]);
const FRAME: Rgb<u8> = Rgb([255, 220, 0]);
/// The written video's rate; pictures are written one for one.
const FPS: u32 = 30;

/// Writes annotated pictures.
pub enum Annotator {
    /// A folder of numbered PNGs.
    Folder(PathBuf, Existing),
    /// A video that ffmpeg writes; the process starts with the first picture, whose size it needs.
    Video(PathBuf, Option<(Child, ChildStdin, [u32; 2])>),
}

impl Annotator {
    /// A writer for this path: with an extension a video, without a folder.
    ///
    /// # Errors
    /// When it exists already and is to be kept, or cannot be made.
    pub fn create(path: &Path, existing: Existing) -> Result<Self, FileError> {
        if path.extension().is_some() {
            // Found out now, and no other program's file from here on; ffmpeg fills it.
            file::create_stream(path, existing)?;
            return Ok(Self::Video(path.into(), None));
        }
        match file::create_folder(path) {
            Err(FileError::Exists { .. }) if existing == Existing::Replace && path.is_dir() => {}
            made => made?,
        }
        Ok(Self::Folder(path.into(), existing))
    }

    /// Adds a picture.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn draw(&mut self, frame: &Frame, seen: &Observation, calibration: &Calibration) -> anyhow::Result<()> {
        let picture = annotated(frame, seen, calibration);
        match self {
            Self::Folder(folder, existing) => {
                let path = folder.join(format!("{:06}.png", frame.index.0));
                Ok(file::save_picture(&path, &picture, *existing)?)
            }
            Self::Video(path, encoder) => {
                let size = [picture.width(), picture.height()];
                if encoder.is_none() {
                    *encoder = Some(encode(path, size)?);
                }
                if let Some((_, pipe, first)) = encoder
                    && size == *first
                {
                    // As its own error: a broken pipe would be taken for closed standard output, which is none.
                    pipe.write_all(&picture)
                        .map_err(|e| anyhow!("ffmpeg stopped ({e}); check the file name's extension and the disk"))?;
                }
                Ok(())
            }
        }
    }

    /// Completes the file.
    ///
    /// # Errors
    /// When ffmpeg could not write it.
    pub fn finish(self) -> anyhow::Result<()> {
        match self {
            Self::Folder(..) => {}
            Self::Video(path, Some((mut child, pipe, _))) => {
                drop(pipe);
                let status = child.wait().context("ffmpeg was lost")?;
                ensure!(
                    status.success(),
                    "ffmpeg could not write {}; check its extension and the disk",
                    path.display()
                );
            }
            // No picture came: the file is still as empty as it was made.
            Self::Video(path, None) => std::fs::remove_file(&path).context("the empty video cannot be removed")?,
        }
        Ok(())
    }
}

fn encode(path: &Path, [width, height]: [u32; 2]) -> anyhow::Result<(Child, ChildStdin, [u32; 2])> {
    let mut child = Command::new("ffmpeg")
        .args(["-loglevel", "error", "-f", "rawvideo", "-pix_fmt", "rgb24"])
        .args(["-video_size", &format!("{width}x{height}"), "-framerate", &FPS.to_string()])
        .args(["-i", "-", "-pix_fmt", "yuv420p", "-vf", "pad=ceil(iw/2)*2:ceil(ih/2)*2", "-y"])
        .arg(as_file(path))
        .stdin(Stdio::piped())
        .spawn()
        .context("cannot run the program `ffmpeg`, which writes videos; install it, or give a folder instead")?;
    let pipe = child.stdin.take().context("ffmpeg takes no pictures")?;
    Ok((child, pipe, [width, height]))
}

/// ffmpeg's name for a file that was made for it: a path that begins with a dash or has a colon is still a path.
pub fn as_file(path: &Path) -> OsString {
    let mut name = OsString::from("file:");
    name.push(path);
    name
}

/// The picture with a mark in every cell: full, empty, unknown.
pub fn annotated(frame: &Frame, seen: &Observation, calibration: &Calibration) -> RgbImage {
    let mut picture = (*frame.image).clone();
    let (columns, rows) = (seen.grid.columns(), seen.grid.rows());
    let field = [0.0, 0.0, columns as f64, rows as f64];
    let size = calibration.picture.map(|side| side as usize);
    let Some(map) = View::through(field, calibration.corners, calibration.lens_k1, size) else { return picture };
    let at = |x: f64, y: f64| map.map([x, y]).map(|v| v as f32);
    let corners = [at(0.0, 0.0), at(columns as f64, 0.0), at(columns as f64, rows as f64), at(0.0, rows as f64)];
    for (a, b) in corners.iter().zip(corners.iter().cycle().skip(1)) {
        draw_line_segment_mut(&mut picture, (a[0], a[1]), (b[0], b[1]), FRAME);
    }
    let [a, b] = [at(0.0, 0.5), at(1.0, 0.5)];
    let radius = (((b[0] - a[0]).hypot(b[1] - a[1]) * 0.2) as i32).max(1);
    for y in 0..rows {
        for x in 0..columns {
            let [px, py] = at(x as f64 + 0.5, y as f64 + 0.5).map(|v| v.round() as i32);
            match seen.grid.cell(x, y) {
                Cell::Full => draw_filled_circle_mut(&mut picture, (px, py), radius, FULL),
                Cell::Empty => draw_filled_circle_mut(&mut picture, (px, py), 1, EMPTY),
                Cell::Unknown => draw_hollow_circle_mut(&mut picture, (px, py), radius, UNKNOWN),
            }
        }
    }
    mark_sightings(&mut picture, seen);
    picture
}

/// The pieces that were read, as small blocks in the picture's upper corners: spawn place left, next box right.
fn mark_sightings(picture: &mut RgbImage, seen: &Observation) {
    let right = picture.width().saturating_sub(60);
    for (left, sighting) in [(10, seen.spawn), (right, seen.next)] {
        let Sighting::Piece(piece, _) = sighting else { continue };
        for &(x, y) in crate::game::Orientation::spawn(piece).cells() {
            let corner = (left as i32 + (i32::from(x) + 2) * 10, 10 + (i32::from(y) + 1) * 10);
            let block = imageproc::rect::Rect::at(corner.0, corner.1).of_size(9, 9);
            imageproc::drawing::draw_filled_rect_mut(picture, block, FULL);
        }
    }
}
