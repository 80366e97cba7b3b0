//! The command line: one file a subcommand.

mod cli;
mod dry_run;
mod report;
mod rig;
mod screen;

pub use cli::main;
