//! `train eye`: what each clue of a cell is worth, by clips of the simulated camera whose truth is known.

use super::with_threads;
use crate::app::args::files::Overwrite;
use crate::app::cmd::benchmark::begin::Start;
use crate::app::cmd::benchmark::clip::{Clip, ClipSettings};
use crate::app::out::say;
use crate::app::progress::Progress;
use crate::file;
use crate::message::CellGrid;
use crate::profile::layout::Layout;
use crate::train::logistic::{self, Example};
use crate::twin::camera::DEFAULT_SIZE;
use crate::twin::effects::{Effect, Effects};
use crate::vision::read::Reader;
use crate::vision::read::clues::{Clue, Clues};
use crate::vision::read::worths::{Worths, place};
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use rayon::prelude::*;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::{Arc, Mutex};

/// The game that the simulated console plays.
const LAYOUT: &str = "nes";
/// Every clip has one of these hardnesses; of as many clips as there are turns, each effect spoils as many as it is named, and the
/// others are not spoilt. Pale blocks are of many kinds, and the rarest are as black as the field, with a glint.
const HARDNESSES: [f64; 5] = [0.0, 0.3, 0.5, 0.8, 1.0];
const TURNS: u64 = 24;
const EFFECTS: [Effect; 14] = [
    Effect::Pale,
    Effect::Pale,
    Effect::Pale,
    Effect::Texture,
    Effect::Afterglow,
    Effect::Background,
    Effect::Smooth,
    Effect::Words,
    Effect::Words,
    Effect::Moire,
    Effect::Spot,
    Effect::Spot,
    Effect::Hunting,
    Effect::Pile,
];
const EFFECT_STRENGTH: f64 = 0.7;
const FPS: f64 = 30.0;
/// Corners are off by up to so much to each side, px.
const OFF_PX: f64 = 0.3;
/// Of the cells that were judged rightly, and surely, one in so many is kept, and counts for all.
const EASY: f32 = 0.03;
const KEPT: f32 = 0.02;
/// What the square of a worth costs, nats, and that of a difference between neighbours.
const RIDGE: f64 = 5.0;
const SMOOTH: f64 = 20.0;
/// Seeds from the clips that are learned from to those that are only looked at.
const OTHER_SEEDS: u64 = 1 << 32;
/// Up to where claims are told together.
const CLAIMS: [f32; 6] = [0.6, 0.75, 0.9, 0.99, 0.999, 1.0];

/// Options of `train eye`.
#[derive(clap::Args)]
pub struct Args {
    /// Simulated clips to learn from in each round.
    #[arg(help_heading = "Training", long, default_value_t = 200, value_parser = crate::app::args::values::count)]
    clips: u64,
    /// Rounds: in each, clips are read by what was learned before, for what is seen depends on what was believed; it is learned
    /// anew from all of them but the first round's.
    #[arg(help_heading = "Training", long, default_value_t = 3, value_parser = crate::app::args::values::count)]
    rounds: u64,
    /// Other clips, to tell how well it does.
    #[arg(help_heading = "Training", long, default_value_t = 60, value_parser = crate::app::args::values::count)]
    validation_clips: u64,
    /// The first clip's seed.
    #[arg(help_heading = "Training", long, default_value_t = 1)]
    seed: u64,
    /// The length of a clip, s.
    #[arg(help_heading = "Training", long, default_value_t = 12.0, value_parser = seconds)]
    seconds: f64,
    /// Learn what these clues are worth, and keep what all others are (names as in the file, with commas between).
    #[arg(help_heading = "Training", long, value_name = "CLUES", value_delimiter = ',', value_parser = clue)]
    only: Vec<Clue>,
    /// Threads; all cores unless it is said. The outcome is the same with any number.
    #[arg(help_heading = "Training", long, value_parser = crate::app::args::values::count)]
    threads: Option<u64>,
    /// The file to write.
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
    #[command(flatten)]
    overwrite: Overwrite,
}

fn seconds(text: &str) -> Result<f64, String> {
    text.parse().ok().filter(|seconds| (1.0..=600.0).contains(seconds)).ok_or_else(|| "give 1 to 600 seconds".into())
}

fn clue(name: &str) -> Result<Clue, String> {
    let names = || Clue::ALL.map(Clue::name).join(", ");
    Clue::ALL.into_iter().find(|clue| clue.name() == name).ok_or_else(|| format!("give some of {}", names()))
}

/// A cell in a picture.
struct Seen {
    clues: Clues,
    is_full: bool,
    /// For how many cells it stands.
    weight: f32,
    p_full: f32,
}

/// Learns, tells how well it does on other clips, and writes the file.
///
/// # Errors
/// When nothing could be learned, or the file cannot be written.
pub fn run(args: &Args) -> anyhow::Result<ExitCode> {
    let existing = args.overwrite.existing();
    file::check(&args.out, existing)?;
    let text = with_threads(args.threads, || learn(args))??;
    super::save(&args.out, &text, existing)?;
    say!("Written: {}", args.out.display())?;
    Ok(ExitCode::SUCCESS)
}

fn learn(args: &Args) -> anyhow::Result<String> {
    let all = args.only.is_empty();
    // Each once, however often it is named.
    let learned: Vec<Clue> = Clue::ALL.into_iter().filter(|clue| all || args.only.contains(clue)).collect();
    let kept = if all { None } else { Worths::built_in() };
    let others = kept.as_deref().cloned().unwrap_or_else(Worths::none);
    let mut worths = kept;
    let progress = Mutex::new((0, Progress::new("Filming the first clip; Ctrl-C ends")));
    let of = args.rounds.saturating_mul(args.clips).saturating_add(args.validation_clips.saturating_mul(2));
    let films = |from: u64, clips: u64, worths: &Option<Arc<Worths>>| {
        let seen = (0..clips).into_par_iter().map(|clip| {
            let seen = watch(settings(from.wrapping_add(clip), args.seconds), worths.clone());
            if let Ok(mut progress) = progress.lock() {
                progress.0 += 1;
                let done = progress.0;
                progress.1.show(Some(done as f64 / of as f64), || format!("{done} of {of} clips"));
            }
            seen
        });
        Ok::<Vec<Seen>, anyhow::Error>(seen.collect::<Result<Vec<_>, _>>()?.into_iter().flatten().collect())
    };
    let mut seen = Vec::new();
    for round in 0..args.rounds {
        // The first round's pictures were read by nothing, and look otherwise.
        if round == 1 && all {
            seen.clear();
        }
        seen.extend(films(args.seed.wrapping_add(round.wrapping_mul(args.clips)), args.clips, &worths)?);
        worths = Some(Arc::new(fit(&seen, &learned, &others)));
    }
    let worths = worths.unwrap_or_else(|| Arc::new(Worths::none()));
    let looked_at = args.seed.wrapping_add(OTHER_SEEDS);
    let before = films(looked_at, args.validation_clips, &None)?;
    let after = films(looked_at, args.validation_clips, &Some(Arc::clone(&worths)))?;
    drop(progress);
    let told = [told("without clues", &before), told("with clues", &after)].concat();
    say!("{}", told.trim_end())?;
    let Args { clips, rounds, validation_clips, seed, seconds, .. } = args;
    let only = learned.iter().map(|clue| clue.name()).collect::<Vec<_>>().join(",");
    let only = if all { String::new() } else { format!(" --only {only}") };
    let command = format!(
        "stackhand train eye --clips {clips} --rounds {rounds} --validation-clips {validation_clips} --seed {seed} --seconds {seconds}{only}"
    );
    let comments: String = told.lines().map(|line| format!("# {line}\n")).collect();
    Ok(format!("# What each clue of a cell is worth, log odds. Made by `{command}`.\n{comments}{}", worths.to_text()))
}

/// What is filmed with a seed.
fn settings(seed: u64, seconds: f64) -> ClipSettings {
    let effect = usize::try_from(seed % TURNS).ok().and_then(|turn| EFFECTS.get(turn));
    let effects = effect.map_or(Effects::default(), |effect| Effects::default().with(*effect, EFFECT_STRENGTH));
    let hard = HARDNESSES[(seed / TURNS % HARDNESSES.len() as u64) as usize];
    ClipSettings { seed, hard, effects, fps: FPS, seconds, bump_px: 0.0, start: Start::Any }
}

/// The cells of a clip, as a reader sees them that knows its corners nearly.
fn watch(settings: ClipSettings, worths: Option<Arc<Worths>>) -> anyhow::Result<Vec<Seen>> {
    let layout = Layout::load(LAYOUT)?;
    let mut clip = Clip::new(settings);
    let mut dice = Xoshiro256PlusPlus::seed_from_u64(settings.seed ^ 0x0065_7965);
    let corners = clip.first_corners().map(|corner| corner.map(|at| at + dice.random_range(-OFF_PX..OFF_PX)));
    let mut reader = Reader::new(&layout, corners, DEFAULT_SIZE)?.judging_by(worths);
    let mut seen = Vec::new();
    while let Some((frame, shown)) = clip.film() {
        let read = reader.read(&frame);
        let Some(truth) = shown.picture.cells.filter(|_| read.state.shows_cells()) else { continue };
        let cells = reader.clues().iter().zip(read.grid.probabilities()).enumerate();
        for (i, (clues, &p_full)) in cells {
            let (x, y) = (i % layout.field.columns, i / layout.field.columns);
            if truth.unknown.is_full(x, y) || !clues.say_something() {
                continue;
            }
            let is_full = truth.full.is_full(x, y);
            let is_easy = (if is_full { 1.0 - p_full } else { p_full }) < EASY;
            let kept = if is_easy { KEPT } else { 1.0 };
            if dice.random_range(0.0..1.0) < kept {
                seen.push(Seen { clues: *clues, is_full, weight: 1.0 / kept, p_full });
            }
        }
    }
    Ok(seen)
}

/// What the clues are worth by which the truth is most likely, where some are to be learned and the others are worth what is given.
fn fit(seen: &[Seen], learned: &[Clue], others: &Worths) -> Worths {
    let mut columns = 1;
    let firsts: Vec<(Clue, usize)> = learned
        .iter()
        .map(|clue| {
            columns += clue.knots().len();
            (*clue, columns - clue.knots().len())
        })
        .collect();
    let examples: Vec<Example> = seen.iter().map(|seen| example(seen, &firsts, others)).collect();
    let within = |(clue, first): &(Clue, usize)| {
        let first = *first;
        (first + 1..first + clue.knots().len()).map(move |at| (at - 1, at, SMOOTH))
    };
    let neighbours: Vec<_> = firsts.iter().flat_map(within).collect();
    let worth = logistic::fit(columns, &examples, RIDGE, &neighbours);
    let mut worths = others.clone();
    worths.bias += worth[0] as f32;
    for (clue, first) in firsts {
        let of = &worth[first..first + clue.knots().len()];
        worths.at_knots[clue as usize] = of.iter().map(|worth| *worth as f32).collect();
    }
    worths
}

fn example(seen: &Seen, firsts: &[(Clue, usize)], others: &Worths) -> Example {
    let near = firsts.iter().filter_map(|(clue, first)| {
        let places = place(clue.knots(), seen.clues.get(*clue))?;
        Some(places.map(|(knot, share)| (first + knot, share)))
    });
    let near = near.flatten().filter(|(_, share)| *share > 0.0);
    // What is believed before anything is seen is learned with all clues, or kept.
    let bias = if firsts.len() == Clue::ALL.len() { 1.0 } else { 0.0 };
    let values = [(0, bias)].into_iter().chain(near.map(|(column, share)| (column as u16, share))).collect();
    let known = others.sum_of(&seen.clues, |clue| !firsts.iter().any(|(learned, _)| *learned == clue));
    Example { values, known, is_one: seen.is_full, weight: seen.weight }
}

/// How many cells were wrong or unknown, and how often claims were right.
fn told(how: &str, seen: &[Seen]) -> String {
    let (mut all, mut wrong, mut unknown) = (0.0, 0.0, 0.0);
    let mut claims = [[0.0; 3]; CLAIMS.len()];
    for Seen { p_full: p, is_full, weight, .. } in seen {
        let (claim, weight) = (p.max(1.0 - p), f64::from(*weight));
        let is_right = (*p > 0.5) == *is_full;
        let bin = CLAIMS.iter().position(|most| claim <= *most).unwrap_or(CLAIMS.len() - 1);
        claims[bin][0] += weight;
        claims[bin][1] += weight * f64::from(claim);
        claims[bin][2] += if is_right { weight } else { 0.0 };
        all += weight;
        if claim <= CellGrid::SURE.1 {
            unknown += weight;
        } else if !is_right {
            wrong += weight;
        }
    }
    let share = 100_000.0 / f64::max(all, 1.0);
    let mut told =
        format!("Cells judged {how}, of 100,000: {:.2} surely wrong, {:.1} unknown.\n", share * wrong, share * unknown);
    for [cells, claimed, right] in claims.into_iter().filter(|claim| claim[0] > 0.0) {
        let percent = |part: f64| 100.0 * part / cells;
        told += &format!("  {:8.3} % claimed {:8.3} % right {cells:12.0} cells\n", percent(claimed), percent(right));
    }
    told
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_clues_that_are_named_are_learned() {
        let mut kept = Worths::none();
        kept.bias = 0.5;
        kept.at_knots[Clue::Kind as usize].fill(1.0);
        // What comes far from all is a block in one of ten.
        let seen_of = |(far, is_full, weight): (f32, bool, f32)| {
            let mut clues = Clues::default();
            for (clue, value) in [(Clue::Read, 2.0), (Clue::Kind, 0.1), (Clue::Far, far)] {
                clues.set(clue, value);
            }
            Seen { clues, is_full, weight, p_full: 0.9 }
        };
        let seen = [(8.0, true, 1000.0), (8.0, false, 9000.0), (0.0, true, 9_900.0), (0.0, false, 100.0)];
        let seen = seen.map(seen_of);
        let learned = fit(&seen, &[Clue::Far], &kept);
        let far = &learned.at_knots[Clue::Far as usize];
        // Nine to one against it, where what was read, the bias and its kind say 3.5.
        assert!((far[4] + 3.5 + 9f32.ln()).abs() < 0.2, "{far:?}");
        let others = |worths: &Worths| {
            let mut worths = worths.clone();
            worths.at_knots[Clue::Far as usize].fill(0.0);
            worths
        };
        assert_eq!(others(&learned), others(&kept));
    }
}
