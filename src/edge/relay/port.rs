//! Opening a serial port for this program alone, with every way in which that fails named.

use super::RelayError;
use serialport::SerialPort;
use std::io::ErrorKind;
use std::path::Path;
use std::time::Duration;

/// The longest that one write may block: a full output buffer means a dead line.
const WRITE_TIMEOUT: Duration = Duration::from_millis(250);

/// Opens a port at `baud` bits a second, 8 data bits, no parity, one stop bit.
///
/// # Errors
/// When there is no such port, it is not ours, it is in use, or it runs at another rate.
pub(super) fn open_port(path: &str, baud: u32) -> Result<Box<dyn SerialPort>, RelayError> {
    check_path(path)?;
    let opened = serialport::new(path, baud).timeout(WRITE_TIMEOUT).open();
    let port = opened.map_err(|e| open_error(path, e))?;
    if let Some(holder) = holder(Path::new(path)) {
        return Err(RelayError::Busy { path: path.into(), holder });
    }
    check_rate(port.as_ref(), path, baud)?;
    Ok(port)
}

/// Changes the rate of an open port.
///
/// # Errors
/// When the port is gone or takes another rate instead.
pub(super) fn set_rate(port: &mut dyn SerialPort, path: &str, baud: u32) -> Result<(), RelayError> {
    port.set_baud_rate(baud).map_err(|e| open_error(path, e))?;
    check_rate(port, path, baud)
}

/// An adapter that cannot do a rate takes another one without a word.
fn check_rate(port: &dyn SerialPort, path: &str, asked: u32) -> Result<(), RelayError> {
    let got = port.baud_rate().map_err(|e| open_error(path, e))?;
    match is_same_rate(asked, got) {
        true => Ok(()),
        false => Err(RelayError::Baud { path: path.into(), asked, got }),
    }
}

/// Receivers sample in the middle of ten bits: two percent is what both ends may differ.
fn is_same_rate(asked: u32, got: u32) -> bool {
    u64::from(got.abs_diff(asked)) * 50 <= u64::from(asked)
}

fn check_path(path: &str) -> Result<(), RelayError> {
    // On Windows ports are no files; there the port itself tells.
    if cfg!(windows) {
        return Ok(());
    }
    let not_a_port = |what| Err(RelayError::NotAPort { path: path.into(), what });
    match std::fs::metadata(path) {
        Ok(meta) if meta.is_dir() => not_a_port("a folder"),
        Ok(meta) if meta.is_file() => not_a_port("a file"),
        Ok(_) => Ok(()),
        Err(e) if e.kind() == ErrorKind::PermissionDenied => Err(RelayError::Permission { path: path.into() }),
        Err(_) => Err(missing(path)),
    }
}

fn missing(path: &str) -> RelayError {
    let ports = serialport::available_ports().unwrap_or_default();
    let found: Vec<_> = ports.into_iter().map(|p| p.port_name).collect();
    let found = if found.is_empty() { "none".into() } else { found.join(", ") };
    RelayError::PortMissing { path: path.into(), found }
}

fn open_error(path: &str, source: serialport::Error) -> RelayError {
    use serialport::ErrorKind as Kind;
    let path = path.to_string();
    match source.kind() {
        Kind::Io(ErrorKind::NotFound) => missing(&path),
        Kind::Io(ErrorKind::PermissionDenied) => RelayError::Permission { path },
        // The system's "busy" and a lock that another program holds both arrive as "no device".
        Kind::NoDevice if cfg!(unix) => RelayError::Busy { path, holder: "another program".into() },
        Kind::NoDevice => missing(&path),
        #[cfg(unix)]
        Kind::Unknown | Kind::Io(_) if !is_terminal(&path) => RelayError::NoPort { path },
        _ => RelayError::Open { path, source },
    }
}

/// Whether the system takes it for a terminal, as it does all serial ports.
#[cfg(unix)]
fn is_terminal(path: &str) -> bool {
    use rustix::fs::{Mode, OFlags};
    let opened = rustix::fs::open(path, OFlags::RDONLY | OFlags::NONBLOCK | OFlags::NOCTTY, Mode::empty());
    // What does not open may be one.
    opened.map_or(true, rustix::termios::isatty)
}

/// Another process that has this port open, where the system shows it. Programs that take no lock (a terminal, a
/// forgotten script) would otherwise mix their bytes with ours.
#[cfg(target_os = "linux")]
fn holder(path: &Path) -> Option<String> {
    let real = path.canonicalize().ok()?;
    // The emulator at the other end of a pseudo-terminal rightly holds it.
    if real.starts_with("/dev/pts") {
        return None;
    }
    let own = std::process::id().to_string();
    for process in std::fs::read_dir("/proc").ok()?.flatten() {
        let id = process.file_name().into_string().ok()?;
        if id == own || !id.bytes().all(|b| b.is_ascii_digit()) {
            continue;
        }
        let Ok(files) = std::fs::read_dir(process.path().join("fd")) else { continue };
        if parent(&process.path()).is_some_and(|parent| parent == own) {
            // Our own watchdog.
            continue;
        }
        if files.flatten().any(|f| std::fs::read_link(f.path()).is_ok_and(|target| target == real)) {
            let name = std::fs::read_to_string(process.path().join("comm")).unwrap_or_default();
            return Some(format!("{} (process {id})", name.trim()));
        }
    }
    None
}

/// The number of the process that started this one.
#[cfg(target_os = "linux")]
fn parent(process: &Path) -> Option<String> {
    let stat = std::fs::read_to_string(process.join("stat")).ok()?;
    // The name, in parentheses, may hold anything; behind it come the state and the parent.
    stat.rsplit_once(')')?.1.split_whitespace().nth(1).map(String::from)
}

#[cfg(not(target_os = "linux"))]
fn holder(_path: &Path) -> Option<String> {
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rate_that_was_replaced_is_noticed() {
        for (asked, got, is_same) in [
            (9600, 9600, true),
            (9600, 9615, true),
            (115_200, 117_647, false),
            (9600, 19_200, false),
            (4_000_000, 9600, false),
        ] {
            assert_eq!(is_same_rate(asked, got), is_same, "{asked} and {got}");
        }
    }

    #[test]
    fn what_the_system_refuses_is_named() {
        let said = |kind| open_error("/dev/ttyUSB0", serialport::Error::new(kind, "refused")).to_string();
        assert!(said(serialport::ErrorKind::Io(ErrorKind::PermissionDenied)).contains("usermod -aG dialout"));
        assert!(said(serialport::ErrorKind::Io(ErrorKind::NotFound)).contains("there is no port"));
        assert!(said(serialport::ErrorKind::InvalidInput).contains("plug it in again"));
    }
}
