//! What relay boards on serial lines speak, and what can be set about each.

/// What boards on serial lines speak.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Protocol {
    /// Ontrak's, and our own board's.
    #[default]
    Adr2200,
    /// LC Technology's.
    Lcus,
    /// KMTronic's.
    Kmtronic,
    /// Devantech's.
    UsbRly,
    /// Numato's.
    Numato,
    /// That of Conrad's card 197720.
    Conrad,
    /// Modbus RTU coils.
    Modbus,
    /// An Arduino's with StandardFirmata.
    Firmata,
}

impl Protocol {
    /// Each with its name on the command line.
    pub const NAMED: [(Self, &'static str); 8] = [
        (Self::Adr2200, "adr2200"),
        (Self::Lcus, "lcus"),
        (Self::Kmtronic, "kmtronic"),
        (Self::UsbRly, "usbrly"),
        (Self::Numato, "numato"),
        (Self::Conrad, "conrad"),
        (Self::Modbus, "modbus"),
        (Self::Firmata, "firmata"),
    ];

    /// Its name on the command line.
    pub fn name(self) -> &'static str {
        Self::NAMED.iter().find(|(protocol, _)| *protocol == self).map_or("", |(_, name)| name)
    }

    /// The protocol of this name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::NAMED.iter().find(|(_, n)| *n == name).map(|(protocol, _)| *protocol)
    }

    /// Bits a second that boards leave the factory with. (USB boards that are no adapters ignore it.)
    pub fn baud(self) -> u32 {
        match self {
            Self::Conrad | Self::UsbRly => 19_200,
            Self::Firmata => 57_600,
            _ => 9600,
        }
    }
}

/// Options of the boards; each protocol takes its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Options {
    /// How many relays the board has, 1–8.
    pub relays: u8,
    /// An ADR2200's address, 0–9; a Conrad card's place on its line, 1–255; a Modbus slave's address, 1–247.
    pub address: u8,
    /// Modbus: the number of the first relay's coil, from 0.
    pub first_coil: u16,
    /// Firmata: the pin of K0; the others follow.
    pub first_pin: u8,
    /// Firmata: whether a low pin closes its relay, as on most relay modules.
    pub active_low: bool,
}

impl Default for Options {
    fn default() -> Self {
        Self { relays: 8, address: 1, first_coil: 0, first_pin: 2, active_low: false }
    }
}
