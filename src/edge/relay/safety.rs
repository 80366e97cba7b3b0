//! The relays open when the program is told to end or falls: SIGINT, SIGTERM, SIGHUP, and a panic in any thread; and
//! before it stands still (Ctrl-Z, and what stops a program that reads from or writes to a terminal in the background).
//!
//! The signal thread asks the executors itself, so the relays open even when the main thread hangs; if the program has
//! not ended two seconds later, it ends it. Nothing ends the program before it is said that relays may still be closed, if
//! they may.

use super::{ExecutorHandle, Hold, RelayError};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, Once, OnceLock, PoisonError};
use std::time::Duration;

/// How long the relays may take to open before the program goes on ending.
const OPEN_TIMEOUT: Duration = Duration::from_millis(500);
/// How long the board may take to say that they are, before it is told that they may be closed: one question.
const CONFIRM_TIMEOUT: Duration = Duration::from_millis(600);
/// How long the program may take to end by itself after a signal.
const GRACE: Duration = Duration::from_secs(2);
/// POSIX: the exit status of a program that a signal ended is 128 + its number.
const SIGNAL_EXIT: i32 = 128;
/// A panic in a thread of this name is waited for and dealt with by whoever started it, and is no reason to end.
pub(crate) const HARMLESS_THREAD: &str = "harmless";
/// SIGINT's number, which other systems' Ctrl-C is reported as.
#[cfg(not(unix))]
const INTERRUPT: i32 = 2;

/// Why the program should end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StopCause {
    /// A signal came; its number.
    Signal(i32),
    /// A thread panicked.
    Panic,
    /// The program itself decided so.
    Request,
}

impl StopCause {
    /// The exit status that tells the cause.
    pub fn exit_status(self) -> i32 {
        match self {
            Self::Signal(number) => SIGNAL_EXIT + number,
            Self::Panic => 101,
            Self::Request => 0,
        }
    }
}

/// Whether the program should end. Clones are the same flag; loops look at it once a picture.
#[derive(Debug, Clone, Default)]
pub struct StopFlag {
    cause: Arc<Mutex<Option<StopCause>>>,
}

impl StopFlag {
    /// Whether to end.
    pub fn is_set(&self) -> bool {
        self.cause().is_some()
    }

    /// Why to end; `None` as long as the program should run.
    pub fn cause(&self) -> Option<StopCause> {
        *self.lock()
    }

    /// Asks the program to end; the first cause stays.
    pub fn set(&self, cause: StopCause) {
        self.lock().get_or_insert(cause);
    }

    fn lock(&self) -> MutexGuard<'_, Option<StopCause>> {
        self.cause.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Opens relays on signals and panics, for as long as it lives. There is one a program.
pub struct SafetyNet {
    net: &'static Net,
}

#[derive(Default)]
struct Net {
    flag: StopFlag,
    watched: Mutex<Vec<ExecutorHandle>>,
    live: Mutex<usize>,
    ended: Condvar,
}

impl SafetyNet {
    /// Starts to watch for signals and panics.
    ///
    /// # Errors
    /// When the system gives no signal handler or no thread.
    pub fn install() -> Result<Self, RelayError> {
        static NET: OnceLock<Net> = OnceLock::new();
        static HOOK: Once = Once::new();
        static SIGNALS: Mutex<bool> = Mutex::new(false);
        let net = NET.get_or_init(Net::default);
        let mut watching = SIGNALS.lock().unwrap_or_else(PoisonError::into_inner);
        if !*watching {
            watch_signals(net).map_err(|source| RelayError::System { source })?;
            *watching = true;
        }
        HOOK.call_once(|| watch_panics(net));
        *net.live() += 1;
        Ok(Self { net })
    }

    /// The flag that the program's loops look at.
    pub fn stop_flag(&self) -> StopFlag {
        self.net.flag.clone()
    }

    /// Opens this executor's relays too when something happens.
    pub fn watch(&self, executor: ExecutorHandle) {
        self.net.watched.lock().unwrap_or_else(PoisonError::into_inner).push(executor);
    }
}

impl Drop for SafetyNet {
    fn drop(&mut self) {
        *self.net.live() -= 1;
        self.net.ended.notify_all();
    }
}

impl Net {
    fn live(&self) -> MutexGuard<'_, usize> {
        self.live.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Those that have ended well are closed boards', and nobody's any more.
    fn executors(&self) -> Vec<ExecutorHandle> {
        let mut watched = self.watched.lock().unwrap_or_else(PoisonError::into_inner);
        watched.retain(|executor| !executor.has_ended_well());
        watched.clone()
    }

    /// Nothing is pressed afterwards; each board is being asked whether its relays are open.
    fn open_relays(&self, hold: Hold) {
        for executor in self.executors() {
            if !executor.hold(hold, OPEN_TIMEOUT) {
                executor.tell_doubt(Duration::ZERO);
            }
        }
    }

    /// Waits for what the boards say, and tells if relays may be closed.
    fn tell_doubts(&self, timeout: Duration) {
        self.executors().iter().for_each(|executor| executor.tell_doubt(timeout));
    }

    /// Ctrl-Z and its like: the relays open before everything stands still. What is planned is stale afterwards, and dropped.
    #[cfg(unix)]
    fn on_pause(&self, number: i32) {
        self.open_relays(Hold::Pause);
        self.tell_doubts(CONFIRM_TIMEOUT);
        if let Err(e) = signal_hook::low_level::emulate_default_handler(number) {
            tracing::warn!("cannot pause: {e}");
        }
        self.on_continue();
    }

    /// Whatever stopped the program: what is planned is for another moment.
    #[cfg(unix)]
    fn on_continue(&self) {
        self.executors().iter().for_each(ExecutorHandle::go_on);
    }

    fn end(&self, number: i32) -> ! {
        self.tell_doubts(CONFIRM_TIMEOUT);
        std::process::exit(SIGNAL_EXIT + number)
    }

    /// What a signal does. A second one ends the program at once.
    fn on_signal(&'static self, number: i32) {
        let again = self.flag.is_set();
        self.flag.set(StopCause::Signal(number));
        self.open_relays(Hold::End);
        if again {
            self.end(number);
        }
        let reaper = std::thread::Builder::new().name("reaper".into()).spawn(move || {
            let waited = self.ended.wait_timeout_while(self.live(), GRACE, |live| *live > 0);
            let (live, _) = waited.unwrap_or_else(PoisonError::into_inner);
            if *live > 0 {
                tracing::error!("the program did not end in {GRACE:?}; ending it");
                self.end(number);
            }
        });
        if reaper.is_err() {
            self.end(number);
        }
    }
}

#[cfg(unix)]
fn watch_signals(net: &'static Net) -> std::io::Result<()> {
    use signal_hook::consts::{SIGCONT, SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGTSTP, SIGTTIN, SIGTTOU};
    let mut signals =
        signal_hook::iterator::Signals::new([SIGINT, SIGQUIT, SIGTERM, SIGTSTP, SIGTTIN, SIGTTOU, SIGCONT])?;
    // Who starts the program with `nohup` wants it to play on when the terminal goes.
    if !is_ignored(SIGHUP) {
        signals.add_signal(SIGHUP)?;
    }
    let body = move || {
        // On a busy computer, too, the relays open at once; the relays' thread tells where this is not allowed.
        let _ = super::raise();
        signals.forever().for_each(|number| match number {
            SIGTSTP | SIGTTIN | SIGTTOU => net.on_pause(number),
            SIGCONT => net.on_continue(),
            number => net.on_signal(number),
        });
    };
    std::thread::Builder::new().name("signals".into()).spawn(body).map(drop)
}

/// Whether whoever started this program had the signal ignored; false where that cannot be told.
#[cfg(unix)]
fn is_ignored(signal: i32) -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).is_some_and(|mask| mask >> (signal - 1) & 1 == 1)
}

#[cfg(not(unix))]
fn watch_signals(net: &'static Net) -> std::io::Result<()> {
    ctrlc::set_handler(move || net.on_signal(INTERRUPT)).map_err(std::io::Error::other)
}

fn watch_panics(net: &'static Net) {
    let before = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |info| {
        if std::thread::current().name() == Some(HARMLESS_THREAD) {
            return;
        }
        before(info);
        net.flag.set(StopCause::Panic);
        // The relays' own thread opens them as it unwinds; waiting for itself would only cost time.
        if std::thread::current().name() != Some("relays") {
            net.open_relays(Hold::End);
        }
    }));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_that_somebody_deals_with_is_no_reason_to_end() {
        let net = SafetyNet::install().unwrap();
        let thread = std::thread::Builder::new().name(HARMLESS_THREAD.into());
        let fallen = thread.spawn(|| panic!("a thread falls, as the test wants")).unwrap().join();
        assert!(fallen.is_err());
        assert_eq!(net.stop_flag().cause(), None);
    }
}
