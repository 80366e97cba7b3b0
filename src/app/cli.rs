//! Parse, run, report once, exit.

use super::out;
use crate::app::cmd::{benchmark, calibrate, console, doctor, dry_run, play, replay, watchdog};
use crate::file;
use clap::{Parser, Subcommand};
use std::io::{self, IsTerminal};
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
    /// Find the field in the picture and write the calibration file.
    Calibrate(calibrate::Args),
    /// Play on real hardware: camera and relay board.
    Play(play::Args),
    /// Play on the built-in simulated table: console, camera and relay board, without hardware.
    DryRun(dry_run::Args),
    /// Say what happened in a recording: spawns, locks, boards.
    Replay(replay::Args),
    /// Film simulated games with ever worse cameras, and count what replay would see of them.
    Benchmark(benchmark::Args),
    /// The simulated console by itself: a window to play in and to film, movies, traces, test vectors.
    Console(console::Args),
    /// Say what works on this computer and at this table, and what to mend: cameras, ports, boards, permissions, timing.
    Doctor(doctor::Args),
    /// Opens the relays when the process that started it was killed.
    #[command(name = crate::edge::relay::WATCHDOG, hide = true)]
    Watchdog(watchdog::Args),
}

/// Runs the program.
pub fn main() -> ExitCode {
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(asked) => return said(&asked),
    };
    let level = ["warn", "stackhand=debug", "stackhand=trace"][usize::from(cli.verbose.min(2))];
    tracing_subscriber::fmt()
        .with_env_filter(EnvFilter::new(level))
        .with_writer(|| out::Messages)
        .with_ansi(io::stderr().is_terminal())
        .without_time()
        .with_target(false)
        .init();
    if let Err(error) = file::outlive_size_limits() {
        tracing::debug!("a file that reaches the system's limit would end the program: {error}");
    }
    let result = match cli.command {
        Command::DryRun(args) => dry_run::run(&args),
        Command::Calibrate(args) => calibrate::run(&args),
        Command::Play(args) => play::run(&args),
        Command::Benchmark(args) => benchmark::run(&args),
        Command::Console(args) => console::run(&args),
        Command::Replay(args) => replay::run(&args),
        Command::Doctor(args) => doctor::run(&args),
        Command::Watchdog(args) => watchdog::run(&args),
    };
    match result {
        Ok(code) => code,
        // Whoever reads our output has seen enough.
        Err(error) if is_closed(&error) => ExitCode::SUCCESS,
        Err(error) => {
            out::complain(&error);
            ExitCode::FAILURE
        }
    }
}

/// Help and version on standard output, or what is wrong with the command line on standard error.
fn said(asked: &clap::Error) -> ExitCode {
    let status = ExitCode::from(asked.exit_code() as u8);
    match asked.print() {
        Err(error) if !asked.use_stderr() && error.kind() != io::ErrorKind::BrokenPipe => {
            out::note(format_args!("stackhand: cannot write to standard output: {error}"));
            ExitCode::FAILURE
        }
        _ => status,
    }
}

/// Whether standard output was closed. A relay board that was unplugged says "broken pipe" too, and must be told of.
fn is_closed(error: &anyhow::Error) -> bool {
    error.chain().any(|cause| cause.downcast_ref::<io::Error>().is_some_and(out::is_closed))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::app::live::RunError;
    use crate::edge::relay::RelayError;

    #[test]
    fn an_unplugged_board_is_no_closed_output() {
        let pipe = || io::Error::from(io::ErrorKind::BrokenPipe);
        let board = RelayError::Write { path: "/dev/ttyUSB0".into(), source: pipe() };
        assert!(!is_closed(&RunError::from(board).into()));
        assert!(!is_closed(&RunError::from(pipe()).into()));
        assert!(is_closed(&RunError::from(out::closed()).into()));
        assert!(is_closed(&anyhow::Error::from(out::closed()).context("while it was printed")));
    }
}
