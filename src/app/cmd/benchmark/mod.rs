//! `benchmark`: how much of simulated games is seen through ever worse cameras, compared with the games themselves.

mod begin;
mod clip;
mod figures;
mod measure;
mod save;

use crate::app::args::files::Overwrite;
use crate::app::args::values::{count, fps, in_range, share};
use crate::app::live::screen::picture_counter;
use crate::app::out::{self, say};
use anyhow::Context;
use begin::Start;
use clip::ClipSettings;
use figures::{ClipFigures, Sums};
use serde::Serialize;
use std::path::PathBuf;
use std::process::ExitCode;

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
    let counter = picture_counter();
    if !args.json {
        say!("{}", Sums::HEAD)?;
    }
    for &hard in &args.hard {
        let mut clips = Vec::new();
        for seed in (0..args.clips).map(|i| args.seed.wrapping_add(i)) {
            let (bump_px, start) = (args.bump, args.begin);
            let settings = ClipSettings { seed, hard, fps: args.fps, seconds: args.seconds, bump_px, start };
            let at = || format!("hardness {hard}, seed {seed}");
            if let Some(folder) = &args.save {
                save::save(settings, folder, args.overwrite.existing()).with_context(at)?;
            }
            let figures = measure::measure(settings).with_context(at)?;
            counter.inc(figures.pictures);
            if args.json {
                print_json(&Line::Clip(&figures))?;
            }
            clips.push(figures);
        }
        let sums = Sums::of(hard, &clips);
        if args.json {
            print_json(&Line::Benchmark(&sums))?;
        } else {
            say!("{}", sums.to_line())?;
            if let Some(bumps) = &sums.bumps {
                say!("{}", bumps.to_words())?;
            }
        }
    }
    out::end_drawing()?;
    Ok(ExitCode::SUCCESS)
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
