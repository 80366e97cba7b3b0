//! Where a piece should go, and which presses take it there.

pub mod decide;
pub mod evaluate;
pub mod filter;
pub mod ladder;
pub mod moves;
pub mod path;
pub mod pattern;
pub mod search;
pub mod timed;

pub use decide::{Outlook, Plan, Planner};
pub use evaluate::{Afterstate, Evaluator, Weights};
pub use filter::Filters;
pub use moves::{Manner, Moves, Touch};
pub use pattern::{Pattern, PatternError};
pub use search::{Candidate, Search, two_piece};
pub use timed::{Hand, Style, TimedReach};
