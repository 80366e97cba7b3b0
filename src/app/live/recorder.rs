//! `--record`: a run as a session.

use crate::app::args::files::Overwrite;
use crate::app::out;
use crate::edge::session::{PictureFormat, SessionOptions, SessionWriter};
use crate::file::{self, FileError};
use crate::message::RunSettings;
use crate::profile::calibration::Calibration;
use crate::time::Clock;
use crate::web::Download;
use std::path::PathBuf;
use std::sync::Arc;

/// Bytes that a pixel takes, measured on pictures of a webcam: JPEG at the quality of recordings.
const BYTES_PER_PIXEL: f64 = 0.375;
/// What most cameras give; their own rate shows later.
pub const USUAL_FPS: f64 = 30.0;
const BYTES_PER_GB: f64 = 1e9;

/// Options of a recording.
#[derive(clap::Args)]
pub struct RecordArgs {
    /// Record pictures and events to a new file, for `stackhand replay`.
    #[arg(help_heading = "Files", long, value_name = "FILE")]
    record: Option<PathBuf>,
    /// End the recording, not the run, when it has this many GB.
    #[arg(help_heading = "Files", long, value_name = "GB", requires = "record", value_parser = gigabytes)]
    record_limit: Option<f64>,
}

impl RecordArgs {
    /// Whether anything is to be recorded.
    pub fn is_wanted(&self) -> bool {
        self.record.is_some()
    }

    /// The file, once it is begun, for the page to hand out.
    pub fn download(&self) -> Option<Download> {
        // A recording that cannot be read is recorded all the same.
        Download::open(self.record.as_deref()?).ok()
    }

    /// Finds out at once whether the file can be made, before the work that leads up to it.
    ///
    /// # Errors
    /// When there is such a file already, or it cannot be created.
    pub fn check(&self, overwrite: Overwrite) -> Result<(), FileError> {
        self.record.as_deref().map_or(Ok(()), |path| file::check(path, overwrite.existing()))
    }

    /// Starts it, if it is wanted, and says how much it will take at `fps` pictures a second.
    ///
    /// # Errors
    /// When there is such a file already, or it cannot be created.
    pub fn start(
        &self,
        overwrite: Overwrite,
        calibration: &Calibration,
        settings: &RunSettings,
        fps: f64,
        clock: Arc<dyn Clock>,
    ) -> anyhow::Result<Option<SessionWriter>> {
        let Some(path) = &self.record else { return Ok(None) };
        let bytes_max = self.record_limit.map(|gb| (gb * BYTES_PER_GB) as u64);
        let options = SessionOptions { format: PictureFormat::Jpeg, existing: overwrite.existing(), bytes_max };
        let recorder = SessionWriter::create(path, clock, options)?;
        recorder.calibration(calibration.to_text()?);
        recorder.event(settings.to_line()?);
        let end = self.record_limit.map_or(String::new(), |gb| format!(" and ends at {gb} GB"));
        let rate = gigabytes_per_hour(calibration.picture, fps);
        out::note(format_args!("Recording to {}: it takes about {rate:.1} GB an hour{end}.", path.display()));
        Ok(Some(recorder))
    }
}

/// What became of a recording.
#[derive(Debug, Clone, Copy)]
pub struct Recorded {
    /// Pictures that it lacks.
    pub pictures_lost: u64,
    /// It ended before the run did, with an error that was told.
    pub has_failed: bool,
}

/// Ends a recording and tells if it is not complete.
pub fn finish(recorder: SessionWriter) -> Recorded {
    let losses = recorder.losses();
    let ended = recorder.finish();
    if let Err(error) = &ended {
        tracing::error!("the recording is not complete: {error}");
    }
    let (pictures, events) = (losses.pictures(), losses.events());
    if pictures + events > 0 {
        tracing::warn!(
            "the recording lacks {pictures} pictures and {events} events; record to a faster disk, with more room, or smaller pictures"
        );
    }
    Recorded { pictures_lost: pictures, has_failed: ended.is_err() }
}

fn gigabytes_per_hour([width, height]: [u32; 2], fps: f64) -> f64 {
    f64::from(width) * f64::from(height) * BYTES_PER_PIXEL * fps * 3600.0 / BYTES_PER_GB
}

fn gigabytes(text: &str) -> Result<f64, String> {
    let value = text.parse().ok().filter(|gb: &f64| (0.001..=1e6).contains(gb));
    value.ok_or_else(|| "give a number of GB from 0.001 up".into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_rate_is_that_of_a_webcam() {
        let rate = gigabytes_per_hour([640, 480], 30.0);
        assert!((12.0..13.0).contains(&rate), "{rate}");
        assert!(gigabytes("0").is_err() && gigabytes("nan").is_err() && gigabytes("2.5") == Ok(2.5));
    }
}
