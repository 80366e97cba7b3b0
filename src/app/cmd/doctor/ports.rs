//! Serial ports: which adapters, at which rates, who answers.

use super::findings::Findings;
use crate::edge::relay;
use crate::time::Clock;
use serialport::SerialPortType;
use std::io;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

/// Rates that boards use.
const RATES: [u32; 4] = [9600, 19_200, 57_600, 115_200];
/// FTDI adapters hold answers back for up to this many ms unless told otherwise.
const LATENCY_NOTED_MS: u32 = 2;

/// Checks all ports; those that are not named are only asked if `probe`.
pub fn check(findings: &mut Findings, named: Option<&str>, probe: bool, clock: &Arc<dyn Clock>) -> io::Result<()> {
    let ports = serialport::available_ports().unwrap_or_default();
    if ports.is_empty() && named.is_none() {
        return findings.mend("port", "", "no serial port found", "plug in the relay board's adapter");
    }
    for port in ports {
        let path = port.port_name;
        let adapter = adapter(&port.port_type);
        findings.good("port", &path, &format!("{adapter}{}", driver(&path)))?;
        latency(findings, &path)?;
        // The named board is asked by itself.
        if !probe || named.is_some_and(|name| name.contains(&path)) {
            continue;
        }
        match silent_rates(&path) {
            Ok(silent) if silent.is_empty() => findings.good("port", &path, "reads back every rate that was set")?,
            Ok(silent) => findings.note(
                "port",
                &path,
                &format!("replaces these rates by others: {silent:?}"),
                Some("use another adapter for a board that needs one of them"),
            )?,
            Err(e) => {
                findings.note(
                    "port",
                    &path,
                    &format!("does not open ({e})"),
                    Some("see who uses it with `fuser -v`"),
                )?;
                continue;
            }
        }
        match relay::identify(&path, clock.clone()) {
            Ok(Some(board)) => findings.good("port", &path, &format!("answers as {board}"))?,
            Ok(None) => findings.note("port", &path, "no board that can be asked answers", None)?,
            Err(e) => findings.note("port", &path, &e.to_string(), None)?,
        }
    }
    Ok(())
}

fn adapter(kind: &SerialPortType) -> String {
    match kind {
        SerialPortType::UsbPort(usb) => {
            let names: Vec<_> = [&usb.manufacturer, &usb.product].into_iter().flatten().cloned().collect();
            let serial = usb.serial_number.as_ref().map(|s| format!(", serial number {s}")).unwrap_or_default();
            format!("USB {:04x}:{:04x} {}{serial}", usb.vid, usb.pid, names.join(" "))
        }
        SerialPortType::PciPort => "built in".into(),
        SerialPortType::BluetoothPort => "Bluetooth: too slow and uneven for presses".into(),
        SerialPortType::Unknown => "of unknown kind".into(),
    }
}

fn driver(path: &str) -> String {
    let Some(name) = Path::new(path).file_name() else { return String::new() };
    let link = Path::new("/sys/class/tty").join(name).join("device/driver");
    let driver = std::fs::read_link(link).ok().and_then(|d| Some(d.file_name()?.to_string_lossy().into_owned()));
    driver.map(|d| format!(", driver {d}")).unwrap_or_default()
}

fn latency(findings: &mut Findings, path: &str) -> io::Result<()> {
    let Some(name) = Path::new(path).file_name() else { return Ok(()) };
    let file = Path::new("/sys/bus/usb-serial/devices").join(name).join("latency_timer");
    let Some(ms) = std::fs::read_to_string(&file).ok().and_then(|text| text.trim().parse::<u32>().ok()) else {
        return Ok(());
    };
    if ms < LATENCY_NOTED_MS {
        return findings.good("port", path, &format!("latency timer {ms} ms"));
    }
    let says = format!("holds answers back for up to {ms} ms (presses are not delayed)");
    let remedy = format!("`echo 1 | sudo tee {}` makes read-back faster", file.display());
    findings.note("port", path, &says, Some(&remedy))
}

/// The rates that the adapter silently replaces.
fn silent_rates(path: &str) -> Result<Vec<u32>, serialport::Error> {
    let mut port = serialport::new(path, RATES[0]).timeout(Duration::from_millis(50)).open()?;
    let mut silent = Vec::new();
    for rate in RATES {
        let is_kept = port.set_baud_rate(rate).and_then(|()| port.baud_rate());
        if !is_kept.is_ok_and(|got| got.abs_diff(rate) * 50 <= rate) {
            silent.push(rate);
        }
    }
    Ok(silent)
}
