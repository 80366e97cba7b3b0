//! Learning itself: an iteration after the other, written down after each.

use super::files::{Part, TrainingFiles};
use super::{begun, movement, save, task, told, with_threads, written};
use crate::app::args::Misuse;
use crate::app::args::values::count;
use crate::app::out::say;
use crate::app::progress::Progress;
use crate::file::Existing;
use crate::planner::Feature;
use crate::train::games::Game;
use crate::train::settings::{Looking, Settings};
use crate::train::training::{Shard, Training};
use crate::train::{Measure, Method, Task, checkpoint, features};
use std::path::Path;
use std::process::ExitCode;

/// Options of `train swarm`, `train entropy` and `train cma`. What is not said is as in the paper's Table I.
#[derive(clap::Args)]
pub struct Args {
    /// The features to weigh: ms1, ms2 or ms3 of the paper, or a list of names as in calibration/weights, such as
    /// column_holes,pile_height.
    #[arg(help_heading = "Player", long, value_name = "SET", value_parser = parse_features)]
    features: Features,
    /// How many pieces it looks at: 1, the falling one; 2, the next one, too; pairs, both, which are then placed before the next
    /// two are looked at, as in the paper.
    #[arg(help_heading = "Player", long, value_name = "PIECES", default_value = "2", value_parser = parse_look)]
    look: Looking,
    /// The game: nes-unturned, nes, uniform, uniform-10x10, s-z, worsening, junk or rising.
    #[arg(help_heading = "Game", long, default_value = "nes-unturned", value_parser = parse_game)]
    game: Game,
    /// What counts: lines, score, pieces or lines-per-junk-row [default: score in nes; pieces in s-z, worsening and rising; else
    /// lines].
    #[arg(help_heading = "Game", long, value_parser = parse_measure)]
    measure: Option<Measure>,
    /// The level at the start [default: 18 in nes, else 0].
    #[arg(help_heading = "Game", long)]
    level: Option<u8>,
    /// Games end after so many lines [default: 230 in nes, else never].
    #[arg(help_heading = "Game", long, value_name = "LINES", value_parser = count)]
    to_lines: Option<u64>,
    /// Games end after so many pieces.
    #[arg(help_heading = "Game", long, value_name = "PIECES", default_value_t = 100_000, value_parser = count)]
    to_pieces: u64,
    /// Candidates of an iteration: the particles of a swarm [default: 30; entropy: 100].
    #[arg(help_heading = "Training", long, value_parser = count)]
    candidates: Option<u64>,
    /// Iterations of a run.
    #[arg(help_heading = "Training", long, default_value_t = 200, value_parser = count)]
    iterations: u64,
    /// Games that each candidate plays in an iteration, the same for all.
    #[arg(help_heading = "Training", long, default_value_t = 50, value_parser = count)]
    games: u64,
    /// Runs, which know nothing of each other.
    #[arg(help_heading = "Training", long, default_value_t = 20, value_parser = count)]
    runs: u64,
    /// Games by which the best run is chosen, others than those that are trained on.
    #[arg(help_heading = "Training", long, default_value_t = 500, value_parser = count)]
    validation_games: u64,
    /// What all chance follows from.
    #[arg(help_heading = "Training", long, default_value_t = 1, value_parser = clap::value_parser!(u64).range(..=i64::MAX as u64))]
    seed: u64,
    /// Threads [default: one a core].
    #[arg(help_heading = "Machine", long, value_parser = count)]
    threads: Option<u64>,
    #[command(flatten)]
    part: Part,
    #[command(flatten)]
    files: TrainingFiles,
}

/// As an option's value: a list by itself would be several values.
#[derive(Debug, Clone)]
struct Features(Vec<Feature>);

impl Args {
    fn settings(&self, method: Method) -> Settings {
        let usual = Settings::usual(method, &self.features.0, self.game);
        Settings {
            look: self.look,
            measure: self.measure.unwrap_or(usual.measure),
            level: self.level.unwrap_or(usual.level),
            to_lines: self.to_lines.or(usual.to_lines),
            to_pieces: self.to_pieces,
            candidates: self.candidates.unwrap_or(usual.candidates),
            iterations: self.iterations,
            games: self.games,
            runs: self.runs,
            validation_games: self.validation_games,
            seed: self.seed,
            ..usual
        }
    }
}

/// Learns, and writes what comes of it.
///
/// # Errors
/// When the options contradict each other or an older checkpoint, or a file cannot be written.
pub fn run(method: Method, args: &Args) -> anyhow::Result<ExitCode> {
    let settings = args.settings(method);
    settings.check().map_err(|error| Misuse(error.to_string()))?;
    let shard = args.part.shard.unwrap_or(Shard::ALL);
    let wanted = Training::new(settings, shard);
    if wanted.stand().of == 0 {
        let runs = args.runs;
        return Err(
            Misuse(format!("no run is left for the shard {shard} of {runs} runs; give {runs} shards at most")).into()
        );
    }
    args.files.check()?;
    let mut training = begun(&args.files, wanted, |found: &Training| {
        let stand = found.stand();
        format!("{} of {} iterations", stand.done, stand.of)
    })?;
    let task = training.settings().task(movement()?);
    with_threads(args.threads, || learn(&mut training, &task, &args.files))??;
    if args.part.shard.is_some() {
        save(&args.files.out, &checkpoint::to_text(&training)?, args.files.existing())?;
        let (out, own, runs) = (args.files.out.display(), training.stand().runs, args.runs);
        say!("{out}: shard {shard}, {own} of {runs} runs; join all shards by `stackhand train merge`")?;
    } else {
        with_threads(args.threads, || finish(&training, &args.files.out, args.files.existing()))??;
    }
    Ok(ExitCode::SUCCESS)
}

/// Chooses the best run and writes its weights.
///
/// # Errors
/// When there is none, or the file cannot be written.
pub fn finish(training: &Training, out: &Path, existing: Existing) -> anyhow::Result<()> {
    let choosing = Progress::new("Choosing the best run; Ctrl-C ends");
    let chosen = training.choose(&task(training)?).ok_or(checkpoint::CheckpointError::Nothing)?;
    drop(choosing);
    save(out, &training.to_toml(&chosen), existing)?;
    say!("{}: {}", out.display(), told(training, &chosen))?;
    Ok(())
}

fn learn(training: &mut Training, task: &Task, files: &TrainingFiles) -> anyhow::Result<()> {
    let mut progress = Progress::new("Training; Ctrl-C ends");
    let (features, seeds) = (training.settings().features(), training.settings().training_seeds());
    let (begin, unit) = (training.stand(), training.settings().measure.name());
    let measure = |candidates: &[Vec<f64>]| {
        let weights: Vec<_> = candidates.iter().map(|weights| features::to_weights(&features, weights)).collect();
        task.worth(&weights, &seeds).into_iter().map(|worth| worth.mean).collect()
    };
    while training.go_on(measure) {
        let stand = training.stand();
        files.write_down(|| written(training))?;
        // The share of what was left at the beginning: the time that is left follows from it.
        let share = (stand.done - begin.done) as f64 / (begin.of - begin.done).max(1) as f64;
        progress.show(Some(share), || {
            let best = training.best_under_way().map(|best| format!(", best {:.2} {unit}", best.fitness));
            let (done, of) = (stand.done, stand.of);
            format!("{done} of {of} iterations{}; Ctrl-C ends", best.unwrap_or_default())
        });
    }
    Ok(())
}

fn parse_features(text: &str) -> Result<Features, String> {
    features::parse(text).map(Features).map_err(|error| error.to_string())
}

fn parse_look(text: &str) -> Result<Looking, String> {
    let known = Looking::ALL.map(Looking::name).join(", ");
    Looking::ALL.into_iter().find(|look| look.name() == text).ok_or_else(|| format!("it must be one of {known}"))
}

fn parse_game(text: &str) -> Result<Game, String> {
    let known = Game::ALL.map(Game::name).join(", ");
    Game::ALL.into_iter().find(|game| game.name() == text).ok_or_else(|| format!("it must be one of {known}"))
}

fn parse_measure(text: &str) -> Result<Measure, String> {
    Measure::ALL
        .into_iter()
        .find(|measure| measure.name() == text)
        .ok_or_else(|| format!("it must be one of {}", Measure::ALL.map(Measure::name).join(", ")))
}
