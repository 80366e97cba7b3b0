//! Standard Tetris: the rules that C. P. Fahey wrote down of the first game for the PC (1986), as a pure model.
//!
//! Numbers are those of his article; where it leaves something open, the comment there says what was chosen.

mod draw;
pub mod endless;
mod game;
mod level;
mod machine;
mod pile;
mod place;
mod saved;

pub use draw::{Draw, PIECES, piece_of};
pub use game::{Event, Game, JunkError, Looks, Request, Settings, SizeError};
pub use level::{Cadence, LEVELS, SpeedBias, actual_level, cadence, earned_level, iteration_ms, points};
pub use machine::{FRAME_RATE_HZ, Machine, Phase, request_of};
pub use pile::Pile;
pub use place::Place;
pub use saved::LoadError;

/// The smallest board: columns and rows.
pub const SIZE_MIN: [usize; 2] = [4, 4];
/// The largest board.
pub const SIZE_MAX: [usize; 2] = [200, 400];
/// The usual board.
pub const SIZE: [usize; 2] = [10, 20];
