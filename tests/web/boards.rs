//! Choosing the relay board on the calibrating page: what is offered, who may choose, and what becomes of the old board.
#![cfg(unix)]
#![allow(clippy::unwrap_used, clippy::expect_used)]

use crate::support::{Program, Visitor, eventually};
use serde_json::{Value, json};
use stackhand::edge::relay::RelaySpec;
use stackhand::edge::simulated::pty::PtyBoard;
use stackhand::message::RelayMask;
use stackhand::profile::calibration::Calibration;
use stackhand::time::{Clock, SystemClock};
use stackhand::twin::relay_board::DeviceSettings;
use std::path::Path;
use std::process::Command;
use std::sync::Arc;

fn stackhand() -> &'static Path {
    Path::new(env!("CARGO_BIN_EXE_stackhand"))
}

fn enter(visitor: &Visitor) -> u64 {
    visitor.post("/api/hello", 0, &json!({})).json()["tab"].as_u64().unwrap()
}

fn choose(visitor: &Visitor, tab: u64, name: &str) -> (u16, Value) {
    let reply = visitor.post("/api/order", tab, &json!({ "do": "relay", "name": name }));
    (reply.status, reply.json()["error"].clone())
}

fn offered(visitor: &Visitor, tab: u64) -> Vec<String> {
    let offer = visitor.order(tab, "boards").json();
    offer["boards"].as_array().unwrap().iter().map(|board| board[0].as_str().unwrap().to_string()).collect()
}

/// Waits until this board is used.
fn uses(visitor: &Visitor, tab: u64, name: &str) {
    eventually(name, || {
        visitor.post("/api/hold", tab, &json!({}));
        let board = &visitor.state()["board"];
        board["name"] == name && board["changing"].is_null() && board["ready"] == json!(name != "none")
    });
}

#[test]
fn at_the_simulated_table_only_its_own_board_presses_and_the_profile_names_what_was_chosen() {
    let folder = tempfile::tempdir().unwrap();
    let real = "adr2200:/dev/null";
    let args = ["calibrate", "--source", "sim", "--layout", "nes", "--ui", "--no-browser", "--profile", "rig.toml"];
    let profile = folder.path().join("rig.toml");
    let corners = [[200.0, 80.0], [400.0, 80.0], [400.0, 440.0], [200.0, 440.0]];
    let noted = Calibration { relay: Some(real.into()), ..Calibration::new("nes", [640, 480], corners, 0.0) };
    noted.save(&profile).unwrap();
    let program = Program::start(stackhand(), &args, folder.path());
    let visitor = program.visitor();
    let (tab, watcher) = (enter(&visitor), enter(&visitor));
    uses(&visitor, tab, "sim");
    assert_eq!(offered(&visitor, watcher), ["none", "sim"], "looking needs no hand");
    assert_eq!(choose(&visitor, watcher, "none").0, 409, "the other tab holds the hand");
    let (status, words) = choose(&visitor, tab, real);
    assert!(status == 422 && words.as_str().unwrap().contains("simulated"), "{status} {words}");
    assert_eq!(choose(&visitor, tab, "none").0, 200);
    uses(&visitor, tab, "none");
    let press = |button: &str| visitor.post("/api/order", tab, &json!({ "do": "test", "button": button })).status;
    assert_eq!(press("a"), 422);
    assert_eq!(visitor.order(tab, "stop").json()["opened"], json!(null));
    assert_eq!(visitor.order(tab, "save").status, 200);
    assert_eq!(Calibration::load(&profile).unwrap().relay.as_deref(), Some("none"));
    assert_eq!(choose(&visitor, tab, "sim").0, 200);
    uses(&visitor, tab, "sim");
    assert_eq!((press("a"), visitor.order(tab, "save").status), (200, 200));
    assert_eq!(Calibration::load(&profile).unwrap().relay.as_deref(), Some("sim"));
}

#[test]
#[ignore = "needs a quiet computer; `make test` runs it after all others: cargo test --test web -- --ignored"]
fn one_board_takes_the_place_of_another_that_is_open_and_free_by_then() {
    let clock: Arc<dyn Clock> = Arc::new(SystemClock::new());
    let board = || PtyBoard::start(clock.clone(), DeviceSettings::default(), 9600).unwrap();
    let (first, second) = (board(), board());
    let [one, other] = [&first, &second].map(|board| format!("adr2200:{}", board.path()));
    let folder = tempfile::tempdir().unwrap();
    let recorded = Command::new(stackhand())
        .args(["dry-run", "--pieces", "2", "--record", "run.shs"])
        .current_dir(folder.path())
        .output()
        .unwrap();
    assert!(recorded.status.success());
    let profile = folder.path().join("rig.toml");
    let corners = [[200.0, 80.0], [400.0, 80.0], [400.0, 440.0], [200.0, 440.0]];
    Calibration { relay: Some(other.clone()), ..Calibration::new("nes", [640, 480], corners, 0.0) }
        .save(&profile)
        .unwrap();
    let args = ["calibrate", "--source", "run.shs", "--layout", "nes", "--no-browser", "--ui", "--relay", &one];
    let args = [&args[..], &["--profile", "rig.toml"]].concat();
    let program = Program::start(stackhand(), &args, folder.path());
    let visitor = program.visitor();
    let tab = enter(&visitor);
    uses(&visitor, tab, &one);
    let offer = offered(&visitor, tab);
    assert!(offer.contains(&one) && offer.contains(&other) && !offer.contains(&"sim".into()), "{offer:?}");
    for wrong in ["adr2200:/etc/passwd", "adr2200:/dev/null", "sim", "lcus:PATH"] {
        assert_eq!(choose(&visitor, tab, wrong).0, 422, "{wrong}");
    }
    let press = || visitor.post("/api/order", tab, &json!({ "do": "test", "button": "a" })).status;
    // While a relay of the first is closed.
    assert_eq!(press(), 200);
    eventually("a press on the first", || first.contacts().coils() != RelayMask(0));
    assert_eq!(choose(&visitor, tab, &other).0, 200);
    uses(&visitor, tab, &other);
    assert_eq!(first.contacts().coils(), RelayMask(0));
    // The port is free: somebody else may have it.
    let again = stackhand::edge::relay::open(&RelaySpec::parse(&one).unwrap(), clock.clone());
    assert!(again.is_ok(), "{:?}", again.err());
    // Presses that follow each other too soon are one.
    eventually("the second takes presses", || press() == 200);
    eventually("a press on the second", || second.contacts().coils() != RelayMask(0));
    assert_eq!(first.contacts().coils(), RelayMask(0));
    assert_eq!(visitor.order(tab, "stop").json()["opened"], json!(true));
    assert_eq!(second.contacts().coils(), RelayMask(0));
    assert_eq!(visitor.order(tab, "save").status, 200);
    assert_eq!(Calibration::load(&profile).unwrap().relay, Some(other));
    // The first one is held by somebody else now: that is said, and nothing is used.
    assert_eq!(choose(&visitor, tab, &one).0, 200);
    eventually("a problem", || {
        visitor.state()["board"]["problem"].as_str().is_some_and(|words| words.contains("in use"))
    });
    assert_eq!((&visitor.state()["board"]["ready"], press()), (&json!(false), 422));
}
