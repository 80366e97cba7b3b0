//! Games played on the model alone, thousands of them: what tournaments compare and training learns from. No cameras, no
//! relays, no files, no clock. Where games are spread over all cores (`fitness`), what comes of it is the same with one.

pub mod checkpoint;
pub mod contest;
mod covariance;
mod dice;
pub mod duel;
mod entropy;
pub mod features;
pub mod fitness;
pub mod games;
pub mod junk;
pub mod last_lines;
pub mod learning;
pub mod logistic;
mod method;
pub mod pieces;
pub mod player;
mod scored;
pub mod self_play;
pub mod settings;
pub mod statistics;
mod swarm;
pub mod tournament;
pub mod training;

pub use contest::{Contest, Finger, Lock, Outcome, Player, Reach, View};
pub use fitness::{Measure, Task, Worth};
pub use junk::{Rising, Start};
pub use last_lines::{EndCourse, EndLearner};
pub use learning::{Course, Learner, LearnerError, Lesson, Subject};
pub use method::Method;
pub use pieces::{Generator, Pieces};
pub use player::{Look, Searcher};
pub use scored::Scored;
pub use tournament::{Standing, Tournament};
