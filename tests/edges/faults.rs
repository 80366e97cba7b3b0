//! The fault table of the README, a test a row: what is unplugged, deaf, stuck, killed or full, and that the relays open.
//!
//! Boards are this process's, on pseudo-terminals; cameras are scripts. Figures that are measured in real time are printed
//! (`--nocapture`), not asserted, beyond limits that no machine should miss.

#![cfg(unix)]
#![allow(clippy::unwrap_used, clippy::panic)] // helpers outside #[test] functions are test code too

use crate::eventually::eventually;
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use stackhand::edge::relay::{
    self, Executor, Limits, Reason, RecordingBoard, RelayBoard, RelayError, RelaySpec, Reopening, SafetyNet, Watchdog,
};
use stackhand::edge::session::{PictureFormat, Record, SessionReader, SessionWriter, Storage};
use stackhand::edge::simulated::{Contacts, PtyBoard};
use stackhand::message::{Frame, RelayCommand, RelayMask};
use stackhand::time::{CameraFrame, Clock, HostTime, ManualClock, SystemClock};
use stackhand::twin::relay_board::{DeviceSettings, Fault};
use std::io::{Error, ErrorKind, Write};
use std::path::Path;
use std::process::{Child, Command};
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// Tells the child which port to open and what to do.
const PORT: &str = "STACKHAND_TEST_PORT";
const PART: &str = "STACKHAND_TEST_PART";
const HOUR: Duration = Duration::from_secs(3600);

fn limits() -> Limits {
    Limits { forbidden: vec![RelayMask(3), RelayMask(12)], max_hold: HOUR }
}

fn press(due: HostTime, mask: u8) -> RelayCommand {
    RelayCommand { due, expires: due + HOUR, mask: RelayMask(mask) }
}

fn adr(path: &str) -> RelaySpec {
    RelaySpec::parse(&format!("adr2200:{path}")).unwrap()
}

fn pty() -> (Arc<dyn Clock>, PtyBoard) {
    let clock: Arc<dyn Clock> = Arc::new(SystemClock::new());
    let board = PtyBoard::start(clock.clone(), DeviceSettings::default(), 9600).unwrap();
    (clock, board)
}

// ---- the port ----

/// A socket for boards: unplugged, no board opens.
struct Socket {
    clock: ManualClock,
    board: RecordingBoard,
    plugged: Arc<Mutex<bool>>,
    executor: Executor,
}

fn socket(patience: Duration) -> Socket {
    let clock = ManualClock::new(HostTime(0));
    let board = RecordingBoard::new(Arc::new(clock.clone()));
    let plugged = Arc::new(Mutex::new(true));
    let (again, is_plugged) = (board.clone(), plugged.clone());
    let open = Box::new(move || match *is_plugged.lock().unwrap() {
        true => Ok(Box::new(again.clone()) as Box<dyn RelayBoard>),
        false => Err(RelayError::PortMissing { path: "memory".into(), found: "none".into() }),
    });
    let reopening = Some(Reopening { open, patience });
    let executor =
        Executor::start_patient(Box::new(board.clone()), reopening, Arc::new(clock.clone()), limits()).unwrap();
    Socket { clock, board, plugged, executor }
}

impl Socket {
    fn plug(&self, is_in: bool) {
        self.board.set_broken(!is_in);
        *self.plugged.lock().unwrap() = is_in;
    }

    fn masks(&self) -> Vec<u8> {
        self.board.written().iter().map(|w| w.mask.0).collect()
    }

    #[track_caller]
    fn at(&self, ms: i64, masks: &[u8]) {
        self.clock.advance_to(HostTime(ms * 1000));
        eventually(&format!("{masks:?} at {ms} ms, got {:?}", self.masks()), || self.masks() == masks);
    }
}

#[test]
fn a_port_unplugged_mid_press_opens_when_it_is_back_and_plays_only_what_is_planned_then() {
    let socket = socket(Duration::from_secs(60));
    let plan = vec![press(HostTime(10_000), 4), press(HostTime(50_000), 0), press(HostTime(1_200_000), 8)];
    socket.executor.schedule(plan).unwrap();
    socket.at(10, &[0, 4]);
    socket.plug(false);
    socket.clock.advance_to(HostTime(50_000));
    let handle = socket.executor.handle();
    eventually("the loss", || handle.is_lost());
    assert_eq!((handle.missed(), handle.closed()), (1, RelayMask(0)));
    // Planned while it is away: dropped, without an error.
    socket.executor.schedule(vec![press(HostTime(1_100_000), 16)]).unwrap();
    assert!(!socket.executor.open_all(), "nobody can say that they are open");
    socket.plug(true);
    socket.at(1_000, &[0, 4, 0]);
    eventually("the board", || !handle.is_lost());
    // Neither the old plan (8) nor the one made meanwhile (16) is played.
    socket.clock.advance_to(HostTime(1_300_000));
    socket.executor.schedule(vec![press(HostTime(1_310_000), 32)]).unwrap();
    socket.at(1_310, &[0, 4, 0, 32]);
    let stats = socket.executor.stop().unwrap();
    assert_eq!((stats.board_lost, stats.went_blind), (1, 0));
}

#[test]
fn a_port_that_stays_away_ends_the_run_with_its_first_error() {
    let socket = socket(Duration::from_secs(5));
    socket.executor.schedule(vec![press(HostTime(10_000), 4)]).unwrap();
    socket.plug(false);
    socket.clock.advance_to(HostTime(10_000));
    let handle = socket.executor.handle();
    eventually("the loss", || handle.is_lost());
    socket.clock.advance_to(HostTime(5_100_000));
    eventually("the end", || handle.has_failed());
    assert!(matches!(socket.executor.take_error(), Some(RelayError::Write { .. })));
}

#[test]
fn a_real_port_that_vanishes_mid_press_is_opened_again_with_open_relays() {
    let (clock, first) = pty();
    let folder = tempfile::tempdir().unwrap();
    let link = folder.path().join("port");
    std::os::unix::fs::symlink(first.path(), &link).unwrap();
    let spec = adr(link.to_str().unwrap());
    let board = relay::open(&spec, clock.clone()).unwrap();
    let reopening = Some(Reopening::of(&spec, Duration::from_secs(60), clock.clone()));
    let executor = Executor::start_patient(board, reopening, clock.clone(), limits()).unwrap();
    executor.schedule(vec![press(clock.now(), 16)]).unwrap();
    eventually("the press", || first.contacts().coils() == RelayMask(16));
    // Unplugged; the board keeps its power and its relay, and half a command.
    drop(first);
    std::fs::remove_file(&link).unwrap();
    executor.schedule(vec![press(clock.now(), 0)]).unwrap();
    eventually("the loss", || executor.handle().is_lost());
    let second = PtyBoard::start(clock.clone(), DeviceSettings::default(), 9600).unwrap();
    let mut half = serialport::new(second.path(), 9600).timeout(Duration::from_secs(1)).open().unwrap();
    half.write_all(b"MK16\rMK1").unwrap();
    eventually("the closed relay", || second.contacts().coils() == RelayMask(16));
    drop(half);
    let plugged_in = clock.now();
    std::os::unix::fs::symlink(second.path(), &link).unwrap();
    let contacts = second.contacts();
    eventually("open relays", || contacts.coils().0 | contacts.closed_at(clock.now()).0 == 0);
    println!("unplugged and plugged in: open {:.0} ms after the port was back", clock.now().ms_since(plugged_in));
    eventually("the board", || !executor.handle().is_lost());
    executor.schedule(vec![press(clock.now(), 32)]).unwrap();
    eventually("the next press", || second.contacts().coils() == RelayMask(32));
    executor.stop().unwrap();
    assert_eq!(second.contacts().coils(), RelayMask(0));
}

// ---- the board ----

#[test]
fn a_byte_lost_on_the_way_does_not_hold_a_button_down() {
    /// Loses the end of the first "open all" after a press, as if the carriage return had not arrived.
    struct Lossy {
        port: Box<dyn serialport::SerialPort>,
        pressed: bool,
        lost: bool,
    }
    impl RelayBoard for Lossy {
        fn set(&mut self, mask: RelayMask) -> Result<(), RelayError> {
            let mut bytes = relay::boards::encode_mask(0, mask);
            if mask == RelayMask(0) && self.pressed && !std::mem::replace(&mut self.lost, true) {
                bytes.pop();
            }
            self.pressed |= mask != RelayMask(0);
            self.port.write_all(&bytes).map_err(|source| RelayError::Write { path: "test".into(), source })
        }
        fn capabilities(&self) -> relay::Capabilities {
            stackhand::edge::simulated::ClockedBoard::new(
                stackhand::edge::simulated::SimulatedBoard::new(DeviceSettings::default(), 9600),
                Arc::new(ManualClock::default()),
            )
            .capabilities()
        }
        fn name(&self) -> String {
            "lossy".into()
        }
        fn read_back(&mut self) -> Result<Option<RelayMask>, RelayError> {
            Ok(Some(RelayMask(0)))
        }
    }
    let (clock, board) = pty();
    let port = serialport::new(board.path(), 9600).timeout(Duration::from_secs(1)).open().unwrap();
    let lossy = Lossy { port, pressed: false, lost: false };
    let executor = Executor::start(Box::new(lossy), clock.clone(), limits()).unwrap();
    let now = clock.now();
    executor.schedule(vec![press(now, 16), press(now.plus_ms(40.0), 0)]).unwrap();
    eventually("the press", || board.contacts().coils() == RelayMask(16));
    let contacts = board.contacts();
    eventually("the release", || contacts.coils().0 | contacts.closed_at(clock.now()).0 == 0);
    let open_after = clock.now().ms_since(now.plus_ms(40.0));
    println!("a byte of the release lost: open {open_after:.0} ms after it was due");
    assert!(executor.stats().repeated >= 2, "the first repetition ends the mutilated command");
}

#[test]
fn a_board_that_falls_deaf_or_garbles_is_told_at_the_end() {
    for (fault, words) in [(Fault::Deaf, "does not answer"), (Fault::Garbled, "no ADR2200")] {
        let (clock, board) = pty();
        let open = relay::open(&adr(board.path()), clock.clone()).unwrap();
        let executor = Executor::start(open, clock.clone(), limits()).unwrap();
        executor.schedule(vec![press(clock.now(), 16)]).unwrap();
        eventually("the press", || board.contacts().coils() == RelayMask(16));
        board.contacts().set_fault(fault);
        let error = executor.stop().unwrap_err().to_string();
        assert!(error.contains(words), "{fault:?}: {error}");
        // A board that garbles has heard; a deaf one has not, and nothing but its switch can open it.
        let expect = if fault == Fault::Deaf { 16 } else { 0 };
        assert_eq!(board.contacts().coils(), RelayMask(expect), "{fault:?}");
    }
}

#[test]
fn a_relay_that_reads_back_closed_after_the_end_is_an_error() {
    struct Stuck;
    impl RelayBoard for Stuck {
        fn set(&mut self, _mask: RelayMask) -> Result<(), RelayError> {
            Ok(())
        }
        fn capabilities(&self) -> relay::Capabilities {
            relay::NoBoard.capabilities()
        }
        fn name(&self) -> String {
            "stuck".into()
        }
        fn read_back(&mut self) -> Result<Option<RelayMask>, RelayError> {
            Ok(Some(RelayMask(8)))
        }
    }
    let clock: Arc<dyn Clock> = Arc::new(SystemClock::new());
    let error = Executor::start(Box::new(Stuck), clock, limits()).unwrap().stop().unwrap_err().to_string();
    assert!(error.contains("00001000") && error.contains("switch off its power"), "{error}");
}

// ---- the camera ----

#[test]
fn a_stalled_camera_opens_the_relays_and_forgets_the_plan() {
    let clock = ManualClock::new(HostTime(0));
    let board = RecordingBoard::new(Arc::new(clock.clone()));
    let executor = Executor::start(Box::new(board.clone()), Arc::new(clock.clone()), limits()).unwrap();
    let handle = executor.handle();
    handle.keep_sent();
    handle.sighted(HostTime(500_000));
    executor.schedule(vec![press(HostTime(10_000), 4), press(HostTime(900_000), 8)]).unwrap();
    let masks = || board.written().iter().map(|w| w.mask.0).collect::<Vec<_>>();
    clock.advance_to(HostTime(10_000));
    eventually("the press", || masks() == [0, 4]);
    clock.advance_to(HostTime(500_001));
    eventually("open relays", || masks() == [0, 4, 0]);
    assert_eq!(handle.missed(), 1, "the robot learns of it");
    clock.advance_to(HostTime(900_000));
    handle.sighted(HostTime(1_500_000));
    executor.schedule(vec![press(HostTime(950_000), 16)]).unwrap();
    clock.advance_to(HostTime(950_000));
    eventually("what was planned after a look", || masks() == [0, 4, 0, 16]);
    let sent: Vec<_> = handle.take_sent().iter().map(|s| (s.due.0, s.at.0, s.mask.0, s.reason)).collect();
    let expect = [
        (10_000, 10_000, 4, Reason::Planned),
        (500_000, 500_001, 0, Reason::Blind),
        (950_000, 950_000, 16, Reason::Planned),
    ];
    assert_eq!(sent, expect, "due and actual time of every command");
    // The end opens what was still closed, and a recording shall hold that, too.
    assert!(executor.open_all());
    let last: Vec<_> = handle.take_sent().iter().map(|s| (s.at.0, s.mask.0, s.reason)).collect();
    assert_eq!(last, [(950_000, 0, Reason::Opened)]);
    assert!(executor.open_all() && handle.take_sent().is_empty(), "open already");
}

// ---- this program ----

/// Not a test of its own: the program that presses and is then killed. Does nothing unless started by the tests below.
#[test]
fn child() {
    let (Ok(port), Ok(part)) = (std::env::var(PORT), std::env::var(PART)) else { return };
    let clock: Arc<dyn Clock> = Arc::new(SystemClock::new());
    let net = SafetyNet::install().unwrap();
    let program = Path::new(env!("CARGO_BIN_EXE_stackhand"));
    let _watchdog = Watchdog::start(program, &format!("adr2200:{port}"), Duration::from_secs(20)).unwrap();
    let board = relay::open(&adr(&port), clock.clone()).unwrap();
    let executor = Executor::start(board, clock.clone(), limits()).unwrap();
    net.watch(executor.handle());
    let start = clock.now();
    // Commands back to back: whenever the end comes, it comes in the middle of one.
    let plan = (0..3000).map(|n| press(start.plus_ms(f64::from(n) * 6.5), [16, 48, 32, 112][n as usize % 4]));
    executor.schedule(plan.collect()).unwrap();
    eventually("the stop flag", || part == "terminated" && net.stop_flag().is_set());
    let status = net.stop_flag().cause().unwrap().exit_status();
    drop((executor, net));
    std::process::exit(status);
}

/// Runs the child until it presses, ends it, and waits until the relays are open; how long that took, ms.
fn ended_by(signal: Signal, part: &str) -> (f64, Contacts, Child) {
    let (clock, board) = pty();
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(["--exact", "faults::child", "--nocapture"]).env(PORT, board.path()).env(PART, part);
    let contacts = board.contacts();
    let mut child = command.spawn().unwrap();
    eventually("a press", || contacts.closed_at(clock.now()) != RelayMask(0));
    kill(Pid::from_raw(child.id() as i32), signal).unwrap();
    let killed = clock.now();
    child.wait().unwrap();
    // The contacts themselves: bytes, firmware, spring.
    eventually("open relays", || contacts.coils().0 | contacts.closed_at(clock.now()).0 == 0);
    let took = clock.now().ms_since(killed);
    // They stay open: nobody presses any more.
    clock.sleep_until(clock.now().plus_ms(100.0));
    assert_eq!(contacts.coils(), RelayMask(0));
    (took, contacts, child)
}

#[test]
fn killed_the_watchdog_opens_the_relays() {
    for _ in 0..3 {
        let (took, ..) = ended_by(Signal::SIGKILL, "killed");
        println!("kill -9 in the middle of a command: open after {took:.0} ms");
    }
}

#[test]
fn a_real_board_that_clicks_along_at_the_simulated_table_is_opened_after_a_kill_too() {
    let (clock, board) = pty();
    let state = tempfile::tempdir().unwrap();
    let relay = format!("adr2200:{}", board.path());
    let mut child = Command::new(env!("CARGO_BIN_EXE_stackhand"))
        .args(["dry-run", "--realtime", "--level", "9", "--pieces", "1000", "--json", "--relay", &relay])
        .env("XDG_STATE_HOME", state.path())
        .stdout(std::process::Stdio::null())
        .spawn()
        .unwrap();
    let contacts = board.contacts();
    eventually("a press", || contacts.coils() != RelayMask(0));
    child.kill().unwrap();
    child.wait().unwrap();
    // Whatever the last command was, the watchdog's comes after it.
    let killed = clock.now();
    eventually("open relays", || contacts.coils().0 | contacts.closed_at(clock.now()).0 == 0);
    println!("dry-run killed: open after {:.0} ms", clock.now().ms_since(killed));
    clock.sleep_until(clock.now().plus_ms(100.0));
    assert_eq!(contacts.coils(), RelayMask(0));
}

#[test]
fn terminated_in_the_middle_of_a_command_the_relays_open() {
    for _ in 0..3 {
        let (took, ..) = ended_by(Signal::SIGTERM, "terminated");
        println!("SIGTERM in the middle of a command: open after {took:.0} ms");
    }
}

#[test]
fn a_dismissed_watchdog_leaves_the_board_alone() {
    let (clock, board) = pty();
    let program = Path::new(env!("CARGO_BIN_EXE_stackhand"));
    let watchdog = Watchdog::start(program, &format!("adr2200:{}", board.path()), Duration::from_secs(20)).unwrap();
    let mut open = relay::open(&adr(board.path()), clock).unwrap();
    open.set(RelayMask(16)).unwrap();
    eventually("the press", || board.contacts().coils() == RelayMask(16));
    drop(open);
    watchdog.dismiss();
    assert_eq!(board.contacts().coils(), RelayMask(16), "another program may use it now");
}

// ---- the disk and the clock ----

/// A disk with room for this many bytes.
struct SmallDisk {
    file: std::fs::File,
    room: usize,
}

impl Write for SmallDisk {
    fn write(&mut self, bytes: &[u8]) -> Result<usize, Error> {
        if self.room == 0 {
            return Err(ErrorKind::StorageFull.into());
        }
        // Full disks take a part first.
        let count = self.file.write(&bytes[..bytes.len().min(self.room)])?;
        self.room -= count;
        Ok(count)
    }

    fn flush(&mut self) -> Result<(), Error> {
        self.file.flush()
    }
}

impl Storage for SmallDisk {
    fn sync(&self) -> Result<(), Error> {
        self.file.sync_all()
    }
}

#[test]
fn a_full_disk_ends_the_recording_and_nothing_before_is_lost() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run.shs");
    let disk = SmallDisk { file: std::fs::File::create_new(&path).unwrap(), room: 50_000 };
    let clock: Arc<dyn Clock> = Arc::new(SystemClock::new());
    let writer = SessionWriter::into_storage(Box::new(disk), &path, clock.clone(), PictureFormat::Png).unwrap();
    let image = Arc::new(image::RgbImage::from_fn(64, 48, |x, y| image::Rgb([(x * y) as u8, (x ^ y) as u8, 7])));
    let mut given = 0;
    while !writer.has_failed() {
        let frame =
            Frame { index: CameraFrame(given), time: clock.now(), name: None, file: None, image: image.clone() };
        writer.frame(&frame);
        writer.event(format!("{{\"event\":\"relay\",\"n\":{given}}}"));
        given += 1;
        // The writer's queue is bounded; what finds no room is counted, not lost in silence.
        clock.sleep_until(clock.now().plus_ms(2.0));
        assert!(given < 5_000, "the disk never filled");
    }
    writer.event("after the end");
    let error = writer.finish().unwrap_err().to_string();
    assert!(error.contains("the disk is not full"), "{error}");
    let mut reader = SessionReader::open(&path).unwrap();
    let (mut pictures, mut bytes) = (0, 0);
    while let Some(record) = reader.next_record().unwrap() {
        if let Record::Frame(frame) = record {
            assert_eq!(*frame.image, *image, "readable to the last whole picture");
            pictures += 1;
        }
        bytes = std::fs::metadata(&path).unwrap().len();
    }
    assert!(pictures > 3, "{pictures} pictures of {given} in {bytes} bytes");
    assert_eq!(bytes, 50_000, "the disk was filled to its last byte");
}

#[test]
fn a_stepped_wall_clock_changes_nothing() {
    // Nobody asks for the time of day but for a date in a file: `tests/program/invariants.rs` keeps `SystemTime::now` out of all
    // files but this one, and here it stands in `today` alone, which gives a date and no time.
    let source = std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("src/time.rs")).unwrap();
    let (before, after) = source.split_once("pub fn today() -> String").unwrap();
    assert!(before.contains("Instant::now") && !before.contains("SystemTime::now"));
    let (today, rest) = after.split_once("\n}").unwrap();
    assert!(today.contains("SystemTime::now") && !rest.contains("SystemTime::now"));
}

// ---- doctor ----

fn doctor(args: &[&str], state: &Path) -> (i32, Vec<serde_json::Value>) {
    let program = Command::new(env!("CARGO_BIN_EXE_stackhand"))
        .arg("doctor")
        .args(args)
        .args(["--json", "--no-probe"])
        .env("XDG_STATE_HOME", state)
        .output()
        .unwrap();
    let text = String::from_utf8(program.stdout).unwrap();
    let lines = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    (program.status.code().unwrap(), lines)
}

/// The lines of this area, each "verdict: what it says".
fn told(lines: &[serde_json::Value], area: &str) -> Vec<String> {
    let of_area = lines.iter().filter(|l| l["area"] == area);
    of_area.map(|l| format!("{}: {}", l["verdict"].as_str().unwrap(), l["says"].as_str().unwrap())).collect()
}

#[test]
fn doctor_tells_what_to_mend_and_says_so_by_its_status() {
    let folder = tempfile::tempdir().unwrap();
    let (status, lines) =
        doctor(&["--source", "/there/is/no/camera", "--relay", "adr2200:/dev/there-is-none"], folder.path());
    let sums = lines.last().unwrap();
    assert_eq!((status, &sums["event"]), (1, &"doctor".into()));
    assert!(sums["mend"].as_u64().unwrap() >= 2, "{lines:#?}");
    assert!(
        told(&lines, "board").iter().any(|l| l.starts_with("mend") && l.contains("plug in the cable")),
        "{lines:#?}"
    );
    // One finding that agrees with itself.
    let [timing] = &told(&lines, "timing")[..] else { panic!("{lines:#?}") };
    assert!(timing.contains("real-time priority"), "{timing}");
}

#[test]
fn doctor_clicks_each_relay_and_reads_it_back() {
    let (_, board) = pty();
    let folder = tempfile::tempdir().unwrap();
    let name = format!("adr2200:{}", board.path());
    let wear = relay::Wear::in_folder(&folder.path().join("stackhand/wear"), &name).unwrap();
    wear.save([900_000, 0, 0, 0, 0, 0, 0, 5]).unwrap();
    let (_, lines) = doctor(&["--relay", &name, "--click"], folder.path());
    let board_says = told(&lines, "board");
    assert!(board_says.iter().any(|l| l.contains("8 relays closed and opened as told")), "{lines:#?}");
    assert!(told(&lines, "wear").iter().any(|l| l.contains("K0 900000") && l.contains("K7 5")), "{lines:#?}");
    assert!(told(&lines, "relay").iter().any(|l| l.contains("90 % of its rated life")), "{lines:#?}");
    assert_eq!(board.contacts().coils(), RelayMask(0));
}

#[test]
fn doctor_finds_the_relay_that_does_not_follow() {
    // An ADR2200 whose K2 never closes and whose K5 never opens, at the far end of a pseudo-terminal.
    use serialport::{SerialPort, TTYPort};
    use std::io::Read;
    let (mut far, near) = TTYPort::pair().unwrap();
    far.set_timeout(Duration::from_millis(100)).unwrap();
    let stop = Arc::new(Mutex::new(false));
    let stopped = stop.clone();
    let thread = std::thread::spawn(move || {
        let (mut line, mut byte, mut mask) = (Vec::new(), [0], 0u8);
        while !*stopped.lock().unwrap() {
            if far.read_exact(&mut byte).is_err() {
                continue;
            }
            if byte != *b"\r" {
                line.push(byte[0]);
                continue;
            }
            let text = String::from_utf8(std::mem::take(&mut line)).unwrap();
            match text.strip_prefix("MK") {
                Some(digits) => mask = mask & 32 | digits.parse::<u8>().unwrap() & !4,
                None if text == "RPK" => far.write_all(format!("{mask:08b}\r").as_bytes()).unwrap(),
                None => {}
            }
        }
    });
    let folder = tempfile::tempdir().unwrap();
    let (status, lines) = doctor(&["--relay", &format!("adr2200:{}", near.name().unwrap()), "--click"], folder.path());
    *stop.lock().unwrap() = true;
    thread.join().unwrap();
    assert_eq!(status, 1);
    let relays = told(&lines, "relay");
    assert!(relays.contains(&"mend: does not close".to_string()), "{lines:#?}");
    assert!(relays.contains(&"mend: does not open".to_string()), "{lines:#?}");
}
