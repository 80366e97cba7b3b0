//! A second process that opens the relays when this one is killed, stopped, swapped out or hangs: no board that one can
//! buy opens them by itself.
//!
//! Both watch each other over a socket. The thread that closes relays says every tenth of a second that it runs; nobody
//! else can say so for it. The watchdog says the same in return, and when it is gone, stopped or silent, the robot opens the
//! relays, presses nothing, and starts another. Before the port is opened, the watchdog gets a descriptor of it: with that
//! it reaches the board although a stopped robot still holds the port, and although another device took the port's name.
//!
//! Where there are no such sockets (Windows), the watchdog sees the robot's end only; see `pipe.rs`.

#[cfg(unix)]
mod identity;
mod journal;
#[cfg(unix)]
mod keeper;
#[cfg(unix)]
mod life;
#[cfg(unix)]
mod link;
#[cfg(not(unix))]
mod pipe;
#[cfg(unix)]
mod reach;

pub use journal::{Cause, Entry, Journal, Outcome};
#[cfg(unix)]
pub use keeper::Watchdog;
#[cfg(unix)]
pub use life::watch;
#[cfg(unix)]
pub use link::{Heard, Link, Say};
#[cfg(not(unix))]
pub use pipe::{Heard, Link, Say, Watchdog, watch};

/// The hidden subcommand.
pub const SUBCOMMAND: &str = "__watchdog";
/// What the process calls itself, so that `pkill -9 stackhand` does not kill it too.
const NAME: &str = "relay-watchdog";

/// What a watchdog did.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Watch {
    /// It was dismissed.
    Dismissed,
    /// The other process was gone: what became of the relays, and so long after, ms.
    Ended {
        /// What became of them.
        outcome: Outcome,
        /// See above.
        after_ms: f64,
    },
}

/// Where the system allows it; nothing depends on it.
fn rename_self() {
    if cfg!(target_os = "linux") {
        let _ = std::fs::write("/proc/self/comm", NAME);
    }
}
