//! The commands, each a file or a folder.

pub mod benchmark;
pub mod bot;
pub mod calibrate;
pub mod completions;
pub mod console;
pub mod doctor;
pub mod dry_run;
pub mod film;
pub mod first;
pub mod game;
pub mod help;
pub mod play;
pub mod replay;
pub mod tournament;
pub mod train;
pub mod versus;
pub mod watchdog;
