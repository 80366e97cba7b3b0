//! What a recording truly shows, and how much of it was seen.
//!
//! A truth file has the lines that `replay --json --each-frame` writes, as far as they are known: `calibrated` (corners;
//! with `t_ms` from then on), `spawn` (piece, next, board), `frame` (state; board: everything lit). A line without `event`
//! is a spawn. In a board `?` means that either is right. What a file does not tell is not scored.

mod compare;
pub mod consistency;
mod file;
mod mistake;
mod tally;

pub use compare::{Compared, Comparison, corner_error_px, is_wrong_place};
pub use file::{TrueCells, TruePicture, TruePlace, TrueSpawn, Truth};
pub use mistake::{Mistake, Mistakes};
