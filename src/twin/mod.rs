//! The simulated table: console, camera, relay board.

pub mod camera;
mod canvas;
pub mod effects;
mod ending;
mod exact;
pub mod fault;
pub mod font;
mod lively;
pub mod look;
pub mod machine;
mod names;
pub mod pad;
pub mod picture;
pub mod plain;
pub mod player;
pub mod reference;
pub mod relay_board;
pub mod table;
pub mod tape;
pub mod view;
mod wall;
