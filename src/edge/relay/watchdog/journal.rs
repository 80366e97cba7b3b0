//! What watchdogs did, kept in a file for the next start: nobody may be looking when it happens.

use crate::edge::relay::wear::{identity, state_folder};
use crate::file::{self, FileError, SETTINGS_BYTES_MAX};
use crate::time::today;
use serde::{Deserialize, Serialize};
use std::io::{IsTerminal, Write};
use std::path::{Path, PathBuf};

/// A journal that has grown to this many bytes is moved aside before more is written: thousands of entries.
const BYTES_MAX: u64 = 1 << 20;

/// Why a watchdog acted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Cause {
    /// The program was gone without having said that all relays are open.
    Died,
    /// The thread that closes relays was silent: stopped, hung, or swapped out.
    Silent,
}

/// What became of the relays.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// The board says that all are open.
    Open,
    /// They were told to open; the board cannot be asked.
    Told,
    /// They were told to open, and the board does not answer.
    Unanswered,
    /// The board says that some are closed.
    Closed,
    /// There is no port of that name.
    Gone,
    /// What is on the port is not the board that was used before, or cannot be told from another; it was left alone.
    Stranger,
    /// Another program holds the port.
    Busy,
}

impl Outcome {
    /// Nothing is left to do.
    pub fn is_done(self) -> bool {
        matches!(self, Self::Open | Self::Told)
    }

    fn words(self) -> &'static str {
        match self {
            Self::Open => "its relays were opened and read back open",
            Self::Told => "its relays were told to open; this board cannot be asked, so look whether a button is held",
            Self::Unanswered => "its relays were told to open, but it does not answer",
            Self::Closed => "it says that relays are closed although they were told to open",
            Self::Gone => "its port is gone",
            Self::Stranger => "what is on its port now is not known to be that board, and was left alone",
            Self::Busy => "another program holds its port",
        }
    }
}

/// One thing that a watchdog did.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Entry {
    /// The day, YYYY-MM-DD (UTC).
    pub date: String,
    /// The board, as named on the command line.
    pub board: String,
    /// Why.
    pub cause: Cause,
    /// What came of it.
    pub outcome: Outcome,
    /// How long after the program had gone or fallen silent, ms.
    pub after_ms: f64,
}

impl Entry {
    /// In words, with what to do if something is to be done.
    pub fn words(&self) -> String {
        let Self { date, board, cause, outcome, after_ms } = self;
        let cause = match cause {
            Cause::Died => "ended without opening its relays",
            Cause::Silent => "stood still",
        };
        let remedy = match outcome.is_done() {
            true => String::new(),
            false => format!(
                "; relays may STILL BE CLOSED and hold buttons down: pull the board's supply or the pad's plug, then run \
                 `stackhand doctor --open-relays --relay {board}`"
            ),
        };
        format!("{date}: the program that used {board} {cause}; {} ({after_ms:.0} ms later){remedy}", outcome.words())
    }
}

#[derive(Serialize, Deserialize)]
#[serde(untagged)]
enum Line {
    Entry(Entry),
    /// What stands above was told to the user of this board (its identity).
    Told {
        told: String,
    },
}

/// The file. Where there is no folder for it, nothing is kept.
pub struct Journal {
    path: Option<PathBuf>,
}

impl Default for Journal {
    fn default() -> Self {
        Self::in_folder(state_folder())
    }
}

impl Journal {
    /// In this folder; nowhere without one.
    pub fn in_folder(folder: Option<PathBuf>) -> Self {
        Self { path: folder.map(|folder| folder.join("watchdog.jsonl")) }
    }

    /// Adds an entry, and says it where somebody may read it now.
    pub(super) fn note(&self, board: &str, cause: Cause, outcome: Outcome, after_ms: f64) {
        let entry = Entry { date: today(), board: board.into(), cause, outcome, after_ms: after_ms.round() };
        if std::io::stderr().is_terminal() {
            let _ = writeln!(std::io::stderr(), "stackhand: {}", entry.words());
        }
        self.append(&Line::Entry(entry));
    }

    /// What was not told yet of the board that `relay` names; from now on it counts as told.
    pub fn take_untold(&self, relay: &str) -> Vec<Entry> {
        let board = identity(relay);
        let Some(text) = self.path.as_deref().and_then(|path| file::read_text(path, 2 * SETTINGS_BYTES_MAX).ok())
        else {
            return Vec::new();
        };
        let mut untold = Vec::new();
        // A line that a crash cut off is passed over.
        for line in text.lines().filter_map(|line| serde_json::from_str::<Line>(line).ok()) {
            match line {
                Line::Entry(entry) if identity(&entry.board) == board => untold.push(entry),
                Line::Told { told } if told == board => untold.clear(),
                _ => {}
            }
        }
        if !untold.is_empty() {
            self.append(&Line::Told { told: board });
        }
        untold
    }

    /// A journal that cannot be written must not keep anybody from opening relays.
    fn append(&self, line: &Line) {
        let Some(path) = &self.path else { return };
        if let Err(e) = write_line(path, line) {
            tracing::warn!("cannot write to {}: {e}", path.display());
        }
    }
}

fn write_line(path: &Path, line: &Line) -> Result<(), FileError> {
    let text = serde_json::to_string(line).map_err(|e| FileError::Write { path: path.into(), source: e.into() })?;
    file::append(path, format!("{text}\n").as_bytes(), BYTES_MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_happened_is_told_once_to_the_board_it_happened_to() {
        let folder = tempfile::tempdir().unwrap();
        let journal = Journal::in_folder(Some(folder.path().join("new")));
        let (board, other) = ("adr2200:/dev/there-is-none?baud=9600", "lcus:/dev/there-is-none");
        assert!(journal.take_untold(board).is_empty());
        journal.note(board, Cause::Died, Outcome::Open, 12.3);
        journal.note(other, Cause::Silent, Outcome::Unanswered, 1000.0);
        journal.note(board, Cause::Died, Outcome::Gone, 5.0);
        let path = folder.path().join("new/watchdog.jsonl");
        let cut = std::fs::read_to_string(&path).unwrap() + "{\"date\":\"20";
        std::fs::write(&path, cut + "\n").unwrap();
        let told: Vec<_> = journal.take_untold(board).iter().map(Entry::words).collect();
        assert_eq!(told.len(), 2);
        assert!(told[0].contains("read back open") && !told[0].contains("CLOSED"), "{}", told[0]);
        assert!(told[1].contains("STILL BE CLOSED") && told[1].contains("--open-relays"), "{}", told[1]);
        assert!(journal.take_untold(board).is_empty(), "told once");
        assert_eq!(journal.take_untold(other).len(), 1, "each board its own");
    }
}
