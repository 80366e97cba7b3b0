//! `doctor --open-relays`: all relays of a board, whoever closed them. For a person in doubt, and for a service manager after the
//! robot's end.

use super::findings::Findings;
use crate::edge::relay::{self, RelayBoard, RelayError, RelaySpec};
use crate::message::RelayMask;
use crate::time::Clock;
use anyhow::bail;
use std::sync::Arc;

/// A watchdog may still be at work on the port, ms.
const BUSY_MS: f64 = 3000.0;
const AGAIN_MS: f64 = 100.0;
const PULL: &str = "relays may STILL BE CLOSED and hold buttons down: pull the board's supply or the pad's plug, then look for the cause";

/// Opens them, and tells what the board says.
pub fn run(findings: &mut Findings, name: &str, clock: &Arc<dyn Clock>) -> anyhow::Result<()> {
    let spec = RelaySpec::parse(name)?;
    if !spec.is_real() {
        bail!("{name:?} has no relays that could be closed; name a real board with --relay");
    }
    let (board, error) = match patiently(&spec, clock) {
        Ok(board) => (board, None),
        // It may hear without being heard. What answers otherwise is another device, and is told nothing.
        Err(error @ RelayError::NoAnswer { .. }) => match relay::open_unasked(&spec, clock.clone()) {
            Ok(board) => (board, Some(error)),
            Err(error) => return Ok(unreachable(findings, name, &error)?),
        },
        Err(error) => return Ok(unreachable(findings, name, &error)?),
    };
    match (opened(board), error) {
        (Err(error), _) | (Ok(_), Some(error)) => unreachable(findings, name, &error)?,
        (Ok(Some(RelayMask(0))), None) => findings.good("board", name, "says that all its relays are open")?,
        (Ok(Some(RelayMask(mask))), None) => {
            findings.mend("board", name, &format!("says that relays {mask:08b} are closed (K7 first)"), PULL)?;
        }
        (Ok(None), None) => findings.mend(
            "board",
            name,
            "was told to open all relays, but cannot be asked whether they are",
            "look whether the game holds a button; if it does, pull the board's supply or the pad's plug",
        )?,
    }
    Ok(())
}

fn patiently(spec: &RelaySpec, clock: &Arc<dyn Clock>) -> Result<Box<dyn RelayBoard>, RelayError> {
    let due = clock.now().plus_ms(BUSY_MS);
    loop {
        match relay::open(spec, clock.clone()) {
            Err(RelayError::Busy { .. }) if clock.now() < due => {
                clock.sleep_until(clock.now().plus_ms(AGAIN_MS));
            }
            other => return other,
        }
    }
}

/// Twice: the board may hold the beginning of a command that was cut off.
fn opened(mut board: Box<dyn RelayBoard>) -> Result<Option<RelayMask>, RelayError> {
    board.open_all()?;
    board.open_all()?;
    board.read_back()
}

fn unreachable(findings: &mut Findings, name: &str, error: &RelayError) -> std::io::Result<()> {
    findings.mend("board", name, &error.to_string(), PULL)
}
