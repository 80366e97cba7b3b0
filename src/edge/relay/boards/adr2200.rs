//! The Ontrak ADR2200: eight relays behind an RS-232 line (source: the manual's command list). Our own board speaks the
//! same.
//!
//! Every change is one `MKddd` and so one moment for all relays. The board has no watchdog: whatever was set last stays
//! until something else is set, so opening the relays is this program's job. What it answers to garbage no source says.

use crate::edge::relay::codec::{self, Codec, Guarding, Question};
use crate::edge::relay::hearing::whole_lines;
use crate::edge::relay::keep_alive::Sign;
use crate::edge::relay::{Adr2200Spec, Capabilities, RelayBoard, RelayError, SerialBoard};
use crate::edge::relay::{Health, KeepAlive};
use crate::message::RelayMask;
use crate::profile::wire::Wire;
use crate::time::Clock;
use std::sync::Arc;

/// The bytes that set all relays at once: `MKddd` and a carriage return, after the address digit unless that is 0.
pub fn encode_mask(address: u8, mask: RelayMask) -> Vec<u8> {
    command(address, &format!("MK{}", mask.0))
}

/// How long such a command is on a line of `baud` bits a second.
pub fn wire(address: u8, baud: u32) -> Wire {
    let byte_ms = codec::byte_ms(baud);
    Wire::decimal(command(address, "MK").len() as f64 * byte_ms, byte_ms)
}

/// A command for the board of this address.
pub(crate) fn command(address: u8, text: &str) -> Vec<u8> {
    match address {
        0 => format!("{text}\r"),
        digit => format!("{digit}{text}\r"),
    }
    .into_bytes()
}

/// The ADR2200's language.
#[derive(Debug, Clone)]
pub struct Adr {
    address: u8,
    baud: u32,
}

/// How the state is asked for. The plain question comes first: a known clone goes deaf after an empty command.
const QUESTIONS: [(&str, &str); 3] = [("", "RPK"), ("\r", "RPK"), ("", "PK")];

impl Adr {
    /// For a board as named on the command line.
    pub fn new(spec: &Adr2200Spec) -> Self {
        Self { address: spec.address, baud: spec.baud }
    }
}

impl Codec for Adr {
    fn board(&self) -> String {
        match self.address {
            0 => "ADR2200".into(),
            address => format!("ADR2200 with address {address}"),
        }
    }

    fn capabilities(&self) -> Capabilities {
        Capabilities { relays: 8, wire: wire(self.address, self.baud), reads_back: true }
    }

    fn encode(&self, _before: Option<RelayMask>, after: RelayMask) -> Vec<Vec<u8>> {
        vec![encode_mask(self.address, after)]
    }

    fn questions(&self) -> Vec<Question> {
        QUESTIONS.map(|(before, text)| Question::after(before, command(self.address, text))).to_vec()
    }

    fn answer(&self, question: usize, heard: &[u8]) -> Option<RelayMask> {
        mask_in(heard, QUESTIONS.get(question)?.1)
    }

    fn speaks_in_lines(&self) -> bool {
        true
    }

    fn guarding(&self) -> Option<&dyn Guarding> {
        Some(self)
    }
}

/// Our own board's words (`hardware/firmware`); an ADR2200 has no such command, and says nothing to it.
impl Guarding for Adr {
    fn guard(&self, timeout_ms: u32) -> Vec<u8> {
        [&format!("HT{timeout_ms}"), "HT", "RPK"].map(|text| command(self.address, text)).concat()
    }

    fn is_guarded(&self, timeout_ms: u32, heard: &[u8]) -> Option<bool> {
        mask_in(heard, "RPK")?;
        Some(whole_lines(heard).any(|line| line == format!("{timeout_ms:05}")))
    }

    fn call(&self) -> Vec<u8> {
        command(self.address, "HC")
    }

    /// `HC`: eight binary digits, K7 first, and how often the board has opened by itself, five digits.
    fn sign(&self, heard: &[u8]) -> Option<Sign> {
        whole_lines(heard).find_map(|line| {
            let (closed, rescues) = line.split_once(',').filter(|(bits, count)| (bits.len(), count.len()) == (8, 5))?;
            let closed = RelayMask(u8::from_str_radix(closed, 2).ok()?);
            Some(Sign { closed, rescues: rescues.parse().ok() })
        })
    }
}

/// A connected ADR2200: a [`RelayBoard`] with what only this one can do.
pub struct Adr2200 {
    board: SerialBoard,
    address: u8,
}

/// What an ADR2200 says besides its relays' state.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ask {
    /// The product's number, four digits (`IDN?`).
    Product,
    /// The levels of the inputs PA0–PA3, bit n for PAn (`RPA`).
    Inputs,
    /// How many events were counted, 0–65535 (`RE`).
    Events,
    /// The same, and counts from 0 again (`REC`).
    EventsAndClear,
}

impl Ask {
    fn words(self) -> &'static str {
        match self {
            Self::Product => "IDN?",
            Self::Inputs => "RPA",
            Self::Events => "RE",
            Self::EventsAndClear => "REC",
        }
    }

    /// How many digits the answer has, and their base. Whether counts are padded to five is not known.
    fn shape(self) -> (std::ops::RangeInclusive<usize>, u32) {
        match self {
            Self::Product => (4..=4, 10),
            Self::Inputs => (4..=4, 2),
            Self::Events | Self::EventsAndClear => (1..=5, 10),
        }
    }
}

impl Adr2200 {
    /// Opens the port for this program alone and, unless told otherwise, waits until the board answers.
    ///
    /// # Errors
    /// When there is no such port, it is not ours, it is in use, or no ADR2200 answers on it.
    pub fn open(spec: &Adr2200Spec, clock: Arc<dyn Clock>) -> Result<Self, RelayError> {
        let codec = Box::new(Adr::new(spec));
        let board = SerialBoard::open(&spec.path, spec.baud, spec.verify, codec, clock)?;
        Ok(Self { board, address: spec.address })
    }

    /// Asks something; never while presses are due, because it waits for the answer.
    ///
    /// # Errors
    /// When the port is gone, or no such answer comes.
    pub fn ask(&mut self, what: Ask) -> Result<u16, RelayError> {
        let question = command(self.address, what.words());
        let (board, address) = (&mut self.board, self.address);
        let mut ask = || board.question(&question, |heard| number_in(heard, what, address));
        match ask() {
            // An answer that was glued to a line cut off before it was passed over with it. A cleared count is gone.
            Err(RelayError::NoAnswer { .. } | RelayError::WrongAnswer { .. }) if what != Ask::EventsAndClear => ask(),
            answer => answer,
        }
    }

    /// Sets the event counter to 0.
    ///
    /// # Errors
    /// When the port is gone.
    pub fn clear_events(&mut self) -> Result<(), RelayError> {
        self.board.send(&[command(self.address, "CE")])
    }

    /// Lets the board say by itself when an input changes, or forbids it. Such lines may stand anywhere between answers.
    ///
    /// # Errors
    /// When the port is gone.
    pub fn set_interrupts(&mut self, on: bool) -> Result<(), RelayError> {
        self.board.send(&[command(self.address, if on { "IE" } else { "ID" })])
    }
}

impl RelayBoard for Adr2200 {
    fn set(&mut self, mask: RelayMask) -> Result<(), RelayError> {
        self.board.set(mask)
    }

    fn open_all(&mut self) -> Result<(), RelayError> {
        self.board.open_all()
    }

    fn capabilities(&self) -> Capabilities {
        self.board.capabilities()
    }

    fn name(&self) -> String {
        self.board.name()
    }

    fn read_back(&mut self) -> Result<Option<RelayMask>, RelayError> {
        self.board.read_back()
    }

    fn start_calls(&mut self) -> Result<Option<KeepAlive>, RelayError> {
        self.board.start_calls()
    }

    fn call(&mut self) -> Result<Health, RelayError> {
        self.board.call()
    }

    fn read_back_once(&mut self) -> Result<Option<RelayMask>, RelayError> {
        self.board.read_back_once()
    }
}

/// The answer to a question in what was heard since: the first whole line of its shape that is no interrupt. Boards of
/// addresses above 0 that do not pad their counts would say ten of them as an interrupt is said; those are passed over.
fn number_in(heard: &[u8], what: Ask, address: u8) -> Option<u16> {
    let (digits, radix) = what.shape();
    let is_answer = |line: &&str| digits.contains(&line.len()) && line.chars().all(|c| c.is_digit(radix));
    let mut answers = whole_lines(heard).filter(is_answer).filter(|line| !is_interrupt(line, address));
    answers.find_map(|line| u16::from_str_radix(line, radix).ok())
}

/// What a board says of itself when an input changes: two digits, its address and the input's number.
fn is_interrupt(line: &str, address: u8) -> bool {
    matches!(line.as_bytes(), [board, b'0'..=b'9'] if *board == b'0' + address)
}

/// The answer to `RPK` (8 binary digits, K7 first) or `PK` (decimal) in what was heard. Other whole lines are passed
/// over: an echo of the question, or the two digits of an interrupt.
fn mask_in(heard: &[u8], question: &str) -> Option<RelayMask> {
    let unfinished =
        heard.rsplit(|b| matches!(b, b'\r' | b'\n')).next().and_then(|line| std::str::from_utf8(line).ok());
    // Eight binary digits are a whole answer even before the line's end.
    let unfinished = unfinished.filter(|line| question == "RPK" && line.len() == 8);
    let read = |text: &str| match question {
        "RPK" if text.len() == 8 => u8::from_str_radix(text, 2).ok(),
        "PK" if matches!(text.len(), 1 | 3) && text.bytes().all(|b| b.is_ascii_digit()) => text.parse().ok(),
        _ => None,
    };
    whole_lines(heard).chain(unfinished).find_map(read).map(RelayMask)
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

    use crate::edge::relay::hearing::Ear;
    use proptest::prelude::*;

    /// What can be asked: the numbers of [`Ask`], and the relays' state.
    const QUESTIONS_ASKED: [Option<Ask>; 5] =
        [Some(Ask::Product), Some(Ask::Inputs), Some(Ask::Events), Some(Ask::EventsAndClear), None];

    fn words(what: Option<Ask>) -> &'static str {
        what.map_or("RPK", Ask::words)
    }

    fn found(heard: &[u8], what: Option<Ask>, address: u8) -> Option<u16> {
        match what {
            Some(what) => number_in(heard, what, address),
            None => mask_in(heard, "RPK").map(|mask| mask.0.into()),
        }
    }

    /// A question, the answer's digits, and the number in it.
    fn said() -> impl Strategy<Value = (Option<Ask>, String, u16)> {
        // Small counts are the ones that look like interrupts.
        let number = prop_oneof![0..100_u16, any::<u16>()];
        (number, 0..QUESTIONS_ASKED.len(), any::<bool>()).prop_map(|(number, what, is_padded)| {
            let (digits, number) = match QUESTIONS_ASKED[what] {
                None => (format!("{:08b}", number % 256), number % 256),
                Some(Ask::Product) => (format!("{:04}", number % 10_000), number % 10_000),
                Some(Ask::Inputs) => (format!("{:04b}", number % 16), number % 16),
                Some(_) if is_padded => (format!("{number:05}"), number),
                Some(_) => (number.to_string(), number),
            };
            (QUESTIONS_ASKED[what], digits, number)
        })
    }

    /// Lines that are no answer to anything asked now: interrupts, echoes, empty ones.
    fn other_lines(address: u8, what: Option<Ask>) -> impl Strategy<Value = String> {
        let echo = String::from_utf8_lossy(&command(address, words(what))).trim_end().to_string();
        let line =
            prop_oneof![(0..4_u8).prop_map(move |input| format!("{address}{input}")), Just(echo), Just(String::new())];
        let ended = (line, prop_oneof![Just("\r"), Just("\r\n")]).prop_map(|(line, end)| format!("{line}{end}"));
        proptest::collection::vec(ended, 0..6).prop_map(|lines| lines.concat())
    }

    /// Some exchanges with a board of some address: what was asked, the lines before the answer, the answer, its number, and
    /// a number that draws where in those lines the question falls.
    type Exchange = (Option<Ask>, String, String, u16, usize);

    fn exchanges() -> impl Strategy<Value = (u8, Vec<Exchange>)> {
        (0..10_u8).prop_flat_map(|address| {
            let exchange = said().prop_flat_map(move |(what, answer, number)| {
                (Just(what), other_lines(address, what), Just(answer), Just(number), any::<usize>())
            });
            // Unpadded counts that an interrupt of this board could be are passed over, as the rule says.
            let exchange = exchange.prop_filter("ambiguous", move |(_, _, answer, ..)| !is_interrupt(answer, address));
            (Just(address), proptest::collection::vec(exchange, 1..5))
        })
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2000))]
        /// Whatever is said between questions and answers, whatever the bytes' timing, wherever reads cut them and wherever
        /// questions fall, in the middle of a line, too: each answer is found, and nothing else is taken for it.
        #[test]
        fn answers_are_told_from_interrupts_however_they_are_cut(
            (address, exchanges) in exchanges(),
            cuts in proptest::collection::btree_set(0..300_usize, 0..60),
        ) {
            let mut stream = Vec::new();
            let mut asked = Vec::new();
            for (_, others, answer, _, at) in &exchanges {
                asked.push(stream.len() + at % (others.len() + 1));
                stream.extend(format!("{others}{answer}\r").bytes());
            }
            let mut cuts: Vec<usize> = cuts.into_iter().filter(|cut| *cut < stream.len()).collect();
            cuts.extend(asked.iter().copied().chain([0, stream.len()]));
            cuts.sort_unstable();
            cuts.dedup();
            let mut ear = Ear::lines(true);
            let mut pieces = cuts.windows(2).map(|cut| (cut[0], &stream[cut[0]..cut[1]])).peekable();
            for (n, (what, _, _, number, _)) in exchanges.iter().enumerate() {
                while let Some((_, piece)) = pieces.next_if(|(at, _)| *at < asked[n]) {
                    ear.overhear(piece);
                }
                ear.ask();
                let next = asked.get(n + 1).copied().unwrap_or(stream.len());
                let (mut heard, mut answer) = (Vec::new(), None);
                while answer.is_none() && let Some((_, piece)) = pieces.next_if(|(at, _)| *at < next) {
                    answer = ear.find(&mut heard, piece, |heard| found(heard, *what, address));
                }
                prop_assert_eq!(answer, Some(*number), "{} in {}", n, stream.escape_ascii());
            }
        }

        /// Where there is no answer none is found, wherever the question falls: the rest of a line is none.
        #[test]
        fn nothing_else_is_an_answer(
            (what, address, stream) in (0..QUESTIONS_ASKED.len(), 0..10_u8).prop_flat_map(|(what, address)| {
                (Just(QUESTIONS_ASKED[what]), Just(address), other_lines(address, QUESTIONS_ASKED[what]))
            }),
        ) {
            let stream = stream.as_bytes();
            for asked in 0..=stream.len() {
                let mut ear = Ear::lines(true);
                ear.overhear(&stream[..asked]);
                ear.ask();
                let mut heard = Vec::new();
                for byte in &stream[asked..] {
                    let answer = ear.find(&mut heard, &[*byte], |heard| found(heard, what, address));
                    prop_assert_eq!(answer, None, "asked at {} of {}", asked, stream.escape_ascii());
                }
            }
        }
    }
}
