//! The command line: what is typed (`args`), what it starts (`cmd`, a module a subcommand), the loop around the robot
//! (`live`), and what is said of it all (`report`, `score`).

mod args;
mod cli;
mod cmd;
mod live;
mod out;
mod progress;
mod report;
pub(crate) mod score;
mod terminal;

pub use args::{ai, filters};
pub use cli::{check, main};
