//! Pictures with what was read in them: the field's cells, the falling piece, the next box.

use super::video::VideoWriter;
use crate::file::{self, Existing, FileError};
use crate::message::{Cell, Frame, Observation, Sighting};
use crate::profile::calibration::Calibration;
use crate::vision::View;
use anyhow::Context;
use image::{Rgb, RgbImage};
use imageproc::drawing::{draw_filled_circle_mut, draw_hollow_circle_mut, draw_line_segment_mut};
use std::path::{Path, PathBuf};

const FULL: Rgb<u8> = Rgb([40, 255, 40]);
const EMPTY: Rgb<u8> = Rgb([70, 90, 200]);
const UNKNOWN: Rgb<u8> = Rgb([255, 60, 60]);
const FRAME: Rgb<u8> = Rgb([255, 220, 0]);
/// The written video's rate; pictures are written one for one.
const FPS: u32 = 30;

/// ffmpeg's options for a video of pictures of any size.
const CODING: [&str; 4] = ["-pix_fmt", "yuv420p", "-vf", "pad=ceil(iw/2)*2:ceil(ih/2)*2"];

/// Writes annotated pictures.
pub enum Annotator {
    /// A folder of numbered PNGs.
    Folder(PathBuf, Existing),
    /// A video; it is begun with the first picture, whose size it needs.
    Video(PathBuf, Option<VideoWriter>),
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
            Self::Video(path, video) => {
                let writer = match video {
                    Some(writer) => writer,
                    None => {
                        let size = [picture.width(), picture.height()];
                        video.insert(VideoWriter::start(path, size, FPS, &CODING)?)
                    }
                };
                writer.write(&picture)
            }
        }
    }

    /// Completes the file.
    ///
    /// # Errors
    /// When ffmpeg could not write it.
    pub fn finish(self) -> anyhow::Result<()> {
        match self {
            Self::Folder(..) => Ok(()),
            Self::Video(_, Some(writer)) => writer.finish(),
            // No picture came: the file is still as empty as it was made.
            Self::Video(path, None) => std::fs::remove_file(&path).context("the empty video cannot be removed"),
        }
    }
}

/// Where a field of so many columns and rows is in the picture, a unit a cell; `None` if its corners span none.
pub fn field_view([columns, rows]: [usize; 2], calibration: &Calibration) -> Option<View> {
    let field = [0.0, 0.0, columns as f64, rows as f64];
    let size = calibration.picture.map(|side| side as usize);
    View::through(field, calibration.corners, calibration.lens_k1, size)
}

/// The picture with a mark in every cell: full, empty, unknown.
pub fn annotated(frame: &Frame, seen: &Observation, calibration: &Calibration) -> RgbImage {
    let mut picture = (*frame.image).clone();
    let (columns, rows) = (seen.grid.columns(), seen.grid.rows());
    let Some(map) = field_view([columns, rows], calibration) else { return picture };
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
