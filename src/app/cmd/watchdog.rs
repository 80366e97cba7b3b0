//! `__watchdog`: the process that opens the relays when the one that started it was killed or stands still. Not for people.

use crate::edge::relay::{self, RelaySpec};
use crate::time::SystemClock;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

/// Options of `__watchdog`.
#[derive(clap::Args)]
pub struct Args {
    /// The relay board.
    relay: String,
    /// How long to look for its port, s.
    patience_s: u64,
}

/// Runs it. What it does is told by its journal.
pub fn run(args: &Args) -> anyhow::Result<ExitCode> {
    let spec = RelaySpec::parse(&args.relay)?;
    let patience = Duration::from_secs(args.patience_s);
    let clock = Arc::new(SystemClock::new());
    #[cfg(unix)]
    relay::watch(line()?, &args.relay, &spec, patience, clock)?;
    #[cfg(not(unix))]
    relay::watch(&mut std::io::stdin().lock(), &args.relay, &spec, patience, clock)?;
    Ok(ExitCode::SUCCESS)
}

/// Standard input is the socket to the one that started this process.
#[cfg(unix)]
fn line() -> std::io::Result<std::os::fd::OwnedFd> {
    use std::os::fd::AsFd;
    std::io::stdin().as_fd().try_clone_to_owned()
}
