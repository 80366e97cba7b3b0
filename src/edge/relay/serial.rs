//! A board on a serial port: the port, a board's language, and what the board was told last.

mod alive;
mod calling;

use super::codec::{self, Codec};
use super::hearing::Ear;
use super::port::open_port;
use super::{Capabilities, Health, KeepAlive, RelayBoard, RelayError};
use crate::message::RelayMask;
use crate::time::{Clock, HostTime};
use calling::{ANSWER_BYTES_MAX, Calling, Kept};
use serialport::{ClearBuffer, SerialPort};
use std::io::{Error, ErrorKind};
use std::sync::Arc;
use std::time::Duration;

/// How long an answer may take beyond its time on the wire: USB adapters alone hold bytes back for up to 16 ms.
pub(super) const ANSWER_TIMEOUT_MS: f64 = 350.0;
/// How long what follows the end of a half command is not listened to, ms.
const HALF_COMMAND_MS: f64 = 20.0;
/// Opening the port restarts an Arduino, whose bootloader listens for one to two seconds and swallows what it hears
/// (Arduino documentation, "automatic reset"): a board that has said nothing at all is asked once more after this time, ms.
const RESTART_MS: f64 = 1500.0;
/// How often the answer is looked for.
const READ_SLICE: Duration = Duration::from_millis(10);
/// As much may wait unread when a question or a command is sent: seconds of a board's chatter at 9600 baud.
const OVERHEARD_BYTES_MAX: usize = 4096;
/// Question and longest answer: eight lines of an LCUS board.
const DIALOGUE_BYTES: f64 = 120.0;
/// An error shows so much of what was heard.
const SHOWN_BYTES: usize = 64;

/// How long an answer may take on a line of `baud` bits a second, ms.
pub(super) fn answer_timeout_ms(baud: u32) -> f64 {
    ANSWER_TIMEOUT_MS + DIALOGUE_BYTES * codec::byte_ms(baud)
}

/// A serial port that questions can be asked on.
pub(super) struct Line {
    pub(super) port: Box<dyn SerialPort>,
    pub(super) path: String,
    pub(super) clock: Arc<dyn Clock>,
    pub(super) ear: Ear,
    /// What came of the answer to a call that is not waited for.
    kept: Option<Kept>,
}

impl Line {
    /// A line on which nothing was asked yet.
    pub(super) fn new(port: Box<dyn SerialPort>, path: &str, clock: Arc<dyn Clock>, ear: Ear) -> Self {
        Self { port, path: path.into(), clock, ear, kept: None }
    }

    /// Sends a question and reads until `found` gives something or the time is over; then what was heard instead.
    pub(super) fn ask<T>(
        &mut self,
        question: &[u8],
        timeout_ms: f64,
        mut found: impl FnMut(&[u8]) -> Option<T>,
    ) -> Result<Result<T, Vec<u8>>, RelayError> {
        // What came unasked is no answer.
        self.overhear().map_err(|source| self.read_error(source))?;
        self.ear.ask();
        self.write(question)?;
        let due = self.clock.now().plus_ms(timeout_ms);
        let mut heard = Vec::new();
        let mut ear = self.ear.clone();
        let answer = self.read_until(due, |bytes| ear.find(&mut heard, bytes, &mut found));
        self.ear = ear;
        Ok(answer?.ok_or(heard))
    }

    /// What has come and was asked for by nobody; at most a buffer of it.
    pub(super) fn waiting(&mut self) -> Result<Vec<u8>, RelayError> {
        let mut buffer = [0; 256];
        let waiting = self.port.bytes_to_read().map_err(|source| self.read_error(source.into()))? as usize;
        if waiting == 0 {
            return Ok(Vec::new());
        }
        match self.port.read(&mut buffer[..waiting.min(256)]) {
            Ok(count) => Ok(buffer[..count].to_vec()),
            Err(e) if is_passing(&e) => Ok(Vec::new()),
            Err(e) => Err(self.read_error(e)),
        }
    }

    /// Takes what has come while no question was open, so that it fills no buffer; never waits.
    fn overhear(&mut self) -> std::io::Result<()> {
        let mut buffer = [0; 256];
        for _ in 0..OVERHEARD_BYTES_MAX / buffer.len() {
            let waiting = self.port.bytes_to_read()? as usize;
            if waiting == 0 {
                return Ok(());
            }
            match self.port.read(&mut buffer[..waiting.min(256)]) {
                Ok(count) => match &mut self.kept {
                    Some(kept) => kept.hear(&mut self.ear, &buffer[..count]),
                    None => self.ear.overhear(&buffer[..count]),
                },
                Err(e) if is_passing(&e) => {}
                Err(e) => return Err(e),
            }
        }
        self.ear.lose_track();
        Ok(self.port.clear(ClearBuffer::Input)?)
    }

    /// Hears on until nothing has come for `quiet_ms`: what is cut off could pass for something shorter.
    pub(super) fn hear_out(&mut self, heard: &mut Vec<u8>, quiet_ms: f64) -> Result<(), RelayError> {
        let mut before = 0;
        while heard.len() > before && heard.len() < ANSWER_BYTES_MAX {
            before = heard.len();
            let due = self.clock.now().plus_ms(quiet_ms);
            self.read_until(due, |bytes| {
                heard.extend_from_slice(bytes);
                None::<()>
            })?;
        }
        Ok(())
    }

    fn write(&mut self, bytes: &[u8]) -> Result<(), RelayError> {
        let written = self.port.write_all(bytes);
        written.map_err(|source| RelayError::Write { path: self.path.clone(), source })
    }

    /// Reads until `found` gives something or the time is over.
    fn read_until<T>(
        &mut self,
        due: HostTime,
        mut found: impl FnMut(&[u8]) -> Option<T>,
    ) -> Result<Option<T>, RelayError> {
        let mut buffer = [0; 64];
        let mut total = 0;
        while self.clock.now() < due && total < ANSWER_BYTES_MAX {
            let waiting = self.port.bytes_to_read().map(|n| n as usize);
            let count = match waiting {
                Ok(0) => {
                    let slice = self.clock.now() + READ_SLICE;
                    self.clock.sleep_until(slice.min(due));
                    continue;
                }
                Ok(n) => self.port.read(&mut buffer[..n.min(64)]),
                Err(e) => Err(e.into()),
            };
            match count {
                Ok(n) => {
                    total += n;
                    if let Some(value) = found(&buffer[..n]) {
                        return Ok(Some(value));
                    }
                }
                Err(e) if is_passing(&e) => {}
                Err(source) => return Err(self.read_error(source)),
            }
        }
        Ok(None)
    }

    fn read_error(&self, source: Error) -> RelayError {
        RelayError::Read { path: self.path.clone(), source }
    }
}

fn is_passing(error: &Error) -> bool {
    matches!(error.kind(), ErrorKind::TimedOut | ErrorKind::Interrupted | ErrorKind::WouldBlock)
}

/// What was heard, printable; a late line end of an earlier answer is nothing.
pub(super) fn shown(heard: &[u8]) -> String {
    let heard = heard.trim_ascii();
    heard[..heard.len().min(SHOWN_BYTES)].escape_ascii().to_string()
}

/// A connected board.
pub struct SerialBoard {
    line: Line,
    baud: u32,
    codec: Box<dyn Codec>,
    verify: bool,
    /// Which of its questions the board answered last.
    question: Option<usize>,
    /// What it was told last; `None` if nobody knows what it holds.
    told: Option<RelayMask>,
    /// The rest of a command that a failed write cut in two.
    unsent: Vec<u8>,
    /// When the board's answer to the last command is over.
    free_at: HostTime,
    /// Calls while no command is due.
    calling: Calling,
}

impl SerialBoard {
    /// Opens the port for this program alone and, with `verify`, waits until the board answers.
    ///
    /// # Errors
    /// When there is no such port, it is not ours, it is in use, or no such board answers on it.
    pub fn open(
        path: &str,
        baud: u32,
        verify: bool,
        codec: Box<dyn Codec>,
        clock: Arc<dyn Clock>,
    ) -> Result<Self, RelayError> {
        let port = open_port(path, baud)?;
        // Where the first answer is asked for by `find`, it has a shape that the rest of no other line has.
        let ear = if codec.speaks_in_lines() { Ear::lines(verify) } else { Ear::bytes() };
        let line = Line::new(port, path, clock, ear);
        let free_at = HostTime(i64::MIN);
        let mut board = Self {
            line,
            baud,
            codec,
            verify,
            question: None,
            told: None,
            unsent: Vec::new(),
            free_at,
            calling: Calling::default(),
        };
        if verify {
            board.find(true)?;
        } else {
            let started = board.line.clock.now().plus_ms(board.codec.boot_ms());
            board.line.clock.sleep_until(started);
        }
        let greeting = board.codec.greeting();
        board.send(&greeting)?;
        Ok(board)
    }

    /// Asks in all its ways until the board answers; `None` from a board of a kind that need not. `may_restart`: the
    /// port was opened just now.
    fn find(&mut self, may_restart: bool) -> Result<Option<RelayMask>, RelayError> {
        let mut answer = self.ask_in_all_ways()?;
        // Firmata asks for as long as it takes by itself.
        let is_patient = may_restart && self.codec.boot_ms() == 0.0 && !self.codec.may_be_silent();
        if is_patient && answer.as_ref().is_err_and(|heard| shown(heard).is_empty()) {
            let started = self.line.clock.now().plus_ms(RESTART_MS);
            self.line.clock.sleep_until(started);
            answer = self.ask_in_all_ways()?;
        }
        let heard = match answer {
            Ok(mask) => return Ok(Some(mask)),
            Err(heard) => heard,
        };
        match self.no_answer(&heard) {
            RelayError::NoAnswer { path, board, .. } if self.codec.may_be_silent() => {
                tracing::warn!(
                    "the {board} on {path} does not answer, as many of its kind: whether it obeys is not known"
                );
                Ok(None)
            }
            error => Err(error),
        }
    }

    /// What it means that this was heard instead of an answer.
    fn no_answer(&self, heard: &[u8]) -> RelayError {
        let (path, baud, board) = (self.line.path.clone(), self.baud, self.codec.board());
        match shown(heard) {
            answer if answer.is_empty() => RelayError::NoAnswer { path, baud, board },
            answer => RelayError::WrongAnswer { path, baud, board, answer },
        }
    }

    /// The relays' state, or what was heard instead.
    fn ask_in_all_ways(&mut self) -> Result<Result<RelayMask, Vec<u8>>, RelayError> {
        let mut heard = Vec::new();
        for (number, question) in self.codec.questions().into_iter().enumerate() {
            if !question.before.is_empty() {
                // Its echo or complaint must not be taken for an answer.
                let quiet_ms = question.before.len() as f64 * codec::byte_ms(self.baud) + HALF_COMMAND_MS;
                let _ = self.line.ask(&question.before, quiet_ms, |_| None::<()>)?;
            }
            match self.ask(number, &question.bytes)? {
                Ok(mask) => {
                    self.question = Some(number);
                    return Ok(Ok(mask));
                }
                Err(other) => heard.extend(other),
            }
        }
        Ok(Err(heard))
    }

    fn ask(&mut self, number: usize, bytes: &[u8]) -> Result<Result<RelayMask, Vec<u8>>, RelayError> {
        self.finish_call()?;
        self.wait_until_free();
        let timeout_ms = answer_timeout_ms(self.baud);
        let Self { line, codec, .. } = self;
        line.ask(bytes, timeout_ms, |heard| codec.answer(number, heard))
    }

    /// Asks what only this board knows; see [`Line::ask`].
    ///
    /// # Errors
    /// When the port is gone, or no such answer comes.
    pub(super) fn question<T>(&mut self, bytes: &[u8], found: impl FnMut(&[u8]) -> Option<T>) -> Result<T, RelayError> {
        let timeout_ms = answer_timeout_ms(self.baud);
        let (path, baud, board) = (self.line.path.clone(), self.baud, self.codec.board());
        self.finish_call()?;
        self.line.ask(bytes, timeout_ms, found)?.map_err(|heard| match shown(&heard) {
            answer if answer.is_empty() => RelayError::NoAnswer { path, baud, board },
            answer => RelayError::WrongAnswer { path, baud, board, answer },
        })
    }

    /// Hands commands to the system.
    ///
    /// # Errors
    /// When the port is gone or takes no more bytes.
    pub(super) fn send(&mut self, commands: &[Vec<u8>]) -> Result<(), RelayError> {
        if commands.is_empty() {
            return Ok(());
        }
        self.wait_until_free();
        let rest = std::mem::take(&mut self.unsent);
        let mut pieces: Vec<&[u8]> = vec![&rest];
        pieces.extend(commands.iter().map(Vec::as_slice));
        let bytes = pieces.concat();
        let sent = write_some(self.line.port.as_mut(), &bytes);
        // Answers to earlier commands, which nobody reads, must not fill the buffers; but they must not hold up this one,
        // either. A lost port shows in the write.
        let _ = self.line.overhear();
        let wire_ms = bytes.len() as f64 * codec::byte_ms(self.baud);
        if self.codec.rest_ms() > 0.0 {
            self.free_at = self.line.clock.now().plus_ms(wire_ms + self.codec.rest_ms());
        }
        sent.map_err(|(count, source)| {
            self.unsent = rest_of(&pieces, count);
            RelayError::Write { path: self.line.path.clone(), source }
        })
    }

    fn wait_until_free(&self) {
        if self.line.clock.now() < self.free_at {
            self.line.clock.sleep_until(self.free_at);
        }
    }

    fn check_relays(&self, mask: RelayMask) -> Result<(), RelayError> {
        let capabilities = self.codec.capabilities();
        match capabilities.has(mask) {
            true => Ok(()),
            false => Err(RelayError::NoSuchRelay { board: self.name(), relays: capabilities.relays, mask }),
        }
    }
}

/// Writes everything, or says how much of it was taken.
fn write_some(port: &mut dyn SerialPort, bytes: &[u8]) -> Result<(), (usize, Error)> {
    let mut count = 0;
    while count < bytes.len() {
        match port.write(&bytes[count..]) {
            Ok(0) => return Err((count, ErrorKind::WriteZero.into())),
            Ok(n) => count += n,
            Err(e) if e.kind() == ErrorKind::Interrupted => {}
            Err(e) => return Err((count, e)),
        }
    }
    Ok(())
}

/// The rest of the piece in which `count` bytes end: the board waits for it, and would take the next command's first
/// bytes for it.
fn rest_of(pieces: &[&[u8]], mut count: usize) -> Vec<u8> {
    for (number, piece) in pieces.iter().enumerate() {
        if count < piece.len() {
            // The first piece is itself the rest of a command.
            return if count == 0 && number > 0 { Vec::new() } else { piece[count..].to_vec() };
        }
        count -= piece.len();
    }
    Vec::new()
}

impl RelayBoard for SerialBoard {
    fn set(&mut self, mask: RelayMask) -> Result<(), RelayError> {
        self.check_relays(mask)?;
        let commands = self.codec.encode(self.told.take(), mask);
        self.send(&commands)?;
        self.told = Some(mask);
        Ok(())
    }

    fn open_all(&mut self) -> Result<(), RelayError> {
        self.told = None;
        self.set(RelayMask(0))
    }

    fn capabilities(&self) -> Capabilities {
        let capabilities = self.codec.capabilities();
        Capabilities { reads_back: self.verify && self.question.is_some(), ..capabilities }
    }

    fn name(&self) -> String {
        format!("{} at {}", self.codec.board(), self.line.path)
    }

    fn start_calls(&mut self) -> Result<Option<KeepAlive>, RelayError> {
        self.begin_calls()
    }

    fn call(&mut self) -> Result<Health, RelayError> {
        self.call_again()
    }

    fn read_back(&mut self) -> Result<Option<RelayMask>, RelayError> {
        match self.read_back_once() {
            Err(RelayError::NoAnswer { .. } | RelayError::WrongAnswer { .. }) => self.find(false),
            other => other,
        }
    }

    fn read_back_once(&mut self) -> Result<Option<RelayMask>, RelayError> {
        let Some(number) = self.question.filter(|_| self.verify) else { return Ok(None) };
        let bytes = self.codec.questions().into_iter().nth(number).map(|question| question.bytes).unwrap_or_default();
        match self.ask(number, &bytes)? {
            Ok(mask) => Ok(Some(mask)),
            Err(heard) => Err(self.no_answer(&heard)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_cut_command_is_finished() {
        let pieces: [&[u8]; 3] = [&[], &[1, 2, 3], &[4, 5, 6]];
        for (count, rest) in [(0, vec![]), (1, vec![2, 3]), (3, vec![]), (5, vec![6]), (6, vec![])] {
            assert_eq!(rest_of(&pieces, count), rest, "{count}");
        }
        assert_eq!(rest_of(&[&[2, 3], &[4]], 0), [2, 3], "a rest that was not taken either still comes first");
    }
}
