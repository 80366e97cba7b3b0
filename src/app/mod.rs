//! The command line: one file a subcommand.

mod annotate;
mod benchmark;
mod calibrate;
mod calibrate_page;
mod cli;
mod comeback;
mod consistency;
mod console;
mod doctor;
mod dry_run;
mod export;
mod files;
pub mod filters;
mod find;
mod latency;
mod movie_file;
mod page;
mod pause;
mod perform;
mod play;
mod presses;
mod replay;
mod replay_view;
mod report;
mod report_page;
mod rig;
mod screen;
mod simulated;
mod trace;
mod track;
mod truth;
mod values;
mod viewer;
mod watchdog;
mod window;

pub use cli::main;
