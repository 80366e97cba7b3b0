//! The ADR2200's words, and those of our own board (source: the manual's command list).

use crate::time::HostTime;
use crate::twin::relay_board::coils::Coils;

/// The longest command, `SPKxxxxxxxx` with an address, with room to spare.
const LINE_MAX: usize = 16;
/// What `IDN?` says.
const PRODUCT: &str = "2200";

/// An ADR2200's firmware.
#[derive(Debug, Clone)]
pub(in super::super) struct Adr {
    address: u8,
    /// Never clears its line of what it did not understand.
    is_clone: bool,
    pub(super) line: Vec<u8>,
    inputs: u8,
    counter: u16,
    interrupts: bool,
    trigger: u16,
    guard: Option<Guard>,
}

/// What our own board does when its host is silent.
#[derive(Debug, Clone)]
struct Guard {
    /// No byte for this long opens all, ms; 0 is off.
    timeout_ms: u16,
    heard: HostTime,
    /// How often that has happened.
    rescues: u16,
}

/// What our own board is set to when it starts, ms; what it takes.
const TIMEOUT_MS: u16 = 3000;
const TIMEOUT_MS_MAX: u16 = 60_000;

impl Adr {
    pub(super) fn new(address: u8, is_clone: bool, guards_itself: bool) -> Self {
        let guard = guards_itself.then(|| Guard { timeout_ms: TIMEOUT_MS, heard: HostTime::default(), rescues: 0 });
        Self { address, is_clone, line: Vec::new(), inputs: 0, counter: 0, interrupts: false, trigger: 0, guard }
    }

    /// Time passes, up to `at`.
    pub(in super::super) fn pass(&mut self, at: HostTime, coils: &mut Coils) {
        let Some(guard) = self.guard.as_mut().filter(|guard| guard.timeout_ms > 0) else { return };
        let due = guard.heard.plus_ms(guard.timeout_ms.into());
        if due <= at && coils.mask() != 0 {
            guard.rescues = guard.rescues.saturating_add(1);
            coils.set(0, due);
        }
    }

    pub(super) fn feed(&mut self, byte: u8, acts_at: HostTime, coils: &mut Coils) -> Vec<u8> {
        if let Some(guard) = &mut self.guard {
            guard.heard = acts_at;
        }
        if byte != b'\r' {
            // One byte over the limit marks the whole line as garbage.
            if self.line.len() <= LINE_MAX {
                self.line.push(byte);
            }
            return Vec::new();
        }
        let line = std::mem::take(&mut self.line);
        if self.is_clone && !is_command(&line) {
            self.line = line;
            self.line.push(byte);
            return Vec::new();
        }
        let answer = self.addressed(&line).and_then(|command| self.obey(command, acts_at, coils));
        answer.map(|text| format!("{text}\r").into_bytes()).unwrap_or_default()
    }

    pub(in super::super) fn set_input(&mut self, input: u8, high: bool) -> Vec<u8> {
        let bit = 1 << input;
        let was_high = self.inputs & bit != 0;
        self.inputs = if high { self.inputs | bit } else { self.inputs & !bit };
        if was_high == high {
            return Vec::new();
        }
        if high && input == 0 {
            self.counter = self.counter.wrapping_add(1);
        }
        match self.interrupts {
            true => format!("{}{input}\r", self.address).into_bytes(),
            false => Vec::new(),
        }
    }

    /// The command in a line, if it is meant for this board.
    fn addressed<'a>(&self, line: &'a [u8]) -> Option<&'a str> {
        let text = std::str::from_utf8(line).ok().filter(|t| t.len() <= LINE_MAX)?;
        match text.bytes().next()? {
            digit @ b'0'..=b'9' => (digit - b'0' == self.address).then(|| &text[1..]),
            _ => (self.address == 0).then_some(text),
        }
    }

    /// Carries out a command; the answer, if it has one. Anything unknown is ignored.
    fn obey(&mut self, command: &str, at: HostTime, relays: &mut Coils) -> Option<String> {
        let coils = relays.mask();
        match command {
            "RPK" => return Some(format!("{coils:08b}")),
            "PK" => return Some(format!("{coils:03}")),
            "RPA" => return Some(format!("{:04b}", self.inputs)),
            "PA" => return Some(format!("{:02}", self.inputs)),
            "IDN?" => return Some(PRODUCT.into()),
            "CE" => self.counter = 0,
            "RE" => return Some(format!("{:05}", self.counter)),
            "REC" => return Some(format!("{:05}", std::mem::take(&mut self.counter))),
            "IE" => self.interrupts = true,
            "ID" => self.interrupts = false,
            "IS" => return Some(u8::from(self.interrupts).to_string()),
            "TS" => return Some(format!("{:05}", self.trigger)),
            _ => return self.obey_guard(command, coils).or_else(|| self.obey_numbered(command, at, relays)),
        }
        None
    }

    /// What only our own board understands.
    fn obey_guard(&mut self, command: &str, coils: u8) -> Option<String> {
        let guard = self.guard.as_mut()?;
        match command {
            "HT" => return Some(format!("{:05}", guard.timeout_ms)),
            "HC" => return Some(format!("{coils:08b},{:05}", guard.rescues)),
            _ => {}
        }
        let digits = command.strip_prefix("HT").filter(|digits| digits.bytes().all(|b| b.is_ascii_digit()))?;
        guard.timeout_ms = digits.parse().ok().filter(|ms| *ms <= TIMEOUT_MS_MAX)?;
        None
    }

    fn obey_numbered(&mut self, command: &str, at: HostTime, relays: &mut Coils) -> Option<String> {
        let coils = relays.mask();
        let digits_at = command.find(|c: char| c.is_ascii_digit())?;
        let (verb, digits) = command.split_at(digits_at);
        if !digits.bytes().all(|b| b.is_ascii_digit()) {
            return None;
        }
        let below = |limit: u8| digits.parse::<u8>().ok().filter(|n| digits.len() == 1 && *n < limit);
        match verb {
            "SK" => relays.set(coils | 1 << below(8)?, at),
            "RK" => relays.set(coils & !(1 << below(8)?), at),
            "MK" if digits.len() <= 3 => relays.set(digits.parse().ok()?, at),
            "SPK" if digits.len() == 8 => relays.set(u8::from_str_radix(digits, 2).ok()?, at),
            "RPK" => return Some((coils >> below(8)? & 1).to_string()),
            "RPA" => return Some((self.inputs >> below(4)? & 1).to_string()),
            "TL" if digits.len() == 5 => self.trigger = digits.parse().ok()?,
            _ => {}
        }
        None
    }
}

/// Whether a line begins as commands do: an address, capital letters, then digits or a question mark.
fn is_command(line: &[u8]) -> bool {
    let line = if line.first().is_some_and(u8::is_ascii_digit) { &line[1..] } else { line };
    let digits = line.iter().position(|b| !b.is_ascii_uppercase()).unwrap_or(line.len());
    digits > 0 && line[digits..].iter().all(|b| b.is_ascii_digit() || *b == b'?')
}
