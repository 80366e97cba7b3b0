//! `__watchdog`: the process that opens the relays when the one that started it was killed. Not for people.

use crate::relay::{self, RelaySpec, Watch};
use crate::time::SystemClock;
use anyhow::Context;
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

/// Runs it.
pub fn run(args: &Args) -> anyhow::Result<ExitCode> {
    let spec = RelaySpec::parse(&args.relay)?;
    let patience = Duration::from_secs(args.patience_s);
    let watched = relay::watch(&mut std::io::stdin().lock(), &spec, patience, Arc::new(SystemClock::new()))
        .context("the program was killed, and its relays may still be closed: release the buttons by hand")?;
    match watched {
        Watch::Dismissed => {}
        Watch::Opened { after_ms } => eprintln!("stackhand: relays opened {after_ms:.0} ms after the program had gone"),
        Watch::Superseded => eprintln!("stackhand: another program holds the port of {}; leaving it alone", args.relay),
    }
    Ok(ExitCode::SUCCESS)
}
