//! Reading the picture: where the field is ([`locate`]), and what stands in it ([`Reader`]).
//!
//! Everything here is a function of the pictures given so far: no clock, no files, no threads.
//!
//! - [`geometry`], [`view`]: field units ↔ image pixels, perspective and lens.
//! - [`marks`]: the straight edges around the field that a layout describes.
//! - [`locate`]: finds the field's corners by these marks.
//! - [`witness`]: whether these edges are still where they were.
//! - [`sampling`]: which bytes of the picture belong to which cell.
//! - [`levels`]: how bright "empty" and "full" are, learned from the pictures.
//! - [`confidence`]: how sure it is that a cell is full, from its contrast and its past.
//! - [`seams`], [`cover`]: what stands before the field, told by the lines between blocks that it lacks.
//! - [`shapes`]: which piece a small region shows.
//! - [`state`]: what kind of screen it is.
//! - [`reader`]: all of it, picture by picture.
//! - [`proof`]: whether what is read at a place is a game being played there.
//! - [`watch`]: a reader that follows a field that moves.

pub mod follow;
pub mod locate;
pub mod read;
pub mod view;

pub use locate::{LocateError, Located, Locator, locate, locate_in, realign, refine_view};
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
