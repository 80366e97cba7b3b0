//! `train`: weights found by playing, for any features and games; on this machine or on many.

mod eye;
mod files;
mod learn;
mod merge;
mod value;
mod versus;

use crate::app::args::Misuse;
use crate::app::out;
use crate::file::{self, Existing};
use crate::game::Movement;
use crate::profile::layout::Layout;
use crate::train::checkpoint::{self, Kept};
use crate::train::training::{Chosen, Training};
use crate::train::{Method, Task};
use anyhow::Context;
use clap::Subcommand;
use files::TrainingFiles;
use std::path::Path;
use std::process::ExitCode;

/// The most that is read of a training: a million particles of a few features.
const TRAINING_BYTES_MAX: u64 = 256 << 20;

/// Options of `train`.
///
/// The same settings give the same weights to the last digit, whatever the number of threads, and however often the training
/// was ended and begun again.
#[derive(clap::Args)]
pub struct Args {
    #[command(subcommand)]
    what: What,
}

#[derive(Subcommand)]
enum What {
    /// By a particle swarm, as "Playing NES Tetris with No Piece Rotations" does it.
    Swarm(learn::Args),
    /// By the noisy cross-entropy method (Szita and Lőrincz).
    Entropy(learn::Args),
    /// By CMA-ES, which learns in what directions weights go together.
    Cma(learn::Args),
    /// What piles are worth, learned by playing: for an AI that scores, with this finger.
    Value(value::Args),
    /// The brain of the modern game, by playing against itself.
    Versus(versus::Args),
    /// The eye: what each clue of a cell is worth as evidence for a block, by simulated clips.
    Eye(eye::Args),
    /// Join what the shards of one `train value` wrote: the mean of what they learned.
    Mean(value::MeanArgs),
    /// Join what the shards of one training wrote, and choose the best run by the same games.
    Merge(merge::Args),
}

/// Runs it.
pub fn run(args: &Args) -> anyhow::Result<ExitCode> {
    match &args.what {
        What::Swarm(args) => learn::run(Method::Swarm, args),
        What::Entropy(args) => learn::run(Method::Entropy, args),
        What::Cma(args) => learn::run(Method::Cma, args),
        What::Value(args) => value::run(args),
        What::Versus(args) => versus::run(args),
        What::Eye(args) => eye::run(args),
        What::Mean(args) => value::run_mean(args),
        What::Merge(args) => merge::run(args),
    }
}

/// Uses so many threads for what `work` does; all cores unless it is said.
fn with_threads<T: Send>(threads: Option<u64>, work: impl FnOnce() -> T + Send) -> anyhow::Result<T> {
    let threads = usize::try_from(threads.unwrap_or(0)).unwrap_or(usize::MAX);
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
    Ok(pool.context("the threads cannot be started; give fewer with --threads")?.install(work))
}

fn task(training: &Training) -> anyhow::Result<Task> {
    Ok(training.settings().task(movement()?))
}

/// How pieces appear and turn.
fn movement() -> anyhow::Result<Movement> {
    Layout::load("nes")?.movement().context("the layout nes does not say how pieces turn")
}

fn read<T: Kept>(path: &Path) -> anyhow::Result<T> {
    let text = file::read_text(path, TRAINING_BYTES_MAX)?;
    Ok(checkpoint::parse(&path.display().to_string(), &text)?)
}

/// The training as it was written down, or this new one; `done` says how far it is.
fn begun<T: Kept>(files: &TrainingFiles, wanted: T, done: impl FnOnce(&T) -> String) -> anyhow::Result<T> {
    let Some(path) = files.begun()? else { return Ok(wanted) };
    let found = read(path)?;
    checkpoint::check_same(&path.display().to_string(), &found, &wanted)?;
    out::note(format_args!("{}: going on after {}", path.display(), done(&found)));
    Ok(found)
}

/// A training as it is written down.
fn written<T: Kept>(training: &T) -> anyhow::Result<Vec<u8>> {
    let text = checkpoint::to_text(training)?;
    if text.len() as u64 > TRAINING_BYTES_MAX {
        return Err(Misuse("this training is too large to be written down; give fewer --candidates".into()).into());
    }
    Ok(text.into_bytes())
}

/// Writes what hours have gone into; where that fails, it is told on standard output instead.
fn save(path: &Path, text: &str, existing: Existing) -> anyhow::Result<()> {
    let saved = file::save(path, text.as_bytes(), existing);
    if saved.is_err() {
        out::note("It cannot be written to its file. On standard output instead:");
        out::line(text.trim_end())?;
    }
    Ok(saved?)
}

/// In a line: which run it is, and what it is worth.
fn told(training: &Training, Chosen { run, best, worth }: &Chosen) -> String {
    let settings = training.settings();
    let (unit, runs) = (settings.measure.name(), settings.runs);
    format!(
        "run {run} of {runs}: {:.2} ± {:.2} {unit} in {} games that chose it, {:.2} in the {} that it was trained on",
        worth.mean, worth.se, settings.validation_games, best.fitness, settings.games
    )
}
