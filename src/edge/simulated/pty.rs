//! The simulated board on a pseudo-terminal: any program that can open a serial port can talk to it.
//!
//! A pseudo-terminal knows no baud rate, so the board's thread gives every byte its time on the wire itself.

use crate::edge::relay::{RelayError, raise_own_priority};
use crate::edge::simulated::line::Line;
use crate::message::RelayMask;
use crate::time::{Clock, HostTime};
use crate::twin::relay_board::{Device, DeviceSettings, Fault};
use serialport::{SerialPort, TTYPort};
use std::collections::VecDeque;
use std::io::{ErrorKind, Read, Write};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

/// How often the thread looks whether it should end.
const PATIENCE: Duration = Duration::from_millis(20);

/// A simulated board that listens on a pseudo-terminal until dropped.
pub struct PtyBoard {
    path: String,
    contacts: Contacts,
    stop: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

/// A view of a running board's contacts. Clones see the same board.
#[derive(Clone)]
pub struct Contacts {
    device: Arc<Mutex<Device>>,
    /// What the board says unasked, not yet on the wire.
    unasked: Arc<Mutex<Vec<u8>>>,
}

impl Contacts {
    /// Which contacts are closed at `at`; see [`Device::closed_at`].
    pub fn closed_at(&self, at: HostTime) -> RelayMask {
        self.lock().closed_at(at)
    }

    /// What a console that polls at `at` sees; see [`Device::polled_at`].
    pub fn polled_at(&self, at: HostTime) -> RelayMask {
        self.lock().polled_at(at)
    }

    /// Which relays were set last.
    pub fn coils(&self) -> RelayMask {
        self.lock().coils()
    }

    /// Breaks or mends the board.
    pub fn set_fault(&self, fault: Fault) {
        self.lock().set_fault(fault);
    }

    /// The board's power goes and comes: all relays open, all settings are forgotten.
    pub fn restart(&self) {
        self.lock().restart();
    }

    /// Applies a level to an input; see [`Device::set_input`].
    pub fn set_input(&self, input: u8, high: bool) {
        let said = self.lock().set_input(input, high);
        self.unasked.lock().unwrap_or_else(PoisonError::into_inner).extend(said);
    }

    fn take_unasked(&self) -> Vec<u8> {
        std::mem::take(&mut *self.unasked.lock().unwrap_or_else(PoisonError::into_inner))
    }

    fn lock(&self) -> MutexGuard<'_, Device> {
        self.device.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl PtyBoard {
    /// Opens a pseudo-terminal and puts a board of `baud` bits a second behind it.
    ///
    /// # Errors
    /// When the system gives no pseudo-terminal or no thread.
    pub fn start(clock: Arc<dyn Clock>, settings: DeviceSettings, baud: u32) -> Result<Self, RelayError> {
        let pair = TTYPort::pair().map_err(|e| RelayError::System { source: e.into() });
        let (board_end, program_end) = pair?;
        let path = program_end.name().unwrap_or_default();
        let contacts =
            Contacts { device: Arc::new(Mutex::new(Device::new(settings.clone()))), unasked: Arc::default() };
        let stop = Arc::new(AtomicBool::new(false));
        let worker = Worker {
            board_end,
            _program_end: program_end,
            contacts: contacts.clone(),
            stop: stop.clone(),
            clock,
            firmware_us: settings.firmware_us,
            incoming: Line::of(settings.protocol, baud),
            outgoing: Line::of(settings.protocol, baud),
            answers: VecDeque::new(),
        };
        let thread = std::thread::Builder::new()
            .name("simulated board".into())
            .spawn(move || worker.run())
            .map_err(|source| RelayError::System { source })?;
        Ok(Self { path, contacts, stop, thread: Some(thread) })
    }

    /// The path that a program opens as its serial port.
    pub fn path(&self) -> &str {
        &self.path
    }

    /// The contacts, to be polled by a console.
    pub fn contacts(&self) -> Contacts {
        self.contacts.clone()
    }
}

impl Drop for PtyBoard {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        if let Some(thread) = self.thread.take()
            && thread.join().is_err()
        {
            tracing::error!("the simulated board's thread panicked");
        }
    }
}

struct Worker {
    board_end: TTYPort,
    /// Kept open so that a program may come, go and come again.
    _program_end: TTYPort,
    contacts: Contacts,
    stop: Arc<AtomicBool>,
    clock: Arc<dyn Clock>,
    firmware_us: i64,
    incoming: Line,
    outgoing: Line,
    /// Bytes with the time at which their last bit arrives at the program.
    answers: VecDeque<(HostTime, u8)>,
}

impl Worker {
    fn run(mut self) {
        // Late reading would look like a slow wire.
        raise_own_priority();
        let mut buffer = [0; 64];
        while !self.stop.load(Ordering::Relaxed) {
            if self.board_end.set_timeout(self.patience()).is_err() {
                return;
            }
            match self.board_end.read(&mut buffer) {
                Ok(count) => self.take(&buffer[..count], self.clock.now()),
                Err(e) if matches!(e.kind(), ErrorKind::TimedOut | ErrorKind::Interrupted) => {}
                Err(e) => return tracing::error!("the simulated board lost its pseudo-terminal: {e}"),
            }
            self.contacts.lock().pass(self.clock.now());
            if let Err(e) = self.answer() {
                tracing::warn!("the simulated board cannot answer: {e}");
            }
        }
    }

    /// How long the next read may wait: until an answer is due, or until it is time to look at the stop flag.
    fn patience(&self) -> Duration {
        let until_us = self.answers.front().map_or(i64::MAX, |(due, _)| (*due - self.clock.now()).max(0));
        PATIENCE.min(Duration::from_micros(until_us as u64))
    }

    fn take(&mut self, bytes: &[u8], now: HostTime) {
        for &byte in bytes {
            let arrived = self.incoming.carry(now);
            let answer = self.contacts.lock().feed(byte, arrived);
            let leaves = HostTime(arrived.0 + self.firmware_us);
            self.answers.extend(answer.into_iter().map(|b| (self.outgoing.carry(leaves), b)));
        }
    }

    fn answer(&mut self) -> std::io::Result<()> {
        let now = self.clock.now();
        let unasked = self.contacts.take_unasked();
        self.answers.extend(unasked.into_iter().map(|b| (self.outgoing.carry(now), b)));
        while let Some(&(_, byte)) = self.answers.front().filter(|(due, _)| *due <= now) {
            self.answers.pop_front();
            self.board_end.write_all(&[byte])?;
        }
        Ok(())
    }
}
