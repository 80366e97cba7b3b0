//! Games played on the model alone, thousands of them: what tournaments compare and training learns from. No cameras, no
//! relays, no files, no clock. Where games are spread over all cores (`fitness`), what comes of it is the same with one.

pub mod contest;
pub mod features;
pub mod fitness;
pub mod games;
pub mod pieces;
pub mod searcher;

pub use contest::{Contest, Finger, Lock, Outcome, Player, View};
pub use fitness::{Measure, Task, Worth};
pub use pieces::{Generator, Pieces};
pub use searcher::{Look, Searcher};
