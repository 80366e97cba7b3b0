//! The command line: one file a subcommand.

mod annotate;
mod cli;
mod dry_run;
mod files;
mod find;
mod replay;
mod report;
mod rig;
mod screen;
mod truth;

pub use cli::main;
