//! The rules of the games, frame-exact, without cameras or relays.

pub mod board;
pub mod piece;

pub use board::Board;
pub use piece::Piece;
