//! Games played on the model alone, thousands of them: what tournaments compare and training learns from. No cameras, no
//! relays.

pub mod contest;
pub mod learning;
pub mod pieces;
pub mod player;
pub mod statistics;
pub mod tournament;

pub use contest::{Contest, Finger, Lock, Outcome, Player, Reach, View};
pub use learning::{Course, Learner, Lesson};
pub use pieces::{Generator, Pieces};
pub use player::Searcher;
pub use tournament::{Standing, Tournament};
