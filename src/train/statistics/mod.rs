//! What many games say of who played them.

pub mod blocks;
pub mod lifetimes;
pub mod sample;
pub mod tail;
pub mod tally;
pub mod times;

pub use blocks::{Block, Blocks};
pub use lifetimes::Lifetimes;
pub use sample::Sample;
pub use tail::{Estimate, Tail};
pub use tally::Tally;
pub use times::Times;
