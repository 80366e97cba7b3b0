//! Games played on the model alone, thousands of them: what tournaments compare and training learns from. No cameras, no
//! relays.

pub mod contest;
pub mod learning;
pub mod pieces;

pub use contest::{Contest, Finger, Lock, Outcome, Player, Reach, View};
pub use learning::{Course, Learner, Lesson};
pub use pieces::{Generator, Pieces};
