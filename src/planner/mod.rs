//! Where a piece should go, and which presses take it there.

pub mod decide;
pub mod evaluate;
pub mod filter;
pub mod path;
pub mod pattern;
pub mod search;
pub mod timed;

pub use decide::{Outlook, Plan, Planner};
pub use evaluate::{Evaluator, Weights};
pub use filter::Filters;
pub use pattern::{Pattern, PatternError};
pub use search::{Candidate, Touch, two_piece, two_piece_timed};
pub use timed::{Hand, Pace, Style, TimedReach};
