//! What a relay board is, and why it does not do what it is told.

use crate::edge::desktop::DesktopError;
use crate::game::Buttons;
use crate::message::RelayMask;
use crate::profile::calibration::Calibration;
use crate::profile::wire::Wire;
use std::time::Duration;
use thiserror::Error;

/// Why a board does not do what it is told.
#[derive(Debug, Error)]
pub enum RelayError {
    /// The text names no board.
    #[error(
        "{text:?} names no relay board: {problem}; use one of adr2200:/dev/ttyUSB0?baud=9600&address=0, lcus:PATH?relays=8, \
         kmtronic:PATH?relays=8, usbrly:PATH, numato:PATH?relays=8, conrad:PATH?address=1, modbus:PATH?slave=1&first=0, \
         firmata:PATH?pins=2-9&active=low, hid:SERIAL, keys:WINDOW, command:PROGRAM, sim, sim:lcus (or another protocol), none"
    )]
    Spec {
        /// As given.
        text: String,
        /// What is wrong with it.
        problem: String,
    },
    /// The text names a board, but says something wrong of it.
    #[error("{problem}, in the relay board {text:?}; `stackhand help boards` lists what each takes")]
    Detail {
        /// As given.
        text: String,
        /// What is wrong.
        problem: String,
    },
    /// The simulated board was asked for where only real ones are.
    #[error(
        "`sim` is part of the simulated table and closes no real contact; use `stackhand dry-run`, or name a board's port"
    )]
    Simulated,
    /// No such port.
    #[error(
        "there is no port {path} (ports found: {found}); plug in the cable, then look for the port with `ls /dev/tty*`"
    )]
    PortMissing {
        /// As given.
        path: String,
        /// What the system lists, or "none".
        found: String,
    },
    /// The port belongs to others.
    #[error(
        "no permission to use {path}; add yourself to its group (`sudo usermod -aG dialout $USER`), then log in again"
    )]
    Permission {
        /// The port.
        path: String,
    },
    /// Another program holds the port.
    #[error("{path} is in use by {holder}; end that program, then start again")]
    Busy {
        /// The port.
        path: String,
        /// Which program, where known.
        holder: String,
    },
    /// The path leads to something that is no serial port.
    #[error("{path} is {what}, not a serial port; name the port itself, such as /dev/ttyUSB0")]
    NotAPort {
        /// As given.
        path: String,
        /// What it is.
        what: &'static str,
    },
    /// The port is there but does not open.
    #[error("cannot open {path}; unplug the adapter, plug it in again, then retry")]
    Open {
        /// The port.
        path: String,
        /// Why.
        source: serialport::Error,
    },
    /// A file, or another device.
    #[error("{path} is no serial port; `stackhand doctor` lists those there are")]
    NoPort {
        /// As given.
        path: String,
    },
    /// The port runs at another rate.
    #[error("{path} runs at {got} baud although {asked} was asked for; choose a rate that the adapter can do")]
    Baud {
        /// The port.
        path: String,
        /// Wanted.
        asked: u32,
        /// Read back.
        got: u32,
    },
    /// Nothing came back.
    #[error(
        "the {board} on {path} does not answer; check its power, the cable (does it need a null-modem adapter?), the rate ({baud} baud) and its address or slave number; \
         if only the transmit wire is connected, add `verify=no`"
    )]
    NoAnswer {
        /// The port.
        path: String,
        /// The rate in use.
        baud: u32,
        /// What was asked for, with its address.
        board: String,
    },
    /// Something came back that this board does not say.
    #[error(
        "what answers on {path} is no {board} (it said {answer:?}); check that this is the right port, the right protocol and the right rate ({baud} baud)"
    )]
    WrongAnswer {
        /// The port.
        path: String,
        /// What came, printable.
        answer: String,
        /// The rate in use.
        baud: u32,
        /// What was asked for.
        board: String,
    },
    /// Something is on the port, and no board that is known.
    #[error(
        "the device on {path} is no relay board that is known (it said {answer:?}); choose another port, or name the board yourself with --relay"
    )]
    Stranger {
        /// The port.
        path: String,
        /// What came, printable.
        answer: String,
    },
    /// A mask names a relay that is not there.
    #[error(
        "the {board} has {relays} relays, but relays {:08b} (K7 first) shall close; correct the relay numbers under [buttons] in the calibration file, or `relays=` in --relay", mask.0
    )]
    NoSuchRelay {
        /// The board's name.
        board: String,
        /// How many relays it has.
        relays: u8,
        /// What was to be set.
        mask: RelayMask,
    },
    /// The program was built without HID boards.
    #[error("this program was built without HID boards; build it with `cargo build --release --features hid`")]
    NoHid,
    /// No HID board, or not that one.
    #[error(
        "there is no HID relay board {serial:?} (found: {found}); plug it in, and allow access to 16c0:05df with a udev rule if it is there"
    )]
    HidMissing {
        /// The serial number asked for; empty for any.
        serial: String,
        /// Serial numbers found, or "none".
        found: String,
    },
    /// A HID board refused.
    #[error(
        "lost the HID relay board ({problem}); check its cable, release the buttons by hand if relays still hold, then start again"
    )]
    Hid {
        /// What the system says.
        problem: String,
    },
    /// Keys of this computer cannot be pressed.
    #[error(transparent)]
    Desktop(#[from] DesktopError),
    /// A program that presses did not start, or has ended.
    #[error(
        "the program `{name}`, which shall press, does not take its lines; start it by hand and type `press left`, then `release left`"
    )]
    Command {
        /// With its arguments.
        name: String,
        /// Why.
        source: std::io::Error,
    },
    /// A profile that would run a program.
    #[error(
        "the profile's board is not used, because it would run a program; if you trust it, give it yourself: --relay \"{text}\""
    )]
    ProfileCommand {
        /// As it stands there.
        text: String,
    },
    /// A write failed: the relays' state is unknown.
    #[error(
        "lost the relay board on {path} while writing; check its cable and power, release the buttons by hand if relays still hold, then start again"
    )]
    Write {
        /// The port.
        path: String,
        /// Why.
        source: std::io::Error,
    },
    /// A read failed.
    #[error("lost the relay board on {path} while reading; check its cable and power, then start again")]
    Read {
        /// The port.
        path: String,
        /// Why.
        source: std::io::Error,
    },
    /// The relays read back other than they were set.
    #[error(
        "the relay board {board} reports relays {got:08b} closed (K7 first) after it was told to open all; switch off its power, then check the board"
    )]
    StillClosed {
        /// The board's name.
        board: String,
        /// What it reports.
        got: u8,
    },
    /// The board answered, and does not any more.
    #[error(
        "the relay board {board} does not answer any more (for {ms} ms): it may hold relays closed; pull its supply or the pad's plug if a button stays down, then check its power and cable"
    )]
    Silent {
        /// The board's name.
        board: String,
        /// For how long.
        ms: u64,
    },
    /// The board guards itself and had to.
    #[error(
        "the relay board {board} has opened all relays by itself {times} times because it heard nothing for {HOST_TIMEOUT_MS} ms; end other programs that keep the computer busy, or use another USB port"
    )]
    OpenedItself {
        /// The board's name.
        board: String,
        /// How often since it was last asked.
        times: u16,
    },
    /// The board holds other relays closed than it was told.
    #[error(
        "the relay board {board} reports relays {got:08b} closed (K7 first) although it was told otherwise; check its power and cable: bytes get lost, or it was restarted"
    )]
    Disagrees {
        /// The board's name.
        board: String,
        /// What it reports.
        got: u8,
    },
    /// No second process would open the relays.
    #[error(
        "the watchdog process, which opens the relays when this program dies, does not stand; close other programs, then start again"
    )]
    NoWatchdog {
        /// Why.
        source: std::io::Error,
    },
    /// The executor is not running any more.
    #[error(
        "the relay executor has stopped and takes no more commands; look for the first error above, then start again"
    )]
    Stopped,
    /// A schedule longer than any plan.
    #[error("a schedule of {count} commands is longer than the {limit} a plan may have; send shorter plans")]
    TooMany {
        /// Commands given.
        count: usize,
        /// Commands allowed.
        limit: usize,
    },
    /// The system gave no thread, no signal handler or no pseudo-terminal.
    #[error(
        "the system gives no thread, signal handler or pseudo-terminal for the relays; close other programs, then start again"
    )]
    System {
        /// Why.
        source: std::io::Error,
    },
}

impl RelayError {
    /// Whether the board itself is well, and what it presses is away: it goes on by itself when that is back.
    pub fn is_absence(&self) -> bool {
        matches!(self, Self::Desktop(error) if error.passes())
    }
}

/// A relay board. Its first verb is "set this mask".
pub trait RelayBoard: Send {
    /// Sets all relays at once. Returns when the bytes are handed to the system; never waits for an answer.
    ///
    /// # Errors
    /// When the port is gone or refuses.
    fn set(&mut self, mask: RelayMask) -> Result<(), RelayError>;

    /// Tells every relay to open, whatever was told before: for the start, the end, and after any doubt. On boards without
    /// a chord command this takes a command a relay.
    ///
    /// # Errors
    /// As [`Self::set`].
    fn open_all(&mut self) -> Result<(), RelayError> {
        self.set(RelayMask(0))
    }

    /// What the board can do.
    fn capabilities(&self) -> Capabilities;

    /// How long the bytes of one `set` are on the wire, at worst.
    fn wire_time(&self) -> Duration {
        let Capabilities { relays, wire, .. } = self.capabilities();
        duration(wire.longest_ms(u32::from(relays)))
    }

    /// How long the bytes of one change are on the wire.
    fn transition_time(&self, from: RelayMask, to: RelayMask) -> Duration {
        duration(self.capabilities().wire.ms(from, to))
    }

    /// What to call the board in messages.
    fn name(&self) -> String;

    /// Asks the board which relays it holds closed; `None` if it cannot tell. Waits for the answer, so never call it
    /// while presses are due.
    ///
    /// # Errors
    /// When the port is gone, or the board should answer and does not.
    fn read_back(&mut self) -> Result<Option<RelayMask>, RelayError>;

    /// Whether what is pressed now would arrive at the game, where the board can tell.
    ///
    /// # Errors
    /// When it would not; see [`RelayError::is_absence`].
    fn check_reach(&mut self) -> Result<(), RelayError> {
        Ok(())
    }

    /// How the board wants to be called while no command is due, from now on: one that can guard itself is told to. Waits
    /// for an answer. `None` if it needs no calls and answers none.
    ///
    /// # Errors
    /// When the port is gone, or the board should answer and does not.
    fn start_calls(&mut self) -> Result<Option<KeepAlive>, RelayError> {
        Ok(None)
    }

    /// Calls the board, and says what it said to the call before; never waits for an answer.
    ///
    /// # Errors
    /// When the port is gone.
    fn call(&mut self) -> Result<Health, RelayError> {
        Ok(Health::Well)
    }

    /// The same, but asks only once: for whoever has no time to wait for a deaf board.
    ///
    /// # Errors
    /// As [`Self::read_back`].
    fn read_back_once(&mut self) -> Result<Option<RelayMask>, RelayError> {
        self.read_back()
    }
}

/// What a board can do.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Capabilities {
    /// How many relays it has, 1–8; K0 is its first.
    pub relays: u8,
    /// Its commands, and their time on the wire.
    pub wire: Wire,
    /// Whether it says which relays are closed.
    pub reads_back: bool,
}

impl Capabilities {
    /// Whether it has all these relays.
    pub fn has(&self, mask: RelayMask) -> bool {
        u32::from(self.relays) + mask.0.leading_zeros() >= 8
    }
}

/// Whether a board has the relays of all buttons that a robot presses, before a game depends on it.
///
/// # Errors
/// When it has too few.
pub fn check_buttons(board: &dyn RelayBoard, calibration: &Calibration) -> Result<(), RelayError> {
    let pressed = Buttons::LEFT | Buttons::RIGHT | Buttons::DOWN | Buttons::START | Buttons::A | Buttons::B;
    let (capabilities, mask) = (board.capabilities(), calibration.relays(pressed));
    match capabilities.has(mask) {
        true => Ok(()),
        false => Err(RelayError::NoSuchRelay { board: board.name(), relays: capabilities.relays, mask }),
    }
}

/// Ms as a duration; none below 0.
pub(super) fn duration(ms: f64) -> Duration {
    Duration::from_secs_f64(ms.max(0.0) / 1000.0)
}

/// A board that guards itself opens all relays when it has heard nothing for this long, ms. Four of the times between two
/// calls that keep it from that, and within the 1.3 s in which relays shall be open whatever has died.
pub const HOST_TIMEOUT_MS: u32 = 1000;

/// How a board wants to be called.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct KeepAlive {
    /// From one call to the next.
    pub every: Duration,
    /// How long call and answer take: no command may be due in that time.
    pub takes: Duration,
    /// Whether the board opens all relays when it hears nothing, and so has to be called while some are closed, too.
    pub guards_itself: bool,
}

/// What a board's answers to the calls so far say of it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Health {
    /// It answers, or is not yet late, and holds what it was told.
    Well,
    /// It has opened all relays by itself this often since the last call, because it heard nothing for too long.
    OpenedItself(u16),
    /// It holds these relays closed although it was told otherwise.
    Disagrees(RelayMask),
    /// It has not answered for this long, ms.
    Silent(f64),
}
