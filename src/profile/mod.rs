//! What a person owns as files: the calibration of a table, how a game looks, and how buttons are wired.

pub mod calibration;
pub mod game_file;
pub mod game_times;
pub mod layout;
pub mod measured;
pub mod nullpomino;
pub mod problem;
pub mod protocol;
pub mod spawn;
pub mod states;
pub mod wire;
