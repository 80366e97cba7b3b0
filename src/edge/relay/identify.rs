//! Which board is on a port: found out by asking.
//!
//! No question may move a relay of any known board, whatever it is. What each would take it for decides the order:
//! - `RPK` and its return are in no other board's table: USB-RLYs obey single bytes, but only `5C` and `64`–`76`, which are
//!   the small letters from d on. So Numato's words must wait until its prompt, which any return calls up, is seen.
//! - A lone return comes from no question here: a known ADR2200 clone goes deaf after an empty command.
//! - `FF` begins a KMTronic command; the `09 00` that follows makes it the question for all states. It resets a Firmata board
//!   on USB, so that is asked for first.
//! - Modbus and Conrad frames carry a check.
//! - At a wrong rate a slow byte cannot become a Firmata command (its runs of equal bits are too long), and a fast one no
//!   `00` or `01`, without which KMTronic and LCUS boards do nothing.
//!
//! Only addresses that boards leave the factory with are tried, except the ADR2200's, which is asked for all ten.

use super::codec::{Codec, byte_ms};
use super::hearing::Ear;
use super::port::{open_port, set_rate};
use super::serial::{Line, shown};
use super::{Adr2200Spec, RelayError, RelaySpec, SerialSpec};
use crate::edge::relay::boards::adr2200;
use crate::edge::relay::boards::conrad::Conrad;
use crate::edge::relay::boards::firmata;
use crate::edge::relay::boards::lcus::{self, as_bytes};
use crate::edge::relay::boards::modbus::Modbus;
use crate::edge::relay::boards::numato::{Numato, PROMPT};
use crate::edge::relay::boards::usb_rly::{ASK_SERIAL, ASK_VERSION, is_module};
use crate::profile::protocol::Protocol;
use crate::time::Clock;
use serialport::SerialPortType;
use std::sync::Arc;

/// Rates tried, bits a second, the most common first.
const RATES: [u32; 4] = [9600, 19_200, 57_600, 115_200];
/// How long an answer may take beyond its time on the wire at first, ms: USB adapters hold bytes back for up to 16.
const PATIENCE_MS: f64 = 90.0;
/// The same once something has answered, and only who it was is to be made sure, ms.
const LATE_PATIENCE_MS: f64 = 350.0;
/// Question and longest answer that is not waited for by its length.
const DIALOGUE_BYTES: f64 = 24.0;
/// An LCUS board's answer: eight lines.
const LINES_BYTES: f64 = 100.0;
/// How often an Arduino that still starts is asked: its boot loader takes two seconds, and the other questions as long.
const FIRMATA_TRIES: usize = 4;

/// A port that a board may be on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CandidatePort {
    /// What to call the port: `/dev/ttyUSB0`, `COM3`.
    pub path: String,
    /// What the system says of the adapter, such as "FTDI FT232R USB UART (0403:6001)"; empty if it says nothing.
    pub adapter: String,
}

/// The serial ports that the system lists, sorted by name.
pub fn candidate_ports() -> Vec<CandidatePort> {
    let adapter = |kind| match kind {
        SerialPortType::UsbPort(usb) => {
            let names = [usb.manufacturer, usb.product].into_iter().flatten();
            let numbers = format!("({:04x}:{:04x})", usb.vid, usb.pid);
            names.chain([numbers]).collect::<Vec<_>>().join(" ")
        }
        _ => String::new(),
    };
    let ports = serialport::available_ports().unwrap_or_default().into_iter();
    let mut ports: Vec<_> =
        ports.map(|port| CandidatePort { path: port.port_name, adapter: adapter(port.port_type) }).collect();
    ports.sort_by(|a, b| a.path.cmp(&b.path));
    ports
}

/// Asks which board is on a port, and at which rate and address. Takes a few seconds if none answers. No relay moves.
///
/// # Errors
/// When the port cannot be used, or something answers that is no known board; `None` if nothing answers, which many LCUS
/// boards never do.
pub fn identify(path: &str, clock: Arc<dyn Clock>) -> Result<Option<RelaySpec>, RelayError> {
    let port = open_port(path, RATES[0])?;
    let line = Line::new(port, path, clock, Ear::bytes());
    let mut inquiry = Inquiry { line, baud: RATES[0], patience_ms: PATIENCE_MS, strange: Vec::new() };
    for patience_ms in [PATIENCE_MS, LATE_PATIENCE_MS] {
        inquiry.patience_ms = patience_ms;
        if let Some(spec) = inquiry.at_all_rates()? {
            return Ok(Some(spec));
        }
        // What nobody says may have been answers that came late, each to the question before. Silence is never late.
        if shown(&inquiry.strange).is_empty() {
            return Ok(None);
        }
    }
    Err(RelayError::Stranger { path: path.into(), answer: shown(&inquiry.strange) })
}

struct Inquiry {
    line: Line,
    baud: u32,
    /// How long an answer may take beyond its time on the wire, ms.
    patience_ms: f64,
    /// What came that no known board says.
    strange: Vec<u8>,
}

type Found = Result<Option<RelaySpec>, RelayError>;

impl Inquiry {
    fn at_all_rates(&mut self) -> Found {
        self.strange.clear();
        for baud in RATES {
            if baud != self.baud {
                match set_rate(self.line.port.as_mut(), &self.line.path, baud) {
                    Ok(()) => self.baud = baud,
                    // An adapter that cannot do this rate has no board of this rate.
                    Err(RelayError::Baud { .. }) => continue,
                    Err(error) => return Err(error),
                }
            }
            if let Some(spec) = self.at_this_rate()? {
                return Ok(Some(spec));
            }
        }
        Ok(None)
    }

    fn at_this_rate(&mut self) -> Found {
        let steps: &[fn(&mut Self) -> Found] = match self.baud {
            9600 => &[
                Self::adr2200_or_numato,
                Self::adr2200_at_other_addresses,
                Self::usb_rly,
                Self::firmata,
                Self::lcus_or_kmtronic,
                Self::modbus,
            ],
            19_200 => &[Self::adr2200_or_numato, Self::conrad, Self::modbus],
            57_600 => &[Self::adr2200_or_numato, Self::firmata_that_starts],
            _ => &[Self::adr2200_or_numato],
        };
        for step in steps {
            if let Some(spec) = step(self)? {
                return Ok(Some(spec));
            }
        }
        Ok(None)
    }

    fn adr2200_or_numato(&mut self) -> Found {
        // What a board took for bytes at a wrong rate still stands in its line: the second question is clean.
        let tries = if self.baud == RATES[0] { 1 } else { 2 };
        for _ in 0..tries {
            if self.adr2200(0, self.patience_ms)?.is_some() {
                return self.adr2200_up_to(0);
            }
            if self.strange.contains(&(PROMPT as u8)) {
                let spec = SerialSpec::new(Protocol::Numato, &self.line.path);
                return self.by_state(&Numato::new(&spec), &spec);
            }
        }
        Ok(None)
    }

    fn adr2200_at_other_addresses(&mut self) -> Found {
        for address in 1..=9 {
            if self.adr2200(address, self.patience_ms)?.is_some() {
                return self.adr2200_up_to(address);
            }
        }
        Ok(None)
    }

    /// An answer that came late was an answer to an address asked before: each is asked once more, and given time.
    fn adr2200_up_to(&mut self, address: u8) -> Found {
        for address in (0..=address).rev() {
            if let Some(spec) = self.adr2200(address, LATE_PATIENCE_MS)? {
                return Ok(Some(spec));
            }
        }
        Ok(None)
    }

    fn adr2200(&mut self, address: u8, patience_ms: f64) -> Found {
        let spec = Adr2200Spec { baud: self.baud, address, ..Adr2200Spec::new(&self.line.path) };
        let codec = adr2200::Adr::new(&spec);
        let question = adr2200::command(address, "RPK");
        // A USB-RLY that is asked for address 8 says its serial number, eight digits without an end.
        let is_whole = |heard: &[u8]| heard.last().is_some_and(|end| matches!(end, b'\r' | b'\n'));
        let answer = |heard: &[u8]| codec.answer(0, heard).filter(|_| is_whole(heard));
        let timeout_ms = patience_ms + DIALOGUE_BYTES * byte_ms(self.baud);
        Ok(self.ask_for(&question, timeout_ms, answer)?.map(|_| RelaySpec::Adr2200(spec)))
    }

    fn usb_rly(&mut self) -> Found {
        let is_version = |heard: &[u8]| matches!(heard, [module, _] if is_module(*module)).then_some(());
        if self.ask(&[ASK_VERSION], DIALOGUE_BYTES, is_version)?.is_none() {
            return Ok(None);
        }
        let is_serial = |heard: &[u8]| (heard.len() == 8 && heard.iter().all(u8::is_ascii_digit)).then_some(());
        let is_there = self.ask(&[ASK_SERIAL], DIALOGUE_BYTES, is_serial)?.is_some();
        Ok(is_there.then(|| RelaySpec::at(Protocol::UsbRly, &self.line.path)))
    }

    fn firmata(&mut self) -> Found {
        let is_version = |heard: &[u8]| heard.windows(3).find(|w| w[0] == firmata::VERSION && w[1] < 16).map(drop);
        // Given time: the next question would reset a board whose answer is late.
        let timeout_ms = LATE_PATIENCE_MS + DIALOGUE_BYTES * byte_ms(self.baud);
        let is_there = self.ask_for(&[firmata::VERSION], timeout_ms, is_version)?.is_some();
        let spec = SerialSpec { baud: self.baud.max(57_600), ..SerialSpec::new(Protocol::Firmata, &self.line.path) };
        Ok(is_there.then_some(RelaySpec::Serial(spec)))
    }

    fn firmata_that_starts(&mut self) -> Found {
        for _ in 0..FIRMATA_TRIES {
            if let Some(spec) = self.firmata()? {
                return Ok(Some(spec));
            }
        }
        Ok(None)
    }

    /// `FF` is LCUS's whole question, and with `09 00` KMTronic's.
    fn lcus_or_kmtronic(&mut self) -> Found {
        let [head, rest @ ..] = crate::edge::relay::boards::kmtronic::QUESTION;
        let lines = self.listen(&[head], LINES_BYTES)?;
        let states = self.listen(&rest, DIALOGUE_BYTES)?;
        let in_bytes = |heard: &[u8]| [8, 4, 2, 1].into_iter().find(|relays| as_bytes(heard, *relays).is_some());
        let found = match (lcus::relays_in(&lines).or_else(|| in_bytes(&lines)), in_bytes(&states)) {
            (Some(relays), _) => Some((Protocol::Lcus, relays)),
            (None, Some(relays)) => Some((Protocol::Kmtronic, relays)),
            _ => None,
        };
        if found.is_none() {
            self.strange.extend([lines, states].concat());
        }
        Ok(found.map(|(protocol, relays)| {
            let mut spec = SerialSpec::new(protocol, &self.line.path);
            spec.options.relays = relays;
            RelaySpec::Serial(spec)
        }))
    }

    fn modbus(&mut self) -> Found {
        let spec = SerialSpec { baud: self.baud, ..SerialSpec::new(Protocol::Modbus, &self.line.path) };
        self.by_state(&Modbus::new(&spec), &spec)
    }

    fn conrad(&mut self) -> Found {
        let spec = SerialSpec::new(Protocol::Conrad, &self.line.path);
        self.by_state(&Conrad::new(&spec), &spec)
    }

    /// Asks for the relays' state in the board's own ways.
    fn by_state(&mut self, codec: &dyn Codec, spec: &SerialSpec) -> Found {
        for (number, question) in codec.questions().into_iter().enumerate() {
            if !question.before.is_empty() {
                self.listen(&question.before, DIALOGUE_BYTES)?;
            }
            if self.ask(&question.bytes, DIALOGUE_BYTES, |heard| codec.answer(number, heard))?.is_some() {
                return Ok(Some(RelaySpec::Serial(spec.clone())));
            }
        }
        Ok(None)
    }

    fn ask<T>(
        &mut self,
        question: &[u8],
        bytes: f64,
        found: impl FnMut(&[u8]) -> Option<T>,
    ) -> Result<Option<T>, RelayError> {
        self.ask_for(question, self.patience_ms + bytes * byte_ms(self.baud), found)
    }

    fn ask_for<T>(
        &mut self,
        question: &[u8],
        timeout_ms: f64,
        found: impl FnMut(&[u8]) -> Option<T>,
    ) -> Result<Option<T>, RelayError> {
        self.hear_late()?;
        Ok(match self.line.ask(question, timeout_ms, found)? {
            Ok(value) => Some(value),
            Err(other) => {
                self.strange.extend(other);
                None
            }
        })
    }

    /// What came since the last question was given up is no answer to the next one, but no silence either.
    fn hear_late(&mut self) -> Result<(), RelayError> {
        let late = self.line.waiting()?;
        self.strange.extend(late);
        Ok(())
    }

    /// Asks and hears everything out.
    fn listen(&mut self, question: &[u8], bytes: f64) -> Result<Vec<u8>, RelayError> {
        self.hear_late()?;
        let timeout_ms = self.patience_ms + bytes * byte_ms(self.baud);
        let mut heard = self.line.ask(question, timeout_ms, |_| None::<()>)?.err().unwrap_or_default();
        self.line.hear_out(&mut heard, LATE_PATIENCE_MS)?;
        Ok(heard)
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use crate::time::SystemClock;
    use serialport::{SerialPort, TTYPort};
    use std::io::Write;

    #[test]
    fn what_comes_between_two_questions_is_no_silence_and_no_answer() {
        let (mut far, near) = TTYPort::pair().unwrap();
        let line = Line::new(near.try_clone().unwrap(), "port", Arc::new(SystemClock::new()), Ear::bytes());
        let mut inquiry = Inquiry { line, baud: RATES[0], patience_ms: PATIENCE_MS, strange: Vec::new() };
        assert_eq!(inquiry.ask_for(b"8RPK\r", 1.0, |_| None::<()>).unwrap(), None);
        assert!(inquiry.strange.is_empty());
        far.write_all(b"00000000\r").unwrap();
        // A pseudo-terminal hands bytes on when the kernel comes to it.
        let clock = SystemClock::new();
        while inquiry.line.port.bytes_to_read().unwrap() < 9 {
            assert!(clock.now().ms() < 60_000.0, "the bytes do not come");
            std::thread::yield_now();
        }
        let answer = inquiry.ask_for(b"9RPK\r", 1.0, |heard| (!heard.is_empty()).then_some(()));
        assert_eq!((answer.unwrap(), inquiry.strange.as_slice()), (None, &b"00000000\r"[..]));
    }
}
