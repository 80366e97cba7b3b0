//! A second process that opens the relays when this one is killed: no board that we know opens them by itself.
//!
//! It holds the reading end of a pipe and nothing else. When the pipe closes without the word that all is open, it takes
//! the port, which then is free, and opens the relays.

use super::reopen::open_quickly;
use super::{RelayError, RelaySpec};
use crate::time::{Clock, HostTime};
use std::io::{ErrorKind, IsTerminal, Read, Write};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::time::Duration;

/// The hidden subcommand.
pub const SUBCOMMAND: &str = "__watchdog";
/// What the process calls itself, so that `pkill -9 stackhand` does not kill it too.
const NAME: &str = "relay-watchdog";
/// Said before an orderly end.
const ALL_OPEN: &[u8] = b"all open\n";
/// The port is tried this often, ms: the system may close the pipe before the port.
const RETRY_MS: f64 = 5.0;
/// A port that somebody holds for so long belongs to another program by now, which opens the relays when it starts, ms.
const BUSY_MS_MAX: f64 = 3000.0;

/// The watchdog of this process. Dropping it without [`Self::dismiss`] makes it open the relays.
pub struct Watchdog {
    child: Child,
}

impl Watchdog {
    /// Starts `program` (this one) as a watchdog for the board that `relay` names; before the board's port is opened, so
    /// that it can inherit nothing of it. It looks for a port that is gone for as long as `patience`.
    ///
    /// # Errors
    /// When the process cannot be started.
    pub fn start(program: &Path, relay: &str, patience: Duration) -> Result<Self, RelayError> {
        let mut command = Command::new(program);
        command.args([SUBCOMMAND, relay, &patience.as_secs().to_string()]).stdin(Stdio::piped()).stdout(Stdio::null());
        // Whoever reads our errors through a pipe should not have to wait for the watchdog's end.
        if !std::io::stderr().is_terminal() {
            command.stderr(Stdio::null());
        }
        // Ctrl-C and a closed terminal reach all of a group; the watchdog must outlive them.
        #[cfg(unix)]
        std::os::unix::process::CommandExt::process_group(&mut command, 0);
        command.spawn().map(|child| Self { child }).map_err(|source| RelayError::System { source })
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

/// What a watchdog did.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Watch {
    /// It was dismissed.
    Dismissed,
    /// It opened the relays, so long after the other process had gone, ms.
    Opened {
        /// See above.
        after_ms: f64,
    },
    /// Another program holds the port.
    Superseded,
}

/// The watchdog's life: waits until `pipe` ends, then opens the relays of `spec` if nobody said that they are.
///
/// # Errors
/// When the relays could not be opened within `patience`.
pub fn watch(
    pipe: &mut dyn Read,
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
        let error = match open_quickly(spec, clock.clone()) {
            Ok(()) => return Ok(Watch::Opened { after_ms: clock.now().ms_since(gone) }),
            Err(error) => error,
        };
        let now = clock.now();
        match error {
            RelayError::Busy { .. } => {
                if now.ms_since(*busy_since.get_or_insert(now)) > BUSY_MS_MAX {
                    return Ok(Watch::Superseded);
                }
            }
            error if now > gone + patience => return Err(error),
            _ => busy_since = None,
        }
        clock.sleep_until(now.plus_ms(RETRY_MS));
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

/// Where the system allows it; nothing depends on it.
fn rename_self() {
    if cfg!(target_os = "linux") {
        let _ = std::fs::write("/proc/self/comm", NAME);
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
