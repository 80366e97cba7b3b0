//! Which relay board, as named on the command line.

use super::RelayError;

/// A relay board as named on the command line (`REL`).
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RelaySpec {
    /// `adr2200:PATH?baud=9600&address=0`
    Adr2200(Adr2200Spec),
    /// `sim`: the simulated table's own board.
    Simulated,
    /// `none`: no board; every command goes nowhere.
    None,
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

impl RelaySpec {
    /// Reads a board's name.
    ///
    /// # Errors
    /// When it names none; the text lists what there is.
    pub fn parse(text: &str) -> Result<Self, RelayError> {
        let wrong = |problem: String| RelayError::Spec { text: text.into(), problem };
        match text.trim() {
            "sim" => return Ok(Self::Simulated),
            "none" => return Ok(Self::None),
            _ => {}
        }
        match text.trim().split_once(':') {
            Some(("adr2200", rest)) => parse_adr2200(rest).map(Self::Adr2200).map_err(wrong),
            Some((kind, _)) if !kind.contains(['/', '\\']) => Err(wrong(format!("there is no protocol {kind:?}"))),
            _ => Err(wrong("it has no protocol before a colon".into())),
        }
    }
}

fn parse_adr2200(rest: &str) -> Result<Adr2200Spec, String> {
    let (path, options) = rest.split_once('?').unwrap_or((rest, ""));
    if path.is_empty() {
        return Err("the port is missing after `adr2200:`".into());
    }
    let mut spec = Adr2200Spec::new(path);
    for option in options.split('&').filter(|o| !o.is_empty()) {
        let (key, value) = option.split_once('=').unwrap_or((option, ""));
        match key {
            "baud" => {
                spec.baud =
                    value.parse().ok().filter(|b| (50..=4_000_000).contains(b)).ok_or("baud is a rate such as 9600")?;
            }
            "address" => {
                spec.address = value.parse().ok().filter(|a| *a <= 9).ok_or("address is one digit, 0 to 9")?;
            }
            "verify" => {
                spec.verify = match value {
                    "yes" => true,
                    "no" => false,
                    _ => return Err("verify is yes or no".into()),
                }
            }
            _ => return Err(format!("there is no option {key:?}; there are baud, address and verify")),
        }
    }
    Ok(spec)
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
    }

    #[test]
    fn wrong_names_are_answered_with_the_right_ones() {
        for text in [
            "",
            "/dev/ttyUSB0",
            "lcus:/dev/ttyUSB0",
            "adr2200:",
            "adr2200:/dev/x?baud=fast",
            "adr2200:/dev/x?address=10",
            "adr2200:/dev/x?speed=9600",
            "adr2200:/dev/x?verify=maybe",
        ] {
            let error = RelaySpec::parse(text).unwrap_err().to_string();
            assert!(error.contains("adr2200:/dev/ttyUSB0?baud=9600"), "{text:?}: {error}");
        }
    }
}
