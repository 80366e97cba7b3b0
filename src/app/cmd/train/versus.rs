//! `train versus`: weights of the modern game's brain, by playing against those that it begins with.

use super::files::TrainingFiles;
use super::{begun, with_threads, written};
use crate::app::args::Misuse;
use crate::app::args::values::count;
use crate::app::cmd::bot;
use crate::app::out;
use crate::app::progress::Progress;
use crate::file::Existing;
use crate::game::guideline;
use crate::train::checkpoint::Kept;
use crate::train::self_play::{SelfPlay, Settings};
use std::path::PathBuf;
use std::process::ExitCode;

/// Options of `train versus`.
///
/// The weights are written to --out after every generation, or at the end if there is a --checkpoint, which has them until then.
#[derive(clap::Args)]
pub struct Args {
    /// Weights to begin with, and to play against [default: those that come with the program].
    #[arg(help_heading = "Training", long, value_name = "FILE")]
    from: Option<PathBuf>,
    /// Generations. A --checkpoint goes on to more of them than it was begun with.
    #[arg(help_heading = "Training", long, default_value_t = 40, value_parser = count)]
    generations: u64,
    /// Candidates of a generation.
    #[arg(help_heading = "Training", long, default_value_t = 14, value_parser = clap::value_parser!(u16).range(2..=1000))]
    candidates: u16,
    /// Games of each candidate.
    #[arg(help_heading = "Training", long, default_value_t = 10, value_parser = count)]
    games: u64,
    /// Piles that both players rate for each move.
    #[arg(help_heading = "Training", long, default_value_t = 1500, value_parser = count)]
    nodes: u64,
    /// Pieces after which a game is drawn.
    #[arg(help_heading = "Training", long, default_value_t = 150, value_parser = count)]
    pieces: u64,
    /// Seed of it all.
    #[arg(help_heading = "Training", long, default_value_t = 1, value_parser = clap::value_parser!(u64).range(..=i64::MAX as u64))]
    seed: u64,
    /// Threads; the same weights come out with any number of them [default: one for each core].
    #[arg(help_heading = "Machine", long, value_parser = count)]
    threads: Option<u64>,
    #[command(flatten)]
    files: TrainingFiles,
}

/// Runs it.
///
/// # Errors
/// When the options contradict each other or an older checkpoint, or a file cannot be written.
pub fn run(args: &Args) -> anyhow::Result<ExitCode> {
    let wanted = SelfPlay::new(&bot::load(args.from.as_ref())?, args.settings());
    wanted.check().map_err(|error| Misuse(error.to_string()))?;
    args.files.check()?;
    let of = args.generations;
    let mut training =
        begun(&args.files, wanted, |found: &SelfPlay| format!("{} of {of} generations", found.generation()))?;
    let done = training.generation();
    if done > of {
        let words =
            format!("{done} generations are done already; give --generations {done} for what came of them, or more");
        return Err(Misuse(words).into());
    }
    with_threads(args.threads, || args.learn(&mut training))??;
    Ok(ExitCode::SUCCESS)
}

impl Args {
    fn settings(&self) -> Settings {
        let &Self { nodes, games, pieces, seed, .. } = self;
        Settings { nodes, games, pieces, candidates: self.candidates.into(), seed }
    }

    fn learn(&self, training: &mut SelfPlay) -> anyhow::Result<()> {
        let (moves, of, begin) = (guideline::moves(), self.generations, training.generation());
        let mut progress = Progress::new("Playing against itself; Ctrl-C ends");
        let mut existing = self.files.existing();
        while training.generation() < of {
            let found = training.learn(&moves);
            let done = training.generation();
            self.files.write_down(|| written(training))?;
            // What is under a checkpoint's name must not stand in the way when it goes on: it is written once.
            if self.files.checkpoint().is_none() && done < of {
                self.save(training, existing)?;
                // From now on the file is this training's own.
                existing = Existing::Replace;
            }
            out::note(format_args!(
                "generation {done} of {of}: the middle is worth {:.3}, candidates {:.3} on the mean; 0.5 is no better than the \
                 start",
                found.middle, found.mean
            ));
            // The share of what was left at the beginning: the time that is left follows from it.
            let share = (done - begin) as f64 / (of - begin).max(1) as f64;
            progress.show(Some(share), || format!("{done} of {of} generations; Ctrl-C ends"));
        }
        drop(progress);
        self.save(training, existing)
    }

    fn save(&self, training: &SelfPlay, existing: Existing) -> anyhow::Result<()> {
        let Settings { nodes, games, pieces, candidates, seed } = self.settings();
        let about = format!(
            "self-play: stackhand train versus --generations {} --candidates {candidates} --games {games} --nodes {nodes} \
             --pieces {pieces} --seed {seed}",
            training.generation()
        );
        super::save(&self.files.out, &training.middle(&about).to_toml(), existing)
    }
}
