//! Every serial board through its real driver and a pseudo-terminal, the search for boards, and wrong boards on the port.

#![cfg(unix)]
#![allow(clippy::unwrap_used, clippy::panic)] // helpers outside #[test] functions are test code too

use serialport::{SerialPort, TTYPort};
use stackhand::edge::relay::boards::{Adr2200, Ask};
use stackhand::edge::relay::{self, Adr2200Spec, RelayBoard, RelayError, RelaySpec};
use stackhand::edge::simulated::PtyBoard;
use stackhand::message::RelayMask;
use stackhand::profile::calibration::Calibration;
use stackhand::profile::protocol::Protocol;
use stackhand::time::{Clock, SystemClock};
use stackhand::twin::relay_board::{DeviceSettings, Fault};
use std::io::{Read, Write};
use std::sync::Arc;
use std::time::Duration;

fn start(protocol: Protocol) -> (Arc<dyn Clock>, PtyBoard) {
    let clock: Arc<dyn Clock> = Arc::new(SystemClock::new());
    let settings = DeviceSettings { protocol, ..Default::default() };
    let board = PtyBoard::start(clock.clone(), settings, protocol.baud()).unwrap();
    (clock, board)
}

#[test]
fn every_board_is_set_and_read_back() {
    for (protocol, name) in Protocol::NAMED {
        let (clock, board) = start(protocol);
        let mut driver = relay::open(&RelaySpec::at(protocol, board.path()), clock.clone()).unwrap();
        driver.open_all().unwrap();
        for mask in [1, 0x82, 0xA5, 0].map(RelayMask) {
            driver.set(mask).unwrap();
            assert_eq!(driver.read_back().unwrap(), Some(mask), "{name}");
            assert_eq!(board.contacts().coils(), mask, "{name}");
        }
        let can = driver.capabilities();
        assert!(can.reads_back && can.relays == 8, "{name}");
        assert_eq!(can.wire.is_at_once(), !matches!(protocol, Protocol::Lcus | Protocol::Kmtronic | Protocol::Firmata));
    }
}

#[test]
fn every_board_is_found_by_asking_and_keeps_its_relays() {
    for (protocol, name) in Protocol::NAMED {
        let (clock, board) = start(protocol);
        let mut driver = relay::open(&RelaySpec::at(protocol, board.path()), clock.clone()).unwrap();
        driver.set(RelayMask(0x55)).unwrap();
        driver.read_back().unwrap();
        drop(driver);
        let found = relay::identify(board.path(), clock.clone()).unwrap();
        assert_eq!(found, Some(RelaySpec::at(protocol, board.path())), "{name}");
        assert_eq!(board.contacts().coils(), RelayMask(0x55), "{name}");
    }
}

#[test]
fn an_address_is_found_too() {
    let clock: Arc<dyn Clock> = Arc::new(SystemClock::new());
    let board = PtyBoard::start(clock.clone(), DeviceSettings { address: 8, ..Default::default() }, 9600).unwrap();
    let found = relay::identify(board.path(), clock).unwrap().unwrap();
    assert_eq!(found.to_string(), format!("adr2200:{}?baud=9600&address=8", board.path()));
}

#[test]
fn silence_and_what_is_no_port_are_told_apart() {
    let (clock, board) = start(Protocol::Adr2200);
    board.contacts().set_fault(Fault::Deaf);
    assert_eq!(relay::identify(board.path(), clock.clone()).unwrap(), None);
    let file = tempfile::NamedTempFile::new().unwrap();
    let error = relay::identify(file.path().to_str().unwrap(), clock.clone()).unwrap_err();
    assert!(matches!(error, RelayError::NotAPort { .. }), "{error}");
    let error = relay::identify("/dev/there-is-no-such-port", clock).unwrap_err();
    assert!(matches!(error, RelayError::PortMissing { .. }), "{error}");
}

#[test]
fn another_device_is_no_board() {
    let (mut far, near) = TTYPort::pair().unwrap();
    far.set_timeout(Duration::from_secs(20)).unwrap();
    let path = near.name().unwrap();
    std::thread::spawn(move || {
        let mut byte = [0];
        while far.read_exact(&mut byte).is_ok() {
            if byte == *b"\r" && far.write_all(b"ERROR\r\n").is_err() {
                return;
            }
        }
    });
    let error = relay::identify(&path, Arc::new(SystemClock::new())).unwrap_err();
    assert!(matches!(error, RelayError::Stranger { .. }) && error.to_string().contains("ERROR"), "{error}");
}

/// Each protocol on a port where another board listens: a typed error, or for LCUS, of which many never answer, a board
/// that cannot be read back.
#[test]
fn a_wrong_protocol_on_the_port_is_named() {
    let pairs = [
        (Protocol::Adr2200, Protocol::Lcus),
        (Protocol::Lcus, Protocol::Adr2200),
        (Protocol::Kmtronic, Protocol::Conrad),
        (Protocol::UsbRly, Protocol::Numato),
        (Protocol::Numato, Protocol::Modbus),
        (Protocol::Conrad, Protocol::UsbRly),
        (Protocol::Modbus, Protocol::Kmtronic),
        (Protocol::Firmata, Protocol::Conrad),
    ];
    // All at once: each waits for answers that do not come.
    std::thread::scope(|scope| {
        for (wrong, there) in pairs {
            scope.spawn(move || is_named(wrong, there));
        }
    });
}

fn is_named(wrong: Protocol, there: Protocol) {
    let (clock, board) = start(there);
    match relay::open(&RelaySpec::at(wrong, board.path()), clock) {
        Err(error @ (RelayError::NoAnswer { .. } | RelayError::WrongAnswer { .. })) => {
            assert!(error.to_string().contains("check"), "{wrong:?} at {there:?}: {error}");
        }
        Ok(opened) => assert!(wrong == Protocol::Lcus && !opened.capabilities().reads_back, "{wrong:?} at {there:?}"),
        Err(error) => panic!("{wrong:?} at {there:?}: {error}"),
    }
}

#[test]
fn a_relay_that_is_not_there_is_refused() {
    let (clock, board) = start(Protocol::Lcus);
    let spec = RelaySpec::parse(&format!("lcus:{}?relays=4&verify=no", board.path())).unwrap();
    let mut driver = relay::open(&spec, clock).unwrap();
    driver.set(RelayMask(8)).unwrap();
    let error = driver.set(RelayMask(16)).unwrap_err();
    assert!(matches!(error, RelayError::NoSuchRelay { relays: 4, .. }), "{error}");
    assert_eq!(driver.read_back().unwrap(), None);
}

#[test]
fn a_board_with_too_few_relays_for_the_buttons_is_refused_before_it_is_played_on() {
    let (clock, board) = start(Protocol::Lcus);
    let spec = RelaySpec::parse(&format!("lcus:{}?relays=6&verify=no", board.path())).unwrap();
    let driver = relay::open(&spec, clock).unwrap();
    let mut calibration = Calibration::new("nes", [640, 480], [[0.0; 2]; 4], 0.0);
    let error = relay::check_buttons(driver.as_ref(), &calibration).unwrap_err();
    assert!(error.to_string().contains("[buttons]"), "{error}");
    // Select and up are never pressed, and may keep relays that are not there.
    for (name, relay) in [("b", 5), ("a", 3), ("select", 6), ("up", 7)] {
        calibration.buttons.insert(name.into(), relay);
    }
    relay::check_buttons(driver.as_ref(), &calibration).unwrap();
}

#[test]
fn the_adr2200_counts_events_and_interrupts_disturb_no_answer() {
    let (clock, board) = start(Protocol::Adr2200);
    let mut adr = Adr2200::open(&Adr2200Spec::new(board.path()), clock).unwrap();
    assert_eq!(adr.ask(Ask::Product).unwrap(), 2200);
    adr.set_interrupts(true).unwrap();
    adr.set(RelayMask(6)).unwrap();
    assert_eq!(adr.read_back().unwrap(), Some(RelayMask(6)));
    for n in 1..=20_u16 {
        board.contacts().set_input(0, true);
        assert_eq!(adr.ask(Ask::Inputs).unwrap(), 1);
        board.contacts().set_input(0, false);
        assert_eq!((adr.ask(Ask::Events).unwrap(), adr.read_back().unwrap()), (n, Some(RelayMask(6))));
    }
    assert_eq!((adr.ask(Ask::EventsAndClear).unwrap(), adr.ask(Ask::Events).unwrap()), (20, 0));
    board.contacts().set_input(0, true);
    adr.clear_events().unwrap();
    assert_eq!(adr.ask(Ask::Events).unwrap(), 0);
}

#[test]
fn ports_are_listed_and_hid_boards_need_their_feature() {
    assert!(relay::candidate_ports().iter().all(|port| !port.path.is_empty()));
    let clock: Arc<dyn Clock> = Arc::new(SystemClock::new());
    let error = relay::open(&RelaySpec::Hid("NONE!".into()), clock).err().unwrap().to_string();
    assert!(error.contains("--features hid") || error.contains("udev"), "{error}");
}
