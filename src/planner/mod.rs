//! Where a piece should go, and which presses take it there.

pub mod beam;
pub mod brain;
pub mod candidate;
mod count;
pub mod decide;
pub mod evaluate;
mod expectimax;
pub mod feature;
pub mod filter;
pub mod futures;
pub mod ladder;
mod lanes;
pub mod moves;
pub mod path;
pub mod pattern;
pub mod rollouts;
pub mod search;
pub mod timed;
pub mod value;
pub mod weights;

pub use beam::Beam;
pub use brain::{Brain, BrainError};
pub use candidate::{Candidate, Choice};
pub use decide::{Outlook, Plan, Planner};
pub use evaluate::{Afterstate, Evaluator, Siblings, Step};
pub use expectimax::Breadth;
pub use feature::Feature;
pub use filter::Filters;
pub use futures::Budget;
pub use moves::{Manner, Moves, Touch};
pub use pattern::{Pattern, PatternError};
pub use rollouts::Rollouts;
pub use search::{Beyond, Search, two_piece};
pub use timed::{Hand, Style, TimedReach};
pub use value::{Value, ValueError};
pub use weights::{Weights, WeightsError};
