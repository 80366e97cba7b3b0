//! How well the field is found from the side, from afar and in a cluttered room, for every layout:
//! `cargo run --release --example steep_survey -- --layout nes --seeds 1000..1100 [--tilt 35] [--heights 0.3..0.9] [--save FOLDER]`.
//!
//! A field is wrong when a corner is more than a third of a cell off.
#![allow(clippy::unwrap_used)]

#[path = "../tests/vision/support/steep.rs"]
mod steep;

use clap::Parser;
use stackhand::profile::layout::Layout;
use stackhand::vision::view::geometry::distance;
use stackhand::vision::{locate_in, refine_view};
use std::path::PathBuf;
use std::time::Instant;

/// What to measure.
#[derive(Parser)]
struct Args {
    /// The game.
    #[arg(long, default_value = "nes")]
    layout: String,
    /// The views, as FIRST..END.
    #[arg(long, default_value = "1000..1100", value_parser = range::<u64>)]
    seeds: (u64, u64),
    /// The most pan and tilt, degrees.
    #[arg(long, default_value_t = 35.0)]
    tilt: f64,
    /// The field's height over the picture's, LEAST..MOST.
    #[arg(long, default_value = "0.3..0.9", value_parser = range::<f64>)]
    heights: (f64, f64),
    /// Pictures that the search is given.
    #[arg(long, default_value_t = 1)]
    pictures: u64,
    /// Writes pictures of what was not found or found wrong into this folder.
    #[arg(long)]
    save: Option<PathBuf>,
}

fn range<T: std::str::FromStr>(text: &str) -> Result<(T, T), String> {
    let (a, b) = text.split_once("..").ok_or("write FIRST..END")?;
    let number = |s: &str| s.parse().map_err(|_| format!("{s:?} is no number"));
    Ok((number(a)?, number(b)?))
}

/// One view's outcome.
struct Outcome {
    seed: u64,
    steepness_deg: f64,
    cell_px: f64,
    /// The error and the one claimed, px; none if refused.
    error_px: Option<(f64, f64)>,
    is_wrong: bool,
    search_ms: f64,
}

fn main() -> anyhow::Result<()> {
    let args = Args::parse();
    let layout = Layout::load(&args.layout)?;
    let mut outcomes = Vec::new();
    for seed in args.seeds.0..args.seeds.1 {
        let steep = steep::Steep::draw(seed, args.tilt, args.heights, true);
        let mut images = Vec::new();
        let mut view = None;
        for i in 0..args.pictures {
            let Some(flat) = steep::flat(&layout, seed + 7919 * i) else { anyhow::bail!("there is no picture of it") };
            let (image, seen) = steep.film(seed + 7919 * i, &flat, &layout);
            images.push(image);
            view = Some(seen);
        }
        let Some(view) = view else { continue };
        #[allow(clippy::disallowed_methods)]
        let began = Instant::now();
        let found = locate_in(&images, &layout);
        let search_ms = began.elapsed().as_secs_f64() * 1000.0 / args.pictures as f64;
        let truth = steep::corners(&view, &layout);
        let cell_px = steep::cell_px(&view, &layout);
        let error_px = found
            .as_ref()
            .ok()
            .map(|found| ((0..4).map(|i| distance(found.corners[i], truth[i])).fold(0.0, f64::max), found.error_px));
        let is_wrong = error_px.is_some_and(|(off, _)| off > cell_px / 3.0);
        if is_wrong || found.is_err() {
            println!("{seed} {} {cell_px:.1} px a cell: {steep:.1?}", if is_wrong { "WRONG" } else { "refused" });
            let near = refine_view(&images[0], &layout, &view);
            println!("  sharpened from the truth: {:.1?}", near.map(|n| (n.log_odds, n.error_px)));
            if let Err(e) = &found {
                println!("  {}", &e.to_string()[..90]);
            }
            if let Ok(found) = &found {
                println!("  {found:.1?}, truth {truth:.1?}");
            }
            if let Some(folder) = &args.save {
                std::fs::create_dir_all(folder)?;
                images[0].save(folder.join(format!("{}-{seed}.png", args.layout)))?;
            }
        }
        outcomes.push(Outcome { seed, steepness_deg: steep.steepness_deg(), cell_px, error_px, is_wrong, search_ms });
    }
    let all = |_: &Outcome| true;
    report("all", outcomes.iter().filter(|o| all(o)).collect());
    for (low, high) in [(0.0, 15.0), (15.0, 25.0), (25.0, 35.1)] {
        let of = |o: &&Outcome| (low..high).contains(&o.steepness_deg);
        report(&format!("tilt {low}..{high}"), outcomes.iter().filter(of).collect());
    }
    for (low, high) in [(0.0, 4.0), (4.0, 6.0), (6.0, 9.0), (9.0, 14.0), (14.0, 99.0)] {
        let of = |o: &&Outcome| (low..high).contains(&o.cell_px);
        report(&format!("cells {low}..{high} px"), outcomes.iter().filter(of).collect());
    }
    Ok(())
}

fn report(what: &str, outcomes: Vec<&Outcome>) {
    if outcomes.is_empty() {
        return;
    }
    let right = || outcomes.iter().filter(|o| !o.is_wrong).filter_map(|o| o.error_px);
    let wrong: Vec<u64> = outcomes.iter().filter(|o| o.is_wrong).map(|o| o.seed).collect();
    let sorted = |mut values: Vec<f64>| {
        values.sort_by(f64::total_cmp);
        values
    };
    let quantile =
        |v: &[f64], q: f64| v.get(((v.len().max(1) - 1) as f64 * q).round() as usize).copied().unwrap_or(f64::NAN);
    let errors = sorted(right().map(|e| e.0).collect());
    let ratios = sorted(right().map(|e| e.0 / e.1).collect());
    let times = sorted(outcomes.iter().map(|o| o.search_ms).collect());
    println!(
        "{what}: found {}/{}, wrong {wrong:?}; error px median {:.2} p95 {:.2} max {:.2}; over claimed median {:.2} p95 {:.2} max {:.2}; {:.0} ms p95 {:.0}",
        errors.len(),
        outcomes.len(),
        quantile(&errors, 0.5),
        quantile(&errors, 0.95),
        quantile(&errors, 1.0),
        quantile(&ratios, 0.5),
        quantile(&ratios, 0.95),
        quantile(&ratios, 1.0),
        quantile(&times, 0.5),
        quantile(&times, 0.95),
    );
}
