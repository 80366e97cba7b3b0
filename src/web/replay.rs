//! A recording, as the page shows it: every picture can be gone to, and what happened is marked.

use super::download::Download;
use super::geometry;
use super::heights::Heights;
use super::packet::{Packet, jpeg};
use super::thumbnails::{Thumbnails, small};
use super::watch::{fit_to_json, percents};
use crate::game::Board;
use crate::game::orientation::Pose;
use crate::message::{Frame, Observation, RelayMask};
use crate::profile::calibration::Calibration;
use crate::profile::layout::Layout;
use crate::time::HostTime;
use crate::web::site::{Answer, PageKind, Site};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::fs::File;
use std::io::{Read, Seek, SeekFrom, Write};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// What is shown is kept in a nameless temporary file up to this size; pictures beyond have marks but no pixels.
const SPOOL_MAX_BYTES: u64 = 4 << 30;
/// Events told at a time.
const EVENTS_AT_ONCE: usize = 2000;
/// Times of events are rounded to so much, ms.
const SAME_MS: f64 = 0.5;

/// One picture of a recording, read.
pub struct Scene<'a> {
    /// The picture.
    pub frame: &'a Frame,
    /// What was read in it.
    pub observation: &'a Observation,
    /// The settled pile, as believed.
    pub pile: &'a Board,
    /// The falling piece, as believed.
    pub falling: Option<Pose>,
    /// Where the field was.
    pub calibration: &'a Calibration,
    /// The sums so far, by the names that the page knows.
    pub numbers: Value,
    /// Pile heights so far.
    pub heights: &'a Heights,
    /// What the robot did, if it was recorded, too.
    pub deeds: Option<Deeds>,
    /// The line of a truth file that describes the picture.
    pub truth: String,
}

/// What the robot was doing at a picture.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Deeds {
    /// Where the piece was meant to lock, how probably, and whether it had not appeared yet.
    pub plan: Option<(Pose, f64, bool)>,
    /// The closed relays.
    pub lamps: RelayMask,
    /// Changes of the last seconds: time to the picture (negative), relays, how late it left, ms.
    pub presses: Vec<(f64, u8, f64)>,
}

/// A picture's place in the spool.
#[derive(Debug, Clone, Copy)]
struct Still {
    time: HostTime,
    begin: u64,
    /// Lengths of its state (JSON), its line of truth, and its JPEG; none if there was no room.
    parts: [u32; 3],
}

/// What happened, and in which picture.
#[derive(Debug, Clone, PartialEq)]
pub struct Mark {
    /// The position, from 0, of the first picture that shows it.
    pub position: usize,
    /// `spawn`, `lock`, `clear`, `game_over`, `surprise`, `moved`.
    pub kind: &'static str,
    /// In words.
    pub words: String,
}

/// All pictures read so far.
struct Reel {
    stills: Vec<Still>,
    marks: Vec<Mark>,
    spool: File,
    spooled: u64,
    is_done: bool,
    export: String,
    /// What the last export has written, by the word that the page asks for it with.
    exported: Vec<(&'static str, Download)>,
    small: Thumbnails,
}

/// Begins to write the pictures from the first number to the second.
pub type Export = Box<dyn Fn(usize, usize) -> Answer + Send + Sync>;

/// The page over a recording.
pub struct Recording {
    reel: Mutex<Reel>,
    layout: Layout,
    title: String,
    /// Which relay was which button, if the robot was recorded, too.
    buttons: Option<BTreeMap<String, u8>>,
    export: Export,
    /// The recording itself, if it is one file.
    file: Option<Download>,
}

impl Recording {
    /// A page for a recording of which nothing is read yet, and which is handed out if it is one `file`.
    ///
    /// # Errors
    /// When there is no room for temporary files.
    pub fn new(
        title: &str,
        layout: &Layout,
        buttons: Option<BTreeMap<String, u8>>,
        export: Export,
        file: Option<Download>,
    ) -> std::io::Result<Self> {
        let (stills, marks, spool) = (Vec::new(), Vec::new(), tempfile::tempfile()?);
        let (export_words, exported, small) = (String::new(), Vec::new(), Thumbnails::default());
        let reel = Reel { stills, marks, spool, spooled: 0, is_done: false, export: export_words, exported, small };
        Ok(Self { reel: Mutex::new(reel), layout: layout.clone(), title: title.into(), buttons, export, file })
    }

    /// The next picture was read.
    pub fn add(&self, scene: &Scene) {
        let state = self.state(scene).to_string();
        let picture = jpeg(&scene.frame.image);
        let mut reel = self.lock();
        let still = reel.keep(scene.frame.time, [state.as_bytes(), scene.truth.as_bytes(), &picture]);
        reel.stills.push(still);
    }

    /// Something happened; it is marked in the first picture of that time.
    pub fn mark(&self, time: HostTime, kind: &'static str, words: String) {
        let mut reel = self.lock();
        let last = reel.stills.len().saturating_sub(1);
        let position = reel.stills.partition_point(|still| still.time < time.plus_ms(-SAME_MS)).min(last);
        reel.marks.push(Mark { position, kind, words });
    }

    /// The recording has ended.
    pub fn done(&self) {
        self.lock().is_done = true;
    }

    /// How far an export has come, in words.
    pub fn exporting(&self, words: String) {
        let mut reel = self.lock();
        reel.export = words;
        reel.exported.clear();
    }

    /// An export is written: what to say, and its files by the words that the page asks for them with.
    pub fn exported(&self, words: String, files: Vec<(&'static str, Download)>) {
        let mut reel = self.lock();
        reel.export = words;
        reel.exported = files;
    }

    /// When this picture came, and what a truth file says about it.
    pub fn truth(&self, position: usize) -> Option<(HostTime, String)> {
        let mut reel = self.lock();
        let still = *reel.stills.get(position)?;
        Some((still.time, String::from_utf8(reel.part(still, 1)).ok()?))
    }

    fn state(&self, scene: &Scene) -> Value {
        let seen = scene.observation;
        let deeds = scene.deeds.as_ref();
        json!({
            "t_ms": scene.frame.time.ms(),
            "marks": geometry::marks(&self.layout, scene.calibration),
            "cells": percents(&seen.grid),
            "screen": seen.state,
            "spawn": seen.spawn.piece(),
            "next": seen.next.piece(),
            "pile": scene.pile.to_lines(),
            "falling": scene.falling.map(Pose::cells),
            "numbers": scene.numbers,
            "heights": scene.heights.counts(),
            "fit": fit_to_json(scene.heights, self.layout.field.rows),
            "plan": deeds.and_then(|deeds| deeds.plan).map(|(pose, certainty, is_ahead)| json!({
                "cells": pose.cells(), "piece": pose.orientation.piece(), "certainty": certainty, "ahead": is_ahead,
            })),
            "lamps": deeds.map(|deeds| deeds.lamps.0),
            "presses": deeds.map(|deeds| &deeds.presses),
        })
    }

    fn lock(&self) -> MutexGuard<'_, Reel> {
        self.reel.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// How much is read, and the marks from the given one on.
    fn progress(&self, since: usize) -> Value {
        let reel = self.lock();
        let new = reel.marks.iter().skip(since).take(EVENTS_AT_ONCE);
        json!({
            "count": reel.stills.len(),
            "done": reel.is_done,
            "export": reel.export,
            "exported": reel.exported.iter().map(|(word, file)| (word, file.name())).collect::<Vec<_>>(),
            "marks": new.map(|mark| reel.told(mark)).collect::<Vec<_>>(),
        })
    }
}

impl Reel {
    /// A mark for the page, with its picture's time.
    fn told(&self, mark: &Mark) -> Value {
        let t_ms = self.stills.get(mark.position).map(|still| still.time.ms());
        json!([mark.position, mark.kind, mark.words, t_ms])
    }

    /// Writes a picture's parts behind the others; the pixels are left out first.
    fn keep(&mut self, time: HostTime, parts: [&[u8]; 3]) -> Still {
        let begin = self.spooled;
        let bytes = parts.concat();
        let has_room = begin + (bytes.len() as u64) < SPOOL_MAX_BYTES;
        let kept = if has_room { &bytes[..] } else { &bytes[..bytes.len() - parts[2].len()] };
        let written = self.spool.seek(SeekFrom::Start(begin)).and_then(|_| self.spool.write_all(kept)).is_ok();
        if !written {
            return Still { time, begin, parts: [0; 3] };
        }
        self.spooled += kept.len() as u64;
        let [state, truth, picture] = parts.map(|part| part.len() as u32);
        Still { time, begin, parts: [state, truth, if has_room { picture } else { 0 }] }
    }

    /// One of a picture's parts; empty if it cannot be had.
    fn part(&mut self, still: Still, which: usize) -> Vec<u8> {
        let before: u32 = still.parts[..which].iter().sum();
        let mut bytes = vec![0; still.parts[which] as usize];
        let begin = SeekFrom::Start(still.begin + u64::from(before));
        match self.spool.seek(begin).and_then(|_| self.spool.read_exact(&mut bytes)) {
            Ok(()) => bytes,
            Err(_) => Vec::new(),
        }
    }
}

impl Site for Recording {
    fn page(&self) -> PageKind {
        PageKind::Watch
    }

    fn hello(&self) -> Value {
        json!({
            "kind": "replay",
            "title": self.title,
            "relays": self.buttons.is_some(),
            "buttons": self.buttons.clone().unwrap_or_default(),
            "recording": self.file.as_ref().map(Download::to_json),
        })
    }

    fn serial(&self) -> u64 {
        0
    }

    async fn changed(&self, _after: u64) {
        // A recording is asked for picture by picture.
        std::future::pending().await
    }

    fn packet(&self) -> Option<(u64, Packet)> {
        None
    }

    fn frame(&self, position: usize) -> Option<Packet> {
        let mut reel = self.lock();
        let still = *reel.stills.get(position)?;
        let (state, picture) = (reel.part(still, 0), reel.part(still, 2));
        drop(reel);
        Some(Packet { json: serde_json::from_slice(&state).ok()?, picture, strip: Vec::new() })
    }

    fn thumbnail(&self, position: usize) -> Option<Vec<u8>> {
        let mut reel = self.lock();
        if let Some(known) = reel.small.get(position) {
            return Some(known);
        }
        let still = *reel.stills.get(position)?;
        let picture = reel.part(still, 2);
        // The recording goes on being read meanwhile.
        drop(reel);
        let made = small(&picture)?;
        self.lock().small.keep(position, made.clone());
        Some(made)
    }

    fn file(&self, word: &str) -> Option<Download> {
        let of_export = || self.lock().exported.iter().find(|(known, _)| *known == word).map(|(_, file)| file.clone());
        if word == "recording" { self.file.clone() } else { of_export() }
    }

    fn is_free(&self, order: &str) -> bool {
        order == "reel"
    }

    fn order(&self, order: &Value) -> Answer {
        let number = |name: &str| order.get(name).and_then(Value::as_u64).and_then(|n| usize::try_from(n).ok());
        match order.get("do").and_then(Value::as_str).unwrap_or_default() {
            "reel" => Ok(self.progress(number("since").unwrap_or(0))),
            "export" => {
                let count = self.lock().stills.len();
                match (number("from"), number("to")) {
                    (Some(from), Some(to)) if from <= to && to < count => (self.export)(from, to),
                    _ => Err(format!("give two pictures from 1 to {}, the first not after the second", count.max(1))),
                }
            }
            other => Err(format!("there is no order {other:?}; reload the page")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::time::CameraFrame;
    use crate::vision::read::Reader;
    use image::RgbImage;
    use std::sync::Arc;

    #[test]
    fn every_picture_can_be_had_again_and_an_event_is_marked_where_it_was_first_seen() {
        let layout = Layout::load("nes").unwrap();
        let recording = Recording::new("test", &layout, None, Box::new(|_, _| Ok(json!({}))), None).unwrap();
        let corners = [[200.0, 80.0], [400.0, 80.0], [400.0, 440.0], [200.0, 440.0]];
        let calibration = Calibration::new("nes", [640, 480], corners, 0.1);
        let mut reader = Reader::new(&layout, corners, [640, 480]).unwrap();
        for n in 0..5_u64 {
            let time = HostTime::from_ms(n as f64 * 33.333);
            let image = Arc::new(RgbImage::new(640, 480));
            let frame = Frame { index: CameraFrame(n), time, name: None, file: None, image };
            let observation = reader.read(&frame);
            recording.add(&Scene {
                frame: &frame,
                observation: &observation,
                pile: &Board::new(10, 20),
                falling: None,
                calibration: &calibration,
                numbers: json!({ "pieces": n }),
                heights: &Heights::default(),
                deeds: None,
                truth: format!("line {n}"),
            });
        }
        recording.mark(HostTime::from_ms(66.7), "spawn", "T appears".into());
        recording.mark(HostTime::from_ms(500.0), "lock", "T locks".into());
        let progress = recording.progress(0);
        assert_eq!(progress["marks"], json!([[2, "spawn", "T appears", 66.666], [4, "lock", "T locks", 133.332]]));
        let shown = recording.frame(3).unwrap();
        assert_eq!(shown.json["numbers"]["pieces"], 3);
        assert!(!shown.picture.is_empty() && recording.frame(5).is_none());
        let small = recording.thumbnail(3).unwrap();
        assert!(small.len() < shown.picture.len() && recording.thumbnail(3) == Some(small));
        assert!(recording.thumbnail(5).is_none() && recording.file("recording").is_none());
        assert_eq!(recording.truth(4).unwrap().1, "line 4");
    }
}
