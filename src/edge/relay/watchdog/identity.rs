//! Which device is behind a port: names change hands when things are plugged in and out.

use crate::edge::relay::RelaySpec;
use rustix::fs::{Mode, OFlags, fstat, major, minor, open};
use serialport::SerialPortType;
use std::os::fd::{AsFd, OwnedFd};
use std::path::{Path, PathBuf};

/// A descriptor of a port, beside that of the driver, which locks the port only afterwards.
pub(super) fn spare(path: &str) -> Option<OwnedFd> {
    let flags = OFlags::RDWR | OFlags::NOCTTY | OFlags::NONBLOCK | OFlags::CLOEXEC;
    let port = open(path, flags, Mode::empty()).ok()?;
    // A file is no port, and must not be written to.
    rustix::termios::isatty(&port).then_some(port)
}

/// What is known of a device.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Identity {
    /// The system's number for it. Another device may get it later.
    device: u64,
    usb: Option<Usb>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Usb {
    /// Vendor and product.
    kind: [String; 2],
    serial: Option<String>,
    /// The socket it is plugged into.
    place: String,
}

/// Whether two devices are one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Likeness {
    /// As far as the system can tell.
    Same,
    /// Nothing speaks against it; the board itself must say.
    Perhaps,
    /// They are two.
    Other,
}

impl Identity {
    /// Of an open port.
    pub(super) fn of(port: impl AsFd) -> Option<Self> {
        let device = fstat(port).ok()?.st_rdev as u64;
        Some(Self { device, usb: usb(Path::new(&format!("/sys/dev/char/{}:{}", major(device), minor(device)))) })
    }

    /// Of the port of this name; does not open it.
    pub(super) fn at(path: &str) -> Option<Self> {
        let device = rustix::fs::stat(path).ok()?.st_rdev as u64;
        Some(Self { device, usb: usb(Path::new(&format!("/sys/dev/char/{}:{}", major(device), minor(device)))) })
    }

    /// Whether `other` is this device.
    pub(super) fn like(&self, other: &Self) -> Likeness {
        match (&self.usb, &other.usb) {
            (Some(a), Some(b)) if a.kind != b.kind || a.serial != b.serial => Likeness::Other,
            (Some(a), Some(b)) if a.serial.is_some() || a.place == b.place => Likeness::Same,
            (Some(_), Some(_)) => Likeness::Perhaps,
            (None, None) if self.device == other.device => Likeness::Same,
            (None, None) => Likeness::Perhaps,
            _ => Likeness::Other,
        }
    }

    /// The other names under which this device may be found: ports with its USB serial number.
    pub(super) fn other_names(&self) -> Vec<String> {
        let Some(Usb { kind, serial: Some(serial), .. }) = &self.usb else { return Vec::new() };
        let is_it = |port: &serialport::SerialPortInfo| match &port.port_type {
            SerialPortType::UsbPort(usb) => {
                let found = [format!("{:04x}", usb.vid), format!("{:04x}", usb.pid)];
                found == *kind && usb.serial_number.as_ref() == Some(serial)
            }
            _ => false,
        };
        let ports = serialport::available_ports().unwrap_or_default();
        ports.into_iter().filter(is_it).map(|port| port.port_name).collect()
    }
}

/// The USB device that this one belongs to, by sysfs.
fn usb(device: &Path) -> Option<Usb> {
    let real: PathBuf = device.canonicalize().ok()?;
    let folder = real.ancestors().find(|folder| folder.join("idVendor").is_file())?;
    let text = |name: &str| Some(std::fs::read_to_string(folder.join(name)).ok()?.trim().to_string());
    let kind = [text("idVendor")?, text("idProduct")?];
    Some(Usb { kind, serial: text("serial"), place: folder.file_name()?.to_string_lossy().into_owned() })
}

/// The same board behind a port of another name.
pub(super) fn renamed(spec: &RelaySpec, path: &str) -> RelaySpec {
    let mut spec = spec.clone();
    match &mut spec {
        RelaySpec::Adr2200(adr) => adr.path = path.into(),
        RelaySpec::Serial(serial) => serial.path = path.into(),
        _ => {}
    }
    spec
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(device: u64, usb: Option<(&str, Option<&str>, &str)>) -> Identity {
        let usb = usb.map(|(product, serial, place)| Usb {
            kind: ["0403".into(), product.into()],
            serial: serial.map(String::from),
            place: place.into(),
        });
        Identity { device, usb }
    }

    #[test]
    fn a_name_does_not_make_a_device() {
        use Likeness::{Other, Perhaps, Same};
        let board = at(1, Some(("6001", Some("A1"), "1-2")));
        for (other, like) in [
            (at(2, Some(("6001", Some("A1"), "1-3"))), Same),
            (at(1, Some(("6001", Some("A2"), "1-2"))), Other),
            (at(1, Some(("6015", Some("A1"), "1-2"))), Other),
            (at(1, Some(("6001", None, "1-2"))), Other),
            (at(1, None), Other),
        ] {
            assert_eq!(board.like(&other), like, "{other:?}");
        }
        let nameless = at(1, Some(("6001", None, "1-2")));
        assert_eq!(nameless.like(&at(7, Some(("6001", None, "1-2")))), Same, "in the same socket");
        assert_eq!(nameless.like(&at(1, Some(("6001", None, "1-4")))), Perhaps);
        assert_eq!((at(1, None).like(&at(1, None)), at(1, None).like(&at(2, None))), (Same, Perhaps));
    }

    #[test]
    fn what_is_no_port_is_not_handed_over() {
        let file = tempfile::NamedTempFile::new().unwrap();
        assert!(spare(file.path().to_str().unwrap()).is_none());
        assert!(spare("/dev/there-is-none").is_none() && spare("/dev/null").is_none());
    }
}
