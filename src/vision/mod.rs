//! Reading the picture: where the field is ([`mod@locate`]), and what stands in it ([`read`]).
//!
//! Everything here is a function of the pictures given so far: no clock, no files, no threads.
//!
//! - [`view`]: field units ↔ image pixels, perspective and lens, and the straight edges around the field that a layout
//!   describes.
//! - [`mod@locate`]: finds the field's corners by these edges.
//! - [`read`]: which bytes belong to which cell, what "empty" and "full" are, how sure it is that a cell is full, what
//!   covers it, which piece a small region shows, what kind of screen it is; all of it picture by picture.
//! - [`spell`]: how long something has been so.
//! - [`follow`]: whether the field is still where it was, and a reader that follows one that moves.

pub mod follow;
pub mod locate;
pub mod read;
pub mod spell;
pub mod view;

pub use locate::{LocateError, Located, Locator, in_a_mirror, locate, locate_in, realign, refine_view};
pub use view::View;

use thiserror::Error;

/// Why pictures cannot be read with this geometry.
#[derive(Debug, Error, PartialEq)]
pub enum VisionError {
    /// The corners do not enclose a field.
    #[error(
        "the corners {corners:?} do not enclose a field: {problem}; give them in the order top-left, top-right, bottom-right, bottom-left of the game, or run `stackhand calibrate` again"
    )]
    Corners {
        /// What was given, px.
        corners: [[f64; 2]; 4],
        /// What is wrong with it.
        problem: &'static str,
    },
    /// A picture without pixels, or larger than any camera's.
    #[error("a picture of {} × {} px cannot be read; choose a camera mode between 16 and 16384 px a side", .0[0], .0[1])]
    Picture([u32; 2]),
}
