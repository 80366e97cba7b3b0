//! The HID "USBRelay" boards, 16c0:05df: reports of nine bytes, one relay each (source: facts of public clients).
//!
//! The bytes are always here and tested; the device itself needs the cargo feature `hid`. How long a report takes no source
//! says: a low-speed control transfer of three stages needs about three frames of the bus.

use crate::edge::relay::codec::{self, Codec, Question};
use crate::edge::relay::{Capabilities, RelayBoard, RelayError};
use crate::message::RelayMask;
use crate::profile::wire::Wire;

/// What a report tells the board: the third byte says which relay, from 1.
const CLOSE: u8 = 0xFF;
const OPEN: u8 = 0xFD;
const CLOSE_ALL: u8 = 0xFE;
const OPEN_ALL: u8 = 0xFC;
/// With its report number.
const REPORT_BYTES: usize = 9;
const REPORT_MS: f64 = 3.0;
/// Where the answer holds the relays' state; its first five bytes are the serial number.
const STATE_AT: usize = 7;
const SERIAL_BYTES: usize = 5;

/// The language of a HID board.
#[derive(Debug, Clone)]
pub struct Reports {
    /// How many relays it has, 1–8.
    pub relays: u8,
}

impl Reports {
    /// The serial number in the board's feature report 1.
    pub fn serial(report: &[u8]) -> Option<String> {
        let digits = report.get(..SERIAL_BYTES)?;
        digits.iter().all(u8::is_ascii_graphic).then(|| String::from_utf8_lossy(digits).into_owned())
    }
}

fn report(command: u8, number: u8) -> Vec<u8> {
    let mut bytes = vec![0; REPORT_BYTES];
    (bytes[1], bytes[2]) = (command, number);
    bytes
}

impl Codec for Reports {
    fn board(&self) -> String {
        "HID USBRelay board".into()
    }

    fn capabilities(&self) -> Capabilities {
        Capabilities { relays: self.relays, wire: Wire::one_by_one(REPORT_MS), reads_back: true }
    }

    fn encode(&self, before: Option<RelayMask>, after: RelayMask) -> Vec<Vec<u8>> {
        match (before, after.0) {
            (None, 0) => return vec![report(OPEN_ALL, 0)],
            (None, mask) if mask == codec::all_of(self.relays) => return vec![report(CLOSE_ALL, 0)],
            _ => {}
        }
        let single = |(relay, mask): (u8, RelayMask)| {
            report(if mask.0 & relay != 0 { CLOSE } else { OPEN }, relay.trailing_zeros() as u8 + 1)
        };
        codec::steps(self, before, after).into_iter().map(single).collect()
    }

    /// The board is not asked by bytes: its feature report 1 is read.
    fn questions(&self) -> Vec<Question> {
        Vec::new()
    }

    fn answer(&self, _question: usize, report: &[u8]) -> Option<RelayMask> {
        Self::serial(report)?;
        report.get(STATE_AT).map(|state| RelayMask(state & codec::all_of(self.relays)))
    }
}

/// Opens the board with this serial number, or the only one.
#[cfg(not(feature = "hid"))]
pub(in crate::edge::relay) fn open(_serial: &str) -> Result<Box<dyn RelayBoard>, RelayError> {
    Err(RelayError::NoHid)
}

#[cfg(feature = "hid")]
pub(in crate::edge::relay) use device::open;

#[cfg(feature = "hid")]
mod device {
    use super::*;
    use hidapi::{HidApi, HidDevice, HidError};

    const VENDOR: u16 = 0x16C0;
    const PRODUCT: u16 = 0x05DF;
    /// The boards' product name is this with the number of relays.
    const NAME: &str = "USBRelay";

    struct HidBoard {
        device: HidDevice,
        serial: String,
        reports: Reports,
        told: Option<RelayMask>,
    }

    fn refused(error: HidError) -> RelayError {
        RelayError::Hid { problem: error.to_string() }
    }

    fn read(device: &HidDevice) -> Result<[u8; REPORT_BYTES], RelayError> {
        let mut report = [0; REPORT_BYTES];
        report[0] = 1;
        device.get_feature_report(&mut report).map_err(refused)?;
        Ok(report)
    }

    /// Opens the board with this serial number, or the only one.
    pub(in crate::edge::relay) fn open(wanted: &str) -> Result<Box<dyn RelayBoard>, RelayError> {
        let api = HidApi::new().map_err(refused)?;
        let mut found = Vec::new();
        let mut boards = Vec::new();
        // Many other things share these numbers; only the name tells.
        let known = |d: &&hidapi::DeviceInfo| (d.vendor_id(), d.product_id()) == (VENDOR, PRODUCT);
        for info in api.device_list().filter(known) {
            let Some(relays) = info.product_string().and_then(|name| name.strip_prefix(NAME)) else { continue };
            let relays = relays.parse().ok().filter(|n| (1..=8).contains(n)).unwrap_or(8);
            let Ok(device) = info.open_device(&api) else { continue };
            let serial = Reports::serial(&read(&device)?).unwrap_or_default();
            found.push(serial.clone());
            if wanted.is_empty() || wanted == serial {
                boards.push(HidBoard { device, serial, reports: Reports { relays }, told: None });
            }
        }
        match (boards.pop(), boards.len()) {
            (Some(board), 0) => Ok(Box::new(board)),
            _ => {
                let found = if found.is_empty() { "none".into() } else { found.join(", ") };
                Err(RelayError::HidMissing { serial: wanted.into(), found })
            }
        }
    }

    impl RelayBoard for HidBoard {
        fn set(&mut self, mask: RelayMask) -> Result<(), RelayError> {
            let relays = self.reports.relays;
            if mask.0 & !codec::all_of(relays) != 0 {
                return Err(RelayError::NoSuchRelay { board: self.name(), relays, mask });
            }
            for report in self.reports.encode(self.told.take(), mask) {
                self.device.send_feature_report(&report).map_err(refused)?;
            }
            self.told = Some(mask);
            Ok(())
        }

        fn open_all(&mut self) -> Result<(), RelayError> {
            self.told = None;
            self.set(RelayMask(0))
        }

        fn capabilities(&self) -> Capabilities {
            self.reports.capabilities()
        }

        fn name(&self) -> String {
            format!("HID USBRelay {}", self.serial)
        }

        fn read_back(&mut self) -> Result<Option<RelayMask>, RelayError> {
            Ok(self.reports.answer(0, &read(&self.device)?))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reports_are_as_published() {
        let board = Reports { relays: 8 };
        assert_eq!(board.encode(None, RelayMask(0)), [[0, 0xFC, 0, 0, 0, 0, 0, 0, 0]]);
        assert_eq!(board.encode(None, RelayMask(255)), [[0, 0xFE, 0, 0, 0, 0, 0, 0, 0]]);
        let swapped = board.encode(Some(RelayMask(1)), RelayMask(0x80));
        assert_eq!(swapped, [[0, 0xFD, 1, 0, 0, 0, 0, 0, 0], [0, 0xFF, 8, 0, 0, 0, 0, 0, 0]]);
        assert_eq!(board.answer(0, b"BITFT\0\0\x05\0"), Some(RelayMask(5)));
        assert_eq!(Reports::serial(b"BITFT\0\0\x05\0").as_deref(), Some("BITFT"));
        assert_eq!((board.answer(0, &[0; 9]), board.answer(0, b"BITFT")), (None, None));
    }
}
