//! The simulated table: console, camera, relay board.

pub mod relay_board;
pub mod view;
