//! Closing contacts: the boards, the thread that serves one, and the ways relays are opened when something goes wrong.
//!
//! A command passes [`Executor`] (one thread, absolute deadlines) and [`Gate`] (the last check, pure) to a
//! [`RelayBoard`]. [`SafetyNet`] opens the relays on a signal or a panic.

mod board;
pub mod boards;
mod codec;
mod executor;
mod gate;
mod hearing;
mod identify;
mod keep_alive;
mod lateness;
mod open;
mod plain;
mod port;
mod priority;
mod reopen;
mod safety;
mod serial;
mod spec;
mod stats;
mod watchdog;
mod wear;

pub use board::{Capabilities, HOST_TIMEOUT_MS, Health, KeepAlive, RelayBoard, RelayError, check_buttons};
pub use codec::{Codec, Guarding, Question};
pub use executor::{Executor, ExecutorHandle, Hold, Missing, Sent};
pub use gate::{Gate, Limits, Order, Reason};
pub use identify::{CandidatePort, candidate_ports, identify};
pub use keep_alive::Sign;
pub use lateness::Lateness;
pub use open::{codec_of, open};
pub use plain::{Both, NoBoard, RecordingBoard, Written};
pub use priority::{lock_memory, try_lock_memory};
pub(crate) use priority::{raise, raise_own_priority};
pub use reopen::{Reopen, Reopening, open_afresh, open_unasked};
#[cfg_attr(not(feature = "webcam"), allow(unused_imports))]
pub(crate) use safety::HARMLESS_THREAD;
pub use safety::{SafetyNet, StopCause, StopFlag};
pub use serial::SerialBoard;
pub use spec::{Adr2200Spec, KeysSpec, RelaySpec, SerialSpec};
pub use stats::{RelayStats, Spread};
pub use watchdog::{Cause, Entry, Heard, Journal, Link, Outcome, SUBCOMMAND as WATCHDOG, Say, Watch, Watchdog, watch};
pub use wear::{RATED_OPERATIONS, Wear, WearError, WearKeeper};
