//! What kind of board is simulated, and what is wrong with it.

use crate::profile::protocol::{Options, Protocol};
use crate::twin::fault::TableFault;
use crate::twin::relay_board::contact::ContactTimes;

/// How a simulated board behaves.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DeviceSettings {
    /// What it speaks.
    pub protocol: Protocol,
    /// An ADR2200's address, 0–9; 0 also listens to commands without one.
    pub address: u8,
    /// What the other boards' names on the command line can say.
    pub options: Options,
    /// Whether it has the flaws of known clones: an ADR2200's never clears its line and so is deaf after one garbled
    /// command; an LCUS board's answers nothing.
    pub is_clone: bool,
    /// Whether an ADR2200 is our own board (`hardware/firmware`), which opens all relays when it hears nothing for too long.
    pub guards_itself: bool,
    /// From a command's last bit to its effect (about 1 ms is a guess; the maker does not say).
    pub firmware_us: i64,
    /// How its contacts move.
    pub contact: ContactTimes,
    /// What breaks of its contacts or wires.
    pub fault: Option<TableFault>,
    /// Seeds what is drawn at random.
    pub seed: u64,
}

impl Default for DeviceSettings {
    fn default() -> Self {
        let (protocol, options) = (Protocol::default(), Options::default());
        let contact = ContactTimes::default();
        Self {
            protocol,
            address: 0,
            options,
            is_clone: false,
            guards_itself: false,
            firmware_us: 1000,
            contact,
            fault: None,
            seed: 1,
        }
    }
}

/// What is wrong with a board.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Fault {
    /// Nothing.
    #[default]
    None,
    /// It neither acts nor answers.
    Deaf,
    /// It acts, but its answers are wrong.
    Garbled,
}
