//! The simulated table: console, camera, relay board.

pub mod view;
