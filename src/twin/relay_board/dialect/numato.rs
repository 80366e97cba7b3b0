//! Numato's words: echoed, answered, and a prompt (source: the maker's command list; what errors say is not in it).

use crate::time::HostTime;
use crate::twin::relay_board::coils::Coils;

/// Longer than any command.
const LINE_MAX: usize = 40;

/// A Numato module's firmware.
#[derive(Debug, Clone, Default)]
pub(in super::super) struct Numato {
    pub(super) line: Vec<u8>,
}

impl Numato {
    pub(super) fn feed(&mut self, byte: u8, acts_at: HostTime, coils: &mut Coils) -> Vec<u8> {
        if byte != b'\r' {
            if self.line.len() <= LINE_MAX {
                self.line.push(byte);
            }
            return vec![byte];
        }
        let line = std::mem::take(&mut self.line);
        let words = String::from_utf8_lossy(&line).into_owned();
        let said = obey(&words.split(' ').collect::<Vec<_>>(), acts_at, coils);
        let said = said.map(|text| format!("{text}\n\r")).unwrap_or_default();
        format!("\n\r{said}>").into_bytes()
    }
}

fn obey(words: &[&str], at: HostTime, coils: &mut Coils) -> Option<String> {
    let relay = |word: &str| word.parse::<u8>().ok().filter(|n| word.len() == 1 && *n < coils.relays());
    match *words {
        ["ver"] => Some("00000008".into()),
        ["relay", "readall"] => Some(format!("{:02x}", coils.mask())),
        ["relay", "writeall", digits] if digits.len() == 2 && digits.bytes().all(|b| b.is_ascii_hexdigit()) => {
            coils.set(u8::from_str_radix(digits, 16).ok()?, at);
            None
        }
        ["relay", "read", number] => {
            let bit = coils.mask() >> relay(number)? & 1;
            Some(if bit == 1 { "on" } else { "off" }.into())
        }
        ["relay", verb @ ("on" | "off"), number] => {
            coils.switch(relay(number)?, verb == "on", at);
            None
        }
        _ => None,
    }
}
