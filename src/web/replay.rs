//! A recording, as the page shows it: every picture can be gone to, and what happened is marked.

use super::geometry;
use super::packet::{Packet, jpeg};
use super::server::{Answer, PageKind, Site};
use super::watch::percents;
use crate::calibration::Calibration;
use crate::game::Board;
use crate::game::orientation::Pose;
use crate::layout::Layout;
use crate::message::{Frame, Observation};
use serde_json::{Value, json};
use std::fs::File;
use std::io::{Read, Seek, SeekFrom, Write};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Pictures are kept in a nameless temporary file up to this size; those beyond have marks but no pixels.
const SPOOL_MAX_BYTES: u64 = 4 << 30;
/// Events told at a time.
const EVENTS_AT_ONCE: usize = 2000;

/// One picture of a recording, read.
pub struct Still {
    t_ms: f64,
    seen: Vec<u8>,
    observation: Observation,
    pile: Board,
    falling: Option<Pose>,
    calibration: Arc<Calibration>,
    /// Where its JPEG lies in the spool; no bytes if it was not kept.
    at: (u64, u32),
}

impl Still {
    /// What was read.
    pub fn observation(&self) -> &Observation {
        &self.observation
    }

    /// The settled pile, as believed.
    pub fn pile(&self) -> &Board {
        &self.pile
    }

    /// Where the field was.
    pub fn calibration(&self) -> &Calibration {
        &self.calibration
    }
}

/// What happened, and in which picture.
#[derive(Debug, Clone, PartialEq)]
pub struct Mark {
    /// The picture's position, from 0.
    pub position: usize,
    /// `spawn`, `lock`, `game_over`, `surprise`, `moved`.
    pub kind: &'static str,
    /// In words.
    pub words: String,
}

/// All pictures read so far.
pub struct Reel {
    stills: Vec<Still>,
    marks: Vec<Mark>,
    spool: File,
    spooled: u64,
    is_done: bool,
    export: String,
}

/// The page over a recording.
pub struct Recording {
    reel: Mutex<Reel>,
    layout: Layout,
    title: String,
    export: Box<dyn Fn(usize, usize) -> Answer + Send + Sync>,
}

impl Recording {
    /// A page for a recording of which nothing is read yet. `export` begins to write the pictures from the first number to
    /// the second.
    ///
    /// # Errors
    /// When there is no room for temporary files.
    pub fn new(
        title: &str,
        layout: &Layout,
        export: Box<dyn Fn(usize, usize) -> Answer + Send + Sync>,
    ) -> std::io::Result<Self> {
        let (stills, marks, spool) = (Vec::new(), Vec::new(), tempfile::tempfile()?);
        let reel = Reel { stills, marks, spool, spooled: 0, is_done: false, export: String::new() };
        Ok(Self { reel: Mutex::new(reel), layout: layout.clone(), title: title.into(), export })
    }

    /// The next picture was read.
    pub fn add(
        &self,
        frame: &Frame,
        seen: &Observation,
        pile: &Board,
        falling: Option<Pose>,
        calibration: &Calibration,
        marks: Vec<(&'static str, String)>,
    ) {
        let picture = jpeg(&frame.image);
        let mut reel = self.lock();
        let at = reel.keep(&picture);
        let last = reel.stills.last().map(|still| still.calibration.clone()).filter(|last| **last == *calibration);
        let calibration = last.unwrap_or_else(|| Arc::new(calibration.clone()));
        let position = reel.stills.len();
        reel.marks.extend(marks.into_iter().map(|(kind, words)| Mark { position, kind, words }));
        reel.stills.push(Still {
            t_ms: frame.time.ms(),
            seen: percents(&seen.grid),
            observation: seen.clone(),
            pile: *pile,
            falling,
            calibration,
            at,
        });
    }

    /// The recording has ended.
    pub fn done(&self) {
        self.lock().is_done = true;
    }

    /// How far an export has come, in words.
    pub fn exporting(&self, words: String) {
        self.lock().export = words;
    }

    /// Looks at the pictures from one position up to another, and at the marks.
    pub fn with<T>(&self, look: impl FnOnce(&[Still], &[Mark]) -> T) -> T {
        let reel = self.lock();
        look(&reel.stills, &reel.marks)
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
            "marks": new.map(|mark| json!([mark.position, mark.kind, mark.words])).collect::<Vec<_>>(),
        })
    }
}

impl Reel {
    /// Writes a picture behind the others; where it lies.
    fn keep(&mut self, picture: &[u8]) -> (u64, u32) {
        let begin = self.spooled;
        let has_room = begin + (picture.len() as u64) < SPOOL_MAX_BYTES;
        let written =
            has_room && self.spool.seek(SeekFrom::Start(begin)).and_then(|_| self.spool.write_all(picture)).is_ok();
        if !written {
            return (begin, 0);
        }
        self.spooled += picture.len() as u64;
        (begin, picture.len() as u32)
    }

    fn picture(&mut self, (begin, length): (u64, u32)) -> Vec<u8> {
        let mut bytes = vec![0; length as usize];
        match self.spool.seek(SeekFrom::Start(begin)).and_then(|_| self.spool.read_exact(&mut bytes)) {
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
        json!({ "kind": "replay", "title": self.title, "relays": false, "buttons": {} })
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
        let still = reel.stills.get(position)?;
        let seen = &still.observation;
        let json = json!({
            "position": position,
            "t_ms": still.t_ms,
            "marks": geometry::marks(&self.layout, &still.calibration),
            "cells": still.seen,
            "screen": seen.state,
            "spawn": seen.spawn.piece(),
            "next": seen.next.piece(),
            "pile": still.pile.to_lines(),
            "falling": still.falling.map(Pose::cells),
        });
        let at = still.at;
        Some(Packet { json, picture: reel.picture(at), strip: Vec::new() })
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
                    _ => {
                        Err(format!("give two pictures from 0 to {}, the first not after the second", count.max(1) - 1))
                    }
                }
            }
            other => Err(format!("there is no order {other:?}; reload the page")),
        }
    }
}
