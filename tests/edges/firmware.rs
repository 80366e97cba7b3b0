//! The firmware of our own relay board (`hardware/firmware`): its tests without a processor, and the built program under
//! simavr, talked to through a pseudo-terminal, with its pins and its latch wire in simulated time.
//!
//! Needs the Debian packages gcc-avr, avr-libc, libsimavr-dev, libelf-dev (and make, gcc); says so and skips without them.

#![cfg(unix)]
#![allow(clippy::unwrap_used, clippy::panic)] // helpers outside #[test] functions are test code too

use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use serialport::SerialPort;
use stackhand::edge::relay::{self, HOST_TIMEOUT_MS, Health, RelaySpec};
use stackhand::message::RelayMask;
use stackhand::time::{Clock, HostTime, SystemClock};
use stackhand::twin::relay_board::{AdrDevice, DeviceSettings};
use std::io::{BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

/// The longest wait for anything; a loaded machine runs the simulated processor slower than a real one.
const PATIENCE: Duration = Duration::from_secs(30);
const NTSC_NS: u64 = 16_639_263;

/// The built program and the simulator, or nothing where the tools are missing.
fn built() -> Option<&'static Path> {
    static BUILT: OnceLock<Option<PathBuf>> = OnceLock::new();
    BUILT
        .get_or_init(|| {
            let runs =
                |program: &str| Command::new(program).arg("--version").output().is_ok_and(|o| o.status.success());
            let headers = ["/usr/include/simavr/sim_avr.h", "/usr/lib/avr/include/avr/io.h", "/usr/include/libelf.h"];
            if !["avr-gcc", "make", "cc"].into_iter().all(runs) || !headers.iter().all(|h| Path::new(h).exists()) {
                let needs = ["avr-gcc", "make", "cc"].into_iter().chain(headers).collect::<Vec<_>>();
                crate::skip::skipped("the relay board's firmware", &needs);
                return None;
            }
            let out = Path::new(env!("CARGO_TARGET_TMPDIR")).join("firmware");
            make(&out, &["all"]);
            make(&out, &["simulator"]);
            make(&out.join("low"), &["all", "OPTIONS=-DACTIVE_LOW=1"]);
            Some(out)
        })
        .as_deref()
}

#[track_caller]
fn make(out: &Path, words: &[&str]) -> String {
    try_make(out, words).unwrap_or_else(|text| panic!("make {words:?}: {text}"))
}

/// What make said; as an error, if it failed.
fn try_make(out: &Path, words: &[&str]) -> Result<String, String> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("hardware/firmware");
    let mut command = Command::new("make");
    command.arg("-C").arg(folder).arg(format!("OUT={}", out.display())).args(words);
    // Whatever the make around this test was told is not for this one.
    let made = command.env_remove("MAKEFLAGS").env_remove("MFLAGS").env_remove("OPTIONS").output().unwrap();
    let text = [made.stdout, made.stderr].map(|said| String::from_utf8_lossy(&said).into_owned()).concat();
    if made.status.success() { Ok(text) } else { Err(text) }
}

/// On which level the relay module behind the pins closes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Closes {
    High,
    Low,
}

impl Closes {
    const BOTH: [Self; 2] = [Self::High, Self::Low];

    /// The program built for it.
    fn program(self, out: &Path) -> PathBuf {
        match self {
            Self::High => out.join("stackhand.elf"),
            Self::Low => out.join("low/stackhand.elf"),
        }
    }
}

/// What the relays' pins did.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Pins {
    mask: u8,
    /// Latches until then, and the time since the last.
    latches: u64,
    after_latch_us: f64,
    at_us: f64,
}

/// The board under simavr.
struct Bench {
    simulator: Child,
    orders: ChildStdin,
    lines: Receiver<String>,
    path: String,
    port: Option<Box<dyn SerialPort>>,
    pins: Vec<Pins>,
}

impl Bench {
    fn start() -> Option<Self> {
        let mut bench = Self::start_closed()?;
        bench.port = Some(serialport::new(&bench.path, 9600).timeout(PATIENCE).open().unwrap());
        // Reset takes its time on a real board, too.
        assert_eq!(bench.ask("QV"), "2");
        Some(bench)
    }

    /// Without a program at the port yet.
    fn start_closed() -> Option<Self> {
        Self::start_with(Closes::High, Closes::High)
    }

    /// A program built for one module, with this module at its pins.
    fn start_with(program: Closes, module: Closes) -> Option<Self> {
        let out = built()?;
        let mut simulator = Command::new(out.join("simulator"))
            .arg(program.program(out))
            .args((module == Closes::Low).then_some("low"))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let orders = simulator.stdin.take().unwrap();
        let output = BufReader::new(simulator.stdout.take().unwrap());
        let (sender, lines) = channel();
        std::thread::spawn(move || output.lines().map_while(Result::ok).try_for_each(|line| sender.send(line)));
        let first = lines.recv_timeout(PATIENCE).unwrap();
        let path = first.strip_prefix("pty ").unwrap().to_string();
        Some(Self { simulator, orders, lines, path, port: None, pins: Vec::new() })
    }

    fn send(&mut self, text: &str) {
        self.send_bytes(text.as_bytes());
    }

    fn send_bytes(&mut self, bytes: &[u8]) {
        self.port.as_mut().unwrap().write_all(bytes).unwrap();
    }

    /// Asks and waits for the answer's line.
    #[track_caller]
    fn ask(&mut self, question: &str) -> String {
        self.send(&format!("{question}\r"));
        let mut answer = String::new();
        loop {
            let mut byte = [0];
            let port = self.port.as_mut().unwrap();
            assert!(port.read_exact(&mut byte).is_ok(), "no answer to {question:?}, only {answer:?}");
            match byte[0] {
                b'\r' => return answer,
                b => answer.push(char::from(b)),
            }
        }
    }

    fn numbers(&mut self, question: &str) -> Vec<u64> {
        self.ask(question).split(',').map(|n| n.parse().unwrap()).collect()
    }

    /// Tells the simulator and waits until it is done.
    #[track_caller]
    fn order(&mut self, order: &str) {
        self.begin(order);
        self.wait_for_done();
    }

    fn begin(&mut self, order: &str) {
        self.orders.write_all(format!("{order}\n").as_bytes()).unwrap();
    }

    #[track_caller]
    fn wait_for_done(&mut self) {
        self.read_pins(|line| line == "done");
    }

    #[track_caller]
    fn wait_for_pins(&mut self, count: usize) {
        while self.pins.len() < count {
            let before = self.pins.len();
            self.read_pins(|line| line.starts_with("pins"));
            assert!(self.pins.len() > before);
        }
    }

    /// Reads the simulator's lines up to the one wanted.
    #[track_caller]
    fn read_pins(&mut self, is_last: impl Fn(&str) -> bool) {
        loop {
            let line = self.lines.recv_timeout(PATIENCE).unwrap_or_else(|e| panic!("{e}; so far {:?}", self.pins));
            if let Some(numbers) = line.strip_prefix("pins ") {
                let [mask, latches, after_ns, at_ns] = numbers
                    .split(' ')
                    .map(|n| n.parse::<u64>().unwrap())
                    .collect::<Vec<_>>()
                    .try_into()
                    .unwrap_or_else(|_| panic!("{line}"));
                let (after_latch_us, at_us) = (after_ns as f64 / 1000.0, at_ns as f64 / 1000.0);
                self.pins.push(Pins { mask: mask as u8, latches, after_latch_us, at_us });
            }
            if is_last(&line) {
                return;
            }
        }
    }

    fn masks(&self) -> Vec<u8> {
        self.pins.iter().map(|p| p.mask).collect()
    }
}

impl Drop for Bench {
    fn drop(&mut self) {
        let _ = self.simulator.kill();
        let _ = self.simulator.wait();
    }
}

#[test]
fn what_needs_no_processor() {
    let Some(out) = built() else { return };
    let said = make(out, &["native"]);
    assert!(said.contains("8 tests passed"), "{said}");
}

#[test]
fn our_own_driver_closes_the_right_pins() {
    let Some(mut bench) = Bench::start_closed() else { return };
    let clock: Arc<dyn Clock> = Arc::new(SystemClock::new());
    let spec = RelaySpec::parse(&format!("adr2200:{}", bench.path)).unwrap();
    let mut board = relay::open(&spec, clock).unwrap();
    assert_eq!(board.read_back().unwrap(), Some(RelayMask(0)));
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(1);
    let mut wanted = vec![0];
    for step in 0..300 {
        let mask: u8 = rng.random();
        let forbidden = mask & 3 == 3 || mask & 12 == 12;
        board.set(RelayMask(mask)).unwrap();
        wanted.push(if forbidden { 0 } else { mask });
        if step % 20 == 0 {
            assert_eq!(board.read_back().unwrap(), wanted.last().copied().map(RelayMask));
        }
    }
    board.set(RelayMask(64)).unwrap();
    wanted.extend([64, 0]);
    board.set(RelayMask(0)).unwrap();
    assert_eq!(board.read_back().unwrap(), Some(RelayMask(0)));
    wanted.dedup();
    wanted.remove(0);
    // Answered when all that happened before was said.
    bench.order("rate 9600");
    let pins = bench.masks();
    // The two ports change a fraction of a microsecond apart: subsets in between may show, nothing else.
    let mut at = 0;
    for &next in &wanted {
        let from = if at == 0 { 0 } else { pins[at - 1] };
        while pins[at] != next {
            let step = pins[at];
            assert!(step & !(from | next) == 0, "{step:08b} on the way from {from:08b} to {next:08b}");
            assert!((step & 3) != 3 && (step & 12) != 12);
            at += 1;
        }
        at += 1;
    }
    assert_eq!(at, pins.len());
}

/// The same bytes to the firmware and to the twin's board: the same answers.
#[test]
fn it_answers_as_the_simulated_board_does() {
    let Some(mut bench) = Bench::start() else { return };
    let mut twin = AdrDevice::new(DeviceSettings::default());
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(2);
    bench.send("NP0,0\rNP1,0\r");
    let parts =
        ["SK", "RK", "MK", "SPK", "RPK", "PK", "IDN?", "RPA", "0", "3", "7", "128", "255", "300", "00000101", " "];
    for round in 0..60 {
        let mut text = String::new();
        for _ in 0..rng.random_range(1..6) {
            for _ in 0..rng.random_range(0..4) {
                text.push_str(parts[rng.random_range(0..parts.len())]);
            }
            // Answers of ours would be taken for the answer to the question below.
            let line = text.rsplit('\r').next().unwrap_or_default().trim_start_matches('0');
            if line.starts_with('R') && line.contains('P') || line.starts_with("PK") || line.starts_with("IDN") {
                text.push('!');
            }
            text.push('\r');
        }
        let heard: Vec<u8> = text.bytes().flat_map(|b| twin.feed(b, HostTime(0))).collect();
        assert_eq!(heard, b"");
        bench.send(&text);
        let expected = format!("{:08b}", twin.coils().0);
        assert_eq!(bench.ask("RPK"), expected, "round {round} after {text:?}");
    }
    for question in ["RPK", "PK", "RPK0", "RPK7", "IDN?", "RE"] {
        let said: Vec<u8> = format!("{question}\r").bytes().flat_map(|b| twin.feed(b, HostTime(0))).collect();
        assert_eq!(format!("{}\r", bench.ask(question)).into_bytes(), said, "{question}");
    }
}

#[test]
fn garbage_does_not_deafen() {
    let Some(mut bench) = Bench::start() else { return };
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(3);
    for _ in 0..20 {
        let count = rng.random_range(1..120);
        let garbage: Vec<u8> = (0..count).map(|_| rng.random()).filter(|b| *b != b'\r').collect();
        bench.send_bytes(&garbage);
        bench.send("\rMK9\r");
        assert_eq!(bench.ask("RPK"), "00001001");
        bench.send("MK0\r");
    }
    // A damaged byte spoils its line and no other.
    bench.send("MK16\r");
    assert_eq!(bench.ask("PK"), "016");
    bench.order("damage");
    bench.send("MK32\r");
    assert_eq!(bench.ask("PK"), "016");
}

#[test]
fn entries_fire_in_their_frames_of_the_consoles_latch() {
    let Some(mut bench) = Bench::start() else { return };
    bench.send("HT0\rFL\rQZ\rFD1500\rCE\r");
    assert_eq!(bench.numbers("QS"), [0, 0, 0, 0, 0, 1]);
    // The console runs before the queue is filled, a second ahead: no answer of a loaded machine comes that late.
    bench.begin(&format!("latch 180 {NTSC_NS} 2"));
    let start = bench.numbers("QF")[0] + 60;
    // 41 is forbidden and opens; after 45 the queue ends, which opens.
    let entries = [(3, 64), (5, 0), (6, 1), (7, 2), (20, 129), (21, 128), (40, 8), (41, 3), (45, 4)];
    let text: String = entries.iter().map(|(frame, mask)| format!("QA{},{mask}\r", start + frame)).collect();
    bench.send(&text);
    bench.wait_for_done();
    let mut ends = Vec::new();
    for pins in &bench.pins {
        // In simulated time, so a loaded machine changes nothing.
        assert!((1500.0..1560.0).contains(&pins.after_latch_us), "{pins:?}");
        let frame = pins.latches - start;
        ends.retain(|(f, _)| *f != frame);
        ends.push((frame, pins.mask));
    }
    let wanted = [(3, 64), (5, 0), (6, 1), (7, 2), (20, 129), (21, 128), (40, 8), (41, 0), (45, 4), (46, 0)];
    assert_eq!(ends, wanted);
    let latest = bench.pins.iter().map(|p| p.after_latch_us).fold(0.0, f64::max);
    println!("entries reach the pins at most {:.1} us after latch + 1500 us", latest - 1500.0);
    // 180 polls of two reads: 180 frames, 360 events.
    assert_eq!(bench.ask("RE"), "00360");
    assert_eq!(bench.numbers("QS"), [180, 0, 0, 1, 0, 1]);
}

#[test]
fn a_late_entry_opens_but_never_closes() {
    let Some(mut bench) = Bench::start() else { return };
    bench.send("HT0\rFL\rQZ\r");
    bench.begin(&format!("latch 2000 {NTSC_NS} 1"));
    let start = bench.numbers("QF")[0] + 60;
    bench.send(&format!("QA{start},80\rQA{},0\r", start + 1800));
    bench.wait_for_pins(1);
    // One frame behind the entry that has just fired.
    bench.send(&format!("QA{},65\r", start - 1));
    assert_eq!(bench.ask("PK"), "064");
    assert_eq!(bench.numbers("QS")[1..4], [1, 1, 0]);
    bench.send("QC\r");
    assert_eq!(bench.ask("PK"), "000");
    assert_eq!(bench.numbers("QS")[1], 0);
}

#[test]
fn a_lost_latch_and_a_silent_host_open() {
    let Some(mut bench) = Bench::start() else { return };
    bench.send("HT0\rFL\rQZ\r");
    bench.begin(&format!("latch 90 {NTSC_NS} 1"));
    let start = bench.numbers("QF")[0] + 60;
    bench.send(&format!("QA{start},80\rQA{},0\r", start + 1800));
    bench.wait_for_pins(2);
    assert_eq!((bench.pins[1].mask, bench.pins[1].latches), (0, 90));
    assert!((245_000.0..260_000.0).contains(&bench.pins[1].after_latch_us), "{:?}", bench.pins);
    bench.send("FX\rHT100\rMK5\r");
    bench.wait_for_pins(4);
    let held_us = bench.pins[3].at_us - bench.pins[2].at_us;
    assert_eq!((bench.pins[2].mask, bench.pins[3].mask), (5, 0));
    // Counted from the last byte, a moment before the pins.
    assert!((98_000.0..101_000.0).contains(&held_us), "{held_us} us");
    assert_eq!(bench.numbers("QS")[4], 2);
    assert_eq!(bench.ask("HT"), "00100");
}

#[test]
fn a_hung_program_opens() {
    let Some(mut bench) = Bench::start() else { return };
    bench.send("HT0\rMK5\r");
    assert_eq!(bench.ask("PK"), "005");
    bench.order("hang");
    bench.wait_for_pins(2);
    let held_us = bench.pins[1].at_us - bench.pins[0].at_us;
    assert_eq!(bench.pins[1].mask, 0);
    println!("the processor's watchdog opened after {held_us:.0} us");
}

/// From power-on on, looked at after every instruction: only what was commanded closes, and a reset opens.
#[test]
fn on_modules_of_both_polarities_nothing_closes_that_was_not_commanded() {
    for closes in Closes::BOTH {
        let Some(mut bench) = Bench::start_with(closes, closes) else { return };
        bench.port = Some(serialport::new(&bench.path, 9600).timeout(PATIENCE).open().unwrap());
        assert_eq!(bench.ask("QV"), "2");
        bench.order("rate 9600");
        assert_eq!(bench.masks(), [0; 0], "{closes:?}: closed at rest");
        bench.send("MK16\r");
        assert_eq!(bench.ask("PK"), "016");
        bench.order("hang");
        bench.wait_for_pins(2);
        // A while after the reset, too.
        let clock = SystemClock::new();
        clock.sleep_until(clock.now().plus_ms(300.0));
        bench.order("rate 9600");
        assert_eq!(bench.masks(), [16, 0], "{closes:?}");
    }
}

/// The bench can see what the test above looks for: a program of the wrong polarity closes all at rest.
#[test]
fn the_wrong_polarity_is_seen_to_close_relays_at_rest() {
    let Some(mut bench) = Bench::start_with(Closes::High, Closes::Low) else { return };
    bench.wait_for_pins(1);
    bench.order("rate 9600");
    assert!(bench.masks().contains(&255), "{:?}", bench.masks());
}

/// The driver's calls hold a press as long as they come; without them the board opens within 1.3 s, and says so.
#[test]
fn without_its_host_the_board_opens_and_with_it_does_not() {
    for closes in Closes::BOTH {
        let Some(mut bench) = Bench::start_with(closes, closes) else { return };
        let clock: Arc<dyn Clock> = Arc::new(SystemClock::new());
        let spec = RelaySpec::parse(&format!("adr2200:{}", bench.path)).unwrap();
        let mut board = relay::open(&spec, clock.clone()).unwrap();
        let plan = board.start_calls().unwrap().unwrap();
        assert!(plan.guards_itself);
        // In the simulated processor's time, which a busy machine slows down: until much more than the timeout is over.
        board.set(RelayMask(16)).unwrap();
        bench.wait_for_pins(1);
        let called_until = clock.now().plus_ms(2.5 * f64::from(HOST_TIMEOUT_MS));
        while clock.now() < called_until {
            assert_eq!(board.call().unwrap(), Health::Well);
            clock.sleep_until(clock.now() + plan.every / 2);
        }
        bench.order("rate 9600");
        assert_eq!(bench.masks(), [16], "{closes:?}: {:?}", bench.pins);
        // Both killed in one instant: nobody says anything any more.
        board.set(RelayMask(0)).unwrap();
        board.set(RelayMask(16)).unwrap();
        bench.wait_for_pins(4);
        bench.order("rate 9600");
        assert_eq!(bench.masks(), [16, 0, 16, 0]);
        let [.., pressed, opened] = bench.pins[..] else { panic!("{:?}", bench.pins) };
        let held_ms = (opened.at_us - pressed.at_us) / 1000.0;
        println!("{closes:?}: open {held_ms:.1} ms after the host's last byte");
        assert!((f64::from(HOST_TIMEOUT_MS) - 5.0..=1300.0).contains(&held_ms), "{held_ms} ms");
        let mut told = Health::Well;
        for _ in 0..100 {
            if told != Health::Well {
                break;
            }
            told = board.call().unwrap();
            clock.sleep_until(clock.now().plus_ms(50.0));
        }
        assert_eq!(told, Health::OpenedItself(1));
        // Open until a new command.
        assert_eq!(board.read_back().unwrap(), Some(RelayMask(0)));
        board.set(RelayMask(1)).unwrap();
        assert_eq!(board.read_back().unwrap(), Some(RelayMask(1)));
    }
}

#[test]
fn other_options_build_another_program_and_wrong_ones_none() {
    let Some(out) = built() else { return };
    let out = out.join("chosen");
    let built = |options: &str| {
        let said = make(&out, &["all", &format!("OPTIONS={options}")]);
        (std::fs::read(out.join("stackhand.hex")).unwrap(), said)
    };
    let (high, said) = built("");
    assert!(said.contains("a HIGH level closes a relay") && said.contains("9600 baud"), "{said}");
    let (low, said) = built("-DACTIVE_LOW=1 -DBAUD_RATE=115200 -DADDRESS=3 -DHOST_TIMEOUT_MS=800");
    assert!(low != high, "the first build was taken for the second");
    for words in ["a LOW level closes a relay", "115200 baud", "address 3", "800 ms"] {
        assert!(said.contains(words), "{words}: {said}");
    }
    // Whoever flashes without naming the options again gets what was built, at the boot loader's rate.
    for (boot_loader, rate) in [("new", "-b115200"), ("old", "-b57600")] {
        let said = make(&out, &["flash", "AVRDUDE=echo", "PORT=/dev/null", &format!("BOOTLOADER={boot_loader}")]);
        assert!(said.contains("a LOW level") && said.contains(rate), "{said}");
        assert!(std::fs::read(out.join("stackhand.hex")).unwrap() == low);
    }
    for (options, words) in [
        ("-DACTIVELOW=1", "There is no option"),
        ("-DBAUD_RATE=300", "BAUD_RATE is"),
        ("-DACTIVE_LOW=2", "ACTIVE_LOW is"),
    ] {
        let said = try_make(&out, &["all", &format!("OPTIONS={options}")]).unwrap_err();
        assert!(said.contains(words), "{options}: {said}");
    }
    assert!(built("").0 == high);
}

#[test]
fn without_the_wire_frames_keep_the_set_period_and_phase() {
    let Some(mut bench) = Bench::start() else { return };
    bench.send("HT0\r");
    for period_ns in [NTSC_NS, 19_997_200] {
        let from = bench.pins.len();
        bench.send(&format!("FP{period_ns}\rQZ\r"));
        assert_eq!(bench.numbers("FP"), [period_ns]);
        let start = bench.numbers("QF")[0] + 60;
        for i in 0..20 {
            bench.send(&format!("QA{},{}\r", start + 3 * i, if i % 2 == 0 { 16 } else { 0 }));
        }
        bench.wait_for_pins(from + 20);
        let at: Vec<_> = bench.pins[from..].iter().map(|p| p.at_us).collect();
        for (i, us) in at.iter().enumerate() {
            let due = at[0] + 3.0 * i as f64 * period_ns as f64 / 1000.0;
            assert!((us - due).abs() < 30.0, "entry {i} of {period_ns} ns: {} us off", us - due);
        }
    }
    // A shift moves all later frames against those before it.
    let from = bench.pins.len();
    let start = bench.numbers("QF")[0] + 60;
    bench.send(&format!("QA{start},16\rQA{},0\r", start + 2));
    bench.wait_for_pins(from + 2);
    bench.send("FS-3000\r");
    bench.send(&format!("QA{},16\rQA{},0\r", start + 90, start + 92));
    bench.wait_for_pins(from + 4);
    let apart = bench.pins[from + 2].at_us - bench.pins[from].at_us;
    assert!((apart - (90.0 * 19_997.2 - 3000.0)).abs() < 30.0, "{apart} us");
    let [frame, us] = bench.numbers("QF")[..] else { panic!() };
    assert!(frame > start && us < 20_000, "{frame} {us}");
}

#[test]
fn the_rate_changes_and_comes_back() {
    let Some(mut bench) = Bench::start() else { return };
    bench.send("BR115200\r");
    // Sent and drained: the answer to a question asked too early would be garbled.
    let clock = SystemClock::new();
    clock.sleep_until(clock.now().plus_ms(200.0));
    bench.order("rate 115200");
    assert_eq!(bench.ask("IDN?"), "2200");
    bench.send("MK5\r");
    assert_eq!(bench.ask("PK"), "005");
    // A rate at which nobody is understood is given up: also if a question that was sent at the old rate, before or just
    // while the rate changed, is answered after it.
    for (key, ends_before_it) in [(6, 0), (4, 26), (5, 28), (6, 30)] {
        bench.send(&format!("PK\rBR57600\r{}PK\r", "\r".repeat(ends_before_it)));
        clock.sleep_until(clock.now().plus_ms(200.0));
        assert!(comes_back(&mut bench, key), "the old rate did not come back after {ends_before_it} line ends");
    }
}

/// Whether the board, spoken to at the old rate ten times a second, is at last understood.
fn comes_back(bench: &mut Bench, key: u8) -> bool {
    let clock = SystemClock::new();
    let port = bench.port.as_mut().unwrap();
    // What is said at the wrong rate is heard as anything, also as half of what follows.
    let mut heard = Vec::new();
    (0..200).any(|_| {
        port.write_all(format!("\rMK{key}\rPK\r").as_bytes()).unwrap();
        clock.sleep_until(clock.now().plus_ms(100.0));
        let mut bytes = vec![0; port.bytes_to_read().unwrap() as usize];
        port.read_exact(&mut bytes).unwrap();
        heard.extend_from_slice(&bytes);
        heard.windows(4).any(|four| four == format!("00{key}\r").as_bytes())
    })
}
