//! `replay --ui`: the page over a recording, and its export as a test case.

use super::page::PageArgs;
use super::viewer::{Viewed, Viewer};
use crate::belief::{Event, Surprise};
use crate::calibration::Calibration;
use crate::camera;
use crate::layout::Layout;
use crate::message::{Frame, Observation};
use crate::relay::SafetyNet;
use crate::time::{Clock, SystemClock};
use crate::web::{Answer, Mark, Recording, Server, Still};
use anyhow::Context;
use serde_json::json;
use std::fs::{self, File};
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock, Weak};

/// Pictures of one test case: a hundred seconds.
const PICTURES_MAX: usize = 3000;
/// Times of the pictures in a folder, as `camera` gives them.
const FOLDER_FPS: f64 = 30.0;
/// The end of the program is looked for this often, ms.
const WAIT_MS: f64 = 100.0;

/// A page that fills while the recording is read.
pub struct ReplayView {
    recording: Arc<Recording>,
    clock: Arc<dyn Clock>,
    net: SafetyNet,
    _server: Server,
}

impl ReplayView {
    /// Serves the page.
    ///
    /// # Errors
    /// When the address cannot be used, or there is no room for temporary files.
    pub fn open(args: &PageArgs, name: &str, layout: &Layout) -> anyhow::Result<Self> {
        let clock: Arc<dyn Clock> = Arc::new(SystemClock::new());
        let net = SafetyNet::install()?;
        let own: Arc<OnceLock<Weak<Recording>>> = Arc::default();
        let (source, back) = (name.to_string(), own.clone());
        let export = move |from, to| match back.get().and_then(Weak::upgrade) {
            Some(recording) => begin_export(&recording, &source, from, to),
            None => Err("the recording is not open any more".into()),
        };
        let title = format!("Replay of {name}");
        let recording = Recording::new(&title, layout, Box::new(export)).context("cannot make a temporary file")?;
        let recording = Arc::new(recording);
        let _ = own.set(Arc::downgrade(&recording));
        let server = args.serve(recording.clone(), clock.clone())?;
        Ok(Self { recording, clock, net, _server: server })
    }

    /// A picture was read.
    pub fn add(&self, frame: &Frame, viewed: &Viewed, viewer: &Viewer) {
        let mut marks: Vec<_> = viewed.look.events.iter().map(mark).collect();
        if viewed.place().is_some() {
            marks.push(("moved", "the field was found at another place".into()));
        }
        let (pile, falling) = viewer.believed();
        self.recording.add(frame, &viewed.look.observation, &pile, falling, viewer.calibration(), marks);
    }

    /// Whether the person wants to end.
    pub fn is_ended(&self) -> bool {
        self.net.stop_flag().is_set()
    }

    /// Everything is read; the page stays until Ctrl-C.
    pub fn stay(&self) {
        self.recording.done();
        eprintln!("The recording is read; the page stays until Ctrl-C.");
        while !self.is_ended() {
            self.clock.sleep_until(self.clock.now().plus_ms(WAIT_MS));
        }
    }
}

fn mark(event: &Event) -> (&'static str, String) {
    match event {
        Event::Spawned(spawned) => ("spawn", format!("{} appears", spawned.piece)),
        Event::Locked(locked) if locked.lines > 0 => {
            ("lock", format!("{} locks and clears {}", locked.piece, locked.lines))
        }
        Event::Locked(locked) => ("lock", format!("{} locks", locked.piece)),
        Event::GameOver { .. } => ("game_over", "the game is over".into()),
        Event::Surprise(surprise, _) => (
            "surprise",
            match surprise {
                Surprise::OtherPiece { expected, piece } => format!("surprise: {piece} where {expected} was promised"),
                Surprise::OtherNext { believed, seen } => format!("surprise: the next piece is {seen}, not {believed}"),
                Surprise::Pile { .. } => "surprise: the pile is another than believed".into(),
                Surprise::Unexplained { .. } => "surprise: no lock explains this pile".into(),
            },
        ),
    }
}

/// Starts a thread that writes a test case, and says where.
fn begin_export(recording: &Arc<Recording>, source: &str, from: usize, to: usize) -> Answer {
    if to - from >= PICTURES_MAX {
        return Err(format!("a test case may have {PICTURES_MAX} pictures; choose fewer"));
    }
    let stem = Path::new(source).file_stem().unwrap_or_default().to_string_lossy().into_owned();
    let folder = PathBuf::from(format!("{stem}-{}-{}", from + 1, to + 1));
    fs::create_dir(&folder)
        .map_err(|e| format!("cannot make the folder {} ({e}); remove it first", folder.display()))?;
    let words = format!("Writing {} pictures to {}.", to - from + 1, folder.display());
    recording.exporting(words.clone());
    let (recording, source) = (recording.clone(), source.to_string());
    let body = move || {
        let words = match export(&recording, &source, &folder, from, to) {
            Ok(()) => format!("Written: {0} (replay it with --truth {0}/truth.jsonl).", folder.display()),
            Err(error) => format!("The export failed: {error:#}"),
        };
        recording.exporting(words);
    };
    std::thread::Builder::new().name("export".into()).spawn(body).map_err(|e| e.to_string())?;
    Ok(json!({ "words": words }))
}

/// The pictures, exactly as the source gives them, and what was read in them.
fn export(recording: &Recording, source: &str, folder: &Path, from: usize, to: usize) -> anyhow::Result<()> {
    let name = folder.join("truth.jsonl");
    let mut truth =
        BufWriter::new(File::create_new(&name).with_context(|| format!("cannot write {}", name.display()))?);
    for line in recording.with(|stills, marks| lines(stills, marks, from, to)) {
        writeln!(truth, "{line}")?;
    }
    truth.flush()?;
    let mut pictures = camera::open(source, Arc::new(SystemClock::new()))?;
    for position in 0..=to {
        let frame = pictures.next_frame()?.context("the recording has become shorter")?;
        if position >= from {
            frame.image.save(folder.join(format!("{:06}.png", position - from)))?;
        }
    }
    Ok(())
}

/// The truth's lines, by the times that a folder's pictures have.
fn lines(stills: &[Still], marks: &[Mark], from: usize, to: usize) -> Vec<String> {
    let t_ms = |position: usize| (((position - from) as f64 * 1000.0 / FOLDER_FPS) * 1000.0).round() / 1000.0;
    let mut lines = Vec::new();
    if let Some(still) = stills.get(from) {
        let Calibration { corners, layout, error_px, .. } = still.calibration();
        lines.push(
            json!({ "event": "calibrated", "corners": corners, "layout": layout, "error_px": error_px }).to_string(),
        );
    }
    for (position, still) in stills.iter().enumerate().take(to + 1).skip(from) {
        let Observation { grid, state, spawn, next, .. } = still.observation();
        for mark in marks.iter().filter(|m| m.position == position && m.kind == "spawn") {
            let piece = mark.words.chars().next().map(String::from);
            let line = json!({ "event": "spawn", "t_ms": t_ms(position), "piece": piece, "next": next.piece(),
                "board": still.pile().to_lines() });
            lines.push(line.to_string());
        }
        let line = json!({ "event": "frame", "t_ms": t_ms(position), "state": state, "piece": spawn.piece(),
            "next": next.piece(), "board": grid.to_lines() });
        lines.push(line.to_string());
    }
    lines
}
