//! The robot at play, as the page shows it.

use super::control::Control;
use super::diary::{Diary, Said};
use super::download::Download;
use super::geometry;
use super::heights::Heights;
use super::newest::Newest;
use super::packet::{Packet, jpeg};
use super::presses::{BoardLog, Planned};
use crate::edge::relay::ExecutorHandle;
use crate::game::orientation::Pose;
use crate::game::{Board, Piece};
use crate::message::{CellGrid, Frame, Observation, RelayMask};
use crate::planner::{Candidate, Choice};
use crate::profile::calibration::Calibration;
use crate::profile::layout::Layout;
use crate::time::{Clock, HostTime};
use crate::web::site::{Answer, PageKind, Site};
use serde::Serialize;
use serde_json::{Value, json};
use std::sync::{Arc, OnceLock};

/// The run's numbers, as the page prints them.
#[derive(Debug, Clone, Copy, Default, Serialize)]
#[allow(missing_docs)]
pub struct Numbers {
    pub pieces: u64,
    pub lines: u64,
    pub score: u64,
    pub level: u8,
    pub misplaced: u64,
    pub adrift: u64,
    pub stalls: u64,
    pub unplanned: u64,
    pub surprises: u64,
    pub games_over: u64,
    pub frames: u64,
    pub frames_dropped: u64,
    pub commands_dropped: u64,
    /// Pictures a second.
    pub fps: f64,
    /// From a picture's arrival to the end of its step, ms: median and 99th percentile of the last hundred.
    pub loop_ms: [f64; 2],
    /// Reading a picture, and planning a piece, µs: the newest.
    pub read_us: f64,
    pub plan_us: f64,
    /// From the console's poll to the picture's arrival, ms, as calibrated.
    pub eye_ms: f64,
    pub console_hz: Option<f64>,
}

/// What a decision was made by.
#[derive(Debug, Clone, Default)]
pub struct Thoughts {
    /// What the game is expected to bring from here on, points; only where a learned value decides.
    pub points: Option<f64>,
    /// The best placements there were, best first.
    pub choices: Vec<Choice>,
}

impl Thoughts {
    /// The placements as the page shows them; `taken` is the one that was planned.
    fn choices_to_json(&self, taken: Pose) -> Vec<Value> {
        let choice = |Choice { candidate, points, fate }: &Choice| {
            let Candidate { pose, cost } = candidate;
            json!({ "cells": pose.cells(), "cost": cost, "points": points, "fate": fate, "taken": *pose == taken })
        };
        self.choices.iter().map(choice).collect()
    }
}

/// What was seen in one picture and what the robot makes of it.
#[derive(Clone)]
pub struct Shot {
    /// The picture.
    pub frame: Frame,
    /// What was read.
    pub observation: Observation,
    /// The settled pile, as believed.
    pub pile: Board,
    /// The falling piece, as believed.
    pub falling: Option<(Piece, Pose)>,
    /// Where the piece is meant to lock, and how probable that is.
    pub plan: Option<(Pose, f64)>,
    /// The plan is for the piece after the falling one.
    pub is_ahead: bool,
    /// What the robot thought of for it.
    pub thoughts: Thoughts,
    /// The presses.
    pub planned: Arc<Planned>,
    /// Pile heights.
    pub heights: Heights,
    /// The numbers.
    pub numbers: Numbers,
    /// Where the field is by now.
    pub corners: [[f64; 2]; 4],
    /// Who is to blame for what, newest last.
    pub said: Vec<Said>,
    /// The robot presses nothing because of it.
    pub rests: bool,
}

/// The page over a running robot.
pub struct Watch {
    /// Where the loop leaves what it saw.
    pub newest: Newest<Shot>,
    /// What the person wants.
    pub control: Control,
    /// What the board was told.
    pub log: BoardLog,
    /// What was said.
    pub diary: Diary,
    layout: Layout,
    calibration: Calibration,
    clock: Arc<dyn Clock>,
    relays: OnceLock<ExecutorHandle>,
    /// What is recorded.
    recording: OnceLock<Download>,
    title: String,
    is_live: bool,
}

impl Watch {
    /// A page for one run. On a simulated clock (`is_live` false) the world stands still while the robot is held.
    pub fn new(
        title: &str,
        layout: &Layout,
        calibration: &Calibration,
        clock: Arc<dyn Clock>,
        is_live: bool,
        log: BoardLog,
    ) -> Self {
        Self {
            newest: Newest::default(),
            control: Control::default(),
            log,
            diary: Diary::default(),
            layout: layout.clone(),
            calibration: calibration.clone(),
            clock,
            relays: OnceLock::new(),
            recording: OnceLock::new(),
            title: title.into(),
            is_live,
        }
    }

    /// The relays that STOP opens and whose lamps are shown.
    pub fn connect(&self, relays: ExecutorHandle) {
        self.control.connect(relays.clone());
        let _ = self.relays.set(relays);
    }

    /// The run is recorded to this file, which may be had meanwhile, as far as it goes by then.
    pub fn record(&self, recording: Download) {
        let _ = self.recording.set(recording.beside_a_robot());
    }

    /// Whether the world goes on by itself.
    pub fn is_live(&self) -> bool {
        self.is_live
    }

    /// Whether anybody looks.
    pub fn is_watched(&self) -> bool {
        self.newest.is_watched(self.clock.now())
    }

    /// Notes what a person has ordered, at the run's time.
    fn ordered(&self, words: &str) {
        let shown = if self.is_live { None } else { self.newest.get().map(|(_, shot)| shot.frame.time) };
        let time = shown.unwrap_or_else(|| self.clock.now());
        self.diary.note(Said { t_ms: time.ms(), words: words.into() });
    }

    fn state(&self, shot: &Shot) -> Value {
        let calibration = Calibration { corners: shot.corners, ..self.calibration.clone() };
        let now = if self.is_live { self.clock.now() } else { shot.frame.time };
        let done = self.log.changes();
        let lamps = self.relays.get().map(ExecutorHandle::closed);
        let seen = &shot.observation;
        json!({
            "t_ms": shot.frame.time.ms(),
            "age_ms": now.ms_since(shot.frame.time),
            "hold": self.control.hold().name(),
            "marks": geometry::marks(&self.layout, &calibration),
            "cells": percents(&seen.grid),
            "screen": seen.state,
            "spawn": seen.spawn.piece(),
            "next": seen.next.piece(),
            "pile": shot.pile.to_lines(),
            "falling": shot.falling.map(|(_, pose)| pose.cells()),
            "plan": shot.plan.map(|(pose, certainty)| json!({
                "cells": pose.cells(), "piece": pose.orientation.piece(), "certainty": certainty, "ahead": shot.is_ahead,
                "points": shot.thoughts.points, "choices": shot.thoughts.choices_to_json(pose),
            })),
            "lamps": lamps.map(|RelayMask(mask)| mask),
            "presses": shot.planned.timeline(&done, now),
            "heights": shot.heights.counts(),
            "fit": fit_to_json(&shot.heights, self.layout.field.rows),
            "numbers": shot.numbers,
            "said": shot.said,
            "rests": shot.rests,
            "recording": self.recording.get().map(Download::to_json),
            "told": self.diary.count(),
            "missed_by_page": self.newest.skipped(),
        })
    }
}

/// The probabilities of "full" in percent, row by row.
pub fn percents(grid: &CellGrid) -> Vec<u8> {
    grid.probabilities().iter().map(|p| (p * 100.0).round() as u8).collect()
}

/// The line through the heights' tail, for a field of this many rows; null while there is none.
pub fn fit_to_json(heights: &Heights, rows: usize) -> Value {
    let Some(fit) = heights.fit() else { return Value::Null };
    json!({
        "from": fit.from, "to": fit.to, "slope": fit.slope, "intercept": fit.intercept,
        "r_squared": fit.r_squared, "pieces_to_end": fit.pieces_to(rows),
    })
}

impl Site for Watch {
    fn page(&self) -> PageKind {
        PageKind::Watch
    }

    fn hello(&self) -> Value {
        json!({
            "kind": "watch",
            "title": self.title,
            "live": self.is_live,
            "relays": self.relays.get().is_some(),
            "buttons": self.calibration.buttons,
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
        let json = self.state(&shot);
        Some((serial, Packet { json, picture: jpeg(&shot.frame.image), strip: Vec::new() }))
    }

    fn file(&self, word: &str) -> Option<Download> {
        self.recording.get().filter(|_| word == "recording").cloned()
    }

    fn is_free(&self, order: &str) -> bool {
        matches!(order, "stop" | "log")
    }

    fn order(&self, order: &Value) -> Answer {
        let began = self.clock.now();
        let (opened, said) = match order.get("do").and_then(Value::as_str).unwrap_or_default() {
            "log" => return Ok(self.diary.since(order.get("since").and_then(Value::as_u64).unwrap_or(0))),
            "stop" => (self.control.stop(), "STOP was pressed on the page."),
            "pause" => (self.control.pause(), "“Pause” was pressed on the page."),
            "go" => {
                self.control.go_on();
                (None, "“Go on” was pressed on the page.")
            }
            "step" => {
                self.control.step();
                (None, "“Step” was pressed on the page.")
            }
            other => return Err(format!("there is no order {other:?}; reload the page")),
        };
        self.ordered(said);
        if opened == Some(false) {
            return Err("the board did not confirm that its relays are open; release the buttons by hand".into());
        }
        let ms = took_ms(began, self.clock.now());
        Ok(json!({ "hold": self.control.hold().name(), "opened": opened, "ms": ms }))
    }
}

fn took_ms(began: HostTime, ended: HostTime) -> f64 {
    (ended.ms_since(began) * 100.0).round() / 100.0
}
