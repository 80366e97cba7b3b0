//! The guideline's game (seed 002): turns, spins, time, scores, ends and line attacks.

#![allow(clippy::unwrap_used)]

mod boards;
mod ends;
mod moves;
mod score;
mod spins;
mod time;
mod turns;
mod versus;
