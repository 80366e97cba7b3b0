//! Which relay board, as named on the command line.

use super::RelayError;
use crate::edge::desktop::KeyMap;
use crate::edge::words::split_words;
use crate::game::Buttons;
use crate::profile::protocol::{Options, Protocol};
use std::fmt;

/// A relay board as named on the command line (`REL`). Its `Display` is that name again.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RelaySpec {
    /// `adr2200:PATH?baud=9600&address=0`
    Adr2200(Adr2200Spec),
    /// A board on any other serial line, such as `lcus:PATH?relays=8`.
    Serial(SerialSpec),
    /// `hid:SERIAL`: a "USBRelay" board; without a serial number the only one there is.
    Hid(String),
    /// `keys:TITLE?a=space`: keys of this computer, for the window with this title.
    Keys(KeysSpec),
    /// `command:PROGRAM`, split into words.
    Command(Vec<String>),
    /// `sim`: the simulated table's own board.
    Simulated,
    /// `sim:lcus` and others: the simulated table with this board instead.
    Emulated(Protocol),
    /// `none`: no board; every command goes nowhere.
    None,
}

impl RelaySpec {
    /// Whether it presses something outside of this program.
    pub fn is_real(&self) -> bool {
        self.has_contacts() || matches!(self, Self::Keys(_) | Self::Command(_))
    }

    /// Whether it has contacts, which wear.
    pub fn has_contacts(&self) -> bool {
        matches!(self, Self::Adr2200(_) | Self::Serial(_) | Self::Hid(_))
    }

    /// The same; where nothing is said about a key, those of a game are pressed (a button's name, a key's name).
    ///
    /// # Errors
    /// When a game names a button or a key that there is not.
    pub fn with_keys<'a>(self, of_game: impl Iterator<Item = (&'a str, &'a str)>) -> Result<Self, RelayError> {
        let Self::Keys(spec) = self else { return Ok(self) };
        let mut keys = KeyMap::default();
        for (button, key) in of_game {
            let detail = |problem| RelayError::Detail { text: format!("keys:{}?{button}={key}", spec.title), problem };
            keys.set(button, key).map_err(detail)?;
        }
        spec.keys.unusual().for_each(|(place, key)| keys.put(place, key));
        Ok(Self::Keys(KeysSpec { keys, ..spec }))
    }

    /// Reads the name of a board that stands in a profile, which may be a stranger's: it runs no program.
    ///
    /// # Errors
    /// As [`Self::parse`], and when it names a program.
    pub fn parse_profile(text: &str) -> Result<Self, RelayError> {
        match Self::parse(text)? {
            Self::Command(_) => Err(RelayError::ProfileCommand { text: text.into() }),
            spec => Ok(spec),
        }
    }

    /// Its serial port, if it is on one.
    pub fn port(&self) -> Option<&str> {
        match self {
            Self::Adr2200(spec) => Some(&spec.path),
            Self::Serial(spec) => Some(&spec.path),
            _ => None,
        }
    }
}

/// Which keys press, and in which window.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeysSpec {
    /// The window's title, or a part of it; empty for the window that is in front when the first key is pressed.
    pub title: String,
    /// Which key stands for which button.
    pub keys: KeyMap,
    /// Whether the window must be there when it is opened. `verify=no` is for whoever only releases.
    pub verify: bool,
}

/// Where an ADR2200 is and how to talk to it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Adr2200Spec {
    /// The serial port.
    pub path: String,
    /// Bits a second; the board leaves the factory at 9600.
    pub baud: u32,
    /// The board's address on its line, 0–9; board 0 also answers without one.
    pub address: u8,
    /// Whether the board must answer when it is opened. `verify=no` is for cables that only transmit.
    pub verify: bool,
}

impl Adr2200Spec {
    /// A board at its factory settings.
    pub fn new(path: impl Into<String>) -> Self {
        Self { path: path.into(), baud: 9600, address: 0, verify: true }
    }
}

/// Where another serial board is and how to talk to it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SerialSpec {
    /// The serial port.
    pub path: String,
    /// Bits a second.
    pub baud: u32,
    /// Whether the board must answer when it is opened, if its kind answers at all.
    pub verify: bool,
    /// What it speaks.
    pub protocol: Protocol,
    /// What else there is to know.
    pub options: Options,
}

impl SerialSpec {
    /// A board of eight relays at its factory settings.
    pub fn new(protocol: Protocol, path: impl Into<String>) -> Self {
        let address = if protocol == Protocol::Adr2200 { 0 } else { 1 };
        let options = Options { address, ..Options::default() };
        Self { path: path.into(), baud: protocol.baud(), verify: true, protocol, options }
    }
}

impl RelaySpec {
    /// A board of this protocol at its factory settings.
    pub fn at(protocol: Protocol, path: impl Into<String>) -> Self {
        match protocol {
            Protocol::Adr2200 => Self::Adr2200(Adr2200Spec::new(path)),
            other => Self::Serial(SerialSpec::new(other, path)),
        }
    }

    /// Reads a board's name.
    ///
    /// # Errors
    /// When it names none; the text lists what there is.
    pub fn parse(text: &str) -> Result<Self, RelayError> {
        let wrong = |problem: String| RelayError::Spec { text: text.into(), problem };
        match text.trim() {
            "sim" => return Ok(Self::Simulated),
            "none" => return Ok(Self::None),
            "keys" => return parse_keys("").map(Self::Keys).map_err(wrong),
            _ => {}
        }
        let Some((kind, rest)) = text.trim().split_once(':').filter(|(kind, _)| !kind.contains(['/', '\\'])) else {
            return Err(wrong("it has no protocol before a colon".into()));
        };
        match (kind, Protocol::from_name(kind)) {
            ("hid", _) => Ok(Self::Hid(rest.into())),
            ("keys", _) => {
                parse_keys(rest).map(Self::Keys).map_err(|problem| RelayError::Detail { text: text.into(), problem })
            }
            ("command", _) => match split_words(rest) {
                Ok(words) if words.is_empty() => Err(wrong("the program is missing after `command:`".into())),
                Ok(words) => Ok(Self::Command(words)),
                Err(problem) => Err(wrong(problem)),
            },
            ("sim", _) => {
                let no_emulator = || wrong(format!("there is no emulated board {rest:?}"));
                Protocol::from_name(rest).map(Self::Emulated).ok_or_else(no_emulator)
            }
            (_, Some(protocol)) => {
                let detail = |problem| RelayError::Detail { text: text.into(), problem };
                parse_serial(protocol, rest).map_err(detail)
            }
            _ => Err(wrong(format!("there is no protocol {kind:?}"))),
        }
    }
}

/// The title may hold anything but a question mark; after it come `BUTTON=KEY` and `verify=no`.
fn parse_keys(rest: &str) -> Result<KeysSpec, String> {
    let (title, options) = rest.split_once('?').unwrap_or((rest, ""));
    let mut spec = KeysSpec { title: title.into(), keys: KeyMap::default(), verify: true };
    for option in options.split('&').filter(|o| !o.is_empty()) {
        let (key, value) = option.split_once('=').unwrap_or((option, ""));
        match key {
            "verify" => spec.verify = either(value, "yes", "no").ok_or("verify is yes or no")?,
            button => spec.keys.set(button, value)?,
        }
    }
    Ok(spec)
}

fn parse_serial(protocol: Protocol, rest: &str) -> Result<RelaySpec, String> {
    let (path, options) = rest.split_once('?').unwrap_or((rest, ""));
    if path.is_empty() {
        return Err(format!("the port is missing after `{}:`", protocol.name()));
    }
    let mut spec = SerialSpec::new(protocol, path);
    for option in options.split('&').filter(|o| !o.is_empty()) {
        let (key, value) = option.split_once('=').unwrap_or((option, ""));
        spec.take(key, value)?;
    }
    let SerialSpec { path, baud, verify, options, .. } = spec;
    Ok(match protocol {
        Protocol::Adr2200 => RelaySpec::Adr2200(Adr2200Spec { path, baud, address: options.address, verify }),
        _ => RelaySpec::Serial(SerialSpec { path, baud, verify, protocol, options }),
    })
}

impl SerialSpec {
    fn take(&mut self, key: &str, value: &str) -> Result<(), String> {
        let options = &mut self.options;
        let number = |low: u32, high: u32| value.parse().ok().filter(|n: &u32| (low..=high).contains(n));
        match (key, self.protocol) {
            ("baud", _) => self.baud = number(50, 4_000_000).ok_or("baud is a rate such as 9600")?,
            ("verify", _) => self.verify = either(value, "yes", "no").ok_or("verify is yes or no")?,
            ("address", Protocol::Adr2200) => {
                options.address = number(0, 9).ok_or("address is one digit, 0 to 9")? as u8;
            }
            ("address", Protocol::Conrad) => {
                options.address = number(1, 255).ok_or("address is the card's place on the line, 1 to 255")? as u8;
            }
            ("slave", Protocol::Modbus) => options.address = number(1, 247).ok_or("slave is 1 to 247")? as u8,
            ("first", Protocol::Modbus) => options.first_coil = number(0, 65_528).ok_or("first is 0 to 65528")? as u16,
            ("relays", Protocol::Lcus | Protocol::Kmtronic | Protocol::Numato | Protocol::Modbus) => {
                options.relays = number(1, 8).ok_or("relays is 1 to 8")? as u8;
            }
            ("pins", Protocol::Firmata) => {
                (options.first_pin, options.relays) = pins(value).ok_or("pins are at most eight, such as 2-9")?;
            }
            ("active", Protocol::Firmata) => {
                options.active_low = either(value, "low", "high").ok_or("active is low or high")?;
            }
            _ => return Err(format!("there is no option {key:?}; there are {}", self.keys().join(", "))),
        }
        Ok(())
    }

    fn keys(&self) -> Vec<&'static str> {
        let own: &[&str] = match self.protocol {
            Protocol::Adr2200 | Protocol::Conrad => &["address"],
            Protocol::Lcus | Protocol::Kmtronic | Protocol::Numato => &["relays"],
            Protocol::UsbRly => &[],
            Protocol::Modbus => &["slave", "first", "relays"],
            Protocol::Firmata => &["pins", "active"],
        };
        [&["baud", "verify"], own].concat()
    }
}

fn either(value: &str, yes: &str, no: &str) -> Option<bool> {
    (value == yes || value == no).then_some(value == yes)
}

/// The first pin and how many: 2-9 are the pins of an Uno that nothing else needs.
fn pins(text: &str) -> Option<(u8, u8)> {
    let (first, last) = text.split_once('-').unwrap_or((text, text));
    let (first, last): (u8, u8) = (first.parse().ok()?, last.parse().ok()?);
    // Firmata numbers its pins with seven bits.
    (first <= last && last - first < 8 && last < 128).then(|| (first, last - first + 1))
}

impl fmt::Display for RelaySpec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (spec, address) = match self {
            Self::Adr2200(Adr2200Spec { path, baud, address, verify }) => {
                let spec = SerialSpec { baud: *baud, verify: *verify, ..SerialSpec::new(Protocol::Adr2200, path) };
                (spec, *address)
            }
            Self::Serial(spec) => (spec.clone(), spec.options.address),
            Self::Hid(serial) => return write!(f, "hid:{serial}"),
            Self::Keys(spec) => return spec.fmt(f),
            Self::Command(words) => {
                let words: Vec<String> = words.iter().map(|word| quoted(word)).collect();
                return write!(f, "command:{}", words.join(" "));
            }
            Self::Simulated => return f.write_str("sim"),
            Self::Emulated(protocol) => return write!(f, "sim:{}", protocol.name()),
            Self::None => return f.write_str("none"),
        };
        let Options { relays, first_coil, first_pin, active_low, .. } = spec.options;
        let value = |key: &str| match key {
            "baud" => spec.baud.to_string(),
            "verify" => if spec.verify { "yes" } else { "no" }.into(),
            "address" | "slave" => address.to_string(),
            "first" => first_coil.to_string(),
            "relays" => relays.to_string(),
            "pins" => format!("{first_pin}-{}", first_pin + relays - 1),
            _ => if active_low { "low" } else { "high" }.into(),
        };
        let is_said = |key: &&str| *key != "verify" || !spec.verify;
        let options: Vec<String> =
            spec.keys().into_iter().filter(is_said).map(|key| format!("{key}={}", value(key))).collect();
        write!(f, "{}:{}?{}", spec.protocol.name(), spec.path, options.join("&"))
    }
}

impl fmt::Display for KeysSpec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name =
            |button: Buttons| Buttons::NAMED.into_iter().find(|(other, _)| *other == button).map(|(_, name)| name);
        let keys = self.keys.unusual().map(|(button, key)| format!("{}={key}", name(button).unwrap_or_default()));
        let options: Vec<String> = keys.chain((!self.verify).then(|| "verify=no".into())).collect();
        let mark = if options.is_empty() { "" } else { "?" };
        let colon = if self.title.is_empty() && options.is_empty() { "" } else { ":" };
        write!(f, "keys{colon}{}{mark}{}", self.title, options.join("&"))
    }
}

/// A word as [`split_words`] reads it back.
fn quoted(word: &str) -> String {
    let is_plain = |letter: char| letter.is_ascii_alphanumeric() || "-_./=:,+@%".contains(letter);
    match !word.is_empty() && word.chars().all(is_plain) {
        true => word.into(),
        false => format!("'{}'", word.replace('\'', r"'\''")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_boards_are_read() {
        let adr = |text| match RelaySpec::parse(text).unwrap() {
            RelaySpec::Adr2200(spec) => spec,
            other => panic!("{text} gave {other:?}"),
        };
        assert_eq!(adr("adr2200:/dev/ttyUSB0"), Adr2200Spec::new("/dev/ttyUSB0"));
        let spec = adr("adr2200:COM3?baud=19200&address=7&verify=no");
        assert_eq!((spec.path.as_str(), spec.baud, spec.address, spec.verify), ("COM3", 19200, 7, false));
        assert_eq!(RelaySpec::parse("sim").unwrap(), RelaySpec::Simulated);
        assert_eq!(RelaySpec::parse("none").unwrap(), RelaySpec::None);
        assert_eq!(RelaySpec::parse("sim:lcus").unwrap(), RelaySpec::Emulated(Protocol::Lcus));
        assert_eq!(RelaySpec::parse("hid:").unwrap(), RelaySpec::Hid(String::new()));
    }

    #[test]
    fn a_name_is_written_as_it_is_read() {
        for text in [
            "adr2200:/dev/ttyUSB0?baud=9600&address=3",
            "lcus:/dev/ttyUSB0?baud=9600&relays=4",
            "kmtronic:COM3?baud=9600&relays=8",
            "usbrly:/dev/ttyACM0?baud=19200",
            "numato:/dev/ttyACM0?baud=9600&verify=no&relays=2",
            "conrad:/dev/ttyUSB0?baud=19200&address=2",
            "modbus:/dev/ttyUSB0?baud=19200&slave=17&first=19&relays=8",
            "firmata:/dev/ttyACM0?baud=57600&pins=3-9&active=low",
            "hid:BITFT",
            "keys",
            "keys:vitetris?up=w&a=space",
            "keys:My game (2)?verify=no",
            "command:xdotool -",
            r"command:sh -c 'cat > my_file'",
            "sim:firmata",
            "sim",
            "none",
        ] {
            assert_eq!(RelaySpec::parse(text).unwrap().to_string(), text);
        }
    }

    #[test]
    fn wrong_names_are_answered_with_the_right_ones() {
        for (text, problem) in [
            ("", "no protocol"),
            ("/dev/ttyUSB0", "no protocol"),
            ("lpt:1", "no protocol \"lpt\""),
            ("sim:hid", "no emulated board"),
            ("adr2200:", "port is missing"),
            ("adr2200:/dev/x?baud=fast", "baud is a rate"),
            ("adr2200:/dev/x?address=10", "one digit"),
            ("adr2200:/dev/x?speed=9600", "there are baud, verify, address"),
            ("adr2200:/dev/x?verify=maybe", "yes or no"),
            ("adr2200:/dev/x?relays=8", "no option \"relays\""),
            ("lcus:/dev/x?relays=9", "relays is 1 to 8"),
            ("conrad:/dev/x?address=0", "1 to 255"),
            ("modbus:/dev/x?slave=0", "1 to 247"),
            ("modbus:/dev/x?first=-1", "first is"),
            ("firmata:/dev/x?pins=2-10", "at most eight"),
            ("firmata:/dev/x?pins=9-2", "at most eight"),
            ("firmata:/dev/x?active=maybe", "low or high"),
            ("usbrly:/dev/x?relays=8", "there are baud, verify"),
            ("keys:game?a=fire", "there is no key \"fire\""),
            ("keys:game?fire=a", "there is no button \"fire\""),
            ("keys:game?verify=maybe", "yes or no"),
            ("command:", "the program is missing"),
            ("command:sh -c 'x", "not closed"),
        ] {
            let error = RelaySpec::parse(text).unwrap_err().to_string();
            assert!(error.contains(problem), "{text:?}: {error}");
            let known = text.split_once(':').and_then(|(name, _)| Protocol::from_name(name));
            let list: &[&str] = match known.is_some() || text.starts_with("keys:") {
                false => &["adr2200:/dev/ttyUSB0?baud=9600", "lcus:", "firmata:", "keys:", "none"],
                true => &["help boards"],
            };
            list.iter().for_each(|words| assert!(error.contains(words), "{text:?}: {error}"));
        }
    }
}
