//! The executor's thread against a clock that the test moves, and the ADR2200 driver against a board on a
//! pseudo-terminal.

#![allow(clippy::unwrap_used, clippy::panic)] // helpers outside #[test] functions are test code too

use crate::eventually::eventually;
use stackhand::edge::relay::{Executor, Limits, RecordingBoard, RelayBoard, RelayError, RelaySpec};
use stackhand::message::{RelayCommand, RelayMask};
use stackhand::time::{Clock, HostTime, ManualClock, SystemClock};
use std::sync::Arc;
use std::time::Duration;

fn limits() -> Limits {
    Limits { forbidden: vec![RelayMask(3), RelayMask(12)], max_hold: Duration::from_millis(500) }
}

fn command(due_ms: i64, expires_ms: i64, mask: u8) -> RelayCommand {
    RelayCommand { due: HostTime(due_ms * 1000), expires: HostTime(expires_ms * 1000), mask: RelayMask(mask) }
}

struct Bench {
    clock: ManualClock,
    board: RecordingBoard,
    executor: Executor,
}

impl Bench {
    fn new() -> Self {
        let clock = ManualClock::new(HostTime(0));
        let board = RecordingBoard::new(Arc::new(clock.clone()));
        let executor = Executor::start(Box::new(board.clone()), Arc::new(clock.clone()), limits()).unwrap();
        Self { clock, board, executor }
    }

    fn masks(&self) -> Vec<u8> {
        self.board.written().iter().map(|w| w.mask.0).collect()
    }

    /// Moves the clock and waits until the board has got exactly these masks since the start.
    #[track_caller]
    fn at(&self, ms: i64, masks: &[u8]) {
        self.clock.advance_to(HostTime(ms * 1000));
        eventually(&format!("{masks:?} at {ms} ms, got {:?}", self.masks()), || self.masks() == masks);
    }
}

#[test]
fn relays_are_open_before_the_first_command_and_after_the_last() {
    let bench = Bench::new();
    assert_eq!(bench.masks(), [0]);
    bench.executor.schedule(vec![command(10, 20, 4), command(50, 60, 0)]).unwrap();
    bench.at(10, &[0, 4]);
    let board = bench.board.clone();
    drop(bench);
    assert_eq!(board.written().last().unwrap().mask, RelayMask(0));
}

#[test]
fn commands_are_sent_in_order_and_not_before_they_are_due() {
    let bench = Bench::new();
    bench.executor.schedule(vec![command(30, 40, 0), command(10, 20, 1)]).unwrap();
    bench.at(10, &[0, 1]);
    bench.at(30, &[0, 1, 0]);
    let written = bench.board.written();
    assert!(written[1].at >= HostTime(10_000) && written[2].at >= HostTime(30_000));
    let stats = bench.executor.stop().unwrap();
    assert_eq!((stats.dropped_stale, stats.refused, stats.operations[0]), (0, 0, 1));
    assert_eq!(stats.press_error().unwrap().count, 2);
}

#[test]
fn a_stale_command_is_dropped_and_counted() {
    let bench = Bench::new();
    bench.clock.advance_to(HostTime(100_000));
    bench.executor.schedule(vec![command(10, 20, 4), command(40, 50, 0), command(110, 120, 16)]).unwrap();
    bench.at(110, &[0, 16]);
    let stats = bench.executor.stats();
    assert_eq!(stats.dropped_stale, 1);
}

#[test]
fn forbidden_chords_open_everything() {
    let bench = Bench::new();
    bench.executor.schedule(vec![command(10, 20, 16), command(30, 40, 3), command(600, 610, 0)]).unwrap();
    bench.at(10, &[0, 16]);
    bench.at(30, &[0, 16, 0]);
    assert_eq!(bench.executor.stats().refused, 1);
}

#[test]
fn a_relay_is_not_held_over_the_limit() {
    let bench = Bench::new();
    bench.executor.schedule(vec![command(0, 10, 4), command(9000, 9010, 0)]).unwrap();
    bench.at(1, &[0, 4]);
    bench.at(520, &[0, 4, 0]);
    assert_eq!(bench.executor.stats().held_too_long, 1);
}

#[test]
fn open_all_works_at_once_and_forgets_the_plan() {
    let bench = Bench::new();
    bench.executor.schedule(vec![command(0, 10, 4), command(20, 30, 20), command(40, 50, 0)]).unwrap();
    bench.at(1, &[0, 4]);
    assert!(bench.executor.open_all());
    assert_eq!(bench.masks(), [0, 4, 0]);
    bench.clock.advance_to(HostTime(20_000));
    bench.executor.schedule(vec![command(21, 30, 8)]).unwrap();
    bench.at(21, &[0, 4, 0, 8]);
}

#[test]
fn a_dying_board_is_reported_once_and_gets_no_more_commands() {
    let bench = Bench::new();
    bench.executor.schedule(vec![command(10, 20, 4), command(40, 50, 0)]).unwrap();
    bench.board.set_broken(true);
    bench.clock.advance_to(HostTime(10_000));
    eventually("the failure", || bench.executor.handle().has_failed());
    assert!(matches!(bench.executor.schedule(vec![command(60, 70, 4)]), Err(RelayError::Stopped)));
    assert!(matches!(bench.executor.take_error(), Some(RelayError::Write { .. })));
    assert!(bench.executor.take_error().is_none());
    assert!(!bench.executor.open_all(), "a board that does not answer is not open");
    bench.board.set_broken(false);
    let board = bench.board.clone();
    drop(bench);
    assert_eq!(board.written().last().unwrap().mask, RelayMask(0), "the end tries once more");
}

#[test]
fn a_board_that_fails_at_the_start_stops_the_start() {
    let clock: Arc<dyn Clock> = Arc::new(ManualClock::default());
    let board = RecordingBoard::new(clock.clone());
    board.set_broken(true);
    assert!(matches!(Executor::start(Box::new(board), clock, limits()), Err(RelayError::Write { .. })));
}

#[test]
fn absurd_schedules_are_refused() {
    let bench = Bench::new();
    let endless = vec![command(10, 20, 4); 5000];
    assert!(matches!(bench.executor.schedule(endless), Err(RelayError::TooMany { .. })));
}

#[test]
fn ports_that_are_none_are_named_with_a_remedy() {
    let clock: Arc<dyn Clock> = Arc::new(SystemClock::new());
    let file = tempfile::NamedTempFile::new().unwrap();
    let folder = tempfile::tempdir().unwrap();
    for (path, words) in [
        ("/dev/there-is-no-such-port", "plug in the cable"),
        (file.path().to_str().unwrap(), "a file, not a serial port"),
        (folder.path().to_str().unwrap(), "a folder, not a serial port"),
        ("/dev/null", "is no serial port"),
    ] {
        let spec = RelaySpec::parse(&format!("adr2200:{path}")).unwrap();
        let error = stackhand::edge::relay::open(&spec, clock.clone()).err().unwrap().to_string();
        assert!(error.contains(words), "{path}: {error}");
    }
    assert!(matches!(stackhand::edge::relay::open(&RelaySpec::Simulated, clock.clone()), Err(RelayError::Simulated)));
    let mut none = stackhand::edge::relay::open(&RelaySpec::None, clock).unwrap();
    none.set(RelayMask(255)).unwrap();
}

#[cfg(unix)]
mod over_a_pseudo_terminal {
    use super::*;
    use serialport::{SerialPort, TTYPort};
    use stackhand::edge::relay::Adr2200Spec;
    use stackhand::edge::relay::boards::Adr2200;
    use stackhand::edge::simulated::PtyBoard;
    use stackhand::twin::relay_board::{DeviceSettings, Fault};
    use std::io::{Read, Write};

    fn board(settings: DeviceSettings) -> (Arc<dyn Clock>, PtyBoard) {
        let clock: Arc<dyn Clock> = Arc::new(SystemClock::new());
        let board = PtyBoard::start(clock.clone(), settings, 9600).unwrap();
        (clock, board)
    }

    fn open(clock: &Arc<dyn Clock>, board: &PtyBoard, options: &str) -> Result<Adr2200, RelayError> {
        match RelaySpec::parse(&format!("adr2200:{}{options}", board.path())).unwrap() {
            RelaySpec::Adr2200(spec) => Adr2200::open(&spec, clock.clone()),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn what_is_set_is_read_back_and_closes_contacts() {
        let (clock, board) = board(DeviceSettings::default());
        let mut adr = open(&clock, &board, "").unwrap();
        for mask in [1, 128, 255, 5, 0].map(RelayMask) {
            adr.set(mask).unwrap();
            assert_eq!(adr.read_back().unwrap(), Some(mask));
            assert_eq!(board.contacts().coils(), mask);
            // Far enough ahead for any contact to have come to rest.
            assert_eq!(board.contacts().closed_at(clock.now().plus_ms(50.0)), mask);
        }
        assert_eq!(adr.wire_time(), Duration::from_micros(6250));
    }

    #[test]
    fn addressed_boards_answer_to_their_address_only() {
        let (clock, board) = board(DeviceSettings { address: 3, ..Default::default() });
        let mut adr = open(&clock, &board, "?address=3").unwrap();
        adr.set(RelayMask(9)).unwrap();
        assert_eq!(adr.read_back().unwrap(), Some(RelayMask(9)));
        drop(adr);
        let error = open(&clock, &board, "").err().unwrap();
        assert!(matches!(error, RelayError::NoAnswer { .. }), "{error}");
    }

    #[test]
    fn deaf_and_garbled_boards_are_told_apart() {
        let (clock, board) = board(DeviceSettings::default());
        board.contacts().set_fault(Fault::Deaf);
        let error = open(&clock, &board, "").err().unwrap();
        assert!(matches!(error, RelayError::NoAnswer { .. }) && error.to_string().contains("null-modem"), "{error}");
        board.contacts().set_fault(Fault::Garbled);
        let error = open(&clock, &board, "").err().unwrap();
        assert!(matches!(error, RelayError::WrongAnswer { .. }), "{error}");
        assert!(open(&clock, &board, "?verify=no").is_ok());
    }

    #[test]
    fn a_port_in_use_is_not_shared() {
        let (clock, board) = board(DeviceSettings::default());
        let _adr = open(&clock, &board, "").unwrap();
        let error = open(&clock, &board, "").err().unwrap();
        assert!(matches!(error, RelayError::Busy { .. }), "{error}");
    }

    #[test]
    fn half_a_command_from_an_earlier_program_does_no_harm() {
        let (clock, board) = board(DeviceSettings::default());
        let mut before = serialport::new(board.path(), 9600).timeout(Duration::from_secs(1)).open().unwrap();
        before.write_all(b"MK25").unwrap();
        drop(before);
        let mut adr = open(&clock, &board, "").unwrap();
        adr.set(RelayMask(6)).unwrap();
        assert_eq!(adr.read_back().unwrap(), Some(RelayMask(6)));
    }

    #[test]
    fn a_board_that_goes_away_is_an_error_not_a_hang() {
        let (clock, board) = board(DeviceSettings::default());
        let mut adr = open(&clock, &board, "").unwrap();
        drop(board);
        assert!(matches!(adr.set(RelayMask(1)), Err(RelayError::Write { .. })));
        assert!(adr.read_back().is_err());
    }

    /// Answers every line with `reply`, as boards with another idea of line ends would.
    fn stranger(reply: &'static [u8]) -> (String, std::thread::JoinHandle<()>, TTYPort) {
        let (mut far, near) = TTYPort::pair().unwrap();
        far.set_timeout(Duration::from_secs(3)).unwrap();
        let path = near.name().unwrap();
        let thread = std::thread::spawn(move || {
            let mut byte = [0];
            while far.read_exact(&mut byte).is_ok() {
                if byte == *b"\r" && far.write_all(reply).is_err() {
                    return;
                }
            }
        });
        (path, thread, near)
    }

    #[test]
    fn replies_may_end_in_other_ways_or_be_decimal() {
        let clock: Arc<dyn Clock> = Arc::new(SystemClock::new());
        for reply in [&b"00000101\r\n"[..], b"\n00000101\r", b"00000101", b"005\r", b"RPK\r00000101\r"] {
            let (path, _thread, _near) = stranger(reply);
            let spec = Adr2200Spec::new(path);
            let mut adr = Adr2200::open(&spec, clock.clone()).unwrap();
            assert_eq!(adr.read_back().unwrap(), Some(RelayMask(5)), "{:?}", reply.escape_ascii().to_string());
        }
    }

    #[test]
    fn an_arduino_that_restarts_when_its_port_is_opened_is_waited_for() {
        const BOOT_MS: f64 = 2000.0;
        let clock: Arc<dyn Clock> = Arc::new(SystemClock::new());
        let (mut far, near) = TTYPort::pair().unwrap();
        far.set_timeout(Duration::from_secs(6)).unwrap();
        let own_clock = clock.clone();
        let _thread = std::thread::spawn(move || {
            let mut byte = [0];
            while far.read_exact(&mut byte).is_ok() {
                let is_up = own_clock.now().ms() > BOOT_MS;
                if is_up && byte == *b"\r" && far.write_all(b"00000101\r").is_err() {
                    return;
                }
            }
        });
        let mut adr = Adr2200::open(&Adr2200Spec::new(near.name().unwrap()), clock).unwrap();
        assert_eq!(adr.read_back().unwrap(), Some(RelayMask(5)));
    }

    #[test]
    fn another_device_is_named() {
        let clock: Arc<dyn Clock> = Arc::new(SystemClock::new());
        let (path, _thread, _near) = stranger(b"ERROR\r\n");
        let error = Adr2200::open(&Adr2200Spec::new(path), clock).err().unwrap();
        assert!(error.to_string().contains("ERROR"), "{error}");
    }

    #[test]
    fn an_executor_plays_on_it_in_real_time_and_leaves_it_open() {
        let (clock, board) = board(DeviceSettings::default());
        let adr = open(&clock, &board, "").unwrap();
        let executor = Executor::start(Box::new(adr), clock.clone(), limits()).unwrap();
        let start = clock.now().plus_ms(50.0);
        let plan = (0..10).map(|n| {
            let due = start.plus_ms(f64::from(n) * 30.0);
            RelayCommand { due, expires: due.plus_ms(5000.0), mask: RelayMask(if n % 2 == 0 { 16 } else { 0 }) }
        });
        executor.schedule(plan.collect()).unwrap();
        eventually("ten commands", || executor.stats().press_error().is_some_and(|e| e.count == 10));
        let stats = executor.stop().unwrap();
        assert_eq!((stats.operations[4], stats.dropped_stale, stats.refused), (5, 0, 0));
        assert_eq!(board.contacts().coils(), RelayMask(0));
    }
}
