//! A program that presses: it gets a line for every key, `press KEY` and `release KEY`, on its standard input.
//!
//! KEY is a button's name. A program whose input ends shall release everything by itself.

use crate::edge::relay::{Capabilities, RelayBoard, RelayError};
use crate::game::Buttons;
use crate::message::RelayMask;
use crate::profile::wire::Wire;
use std::io::Write;
use std::process::{Child, ChildStdin, Command, Stdio};

/// The program while it runs.
pub(crate) struct Program {
    name: String,
    /// Until it is dropped.
    child: Option<Child>,
    input: Option<ChildStdin>,
    told: RelayMask,
}

impl Program {
    /// Starts it; the first word is the program, the others are its arguments.
    ///
    /// # Errors
    /// When it does not start.
    pub(crate) fn start(words: &[String]) -> Result<Self, RelayError> {
        let name = words.join(" ");
        let failed = |source| RelayError::Command { name: name.clone(), source };
        let (program, arguments) =
            words.split_first().ok_or_else(|| failed(std::io::Error::other("it has no name")))?;
        // What it says on standard output must not mix with JSON lines.
        let started = Command::new(program).args(arguments).stdin(Stdio::piped()).stdout(Stdio::null()).spawn();
        let mut child = started.map_err(failed)?;
        let input = child.stdin.take();
        Ok(Self { name, child: Some(child), input, told: RelayMask(0) })
    }

    fn write(&mut self, lines: &str) -> Result<(), RelayError> {
        let input = self.input.as_mut().ok_or_else(|| std::io::Error::other("it has no input"));
        let written = input.and_then(|input| input.write_all(lines.as_bytes()).and_then(|()| input.flush()));
        written.map_err(|source| RelayError::Command { name: self.name.clone(), source })
    }
}

/// The lines that lead from one mask to another; releases come first.
fn lines(before: RelayMask, after: RelayMask) -> String {
    let of = |word: &str, keys: u8| -> String {
        let named = Buttons::NAMED.into_iter().enumerate().filter(|(n, _)| keys >> n & 1 == 1);
        named.map(|(_, (_, name))| format!("{word} {name}\n")).collect()
    };
    of("release", before.0 & !after.0) + &of("press", after.0 & !before.0)
}

impl RelayBoard for Program {
    fn set(&mut self, mask: RelayMask) -> Result<(), RelayError> {
        self.write(&lines(self.told, mask))?;
        self.told = mask;
        Ok(())
    }

    fn open_all(&mut self) -> Result<(), RelayError> {
        self.write(&lines(RelayMask(u8::MAX), RelayMask(0)))?;
        self.told = RelayMask(0);
        Ok(())
    }

    fn capabilities(&self) -> Capabilities {
        Capabilities { relays: 8, wire: Wire::at_once(0.0), reads_back: false }
    }

    fn name(&self) -> String {
        format!("the program `{}`", self.name)
    }

    fn read_back(&mut self) -> Result<Option<RelayMask>, RelayError> {
        Ok(None)
    }
}

impl Drop for Program {
    /// Its input ends, and it may take its time to release everything. A thread of its own waits for its end, so that the system
    /// can forget it: a program that falls is started again and again.
    fn drop(&mut self) {
        let _ = self.open_all();
        drop(self.input.take());
        let (Some(mut child), name) = (self.child.take(), self.name.clone()) else { return };
        let wait = move || match child.wait() {
            Ok(status) if !status.success() => tracing::warn!("the program `{name}` has ended with {status}"),
            _ => {}
        };
        let _ = std::thread::Builder::new().name("program's end".into()).spawn(wait);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn releases_come_before_presses_and_are_named_by_buttons() {
        assert_eq!(lines(RelayMask(0b11), RelayMask(0b1000_0010)), "release right\npress a\n");
        assert_eq!(lines(RelayMask(255), RelayMask(0)).lines().count(), 8);
        assert_eq!(lines(RelayMask(5), RelayMask(5)), "");
    }

    #[cfg(unix)]
    #[test]
    fn a_program_gets_every_line_and_is_missed_when_it_ends() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("lines");
        let words = ["sh", "-c", "head -n 9 > \"$0\"", path.to_str().unwrap()].map(String::from);
        let mut board = Program::start(&words).unwrap();
        board.open_all().unwrap();
        board.set(RelayMask(2)).unwrap();
        board.child.as_mut().unwrap().wait().unwrap();
        let text = std::fs::read_to_string(&path).unwrap();
        assert_eq!(text.lines().last(), Some("press left"), "{text}");
        let error = board.set(RelayMask(0)).unwrap_err().to_string();
        assert!(error.contains("head -n 9") && error.contains("start it by hand"), "{error}");
        assert!(Program::start(&["/no/such/program".into()]).is_err());
    }
}
