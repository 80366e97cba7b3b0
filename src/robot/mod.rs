//! The core as one machine: see, believe, decide, schedule. `play`, `dry-run`, `replay` and tests drive the one entry,
//! [`Robot::handle`], and differ only in what stands at its two edges.

mod adrift;
mod appearance;
mod appearing;
mod deciding;
mod delays;
mod doubting;
mod dropping;
mod effects;
mod fall_time;
mod falling;
mod foresight;
mod guard;
mod holding;
mod machine;
pub mod measure;
mod motion;
mod notice;
mod pausing;
mod rest;
mod shift;
mod span;
mod speed;
mod state;
mod steering;
mod task;
mod waiting;
mod waits;
mod watcher;

pub use machine::{Input, Output};
pub use notice::{Notice, OnBlame, Why};
pub use state::{Decision, Robot, Settings};
pub use watcher::{Look, RobotError, Watcher};
