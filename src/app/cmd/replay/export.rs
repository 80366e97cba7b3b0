//! A part of a recording as a test case: its pictures, unchanged and with their own times, and what was read in them.

use crate::belief::Spawned;
use crate::edge::camera::SourceSpec;
use crate::edge::camera::mirrored;
use crate::edge::session::{self, PictureFormat, SessionWriter};
use crate::file::{self, Existing, FileError, WholeFile};
use crate::message::{Frame, Observation, RunEvent};
use crate::profile::calibration::Calibration;
use crate::time::{Clock, HostTime, SystemClock};
use crate::web::{Answer, Download, Recording};
use anyhow::Context;
use serde_json::json;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Pictures of one test case: a hundred seconds.
const PICTURES_MAX: usize = 3000;
/// The pictures' and the truth's file in the test case's folder.
const PICTURES: &str = "recording.shs";
const TRUTH: &str = "truth.jsonl";

/// Where the field was from some time on, and which pieces appeared when.
pub struct Spawns {
    known: Mutex<Known>,
    /// The layout as the user called it: it may be a file of their own.
    layout: Option<String>,
}

#[derive(Default)]
struct Known {
    spawns: Vec<Spawned>,
    places: Vec<(HostTime, Calibration)>,
}

impl Spawns {
    /// Nothing is known yet.
    pub fn new(layout: Option<&str>) -> Self {
        // The test case may be replayed from another folder.
        let absolute = |name: &str| match fs::canonicalize(name) {
            Ok(path) if name.ends_with(".toml") => path.to_string_lossy().into_owned(),
            _ => name.into(),
        };
        Self { known: Mutex::default(), layout: layout.map(absolute) }
    }

    /// A piece appeared.
    pub fn add(&self, spawned: &Spawned) {
        self.lock().spawns.push(*spawned);
    }

    /// Where the field is in the picture of this time.
    pub fn place(&self, time: HostTime, calibration: &Calibration) {
        let mut known = self.lock();
        if known.places.last().is_none_or(|(_, last)| last != calibration) {
            known.places.push((time, calibration.clone()));
        }
    }

    fn lock(&self) -> MutexGuard<'_, Known> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Where the field is at first between two times.
    fn first_place(&self, from: HostTime) -> anyhow::Result<Calibration> {
        let known = self.lock();
        let place = known.places.iter().rev().find(|(since, _)| *since <= from).or(known.places.first());
        let place = place.map(|(_, place)| place.clone()).context("the field's place is not known")?;
        Ok(Calibration { layout: self.layout.clone().unwrap_or(place.layout), ..place })
    }

    /// The truth's lines about pieces and places between two times, which count from the first of them.
    fn lines(&self, from: HostTime, to: HostTime) -> Vec<String> {
        let known = self.lock();
        let t_ms = |time: HostTime| time.ms_since(from);
        let moved = known.places.iter().filter(|(since, _)| *since > from && *since <= to);
        let first = known.places.iter().rev().find(|(since, _)| *since <= from);
        let places = first.into_iter().chain(moved).map(|(since, place)| RunEvent::Calibrated {
            corners: place.corners,
            layout: place.layout.clone(),
            error_px: place.error_px,
            t_ms: Some(t_ms(*since).max(0.0)),
        });
        // A piece that appears in the last picture may be half drawn in it, or its next box, and is not seen again.
        let shown = known.spawns.iter().filter(|spawned| (from..to).contains(&spawned.time));
        let spawns = shown.map(|spawned| RunEvent::Spawn {
            t_ms: t_ms(spawned.time),
            frame: None,
            piece: spawned.piece,
            next: spawned.next,
            queue: Vec::new(),
            hold: None,
            by_hold: false,
            board: spawned.board.to_lines(),
            confidence: None,
        });
        places.chain(spawns).filter_map(|event| serde_json::to_string(&event).ok()).collect()
    }
}

/// The truth's line about a picture, whose time is not known yet.
pub fn frame_line(seen: &Observation) -> String {
    let event = RunEvent::Frame {
        t_ms: 0.0,
        frame: None,
        file: None,
        console_frame: None,
        state: Some(seen.state),
        piece: seen.spawn.piece(),
        next: seen.next.piece(),
        queue: Vec::new(),
        hold: None,
        board: Some(seen.grid.to_lines()),
        cells: Vec::new(),
    };
    serde_json::to_string(&event).unwrap_or_default()
}

/// The same line at a time.
fn at(line: &str, at_ms: f64) -> anyhow::Result<String> {
    let mut event = serde_json::from_str(line)?;
    if let RunEvent::Frame { t_ms, .. } = &mut event {
        *t_ms = at_ms;
    }
    Ok(serde_json::to_string(&event)?)
}

/// Starts a thread that writes a test case, and says where.
pub fn begin(recording: &Arc<Recording>, spawns: &Arc<Spawns>, source: &str, from: usize, to: usize) -> Answer {
    if to - from >= PICTURES_MAX {
        return Err(format!("a test case may have {PICTURES_MAX} pictures; choose fewer"));
    }
    let stem = Path::new(mirrored::behind(source).0).file_stem().unwrap_or_default().to_string_lossy().into_owned();
    let folder = PathBuf::from(format!("{stem}-{}-{}", from + 1, to + 1));
    file::create_folder(&folder).map_err(|error| match error {
        FileError::Exists { path } => format!("there is {} already; remove it first", path.display()),
        other => other.to_string(),
    })?;
    let words = format!("Writing {} pictures to {}.", to - from + 1, folder.display());
    recording.exporting(words.clone());
    let (recording, spawns, source) = (recording.clone(), spawns.clone(), source.to_string());
    let body = move || {
        let written = write(&recording, &spawns, &source, &folder, from, to);
        match written {
            Ok(()) => {
                let name = folder.display();
                let words = format!("Written: stackhand replay {name}/{PICTURES} --truth {name}/{TRUTH}");
                let file = |(word, file)| Some((word, Download::open(&folder.join(file)).ok()?));
                recording
                    .exported(words, [("pictures", PICTURES), ("truth", TRUTH)].into_iter().filter_map(file).collect());
            }
            Err(error) => {
                // Half a test case would be taken for a whole one.
                let _ = fs::remove_dir_all(&folder);
                recording.exporting(format!("The export failed: {error:#}"));
            }
        }
    };
    std::thread::Builder::new().name("export".into()).spawn(body).map_err(|e| e.to_string())?;
    Ok(json!({ "words": words }))
}

fn write(
    recording: &Recording,
    spawns: &Spawns,
    source: &str,
    folder: &Path,
    from: usize,
    to: usize,
) -> anyhow::Result<()> {
    let time =
        |position| recording.truth(position).map(|(time, _)| time).context("the pictures are not there any more");
    let (began, ended) = (time(from)?, time(to)?);
    let name = folder.join(TRUTH);
    let mut truth = WholeFile::create(&name, Existing::Keep)?;
    for line in spawns.lines(began, ended) {
        writeln!(truth, "{line}")?;
    }
    for position in from..=to {
        let (time, line) = recording.truth(position).context("the pictures are not there any more")?;
        writeln!(truth, "{}", at(&line, time.ms_since(began))?)?;
    }
    truth.finish()?;
    let calibration = spawns.first_place(began)?.to_text()?;
    let pictures = folder.join(PICTURES);
    match SourceSpec::parse(source)? {
        SourceSpec::Session(path) => session::cut(&path, &pictures, &calibration, from..=to)?,
        _ => copy(recording, source, &pictures, calibration, from, to)?,
    }
    Ok(())
}

/// The pictures of any recording as a session, pixel by pixel.
fn copy(
    recording: &Recording,
    source: &str,
    target: &Path,
    calibration: String,
    from: usize,
    to: usize,
) -> anyhow::Result<()> {
    let clock: Arc<dyn Clock> = Arc::new(SystemClock::new());
    let session = SessionWriter::create(target, clock.clone(), PictureFormat::Png)?.patient();
    session.calibration(calibration);
    let mut pictures = crate::edge::open(source, clock)?;
    for position in 0..=to {
        let frame = pictures.next_frame()?.context("the recording has become shorter")?;
        if position >= from {
            // The times that it was read with.
            let (time, _) = recording.truth(position).context("the pictures are not there any more")?;
            session.frame(&Frame { time, ..frame });
        }
    }
    session.finish()?;
    Ok(())
}
