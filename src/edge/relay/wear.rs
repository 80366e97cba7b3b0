//! How often each relay has closed, over all runs: contacts wear out.
//!
//! One small file a board in the user's state folder, written whole or not at all, once a minute and at the end: a crash
//! loses a minute's count at most.

use super::ExecutorHandle;
use crate::file::{self, Existing, FileError, SETTINGS_BYTES_MAX};
use crossbeam_channel::{RecvTimeoutError, Sender, bounded};
use etcetera::BaseStrategy;
use serde::{Deserialize, Serialize};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::thread::JoinHandle;
use std::time::Duration;
use thiserror::Error;

/// Operations that a relay is taken to last if the profile does not say: relays are rated for 10⁵ (at full load) to 10⁷
/// (mechanically), and a pad's contact is a light load.
pub const RATED_OPERATIONS: u64 = 1_000_000;
/// From this share of the rated life on it is time to have a spare.
const WARN_SHARE: f64 = 0.8;
/// How often the count is written.
const EVERY: Duration = Duration::from_secs(60);

/// Why the count cannot be kept.
#[derive(Debug, Error)]
pub enum WearError {
    /// The system names no folder for it.
    #[error("there is no folder to count the relays' wear in; set HOME, or XDG_STATE_HOME")]
    NoFolder,
    /// The file cannot be read or written.
    #[error("cannot keep the relays' wear in {path}; check that you may write there")]
    File {
        /// The file.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// The file cannot be replaced, or is too long.
    #[error(transparent)]
    Saving(#[from] FileError),
    /// The file holds something else.
    #[error("{path} is no count of a relay board's wear; move it away to count from 0")]
    Content {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        source: serde_json::Error,
    },
}

/// The closings of one board's relays.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Wear {
    path: PathBuf,
    count: Count,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Count {
    /// Which board, for people.
    board: String,
    /// K0 first.
    operations: [u64; 8],
}

impl Wear {
    /// What was counted so far for the board that `relay` names (as on the command line). Its identity is the adapter's
    /// serial number where the system knows one, else the port.
    ///
    /// # Errors
    /// When there is no folder for it, or the file cannot be read.
    pub fn of(relay: &str) -> Result<Self, WearError> {
        let state = state_folder().ok_or(WearError::NoFolder)?;
        Self::in_folder(&state.join("wear"), relay)
    }

    /// The same, in a folder of the caller's.
    ///
    /// # Errors
    /// When the file cannot be read.
    pub fn in_folder(folder: &Path, relay: &str) -> Result<Self, WearError> {
        let board = identity(relay);
        let name: String = board.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '-' }).collect();
        let path = folder.join(format!("{name}.json"));
        let count = match file::read_bytes(&path, SETTINGS_BYTES_MAX) {
            Ok(bytes) => {
                serde_json::from_slice(&bytes).map_err(|source| WearError::Content { path: path.clone(), source })?
            }
            Err(FileError::Read { source, .. }) if source.kind() == ErrorKind::NotFound => {
                Count { board, operations: [0; 8] }
            }
            Err(error) => return Err(error.into()),
        };
        Ok(Self { path, count })
    }

    /// Closings of each relay, K0 first.
    pub fn operations(&self) -> [u64; 8] {
        self.count.operations
    }

    /// The relays that are near the end of their rated life or past it, each with its share of it.
    pub fn worn(&self, rated: u64) -> Vec<(usize, f64)> {
        let shares = self.count.operations.iter().map(|n| *n as f64 / rated.max(1) as f64);
        shares.enumerate().filter(|(_, share)| *share >= WARN_SHARE).collect()
    }

    /// Writes the count plus `more`, whole or not at all.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn save(&self, more: [u64; 8]) -> Result<(), WearError> {
        let failed = |source| WearError::File { path: self.path.clone(), source };
        let mut count = self.count.clone();
        count.operations.iter_mut().zip(more).for_each(|(n, more)| *n = n.saturating_add(more));
        let text = serde_json::to_vec(&count).map_err(|e| failed(e.into()))?;
        if let Some(folder) = self.path.parent() {
            std::fs::create_dir_all(folder).map_err(failed)?;
        }
        Ok(file::save(&self.path, &text, Existing::Replace)?)
    }
}

/// Where this program keeps what it has to remember by itself.
pub(super) fn state_folder() -> Option<PathBuf> {
    let base = etcetera::choose_base_strategy().ok()?;
    Some(base.state_dir().unwrap_or_else(|| base.data_dir()).join("stackhand"))
}

/// The board's name with a port that stays the same when the adapter is plugged in elsewhere.
pub(super) fn identity(relay: &str) -> String {
    let (kind, rest) = relay.split_once(':').unwrap_or(("", relay));
    let (path, options) = rest.split_once('?').unwrap_or((rest, ""));
    let address = options.split('&').find(|o| o.starts_with("address=") || o.starts_with("slave="));
    let port = by_id(Path::new(path)).unwrap_or_else(|| path.into());
    [kind, &port, address.unwrap_or("")].into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(" ")
}

/// udev's name for the port, which holds the adapter's serial number.
fn by_id(path: &Path) -> Option<String> {
    let real = path.canonicalize().ok()?;
    let links = std::fs::read_dir("/dev/serial/by-id").ok()?;
    let link = links.flatten().find(|l| l.path().canonicalize().is_ok_and(|target| target == real))?;
    link.file_name().into_string().ok()
}

/// Writes an executor's count once a minute and at the end, in a thread of its own: a slow disk must not delay a picture.
pub struct WearKeeper {
    stop: Option<Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl WearKeeper {
    /// Starts the thread.
    ///
    /// # Errors
    /// When the system has no thread left, or the count cannot be written the first time.
    pub fn start(wear: Wear, executor: ExecutorHandle) -> Result<Self, WearError> {
        // Found out now, not after an hour.
        wear.save([0; 8])?;
        let (stop, stopped) = bounded(0);
        let path = wear.path.clone();
        let body = move || {
            loop {
                let ended = stopped.recv_timeout(EVERY) != Err(RecvTimeoutError::Timeout);
                if let Err(e) = wear.save(executor.operations()) {
                    tracing::warn!("{e}");
                }
                if ended {
                    return;
                }
            }
        };
        let spawned = std::thread::Builder::new().name("wear".into()).spawn(body);
        let thread = spawned.map_err(|source| WearError::File { path, source })?;
        Ok(Self { stop: Some(stop), thread: Some(thread) })
    }
}

impl Drop for WearKeeper {
    fn drop(&mut self) {
        self.stop = None;
        if let Some(thread) = self.thread.take()
            && thread.join().is_err()
        {
            tracing::error!("the thread that counts the relays' wear panicked");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_add_up_over_runs_and_warn_in_time() {
        let folder = tempfile::tempdir().unwrap();
        let wear = Wear::in_folder(folder.path(), "adr2200:/dev/there-is-none?baud=9600&address=3").unwrap();
        wear.save([5, 0, 0, 0, 0, 0, 0, 79]).unwrap();
        wear.save([6, 0, 0, 0, 0, 0, 0, 80]).unwrap();
        let again = Wear::in_folder(folder.path(), "adr2200:/dev/there-is-none?address=3&baud=19200").unwrap();
        assert_eq!(again.operations(), [6, 0, 0, 0, 0, 0, 0, 80]);
        assert_eq!(again.worn(100), [(7, 0.8)]);
        let other = Wear::in_folder(folder.path(), "adr2200:/dev/there-is-none?address=4").unwrap();
        assert_eq!(other.operations(), [0; 8], "another board on the same line");
    }

    #[test]
    fn a_file_that_is_no_count_is_named() {
        let folder = tempfile::tempdir().unwrap();
        let wear = Wear::in_folder(folder.path(), "lcus:/dev/there-is-none").unwrap();
        std::fs::write(&wear.path, "{\"board\"").unwrap();
        let error = Wear::in_folder(folder.path(), "lcus:/dev/there-is-none").unwrap_err().to_string();
        assert!(error.contains("move it away"), "{error}");
    }
}
