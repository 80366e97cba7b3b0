//! When things happen: on the host, in the camera, in the game.

pub mod arrivals;
pub mod clock_watch;
pub mod game_clock;
pub mod picture_clock;
