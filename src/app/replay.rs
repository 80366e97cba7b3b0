//! `replay`: what happened in a recording.

use super::annotate::Annotator;
use super::files;
use super::find::{self, Place};
use super::report::{Report, Voice};
use super::screen::picture_counter;
use super::truth::Truth;
use crate::calibration::Calibration;
use crate::camera::{self, SourceSpec};
use crate::layout::Layout;
use crate::message::Frame;
use crate::robot::{Look, Watcher};
use crate::time::{Clock, SystemClock};
use crate::vision::{Change, locate};
use anyhow::Context;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;

/// Options of `replay`.
#[derive(clap::Args)]
pub struct Args {
    /// A video file, a folder of pictures, a picture, or a recorded session.
    recording: String,
    /// The game: nes, vitetris, gameboy, ltris, or a layout's .toml file [default: the profile's, or whichever is found].
    #[arg(long)]
    layout: Option<String>,
    #[command(flatten)]
    place: Place,
    /// Level at which the recorded game started.
    #[arg(long, default_value_t = 0, value_parser = clap::value_parser!(u8).range(0..=29))]
    level: u8,
    /// Write JSON lines to standard output.
    #[arg(long)]
    json: bool,
    /// With --json, one line a picture too.
    #[arg(long, requires = "json")]
    each_frame: bool,
    /// Write the pictures with what was read in them to a video file (by ffmpeg) or a new folder of PNGs.
    #[arg(long, value_name = "FILE")]
    annotate: Option<PathBuf>,
    /// Compare with the true spawns in a file of JSON lines (t_ms, piece, next, board).
    #[arg(long, value_name = "FILE")]
    truth: Option<PathBuf>,
}

/// Runs it.
pub fn run(args: &Args) -> anyhow::Result<ExitCode> {
    let voice = if args.json { Voice::Json { each_frame: args.each_frame } } else { Voice::Words };
    check_recording(&args.recording)?;
    let mut truth = args.truth.as_deref().map(Truth::load).transpose()?;
    let found = find::in_recording(&args.recording, args.layout.as_deref(), &args.place)?;
    let mut replay = Replay::start(args, found, Report::new(voice))?;
    let mut source = camera::open(&args.recording, Arc::new(SystemClock::new()))?;
    let counter = picture_counter();
    while let Some(frame) = source.next_frame()? {
        counter.inc(1);
        let look = replay.frame(&frame)?;
        if let Some(truth) = &mut truth {
            truth.take(&look.events);
        }
    }
    counter.finish_and_clear();
    let Replay { mut report, mut watcher, annotator, .. } = replay;
    let last = watcher.belief.finish();
    if let Some(truth) = &mut truth {
        truth.take(&last);
    }
    last.iter().try_for_each(|event| report.event(event))?;
    report.count(watcher.belief.counters());
    if let Some(annotator) = annotator {
        annotator.finish()?;
    }
    if let Some(truth) = truth {
        report.compared(truth.score());
    }
    let summary = report.finish(None, source.dropped())?;
    if !args.json {
        summary.print_replay();
    }
    Ok(ExitCode::SUCCESS)
}

/// Only recordings can be replayed.
fn check_recording(recording: &str) -> anyhow::Result<()> {
    let spec = SourceSpec::parse(recording)?;
    anyhow::ensure!(
        !spec.is_live() && spec != SourceSpec::Simulated,
        "{recording:?} is no recording; give a video file, a folder of pictures or a recorded session, or use `stackhand play`"
    );
    Ok(())
}

struct Replay {
    layout: Layout,
    calibration: Calibration,
    level: u8,
    /// The field is looked for again when it is not where it was.
    search_again: bool,
    watcher: Watcher,
    report: Report,
    annotator: Option<Annotator>,
    clock: SystemClock,
}

impl Replay {
    fn start(args: &Args, found: find::Found, mut report: Report) -> anyhow::Result<Self> {
        let find::Found { layout, calibration, by_search } = found;
        if by_search {
            report.calibrated(calibration.corners, &layout.name, calibration.error_px)?;
        }
        Ok(Self {
            watcher: Watcher::new(&layout, &calibration, args.level)?,
            annotator: args.annotate.as_deref().map(Annotator::create).transpose()?,
            search_again: by_search && files::is_pictures(&args.recording),
            level: args.level,
            clock: SystemClock::new(),
            layout,
            calibration,
            report,
        })
    }

    fn frame(&mut self, frame: &Frame) -> anyhow::Result<Look> {
        let began = self.clock.now();
        let mut look = self.watcher.look(frame);
        let took_us = (self.clock.now() - began) as f64;
        if self.search_again && !look.observation.state.shows_field() && self.search(frame)? {
            look = self.watcher.look(frame);
        }
        if let Some(Change::Moved(found)) = &look.change {
            let picture = [frame.image.width(), frame.image.height()];
            self.calibration = Calibration::found(&self.layout.name, picture, found);
        }
        self.report.look(&look, frame.name.as_deref(), Some(took_us))?;
        self.report.count(self.watcher.belief.counters());
        if let Some(annotator) = &mut self.annotator {
            annotator
                .draw(frame, &look.observation, &self.calibration)
                .context("cannot write the annotated pictures")?;
        }
        Ok(look)
    }

    /// Pictures of a folder need not be from one camera position.
    fn search(&mut self, frame: &Frame) -> anyhow::Result<bool> {
        let Ok(found) = locate(&frame.image, &self.layout) else { return Ok(false) };
        let (width, height) = frame.image.dimensions();
        self.calibration = Calibration::found(&self.layout.name, [width, height], &found);
        self.watcher = Watcher::new(&self.layout, &self.calibration, self.level)?;
        self.report.calibrated(found.corners, &self.layout.name, found.error_px)?;
        Ok(true)
    }
}
