//! What the page costs the robot: from a picture to its commands with the relays' thread, with nobody looking and with
//! viewers of all kinds. The same pictures are played for each kind in turn, as fast as a camera gives them, so that what
//! else the machine does hits all alike: `cargo bench --bench web`, some minutes.
#![allow(clippy::unwrap_used, clippy::expect_used)]

#[path = "../tests/vision/support/play.rs"]
mod play;
#[path = "../tests/web/support/mod.rs"]
mod web_support;

#[path = "../tests/shared/driven.rs"]
mod driven;

use driven::Driven;
use play::{Film, Setup};
use stackhand::edge::relay::{Executor, Limits, NoBoard, RelayBoard};
use stackhand::message::Frame;
use stackhand::planner::Filters;
use stackhand::profile::calibration::Calibration;
use stackhand::profile::layout::Layout;
use stackhand::robot::{Robot, Settings};
use stackhand::schedule::Finger;
use stackhand::time::{CameraFrame, Clock, SystemClock};
use stackhand::web::{BoardLog, Heights, Numbers, Server, Shot, Thoughts, Watch};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use web_support::Visitor;

/// Pictures of 640 × 480, 30 a second, and how often they are played for each kind of viewer.
const PICTURES: usize = 340;
const PERIOD_MS: f64 = 1000.0 / 30.0;
const ROUNDS: usize = 4;
/// Before these the game has not begun.
const MENU: usize = 30;
/// Until here the robot makes sure of the field's place, twice, for some 60 ms: whoever looks.
const SETTLED: usize = 100;
/// A slow viewer takes this many bytes at a time, and waits this long, ms: a picture takes it more than a second.
const SIP: usize = 2048;
const SIP_EVERY_MS: f64 = 60.0;
/// Requests that a dead viewer has sent before it stops reading.
const UNREAD: usize = 200;

/// Who looks.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Viewer {
    Quick,
    Slow,
    Dead,
}

const KINDS: [(&str, &[Viewer]); 5] = [
    ("nobody", &[]),
    ("a viewer", &[Viewer::Quick]),
    ("four viewers", &[Viewer::Quick; 4]),
    ("a slow viewer", &[Viewer::Slow]),
    ("a dead viewer", &[Viewer::Dead]),
];

/// What is common to all viewers of a kind.
#[derive(Clone)]
struct Theatre {
    visitor: Visitor,
    clock: Arc<dyn Clock>,
    is_over: Arc<AtomicBool>,
    shown: Arc<AtomicU64>,
}

impl Theatre {
    /// Asks for picture after picture, in its own way, until it is over.
    fn look(&self, viewer: Viewer) -> std::io::Result<()> {
        let Visitor { address, cookie } = &self.visitor;
        let mut stream = TcpStream::connect(address)?;
        let mut reader = BufReader::with_capacity(SIP, stream.try_clone()?);
        let request =
            |after: u64| format!("GET /api/live?after={after} HTTP/1.1\r\nhost: {address}\r\ncookie: {cookie}\r\n\r\n");
        if viewer == Viewer::Dead {
            stream.write_all(request(0).repeat(UNREAD).as_bytes())?;
        }
        let mut after = 0;
        while !self.is_over.load(Ordering::Relaxed) {
            if viewer == Viewer::Dead {
                self.nap();
                continue;
            }
            stream.write_all(request(after).as_bytes())?;
            let (mut left, mut line) = (0, String::new());
            while reader.read_line(&mut line)? > 2 {
                let value = |name| line.strip_prefix(name).and_then(|v: &str| v.trim().parse::<u64>().ok());
                left = value("content-length:").unwrap_or(left);
                after = value("x-serial:").unwrap_or(after);
                line.clear();
            }
            while left > 0 {
                let mut sip = vec![0; SIP.min(left as usize)];
                reader.read_exact(&mut sip)?;
                left -= sip.len() as u64;
                if viewer == Viewer::Slow {
                    self.nap();
                }
            }
            self.shown.fetch_add(1, Ordering::Relaxed);
        }
        Ok(())
    }

    fn nap(&self) {
        self.clock.sleep_until(self.clock.now().plus_ms(SIP_EVERY_MS));
    }
}

/// What was measured for a kind, ms.
#[derive(Default)]
struct Times {
    /// From a picture to the end of what it means for the relays.
    command: Vec<f64>,
    /// The same for pictures that led to new commands.
    decided: Vec<f64>,
    /// Leaving the picture for viewers.
    leave: Vec<f64>,
    shown: u64,
}

fn at(times: &mut [f64], share: f64) -> f64 {
    times.sort_by(f64::total_cmp);
    times.get(((times.len().max(1) - 1) as f64 * share).round() as usize).copied().unwrap_or(f64::NAN)
}

fn main() {
    let layout = Layout::load("nes").unwrap();
    let mut film = Film::new(Setup { level: 9, ..Setup::new(0.3, 77) }, &layout);
    (0..MENU).for_each(|_| drop(film.shoot()));
    let pictures: Vec<Frame> = (0..PICTURES).map(|_| film.shoot().0).collect();
    let corners = film.camera.corners();
    let calibration =
        Calibration { lens_k1: film.camera.flaws().radial_k1, ..Calibration::new("nes", [640, 480], corners, 0.5) };
    let mut all: Vec<Times> = KINDS.iter().map(|_| Times::default()).collect();
    for _ in 0..ROUNDS {
        for ((_, viewers), times) in KINDS.iter().zip(&mut all) {
            play(&layout, &calibration, &pictures, viewers, times);
        }
    }
    println!("{} pictures of 640 × 480, 30 a second, {ROUNDS} times each; ms", PICTURES - SETTLED);
    println!("{:<15} {:>19} {:>21} {:>17} {:>9}", "", "picture to command", "with a new plan", "leaving it", "shown");
    println!("{:<15} {:>19} {:>21} {:>17} {:>9}", "who looks", "p50 p95 p99", "p50 p95 p99", "p50 p95 p99", "a second");
    for ((name, _), times) in KINDS.iter().zip(&mut all) {
        let three = |times: &mut [f64]| format!("{:.3} {:.2} {:.1}", at(times, 0.5), at(times, 0.95), at(times, 0.99));
        let seconds = (PICTURES * ROUNDS) as f64 * PERIOD_MS / 1000.0;
        let (command, decided, leave) = (three(&mut times.command), three(&mut times.decided), three(&mut times.leave));
        println!("{name:<15} {command:>19} {decided:>21} {leave:>17} {:>9.1}", times.shown as f64 / seconds);
    }
}

/// Plays the pictures once before these viewers.
fn play(layout: &Layout, calibration: &Calibration, pictures: &[Frame], viewers: &[Viewer], times: &mut Times) {
    let clock: Arc<dyn Clock> = Arc::new(SystemClock::new());
    let executor = Executor::start(Box::new(NoBoard), clock.clone(), Limits::of(calibration)).unwrap();
    let settings = Settings {
        finger: Finger::RELAY,
        start_level: 9,
        wire: NoBoard.capabilities().wire,
        lead_ms: 8.0,
        restart: false,
        drops_unseen: false,
        blame: stackhand::robot::OnBlame::Ignore,
        filters: Filters::default(),
    };
    let mut robot = Robot::new(layout, calibration, settings).unwrap();
    let watch = Watch::new("bench", layout, calibration, clock.clone(), true, BoardLog::default());
    let watch = Arc::new(watch);
    watch.connect(executor.handle());
    let server = Server::start(watch.clone(), None, clock.clone()).unwrap();
    let theatre = Theatre {
        visitor: Visitor::of(&server.url()),
        clock: clock.clone(),
        is_over: Arc::default(),
        shown: Arc::default(),
    };
    for viewer in viewers {
        let (theatre, viewer) = (theatre.clone(), *viewer);
        std::thread::spawn(move || theatre.look(viewer));
    }
    let begin = clock.now();
    for (n, picture) in pictures.iter().enumerate() {
        clock.sleep_until(begin.plus_ms((n + 1) as f64 * PERIOD_MS));
        let time = clock.now();
        let frame = Frame { index: CameraFrame(n as u64), time, ..picture.clone() };
        let look = robot.look(&frame);
        let mut is_new = false;
        if robot.has_to_decide(time)
            && let Some(decision) = robot.decide(clock.now())
        {
            executor.schedule_since(decision.since, decision.commands).unwrap();
            is_new = true;
        }
        let commanded = clock.now();
        if watch.is_watched() {
            watch.newest.put(Shot {
                frame,
                observation: look.observation,
                pile: *robot.belief().pile(),
                falling: robot.belief().falling(),
                plan: None,
                is_ahead: false,
                thoughts: Thoughts::default(),
                planned: Arc::default(),
                heights: Heights::default(),
                numbers: Numbers::default(),
                corners: calibration.corners,
                said: Vec::new(),
                rests: false,
            });
        }
        if n < SETTLED {
            continue;
        }
        times.command.push(commanded.ms_since(time));
        if is_new {
            times.decided.push(commanded.ms_since(time));
        }
        times.leave.push(clock.now().ms_since(commanded));
    }
    theatre.is_over.store(true, Ordering::Relaxed);
    times.shown += theatre.shown.load(Ordering::Relaxed);
    executor.stop().unwrap();
}
