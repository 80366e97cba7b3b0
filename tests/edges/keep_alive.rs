//! Boards that guard themselves, and boards that stop answering, through the true driver and a pseudo-terminal. Asserts what
//! happens and in which order: a busy computer may make any of it late.

#![cfg(unix)]
#![allow(clippy::unwrap_used)] // helpers outside #[test] functions are test code too

use stackhand::edge::relay::{self, Executor, HOST_TIMEOUT_MS, Health, Limits, RelayError, RelaySpec, Reopening};
use stackhand::edge::simulated::PtyBoard;
use stackhand::message::{RelayCommand, RelayMask};
use stackhand::profile::calibration::Calibration;
use stackhand::profile::protocol::Protocol;
use stackhand::time::{Clock, SystemClock};
use stackhand::twin::relay_board::{DeviceSettings, Fault};
use std::sync::Arc;
use std::time::Duration;

fn start(protocol: Protocol, guards_itself: bool) -> (Arc<dyn Clock>, PtyBoard, RelaySpec) {
    let clock: Arc<dyn Clock> = Arc::new(SystemClock::new());
    let settings = DeviceSettings { protocol, guards_itself, ..Default::default() };
    let board = PtyBoard::start(clock.clone(), settings, protocol.baud()).unwrap();
    let spec = RelaySpec::at(protocol, board.path());
    (clock, board, spec)
}

fn limits() -> Limits {
    Limits::of(&Calibration::new("nes", [640, 480], [[0.0; 2]; 4], 0.0))
}

/// Waits for what must come, however late.
#[track_caller]
fn eventually(clock: &Arc<dyn Clock>, what: &str, mut is_so: impl FnMut() -> bool) {
    for _ in 0..3000 {
        if is_so() {
            return;
        }
        clock.sleep_until(clock.now().plus_ms(10.0));
    }
    assert!(is_so(), "{what} did not come");
}

#[test]
fn our_own_board_opens_when_its_host_falls_silent_and_says_so() {
    let (clock, board, spec) = start(Protocol::Adr2200, true);
    let mut driver = relay::open(&spec, clock.clone()).unwrap();
    let plan = driver.start_calls().unwrap().unwrap();
    assert!(plan.guards_itself && plan.every.as_millis() * 3 < u128::from(HOST_TIMEOUT_MS), "{plan:?}");
    assert_eq!(driver.call().unwrap(), Health::Well);
    driver.set(RelayMask(5)).unwrap();
    eventually(&clock, "the press", || board.contacts().coils() == RelayMask(5));
    // As after a kill or a hang: nobody calls.
    eventually(&clock, "the opening", || board.contacts().coils() == RelayMask(0));
    let mut healths = Vec::new();
    eventually(&clock, "the word of it", || {
        healths.push(driver.call().unwrap());
        healths.last() == Some(&Health::OpenedItself(1))
    });
    // It stays open until a command, and each opening is told once.
    assert_eq!(driver.read_back().unwrap(), Some(RelayMask(0)));
    driver.set(RelayMask(4)).unwrap();
    assert_eq!(driver.read_back().unwrap(), Some(RelayMask(4)));
}

#[test]
fn a_press_longer_than_the_hosts_timeout_is_held() {
    let (clock, board, spec) = start(Protocol::Adr2200, true);
    let executor = Executor::start(relay::open(&spec, clock.clone()).unwrap(), clock.clone(), limits()).unwrap();
    let due = clock.now();
    let release = due.plus_ms(2.0 * f64::from(HOST_TIMEOUT_MS));
    let press = |due, mask| RelayCommand { due, expires: release.plus_ms(10_000.0), mask: RelayMask(mask) };
    executor.schedule(vec![press(due, 4), press(release, 0)]).unwrap();
    eventually(&clock, "the press", || board.contacts().coils() == RelayMask(4));
    eventually(&clock, "the release", || board.contacts().coils() == RelayMask(0));
    let stats = executor.stop().unwrap();
    // The board alone would have opened before the release was due.
    assert!((stats.distrusted, stats.held_too_long) == (0, 0), "{stats:?}");
}

#[test]
fn every_board_that_answers_is_heard_to_stop() {
    // All at once: each is waited for.
    std::thread::scope(|scope| {
        for (protocol, name) in Protocol::NAMED {
            scope.spawn(move || is_heard_to_stop(protocol, name));
        }
    });
}

fn is_heard_to_stop(protocol: Protocol, name: &str) {
    let (clock, board, spec) = start(protocol, false);
    let mut driver = relay::open(&spec, clock.clone()).unwrap();
    let plan = driver.start_calls().unwrap().unwrap();
    // An ADR2200, too: only our own board, which speaks like it, can.
    assert!(!plan.guards_itself, "{name}");
    let pause = || clock.sleep_until(clock.now() + plan.every);
    driver.open_all().unwrap();
    for mask in [0, 0x25] {
        driver.set(RelayMask(mask)).unwrap();
        for _ in 0..2 {
            assert_eq!(driver.call().unwrap(), Health::Well, "{name}");
            pause();
        }
    }
    // What else is asked is not answered by the answer to the call before it.
    driver.call().unwrap();
    driver.set(RelayMask(0x11)).unwrap();
    assert_eq!(driver.read_back().unwrap(), Some(RelayMask(0x11)), "{name}");
    board.contacts().set_fault(Fault::Deaf);
    let mut silent_ms = 0.0;
    eventually(&clock, name, || {
        pause();
        match driver.call().unwrap() {
            Health::Silent(ms) => silent_ms = ms,
            other => assert_eq!(other, Health::Well, "{name}"),
        }
        silent_ms > 0.0
    });
    assert!(silent_ms >= 1000.0, "{name}: {silent_ms}");
}

#[test]
fn a_board_that_lost_its_power_is_noticed() {
    let (clock, board, spec) = start(Protocol::Adr2200, false);
    let mut driver = relay::open(&spec, clock.clone()).unwrap();
    driver.start_calls().unwrap();
    driver.set(RelayMask(4)).unwrap();
    assert_eq!(driver.read_back().unwrap(), Some(RelayMask(4)));
    board.contacts().restart();
    let mut seen = Vec::new();
    eventually(&clock, "the complaint", || {
        seen.push(driver.call().unwrap());
        clock.sleep_until(clock.now().plus_ms(100.0));
        seen.last() == Some(&Health::Disagrees(RelayMask(0)))
    });
}

#[test]
fn a_board_that_froze_is_lost_and_comes_back() {
    let (clock, board, spec) = start(Protocol::Adr2200, false);
    let reopening = Reopening::of(&spec, Duration::from_secs(60), clock.clone());
    let opened = relay::open(&spec, clock.clone()).unwrap();
    let executor = Executor::start_patient(opened, Some(reopening), clock.clone(), limits()).unwrap();
    board.contacts().set_fault(Fault::Deaf);
    eventually(&clock, "the loss", || executor.handle().is_lost());
    assert!(executor.stats().board_lost == 1 && !executor.handle().has_failed());
    board.contacts().set_fault(Fault::None);
    eventually(&clock, "the board", || !executor.handle().is_lost());
    let due = clock.now();
    executor.schedule(vec![RelayCommand { due, expires: due.plus_ms(10_000.0), mask: RelayMask(16) }]).unwrap();
    eventually(&clock, "a press", || board.contacts().coils() == RelayMask(16));
    executor.stop().unwrap();
    assert_eq!(board.contacts().coils(), RelayMask(0));
}

#[test]
fn without_anybody_to_look_for_it_a_silent_board_ends_the_run() {
    let (clock, board, spec) = start(Protocol::UsbRly, false);
    let executor = Executor::start(relay::open(&spec, clock.clone()).unwrap(), clock.clone(), limits()).unwrap();
    board.contacts().set_fault(Fault::Deaf);
    eventually(&clock, "the end", || executor.handle().has_failed());
    let error = executor.stop().unwrap_err();
    assert!(matches!(error, RelayError::Silent { .. }) && error.to_string().contains("pull its supply"), "{error}");
}
