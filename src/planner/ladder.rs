//! What is worse than any pile, from bad to worst. Costs of piles stay far below: a board of 10 × 40 cells that is full of
//! holes costs less than a hundred thousand.

/// The next piece could only be placed against the filters: any other placement is better.
pub const DEAD_END_COST: f64 = 1e7;
/// A filter of taste forbids the placement: it comes last, for the case that no other can be reached in time.
pub const FORBIDDEN_COST: f64 = 1e8;
/// Costs from here on mean that the game is lost.
pub const LOST_COST: f64 = 5e8;
/// The next piece could not appear.
pub const NO_ROOM_COST: f64 = 1e9;
