//! Games played on the model alone, thousands of them: what tournaments compare and training learns from. No cameras, no
//! relays, no files, no clock. Where games are spread over all cores (`fitness`), what comes of it is the same with one.

pub mod checkpoint;
pub mod contest;
mod covariance;
mod dice;
mod entropy;
pub mod features;
pub mod fitness;
pub mod games;
mod method;
pub mod pieces;
mod scored;
pub mod searcher;
pub mod settings;
mod swarm;
pub mod training;

pub use contest::{Contest, Finger, Lock, Outcome, Player, View};
pub use fitness::{Measure, Task, Worth};
pub use method::Method;
pub use pieces::{Generator, Pieces};
pub use scored::Scored;
pub use searcher::{Look, Searcher};
