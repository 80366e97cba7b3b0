//! `replay`: what happened in a recording.

pub mod again;
mod album;
pub mod export;
pub mod recorded;
pub mod track;
pub mod view;
pub mod viewer;
use crate::app::args::files::Overwrite;
use crate::app::args::find::Found;
use crate::app::cmd::replay::again::{Again, Step};
use crate::app::cmd::replay::album::Album;
use crate::app::cmd::replay::recorded::Recorded;
use crate::app::cmd::replay::view::ReplayView;
use crate::app::cmd::replay::viewer::Viewer;
use crate::app::live::care::Pace;
use crate::app::live::page::PageArgs;
use crate::app::live::stalls::Stalls;
use crate::app::progress::Progress;
use crate::app::report::annotate::Annotator;
use crate::app::report::html::{Cards, Page};
use crate::app::report::{Report, Voice};
use crate::app::score::consistency::Consistency;
use crate::app::score::{Comparison, Mistakes, Truth};
use crate::edge::FrameSource;
use crate::file::{self, LINES_BYTES_MAX};
use crate::message::{Frame, Summary};
use crate::time::{Clock, HostTime, SystemClock};
use anyhow::Context;
use std::path::PathBuf;
use std::process::ExitCode;

/// Options of `replay`.
#[derive(clap::Args)]
pub struct Args {
    #[command(flatten)]
    recorded: Recorded,
    /// Write JSON lines to standard output.
    #[arg(help_heading = "Output", long)]
    json: bool,
    /// With --json, one line a picture too.
    #[arg(help_heading = "Output", long, requires = "json")]
    each_frame: bool,
    /// Write the pictures with what was read in them to a video file (by ffmpeg) or a new folder of PNGs.
    #[arg(help_heading = "Files", long, value_name = "FILE")]
    annotate: Option<PathBuf>,
    /// Compare with the truth in a file of JSON lines as `--json --each-frame` writes them: spawn (t_ms, piece, next,
    /// board), frame (t_ms, state, board: everything lit), calibrated (corners). What is missing is not scored.
    #[arg(help_heading = "Files", long, value_name = "FILE")]
    truth: Option<PathBuf>,
    /// Write a page (HTML) with the result and a picture of every mistake; without --truth, of everything that
    /// contradicts itself.
    #[arg(help_heading = "Files", long, value_name = "FILE")]
    report: Option<PathBuf>,
    #[command(flatten)]
    overwrite: Overwrite,
    #[command(flatten)]
    page: PageArgs,
}

/// Runs it.
pub fn run(args: &Args) -> anyhow::Result<ExitCode> {
    let voice = if args.json { Voice::Json { each_frame: args.each_frame } } else { Voice::Words };
    args.recorded.check()?;
    let existing = args.overwrite.existing();
    args.report.as_deref().map_or(Ok(()), |path| file::check(path, existing))?;
    args.annotate.as_deref().filter(|path| !path.is_dir()).map_or(Ok(()), |path| file::check(path, existing))?;
    args.truth.as_deref().map(|path| file::read_text(path, LINES_BYTES_MAX)).transpose()?;
    args.page.check()?;
    let found = args.recorded.find()?;
    let mut replay = Replay::start(args, &found, Report::new(voice))?;
    let (read, dropped) = match replay.again.take() {
        Some(mut again) => {
            let read = replay.run_again(&mut again);
            let dropped = again.damaged();
            let repeated = again.finish(&mut replay.report)?;
            replay.report.repeated(repeated);
            (read, dropped)
        }
        None => {
            let mut source = args.recorded.open()?;
            (replay.read(source.as_mut()), source.dropped())
        }
    };
    let ended = read.and_then(|()| replay.end());
    let Replay { mut report, comparison, consistency, view, album, .. } = replay;
    let compared = comparison.map(Comparison::finish);
    let (agreements, contradictions) = consistency.finish();
    report.compared(compared.as_ref().map(|c| c.score.clone()), agreements);
    if let Some(path) = &args.report {
        let mistakes = compared.map_or(contradictions, |c| c.mistakes);
        page(args, &found, report.summary(), mistakes, ended.as_ref().err()).write(path, existing)?;
    }
    ended?;
    let summary = report.finish(None, dropped)?;
    if !args.json {
        album.print()?;
        // Of one picture nothing else can be said.
        if summary.frames != 1 || summary.frames_obscured > 0 || summary.truth.is_some() {
            summary.print_replay()?;
        }
    }
    if let Some(view) = view {
        view.stay();
    }
    // Nothing is known of a recording in which no field was to be seen.
    Ok(if summary.frames_obscured < summary.frames { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

struct Replay {
    again: Option<Again>,
    viewer: Viewer,
    report: Report,
    annotator: Option<Annotator>,
    comparison: Option<Comparison>,
    consistency: Consistency,
    clock: SystemClock,
    view: Option<ReplayView>,
    album: Album,
    pace: Pace,
    stalls: Stalls,
}

impl Replay {
    fn start(args: &Args, found: &Found, mut report: Report) -> anyhow::Result<Self> {
        let Found { layout, calibration, by_search } = found;
        if let Some(assumption) = layout.assumption() {
            tracing::warn!("{assumption}");
        }
        let truth = args.truth.as_deref().map(|path| Truth::load(path, layout)).transpose()?;
        let mut comparison = truth.map(Comparison::new);
        if *by_search {
            report.calibrated(calibration.corners, &layout.name, calibration.error_px)?;
            if let Some(comparison) = &mut comparison {
                comparison.calibrated(0.0, calibration.corners, calibration.error_px, layout);
            }
        }
        let (wants_page, existing) = (args.page.wanted(), args.overwrite.existing());
        let open = || ReplayView::open(&args.page, &args.recorded.recording, layout, args.recorded.layout.as_deref());
        let view = wants_page.then(open).transpose()?;
        let (again, viewer) = match args.recorded.again(found)? {
            Some((again, viewer)) => (Some(again), viewer),
            None => (None, args.recorded.viewer(found)?),
        };
        if again.is_some() {
            report.keep_lines();
        }
        Ok(Self {
            view,
            again,
            viewer,
            annotator: args.annotate.as_deref().map(|path| Annotator::create(path, existing)).transpose()?,
            consistency: Consistency::new(layout),
            clock: SystemClock::new(),
            album: Album::default(),
            pace: Pace::default(),
            stalls: Stalls::default(),
            comparison,
            report,
        })
    }

    fn read(&mut self, source: &mut dyn FrameSource) -> anyhow::Result<()> {
        let mut progress = Progress::new("Reading the recording");
        while let Some(frame) = source.next_frame()? {
            self.frame(&frame)?;
            progress.show(source.read_share(), || self.read_so_far());
            if self.view.as_ref().is_some_and(ReplayView::is_ended) {
                break;
            }
        }
        Ok(())
    }

    fn run_again(&mut self, again: &mut Again) -> anyhow::Result<()> {
        let mut progress = Progress::new("Running the recorded robot again");
        while let Some(step) = again.next()? {
            match step {
                Step::Picture(frame) => {
                    again.tell(&mut self.report)?;
                    self.frame(&frame)?;
                    progress.show(again.read_share(), || self.read_so_far());
                }
                Step::Input(input) => again.take(input, &mut self.viewer, &mut self.report)?,
                Step::Plan(line) => again.compare(&line, &mut self.report)?,
            }
            if self.view.as_ref().is_some_and(ReplayView::is_ended) {
                break;
            }
        }
        Ok(())
    }

    fn read_so_far(&self) -> String {
        let Summary { frames, pieces, .. } = self.report.summary();
        format!("{frames} pictures, {pieces} pieces")
    }

    fn frame(&mut self, frame: &Frame) -> anyhow::Result<()> {
        self.notice_gap(frame.time)?;
        let began = self.clock.now();
        let viewed = self.viewer.look(frame)?;
        let took_us = (self.clock.now() - began) as f64;
        if let Some(found) = viewed.searched {
            self.report.calibrated(found.corners, &self.viewer.layout().name, found.error_px)?;
        }
        self.report.can_hold(self.viewer.can_hold());
        self.report.look(&viewed.look, frame.name.as_deref(), Some(took_us))?;
        self.report.count(self.viewer.counters());
        if let Some(view) = &mut self.view {
            view.add(frame, &viewed, &self.viewer, self.report.summary());
        }
        self.consistency.look(&viewed.look);
        self.album.look(frame, &viewed.look.observation);
        if let Some(comparison) = &mut self.comparison {
            if let Some(found) = viewed.place() {
                comparison.calibrated(frame.time.ms(), found.corners, found.error_px, self.viewer.layout());
            }
            comparison.look(&viewed.look.observation);
            comparison.events(&viewed.look.events);
        }
        if let Some(annotator) = &mut self.annotator {
            annotator
                .draw(frame, &viewed.look.observation, self.viewer.calibration())
                .context("cannot write the annotated pictures")?;
        }
        Ok(())
    }

    /// Tells of times without pictures. How often they come is only known from the second on.
    fn notice_gap(&mut self, time: HostTime) -> std::io::Result<()> {
        let gap = self.stalls.see(time, self.pace.see(time)).filter(|_| self.report.summary().frames > 1);
        gap.map_or(Ok(()), |gap| self.report.gap(&gap))
    }

    /// Takes in what was still waiting at the end.
    fn end(&mut self) -> anyhow::Result<()> {
        let last = self.viewer.finish();
        self.consistency.events(&last);
        if let Some(view) = &self.view {
            view.events(&last);
        }
        if let Some(comparison) = &mut self.comparison {
            comparison.events(&last);
        }
        last.iter().try_for_each(|event| self.report.event(event))?;
        self.report.count(self.viewer.counters());
        self.annotator.take().map_or(Ok(()), Annotator::finish)
    }
}

/// The report's page. Its pictures are found by reading the recording again: so none has to be kept for the case that it
/// is needed.
fn page(args: &Args, found: &Found, summary: &Summary, mistakes: Mistakes, problem: Option<&anyhow::Error>) -> Page {
    let mut cards = Cards::new(mistakes);
    if let Err(error) = illustrate(args, found, &mut cards) {
        // What broke the first reading breaks this one too, and has been told.
        tracing::debug!("some mistakes have no picture: {error:#}");
    }
    let truth = args.truth.as_deref().map(|path| format!("Compared with {}.", path.display()));
    Page {
        subject: args.recorded.recording.clone(),
        words: truth.into_iter().chain(summary.replay_words()).collect(),
        numbers: summary.numbers(),
        score: summary.truth.clone(),
        ended_early: problem.map(|error| format!("{error:#}")),
        cards,
    }
}

fn illustrate(args: &Args, found: &Found, cards: &mut Cards) -> anyhow::Result<()> {
    if cards.is_complete() {
        return Ok(());
    }
    let (mut viewer, mut source) = (args.recorded.viewer(found)?, args.recorded.open()?);
    let mut progress = Progress::at_most("Looking for the mistakes' pictures");
    while let Some(frame) = source.next_frame()? {
        progress.show(source.read_share(), || "Looking for the mistakes' pictures".into());
        let viewed = viewer.look(&frame)?;
        cards.illustrate(&frame, &viewed.look.observation, viewer.calibration());
        if cards.is_complete() {
            break;
        }
    }
    Ok(())
}
