//! A recorded run, run again: its robot takes the same inputs, and what it decides is compared with what was recorded.

use super::viewer::Viewer;
use crate::app::args::ai;
use crate::app::args::find::Found;
use crate::app::report::Report;
use crate::edge::camera::SourceSpec;
use crate::edge::session::{Record, SessionReader};
use crate::message::summary::Repeated;
use crate::message::{Frame, RunEvent, RunSettings, TapedInput};
use crate::planner::Brain;
use crate::robot::Decision;
use crate::time::HostTime;
use serde_json::Value;
use std::collections::VecDeque;

/// The records of a run that can be run again, in their order.
pub struct Again {
    reader: SessionReader,
    /// When the first picture was taken by the run's own clock.
    start: HostTime,
    /// What was decided last: one that was ready too late was made again at once, and never told.
    pending: Option<(HostTime, Option<Decision>)>,
    /// Plans made now that the recording has not come to yet.
    ours: VecDeque<String>,
    repeated: Repeated,
}

/// What comes next.
pub enum Step {
    /// A picture, by the recording's clock.
    Picture(Frame),
    /// Anything else that the robot took in.
    Input(TapedInput),
    /// A plan, as it was told.
    Plan(String),
}

impl Again {
    /// A recorded session with its robot, which has this AI, or else the recorded one; `None` of other recordings, and of
    /// sessions that do not say all that the robot was told.
    ///
    /// # Errors
    /// When the session cannot be read, or there is no such AI.
    pub fn open(recording: &str, found: &Found, ai: Option<&str>) -> anyhow::Result<Option<(Self, Viewer)>> {
        let SourceSpec::Session(path) = SourceSpec::parse(recording)? else { return Ok(None) };
        let Some(known) = RunSettings::of_recording(recording)? else { return Ok(None) };
        let Some(settings) = known.again(&found.layout) else { return Ok(None) };
        let brain: Brain = ai.map_or_else(|| Ok(known.brain()), ai::load)?;
        brain.check([found.layout.field.columns, found.layout.field.rows], &settings.filters)?;
        let mut first = SessionReader::open(&path)?;
        let start = loop {
            match first.next_record()? {
                Some(Record::Frame(frame)) => break frame.time,
                Some(_) => {}
                None => return Ok(None),
            }
        };
        let viewer = Viewer::again(found, settings, brain, start)?;
        let reader = SessionReader::open(&path)?;
        Ok(Some((Self { reader, start, pending: None, ours: VecDeque::new(), repeated: Repeated::default() }, viewer)))
    }

    /// The next step; `None` at the recording's end.
    ///
    /// # Errors
    /// When the session cannot be read.
    pub fn next(&mut self) -> anyhow::Result<Option<Step>> {
        while let Some(record) = self.reader.next_record()? {
            match record {
                Record::Frame(frame) => {
                    let time = HostTime(frame.time - self.start);
                    return Ok(Some(Step::Picture(Frame { time, ..frame })));
                }
                Record::Event(line) => match RunEvent::from_line(&line) {
                    RunEvent::Input(input) => return Ok(Some(Step::Input(input))),
                    RunEvent::Plan { .. } => return Ok(Some(Step::Plan(line))),
                    _ => {}
                },
                Record::Calibration(_) => {}
            }
        }
        Ok(None)
    }

    /// The robot takes what it took in the run.
    ///
    /// # Errors
    /// When standard output is closed.
    pub fn take(&mut self, input: TapedInput, viewer: &mut Viewer, report: &mut Report) -> std::io::Result<()> {
        if let TapedInput::Unrecorded { .. } = input {
            self.repeated.pictures_missing += 1;
        }
        if !matches!(input, TapedInput::Time { .. }) {
            self.tell(report)?;
        }
        if let Some(decided) = viewer.take(input) {
            self.pending = Some(decided);
        }
        Ok(())
    }

    /// Tells what was decided last, when something else than another decision follows.
    ///
    /// # Errors
    /// When standard output is closed.
    pub fn tell(&mut self, report: &mut Report) -> std::io::Result<()> {
        let Some((time, decision)) = self.pending.take() else { return Ok(()) };
        report.decided(time, decision.as_ref(), None)?;
        self.ours.extend(report.take_lines().into_iter().filter(|line| is_plan(line)));
        Ok(())
    }

    /// Compares a plan of the run with what was decided now; the first difference is told.
    ///
    /// # Errors
    /// When standard output is closed.
    pub fn compare(&mut self, recorded: &str, report: &mut Report) -> std::io::Result<()> {
        self.tell(report)?;
        self.repeated.plans += 1;
        let now = self.ours.pop_front();
        if now.as_deref() == Some(recorded) {
            return Ok(());
        }
        let [was, is] = [Some(recorded), now.as_deref()]
            .map(|line| line.and_then(|line| serde_json::from_str::<Value>(line).ok()).unwrap_or_default());
        if says_the_same(&was, &is) {
            return Ok(());
        }
        self.repeated.differ += 1;
        if self.repeated.differ > 1 {
            return Ok(());
        }
        let missing = match self.repeated.pictures_missing {
            0 => String::new(),
            n => format!(" The recording lacks {n} pictures that the robot saw before."),
        };
        tracing::warn!(
            "this version decides differently from {} s on: {} was planned then, {} now.{missing}",
            was["t_ms"].as_f64().unwrap_or_default() / 1000.0,
            in_words(&was),
            in_words(&is),
        );
        report.differs(&was, &is)
    }

    /// What came of the comparison, at the recording's end.
    ///
    /// # Errors
    /// When standard output is closed.
    pub fn finish(mut self, report: &mut Report) -> std::io::Result<Repeated> {
        self.tell(report)?;
        Ok(Repeated { new: self.ours.len() as u64, ..self.repeated })
    }

    /// How much of the recording has been read, 0 to 1.
    pub fn read_share(&self) -> Option<f64> {
        self.reader.read_share()
    }

    /// Places where records were damaged.
    pub fn damaged(&self) -> u64 {
        self.reader.damaged()
    }
}

/// Whether a plan says all that another one says; what an older version did not tell is no difference.
fn says_the_same(recorded: &Value, now: &Value) -> bool {
    recorded.as_object().is_some_and(|known| known.iter().all(|(name, value)| now.get(name) == Some(value)))
}

fn is_plan(line: &str) -> bool {
    line.starts_with(r#"{"event":"plan""#)
}

fn in_words(plan: &Value) -> String {
    match plan["piece"].as_str() {
        Some(piece) => format!(
            "{piece} to column {}, row {}, orientation {} (at {} s, {} commands)",
            plan["x"],
            plan["y"],
            plan["orientation"],
            plan["t_ms"].as_f64().unwrap_or_default() / 1000.0,
            plan["commands"].as_array().map_or(0, Vec::len),
        ),
        None => "nothing".into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::app::args::find::{self, Place};
    use crate::app::cmd::dry_run;
    use crate::app::report::Voice;
    use clap::Parser;
    use std::fs;

    #[derive(Parser)]
    struct DryRun {
        #[command(flatten)]
        args: dry_run::Args,
    }

    /// Runs a recorded run's robot again with this AI, or the recorded one; what came of it, and the line that names the first difference.
    fn again(recording: &str, ai: Option<&str>) -> (Repeated, Vec<Value>) {
        let place = Place { profile: None, auto: false, corners: None };
        let found = find::in_recording(recording, None, &place).unwrap();
        let (mut again, mut viewer) = Again::open(recording, &found, ai).unwrap().unwrap();
        let mut report = Report::new(Voice::Words);
        report.keep_lines();
        let mut differs = Vec::new();
        while let Some(step) = again.next().unwrap() {
            match step {
                Step::Picture(frame) => {
                    again.tell(&mut report).unwrap();
                    report.look(&viewer.look(&frame).unwrap().look, None, None).unwrap();
                }
                Step::Input(input) => again.take(input, &mut viewer, &mut report).unwrap(),
                Step::Plan(line) => again.compare(&line, &mut report).unwrap(),
            }
            let lines = report.take_lines();
            let values = lines.iter().map(|line| serde_json::from_str::<Value>(line).unwrap());
            differs.extend(values.filter(|line| line["event"] == "differs"));
        }
        (again.finish(&mut report).unwrap(), differs)
    }

    #[test]
    fn another_taste_in_piles_is_seen_and_its_first_difference_named() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("run.shs");
        let recording = path.to_str().unwrap();
        let run = ["dry-run", "--pieces", "10", "--level", "5", "--record", recording];
        dry_run::play(&DryRun::parse_from(run).args).unwrap();
        let (same, none) = again(recording, None);
        assert!(same.plans >= 10 && same.differ == 0 && same.new == 0 && none.is_empty(), "{same:?} {none:?}");
        // A recording of a version that did not tell what else was thought of.
        let [old, other] = [r#"{"event":"plan","x":4}"#, r#"{"event":"plan","x":4,"points":7.0}"#]
            .map(|line| serde_json::from_str::<Value>(line).unwrap());
        assert!(says_the_same(&old, &other) && !says_the_same(&other, &old));
        // Heights were bad, and are good now.
        let high = folder.path().join("high.toml");
        fs::write(&high, "about = \"\"\nbetter = \"higher\"\n[weights]\nlock_height = 1").unwrap();
        let (differs, first) = again(recording, high.to_str());
        assert!(differs.plans == same.plans && differs.differ > 0, "{differs:?}");
        let [line] = first.as_slice() else { panic!("one difference is named, not {first:?}") };
        let place = |plan: &Value| ["x", "y", "orientation"].map(|name| plan[name].clone());
        assert!(line["recorded"]["piece"].is_string() && place(&line["recorded"]) != place(&line["now"]), "{line}");
    }
}
