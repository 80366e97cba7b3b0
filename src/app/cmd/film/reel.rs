//! A recording, read picture by picture: of a recorded run by its own robot, of anything else by somebody who looks.

use crate::app::args::find::Found;
use crate::app::cmd::replay::again::{Again, Step};
use crate::app::cmd::replay::recorded::Recorded;
use crate::app::cmd::replay::viewer::{Viewed, Viewer};
use crate::app::report::{Report, Voice};
use crate::edge::FrameSource;
use crate::message::{Frame, RunEvent, Summary};

/// Who gives the pictures.
enum Source {
    Run(Box<Again>),
    Pictures(Box<dyn FrameSource>),
}

/// The recording.
pub struct Reel {
    source: Source,
    viewer: Viewer,
    report: Report,
}

/// A picture, read.
pub struct Shot {
    /// The picture.
    pub frame: Frame,
    /// What was read in it.
    pub viewed: Viewed,
    /// What came of it.
    pub told: Vec<RunEvent>,
}

impl Reel {
    /// Opens it.
    ///
    /// # Errors
    /// When it cannot be read.
    pub fn open(recorded: &Recorded, found: &Found) -> anyhow::Result<Self> {
        let (source, viewer) = match recorded.again(found)? {
            Some((again, viewer)) => (Source::Run(Box::new(again)), viewer),
            None => (Source::Pictures(recorded.open()?), recorded.viewer(found)?),
        };
        let mut report = Report::new(Voice::Words);
        report.keep_lines();
        Ok(Self { source, viewer, report })
    }

    /// The next picture; `None` at the end.
    ///
    /// # Errors
    /// When the recording cannot be read any further.
    pub fn next(&mut self) -> anyhow::Result<Option<Shot>> {
        let Some(frame) = self.picture()? else { return Ok(None) };
        let viewed = self.viewer.look(&frame)?;
        self.report.look(&viewed.look, None, None)?;
        self.report.count(self.viewer.counters());
        let told = self.report.take_lines().iter().map(|line| RunEvent::from_line(line)).collect();
        Ok(Some(Shot { frame, viewed, told }))
    }

    fn picture(&mut self) -> anyhow::Result<Option<Frame>> {
        let again = match &mut self.source {
            Source::Pictures(source) => return Ok(source.next_frame()?),
            Source::Run(again) => again,
        };
        while let Some(step) = again.next()? {
            match step {
                Step::Picture(frame) => {
                    again.tell(&mut self.report)?;
                    return Ok(Some(frame));
                }
                Step::Input(input) => again.take(input, &mut self.viewer, &mut self.report)?,
                Step::Plan(line) => again.compare(&line, &mut self.report)?,
            }
        }
        Ok(None)
    }

    /// Who reads it.
    pub fn viewer(&self) -> &Viewer {
        &self.viewer
    }

    /// The sums so far.
    pub fn summary(&self) -> &Summary {
        self.report.summary()
    }

    /// How much of it was read, 0 to 1, if that is known.
    pub fn read_share(&self) -> Option<f64> {
        match &self.source {
            Source::Pictures(source) => source.read_share(),
            Source::Run(again) => again.read_share(),
        }
    }
}
