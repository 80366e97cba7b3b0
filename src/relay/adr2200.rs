//! The Ontrak ADR2200: eight relays behind an RS-232 line (source: the manual's command list).
//!
//! Every change is one `MKddd` and so one moment for all relays. The board has no watchdog: whatever was set last stays
//! until something else is set, so opening the relays is this program's job.

use super::{Adr2200Spec, Capabilities, RelayBoard, RelayError};
use crate::message::RelayMask;
use crate::time::{Clock, HostTime};
use crate::wire::Wire;
use serialport::{ClearBuffer, SerialPort};
use std::io::ErrorKind;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

/// A start bit, 8 data bits, a stop bit.
const BITS_PER_BYTE: u32 = 10;
/// The longest that one write may block: a full output buffer means a dead line.
const WRITE_TIMEOUT: Duration = Duration::from_millis(250);
/// How long an answer may take beyond its time on the wire: USB adapters alone hold bytes back for up to 16 ms.
const ANSWER_TIMEOUT_MS: f64 = 350.0;
/// How often the answer is looked for.
const READ_SLICE: Duration = Duration::from_millis(10);
/// More than any answer; a device that says more is another device.
const ANSWER_BYTES_MAX: usize = 256;

/// The bytes that set all relays at once: `MKddd` and a carriage return, after the address digit unless that is 0.
pub fn encode_mask(address: u8, mask: RelayMask) -> Vec<u8> {
    command(address, &format!("MK{}", mask.0))
}

/// How long such a command is on a line of `baud` bits a second.
pub fn wire(address: u8, baud: u32) -> Wire {
    let byte_ms = f64::from(BITS_PER_BYTE) * 1000.0 / f64::from(baud.max(1));
    Wire::decimal(command(address, "MK").len() as f64 * byte_ms, byte_ms)
}

fn command(address: u8, text: &str) -> Vec<u8> {
    match address {
        0 => format!("{text}\r"),
        digit => format!("{digit}{text}\r"),
    }
    .into_bytes()
}

/// A connected ADR2200.
pub struct Adr2200 {
    port: Box<dyn SerialPort>,
    spec: Adr2200Spec,
    clock: Arc<dyn Clock>,
    /// How to ask for the relays' state: what the board answered first.
    question: &'static str,
    /// A write failed half-way, so the board may hold the beginning of a command.
    half_sent: bool,
}

impl Adr2200 {
    /// Opens the port for this program alone and, unless told otherwise, waits until the board answers.
    ///
    /// # Errors
    /// When there is no such port, it is not ours, it is in use, or no ADR2200 answers on it.
    pub fn open(spec: &Adr2200Spec, clock: Arc<dyn Clock>) -> Result<Self, RelayError> {
        check_path(&spec.path)?;
        let port = serialport::new(&spec.path, spec.baud)
            .timeout(WRITE_TIMEOUT)
            .open()
            .map_err(|e| open_error(&spec.path, e))?;
        if let Some(holder) = holder(Path::new(&spec.path)) {
            return Err(RelayError::Busy { path: spec.path.clone(), holder });
        }
        let got = port.baud_rate().map_err(|e| open_error(&spec.path, e))?;
        if got.abs_diff(spec.baud) * 50 > spec.baud {
            return Err(RelayError::Baud { path: spec.path.clone(), asked: spec.baud, got });
        }
        let mut board = Self { port, spec: spec.clone(), clock, question: "RPK", half_sent: false };
        if spec.verify {
            board.find()?;
        }
        Ok(board)
    }

    /// Asks until the board answers. The plain question comes first: a known clone goes deaf after an empty command.
    fn find(&mut self) -> Result<RelayMask, RelayError> {
        let mut heard = String::new();
        for (end_half_command, text) in [(false, "RPK"), (true, "RPK"), (false, "PK")] {
            if end_half_command {
                self.write(b"\r")?;
                self.read_until(self.clock.now().plus_ms(self.byte_ms() * 2.0 + 20.0), |_| None::<()>)?;
            }
            match self.ask(text)? {
                Ok(mask) => {
                    self.question = text;
                    return Ok(mask);
                }
                Err(answer) => heard.push_str(&answer),
            }
        }
        let Adr2200Spec { path, baud, address, .. } = self.spec.clone();
        if heard.is_empty() {
            return Err(RelayError::NoAnswer { path, baud, address });
        }
        Err(RelayError::WrongAnswer { path, baud, answer: heard })
    }

    /// One question; the inner error is what came instead of an answer, printable.
    fn ask(&mut self, text: &str) -> Result<Result<RelayMask, String>, RelayError> {
        let read_error =
            |source: serialport::Error| RelayError::Read { path: self.spec.path.clone(), source: source.into() };
        self.port.clear(ClearBuffer::Input).map_err(read_error)?;
        let question = command(self.spec.address, text);
        self.write(&question)?;
        // Question and answer have at most 12 bytes each with their ends.
        let due = self.clock.now().plus_ms(ANSWER_TIMEOUT_MS + 24.0 * self.byte_ms());
        let mut heard = Vec::new();
        let answer = self.read_until(due, |bytes| {
            heard.extend_from_slice(bytes);
            mask_in(&heard, text)
        })?;
        // A late line end of an earlier answer is no answer.
        Ok(answer.ok_or_else(|| heard.trim_ascii().escape_ascii().to_string()))
    }

    fn write(&mut self, bytes: &[u8]) -> Result<(), RelayError> {
        let written = if std::mem::take(&mut self.half_sent) {
            // Ends whatever stands in the board's buffer: at worst it executes a command of ours that is superseded now.
            self.port.write_all(&[b"\r", bytes].concat())
        } else {
            self.port.write_all(bytes)
        };
        written.map_err(|source| {
            self.half_sent = true;
            RelayError::Write { path: self.spec.path.clone(), source }
        })
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
                Err(e) if matches!(e.kind(), ErrorKind::TimedOut | ErrorKind::Interrupted | ErrorKind::WouldBlock) => {}
                Err(source) => return Err(RelayError::Read { path: self.spec.path.clone(), source }),
            }
        }
        Ok(None)
    }

    fn byte_ms(&self) -> f64 {
        f64::from(BITS_PER_BYTE) * 1000.0 / f64::from(self.spec.baud)
    }
}

impl RelayBoard for Adr2200 {
    fn set(&mut self, mask: RelayMask) -> Result<(), RelayError> {
        self.write(&encode_mask(self.spec.address, mask))
    }

    fn capabilities(&self) -> Capabilities {
        Capabilities { relays: 8, wire: wire(self.spec.address, self.spec.baud), reads_back: self.spec.verify }
    }

    fn name(&self) -> String {
        format!("ADR2200 at {}", self.spec.path)
    }

    fn read_back(&mut self) -> Result<Option<RelayMask>, RelayError> {
        if !self.spec.verify {
            return Ok(None);
        }
        match self.ask(self.question)? {
            Ok(mask) => Ok(Some(mask)),
            Err(_) => self.find().map(Some),
        }
    }
}

/// The answer to `RPK` (8 binary digits, K7 first) or `PK` (decimal) in what was heard. Other whole lines are passed
/// over: an echo of the question, or the two digits of an interrupt.
fn mask_in(heard: &[u8], question: &str) -> Option<RelayMask> {
    let mut lines: Vec<&[u8]> = heard.split(|b| matches!(b, b'\r' | b'\n')).collect();
    let unfinished = lines.pop()?;
    // Eight binary digits are a whole answer even before the line's end.
    if question == "RPK" && unfinished.len() == 8 {
        lines.push(unfinished);
    }
    lines.into_iter().find_map(|line| {
        let text = std::str::from_utf8(line).ok()?.trim();
        match question {
            "RPK" if text.len() == 8 => u8::from_str_radix(text, 2).ok(),
            "PK" if matches!(text.len(), 1 | 3) && text.bytes().all(|b| b.is_ascii_digit()) => text.parse().ok(),
            _ => None,
        }
        .map(RelayMask)
    })
}

fn check_path(path: &str) -> Result<(), RelayError> {
    // On Windows ports are no files; there the port itself tells.
    if cfg!(windows) {
        return Ok(());
    }
    let not_a_port = |what| Err(RelayError::NotAPort { path: path.into(), what });
    match std::fs::metadata(path) {
        Ok(meta) if meta.is_dir() => not_a_port("a folder"),
        Ok(meta) if meta.is_file() => not_a_port("a file"),
        Ok(_) => Ok(()),
        Err(e) if e.kind() == ErrorKind::PermissionDenied => Err(RelayError::Permission { path: path.into() }),
        Err(_) => Err(missing(path)),
    }
}

fn missing(path: &str) -> RelayError {
    let ports = serialport::available_ports().unwrap_or_default();
    let found: Vec<_> = ports.into_iter().map(|p| p.port_name).collect();
    let found = if found.is_empty() { "none".into() } else { found.join(", ") };
    RelayError::PortMissing { path: path.into(), found }
}

fn open_error(path: &str, source: serialport::Error) -> RelayError {
    use serialport::ErrorKind as Kind;
    let path = path.to_string();
    match source.kind() {
        Kind::Io(ErrorKind::NotFound) => missing(&path),
        Kind::Io(ErrorKind::PermissionDenied) => RelayError::Permission { path },
        // The system's "busy" and a lock that another program holds both arrive as "no device".
        Kind::NoDevice if cfg!(unix) => RelayError::Busy { path, holder: "another program".into() },
        Kind::NoDevice => missing(&path),
        _ => RelayError::Open { path, source },
    }
}

/// Another process that has this port open, where the system shows it. Programs that take no lock (a terminal, a
/// forgotten script) would otherwise mix their bytes with ours.
#[cfg(target_os = "linux")]
fn holder(path: &Path) -> Option<String> {
    let real = path.canonicalize().ok()?;
    // The emulator at the other end of a pseudo-terminal rightly holds it.
    if real.starts_with("/dev/pts") {
        return None;
    }
    let own = std::process::id().to_string();
    for process in std::fs::read_dir("/proc").ok()?.flatten() {
        let id = process.file_name().into_string().ok()?;
        if id == own || !id.bytes().all(|b| b.is_ascii_digit()) {
            continue;
        }
        let Ok(files) = std::fs::read_dir(process.path().join("fd")) else { continue };
        if files.flatten().any(|f| std::fs::read_link(f.path()).is_ok_and(|target| target == real)) {
            let name = std::fs::read_to_string(process.path().join("comm")).unwrap_or_default();
            return Some(format!("{} (process {id})", name.trim()));
        }
    }
    None
}

#[cfg(not(target_os = "linux"))]
fn holder(_path: &Path) -> Option<String> {
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn masks_are_encoded_as_the_manual_says() {
        for (address, mask, bytes) in
            [(0, 0, "MK0\r"), (0, 5, "MK5\r"), (0, 255, "MK255\r"), (3, 5, "3MK5\r"), (9, 128, "9MK128\r")]
        {
            assert_eq!(encode_mask(address, RelayMask(mask)), bytes.as_bytes());
        }
    }

    #[test]
    fn answers_are_found_among_other_lines() {
        for (heard, question, mask) in [
            ("00000101\r", "RPK", Some(5)),
            ("00000101\r\n", "RPK", Some(5)),
            ("\r\n10000000", "RPK", Some(128)),
            ("RPK\r00000001\r", "RPK", Some(1)),
            ("03\r00000001\r", "RPK", Some(1)),
            ("RPK\r", "RPK", None),
            ("0000010", "RPK", None),
            ("00000201\r", "RPK", None),
            ("005\r", "PK", Some(5)),
            ("5\r", "PK", Some(5)),
            ("005", "PK", None),
            ("256\r", "PK", None),
        ] {
            assert_eq!(mask_in(heard.as_bytes(), question), mask.map(RelayMask), "{heard:?}");
        }
    }
}
