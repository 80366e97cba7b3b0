//! A watchdog's life: it listens, and opens the relays when the robot falls silent or is gone.

use super::journal::{Cause, Journal, Outcome};
use super::link::{ASLEEP_MS, BEAT_MS, Reply, SILENCE_MS, Say};
use super::reach::Reach;
use super::{Watch, rename_self};
use crate::edge::relay::{RelayError, RelaySpec, raise, try_lock_memory};
use crate::time::{Clock, HostTime};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::net::{RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, recvmsg};
use std::io::{IoSliceMut, Write};
use std::mem::MaybeUninit;
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// How often it looks around when nothing comes.
const ROUND: Timespec = Timespec { tv_sec: 0, tv_nsec: 40_000_000 };
/// Questions, and the search for a lost board, may keep the relays' thread for this long, ms; nothing is closed meanwhile as
/// far as the board can be reached.
const QUIET_MS: f64 = 5000.0;
/// Whoever tells the watchdog to end tells the robot, too, and kills both a little later: then this much silence is enough, ms.
const HURRY_MS: f64 = 400.0;
/// While the robot is silent, the relays are looked at again this often, ms.
const AGAIN_MS: f64 = 500.0;
/// A port that is gone is looked for this often, ms: the system may close the pipe before the port.
const RETRY_MS: f64 = 5.0;
/// The same, later.
const LATER_MS: f64 = 40.0;
/// A board that does not answer is asked this often, ms.
const ASK_AGAIN_MS: f64 = 500.0;
/// A port that somebody holds for this long belongs to another program by now, which opens the relays when it starts; and a
/// board that was deaf for this long can only be helped by hand, ms.
const GIVE_UP_MS: f64 = 10_000.0;

/// Waits at the robot's `line` until the robot is gone, and opens the relays of `spec` whenever it has to. `name` is the
/// board's name on the command line. A port that is gone is looked for during `patience`.
///
/// # Errors
/// When the system lets us not even listen.
pub fn watch(
    line: OwnedFd,
    name: &str,
    spec: &RelaySpec,
    patience: Duration,
    clock: Arc<dyn Clock>,
) -> Result<Watch, RelayError> {
    let failed = |source: std::io::Error| RelayError::NoWatchdog { source };
    let told_to_end = outlive().map_err(failed)?;
    rename_self();
    // Neither is vital: an ordinary process opens relays, too.
    let _ = raise().map_err(|e| e.to_string()).and_then(|()| try_lock_memory());
    let line = UnixStream::from(line);
    line.set_nonblocking(true).map_err(failed)?;
    let now = clock.now();
    let mut dog = Dog {
        line,
        name: name.into(),
        reach: Reach::new(spec, clock.clone()),
        journal: Journal::default(),
        clock,
        heard: None,
        round: now,
        spoke: now,
        fired: None,
        told_to_end,
    };
    dog.say(Reply::Ready);
    loop {
        match dog.listen() {
            Line::Open => dog.look(),
            Line::Dismissed => return Ok(Watch::Dismissed),
            Line::Cut => return Ok(dog.died(patience)),
        }
        dog.nap();
    }
}

/// A session of its own, which no terminal ends; and no signal that can be caught. The flag is set when somebody tries.
fn outlive() -> std::io::Result<Arc<AtomicBool>> {
    use signal_hook::consts as signal;
    // It fails for the leader of a group, which has one already.
    let _ = rustix::process::setsid();
    let told_to_end: Arc<AtomicBool> = Arc::default();
    for number in [signal::SIGTERM, signal::SIGINT, signal::SIGHUP] {
        signal_hook::flag::register(number, told_to_end.clone())?;
    }
    let deaf_to = [
        signal::SIGQUIT,
        signal::SIGTSTP,
        signal::SIGTTIN,
        signal::SIGTTOU,
        signal::SIGUSR1,
        signal::SIGUSR2,
        signal::SIGALRM,
        signal::SIGPIPE,
    ];
    for number in deaf_to {
        signal_hook::flag::register(number, Arc::default())?;
    }
    Ok(told_to_end)
}

/// What became of the line.
enum Line {
    Open,
    Dismissed,
    Cut,
}

struct Dog {
    line: UnixStream,
    name: String,
    reach: Reach,
    journal: Journal,
    clock: Arc<dyn Clock>,
    /// What the relays' thread said last, and when; `None` before it said anything.
    heard: Option<(HostTime, Say)>,
    /// The last round: a watchdog that was stopped itself cannot call others silent.
    round: HostTime,
    spoke: HostTime,
    /// The relays were opened because the robot is silent: when last, and what came of it.
    fired: Option<(HostTime, Outcome)>,
    /// Somebody ends a whole service: a robot that still does not stir will be killed soon, and so shall we.
    told_to_end: Arc<AtomicBool>,
}

impl Dog {
    fn say(&mut self, reply: Reply) {
        say(&mut self.line, reply);
        self.spoke = self.clock.now();
    }

    /// Takes all that was said.
    fn listen(&mut self) -> Line {
        let mut buffer = [0; 64];
        loop {
            let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(4))];
            let mut control = RecvAncillaryBuffer::new(&mut space);
            let mut parts = [IoSliceMut::new(&mut buffer)];
            let got = recvmsg(&self.line, &mut parts, &mut control, RecvFlags::CMSG_CLOEXEC);
            for message in control.drain() {
                if let RecvAncillaryMessage::ScmRights(ports) = message {
                    ports.for_each(|port| self.reach.take(port));
                }
            }
            match got {
                Ok(message) if message.bytes > 0 => {
                    for &byte in &buffer[..message.bytes] {
                        if self.hear(byte) {
                            return Line::Dismissed;
                        }
                    }
                }
                Err(rustix::io::Errno::INTR) => {}
                Err(rustix::io::Errno::AGAIN) => return Line::Open,
                Ok(_) | Err(_) => return Line::Cut,
            }
        }
    }

    /// One word; whether it dismisses.
    fn hear(&mut self, byte: u8) -> bool {
        match Say::of(byte) {
            Some(Say::AllOpen) => return true,
            Some(Say::Port) | None => {}
            Some(say) => {
                if say == Say::Lost {
                    self.reach.let_go();
                }
                self.heard = Some((self.clock.now(), say));
                self.fired = None;
            }
        }
        false
    }

    fn look(&mut self) {
        let now = self.clock.now();
        if now.ms_since(self.round) > ASLEEP_MS
            && let Some((at, _)) = &mut self.heard
        {
            *at = now;
        }
        self.round = now;
        if now.ms_since(self.spoke) >= BEAT_MS {
            self.say(Reply::Beat);
        }
        self.reach.check();
        let limit_ms = match self.heard {
            Some((_, Say::Beat)) if self.told_to_end.load(Ordering::Relaxed) => HURRY_MS,
            Some((_, Say::Beat)) => SILENCE_MS,
            Some((_, Say::Quiet | Say::Lost)) => QUIET_MS,
            _ => return,
        };
        if let Some((at, _)) = self.heard
            && now.ms_since(at) >= limit_ms
            && self.fired.is_none_or(|(last, _)| now.ms_since(last) >= AGAIN_MS)
        {
            self.fire(at);
        }
        self.round = self.clock.now();
    }

    /// The robot has been silent since then.
    fn fire(&mut self, since: HostTime) {
        // First said, then done: a robot that goes on now must not press in between.
        self.say(Reply::Fired);
        let outcome = self.open(self.fired.is_none());
        let now = self.clock.now();
        if self.fired.is_none_or(|(_, before)| before != outcome) {
            self.journal.note(&self.name, Cause::Silent, outcome, now.ms_since(since));
        }
        self.fired = Some((now, outcome));
    }

    fn open(&mut self, quickly: bool) -> Outcome {
        let Self { reach, line, clock, spoke, .. } = self;
        reach.open(quickly, &mut || {
            let now = clock.now();
            if now.ms_since(*spoke) >= BEAT_MS {
                say(line, Reply::Beat);
                *spoke = now;
            }
        })
    }

    /// The robot is gone.
    fn died(&mut self, patience: Duration) -> Watch {
        let gone = self.clock.now();
        let mut told = None;
        let mut same_since = gone;
        loop {
            let outcome = self.open(told.is_none());
            let now = self.clock.now();
            let after_ms = now.ms_since(gone);
            // What is not over at once is told at once: somebody may have to pull a plug. A port that is just being closed by
            // the system is nothing to tell.
            let is_brief = matches!(outcome, Outcome::Gone | Outcome::Busy) && after_ms < SILENCE_MS;
            if told != Some(outcome) && !is_brief {
                self.journal.note(&self.name, Cause::Died, outcome, after_ms);
                (told, same_since) = (Some(outcome), now);
            }
            let limit_ms = match outcome {
                Outcome::Open | Outcome::Told => return Watch::Ended { outcome, after_ms },
                Outcome::Gone | Outcome::Stranger => patience.as_secs_f64() * 1000.0,
                Outcome::Busy | Outcome::Unanswered | Outcome::Closed => GIVE_UP_MS,
            };
            if now.ms_since(same_since) > limit_ms {
                return Watch::Ended { outcome, after_ms };
            }
            let pause_ms = match outcome {
                Outcome::Unanswered | Outcome::Closed => ASK_AGAIN_MS,
                _ if after_ms < SILENCE_MS => RETRY_MS,
                _ => LATER_MS,
            };
            self.clock.sleep_until(now.plus_ms(pause_ms));
        }
    }

    /// Until somebody speaks or the next round.
    fn nap(&self) {
        // A round that was cut short by a signal is only a shorter round.
        let _ = poll(&mut [PollFd::new(&self.line, PollFlags::IN)], Some(&ROUND));
    }
}

/// A robot that does not listen is noticed by its silence.
fn say(line: &mut UnixStream, reply: Reply) {
    let _ = line.write(&[reply as u8]);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::time::SystemClock;

    fn dog() -> (Dog, UnixStream) {
        let (ours, theirs) = UnixStream::pair().unwrap();
        theirs.set_nonblocking(true).unwrap();
        let clock: Arc<dyn Clock> = Arc::new(SystemClock::new());
        let now = clock.now();
        let dog = Dog {
            line: theirs,
            name: "none".into(),
            reach: Reach::new(&RelaySpec::None, clock.clone()),
            journal: Journal::in_folder(None),
            clock,
            heard: None,
            round: now,
            spoke: now,
            fired: None,
            told_to_end: Arc::default(),
        };
        (dog, ours)
    }

    #[test]
    fn only_the_word_dismisses() {
        for (said, expect) in
            [("d", "dismissed"), ("", "cut"), (".qpl?", "cut"), ("..f.", "cut"), ("...d", "dismissed")]
        {
            let (mut dog, mut robot) = dog();
            robot.write_all(said.as_bytes()).unwrap();
            drop(robot);
            let became = match dog.listen() {
                Line::Open => "open",
                Line::Dismissed => "dismissed",
                Line::Cut => "cut",
            };
            assert_eq!(became, expect, "{said:?}");
        }
    }

    #[test]
    fn silence_counts_from_the_first_beat_and_not_while_it_is_announced() {
        let (mut dog, mut robot) = dog();
        dog.look();
        assert!(dog.fired.is_none(), "a robot that has not begun");
        for (said, silent_ms, fires) in
            [(".", 900.0, false), (".", 1001.0, true), ("q", 1001.0, false), ("q", 5001.0, true), ("p", 1e9, false)]
        {
            robot.write_all(said.as_bytes()).unwrap();
            assert!(matches!(dog.listen(), Line::Open));
            assert!(dog.fired.is_none(), "it spoke again");
            if let Some((at, _)) = &mut dog.heard {
                *at = at.plus_ms(-silent_ms);
            }
            dog.look();
            assert_eq!(dog.fired.is_some(), fires, "{said} {silent_ms}");
        }
    }
}
