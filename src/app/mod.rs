//! The command line: one file a subcommand.

mod args;
mod cli;
mod cmd;
mod live;
mod out;
mod report;
pub(crate) mod score;

pub use args::filters;
pub use cli::main;
