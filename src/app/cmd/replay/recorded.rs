//! Which recording, and how it is read: what every command over a recording is told.

use super::again::Again;
use super::viewer::Viewer;
use crate::app::args::Misuse;
use crate::app::args::files;
use crate::app::args::find::{self, Found, Place};
use crate::edge::FrameSource;
use crate::edge::camera::SourceSpec;
use crate::message::RunSettings;
use crate::time::SystemClock;
use std::sync::Arc;

/// Options of what reads a recording.
#[derive(clap::Args)]
pub struct Recorded {
    /// A video file, a folder of pictures, a picture, or a recorded session.
    pub recording: String,
    /// The game: nes, vitetris, gameboy, ltris, tint, bastet, standard, guideline, tetris-terminal, tetris-tui, or a layout's .toml file [default: the profile's, or whichever is found].
    #[arg(help_heading = "Game", long)]
    pub layout: Option<String>,
    #[command(flatten)]
    pub place: Place,
    /// Level at which the recorded game started [default: the session's, or 0].
    #[arg(help_heading = "Game", long, value_parser = clap::value_parser!(u8).range(0..=29))]
    level: Option<u8>,
    /// Who decides now: a name (`stackhand tournament --ai list`), or a file of weights (.toml) or of a learned value (.value)
    /// [default: who played].
    #[arg(help_heading = "Robot", long, value_name = "NAME|FILE")]
    ai: Option<String>,
}

impl Recorded {
    /// Only recordings can be read again.
    ///
    /// # Errors
    /// When it is something else, or not there.
    pub fn check(&self) -> anyhow::Result<()> {
        let recording = &self.recording;
        let spec = SourceSpec::parse(recording)?;
        anyhow::ensure!(
            !spec.is_live() && spec != SourceSpec::Simulated,
            "{recording:?} is no recording; give a video file, a folder of pictures or a recorded session, or use `stackhand play`"
        );
        Ok(())
    }

    /// Where the field is.
    ///
    /// # Errors
    /// When the options contradict the recording, or the field is not found.
    pub fn find(&self) -> anyhow::Result<Found> {
        find::in_recording(&self.recording, self.layout.as_deref(), &self.place)
    }

    /// Its pictures.
    ///
    /// # Errors
    /// When it does not open.
    pub fn open(&self) -> anyhow::Result<Box<dyn FrameSource>> {
        Ok(crate::edge::open(&self.recording, Arc::new(SystemClock::new()))?)
    }

    /// Somebody who only looks.
    ///
    /// # Errors
    /// When nothing can be read at this place.
    pub fn viewer(&self, found: &Found) -> anyhow::Result<Viewer> {
        let search_again = found.by_search && files::is_pictures(&self.recording);
        let recorded = || RunSettings::of_recording(&self.recording);
        let level = self.level.map_or_else(|| Ok(recorded()?.map_or(0, |known| known.level)), anyhow::Ok)?;
        Ok(Viewer::new(found, level, search_again)?)
    }

    /// The recorded run itself, unless another place, game or level was given to read the pictures by.
    ///
    /// # Errors
    /// When the session cannot be read.
    pub fn again(&self, found: &Found) -> anyhow::Result<Option<(Again, Viewer)>> {
        let is_as_recorded = self.place.is_none() && self.layout.is_none() && self.level.is_none();
        let again = if is_as_recorded { Again::open(&self.recording, found, self.ai.as_deref())? } else { None };
        if again.is_none() && self.ai.is_some() {
            let words = "--ai decides a recorded session once more, as it was; this is none that says all that its robot was \
                         told, or it is read by another place, game or level: leave out --ai, or what it is read by";
            return Err(Misuse(words.into()).into());
        }
        Ok(again)
    }
}
