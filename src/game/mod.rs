//! The rules of the games, frame-exact, without cameras or relays.

pub mod air;
pub mod board;
pub mod buttons;
pub mod chance;
pub mod counters;
pub mod guideline;
pub mod lock;
pub mod machine;
pub mod movegen;
pub mod movement;
pub mod nes;
pub mod orientation;
pub mod pace;
pub mod piece;
pub mod reach;
pub mod rotation;
pub mod rules;
pub mod simple;
pub mod simple_rules;
pub mod standard;
pub mod variants;

pub use board::Board;
pub use buttons::Buttons;
pub use counters::Counters;
pub use movement::Movement;
pub use nes::Control;
pub use orientation::{Orientation, Pose, Rotation};
pub use pace::Pace;
pub use piece::Piece;
pub use reach::Reach;
pub use rotation::{Handedness, RotationSystem};
pub use rules::Rules;
