//! What the architecture promises about the sources, read from the sources.

#![allow(clippy::unwrap_used)]

use std::fs;
use std::path::{Path, PathBuf};

/// Parts of the program that may do I/O and start threads.
const EDGES: [&str; 7] = ["app", "edge", "file", "fuzzing.rs", "web", "main.rs", "time.rs"];
/// Files outside the edges that read or write one kind of file (see DESIGN: "the calibration file: load, validate, save").
const FILES: [&str; 2] = ["profile/calibration.rs", "profile/layout.rs"];

fn sources(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(sources(&path));
        } else if path.extension().is_some_and(|e| e == "rs") {
            found.push(path);
        }
    }
    found.sort();
    found
}

/// The code of a file, without comments and without its tests.
fn code(path: &Path) -> String {
    let text = fs::read_to_string(path).unwrap();
    let code = text.split("#[cfg(test)]").next().unwrap_or_default();
    code.lines().filter(|line| !line.trim_start().starts_with("//")).collect::<Vec<_>>().join("\n")
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("src")
}

fn first_part(path: &Path) -> String {
    path.strip_prefix(root()).unwrap().components().next().unwrap().as_os_str().to_string_lossy().into_owned()
}

#[test]
fn only_the_edges_do_io_start_threads_or_hold_a_clock() {
    let forbidden = [
        "std::fs",
        "std::net",
        "std::io",
        "std::process",
        "std::thread",
        "crossbeam_channel",
        "Instant",
        "SystemTime",
        "dyn Clock",
    ];
    for path in sources(&root()) {
        let part = first_part(&path);
        if EDGES.contains(&part.as_str()) {
            continue;
        }
        let code = code(&path);
        for word in forbidden {
            let is_file = FILES.iter().any(|file| path.ends_with(file)) && matches!(word, "std::fs" | "std::io");
            assert!(is_file || !code.contains(word), "{} uses {word}", path.display());
        }
    }
}

#[test]
fn the_core_knows_nothing_of_the_twin() {
    let core = ["game", "message.rs", "profile", "schedule", "vision", "planner", "belief", "robot"];
    for path in sources(&root()).into_iter().filter(|p| core.contains(&first_part(p).as_str())) {
        let code = code(&path);
        assert!(!code.contains("crate::twin"), "{} uses the twin", path.display());
    }
}

#[test]
fn the_operating_systems_clock_is_read_in_one_place() {
    for path in sources(&root()).into_iter().filter(|p| !p.ends_with("time.rs")) {
        let code = code(&path);
        for word in ["Instant::now", "SystemTime::now", "thread::sleep"] {
            assert!(!code.contains(word), "{} uses {word}", path.display());
        }
    }
}

#[test]
fn files_are_written_in_one_place() {
    // What the helper in `file` is for: links, what exists already, half-written files.
    let past_it =
        ["fs::write(", "File::create", "create_new", "fs::rename", "OpenOptions", "fs::copy", ".save_with_format("];
    let pictures = ["image.save(", "picture.save("];
    for path in sources(&root()).into_iter().filter(|p| first_part(p) != "file") {
        let code = code(&path);
        // The process's own name, which is no file.
        let code = code
            .replace("std::fs::write(\"/proc/self/comm\"", "")
            .replace("WholeFile::create", "")
            .replace("MovieFile::create", "");
        for word in past_it.iter().chain(&pictures) {
            assert!(!code.contains(word), "{} writes past `file`: {word}", path.display());
        }
    }
}

#[test]
fn pictures_are_measured_before_they_are_unpacked() {
    for path in sources(&root()).into_iter().filter(|p| first_part(p) != "file") {
        let code = code(&path);
        for word in ["load_from_memory", "ImageReader", "image::open", "fs::read_to_string(path)"] {
            assert!(!code.contains(word), "{} reads past `file`: {word}", path.display());
        }
    }
}

#[test]
fn hardware_is_opened_in_one_place() {
    // Net, watchdog, board, executor, wear: in this order, or relays stay closed when something dies in between.
    let one_place = root().join("app/live/rig.rs");
    for path in sources(&root().join("app")).into_iter().filter(|path| *path != one_place) {
        let mut code = code(&path);
        // The doctor's own pseudo-terminal has no watchdog, and no contacts.
        if path.ends_with("doctor/timing.rs") {
            code = code.replace("Executor::start(board, clock.clone(), limits)", "");
        }
        if path.ends_with("caretaker.rs") {
            code = code.replace("Watchdog::start(&own_program()?, name, WATCHDOG_PATIENCE)", "");
        }
        for word in ["Executor::start", "Caretaker::start", "Watchdog::start", ".watch(executor", "caretaker.count("] {
            assert!(!code.contains(word), "{} opens hardware by itself: {word}", path.display());
        }
    }
    let code = code(&one_place);
    let order = [
        "SafetyNet::install",
        "Caretaker::start",
        "open(&mut caretaker",
        "Executor::start",
        "net.watch(",
        "caretaker.count(",
    ];
    let places: Vec<_> = order.iter().map(|word| code.find(word).unwrap()).collect();
    assert!(places.is_sorted(), "{places:?}");
}
