//! What the page hands out: one recording, whole or in part, and nothing else.
#![allow(clippy::unwrap_used, clippy::expect_used)]

use crate::support::Visitor;
use crate::support::table::Table;
use serde_json::json;
use stackhand::profile::layout::Layout;
use stackhand::time::{Clock, SystemClock};
use stackhand::web::{Download, Recording, Server};
use std::io::Write;
use std::path::Path;
use std::sync::Arc;

/// More than is read at a time, and no two parts of it the same.
fn bytes() -> Vec<u8> {
    (0..700_000_u32).flat_map(|n| n.to_le_bytes()).collect()
}

fn serve(file: &Path) -> Server {
    let clock: Arc<dyn Clock> = Arc::new(SystemClock::new());
    let layout = Layout::load("nes").unwrap();
    let download = Download::open(file).unwrap();
    let recording = Recording::new("test", &layout, None, Box::new(|_, _| Ok(json!({}))), Some(download)).unwrap();
    Server::start(Arc::new(recording), Some("127.0.0.1:0"), clock).unwrap()
}

#[test]
fn the_recording_comes_whole_or_from_a_place_on_and_under_a_harmless_name() {
    let folder = tempfile::tempdir().unwrap();
    let (file, all) = (folder.path().join("a \"b\".shs"), bytes());
    std::fs::write(&file, &all).unwrap();
    let server = serve(&file);
    let visitor = Visitor::of(&server.url());
    let reply = visitor.get("/api/file?is=recording");
    assert_eq!((reply.status, reply.header("content-length")), (200, Some(&*all.len().to_string())));
    assert_eq!(reply.header("content-disposition"), Some("attachment; filename=\"a__b_.shs\""));
    assert!(reply.header("content-security-policy").is_some() && reply.body == all);
    let part = |range: &str| visitor.ask("GET", "/api/file?is=recording", &[("range", range)], b"").unwrap();
    let rest = part("bytes=2000000-");
    assert_eq!((rest.status, rest.header("content-range")), (206, Some("bytes 2000000-2799999/2800000")));
    assert!(rest.body == all[2_000_000..]);
    assert!(part("bytes=5-9").body == all[5..10]);
    assert_eq!(part("bytes=2800000-").status, 416);
    let head = visitor.ask("HEAD", "/api/file?is=recording", &[], b"").unwrap();
    assert_eq!((head.status, head.header("content-length"), head.body.len()), (200, Some("2800000"), 0));
    assert_eq!(visitor.stranger().get("/api/file?is=recording").status, 401);
    assert_eq!(visitor.post("/api/file?is=recording", 1, &json!({})).status, 404);
}

#[test]
fn nothing_else_can_be_had_whatever_is_asked_or_put_in_its_place() {
    let folder = tempfile::tempdir().unwrap();
    let (file, secret) = (folder.path().join("run.shs"), folder.path().join("secret.txt"));
    std::fs::write(&file, "recorded").unwrap();
    std::fs::write(&secret, "secret").unwrap();
    let server = serve(&file);
    let visitor = Visitor::of(&server.url());
    for path in [
        "/api/file",
        "/api/file?is=",
        "/api/file?is=secret.txt",
        "/api/file?is=recording/../secret.txt",
        "/api/file?is=../secret.txt",
        "/api/file?is=%2Fetc%2Fpasswd",
        "/api/file?is=pictures",
        "/api/file?is=truth",
        "/api/file/secret.txt",
        "/run.shs",
        "/api/thumb?n=0",
        "/api/thumb",
    ] {
        assert_eq!(visitor.get(path).status, 404, "{path}");
    }
    std::fs::remove_file(&file).unwrap();
    std::fs::copy(&secret, &file).unwrap();
    assert_eq!(visitor.get("/api/file?is=recording").body, b"recorded");
    assert!(Download::open(folder.path()).is_err(), "a folder is no recording");
}

#[test]
fn what_is_recorded_so_far_can_be_had_while_the_run_goes_on() {
    let table = Table::set(None);
    let visitor = table.visitor();
    assert_eq!(visitor.get("/api/file?is=recording").status, 404, "nothing is recorded");
    let mut file = tempfile::NamedTempFile::new().unwrap();
    file.write_all(b"begun").unwrap();
    table.watch.record(Download::open(file.path()).unwrap());
    table.show();
    assert_eq!(visitor.state()["recording"]["bytes"], json!(5));
    file.write_all(b", gone on").unwrap();
    assert_eq!(visitor.get("/api/file?is=recording").body, b"begun, gone on");
}
