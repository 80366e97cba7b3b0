//! What the relays' thread and its watchdog tell each other, a byte at a time.

use crate::time::{Clock, HostTime, SystemClock};
use rustix::net::{SendAncillaryBuffer, SendAncillaryMessage, SendFlags, sendmsg};
use std::io::{ErrorKind, IoSlice, Read, Write};
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Each says so often that it lives, ms.
pub(super) const BEAT_MS: f64 = 100.0;
/// One that was silent for this long is stopped, hung or gone, ms.
pub(super) const SILENCE_MS: f64 = 1000.0;
/// A thread that last looked so long ago was stopped itself, or the computer is too busy to press in time, ms.
pub(super) const ASLEEP_MS: f64 = 500.0;
/// How often the relays' thread reads what its watchdog says, ms.
const LOOK_MS: f64 = 2.0;

/// What the robot says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub enum Say {
    /// The relays' thread runs; relays may be closed.
    Beat = b'.',
    /// All relays were told to open and none is closed any more; questions take their time.
    Quiet = b'q',
    /// All relays were told to open; the program will stand still because somebody stops it.
    Paused = b'p',
    /// The board is away, and is being looked for.
    Lost = b'l',
    /// A descriptor of the board's port comes with this.
    Port = b'f',
    /// All relays are open, and the watchdog may end.
    AllOpen = b'd',
}

impl Say {
    pub(super) fn of(byte: u8) -> Option<Self> {
        let all = [Self::Beat, Self::Quiet, Self::Paused, Self::Lost, Self::Port, Self::AllOpen];
        all.into_iter().find(|say| *say as u8 == byte)
    }
}

/// What the watchdog says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub(super) enum Reply {
    /// It stands, and no signal but KILL ends it any more.
    Ready = b'r',
    /// It lives.
    Beat = b'.',
    /// It is about to open the relays because the robot was silent.
    Fired = b'!',
}

/// What the relays' thread learns.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Heard {
    /// The watchdog stands.
    Well,
    /// This program stood still, and the watchdog may have opened the relays: what was planned is over.
    Interrupted,
    /// Nobody would open the relays if this program died now.
    Alone,
}

/// The robot's end of the line, between the relays' thread, which speaks, and the keeper, which starts watchdogs.
#[derive(Default)]
pub(super) struct Post {
    inner: Mutex<Inner>,
}

#[derive(Default)]
struct Inner {
    /// To a watchdog that stands.
    line: Option<UnixStream>,
    heard: HostTime,
    /// A descriptor of the board's port, for the next watchdog.
    port: Option<OwnedFd>,
}

impl Post {
    /// A watchdog stands at the other end.
    pub(super) fn install(&self, line: UnixStream, now: HostTime) -> std::io::Result<()> {
        line.set_nonblocking(true)?;
        let mut inner = self.lock();
        if let Some(port) = &inner.port {
            hand(&line, port)?;
        }
        inner.heard = now;
        inner.line = Some(line);
        Ok(())
    }

    /// The board's port was opened, or will be: whoever watches gets a way to it.
    pub(super) fn give_port(&self, port: OwnedFd) {
        let mut inner = self.lock();
        if let Some(line) = &inner.line
            && hand(line, &port).is_err()
        {
            inner.line = None;
        }
        inner.port = Some(port);
    }

    pub(super) fn stands(&self) -> bool {
        self.lock().line.is_some()
    }

    /// Says a last word, if there is one, and hangs up.
    pub(super) fn hang_up(&self, last: Option<Say>) -> std::io::Result<()> {
        let Some(mut line) = self.lock().line.take() else { return Ok(()) };
        let said = last.map_or(Ok(()), |say| line.write_all(&[say as u8]));
        said.and(line.shutdown(std::net::Shutdown::Both))
    }

    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Inner {
    /// What came since the last call; whether the watchdog said that it opens the relays.
    fn listen(&mut self, now: HostTime) -> bool {
        let mut has_fired = false;
        let mut buffer = [0; 64];
        while let Some(line) = &mut self.line {
            match line.read(&mut buffer) {
                Ok(0) => self.line = None,
                Ok(count) => {
                    self.heard = now;
                    has_fired |= buffer[..count].contains(&(Reply::Fired as u8));
                }
                Err(e) if e.kind() == ErrorKind::Interrupted => {}
                Err(e) if e.kind() == ErrorKind::WouldBlock => break,
                Err(_) => self.line = None,
            }
        }
        has_fired
    }

    fn say(&mut self, say: Say) {
        let Some(line) = &mut self.line else { return };
        match line.write(&[say as u8]) {
            // It reads nothing any more, and will be noticed by its silence.
            Err(e) if matches!(e.kind(), ErrorKind::WouldBlock | ErrorKind::Interrupted) => {}
            Err(_) => self.line = None,
            Ok(_) => {}
        }
    }
}

/// Hands over a descriptor.
fn hand(line: &UnixStream, port: &OwnedFd) -> std::io::Result<()> {
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(1))];
    let mut control = SendAncillaryBuffer::new(&mut space);
    let fds = [port.as_fd()];
    control.push(SendAncillaryMessage::ScmRights(&fds));
    sendmsg(line, &[IoSlice::new(&[Say::Port as u8])], &mut control, SendFlags::empty())?;
    Ok(())
}

/// The relays' thread's side. Only that thread may hold it: it vouches for itself.
pub struct Link {
    post: Arc<Post>,
    clock: SystemClock,
    /// When it looked last and what it learned.
    looked: Option<(HostTime, Heard)>,
    said: Option<(HostTime, Say)>,
}

impl Link {
    pub(super) fn new(post: Arc<Post>, clock: SystemClock) -> Self {
        Self { post, clock, looked: None, said: None }
    }

    /// Says how things stand, as often as the watchdog wants to hear it, and learns how the watchdog does. Never waits; to be
    /// called before each command, and every tenth of a second at least.
    pub fn look(&mut self, say: Say) -> Heard {
        let now = self.clock.now();
        let since_ms = self.looked.map_or(0.0, |(at, _)| now.ms_since(at));
        let is_news = self.said.is_none_or(|(_, said)| said != say);
        if let Some((_, heard)) = self.looked.filter(|_| since_ms < LOOK_MS && !is_news) {
            return if heard == Heard::Alone { Heard::Alone } else { Heard::Well };
        }
        let mut inner = self.post.lock();
        let was_asleep = since_ms > ASLEEP_MS;
        let has_fired = inner.listen(now);
        if was_asleep {
            // Whoever slept cannot call others silent.
            inner.heard = now;
        } else if now.ms_since(inner.heard) > SILENCE_MS {
            inner.line = None;
        }
        if is_news || self.said.is_none_or(|(at, _)| now.ms_since(at) >= BEAT_MS) {
            inner.say(say);
            self.said = Some((now, say));
        }
        if say == Say::Lost {
            // The system gives an adapter its old name back only when nobody holds it any more.
            inner.port = None;
        }
        let heard = match inner.line {
            None => Heard::Alone,
            Some(_) if was_asleep || has_fired => Heard::Interrupted,
            Some(_) => Heard::Well,
        };
        drop(inner);
        self.looked = Some((now, heard));
        heard
    }
}
