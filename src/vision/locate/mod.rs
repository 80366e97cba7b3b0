//! Finding the field without a click.
//!
//! A layout says which straight edges the game always draws around its field ([`crate::profile::layout::LocateHints`]). The
//! search goes from coarse to fine: long straight edges ([`line`]), quadrilaterals of four of them that look like the
//! layout (`candidates`), and for the best ones a least-squares fit of perspective and lens to all described edges
//! (`refine`). What is left is judged by its edges (`edges`) and by what a reader sees there (`reading`): a game's
//! screen is full of rectangles, but only one of them reads as a game. The [`Locator`] adds up this evidence over
//! pictures and answers when one place is far more likely than all others.

mod aspect;
mod bleeding;
mod candidates;
mod edges;
mod fit;
mod line;
mod locator;
mod parts;
mod plane;
mod quads;
mod reading;
mod realign;
mod refine;
mod reframe;
mod search;
mod support;

pub use locator::{Locator, find_elsewhere, in_a_mirror, locate_in};
pub use realign::{evidence_of_edges, realign};

use crate::profile::calibration::Calibration;
use crate::profile::layout::Layout;
use crate::vision::view::View;
use crate::vision::view::geometry::distance;
use image::RgbImage;

/// A place whose corners may be further off than this, in cells, is none: nothing could be read there.
const MOST_ERROR_CELLS: f64 = 0.3;

/// Where the field is.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Located {
    /// The playfield's outer corners, px: top-left, top-right, bottom-right, bottom-left of the game.
    pub corners: [[f64; 2]; 4],
    /// The lens's bend; see [`View`].
    pub k1: f64,
    /// How far they may be off, px: two standard deviations of the worst corner.
    pub error_px: f64,
    /// The evidence that this is the layout's field: a natural logarithm of odds. Layouts are chosen by it.
    pub log_odds: f64,
    /// Light and dark are the other way round than the layout's file says.
    pub is_reversed: bool,
    /// Whether the last picture that was looked at shows a game there that is being played: one with a next piece. A
    /// place without one, as in a pause, may be another rectangle, or the field upside-down.
    pub shows_play: bool,
}

impl Located {
    /// Whether the field stands upright in the picture, or nearly so.
    pub fn is_upright(&self) -> bool {
        is_upright(&self.corners)
    }

    /// Whether it is known so well that cells can be read there.
    pub fn is_sharp(&self, layout: &Layout) -> bool {
        self.error_px < MOST_ERROR_CELLS * cell_px(&self.corners, layout)
    }

    /// A calibration for this place, in a picture of this size, px.
    pub fn calibration(&self, layout: &str, picture: [u32; 2]) -> Calibration {
        let place = Calibration::new(layout, picture, self.corners, self.error_px);
        Calibration { lens_k1: self.k1, reversed: self.is_reversed, ..place }
    }
}

/// Where so much of the frame is seen, it is not the picture that is in the way, but how little the frame tells.
const NEARLY_ALL: f64 = 0.8;

/// What helps where the best guess shows this share of the layout's frame.
fn remedy(share: f64) -> &'static str {
    if share >= NEARLY_ALL {
        "that frame alone tells too little, or is to be seen elsewhere, too: add what else the game draws around its field to the \
         layout's [locate] frames, such as the outer edges of its walls and of its boxes"
    } else {
        "film the whole screen, sharp and with a game on it, choose another --layout or correct its [locate] frames"
    }
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
        "no playfield of the layout {layout:?} in the picture (the best guess shows {:.0} % of its frame); {}, or give --corners",
        100.0 * share,
        remedy(*share)
    )]
    NotFound {
        /// The layout's name.
        layout: String,
        /// The share of the layout's edges that the best candidate has, 0–1.
        share: f64,
    },
    /// Two games are in the picture.
    #[error(
        "two playfields of the layout {layout:?} are in the picture, and either may be meant; film one of them alone, or give --corners"
    )]
    Several {
        /// The layout's name.
        layout: String,
    },
    /// It is there, seen in a mirror.
    #[error(
        "the picture shows the playfield of the layout {layout:?} as a mirror does; switch mirroring off in the camera, or put `mirrored:` before the source, such as mirrored:camera:0 (if it is there already, remove it)"
    )]
    Mirrored {
        /// The layout's name.
        layout: String,
    },
    /// A place was found, but perhaps a wrong one.
    #[error(
        "something like the playfield of the layout {layout:?} was seen, but no game being played there; start a game and let it run until the next piece comes, or give --corners"
    )]
    NotPlayed {
        /// The layout's name.
        layout: String,
    },
}

/// Finds the field in one picture: its corners, and how far they may be off.
///
/// # Errors
/// When the picture shows no such game, or the layout does not say what to look for.
pub fn locate(image: &RgbImage, layout: &Layout) -> Result<Located, LocateError> {
    let mut locator = Locator::new(layout);
    locator.look(image);
    locator.verdict()
}

/// Sharpens a view of the field that is nearly right (off by two pixels or less) to a fraction of a pixel, without any
/// search; takes about a millisecond. `None` where the picture does not show the layout's edges there.
pub fn refine_view(image: &RgbImage, layout: &Layout, view: &View) -> Option<Located> {
    search::refine_near(image, layout, view)
}

fn is_upright([top_left, top_right, ..]: &[[f64; 2]; 4]) -> bool {
    top_right[0] - top_left[0] > (top_right[1] - top_left[1]).abs()
}

/// The field's corners as a pose shows them, px.
fn field_corners(pose: &View, layout: &Layout) -> [[f64; 2]; 4] {
    let [columns, rows] = [layout.field.columns as f64, layout.field.rows as f64];
    [[0.0, 0.0], [columns, 0.0], [columns, rows], [0.0, rows]].map(|p| pose.map(p))
}

/// The length of a cell's side between these corners, px: the smaller of its two.
pub fn cell_px(corners: &[[f64; 2]; 4], layout: &Layout) -> f64 {
    let side = |i: usize| distance(corners[i], corners[(i + 1) % 4]);
    let [columns, rows] = [layout.field.columns as f64, layout.field.rows as f64];
    ((side(0) + side(2)) / columns).min((side(1) + side(3)) / rows) / 2.0
}
