//! `replay --ui`: the page over a recording.

use super::export::{self, Spawns};
use super::track::Track;
use super::viewer::{Viewed, Viewer};
use crate::app::live::page::{PageArgs, height};
use crate::app::out;
use crate::belief::{Event, Surprise};
use crate::edge::camera::mirrored;
use crate::edge::relay::SafetyNet;
use crate::message::Frame;
use crate::message::Summary;
use crate::profile::layout::Layout;
use crate::time::{Clock, SystemClock};
use crate::web::{Download, Heights, Recording, Scene, Server};
use anyhow::Context;
use serde_json::json;
use std::path::Path;
use std::sync::{Arc, OnceLock, Weak};

/// The end of the program is looked for this often, ms.
const WAIT_MS: f64 = 100.0;

/// A page that fills while the recording is read.
pub struct ReplayView {
    recording: Arc<Recording>,
    spawns: Arc<Spawns>,
    track: Option<Track>,
    heights: Heights,
    clock: Arc<dyn Clock>,
    net: SafetyNet,
    _server: Server,
}

impl ReplayView {
    /// Serves the page over the recording `name`, read with `layout`, which the user called `layout_name`.
    ///
    /// # Errors
    /// When the address cannot be used, or there is no room for temporary files.
    pub fn open(args: &PageArgs, name: &str, layout: &Layout, layout_name: Option<&str>) -> anyhow::Result<Self> {
        let clock: Arc<dyn Clock> = Arc::new(SystemClock::new());
        let net = SafetyNet::install()?;
        let track = Track::of(name)?;
        let spawns = Arc::new(Spawns::new(layout_name));
        let own: Arc<OnceLock<Weak<Recording>>> = Arc::default();
        let (source, back, known) = (name.to_string(), own.clone(), spawns.clone());
        let export = move |from, to| match back.get().and_then(Weak::upgrade) {
            Some(recording) => export::begin(&recording, &known, &source, from, to),
            None => Err("the recording is not open any more".into()),
        };
        let path = Path::new(mirrored::behind(name).0);
        let file = path.file_name().map_or(name.into(), |file| file.to_string_lossy());
        let title = format!("Replay of {file}");
        let buttons = track.as_ref().map(|track| track.buttons().clone());
        // A folder of pictures is no file.
        let download = Download::open(path).ok();
        let recording = Recording::new(&title, layout, buttons, Box::new(export), download);
        let recording =
            Arc::new(recording.context("cannot make a temporary file; free some of the disk, or set TMPDIR")?);
        let _ = own.set(Arc::downgrade(&recording));
        let server = args.serve(recording.clone(), clock.clone())?;
        Ok(Self { recording, spawns, track, heights: Heights::default(), clock, net, _server: server })
    }

    /// A picture was read; `summary` is up to date with it.
    pub fn add(&mut self, frame: &Frame, viewed: &Viewed, viewer: &Viewer, summary: &Summary) {
        let (pile, falling) = viewer.believed();
        let locked = viewed.look.events.iter().filter(|event| matches!(event, Event::Locked(_))).count();
        (0..locked).for_each(|_| self.heights.count(height(&pile)));
        let deeds = self.track.as_mut().map(|track| track.at(frame.time, locked > 0));
        let numbers = json!({
            "pieces": summary.pieces,
            "lines": summary.lines,
            "level": viewer.counters().level,
            "score": summary.score,
            "misplaced": self.track.as_ref().map(Track::misplaced),
            "surprises": summary.surprises,
            "games_over": summary.games_over,
            "console_hz": summary.console_hz,
        });
        let calibration = viewer.calibration();
        self.recording.add(&Scene {
            frame,
            observation: &viewed.look.observation,
            pile: &pile,
            falling,
            calibration,
            numbers,
            heights: &self.heights,
            deeds,
            truth: export::frame_line(&viewed.look.observation),
        });
        self.spawns.place(frame.time, calibration);
        if viewed.place().is_some() {
            self.recording.mark(frame.time, "moved", "the field was found at another place".into());
        }
        self.events(&viewed.look.events);
    }

    /// What became certain, now or at the recording's end.
    pub fn events(&self, events: &[Event]) {
        for event in events {
            let (time, kind, words) = mark(event);
            self.recording.mark(time, kind, words);
            if let Event::Spawned(spawned) = event {
                self.spawns.add(spawned);
            }
        }
    }

    /// Whether the person wants to end.
    pub fn is_ended(&self) -> bool {
        self.net.stop_flag().is_set()
    }

    /// Everything is read; the page stays until Ctrl-C.
    pub fn stay(&self) {
        self.recording.done();
        out::note("The recording is read; the page stays until Ctrl-C.");
        while !self.is_ended() {
            self.clock.sleep_until(self.clock.now().plus_ms(WAIT_MS));
        }
    }
}

/// When an event was first to be seen, its kind, and what happened in words.
fn mark(event: &Event) -> (crate::time::HostTime, &'static str, String) {
    match event {
        Event::Spawned(spawned) => (spawned.time, "spawn", format!("{} appears", spawned.piece)),
        Event::Locked(locked) if locked.lines > 0 => {
            let rows = if locked.lines == 1 { "a line".into() } else { format!("{} lines", locked.lines) };
            (locked.time, "clear", format!("{} locks and clears {rows}", locked.piece))
        }
        Event::Locked(locked) => (locked.time, "lock", format!("{} locks", locked.piece)),
        Event::GameOver { time, .. } => (*time, "game_over", "the game is over".into()),
        Event::Surprise(surprise, time) => (
            *time,
            "surprise",
            match surprise {
                Surprise::OtherPiece { expected, piece } => format!("surprise: {piece} where {expected} was promised"),
                Surprise::OtherHeld { seen, .. } => format!("surprise: the held piece is {seen}"),
                Surprise::OtherLater { expected, seen } => {
                    format!("surprise: the next piece is {seen}, and {expected} was behind the one before")
                }
                Surprise::OtherNext { believed, seen } => format!("surprise: the next piece is {seen}, not {believed}"),
                Surprise::Pile { .. } => "surprise: the pile is another than believed".into(),
                Surprise::Unexplained { .. } => "surprise: no lock explains this pile".into(),
                Surprise::Impossible { .. } => {
                    "surprise: cells show what no piece can have brought, and are not believed".into()
                }
                Surprise::Lost { .. } => "surprise: no one thing explains the pictures".into(),
            },
        ),
    }
}
