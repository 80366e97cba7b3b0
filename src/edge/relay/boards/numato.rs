//! Numato's USB relay modules: words, echoed, with a prompt (source: the maker's command list).
//!
//! What a garbled line is answered with no source says; neither how many hex digits boards of fewer than eight relays want.

use crate::edge::relay::codec::{Codec, Question, USB_FRAME_MS};
use crate::edge::relay::{Capabilities, SerialSpec};
use crate::message::RelayMask;
use crate::profile::wire::Wire;

/// Asks for all relays' states.
const QUESTION: &str = "relay readall\r";
/// What the board says when it waits for a command.
pub(crate) const PROMPT: char = '>';

/// A Numato module's language.
#[derive(Debug, Clone)]
pub struct Numato {
    relays: u8,
}

impl Numato {
    /// For a board as named on the command line.
    pub fn new(spec: &SerialSpec) -> Self {
        Self { relays: spec.options.relays }
    }
}

impl Codec for Numato {
    fn board(&self) -> String {
        format!("Numato module of {} relays", self.relays)
    }

    fn capabilities(&self) -> Capabilities {
        Capabilities { relays: self.relays, wire: Wire::at_once(USB_FRAME_MS), reads_back: true }
    }

    fn encode(&self, _before: Option<RelayMask>, after: RelayMask) -> Vec<Vec<u8>> {
        vec![format!("relay writeall {:02x}\r", after.0).into_bytes()]
    }

    fn questions(&self) -> Vec<Question> {
        vec![Question::plain(QUESTION), Question::after("\r", QUESTION)]
    }

    /// The last line of hex digits before the prompt: the lines before it are echoes.
    fn answer(&self, _question: usize, heard: &[u8]) -> Option<RelayMask> {
        let text = String::from_utf8_lossy(heard);
        let (said, _) = text.rsplit_once(PROMPT)?;
        let line = said.split(['\r', '\n']).rfind(|line| !line.trim().is_empty())?.trim();
        if line.len() > 8 || !line.bytes().all(|b| b.is_ascii_hexdigit()) {
            return None;
        }
        u32::from_str_radix(line, 16).ok()?.try_into().ok().map(RelayMask)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::profile::protocol::Protocol;

    #[test]
    fn words_are_as_published() {
        let numato = Numato::new(&SerialSpec::new(Protocol::Numato, "x"));
        assert_eq!(numato.encode(None, RelayMask(255)), [b"relay writeall ff\r"]);
        assert_eq!(numato.encode(None, RelayMask(10)), [b"relay writeall 0a\r"]);
        for (heard, mask) in [
            ("relay readall\n\r0a\n\r>", Some(10)),
            ("relay writeall ff\n\r>relay readall\n\rff\n\r>", Some(255)),
            ("0A\r\n>", Some(10)),
            ("relay readall\n\r0a\n\r", None),
            ("relay readall\n\r>", None),
            ("100\n\r>", None),
            (">", None),
        ] {
            assert_eq!(numato.answer(0, heard.as_bytes()), mask.map(RelayMask), "{heard:?}");
        }
    }
}
