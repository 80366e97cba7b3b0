//! The command line: one file a subcommand.

mod annotate;
mod benchmark;
mod calibrate;
mod cli;
mod console;
mod dry_run;
mod files;
mod find;
mod perform;
mod play;
mod replay;
mod report;
mod rig;
mod screen;
mod simulated;
mod truth;

pub use cli::main;
