//! What a run was told besides its calibration. It stands in a recording before the first picture, so that whoever looks at
//! the recording later need not be told again.

use crate::app::args::ai;
use crate::app::args::filters::{FilterSpec, load_all};
use crate::app::args::finger::FingerSpec;
use crate::edge::camera::SourceSpec;
use crate::edge::session::{Record, SessionReader};
use crate::message::{RunEvent, RunSettings};
use crate::planner::{Brain, Filters};
use crate::profile::layout::Layout;
use crate::profile::wire::Wire;
use crate::robot::{OnBlame, Settings};
use serde::{Deserialize, Serialize};

/// What the robot was told besides level, finger and filters.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
struct RobotSettings {
    wire: Wire,
    lead_ms: f64,
    restart: bool,
    blame: OnBlame,
    /// Recordings of earlier versions say nothing of it, which never looked.
    #[serde(default = "always")]
    drops_unseen: bool,
}

fn always() -> bool {
    true
}

impl RunSettings {
    /// Those of this run.
    pub fn new(level: u8, finger: FingerSpec, filters: &[FilterSpec], ai: &str) -> Self {
        Self {
            level,
            finger: finger.to_string(),
            filters: filters.iter().map(FilterSpec::to_string).collect(),
            ai: ai.into(),
            version: env!("CARGO_PKG_VERSION").into(),
            robot: None,
        }
    }

    /// The same with all that the robot was told, so that it can be run again.
    #[must_use]
    pub fn of_robot(self, settings: &Settings) -> Self {
        let Settings { wire, lead_ms, restart, blame, drops_unseen, .. } = *settings;
        let robot = RobotSettings { wire, lead_ms, restart, blame, drops_unseen };
        Self { robot: serde_json::to_value(robot).ok(), ..self }
    }

    /// What a robot is to be told that does the same again; `None` if the recording does not say it.
    pub fn again(&self, layout: &Layout) -> Option<Settings> {
        let RobotSettings { wire, lead_ms, restart, blame, drops_unseen } =
            serde_json::from_value(self.robot.clone()?).ok()?;
        let (finger, start_level) = (self.finger().finger(&layout.game_rules()), self.level);
        let filters = self.filters();
        Some(Settings { finger, start_level, wire, lead_ms, restart, drops_unseen, filters, blame })
    }

    /// The settings of a recorded session; `None` of other recordings and of sessions that hold none.
    ///
    /// # Errors
    /// When the session cannot be read.
    pub fn of_recording(recording: &str) -> anyhow::Result<Option<Self>> {
        let SourceSpec::Session(path) = SourceSpec::parse(recording)? else { return Ok(None) };
        let mut reader = SessionReader::open(&path)?;
        while let Some(record) = reader.next_record()? {
            match record {
                Record::Frame(_) => break,
                Record::Event(line) => {
                    if let RunEvent::Settings(known) = RunEvent::from_line(&line) {
                        return Ok(Some(*known));
                    }
                }
                Record::Calibration(_) => {}
            }
        }
        Ok(None)
    }

    /// As a line for a recording.
    ///
    /// # Errors
    /// Never.
    pub fn to_line(&self) -> Result<String, serde_json::Error> {
        serde_json::to_string(&RunEvent::Settings(Box::new(self.clone())))
    }

    /// The finger; the usual one if this version does not know it.
    pub fn finger(&self) -> FingerSpec {
        self.finger.parse().unwrap_or_else(|_| {
            tracing::warn!("the recording's finger {:?} is not known here; taking relays", self.finger);
            FingerSpec::Relay
        })
    }

    /// Who decided; the usual one if this version does not know it, or its file is gone.
    pub fn brain(&self) -> Brain {
        ai::load(&self.ai).unwrap_or_else(|error| {
            let error = anyhow::Error::from(error);
            tracing::warn!(
                "who played the recorded run is not known here, so decisions will differ; give --ai: {error:#}"
            );
            Brain::default()
        })
    }

    /// The filters; those that this version does not know, or whose picture is gone, are told and left out.
    pub fn filters(&self) -> Filters {
        let known = |name: &&String| {
            let loaded = name.parse::<FilterSpec>().map_err(anyhow::Error::msg);
            let loaded = loaded.and_then(|spec| load_all(&[spec]).map_err(Into::into));
            loaded.inspect_err(|e| tracing::warn!("the recording's filter {name:?} is left out: {e:#}")).is_ok()
        };
        let specs: Vec<FilterSpec> = self.filters.iter().filter(known).filter_map(|name| name.parse().ok()).collect();
        load_all(&specs).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_given_is_read_back_and_what_is_missing_is_usual() {
        let given = RunSettings::new(
            7,
            FingerSpec::Hz(12.5),
            &[FilterSpec::Well, FilterSpec::Pattern("no.png".into())],
            "bcts",
        );
        let read = |line: &str| match RunEvent::from_line(line) {
            RunEvent::Settings(read) => *read,
            other => panic!("{other:?}"),
        };
        let old = read(r#"{"event":"settings","level":3,"mood":"good"}"#);
        let read = read(&given.to_line().unwrap());
        assert_eq!((&read, read.finger()), (&given, FingerSpec::Hz(12.5)));
        assert_eq!(read.filters(), Filters { well: true, ..Filters::default() });
        assert_eq!((old.level, old.finger()), (3, FingerSpec::Relay));
    }
}
