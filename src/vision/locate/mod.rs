//! Finding the field without a click.
//!
//! A layout says which straight edges the game always draws around its field ([`crate::layout::LocateHints`]). The
//! search goes from coarse to fine: long straight edges ([`lines`]), quadrilaterals of four of them that look like the
//! layout ([`candidates`]), and for the best ones a least-squares fit of perspective and lens to all described edges
//! ([`refine`]). What then still does not lie on the edges of the picture is refused.

mod candidates;
mod lines;
mod plane;
mod pose;
mod refine;

use crate::layout::Layout;
use crate::vision::marks::{self, Segment};
use image::RgbImage;
use plane::Plane;
use pose::Pose;
use refine::{EdgePoints, Fit};

/// The coarse search runs on a picture at most this wide or high.
const COARSE_PX: usize = 800;
/// Lines taken of each direction.
const LINES: usize = 16;
/// Candidates that are refined.
const CANDIDATES: usize = 16;
/// The share of the layout's edges that must be found.
const LEAST_SHARE: f64 = 0.7;
/// How far a corner of the field may lie outside the picture, as a share of its size.
const OUTSIDE: f64 = 0.02;
/// Smaller pictures show no field that could be read.
const LEAST_PX: usize = 32;

/// Where the field is.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Located {
    /// The playfield's outer corners, px: top-left, top-right, bottom-right, bottom-left of the game.
    pub corners: [[f64; 2]; 4],
    /// How far they may be off, px.
    pub error_px: f64,
}

/// Why no field was found.
#[derive(Debug, thiserror::Error, PartialEq)]
pub enum LocateError {
    /// The layout says nothing about what surrounds the field.
    #[error("the layout {layout:?} has no [locate] frames to search for; add them, or give the corners with --corners")]
    NoHints {
        /// The layout's name.
        layout: String,
    },
    /// Nothing fits.
    #[error(
        "no playfield of the layout {layout:?} in the picture (the best guess shows {:.0} % of its frame); film the whole screen, sharp and with a game on it, choose another --layout, or give --corners",
        100.0 * share
    )]
    NotFound {
        /// The layout's name.
        layout: String,
        /// The share of the layout's edges that the best candidate has, 0–1.
        share: f64,
    },
}

/// Finds the field: its corners, and how far they may be off.
///
/// # Errors
/// When the picture shows no such game, or the layout does not say what to look for.
pub fn locate(image: &RgbImage, layout: &Layout) -> Result<Located, LocateError> {
    let segments = marks::segments(layout);
    if segments.is_empty() {
        return Err(LocateError::NoHints { layout: layout.name.clone() });
    }
    let not_found = |share| LocateError::NotFound { layout: layout.name.clone(), share };
    let full = Plane::new(image, layout.polarity);
    if full.width < LEAST_PX || full.height < LEAST_PX {
        return Err(not_found(0.0));
    }
    let mut coarse = full.clone();
    while coarse.width.max(coarse.height) > COARSE_PX {
        coarse = coarse.halved();
    }
    let points = EdgePoints::new(&segments, refine::SPACING);
    let (pose, rise) = search(&coarse, layout, &segments, &points).ok_or_else(|| not_found(0.0))?;
    let factor = full.width as f64 / coarse.width as f64;
    let pose = pose.scaled(factor, [full.width, full.height]).ok_or_else(|| not_found(0.0))?;
    let pose = refined(&full, pose, &points, &[0.15, 0.12, 0.12, 0.12, 0.12], rise, true);
    let Fit { share, residual_px, .. } = refine::fit(&full, &pose, &segments, FIT_REACH, rise);
    if share < LEAST_SHARE {
        return Err(not_found(share));
    }
    let [columns, rows] = [layout.field.columns as f64, layout.field.rows as f64];
    let corners = [[0.0, 0.0], [columns, 0.0], [columns, rows], [0.0, rows]].map(|p| pose.map(p));
    let size = [full.width as f64, full.height as f64];
    let is_inside = |c: &[f64; 2]| (0..2).all(|i| (-OUTSIDE * size[i]..(1.0 + OUTSIDE) * size[i]).contains(&c[i]));
    if !corners.iter().all(is_inside) {
        return Err(not_found(share));
    }
    Ok(Located { corners, error_px: residual_px.max(0.2) })
}

/// Edges are sought this far away when a pose is judged, field units.
const FIT_REACH: f64 = 0.3;

/// The best pose in a picture, and the least rise of what counts as an edge there, grey levels.
fn search(plane: &Plane, layout: &Layout, segments: &[Segment], points: &EdgePoints) -> Option<(Pose, f64)> {
    let gradient = plane.gradient();
    // Half of any picture is flat, so the median is its noise and texture; an eighth of the strongest is its edges'
    // fair share where there is no noise at all.
    let noise = gradient.length_quantile(0.5);
    let strongest = gradient.length_quantile(0.99);
    let least = (2.5 * noise).max(0.125 * strongest).max(12.0);
    let lines = lines::find(&gradient, least, LINES);
    let candidates = candidates::find(layout, &lines, &gradient, 2.0 * least, CANDIDATES);
    // A Sobel gradient is eight times the slope; the refinement's rise spans about three pixels.
    let rise = (noise / 4.0).max(3.0);
    let judged = candidates.into_iter().map(|c| {
        let pose = refined(plane, c.pose, points, &[0.8, 0.5, 0.4, 0.3, 0.2], rise, false);
        let pose = refined(plane, pose, points, &[0.2, 0.15, 0.15], rise, true);
        (pose, refine::fit(plane, &pose, segments, FIT_REACH, rise).merit())
    });
    judged.max_by(|a, b| a.1.total_cmp(&b.1)).map(|(pose, _)| (pose, rise))
}

/// Refines a pose in steps, each with its own reach (field units); stops where a step fails.
fn refined(plane: &Plane, mut pose: Pose, points: &EdgePoints, reaches: &[f64], rise: f64, bend: bool) -> Pose {
    for &reach in reaches {
        match refine::step(plane, &pose, points, reach, rise, bend) {
            Some(better) => pose = better,
            None => break,
        }
    }
    pose
}
