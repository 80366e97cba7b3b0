//! The relays open when the program is ended or falls. The board is in this process, on a pseudo-terminal; the program
//! that drives it is this test binary, started once more.

#![cfg(unix)]
#![allow(clippy::unwrap_used)] // helpers outside #[test] functions are test code too

use crate::eventually::eventually;
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use stackhand::edge::relay::{self, Executor, Limits, RelaySpec, SafetyNet, StopCause};
use stackhand::edge::simulated::{Contacts, PtyBoard};
use stackhand::message::{RelayCommand, RelayMask};
use stackhand::time::{Clock, SystemClock};
use stackhand::twin::relay_board::DeviceSettings;
use std::os::unix::process::ExitStatusExt;
use std::process::{Child, Command, ExitStatus};
use std::sync::Arc;
use std::time::Duration;

/// Tells the child which port to open and how to end.
const PORT: &str = "STACKHAND_TEST_PORT";
const ENDING: &str = "STACKHAND_TEST_ENDING";

/// Not a test of its own: the program that closes a relay and then ends as it is told. Does nothing unless started by
/// the tests below.
#[test]
fn child() {
    let (Ok(port), Ok(ending)) = (std::env::var(PORT), std::env::var(ENDING)) else { return };
    let clock: Arc<dyn Clock> = Arc::new(SystemClock::new());
    let net = SafetyNet::install().unwrap();
    let flag = net.stop_flag();
    let board = relay::open(&RelaySpec::parse(&format!("adr2200:{port}")).unwrap(), clock.clone()).unwrap();
    let limits = Limits { forbidden: Vec::new(), max_hold: Duration::from_secs(3600) };
    let executor = Executor::start(board, clock.clone(), limits).unwrap();
    net.watch(executor.handle());
    let now = clock.now();
    let hour = Duration::from_secs(3600);
    executor.schedule(vec![RelayCommand { due: now, expires: now + hour, mask: RelayMask(16) }]).unwrap();
    match ending.as_str() {
        "hang" => clock.sleep_until(now + hour),
        "panic" => {
            eventually("the press", || executor.handle().closed() == RelayMask(16));
            std::mem::forget(executor);
            let fallen = std::thread::spawn(|| panic!("a thread falls, as the test wants")).join();
            assert!(fallen.is_err());
            assert_eq!(flag.cause(), Some(StopCause::Panic));
            std::process::exit(7);
        }
        _ => {
            eventually("the stop flag", || flag.is_set());
            let status = flag.cause().unwrap().exit_status();
            drop((executor, net));
            std::process::exit(status);
        }
    }
}

fn start(ending: &str) -> (PtyBoard, Contacts, Child) {
    let board = PtyBoard::start(Arc::new(SystemClock::new()), DeviceSettings::default(), 9600).unwrap();
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(["--exact", "safety::child", "--nocapture"]).env(PORT, board.path()).env(ENDING, ending);
    let contacts = board.contacts();
    let child = command.spawn().unwrap();
    (board, contacts, child)
}

/// Lets the child press, sends the signal, and waits for its end.
fn end_by(signal: Signal, ending: &str) -> (Contacts, ExitStatus) {
    let (_board, contacts, mut child) = start(ending);
    eventually("the press", || contacts.coils() == RelayMask(16));
    kill(Pid::from_raw(child.id() as i32), signal).unwrap();
    let status = child.wait().unwrap();
    eventually("open relays", || contacts.coils() == RelayMask(0));
    (contacts, status)
}

#[test]
fn signals_open_the_relays_and_the_program_ends_itself() {
    for (signal, status) in [(Signal::SIGINT, 130), (Signal::SIGTERM, 143), (Signal::SIGHUP, 129)] {
        let (_, ended) = end_by(signal, "look at the flag");
        assert_eq!((ended.code(), ended.signal()), (Some(status), None), "{signal}");
    }
}

#[test]
fn a_hanging_program_is_ended_with_open_relays() {
    let (_, ended) = end_by(Signal::SIGTERM, "hang");
    assert_eq!(ended.code(), Some(143));
}

#[test]
fn a_panic_in_any_thread_opens_the_relays() {
    let (_board, contacts, mut child) = start("panic");
    assert_eq!(child.wait().unwrap().code(), Some(7));
    eventually("open relays", || contacts.coils() == RelayMask(0));
}
