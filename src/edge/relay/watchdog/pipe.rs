//! Without sockets that carry descriptors: a watchdog that holds the reading end of a pipe, and opens the relays when the
//! pipe closes without the word that all is open. It does not see that the robot only stands still.

use super::journal::{Cause, Journal, Outcome};
use super::{SUBCOMMAND, Watch, rename_self};
use crate::edge::relay::{RelayError, RelaySpec, Reopening};
use crate::message::RelayMask;
use crate::time::{Clock, HostTime};
use std::io::{ErrorKind, IsTerminal, Read, Write};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::time::Duration;

/// Said before an orderly end.
const ALL_OPEN: &[u8] = b"all open\n";
/// The port is tried this often, ms: the system may close the pipe before the port.
const RETRY_MS: f64 = 5.0;
/// A port that somebody holds for this long belongs to another program by now, which opens the relays when it starts, ms.
const BUSY_MS_MAX: f64 = 3000.0;

/// What the robot says; here nobody listens.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Say {
    /// The relays' thread runs.
    Beat,
    /// Nothing is closed any more.
    Quiet,
    /// The program will stand still.
    Paused,
    /// The board is away.
    Lost,
}

/// What the relays' thread learns.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Heard {
    /// The watchdog stands.
    Well,
    /// This program stood still.
    Interrupted,
    /// Nobody would open the relays.
    Alone,
}

/// The relays' thread's side.
pub struct Link;

impl Link {
    /// Here nothing is learned.
    pub fn look(&mut self, _say: Say) -> Heard {
        Heard::Well
    }
}

/// The watchdog of this process. Dropping it without [`Self::dismiss`] makes it open the relays.
pub struct Watchdog {
    child: Child,
}

impl Watchdog {
    /// Starts `program` (this one) as a watchdog for the board that `relay` names. It looks for a port that is gone for as long
    /// as `patience`.
    ///
    /// # Errors
    /// When the process cannot be started.
    pub fn start(program: &Path, relay: &str, patience: Duration) -> Result<Self, RelayError> {
        let mut command = Command::new(program);
        command.args([SUBCOMMAND, relay, &patience.as_secs().to_string()]).stdin(Stdio::piped()).stdout(Stdio::null());
        if !std::io::stderr().is_terminal() {
            command.stderr(Stdio::null());
        }
        command.spawn().map(|child| Self { child }).map_err(|source| RelayError::NoWatchdog { source })
    }

    /// For the thread that closes relays.
    pub fn link(&self) -> Link {
        Link
    }

    /// Nothing is to be done for a board that is found again.
    pub fn again(&self, reopening: Reopening) -> Reopening {
        reopening
    }

    /// The relays are open and nobody closes any more: the watchdog ends without touching the board.
    pub fn dismiss(mut self) {
        let told = self.child.stdin.take().map(|mut pipe| pipe.write_all(ALL_OPEN));
        if let Some(Err(e)) = told {
            tracing::warn!("the watchdog process was gone before the end: {e}");
        }
        if let Err(e) = self.child.wait() {
            tracing::debug!("the watchdog process cannot be waited for: {e}");
        }
    }
}

/// The watchdog's life: waits until `pipe` ends, then opens the relays of `spec` if nobody said that they are.
///
/// # Errors
/// None here.
pub fn watch(
    pipe: &mut dyn Read,
    name: &str,
    spec: &RelaySpec,
    patience: Duration,
    clock: Arc<dyn Clock>,
) -> Result<Watch, RelayError> {
    rename_self();
    if was_dismissed(pipe) {
        return Ok(Watch::Dismissed);
    }
    let gone = clock.now();
    let mut busy_since: Option<HostTime> = None;
    loop {
        let outcome = open(spec, clock.clone());
        let now = clock.now();
        let is_busy = outcome == Outcome::Busy;
        let is_over = match outcome {
            Outcome::Busy => now.ms_since(*busy_since.get_or_insert(now)) > BUSY_MS_MAX,
            outcome => outcome.is_done() || now > gone + patience,
        };
        if is_over {
            let after_ms = now.ms_since(gone);
            Journal::default().note(name, Cause::Died, outcome, after_ms);
            return Ok(Watch::Ended { outcome, after_ms });
        }
        busy_since = busy_since.filter(|_| is_busy);
        clock.sleep_until(now.plus_ms(RETRY_MS));
    }
}

fn open(spec: &RelaySpec, clock: Arc<dyn Clock>) -> Outcome {
    let mut board = match crate::edge::relay::open(spec, clock) {
        Ok(board) => board,
        Err(RelayError::Busy { .. }) => return Outcome::Busy,
        Err(RelayError::NoAnswer { .. } | RelayError::WrongAnswer { .. }) => return Outcome::Stranger,
        Err(_) => return Outcome::Gone,
    };
    let told = board.open_all().and_then(|()| board.open_all());
    match told.and_then(|()| board.read_back()) {
        Ok(Some(RelayMask(0))) => Outcome::Open,
        Ok(Some(_)) => Outcome::Closed,
        Ok(None) => Outcome::Told,
        Err(_) => Outcome::Unanswered,
    }
}

fn was_dismissed(pipe: &mut dyn Read) -> bool {
    let mut heard: Vec<u8> = Vec::new();
    let mut buffer = [0; 64];
    loop {
        match pipe.read(&mut buffer) {
            Ok(0) => return heard == ALL_OPEN,
            // Anything longer is not the word.
            Ok(count) if heard.len() <= ALL_OPEN.len() => heard.extend(&buffer[..count]),
            Ok(_) => {}
            Err(e) if e.kind() == ErrorKind::Interrupted => {}
            Err(_) => return false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_word_dismisses() {
        for (said, expect) in [("all open\n", true), ("", false), ("all open", false), ("all open\nall open\n", false)]
        {
            assert_eq!(was_dismissed(&mut said.as_bytes()), expect, "{said:?}");
        }
    }
}
