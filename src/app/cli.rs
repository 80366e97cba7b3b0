//! Parse, run, report once, exit.

use super::{dry_run, replay};
use clap::{Parser, Subcommand};
use std::process::ExitCode;
use tracing_subscriber::EnvFilter;

/// A robot hand for falling-block games: a webcam watches the screen, a relay board presses the buttons.
#[derive(Parser)]
#[command(version, max_term_width = 100)]
struct Cli {
    #[command(subcommand)]
    command: Command,
    /// Say more on standard error (-v: what the robot decides, -vv: every picture).
    #[arg(short, long, global = true, action = clap::ArgAction::Count)]
    verbose: u8,
}

#[derive(Subcommand)]
enum Command {
    /// Play on the built-in simulated table: console, camera and relay board, without hardware.
    DryRun(dry_run::Args),
    /// Say what happened in a recording: spawns, locks, boards.
    Replay(replay::Args),
}

/// Runs the program.
pub fn main() -> ExitCode {
    let cli = Cli::parse();
    let level = ["warn", "stackhand=debug", "stackhand=trace"][usize::from(cli.verbose.min(2))];
    tracing_subscriber::fmt()
        .with_env_filter(EnvFilter::new(level))
        .with_writer(std::io::stderr)
        .without_time()
        .with_target(false)
        .init();
    let result = match cli.command {
        Command::DryRun(args) => dry_run::run(&args),
        Command::Replay(args) => replay::run(&args),
    };
    match result {
        Ok(code) => code,
        Err(error) => {
            eprintln!("stackhand: {error:#}");
            ExitCode::FAILURE
        }
    }
}
