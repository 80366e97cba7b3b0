//! `train versus`: weights of the modern game's brain, by playing against those that it begins with.

use super::with_threads;
use crate::app::args::files::Overwrite;
use crate::app::args::values::count;
use crate::app::cmd::bot;
use crate::app::out;
use crate::file;
use crate::game::guideline;
use crate::train::self_play::{SelfPlay, Settings};
use std::path::PathBuf;
use std::process::ExitCode;

/// Options of `train versus`.
#[derive(clap::Args)]
pub struct Args {
    /// The file (.toml) that the weights are written to, after every generation.
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
    #[command(flatten)]
    overwrite: Overwrite,
    /// Weights to begin with, and to play against [default: those that come with the program].
    #[arg(long, value_name = "FILE")]
    from: Option<PathBuf>,
    /// Generations.
    #[arg(long, default_value_t = 40, value_parser = count)]
    generations: u64,
    /// Candidates of a generation.
    #[arg(long, default_value_t = 14, value_parser = clap::value_parser!(u16).range(2..=1000))]
    candidates: u16,
    /// Games of each candidate.
    #[arg(long, default_value_t = 10, value_parser = count)]
    games: u64,
    /// Piles that both players rate for each move.
    #[arg(long, default_value_t = 1500, value_parser = count)]
    nodes: u64,
    /// Pieces after which a game is drawn.
    #[arg(long, default_value_t = 150, value_parser = count)]
    pieces: u64,
    /// Seed of it all.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Threads; the same weights come out with any number of them [default: one for each core].
    #[arg(long, value_parser = count)]
    threads: Option<u64>,
}

/// Runs it.
pub fn run(args: &Args) -> anyhow::Result<ExitCode> {
    let (moves, start) = (guideline::moves(), bot::load(args.from.as_ref())?);
    let existing = args.overwrite.existing();
    file::check(&args.out, existing)?;
    let &Args { nodes, games, pieces, seed, .. } = args;
    let settings = Settings { nodes, games, pieces, candidates: usize::from(args.candidates), seed };
    let mut training = SelfPlay::new(&moves, start, settings);
    let mut existing = existing;
    for generation in 1..=args.generations {
        let found = with_threads(args.threads, || training.learn())?;
        let about = format!(
            "self-play: stackhand train versus --generations {generation} --candidates {} --games {games} --nodes {nodes} \
             --pieces {pieces} --seed {seed}",
            args.candidates
        );
        super::save(&args.out, &training.middle(&about).to_toml(), existing)?;
        // From now on the file is this training's own.
        existing = file::Existing::Replace;
        out::note(format_args!(
            "generation {generation} of {}: the middle is worth {:.3}, candidates {:.3} on the mean; 0.5 is no better than the start",
            args.generations, found.middle, found.mean
        ));
    }
    Ok(ExitCode::SUCCESS)
}
