//! The page on which a person calibrates.

use super::advice::{Health, warnings};
use super::boards::Boards;
use super::geometry;
use super::newest::Newest;
use super::packet::{Packet, jpeg};
use super::watch::percents;
use super::workbench::{Edit, Workbench};
use crate::edge::CameraControl;
use crate::game::Buttons;
use crate::message::{Frame, Observation, RelayCommand, RelayMask, Sighting};
use crate::profile::calibration::Calibration;
use crate::profile::layout::Layout;
use crate::time::{Clock, HostTime};
use crate::web::site::{Answer, PageKind, Site};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::collections::{BTreeSet, VecDeque};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// A test press: long enough for every game, short enough to be harmless.
const PULSE_MS: f64 = 120.0;
/// From the click to the first byte, and how late it may still leave.
const PULSE_LEAD_MS: f64 = 3.0;
const PULSE_LATE_MS: f64 = 50.0;
/// Clicks faster than this are one.
const PULSE_EVERY_MS: f64 = 250.0;
/// Wishes that wait for the loop, which takes them at every picture.
const WISHES_MAX: usize = 16;
/// How long STOP waits to hear that the relays are open.
const OPEN_PATIENCE: Duration = Duration::from_secs(1);
/// The reader and the finder see the field well enough with so few cells unknown.
const UNKNOWN_FINE: f32 = 0.03;
/// Pictures a second from which pieces are seen in time.
const FPS_FINE: f64 = 24.0;

/// What only the loop can do.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(tag = "do", rename_all = "snake_case")]
pub enum Wish {
    /// Search the field in the whole picture.
    Find,
    /// Look at another source; one of those offered.
    Source {
        /// As on the command line.
        name: String,
    },
    /// Another game; one of those offered.
    Layout {
        /// As on the command line.
        name: String,
    },
    /// Press by another board; one of those offered.
    Relay {
        /// As on the command line.
        name: String,
    },
    /// Measure the rig's times by pressing and watching.
    Measure,
    /// Set a control of the camera; without a value back to automatic.
    Control {
        /// Its number, as the driver counts.
        id: u32,
        /// What to set.
        value: Option<i64>,
    },
}

/// What was seen in one picture.
pub struct TuningShot {
    /// The picture.
    pub frame: Frame,
    /// What was read with this calibration; `None` if nothing can be read with it.
    pub observation: Option<Observation>,
    /// The calibration.
    pub calibration: Calibration,
    /// The game.
    pub layout: Arc<Layout>,
    /// How good the picture is.
    pub health: Health,
    /// The camera's controls.
    pub controls: Vec<CameraControl>,
    /// The field is being searched.
    pub is_searching: bool,
    /// What went wrong, in words.
    pub problem: Option<String>,
    /// How far the measurement of the rig's times is.
    pub measurement: Measurement,
}

/// A measurement of the rig's times, as it goes on.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Measurement {
    /// Presses made, of this many; absent while none is under way.
    pub presses: Option<[usize; 2]>,
    /// Since it began, s.
    pub took_s: f64,
    /// How the last one ended, in words.
    pub words: Option<String>,
}

/// The page.
pub struct Tuning {
    /// Where the loop leaves what it saw.
    pub newest: Newest<TuningShot>,
    bench: Mutex<Workbench>,
    wishes: Mutex<VecDeque<Wish>>,
    pulses: Mutex<Pulses>,
    /// Whether a measurement may press.
    measures: Mutex<bool>,
    /// The board that presses, if there is one.
    pub boards: Boards,
    profile: PathBuf,
    sources: Vec<(String, String)>,
    layouts: Vec<(String, String)>,
    clock: Arc<dyn Clock>,
}

#[derive(Default)]
struct Pulses {
    last: Option<HostTime>,
    tested: BTreeSet<String>,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Tuning {
    /// A page that begins with `calibration` and saves to `profile`. Sources and layouts are offered as (name, words).
    pub fn new(
        calibration: Calibration,
        profile: PathBuf,
        sources: Vec<(String, String)>,
        layouts: Vec<(String, String)>,
        boards: Boards,
        clock: Arc<dyn Clock>,
    ) -> Self {
        Self {
            newest: Newest::default(),
            bench: Mutex::new(Workbench::new(calibration)),
            wishes: Mutex::default(),
            pulses: Mutex::default(),
            measures: Mutex::default(),
            boards,
            profile,
            sources,
            layouts,
            clock,
        }
    }

    /// Whether anybody looks.
    pub fn is_watched(&self) -> bool {
        self.newest.is_watched(self.clock.now())
    }

    /// The calibration as it is now.
    pub fn calibration(&self) -> Calibration {
        lock(&self.bench).calibration().clone()
    }

    /// The loop has another calibration: found, or fitted to another picture.
    pub fn replace(&self, calibration: Calibration) {
        lock(&self.bench).replace(calibration);
    }

    /// The profile names this board from now on.
    pub fn note_relay(&self, name: &str) {
        lock(&self.bench).note_relay(name);
        // Its contacts are others'.
        lock(&self.pulses).tested.clear();
    }

    /// The file holds what is seen now.
    pub fn saved(&self) {
        lock(&self.bench).saved();
    }

    /// What only the loop can do, oldest first.
    pub fn take_wish(&self) -> Option<Wish> {
        lock(&self.wishes).pop_front()
    }

    /// Presses a button for a moment, whatever the game does with it.
    ///
    /// # Errors
    /// When there is no board, or no relay for the button, in words.
    pub fn pulse(&self, button: Buttons) -> Result<(), String> {
        let relays = self.boards.to_press()?;
        let mask = lock(&self.bench).calibration().relays(button);
        if mask.0 == 0 {
            return Err("this button has no relay; choose one first".into());
        }
        let now = self.clock.now();
        let mut pulses = lock(&self.pulses);
        if pulses.last.is_some_and(|last| now.ms_since(last) < PULSE_EVERY_MS) {
            return Err("one press after the other; wait a moment".into());
        }
        let command = |ms: f64, mask| {
            let due = now.plus_ms(ms);
            RelayCommand { due, expires: due.plus_ms(PULSE_LATE_MS), mask }
        };
        let commands = vec![command(PULSE_LEAD_MS, mask), command(PULSE_LEAD_MS + PULSE_MS, RelayMask(0))];
        relays.schedule(commands).map_err(|e| e.to_string())?;
        pulses.last = Some(now);
        Ok(())
    }

    /// Hands a measurement's presses over; false if it was ended by a person.
    ///
    /// # Errors
    /// When the board does not take them, in words.
    pub fn press(&self, commands: Vec<RelayCommand>) -> Result<bool, String> {
        let measures = lock(&self.measures);
        if !*measures {
            return Ok(false);
        }
        // While this is locked no STOP can come in between.
        let relays = self.boards.to_press()?;
        if let Some(first) = commands.first() {
            relays.schedule_since(first.due, commands).map_err(words)?;
        }
        Ok(true)
    }

    /// The measurement has come to its end; whatever is pressed is let go.
    pub fn measured(&self) {
        self.end_measurement();
    }

    /// Ends a measurement, if one is under way: no press follows. Whether the relays are open, if there are any.
    fn end_measurement(&self) -> Option<bool> {
        *lock(&self.measures) = false;
        self.boards.relays().map(|relays| relays.open_all(OPEN_PATIENCE))
    }

    fn measure(&self) -> Answer {
        self.boards.to_press()?;
        *lock(&self.measures) = true;
        let waits = self.wish(Wish::Measure);
        *lock(&self.measures) = waits.is_ok();
        waits
    }

    fn test(&self, button: &str) -> Answer {
        let pressed = Buttons::from_name(button).ok_or("there is no such button; reload the page")?;
        self.pulse(pressed)?;
        lock(&self.pulses).tested.insert(button.into());
        Ok(json!({ "pressed": button, "ms": PULSE_MS }))
    }

    fn choose(&self, wish: Wish) -> Answer {
        let Wish::Relay { name } = &wish else { return self.wish(wish) };
        self.boards.choose(name)?;
        self.wish(wish).inspect_err(|words| self.boards.kept(words.clone()))
    }

    fn save(&self) -> Answer {
        let mut bench = lock(&self.bench);
        bench.calibration().save(&self.profile).map_err(words)?;
        bench.saved();
        Ok(json!({ "saved": self.profile.display().to_string() }))
    }

    fn load(&self) -> Answer {
        let loaded = Calibration::load(&self.profile).map_err(words)?;
        let mut bench = lock(&self.bench);
        if loaded.picture != bench.calibration().picture || loaded.layout != bench.calibration().layout {
            return Err(format!(
                "the file is for {} in pictures of {} × {}; choose that layout and picture size first",
                loaded.layout, loaded.picture[0], loaded.picture[1]
            ));
        }
        bench.replace(loaded);
        bench.saved();
        Ok(json!({ "loaded": self.profile.display().to_string() }))
    }

    fn wish(&self, wish: Wish) -> Answer {
        let is_offered = |list: &[(String, String)], name: &String| list.iter().any(|(known, _)| known == name);
        // Only what the program offers: a source's text could make ffmpeg read or write any file.
        let is_known = match &wish {
            Wish::Source { name } => is_offered(&self.sources, name),
            Wish::Layout { name } => is_offered(&self.layouts, name),
            Wish::Find | Wish::Relay { .. } | Wish::Measure | Wish::Control { .. } => true,
        };
        if !is_known {
            return Err("that is not offered here; give it on the command line".into());
        }
        let mut wishes = lock(&self.wishes);
        if wishes.len() >= WISHES_MAX {
            return Err("too much at once; wait a moment".into());
        }
        wishes.push_back(wish);
        Ok(json!({}))
    }

    fn stop(&self) -> Answer {
        let began = self.clock.now();
        let opened = self.end_measurement();
        if opened == Some(false) {
            return Err("the board did not confirm that its relays are open; release the buttons by hand".into());
        }
        let ms = self.clock.now().ms_since(began);
        Ok(json!({ "opened": opened, "changing": self.boards.is_changing(), "ms": ms }))
    }

    fn state(&self, shot: &TuningShot) -> Value {
        let (now, is_saved, history) = {
            let bench = lock(&self.bench);
            (bench.calibration().clone(), bench.is_saved(), bench.history())
        };
        let tested = lock(&self.pulses).tested.clone();
        let relays = self.boards.relays();
        let seen = shot.observation.as_ref();
        json!({
            "age_ms": self.clock.now().ms_since(shot.frame.time),
            "marks": geometry::marks(&shot.layout, &shot.calibration),
            "corners": now.corners,
            "cells": seen.map(|seen| percents(&seen.grid)),
            "screen": seen.map(|seen| seen.state),
            "spawn": seen.map(|seen| sighting(seen.spawn)),
            "next": seen.map(|seen| sighting(seen.next)),
            "warnings": warnings(&shot.health),
            "fps": shot.health.rate.map(|rate| rate.0),
            "error_px": now.error_px,
            "timing": now.timing,
            "measured": now.measured,
            "measurement": shot.measurement,
            "source": now.source,
            "layout": now.layout,
            "relay": now.relay,
            "buttons": now.buttons,
            "tested": tested,
            "lamps": relays.as_ref().map(|relays| relays.closed().0),
            "board": self.boards.to_json(),
            "controls": shot.controls,
            "searching": shot.is_searching,
            "problem": shot.problem,
            "saved": is_saved,
            "doubt": doubt(shot, &now),
            "undo": history[0],
            "redo": history[1],
            "steps": self.steps(shot, is_saved, &tested, relays.is_some()),
        })
    }

    /// What to do, whether it is done, and with what; in order.
    fn steps(&self, shot: &TuningShot, is_saved: bool, tested: &BTreeSet<String>, has_relays: bool) -> Value {
        let seen = shot.observation.as_ref();
        let is_fast = shot.health.rate.is_some_and(|(fps, _)| fps >= FPS_FINE);
        let is_placed = seen.is_some_and(|s| s.state.shows_cells()) && shot.health.unknown <= UNKNOWN_FINE;
        let reads_next = seen.is_some_and(|s| s.next.piece().is_some()) || shot.layout.next.is_none();
        let needed = ["left", "right", "down", "a", "start"];
        let is_wired = needed.iter().all(|button| tested.contains(*button));
        let mut steps = vec![
            json!(["Get 24 pictures a second or more", is_fast, "Camera, and Camera controls"]),
            json!([
                "Put the frame on the field, so that all cells can be told",
                is_placed && !shot.is_searching,
                "Find the field, or drag the corners",
            ]),
            json!(["See the next piece", reads_next && is_placed, "the dashed box must lie on it"]),
        ];
        if has_relays {
            steps.push(json!(["Test left, right, down, A and Start", is_wired, "Buttons and relays"]));
        }
        steps.push(json!(["Save", is_saved, "the button at the top"]));
        steps.into()
    }
}

/// Why a person should think twice before this is saved over what the file holds; `None` if nothing speaks against it.
fn doubt(shot: &TuningShot, now: &Calibration) -> Option<String> {
    let Some(seen) = &shot.observation else { return Some("Nothing can be read with these corners.".into()) };
    let (unknown, cells) = (seen.grid.unknown().count(), seen.grid.columns() * seen.grid.rows());
    if shot.is_searching {
        return Some("The field is still being searched.".into());
    }
    if !seen.state.shows_cells() {
        return Some("No game is seen at this place, so nothing tells whether the field is right.".into());
    }
    if unknown as f32 > UNKNOWN_FINE * cells as f32 {
        return Some(format!("{unknown} of {cells} cells cannot be told."));
    }
    let has_start = now.relays(Buttons::START).0 != 0;
    (!has_start).then(|| "Start has no relay: the robot cannot begin the next game.".into())
}

/// A sighting as the page shows it: letter (null: none, or unknown), and confidence.
fn sighting(seen: Sighting) -> Value {
    json!({ "piece": seen.piece(), "confidence": seen.confidence(), "unknown": seen == Sighting::Unknown })
}

/// An error with its causes.
fn words(error: impl std::error::Error + Send + Sync + 'static) -> String {
    format!("{:#}", anyhow::Error::new(error))
}

impl Site for Tuning {
    fn page(&self) -> PageKind {
        PageKind::Calibrate
    }

    fn hello(&self) -> Value {
        json!({
            "kind": "calibrate",
            "profile": self.profile.display().to_string(),
            "sources": self.sources,
            "layouts": self.layouts,
            "button_names": Buttons::NAMED.map(|(_, name)| name),
        })
    }

    fn serial(&self) -> u64 {
        self.newest.serial()
    }

    async fn changed(&self, after: u64) {
        self.newest.look(after, self.clock.as_ref()).await;
    }

    fn packet(&self) -> Option<(u64, Packet)> {
        let (serial, shot) = self.newest.get()?;
        let strip = jpeg(&geometry::strip(&shot.frame.image, &shot.layout, &shot.calibration));
        Some((serial, Packet { json: self.state(&shot), picture: jpeg(&shot.frame.image), strip }))
    }

    fn is_free(&self, order: &str) -> bool {
        matches!(order, "stop" | "boards")
    }

    fn order(&self, order: &Value) -> Answer {
        let text = |name: &str| order.get(name).and_then(Value::as_str).unwrap_or_default();
        if *lock(&self.measures) && !matches!(text("do"), "stop" | "boards" | "measure_end" | "save") {
            return Err("the times are being measured; end that first".into());
        }
        match text("do") {
            "measure" => self.measure(),
            "measure_end" => self.stop(),
            "stop" => self.stop(),
            "save" => self.save(),
            "load" => self.load(),
            "test" => self.test(text("button")),
            "boards" => Ok(self.boards.offer()),
            "find" | "source" | "layout" | "relay" | "control" => self.choose(understood(order)?),
            _ => {
                let edit: Edit = understood(order)?;
                let mut bench = lock(&self.bench);
                bench.edit(&edit).map_err(|e| e.to_string())?;
                Ok(json!({ "corners": bench.calibration().corners }))
            }
        }
    }
}

fn understood<T: for<'de> Deserialize<'de>>(order: &Value) -> Result<T, String> {
    T::deserialize(order).map_err(|e| format!("this order is not understood ({e}); reload the page"))
}
