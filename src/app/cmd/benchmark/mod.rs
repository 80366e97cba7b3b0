//! `benchmark`: how much of simulated games is seen through ever worse cameras, compared with the games themselves.

pub(super) mod begin;
pub(super) mod clip;
mod figures;
mod measure;
mod save;

use crate::app::args::Misuse;
use crate::app::args::effects::EffectArgs;
use crate::app::args::files::Overwrite;
use crate::app::args::values::{count, fps, in_range, share};
use crate::app::out;
use crate::app::progress::Progress;
use crate::app::terminal::wrapped;
use crate::twin::effects::Effect;
use anyhow::Context;
use begin::Start;
use clip::ClipSettings;
use figures::{BumpSums, ClipFigures, Sums};
use serde::Serialize;
use std::io;
use std::path::PathBuf;
use std::process::ExitCode;

/// Characters in a line of the table at most.
const COLUMNS_MAX: usize = 100;

/// Options of `benchmark`.
///
/// Each clip is a game on the simulated console, played by a scripted player at a random level, filmed by a camera with the
/// flaws of its seed. The field is found in the clip's own pictures, then all of them are read, as `replay --auto` does, and
/// compared with what the console did. The same seeds give the same figures.
#[derive(clap::Args)]
pub struct Args {
    /// How bad the cameras are, 0 (no flaws) to 1: a list, a row of the table each.
    #[arg(help_heading = "Camera", long, value_delimiter = ',', default_value = "0,0.3,0.5,0.8,1", value_parser = share)]
    hard: Vec<f64>,
    /// Clips of each hardness.
    #[arg(help_heading = "Clips", long, default_value_t = 20, value_parser = count)]
    clips: u64,
    /// Seed of the first clip; the others follow.
    #[arg(help_heading = "Clips", long, default_value_t = 1)]
    seed: u64,
    /// Length of a clip, s.
    #[arg(help_heading = "Clips", long, default_value = "20", value_parser = seconds)]
    seconds: f64,
    /// Camera pictures a second.
    #[arg(help_heading = "Camera", long, default_value = "30", value_parser = fps)]
    fps: f64,
    #[command(flatten)]
    effects: EffectArgs,
    /// In each clip, bump the camera once, by up to this many px in any direction.
    #[arg(help_heading = "Camera", long, value_name = "PX", default_value = "0", value_parser = bump_px)]
    bump: f64,
    /// What the clips begin with; all but `any` stay on that screen for 0.5 to 10 s.
    #[arg(help_heading = "Clips", long, value_enum, default_value = "any")]
    begin: Start,
    /// Also write each clip to this folder, as a video (by ffmpeg, without loss: some 15 MB a second) with its truth beside
    /// it, for `stackhand replay CLIP.mkv --layout nes --auto --truth CLIP.truth.jsonl`.
    #[arg(help_heading = "Files", long, value_name = "FOLDER")]
    save: Option<PathBuf>,
    #[command(flatten)]
    overwrite: Overwrite,
    /// Write JSON lines to standard output: one a clip, one a hardness.
    #[arg(help_heading = "Output", long)]
    json: bool,
}

/// A line of JSON.
#[derive(Serialize)]
#[serde(tag = "event", rename_all = "snake_case")]
enum Line<'a> {
    Clip(&'a ClipFigures),
    Benchmark(&'a Sums),
}

/// Runs it.
pub fn run(args: &Args) -> anyhow::Result<ExitCode> {
    let effects = args.effects.effects()?;
    if effects.most(Effect::Lively) > 0.0 {
        let words =
            "--effect lively is how the modern game shows a lock down, and clips are of the console; leave it out";
        return Err(Misuse(words.into()).into());
    }
    let mut progress = Progress::new("Filming the first clip; Ctrl-C ends");
    let of = args.hard.len() as u64 * args.clips;
    let (mut done, mut rows) = (0, Vec::new());
    if !args.json {
        out::line(Sums::HEAD)?;
    }
    for &hard in &args.hard {
        let mut clips = Vec::new();
        for seed in (0..args.clips).map(|i| args.seed.wrapping_add(i)) {
            let (bump_px, start) = (args.bump, args.begin);
            let (fps, seconds) = (args.fps, args.seconds);
            let settings = ClipSettings { seed, hard, effects, fps, seconds, bump_px, start };
            let at = || format!("hardness {hard}, seed {seed}");
            if let Some(folder) = &args.save {
                save::save(settings, folder, args.overwrite.existing()).with_context(at)?;
            }
            let figures = measure::measure(settings).with_context(at)?;
            done += 1;
            progress.show(Some(done as f64 / of as f64), || format!("{done} of {of} clips; Ctrl-C ends"));
            if args.json {
                print_json(&Line::Clip(&figures))?;
            }
            clips.push(figures);
        }
        let sums = Sums::of(hard, &clips);
        if args.json {
            print_json(&Line::Benchmark(&sums))?;
        } else {
            print_row(&sums)?;
        }
        tracing::debug!("hardness {hard}: {}", sums.details());
        rows.push(sums);
    }
    drop(progress);
    if !args.json {
        let ending =
            wrapped(&figures::verdict(&rows), COLUMNS_MAX).into_iter().chain(wrapped(figures::LEGEND, COLUMNS_MAX));
        ending.into_iter().chain(figures::curve(&rows)).try_for_each(out::line)?;
    }
    Ok(ExitCode::SUCCESS)
}

/// A line of the table as soon as it is known, for hours may follow; and what the bumps came to.
fn print_row(sums: &Sums) -> io::Result<()> {
    out::line(sums.to_line())?;
    let words = sums.bumps.as_ref().map(BumpSums::to_words).unwrap_or_default();
    wrapped(&words, COLUMNS_MAX).iter().filter(|line| !line.is_empty()).try_for_each(out::line)
}

fn print_json(line: &Line<'_>) -> anyhow::Result<()> {
    Ok(out::line(serde_json::to_string(line)?)?)
}

fn seconds(text: &str) -> Result<f64, String> {
    in_range(text, 1.0..=3600.0, "a number from 1 to 3600")
}

fn bump_px(text: &str) -> Result<f64, String> {
    in_range(text, 0.0..=100.0, "a distance from 0 to 100 px")
}
