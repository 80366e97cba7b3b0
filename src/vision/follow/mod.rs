//! A playfield that moves, or is gone.

pub mod watch;
pub mod witness;

pub use watch::{Change, Watch};
