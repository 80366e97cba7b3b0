//! The modern game's brain: which of all places, spins and holds is best, looked at as many pieces deep as are shown.
//!
//! [`State`] is what is planned from, [`Weights`] say what is good, [`Tree`] looks ahead. Nothing here reads a clock: a tree grows
//! by as many piles as it is told to rate, and has an answer at any time. [`Ahead`] is all that at the table.

mod ahead;
#[cfg(test)]
mod drawn;
mod rating;
mod slots;
mod state;
mod surface;
mod tree;
mod weights;

pub use ahead::Ahead;
pub use state::{Bag, Illegal, Placed, Placement, State};
pub use tree::{NODES, Rated, Tree, best};
pub use weights::{Weights, WeightsError};
