//! Doors for fuzzing: everything that reads bytes from elsewhere, each as a function that takes any bytes and must neither
//! panic nor hang. `fuzz/` throws bytes at them; `tests/program/fuzz_corpus.rs` keeps those that once found something.

use crate::app::score::Truth;
use crate::edge::camera::{self, SourceSpec};
use crate::edge::relay::{RelaySpec, SerialSpec, codec_of};
use crate::edge::session::SessionReader;
use crate::file;
use crate::game::machine::movie::Movie;
use crate::game::machine::vectors::Case;
use crate::profile::calibration::Calibration;
use crate::profile::layout::Layout;
use crate::profile::protocol::Protocol;
use crate::time::SystemClock;
use crate::twin::fault::TableFault;
use crate::web::{Boards, Site, Tuning};
use std::io::Cursor;
use std::path::Path;
use std::sync::{Arc, OnceLock};

/// Takes any bytes.
pub type Door = fn(&[u8]);

/// Each door with its name, which is that of its target and of its corpus's folder.
pub const DOORS: [(&str, Door); 9] = [
    ("session", session),
    ("picture", picture),
    ("stream", camera::read_streams),
    ("settings", settings),
    ("relay", relay),
    ("movie", movie),
    ("order", order),
    ("truth", truth),
    ("names", names),
];

/// Pictures are kept small here: the time goes into many of them.
const PIXELS_MAX: u64 = 1 << 18;
/// This many frames of a movie are laid out.
const FRAMES_MAX: usize = 10_000;

/// A door by its name; nothing for another name.
pub fn enter(name: &str, bytes: &[u8]) {
    if let Some((_, door)) = DOORS.iter().find(|(known, _)| *known == name) {
        door(bytes);
    }
}

/// A recorded session, behind its first line.
fn session(bytes: &[u8]) {
    let whole = [b"STACKHAND SESSION 1\n", bytes].concat();
    let Ok(mut reader) = SessionReader::over(Cursor::new(whole), Path::new("fuzzed")) else { return };
    // Ends: each record takes bytes, and what cannot be decoded ends the reading.
    while let Ok(Some(_)) = reader.next_record() {}
}

/// Pictures, from files and from cameras.
fn picture(bytes: &[u8]) {
    let _ = file::decode_picture(bytes, PIXELS_MAX);
    // A camera's JPEG is bounded by what cameras give; larger ones only cost time.
    if bytes.len() < 1 << 16 {
        let _ = camera::decode_jpeg(bytes);
    }
}

/// What people write, or are given: calibrations and layouts.
fn settings(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    if let Ok(calibration) = Calibration::parse(&text, Path::new("fuzzed")) {
        let _ = calibration.to_text();
    }
    let _ = Layout::parse("fuzzed", &text);
}

/// What is heard from a board. The first byte chooses the board, the second the question.
fn relay(bytes: &[u8]) {
    let &[board, question, ref heard @ ..] = bytes else { return };
    let (protocol, _) = Protocol::NAMED[usize::from(board) % Protocol::NAMED.len()];
    let codec = codec_of(&SerialSpec::new(protocol, "fuzzed"));
    let questions = codec.questions().len().max(1);
    let _ = codec.answer(usize::from(question) % questions, heard);
}

/// Movies and test vectors.
fn movie(bytes: &[u8]) {
    if let Ok(movie) = Movie::parse(bytes)
        && movie.frames.len() < FRAMES_MAX
    {
        let _ = movie.to_text();
    }
    String::from_utf8_lossy(bytes).lines().for_each(|line| drop(Case::parse(line)));
}

/// What a page sends. The profile lies in a folder that there is not, so nothing is saved.
fn order(bytes: &[u8]) {
    static PAGE: OnceLock<Tuning> = OnceLock::new();
    let Ok(order) = serde_json::from_slice(bytes) else { return };
    let page = PAGE.get_or_init(|| {
        let corners = [[200.0, 40.0], [360.0, 40.0], [360.0, 360.0], [200.0, 360.0]];
        let calibration = Calibration::new("nes", [640, 480], corners, 0.5);
        let clock = Arc::new(SystemClock::new());
        let boards = Boards::new(Box::new(Vec::new), Vec::new());
        Tuning::new(calibration, "/there/is/no/folder/rig.toml".into(), Vec::new(), Vec::new(), boards, clock)
    });
    let _ = page.order(&order);
    while page.take_wish().is_some() {}
}

/// A truth file.
fn truth(bytes: &[u8]) {
    static LAYOUT: OnceLock<Option<Layout>> = OnceLock::new();
    if let Some(layout) = LAYOUT.get_or_init(|| Layout::load("nes").ok()) {
        let _ = Truth::parse(&String::from_utf8_lossy(bytes), "fuzzed", layout);
    }
}

/// The names of sources, boards and faults.
fn names(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    let _ = RelaySpec::parse(&text);
    let _ = text.parse::<TableFault>();
    // Other names are paths, and nothing here touches the file system.
    for kind in ["ffmpeg:", "camera:", "mirrored:camera:"] {
        let _ = SourceSpec::parse_profile(&format!("{kind}{text}"));
    }
}
