//! STOP under load: whoever stands in its way, it is answered, and the relays are open. Orders and counts only; times are
//! measured by `cargo run --release --example stop_survey`.
#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used, clippy::expect_used)]

use crate::support::crowd::{Crowd, Load};
use crate::support::table::Table;
use crate::support::{Program, Visitor, eventually, nap};
use serde_json::json;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

const STOPS: usize = 12;

/// Presses and stops while a crowd is at work, which must have done something between each two.
fn stops_under(load: Load, is_at_work: impl Fn(&Crowd) -> u64) {
    let table = Table::set(None);
    let visitor = table.visitor();
    let over = Arc::new(AtomicBool::new(false));
    let film = table.film(&over);
    let crowd = Crowd::gather(load, &visitor);
    for turn in 0..STOPS {
        let before = is_at_work(&crowd);
        eventually("a crowd at work", || is_at_work(&crowd) >= before + 20);
        table.press();
        let asked = table.clock.now();
        // By the page's own address, and as an order, over a new connection each time.
        let reply = match turn % 2 {
            0 => visitor.post("/api/stop", 0, &json!({})),
            _ => visitor.order(0, "stop"),
        };
        assert_eq!((reply.status, &reply.json()["opened"]), (200, &json!(true)), "{load:?}, STOP {turn}");
        assert!(table.opened_after(asked).is_some(), "{load:?}, STOP {turn}: a relay is closed");
        assert_eq!(table.watch.control.stops() as usize, turn + 1);
    }
    drop(crowd);
    over.store(true, Ordering::Relaxed);
    film.join().unwrap();
}

#[test]
fn silent_sockets_do_not_keep_stop_out() {
    stops_under(Load::Idle(1500), |crowd| crowd.deeds.connected.load(Ordering::Relaxed));
}

#[test]
fn a_flood_of_connections_does_not_keep_stop_out() {
    stops_under(Load::Flood(1), |crowd| crowd.deeds.connected.load(Ordering::Relaxed));
}

#[test]
fn a_house_full_of_viewers_does_not_keep_stop_out() {
    stops_under(Load::Viewers(160), |crowd| crowd.deeds.seen.load(Ordering::Relaxed));
}

/// More viewers than seats: all of them see something, and those who order still get in.
#[test]
fn seats_go_round_and_who_orders_has_seats_of_their_own() {
    let table = Table::set(None);
    let visitor = table.visitor();
    let over = Arc::new(AtomicBool::new(false));
    let film = table.film(&over);
    let crowd = Crowd::gather(Load::Viewers(120), &visitor);
    eventually("500 pictures", || crowd.deeds.seen.load(Ordering::Relaxed) >= 500);
    let tab = visitor.post("/api/hello", 0, &json!({})).json()["tab"].as_u64().unwrap();
    for order in ["pause", "go", "pause"] {
        assert_eq!(visitor.order(tab, order).status, 200, "{order}");
        assert_eq!(visitor.post("/api/hold", tab, &json!({})).json(), json!({ "hand": true }));
    }
    // A newcomer is told to wait, or is let in when somebody has had their time.
    let look = || visitor.ask("GET", "/style.css", &[], b"").map(|reply| reply.status);
    eventually("a seat for a newcomer", || look() == Some(200));
    drop(crowd);
    over.store(true, Ordering::Relaxed);
    film.join().unwrap();
}

/// With a hundred files at most: a crowd takes no more than its share of them, and the robot's own are not touched.
#[test]
fn a_crowd_cannot_use_up_the_programs_files() {
    let run = "ulimit -n 100; exec \"$0\" dry-run --realtime --pieces 100000 --ui --no-browser";
    let program = Program::start("sh".as_ref(), &["-c", run, env!("CARGO_BIN_EXE_stackhand")], ".".as_ref());
    let visitor = program.visitor();
    let files = || std::fs::read_dir(format!("/proc/{}/fd", program.id())).map_or(0, Iterator::count);
    let before = files();
    let crowd = Crowd::gather(Load::Idle(600), &Visitor { cookie: String::new(), ..visitor.clone() });
    let mut most = 0;
    eventually("a crowd of 600", || {
        most = most.max(files());
        crowd.deeds.held.load(Ordering::Relaxed) >= 600
    });
    println!("{before} files before, {most} at most");
    assert!(most <= before + 35, "{before} files before, {most} at most");
    let stop = visitor.post("/api/stop", 0, &json!({}));
    assert_eq!((stop.status, &stop.json()["opened"]), (200, &json!(true)));
}

/// A program that is held by the system answers nothing, and one that goes on answers the STOP that was waiting.
#[test]
fn stop_is_answered_when_a_held_program_goes_on() {
    let program = Program::start(
        env!("CARGO_BIN_EXE_stackhand").as_ref(),
        &["dry-run", "--realtime", "--pieces", "100000", "--ui", "--no-browser"],
        ".".as_ref(),
    );
    let visitor = program.visitor();
    let signal = |name: &str| {
        let done = Command::new("kill").args([name, &program.id().to_string()]).stderr(Stdio::null()).status();
        assert!(done.unwrap().success());
    };
    signal("-STOP");
    // On a busy computer it takes its threads a while to notice.
    let states = || {
        let threads = std::fs::read_dir(format!("/proc/{}/task", program.id())).unwrap();
        let stat =
            |thread: std::io::Result<std::fs::DirEntry>| std::fs::read_to_string(thread.ok()?.path().join("stat")).ok();
        threads.filter_map(stat).filter_map(|stat| stat.rsplit_once(") ")?.1.chars().next()).collect::<Vec<_>>()
    };
    eventually("a stopped program", || states().iter().all(|state| *state == 'T'));
    let asked = visitor.clone();
    let waiting = std::thread::spawn(move || asked.post("/api/stop", 0, &json!({})));
    nap(600.0);
    assert!(!waiting.is_finished(), "who is held cannot have answered");
    signal("-CONT");
    let reply = waiting.join().unwrap();
    assert_eq!((reply.status, &reply.json()["opened"]), (200, &json!(true)));
}
