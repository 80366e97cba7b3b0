//! The page's server: who may speak to it, what garbage does to it, and that STOP opens the relays.
#![allow(clippy::unwrap_used, clippy::expect_used)]

use crate::support::skip::skipped;
use crate::support::table::Table;
use crate::support::{Program, Visitor, eventually};
use serde_json::json;
use stackhand::message::{RelayCommand, RelayMask};
use stackhand::time::{Clock, SystemClock};
use stackhand::web::Hold;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::process::Command;
use std::time::Duration;

fn table(listen: Option<&str>) -> Table {
    Table::set(listen)
}

const FILES: [&str; 7] = ["/", "/style.css", "/page.js", "/draw.js", "/watch.js", "/replay.js", "/icon.svg"];

#[test]
fn the_page_is_small_needs_nothing_from_elsewhere_and_runs_no_script_of_others() {
    let table = table(None);
    let began = table.clock.now();
    let visitor = table.visitor();
    let mut bytes = 0;
    for path in FILES {
        let reply = visitor.get(path);
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
    for path in ["/calibrate.html", "/../Cargo.toml", "/favicon.ico"] {
        assert_eq!(visitor.get(path).status, 404, "{path}");
    }
}

#[test]
fn other_pages_and_other_names_are_refused() {
    let table = table(None);
    let visitor = table.visitor();
    let port = table.server.address().port();
    let ask = |method, path, headers: &[(&str, &str)]| visitor.ask(method, path, headers, b"{}").unwrap().status;
    let tab = ("x-stackhand-tab", "1");
    assert_eq!(ask("GET", "/", &[("host", &format!("rebound.example:{port}"))]), 421);
    assert_eq!(ask("GET", "/api/live", &[("host", "rebound.example")]), 421);
    assert_eq!(ask("POST", "/api/order", &[tab, ("origin", "http://evil.example")]), 403);
    assert_eq!(ask("POST", "/api/order", &[tab, ("sec-fetch-site", "cross-site")]), 403);
    assert_eq!(ask("POST", "/api/stop", &[tab, ("sec-fetch-site", "cross-site")]), 403);
    assert_eq!(ask("POST", "/api/order", &[("content-type", "text/plain")]), 403);
    assert_eq!(ask("POST", "/api/stop", &[("content-type", "text/plain")]), 403);
    assert_eq!(ask("DELETE", "/", &[tab]), 405);
    // Looking changes nothing.
    for path in ["/api/order?do=stop", "/api/hello", "/api/order", "/api/stop", "/api/hold"] {
        assert_eq!(ask("GET", path, &[]), 404, "{path}");
    }
    assert_eq!((table.watch.control.hold(), table.watch.control.stops()), (Hold::Running, 0));
}

/// On loopback there are other users of the computer, beyond it everybody.
#[test]
fn every_request_needs_the_token_wherever_the_page_is() {
    for listen in [None, Some("0.0.0.0:0")] {
        let table = table(listen);
        let visitor = table.visitor();
        let (stranger, token) = (visitor.stranger(), visitor.cookie.split_once('=').unwrap().1);
        let guess = Visitor { cookie: visitor.cookie.replace(token, &"0".repeat(token.len())), ..stranger.clone() };
        let all = [
            "/api/live",
            "/api/frame?n=0",
            "/api/thumb?n=0",
            "/api/file?is=recording",
            "/?token=0",
            "/?token=",
            "/?key=0",
            "/favicon.ico",
            "/no-such",
            "/api/stop",
        ];
        for path in FILES.iter().chain(&all) {
            for who in [&stranger, &guess] {
                for method in ["GET", "HEAD", "POST", "PUT", "OPTIONS"] {
                    let reply = who.ask(method, path, &[("x-stackhand-tab", "1")], b"").unwrap();
                    assert_eq!((reply.status, reply.header("set-cookie")), (401, None), "{method} {path}");
                }
            }
        }
        for order in ["stop", "go", "take", "leave"] {
            assert_eq!(stranger.order(1, order).status, 401, "{order}");
        }
        assert_eq!((table.watch.control.hold(), table.watch.control.stops()), (Hold::Running, 0));
        assert!(!table.watch.is_watched(), "a stranger costs the robot nothing");
        let first = stranger.get(&format!("/?token={token}"));
        assert_eq!((first.status, first.header("location")), (303, Some("/")));
        let cookie = first.header("set-cookie").unwrap();
        for part in ["; HttpOnly", "; SameSite=Strict", "; Path=/"] {
            assert!(cookie.contains(part), "{cookie}");
        }
        assert_eq!(visitor.get("/").status, 200);
        // The address is cleaned of the token for who has the cookie already, too.
        assert_eq!(visitor.get(&format!("/?token={token}")).status, 303);
    }
}

/// What another user of this computer is answered.
fn status_for_nobody(url: &str) -> Option<String> {
    let mut command = Command::new("setpriv");
    command.args(["--reuid=65534", "--regid=65534", "--clear-groups"]);
    let done = command.args(["curl", "-s", "-o", "/dev/null", "-w", "%{http_code}", url]).output().ok()?;
    done.status.success().then(|| String::from_utf8_lossy(&done.stdout).into_owned())
}

#[test]
fn the_browsers_own_address_opens_once_and_only_for_this_user() {
    let table = table(None);
    let stranger = table.visitor().stranger();
    let url = table.server.url_for_browser().unwrap();
    let path = url.split_once(&stranger.address).unwrap().1.to_string();
    assert!(!table.server.url().contains(path.split_once('=').unwrap().1), "the token itself is not given away");
    match status_for_nobody(&url) {
        Some(status) => assert_eq!(status, "401", "another user has read it from the browser's arguments"),
        None => skipped("asking as another user", &["setpriv", "curl", "the right to become another user"]),
    }
    let first = stranger.get(&path);
    assert_eq!((first.status, first.header("location")), (303, Some("/")));
    let cookie = first.header("set-cookie").unwrap().split(';').next().unwrap().to_string();
    assert_eq!(Visitor { cookie, ..stranger.clone() }.get("/").status, 200);
    assert_eq!(stranger.get(&path).status, 401, "once");
}

#[test]
fn one_tab_holds_the_hand_and_anybody_may_stop() {
    let table = table(None);
    let visitor = table.visitor();
    let enter = || visitor.post("/api/hello", 0, &json!({})).json();
    let (first, second) = (enter(), enter());
    let (a, b) = (first["tab"].as_u64().unwrap(), second["tab"].as_u64().unwrap());
    assert_eq!((&first["hand"], &second["hand"]), (&json!(true), &json!(false)));
    assert_eq!((visitor.order(b, "pause").status, visitor.order(a, "pause").status), (409, 200));
    assert_eq!(table.watch.control.hold(), Hold::Paused);
    assert_eq!(visitor.order(b, "take").json(), json!({ "hand": true }));
    assert_eq!((visitor.order(a, "go").status, visitor.order(b, "go").status), (409, 200));
    assert_eq!((visitor.order(a, "stop").status, table.watch.control.hold()), (200, Hold::Stopped));
    assert_eq!((visitor.order(77, "go").status, visitor.order(0, "go").status), (409, 409));
    assert_eq!(visitor.order(b, "fly").status, 422);
    assert_eq!(visitor.order(b, "go").status, 200);
    assert_eq!((visitor.post("/api/stop", 0, &json!({})).status, table.watch.control.hold()), (200, Hold::Stopped));
    assert_eq!(table.watch.control.stops(), 2);
}

#[test]
fn looking_neither_takes_the_hand_nor_keeps_it() {
    let table = table(None);
    let visitor = table.visitor();
    let enter = || visitor.post("/api/hello", 0, &json!({})).json()["tab"].as_u64().unwrap();
    let (a, b) = (enter(), enter());
    let look = |tab: u64| {
        table.show();
        visitor.get(&format!("/api/live?after=0&tab={tab}")).header("x-hand") == Some("1")
    };
    assert_eq!((look(a), look(b)), (true, false));
    visitor.order(a, "leave");
    assert_eq!((look(a), look(b), look(0), look(99)), (false, false, false, false), "the hand stays free");
    let hold = |tab| visitor.post("/api/hold", tab, &json!({})).json()["hand"] == json!(true);
    assert!(hold(b) && look(b) && !hold(a) && !look(a), "the first that says it is there has it");
    assert!(!hold(0) && !hold(99), "nobody gave out these");
}

#[test]
fn stop_opens_the_relays_and_nothing_closes_them_again() {
    let table = table(None);
    let visitor = table.visitor();
    let now = table.clock.now();
    // Presses for the next ten seconds, every 50 ms.
    let command = |i: i32| {
        let due = now.plus_ms(f64::from(i) * 25.0 + 20.0);
        RelayCommand { due, expires: due.plus_ms(500.0), mask: RelayMask(if i % 2 == 0 { 1 } else { 0 }) }
    };
    table.executor.schedule((0..400).map(command).collect()).unwrap();
    let closings = || table.log.changes().iter().filter(|(_, mask)| mask.0 != 0).count();
    eventually("three presses", || closings() >= 3);
    let asked = table.clock.now();
    let reply = visitor.order(0, "stop");
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
    crate::support::nap(120.0);
    assert_eq!(table.log.changes().len(), at_stop.len());
    assert_eq!(table.executor.handle().closed(), RelayMask(0));
}

#[test]
fn garbage_half_requests_and_many_sockets_harm_nothing() {
    let table = table(None);
    let visitor = table.visitor();
    let address = visitor.address.clone();
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
    let _ = stream.read(&mut [0; 512]);
    assert_eq!(visitor.post("/api/order", 1, &json!({ "do": "x".repeat(50_000) })).status, 400);
    let half = visitor.ask("POST", "/api/order", &[("x-stackhand-tab", "1")], b"{\"do\":").unwrap();
    assert_eq!(half.status, 400);
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
    let reply = visitor.get("/");
    let waited_ms = table.clock.now().ms_since(began);
    println!("{} sockets held open; the page came {waited_ms:.0} ms after the first", idle.len());
    assert_eq!(reply.status, 200);
    assert_eq!(visitor.order(1, "stop").status, 200);
}

/// Lets this process hold this many files; how many it may.
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
    let visitor = program.visitor();
    let clock = SystemClock::new();
    // The serial number of the newest picture, which grows by 30 a second.
    let serial = || {
        let reply = visitor.get("/api/live?after=0");
        reply.header("x-serial").and_then(|v| v.parse::<u64>().ok()).unwrap_or(0)
    };
    eventually("ten pictures", || serial() >= 10);
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
    crate::support::nap(1000.0);
    assert!(serial() > first, "no new picture came");
    let stop = visitor.order(0, "stop");
    assert_eq!((stop.status, &stop.json()["opened"]), (200, &json!(true)));
}
