//! A program that plays: it speaks the Tetris Bot Protocol on its standard input and output.

use crate::app::cmd::bot::protocol::{FromBot, Move, ToBot};
use crate::time::{Clock, HostTime, SystemClock};
use crossbeam_channel::{Receiver, RecvTimeoutError, Sender, unbounded};
use std::io::{self, BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::Duration;
use thiserror::Error;

/// How long a program may take to say who it is, and that it is ready.
const GREETING: Duration = Duration::from_secs(10);
/// How long one may take to end when it was told to.
const FAREWELL_MS: f64 = 500.0;
/// Between two looks whether it has ended.
const LOOK_MS: f64 = 5.0;

/// Why a program does not play on.
#[derive(Debug, Error)]
pub enum ProgramError {
    /// It did not start.
    #[error("{name} does not start; check its name and path, and start it by hand")]
    Start {
        /// What was to be started.
        name: String,
        /// Why not.
        source: io::Error,
    },
    /// It takes or says nothing any more.
    #[error("{0} has ended; start it by hand and look what it says")]
    Ended(String),
    /// It says nothing for too long.
    #[error("{name} said no {message:?} in time; check that it speaks the Tetris Bot Protocol")]
    Silent {
        /// Which program.
        name: String,
        /// What was waited for.
        message: &'static str,
    },
    /// It refused the rules.
    #[error("{name} cannot play by these rules: {reason}")]
    Refused {
        /// Which program.
        name: String,
        /// In its own words.
        reason: String,
    },
}

/// A line, and when it came.
type Line = (HostTime, String);

/// The program while it runs.
pub struct Program {
    words: Vec<String>,
    /// How it is started, for messages.
    command: String,
    /// What it calls itself.
    pub name: String,
    clock: SystemClock,
    child: Child,
    input: ChildStdin,
    lines: Receiver<Line>,
}

impl Program {
    /// Starts it, and waits until it is ready; the first word is the program, the others are its arguments.
    ///
    /// # Errors
    /// When it does not start, or is not ready in time.
    pub fn start(words: &[String], clock: SystemClock) -> Result<Self, ProgramError> {
        let command = words.join(" ");
        let failed = |source| ProgramError::Start { name: command.clone(), source };
        let (program, arguments) = words.split_first().ok_or_else(|| failed(io::Error::other("it has no name")))?;
        let started = Command::new(program).args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn();
        let mut child = started.map_err(failed)?;
        let (Some(input), Some(output)) = (child.stdin.take(), child.stdout.take()) else {
            return Err(ProgramError::Ended(command));
        };
        let (to_us, lines) = unbounded();
        let listen = move || listen(output, &to_us, clock);
        std::thread::Builder::new().name("bot's lines".into()).spawn(listen).map_err(failed)?;
        let (words, name) = (words.to_vec(), command.clone());
        let mut program = Self { words, command, name, clock, child, input, lines };
        program.greet()?;
        Ok(program)
    }

    /// A new one in its place.
    ///
    /// # Errors
    /// As [`Self::start`].
    pub fn restarted(self) -> Result<Self, ProgramError> {
        let (words, clock) = (self.words.clone(), self.clock);
        drop(self);
        Self::start(&words, clock)
    }

    /// Says something to it.
    ///
    /// # Errors
    /// When it has ended.
    pub fn tell(&mut self, message: &ToBot) -> Result<(), ProgramError> {
        let line = serde_json::to_string(message).map(|line| line + "\n").unwrap_or_default();
        let told = self.input.write_all(line.as_bytes()).and_then(|()| self.input.flush());
        told.map_err(|_| ProgramError::Ended(self.command.clone()))
    }

    /// Its suggestions, and when they came, if that is until then. Other messages are left out.
    ///
    /// # Errors
    /// When it has ended, or is late.
    pub fn suggestion(&mut self, until: HostTime) -> Result<(HostTime, Vec<Move>), ProgramError> {
        loop {
            let left_us = (until - self.clock.now()).max(0) as u64;
            if let (at, FromBot::Suggestion { moves, .. }) = self.wait(Duration::from_micros(left_us), "suggestion")? {
                return Ok((at, moves));
            }
        }
    }

    /// Who it is; the rules; whether it can play by them.
    fn greet(&mut self) -> Result<(), ProgramError> {
        loop {
            if let FromBot::Info { name, version, .. } = self.wait(GREETING, "info")?.1 {
                self.name = format!("{name} {version}");
                break;
            }
        }
        self.tell(&ToBot::Rules { randomizer: Some("seven_bag".into()) })?;
        loop {
            match self.wait(GREETING, "ready")?.1 {
                FromBot::Ready => return Ok(()),
                FromBot::Error { reason } => return Err(ProgramError::Refused { name: self.command.clone(), reason }),
                _ => {}
            }
        }
    }

    /// The next message. A line that is none counts as one that is not known.
    fn wait(&mut self, time: Duration, message: &'static str) -> Result<(HostTime, FromBot), ProgramError> {
        match self.lines.recv_timeout(time) {
            Ok((at, line)) => Ok((at, serde_json::from_str(&line).unwrap_or(FromBot::Unknown))),
            Err(RecvTimeoutError::Timeout) => Err(ProgramError::Silent { name: self.command.clone(), message }),
            Err(RecvTimeoutError::Disconnected) => Err(ProgramError::Ended(self.command.clone())),
        }
    }
}

impl Drop for Program {
    /// It is told to end, and ended if it does not.
    fn drop(&mut self) {
        let _ = self.tell(&ToBot::Quit);
        let until = self.clock.now().plus_ms(FAREWELL_MS);
        while self.clock.now() < until {
            if !matches!(self.child.try_wait(), Ok(None)) {
                return;
            }
            self.clock.sleep_until(self.clock.now().plus_ms(LOOK_MS));
        }
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Sends every line on, until the program ends.
fn listen(output: ChildStdout, to: &Sender<Line>, clock: SystemClock) {
    for line in BufReader::new(output).lines() {
        let Ok(line) = line else { return };
        if to.send((clock.now(), line)).is_err() {
            return;
        }
    }
}
