//! The page's server: who may speak to it, what garbage does to it, and that STOP opens the relays.
#![allow(clippy::unwrap_used, clippy::expect_used)]

mod web_support;

use serde_json::{Value, json};
use stackhand::calibration::Calibration;
use stackhand::layout::Layout;
use stackhand::message::{RelayCommand, RelayMask};
use stackhand::relay::{Executor, Limits, NoBoard};
use stackhand::time::{Clock, SystemClock};
use stackhand::web::{BoardLog, Hold, LoggedBoard, Server, Watch};
use std::io::{Read, Write};
use std::net::TcpStream;
use std::sync::Arc;
use std::time::Duration;
use web_support::{Program, Reply, request};

/// A page over a robot that does nothing, with a relay board that remembers.
struct Table {
    server: Server,
    watch: Arc<Watch>,
    executor: Executor,
    log: BoardLog,
    clock: Arc<dyn Clock>,
}

fn table(listen: Option<&str>) -> Table {
    let clock: Arc<dyn Clock> = Arc::new(SystemClock::new());
    let layout = Layout::load("nes").unwrap();
    let corners = [[100.0, 50.0], [300.0, 50.0], [300.0, 450.0], [100.0, 450.0]];
    let calibration = Calibration::new("nes", [640, 480], corners, 0.0);
    let log = BoardLog::default();
    let board = LoggedBoard::new(Box::new(NoBoard), clock.clone(), log.clone());
    let executor = Executor::start(Box::new(board), clock.clone(), Limits::of(&calibration)).unwrap();
    let watch = Arc::new(Watch::new("test", &layout, &calibration, clock.clone(), true, log.clone()));
    watch.connect(executor.handle());
    let server = Server::start(watch.clone(), listen, clock.clone()).unwrap();
    Table { server, watch, executor, log, clock }
}

impl Table {
    fn address(&self) -> String {
        format!("127.0.0.1:{}", self.server.address().port())
    }

    fn get(&self, path: &str) -> Reply {
        request(&self.address(), "GET", path, &[], b"").expect("no answer")
    }

    fn post(&self, path: &str, tab: u64, body: &Value) -> Reply {
        let tab = tab.to_string();
        request(&self.address(), "POST", path, &[("x-stackhand-tab", &tab)], body.to_string().as_bytes())
            .expect("no answer")
    }

    fn order(&self, tab: u64, what: &str) -> Reply {
        self.post("/api/order", tab, &json!({ "do": what }))
    }
}

const FILES: [&str; 7] = ["/", "/style.css", "/page.js", "/draw.js", "/watch.js", "/replay.js", "/icon.svg"];

#[test]
fn the_page_is_small_needs_nothing_from_elsewhere_and_runs_no_script_of_others() {
    let table = table(None);
    let began = table.clock.now();
    let mut bytes = 0;
    for path in FILES {
        let reply = table.get(path);
        assert_eq!(reply.status, 200, "{path}");
        let policy = reply.header("content-security-policy").unwrap();
        assert!(policy.contains("default-src 'none'") && !policy.contains("unsafe"), "{policy}");
        let text = String::from_utf8(reply.body).unwrap();
        let elsewhere = text.matches("http").count() - text.matches("http://www.w3.org/2000/svg").count();
        assert_eq!((elsewhere, text.contains("<script>"), text.contains("onclick=")), (0, false, false), "{path}");
        bytes += text.len();
    }
    println!("{bytes} bytes in {:.1} ms", table.clock.now().ms_since(began));
    assert!(bytes < 300_000, "{bytes}");
    assert_eq!(table.get("/calibrate.html").status, 404);
    assert_eq!(table.get("/../Cargo.toml").status, 404);
}

#[test]
fn other_pages_and_other_names_are_refused() {
    let table = table(None);
    let address = table.address();
    let port = table.server.address().port();
    let ask = |method, path, headers: &[(&str, &str)]| request(&address, method, path, headers, b"{}").unwrap().status;
    let tab = ("x-stackhand-tab", "1");
    assert_eq!(ask("GET", "/", &[("host", &format!("rebound.example:{port}"))]), 421);
    assert_eq!(ask("GET", "/api/live", &[("host", "rebound.example")]), 421);
    assert_eq!(ask("POST", "/api/order", &[tab, ("origin", "http://evil.example")]), 403);
    assert_eq!(ask("POST", "/api/order", &[tab, ("sec-fetch-site", "cross-site")]), 403);
    assert_eq!(ask("POST", "/api/order", &[("content-type", "text/plain")]), 403);
    assert_eq!(ask("DELETE", "/", &[tab]), 405);
    // Looking changes nothing.
    for path in ["/api/order?do=stop", "/api/hello", "/api/order"] {
        assert_eq!(ask("GET", path, &[]), 404, "{path}");
    }
    assert_eq!((table.watch.control.hold(), table.watch.control.stops()), (Hold::Running, 0));
}

#[test]
fn beyond_loopback_every_request_needs_the_token() {
    let table = table(Some("0.0.0.0:0"));
    let url = table.server.url();
    let token = url.split_once("token=").unwrap().1;
    for path in FILES.iter().chain(&["/api/live", "/api/frame?n=0", "/?token=0"]) {
        assert_eq!(table.get(path).status, 401, "{path}");
    }
    assert_eq!(table.order(1, "stop").status, 401);
    let first = table.get(&format!("/?token={token}"));
    assert_eq!((first.status, first.header("location")), (303, Some("/")));
    let cookie = first.header("set-cookie").unwrap();
    assert!(cookie.contains("HttpOnly") && cookie.contains("SameSite=Strict"), "{cookie}");
    let cookie = cookie.split(';').next().unwrap();
    let reply = request(&table.address(), "GET", "/", &[("cookie", cookie)], b"").unwrap();
    assert_eq!(reply.status, 200);
}

#[test]
fn one_tab_holds_the_hand_and_anybody_may_stop() {
    let table = table(None);
    let enter = || table.post("/api/hello", 0, &json!({})).json();
    let (first, second) = (enter(), enter());
    let (a, b) = (first["tab"].as_u64().unwrap(), second["tab"].as_u64().unwrap());
    assert_eq!((&first["hand"], &second["hand"]), (&json!(true), &json!(false)));
    assert_eq!((table.order(b, "pause").status, table.order(a, "pause").status), (409, 200));
    assert_eq!(table.watch.control.hold(), Hold::Paused);
    assert_eq!(table.order(b, "take").json(), json!({ "hand": true }));
    assert_eq!((table.order(a, "go").status, table.order(b, "go").status), (409, 200));
    assert_eq!((table.order(a, "stop").status, table.watch.control.hold()), (200, Hold::Stopped));
    assert_eq!((table.order(77, "go").status, table.order(0, "go").status), (409, 409));
    assert_eq!(table.order(b, "fly").status, 422);
}

#[test]
fn stop_opens_the_relays_and_nothing_closes_them_again() {
    let table = table(None);
    let now = table.clock.now();
    // Presses for the next ten seconds, every 50 ms.
    let command = |i: i32| {
        let due = now.plus_ms(f64::from(i) * 25.0 + 20.0);
        RelayCommand { due, expires: due.plus_ms(500.0), mask: RelayMask(if i % 2 == 0 { 1 } else { 0 }) }
    };
    table.executor.schedule((0..400).map(command).collect()).unwrap();
    let closings = || table.log.changes().iter().filter(|(_, mask)| mask.0 != 0).count();
    while closings() < 3 {
        web_support::nap(1.0);
    }
    let asked = table.clock.now();
    let reply = table.order(0, "stop");
    let answered = table.clock.now();
    assert_eq!((reply.status, &reply.json()["opened"]), (200, &json!(true)));
    let at_stop = table.log.changes();
    let opened = at_stop.iter().rev().take_while(|(_, mask)| mask.0 == 0).last().unwrap().0;
    println!(
        "relays open {:.2} ms after STOP was sent, answered after {:.2} ms",
        opened.ms_since(asked).max(0.0),
        answered.ms_since(asked)
    );
    // The robot's loop has no right to press now, so nothing follows, however long one waits.
    assert!(table.watch.control.permit().is_none());
    web_support::nap(120.0);
    assert_eq!(table.log.changes().len(), at_stop.len());
    assert_eq!(table.executor.handle().closed(), RelayMask(0));
}

#[test]
fn garbage_half_requests_and_many_sockets_harm_nothing() {
    let table = table(None);
    let address = table.address();
    let connect = || TcpStream::connect(&address);
    for garbage in [
        &b"\0\xff\x16\x03\x01 nonsense\r\n\r\n"[..],
        b"GET / HTTP/9.9\r\n\r\n",
        b"POST /api/order HTTP/1.1\r\nhost: x\r\ncontent-length: 99999999999\r\n\r\n",
    ] {
        let mut stream = connect().unwrap();
        let _ = stream.write_all(garbage);
        stream.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
        let _ = stream.read(&mut [0; 512]);
    }
    let long = format!("GET /{} HTTP/1.1\r\nhost: {address}\r\n\r\n", "a".repeat(100_000));
    let mut stream = connect().unwrap();
    let _ = stream.write_all(long.as_bytes());
    assert_eq!(table.post("/api/order", 1, &json!({ "do": "x".repeat(50_000) })).status, 400);
    assert_eq!(request(&address, "POST", "/api/order", &[("x-stackhand-tab", "1")], b"{\"do\":").unwrap().status, 400);
    // Sockets that say nothing, or half a request, and stay: the page still answers, at once.
    let mut idle = Vec::new();
    let began = table.clock.now();
    for i in 0..900 {
        let Ok(mut stream) = connect() else { break };
        if i % 3 == 0 {
            let _ = stream.write_all(b"GET / HTTP/1.1\r\nhost: ");
        }
        idle.push(stream);
    }
    let reply = table.get("/");
    let waited_ms = table.clock.now().ms_since(began);
    println!("{} sockets held open; the page came {waited_ms:.0} ms after the first", idle.len());
    assert_eq!(reply.status, 200);
    assert_eq!(table.order(1, "stop").status, 200);
}

/// Lets this process hold so many files; how many it may.
#[cfg(unix)]
fn allow_files(wanted: u64) -> u64 {
    use nix::sys::resource::{Resource, getrlimit, setrlimit};
    let (soft, hard) = getrlimit(Resource::RLIMIT_NOFILE).unwrap();
    let allowed = wanted.min(hard).max(soft);
    setrlimit(Resource::RLIMIT_NOFILE, allowed, hard).unwrap();
    allowed
}

/// Ten thousand sockets that say nothing or half a request, or talk garbage, against a robot at play.
#[test]
#[cfg(unix)]
fn ten_thousand_sockets_cost_the_robot_neither_memory_nor_pictures() {
    const SOCKETS: usize = 10_000;
    let files = allow_files(SOCKETS as u64 + 500) as usize;
    let sockets = SOCKETS.min(files.saturating_sub(400));
    if sockets < SOCKETS {
        eprintln!("only {sockets} sockets, for the system allows {files} files; `ulimit -Hn` says how many at most");
    }
    let program = Program::start(
        std::path::Path::new(env!("CARGO_BIN_EXE_stackhand")),
        &["dry-run", "--realtime", "--pieces", "100000", "--ui", "--no-browser"],
        std::path::Path::new("."),
    );
    let clock = SystemClock::new();
    // The serial number of the newest picture, which grows by 30 a second.
    let serial = || {
        let reply = request(&program.address, "GET", "/api/live?after=0", &[], b"").expect("no picture");
        reply.header("x-serial").and_then(|v| v.parse::<u64>().ok()).unwrap_or(0)
    };
    while serial() < 10 {
        web_support::nap(100.0);
    }
    let (before_kb, began) = (program.memory_kb(), clock.now());
    let mut held = Vec::with_capacity(sockets);
    for i in 0..sockets {
        let Ok(mut stream) = TcpStream::connect(&program.address) else { continue };
        let _ = match i % 4 {
            0 => stream.write_all(b"GET / HTTP/1.1\r\nhost: "),
            1 => stream.write_all(b"\0\xff\x16\x03\x01 nonsense\r\n\r\n"),
            2 => stream.write_all(b"POST /api/order HTTP/1.1\r\nhost: x\r\ncontent-length: 16000\r\n\r\n{"),
            _ => Ok(()),
        };
        held.push(stream);
    }
    let crowd_ms = clock.now().ms_since(began);
    let asked = clock.now();
    let first = serial();
    let waited_ms = clock.now().ms_since(asked);
    let grown_kb = program.memory_kb().saturating_sub(before_kb);
    println!(
        "{} sockets in {:.1} s; then a picture came after {waited_ms:.0} ms; memory grew by {grown_kb} kB",
        held.len(),
        crowd_ms / 1000.0
    );
    assert!(held.len() > sockets * 9 / 10, "{}", held.len());
    assert!(waited_ms < 3000.0, "{waited_ms} ms");
    assert!(grown_kb < 30_000, "{grown_kb} kB");
    // The robot still gets its pictures, and a person may still stop it.
    web_support::nap(1000.0);
    assert!(serial() > first, "no new picture came");
    let stop =
        request(&program.address, "POST", "/api/order", &[("x-stackhand-tab", "0")], b"{\"do\":\"stop\"}").unwrap();
    assert_eq!((stop.status, &stop.json()["opened"]), (200, &json!(true)));
}
