//! The robot's side: starts a watchdog, and another whenever it dies, is stopped or falls silent.

use super::link::{Link, Post, Reply, Say};
use super::{NAME, SUBCOMMAND, identity};
use crate::edge::relay::{RelayError, RelaySpec, Reopening, raise};
use crate::time::Clock;
use crate::time::SystemClock;
use rustix::process::{Pid, Signal, WaitOptions, kill_process, waitpid};
use std::io::{Error, ErrorKind, IsTerminal, Read};
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

/// How often the keeper looks after its watchdog: one that is stopped together with the robot is not noticed.
const LOOK: Duration = Duration::from_millis(10);
/// A new watchdog must stand within this time.
const START_TIMEOUT: Duration = Duration::from_secs(5);
/// One that does not is tried again after this.
const AGAIN: Duration = Duration::from_millis(250);
/// One that was dismissed must end within this many looks.
const END_LOOKS: usize = 200;

/// Keeps a watchdog beside this process. Dropping it without [`Self::dismiss`] makes the watchdog open the relays.
pub struct Watchdog {
    post: Arc<Post>,
    clock: SystemClock,
    control: Arc<Control>,
    thread: Option<JoinHandle<()>>,
    path: Option<String>,
}

#[derive(Default)]
struct Control {
    end: Mutex<Option<End>>,
    wake: Condvar,
}

#[derive(Clone, Copy)]
enum End {
    Dismiss,
    Abandon,
}

impl Watchdog {
    /// Starts `program` (this one) as a watchdog for the board that `relay` names, and waits until it stands; before the
    /// board's port is opened, since it takes a descriptor of it. It looks for a port that is gone for as long as `patience`.
    ///
    /// # Errors
    /// When `relay` names no board, or no watchdog can be started.
    pub fn start(program: &Path, relay: &str, patience: Duration) -> Result<Self, RelayError> {
        let path = RelaySpec::parse(relay)?.port().map(String::from);
        let clock = SystemClock::new();
        let post = Arc::new(Post::default());
        if let Some(port) = path.as_deref().and_then(identity::spare) {
            post.give_port(port);
        }
        let failed = |source| RelayError::NoWatchdog { source };
        let recipe = Recipe { program: program.into(), relay: relay.into(), patience };
        let child = recipe.launch(&post, &clock).map_err(failed)?;
        let control = Arc::new(Control::default());
        let keeper = Keeper { recipe, child: Some(child), post: post.clone(), clock, control: control.clone() };
        let body = move || keeper.run();
        let thread = std::thread::Builder::new().name("watchdog keeper".into()).spawn(body).map_err(failed)?;
        Ok(Self { post, clock, control, thread: Some(thread), path })
    }

    /// For the thread that closes relays; from its first look on the watchdog opens them when that thread falls silent.
    pub fn link(&self) -> Link {
        Link::new(self.post.clone(), self.clock)
    }

    /// A board that was lost and is found again is handed to the watchdog, too.
    pub fn again(&self, reopening: Reopening) -> Reopening {
        let (post, path) = (self.post.clone(), self.path.clone());
        let Reopening { mut open, patience } = reopening;
        let open = move || {
            let port = path.as_deref().and_then(identity::spare);
            let board = open()?;
            if let Some(port) = port {
                post.give_port(port);
            }
            Ok(board)
        };
        Reopening { open: Box::new(open), patience }
    }

    /// The relays are open and nobody closes any more: the watchdog ends without touching the board.
    pub fn dismiss(mut self) {
        self.end(End::Dismiss);
    }

    fn end(&mut self, end: End) {
        *self.control.end.lock().unwrap_or_else(PoisonError::into_inner) = Some(end);
        self.control.wake.notify_all();
        if let Some(thread) = self.thread.take()
            && thread.join().is_err()
        {
            tracing::error!("the thread that keeps the watchdog panicked");
        }
    }
}

impl Drop for Watchdog {
    fn drop(&mut self) {
        if self.thread.is_some() {
            self.end(End::Abandon);
        }
    }
}

impl Control {
    fn wait(&self, timeout: Duration) -> Option<End> {
        let end = self.end.lock().unwrap_or_else(PoisonError::into_inner);
        let waited = self.wake.wait_timeout_while(end, timeout, |end| end.is_none());
        *waited.unwrap_or_else(PoisonError::into_inner).0
    }
}

/// How to start one.
struct Recipe {
    program: PathBuf,
    relay: String,
    patience: Duration,
}

impl Recipe {
    /// Starts one and waits until it stands.
    fn launch(&self, post: &Post, clock: &SystemClock) -> std::io::Result<Child> {
        let (mut ours, theirs) = UnixStream::pair()?;
        let mut command = Command::new(&self.program);
        command
            .args([SUBCOMMAND, &self.relay, &self.patience.as_secs().to_string()])
            .stdin(Stdio::from(OwnedFd::from(theirs)))
            .stdout(Stdio::null());
        // Whoever reads our errors through a pipe should not have to wait for the watchdog's end.
        if !std::io::stderr().is_terminal() {
            command.stderr(Stdio::null());
        }
        let mut child = command.spawn()?;
        // It holds the other end, whose closing shall tell us of the watchdog's end.
        drop(command);
        let stood = stands(&mut ours).and_then(|()| post.install(ours, clock.now()));
        if let Err(e) = stood {
            let _ = child.kill().and_then(|()| child.wait());
            return Err(e);
        }
        Ok(child)
    }
}

fn stands(line: &mut UnixStream) -> std::io::Result<()> {
    line.set_read_timeout(Some(START_TIMEOUT))?;
    let mut byte = [0];
    line.read_exact(&mut byte)?;
    match byte {
        [said] if said == Reply::Ready as u8 => Ok(()),
        _ => Err(Error::new(ErrorKind::InvalidData, format!("{NAME} said {byte:?} instead of being ready"))),
    }
}

struct Keeper {
    recipe: Recipe,
    /// `None` if it has been waited for.
    child: Option<Child>,
    post: Arc<Post>,
    clock: SystemClock,
    control: Arc<Control>,
}

impl Keeper {
    fn run(mut self) {
        // Whoever looks late finds two dead. Not vital where it is not allowed; the relays' thread has told of it.
        let _ = raise();
        let mut pause = LOOK;
        let mut has_failed = false;
        loop {
            if let Some(end) = self.control.wait(pause) {
                return self.end(end);
            }
            if self.stands() {
                continue;
            }
            match self.recipe.launch(&self.post, &self.clock) {
                Ok(child) => {
                    self.child = Some(child);
                    (pause, has_failed) = (LOOK, false);
                }
                Err(e) => {
                    if !std::mem::replace(&mut has_failed, true) {
                        tracing::error!("no new watchdog can be started ({e}); trying again, and pressing nothing");
                    }
                    pause = AGAIN;
                }
            }
        }
    }

    /// Whether the watchdog stands; what is left of one that does not is removed.
    fn stands(&mut self) -> bool {
        let Some(child) = &mut self.child else { return false };
        let Some(pid) = Pid::from_raw(child.id() as i32) else { return false };
        match waitpid(Some(pid), WaitOptions::NOHANG | WaitOptions::UNTRACED) {
            Ok(None) if self.post.stands() => return true,
            Ok(Some((_, status))) if !status.stopped() => {}
            // Silent, or stopped.
            Ok(_) => {
                let _ = child.kill().and_then(|()| child.wait());
            }
            Err(_) => {}
        }
        self.child = None;
        let _ = self.post.hang_up(None);
        false
    }

    fn end(mut self, end: End) {
        let last = match end {
            End::Dismiss => Some(Say::AllOpen),
            End::Abandon => None,
        };
        let told = self.post.hang_up(last);
        if let (End::Dismiss, Some(child)) = (end, self.child.take()) {
            if let Err(e) = told {
                tracing::warn!("the watchdog process was gone before the end: {e}");
            }
            reap(&child);
        }
    }
}

/// Waits for the end of one that was dismissed.
fn reap(child: &Child) {
    let Some(pid) = Pid::from_raw(child.id() as i32) else { return };
    let clock = SystemClock::new();
    for _ in 0..END_LOOKS {
        if !matches!(waitpid(Some(pid), WaitOptions::NOHANG), Ok(None)) {
            return;
        }
        clock.sleep_until(clock.now() + LOOK);
    }
    tracing::warn!("the watchdog process does not end; ending it");
    let _ = kill_process(pid, Signal::KILL);
}
