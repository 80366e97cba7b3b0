//! STOP under load, measured: from sending it, over a new connection, to open relays, and to its answer. The crowd is
//! another process: `cargo run --release --example stop_survey [-- STOPS [LOAD]]`, about a minute.
#![allow(clippy::unwrap_used, clippy::expect_used)]

#[path = "../tests/web/support/mod.rs"]
mod web_support;

use serde_json::json;
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use web_support::crowd::{Crowd, Load};
use web_support::table::Table;
use web_support::{Visitor, nap};

const LOADS: [(&str, Load); 5] = [
    ("calm", Load::Calm),
    ("5,000 idle sockets", Load::Idle(5000)),
    ("a flood, 1 thread", Load::Flood(1)),
    ("a flood, 2 threads", Load::Flood(2)),
    ("160 viewers", Load::Viewers(160)),
];
/// Between the end of one STOP and the next press, ms.
const REST_MS: f64 = 20.0;

fn main() {
    let args: Vec<String> = std::env::args().skip(1).collect();
    match args.first().map(String::as_str) {
        Some("crowd") => crowd(args[1].parse().unwrap(), &args[2], &args[3]),
        stops => survey(stops.map_or(200, |stops| stops.parse().unwrap()), args.get(1).map_or("", String::as_str)),
    }
}

/// The other process: says what has been done for each line that it reads, and ends with its input.
fn crowd(load: usize, address: &str, cookie: &str) {
    allow_files();
    let visitor = Visitor { address: address.into(), cookie: cookie.into() };
    let crowd = Crowd::gather(LOADS[load].1, &visitor);
    for _ in std::io::stdin().lines().map_while(Result::ok) {
        let deeds = [&crowd.deeds.connected, &crowd.deeds.held, &crowd.deeds.seen];
        let [connected, held, seen] = deeds.map(|count| count.load(Ordering::Relaxed));
        println!("{connected} {held} {seen}");
    }
}

#[cfg(unix)]
fn allow_files() {
    use nix::sys::resource::{Resource, getrlimit, setrlimit};
    let (soft, hard) = getrlimit(Resource::RLIMIT_NOFILE).unwrap();
    setrlimit(Resource::RLIMIT_NOFILE, soft.max(hard.min(20_000)), hard).unwrap();
}

#[cfg(not(unix))]
fn allow_files() {}

/// The crowd, as seen from here.
struct Others(Child, BufReader<std::process::ChildStdout>);

impl Others {
    fn come(load: usize, visitor: &Visitor) -> Self {
        let mut command = Command::new(std::env::current_exe().unwrap());
        command.args(["crowd", &load.to_string(), &visitor.address, &visitor.cookie]);
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let out = BufReader::new(child.stdout.take().unwrap());
        Self(child, out)
    }

    /// Connections made, held, and pictures seen.
    fn deeds(&mut self) -> [u64; 3] {
        self.0.stdin.as_mut().unwrap().write_all(b"\n").unwrap();
        let mut line = String::new();
        self.1.read_line(&mut line).unwrap();
        let mut counts = line.split_whitespace().map(|word| word.parse().unwrap());
        [(); 3].map(|()| counts.next().unwrap_or(0))
    }
}

impl Drop for Others {
    fn drop(&mut self) {
        drop(self.0.stdin.take());
        let _ = self.0.wait();
    }
}

fn at(times: &mut [f64], share: f64) -> f64 {
    times.sort_by(f64::total_cmp);
    times.get(((times.len().max(1) - 1) as f64 * share).round() as usize).copied().unwrap_or(f64::NAN)
}

fn machine() -> String {
    std::fs::read_to_string("/proc/loadavg").unwrap_or_default().split(' ').take(1).collect()
}

/// Under the loads whose names hold this.
fn survey(stops: usize, only: &str) {
    println!("{stops} STOPs under each load, a new connection each; ms; {} cores", num_cores());
    println!("{:<20} {:>26} {:>26} {:>7}  the crowd; the machine's load", "", "relays open", "answered", "failed");
    println!("{:<20} {:>26} {:>26}", "", "p50    p99    worst", "p50    p99    worst");
    for (number, (name, load)) in LOADS.iter().enumerate().filter(|(_, (name, _))| name.contains(only)) {
        let table = Table::set(None);
        let visitor = table.visitor();
        let over = Arc::new(AtomicBool::new(false));
        let film = table.film(&over);
        let mut others = Others::come(number, &visitor);
        let is_ready = |deeds: [u64; 3]| match load {
            Load::Calm => true,
            Load::Idle(sockets) => deeds[1] == *sockets as u64,
            Load::Flood(_) => deeds[0] > 100,
            Load::Viewers(_) => deeds[2] > 100,
        };
        while !is_ready(others.deeds()) {
            nap(20.0);
        }
        let (before, began) = (others.deeds(), table.clock.now());
        let (mut open, mut told, mut failed) = (Vec::new(), Vec::new(), 0);
        for _ in 0..stops {
            table.press();
            nap(REST_MS);
            let asked = table.clock.now();
            let body = json!({ "do": "stop" }).to_string();
            let reply = visitor.ask("POST", "/api/order", &[("x-stackhand-tab", "0")], body.as_bytes());
            let answered = table.clock.now();
            match (reply.map(|reply| reply.status), table.opened_after(asked)) {
                (Some(200), Some(opened)) => {
                    open.push(opened.ms_since(asked));
                    told.push(answered.ms_since(asked));
                }
                (status, opened) => {
                    failed += 1;
                    let took_ms = answered.ms_since(asked);
                    let opened_ms = opened.map(|opened| opened.ms_since(asked));
                    println!("failed: answer {status:?} after {took_ms:.1} ms, relays open after {opened_ms:?} ms");
                }
            }
        }
        let after = others.deeds();
        let seconds = table.clock.now().ms_since(began) / 1000.0;
        let rate = |which: usize| (after[which] - before[which]) as f64 / seconds;
        let three =
            |times: &mut [f64]| format!("{:.2} {:>6.1} {:>8.1}", at(times, 0.5), at(times, 0.99), at(times, 1.0));
        println!(
            "{name:<20} {:>26} {:>26} {failed:>7}  {:.0} connections/s, {} held, {:.0} pictures/s; {}",
            three(&mut open),
            three(&mut told),
            rate(0),
            after[1],
            rate(2),
            machine()
        );
        drop(others);
        over.store(true, Ordering::Relaxed);
        film.join().unwrap();
    }
}

fn num_cores() -> usize {
    std::thread::available_parallelism().map_or(0, usize::from)
}
