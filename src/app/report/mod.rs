//! What a run says: one JSON object a line for programs, or words for people; and the sums at its end.

pub mod annotate;
pub mod chart;
pub mod film;
pub mod hand;
pub mod html;
pub mod numbers;
pub mod style;
pub mod video;
mod words;

pub use words::{many, seen_words};

use super::out;
use crate::belief::{Event, Locked, Spawned, Surprise};
use crate::edge::relay::RelayStats;
use crate::game::Counters;
use crate::message::summary::{Agreements, Repeated, Score, WholeGame};
use crate::message::{Considered, RunEvent, Summary};
use crate::planner::Choice;
use crate::profile::game_times::GameTimes;
use crate::robot::{Decision, Look};
use crate::time::HostTime;
use crate::vision::Located;
use crate::vision::follow::Change;
use numbers::{percentiles, round};
use serde_json::Value;
use std::cell::RefCell;
use std::io;

/// That the field has moved is said at most this often, ms.
const MOVED_TOLD_MS: f64 = 10_000.0;
/// Rows at once that score most.
const FOUR: usize = 4;

/// How a run speaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Voice {
    /// JSON lines on standard output.
    Json {
        /// One line a picture too.
        each_frame: bool,
    },
    /// Words on standard output.
    Words,
}

impl Summary {
    /// All plain numbers with the names that they have in JSON.
    pub fn numbers(&self) -> Vec<(String, String)> {
        let Ok(Value::Object(fields)) = serde_json::to_value(self) else { return Vec::new() };
        fields.into_iter().flat_map(|(name, value)| named_numbers(&name, &value)).collect()
    }
}

fn named_numbers(name: &str, value: &Value) -> Vec<(String, String)> {
    match value {
        Value::Number(number) => vec![(name.into(), number.to_string())],
        Value::Object(fields) => {
            fields.iter().flat_map(|(inner, value)| named_numbers(&format!("{name}.{inner}"), value)).collect()
        }
        _ => Vec::new(),
    }
}

/// Collects what happens and says it.
pub struct Report {
    voice: Voice,
    start: Option<HostTime>,
    /// The layout's name, once the field was found.
    layout: String,
    summary: Summary,
    before: Counters,
    /// The falling piece is among the unplanned.
    is_unplanned: bool,
    /// When it was last said that the field had moved.
    moved_told: Option<HostTime>,
    frame_us: Vec<f64>,
    plan_us: Vec<f64>,
    kept: Option<RefCell<Vec<String>>>,
    /// What was measured of the game's times.
    learned: GameTimes,
}

impl Report {
    /// An empty report.
    pub fn new(voice: Voice) -> Self {
        Self {
            voice,
            start: None,
            layout: String::new(),
            summary: Summary::default(),
            before: Counters::new(0),
            is_unplanned: false,
            moved_told: None,
            frame_us: Vec::new(),
            plan_us: Vec::new(),
            kept: None,
            learned: GameTimes::default(),
        }
    }

    /// What was measured of the game's times.
    pub fn learned(&self) -> GameTimes {
        self.learned
    }

    /// A plan that came out otherwise than when it was recorded.
    ///
    /// # Errors
    /// When standard output is closed.
    pub fn differs(&self, recorded: &serde_json::Value, now: &serde_json::Value) -> io::Result<()> {
        self.json(&RunEvent::Differs { recorded: recorded.clone(), now: now.clone() })
    }

    /// What the one game of the run came to, as the machine counts.
    pub fn whole_game(&mut self, game: Option<WholeGame>) {
        self.summary.whole_game = game;
    }

    /// A recorded run was run again.
    pub fn repeated(&mut self, repeated: Repeated) {
        self.summary.repeated = Some(repeated);
    }

    /// Whether the game can put a piece aside: then it is counted how often one was.
    pub fn can_hold(&mut self, can: bool) {
        if can {
            self.summary.holds.get_or_insert(0);
        }
    }

    /// How often rows were cleared by a spin, where the AI plays for that.
    pub fn spun(&mut self, spins: Option<u64>) {
        self.summary.spins = spins;
    }

    /// The sums so far.
    pub fn summary(&self) -> &Summary {
        &self.summary
    }

    /// Where the field was found.
    ///
    /// # Errors
    /// When standard output is closed.
    pub fn calibrated(&mut self, corners: [[f64; 2]; 4], layout: &str, error_px: f64) -> io::Result<()> {
        self.layout = layout.into();
        self.found(corners, error_px, None)
    }

    fn found(&self, corners: [[f64; 2]; 4], error_px: f64, t_ms: Option<f64>) -> io::Result<()> {
        let corners = corners.map(|corner| corner.map(|v| round(v, 2)));
        self.json(&RunEvent::Calibrated { corners, layout: self.layout.clone(), error_px: round(error_px, 3), t_ms })
    }

    /// What became of the field's place.
    fn changed(&mut self, change: Change, time: HostTime) -> io::Result<()> {
        let t_ms = self.t_ms(time);
        match change {
            Change::Moved(Located { corners, error_px, .. }) => {
                self.summary.field_moved += 1;
                tracing::info!(%time, ?corners, error_px, "the field has moved in the picture and was found again");
                // A camera that trembles moves it again and again.
                if self.moved_told.is_none_or(|told| time.ms_since(told) > MOVED_TOLD_MS) {
                    self.moved_told = Some(time);
                    tracing::warn!(
                        "the field has moved in the picture and was found again; playing on. Fix camera and screen, unless it \
                         is the game that shakes its field"
                    );
                }
                self.found(corners, error_px, Some(t_ms))
            }
            Change::Lost => {
                self.summary.field_lost += 1;
                tracing::warn!("the field is not in the picture any more; is the camera where it was?");
                self.json(&RunEvent::FieldLost { t_ms })
            }
            Change::Back => {
                tracing::warn!("the field is back where it was");
                self.json(&RunEvent::FieldBack { t_ms })
            }
        }
    }

    /// One picture and what came of it; `took_us` if it was measured.
    ///
    /// # Errors
    /// When standard output is closed.
    pub fn look(&mut self, look: &Look, file: Option<&str>, took_us: Option<f64>) -> io::Result<()> {
        let time = look.observation.time;
        let start = *self.start.get_or_insert(time);
        self.summary.frames += 1;
        self.summary.frames_obscured += u64::from(!look.observation.state.shows_field());
        self.summary.duration_ms = round(time.ms_since(start), 1);
        self.frame_us.extend(took_us);
        self.summary.console_hz = look.clock.map(|clock| round(clock.hz(), 4));
        self.summary.phase_error_ms = look.clock.map(|clock| round(clock.uncertainty_ms(time), 2));
        if let Some(change) = look.change {
            self.changed(change, time)?;
        }
        if self.voice == (Voice::Json { each_frame: true }) {
            self.frame(look, file)?;
        }
        look.told.iter().try_for_each(|told| self.told(told))?;
        look.events.iter().try_for_each(|event| self.event(event))
    }

    /// What became certain.
    ///
    /// # Errors
    /// When standard output is closed.
    pub fn event(&mut self, event: &Event) -> io::Result<()> {
        match event {
            Event::Spawned(spawned) => {
                self.is_unplanned = false;
                self.spawned(spawned)
            }
            Event::Locked(locked) => self.locked(locked),
            Event::GameOver { time, .. } => {
                self.summary.games_over += 1;
                self.json(&RunEvent::GameOver { t_ms: self.t_ms(*time) })
            }
            Event::Surprise(surprise, time) => self.surprise(surprise, *time),
        }
    }

    /// A decision made at `time`, or that there was none.
    ///
    /// # Errors
    /// When standard output is closed.
    pub fn decided(&mut self, time: HostTime, decision: Option<&Decision>, took_us: Option<f64>) -> io::Result<()> {
        self.plan_us.extend(took_us);
        let Some(decision) = decision else {
            // It is looked for again and again.
            self.summary.unplanned += u64::from(!std::mem::replace(&mut self.is_unplanned, true));
            return Ok(());
        };
        let Some(plan) = &decision.plan else { return Ok(()) };
        let pose = plan.lock.pose;
        let changes = plan.schedule.changes();
        self.json(&RunEvent::Plan {
            t_ms: self.t_ms(time),
            piece: pose.orientation.piece(),
            x: pose.x,
            y: pose.y,
            orientation: pose.orientation.id(),
            skipped: plan.skipped,
            certainty: round(plan.certainty, 3),
            ahead: decision.is_ahead,
            outlook: plan.outlook.words().map(str::to_string),
            points: plan.points.map(f64::round),
            choices: plan.choices.iter().map(considered).collect(),
            presses: changes.iter().map(|c| (self.t_ms(c.at), c.buttons.0)).collect(),
            commands: decision.commands.iter().map(|c| (self.t_ms(c.due), c.mask.0)).collect(),
        })
    }

    /// Keeps every line for a recording, too.
    pub fn keep_lines(&mut self) {
        self.kept.get_or_insert_default();
    }

    /// The lines kept since the last call.
    pub fn take_lines(&mut self) -> Vec<String> {
        self.kept.as_mut().map(|kept| std::mem::take(kept.get_mut())).unwrap_or_default()
    }

    /// The comparison of a recording with the truth, and with itself.
    pub fn compared(&mut self, score: Option<Score>, agreements: Agreements) {
        self.summary.truth = score;
        self.summary.consistency = Some(agreements);
    }

    /// The game's counters after the last picture; sums go on over games.
    pub fn count(&mut self, now: Counters) {
        if now.lines >= self.before.lines && now.score >= self.before.score {
            self.summary.lines += u64::from(now.lines - self.before.lines);
            self.summary.score += u64::from(now.score - self.before.score);
        }
        self.before = now;
    }

    /// Ends the report with what the executor and the source counted.
    ///
    /// # Errors
    /// When standard output is closed.
    pub fn finish(mut self, relays: Option<&RelayStats>, frames_dropped: u64) -> io::Result<Summary> {
        let (frames, plans) = (std::mem::take(&mut self.frame_us), std::mem::take(&mut self.plan_us));
        let summary = &mut self.summary;
        (summary.frame_us_p50, summary.frame_us_p99) = percentiles(frames, 1);
        (summary.plan_us_p50, summary.plan_us_p99) = percentiles(plans, 1);
        summary.frames_dropped = frames_dropped;
        if let Some(stats) = relays {
            let error_ms = |us: i32| round(f64::from(us) / 1000.0, 3);
            let spread = stats.press_error();
            summary.press_error_ms_p50 = spread.map(|s| error_ms(s.p50_us));
            summary.press_error_ms_p99 = spread.map(|s| error_ms(s.p99_us));
            summary.commands_dropped = stats.dropped_stale;
        }
        self.json(&RunEvent::Summary(Box::new(self.summary.clone())))?;
        Ok(self.summary)
    }

    fn spawned(&mut self, spawned: &Spawned) -> io::Result<()> {
        self.summary.spawns += 1;
        if spawned.by_hold {
            *self.summary.holds.get_or_insert(0) += 1;
        }
        self.json(&RunEvent::Spawn {
            t_ms: self.t_ms(spawned.time),
            frame: Some(spawned.frame.0),
            piece: spawned.piece,
            next: spawned.next,
            queue: spawned
                .queue
                .iter()
                .rposition(Option::is_some)
                .map_or(Vec::new(), |last| spawned.queue[..=last].to_vec()),
            hold: spawned.held,
            by_hold: spawned.by_hold,
            board: spawned.board.to_lines(),
            confidence: Some(round(f64::from(spawned.confidence), 3)),
        })
    }

    fn locked(&mut self, locked: &Locked) -> io::Result<()> {
        self.summary.pieces += 1;
        self.summary.fours += if locked.lines == FOUR { locked.lines as u64 } else { 0 };
        if locked.intended == Some(false) {
            self.summary.misplaced += 1;
            let columns = locked.pose.cells().map(|(x, _)| x + 1);
            let [first, last] = [columns.iter().min(), columns.iter().max()].map(|x| x.copied().unwrap_or_default());
            tracing::warn!("{} locked in columns {first} to {last}, elsewhere than planned", locked.piece);
        }
        self.json(&RunEvent::Lock {
            t_ms: self.t_ms(locked.time),
            piece: locked.piece,
            x: locked.pose.x,
            y: locked.pose.y,
            orientation: locked.pose.orientation.id(),
            lines: locked.lines,
            intended: locked.intended,
        })
    }

    fn surprise(&mut self, surprise: &Surprise, time: HostTime) -> io::Result<()> {
        self.summary.surprises += 1;
        let (what, means) = match surprise {
            Surprise::OtherPiece { .. } => ("other_piece", "the next box or the spawn place was misread"),
            Surprise::OtherLater { .. } => (
                "other_later",
                "the next box, or the one behind it before, was misread; if that is often so, correct center, size and cell of \
                 the layout's [next] and [[queue]]",
            ),
            Surprise::OtherNext { .. } => ("other_next", "the next box was misread when the piece appeared"),
            Surprise::OtherHeld { .. } => ("other_held", "a hold was missed, or the hold box was misread"),
            Surprise::Pile { .. } => ("pile", "a cell was misread, now or before"),
            Surprise::Unexplained { intended, unseen_ms, .. } => {
                self.summary.pieces += 1;
                self.summary.misplaced += u64::from(intended.is_some());
                let means = match unseen_ms {
                    Some(_) => {
                        "no picture came for long, and pieces came and locked meanwhile; the belief follows the picture"
                    }
                    None => "pictures were missed or a cell was misread; the belief follows the picture",
                };
                ("unexplained", means)
            }
            Surprise::Impossible { .. } => (
                "impossible",
                "cells show what no piece can have brought, and are not believed; keep light, hands and windows off the game's field",
            ),
            Surprise::Lost { .. } => {
                ("lost", "no one thing explains the pictures; look at how the field is read (replay --annotate)")
            }
        };
        tracing::info!(%time, what, means, ?surprise, "surprise");
        self.json(&RunEvent::Surprise { t_ms: self.t_ms(time), what: what.into(), means: means.into() })
    }

    fn frame(&self, look: &Look, file: Option<&str>) -> io::Result<()> {
        let observation = &look.observation;
        let rounded = |row: &&[f32]| row.iter().map(|p| round(f64::from(*p), 3)).collect();
        self.json(&RunEvent::Frame {
            t_ms: self.t_ms(observation.time),
            frame: Some(observation.frame.0),
            file: file.map(str::to_string),
            console_frame: look.console_frame.map(|frame| frame.0),
            state: Some(observation.state),
            piece: observation.spawn.piece(),
            next: observation.next.piece(),
            queue: observation.queue.iter().map(|seen| seen.piece()).collect(),
            hold: observation.hold.piece(),
            board: Some(observation.grid.to_lines()),
            cells: observation.grid.to_rows().iter().map(rounded).collect(),
        })
    }

    /// For a recording.
    fn keep(&self, line: &str) {
        if let Some(kept) = &self.kept {
            kept.borrow_mut().push(line.into());
        }
    }

    fn t_ms(&self, time: HostTime) -> f64 {
        round(time.ms_since(self.start.unwrap_or(time)), 1)
    }

    fn json(&self, event: &RunEvent) -> io::Result<()> {
        if self.voice == Voice::Words && self.kept.is_none() {
            return Ok(());
        }
        let text = serde_json::to_string(event)?;
        self.keep(&text);
        if let Voice::Json { .. } = self.voice {
            out::line(text)?;
        }
        Ok(())
    }
}
/// A placement that a decision was about, as it is told.
fn considered(choice: &Choice) -> Considered {
    let Choice { candidate, points, fate } = *choice;
    let pose = candidate.pose;
    Considered {
        x: pose.x,
        y: pose.y,
        orientation: pose.orientation.id(),
        cost: round(candidate.cost, 3),
        points: points.map(f64::round),
        fate,
    }
}
