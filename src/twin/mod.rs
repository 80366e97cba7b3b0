//! The simulated table: console, camera, relay board.

pub mod camera;
pub mod font;
pub mod picture;
pub mod view;
