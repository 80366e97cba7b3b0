//! How a watchdog reaches the board: through the descriptor that it was handed, which a stopped robot cannot withhold and
//! another device cannot take over; or, when that is dead, by the port's name, if the board that was known is there.

use super::Outcome;
use super::identity::{Identity, Likeness, renamed};
use crate::edge::relay::codec::{Codec, byte_ms};
use crate::edge::relay::serial::answer_timeout_ms;
use crate::edge::relay::{RelayError, RelaySpec, codec_of};
use crate::message::RelayMask;
use crate::time::{Clock, HostTime};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::termios::{QueueSelector, tcflush};
use std::fs::File;
use std::io::{Error, ErrorKind, Read, Write};
use std::os::fd::OwnedFd;
use std::sync::Arc;

/// The longest that the port may take no byte: then the line is dead, ms.
const WRITE_MS: f64 = 250.0;
/// The rest of a half command is not listened to, ms.
const HALF_COMMAND_MS: f64 = 20.0;
/// A device that was not the board is asked again after this, ms: boards that restart are deaf at first.
const STRANGER_MS: f64 = 5000.0;
/// The board's USB serial number is looked for at other ports this often, ms.
const RENAMED_MS: f64 = 250.0;
/// How often somebody else hears from us meanwhile.
const SLICE: Timespec = Timespec { tv_sec: 0, tv_nsec: 20_000_000 };
/// An answer longer than this is none.
const HEARD_MAX: usize = 1024;

/// A way to the board.
pub(super) struct Reach {
    spec: RelaySpec,
    clock: Arc<dyn Clock>,
    port: Option<File>,
    known: Option<Identity>,
    /// A device under the port's name that is not the board, and when that was found out.
    stranger: Option<(Node, HostTime)>,
    /// When other names were tried last.
    renamed_at: Option<HostTime>,
}

/// What is behind a path now: a file's number, a device's, and since when it is there: numbers are given away again.
type Node = (u64, u64, (i64, i64));

/// Called now and then while answers are waited for.
pub(super) type Pulse<'a> = &'a mut dyn FnMut();

impl Reach {
    pub(super) fn new(spec: &RelaySpec, clock: Arc<dyn Clock>) -> Self {
        Self { spec: spec.clone(), clock, port: None, known: None, stranger: None, renamed_at: None }
    }

    /// The robot has this port open.
    pub(super) fn take(&mut self, port: OwnedFd) {
        self.known = Identity::of(&port).or(self.known.take());
        self.port = Some(File::from(port));
    }

    /// The robot has lost the port; while we hold it, the system cannot give its name to the same adapter again.
    pub(super) fn let_go(&mut self) {
        self.port = None;
    }

    /// Lets go of a port whose device is gone.
    pub(super) fn check(&mut self) {
        if let Some(port) = &self.port
            && is_hung_up(port)
        {
            self.port = None;
        }
    }

    /// Tells the board to open all relays and asks whether they are; `quickly`: in one way, so that nobody has to wait long to
    /// hear that it is deaf.
    pub(super) fn open(&mut self, quickly: bool, pulse: Pulse<'_>) -> Outcome {
        if let (Some(port), Some((codec, baud, verify))) = (&self.port, language(&self.spec)) {
            let ways = if quickly { 1 } else { usize::MAX };
            let mut talk = Talk { port, codec: codec.as_ref(), baud, ways, clock: self.clock.as_ref(), pulse };
            match talk.open(verify) {
                Ok(outcome) => return outcome,
                // A line that takes no bytes is still the board's.
                Err(e) if e.kind() == ErrorKind::TimedOut => return Outcome::Unanswered,
                Err(_) => self.port = None,
            }
        }
        self.by_name()
    }

    /// Looks for the board under its port's name, and where its USB serial number is found.
    fn by_name(&mut self) -> Outcome {
        let mut found = self.under_its_own_name();
        if !matches!(found, Outcome::Gone | Outcome::Stranger | Outcome::Busy) {
            return found;
        }
        let now = self.clock.now();
        if self.renamed_at.is_some_and(|at| now.ms_since(at) < RENAMED_MS) {
            return found;
        }
        self.renamed_at = Some(now);
        let names = self.known.as_ref().map(Identity::other_names).unwrap_or_default();
        let specs: Vec<_> = names.iter().map(|name| renamed(&self.spec, name)).collect();
        for spec in specs {
            match self.at(&spec) {
                Outcome::Gone => {}
                outcome @ (Outcome::Stranger | Outcome::Busy) => found = outcome,
                outcome => return outcome,
            }
        }
        found
    }

    /// A device that is not the board is not asked again and again.
    fn under_its_own_name(&mut self) -> Outcome {
        let node = self.spec.port().and_then(node);
        let now = self.clock.now();
        if let Some((stranger, at)) = self.stranger
            && node == Some(stranger)
            && now.ms_since(at) < STRANGER_MS
        {
            return Outcome::Stranger;
        }
        let outcome = self.at(&self.spec);
        self.stranger = node.filter(|_| outcome == Outcome::Stranger).map(|node| (node, self.clock.now()));
        outcome
    }

    fn at(&self, spec: &RelaySpec) -> Outcome {
        let here = spec.port().and_then(Identity::at);
        let like = match (&self.known, &here) {
            (Some(known), Some(here)) => known.like(here),
            (_, None) if spec.port().is_some() => return Outcome::Gone,
            // The robot never had this port: its name is all that there is to go by.
            _ => Likeness::Same,
        };
        if like == Likeness::Other {
            return Outcome::Stranger;
        }
        match crate::edge::relay::open(spec, self.clock.clone()) {
            Ok(board) if like == Likeness::Same || board.capabilities().reads_back => self.tell(board, Outcome::Told),
            Ok(_) => Outcome::Stranger,
            Err(RelayError::Busy { .. }) => Outcome::Busy,
            Err(RelayError::NoAnswer { .. }) if like == Likeness::Same => {
                match crate::edge::relay::open_unasked(spec, self.clock.clone()) {
                    Ok(board) => self.tell(board, Outcome::Unanswered),
                    Err(_) => Outcome::Unanswered,
                }
            }
            // Keys can be released without their window.
            Err(error) if error.is_absence() => match crate::edge::relay::open_unasked(spec, self.clock.clone()) {
                Ok(board) => self.tell(board, Outcome::Told),
                Err(_) => Outcome::Gone,
            },
            Err(RelayError::NoAnswer { .. } | RelayError::WrongAnswer { .. }) => Outcome::Stranger,
            Err(_) => Outcome::Gone,
        }
    }

    /// Twice: the board may hold the beginning of a command that was cut off. `silent`: what it means that a board cannot be
    /// asked.
    fn tell(&self, mut board: Box<dyn crate::edge::relay::RelayBoard>, silent: Outcome) -> Outcome {
        let told = board.open_all().and_then(|()| board.open_all());
        match told.and_then(|()| board.read_back()) {
            Ok(Some(RelayMask(0))) => Outcome::Open,
            Ok(Some(_)) => Outcome::Closed,
            Ok(None) => silent,
            Err(_) => Outcome::Unanswered,
        }
    }
}

fn node(path: &str) -> Option<Node> {
    let stat = rustix::fs::stat(path).ok()?;
    Some((stat.st_ino as u64, stat.st_rdev as u64, (stat.st_ctime as i64, stat.st_ctime_nsec as i64)))
}

/// The language of a board on a serial line, its rate, and whether it is to be asked.
fn language(spec: &RelaySpec) -> Option<(Box<dyn Codec>, u32, bool)> {
    match spec {
        RelaySpec::Adr2200(adr) => {
            Some((Box::new(crate::edge::relay::boards::adr2200::Adr::new(adr)), adr.baud, adr.verify))
        }
        RelaySpec::Serial(serial) => Some((codec_of(serial), serial.baud, serial.verify)),
        _ => None,
    }
}

fn is_hung_up(port: &File) -> bool {
    let mut fds = [PollFd::new(port, PollFlags::empty())];
    let polled = poll(&mut fds, Some(&Timespec { tv_sec: 0, tv_nsec: 0 }));
    polled.is_ok() && fds[0].revents().intersects(PollFlags::HUP | PollFlags::ERR | PollFlags::NVAL)
}

/// Speaking with a board over a descriptor that never blocks.
struct Talk<'a> {
    port: &'a File,
    codec: &'a dyn Codec,
    baud: u32,
    /// In this many ways it is asked.
    ways: usize,
    clock: &'a dyn Clock,
    pulse: Pulse<'a>,
}

impl Talk<'_> {
    fn open(&mut self, verify: bool) -> std::io::Result<Outcome> {
        self.tell()?;
        if !verify {
            return Ok(Outcome::Told);
        }
        match self.ask()? {
            Some(RelayMask(0)) => return Ok(Outcome::Open),
            None if self.codec.may_be_silent() => return Ok(Outcome::Told),
            None => return Ok(Outcome::Unanswered),
            Some(_) => self.tell()?,
        }
        Ok(match self.ask()? {
            Some(RelayMask(0)) => Outcome::Open,
            _ => Outcome::Closed,
        })
    }

    /// Twice: the board may hold the beginning of a command that was cut off, which spoils the first.
    fn tell(&mut self) -> std::io::Result<()> {
        let bytes = self.codec.encode(None, RelayMask(0)).concat();
        for _ in 0..2 {
            self.write(&bytes)?;
            if self.codec.rest_ms() > 0.0 {
                let busy_ms = bytes.len() as f64 * byte_ms(self.baud) + self.codec.rest_ms();
                self.clock.sleep_until(self.clock.now().plus_ms(busy_ms));
            }
        }
        Ok(())
    }

    fn ask(&mut self) -> std::io::Result<Option<RelayMask>> {
        for (number, question) in self.codec.questions().into_iter().enumerate().take(self.ways) {
            if !question.before.is_empty() {
                self.write(&question.before)?;
                let quiet_ms = question.before.len() as f64 * byte_ms(self.baud) + HALF_COMMAND_MS;
                self.clock.sleep_until(self.clock.now().plus_ms(quiet_ms));
            }
            tcflush(self.port, QueueSelector::IFlush)?;
            self.write(&question.bytes)?;
            let due = self.clock.now().plus_ms(answer_timeout_ms(self.baud));
            if let Some(mask) = self.hear(number, due)? {
                return Ok(Some(mask));
            }
        }
        Ok(None)
    }

    fn hear(&mut self, question: usize, due: HostTime) -> std::io::Result<Option<RelayMask>> {
        let (mut heard, mut buffer) = (Vec::new(), [0; 64]);
        let mut port = self.port;
        while self.clock.now() < due && heard.len() < HEARD_MAX {
            match port.read(&mut buffer) {
                Ok(0) => return Err(ErrorKind::BrokenPipe.into()),
                Ok(count) => {
                    heard.extend_from_slice(&buffer[..count]);
                    if let Some(mask) = self.codec.answer(question, &heard) {
                        return Ok(Some(mask));
                    }
                }
                Err(e) => self.wait(e, PollFlags::IN)?,
            }
        }
        Ok(None)
    }

    fn write(&mut self, bytes: &[u8]) -> std::io::Result<()> {
        let due = self.clock.now().plus_ms(WRITE_MS);
        let (mut rest, mut port) = (bytes, self.port);
        while !rest.is_empty() {
            match port.write(rest) {
                Ok(count) => rest = &rest[count..],
                Err(e) => self.wait(e, PollFlags::OUT)?,
            }
            if !rest.is_empty() && self.clock.now() > due {
                return Err(ErrorKind::TimedOut.into());
            }
        }
        Ok(())
    }

    /// Waits a little if that is all that is wrong.
    fn wait(&mut self, error: Error, what: PollFlags) -> std::io::Result<()> {
        (self.pulse)();
        match error.kind() {
            ErrorKind::Interrupted => Ok(()),
            ErrorKind::WouldBlock => {
                let polled = poll(&mut [PollFd::new(self.port, what)], Some(&SLICE));
                polled.map(drop).or_else(|e| if e == rustix::io::Errno::INTR { Ok(()) } else { Err(e.into()) })
            }
            _ => Err(error),
        }
    }
}
