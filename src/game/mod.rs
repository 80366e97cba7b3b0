//! The rules of the games, frame-exact, without cameras or relays.

pub mod board;
pub mod nes;
pub mod orientation;
pub mod piece;
pub mod rules;

pub use board::Board;
pub use orientation::{Orientation, Pose};
pub use piece::Piece;
pub use rules::Rules;
