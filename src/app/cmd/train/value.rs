//! `train value`: what piles are worth, learned game by game, and the mean of what several have learned.

use crate::app::args::contest::{GameArgs, GameSpec};
use crate::app::args::files::Overwrite;
use crate::app::args::{Misuse, ai};
use crate::app::out::{self, say};
use crate::app::progress::Progress;
use crate::file::{self, Existing};
use crate::planner::{BrainError, Value};
use crate::time::{Clock, SystemClock};
use crate::train::training::Shard;
use crate::train::{Course, Learner, LearnerError, Lesson, Reach, Subject};
use anyhow::Context;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// A learner's file is not larger, bytes.
const LEARNER_BYTES_MAX: u64 = 64 << 20;
/// How often it is written down, ms.
const WRITTEN_EVERY_MS: f64 = 60_000.0;
/// Games of which the progress tells.
const GAMES_TOLD: u64 = 100;
/// Seeds from one shard to the next.
const SHARD_SEEDS: u64 = 1 << 40;

/// Options of `train value`.
#[derive(clap::Args)]
pub struct Args {
    #[command(flatten)]
    game: GameArgs,
    /// Games in which one piece is placed at a time: quick, and needed only by who knows nothing yet.
    #[arg(help_heading = "Training", long, default_value_t = 130_000)]
    games_of_one: u64,
    /// Games after these in which two are, as the robot plays.
    #[arg(help_heading = "Training", long, default_value_t = 20_000)]
    games_of_two: u64,
    /// What a piece later counts less: a factor.
    #[arg(help_heading = "Training", long, default_value_t = 0.996, value_parser = share)]
    discount: f32,
    /// The greatest share of an error that is mended at once while two are placed; at the end a tenth of it.
    #[arg(help_heading = "Training", long, default_value_t = 0.04, value_parser = share)]
    rate: f32,
    /// Whose weights to begin with: a learned AI by name, or a .value file [default: none].
    #[arg(help_heading = "Training", long, value_name = "NAME|FILE")]
    from: Option<String>,
    /// The first game's seed.
    #[arg(help_heading = "Training", long, default_value_t = 1)]
    seed: u64,
    /// Play other games than the other shards of as many, such as 2/4, and write the learner to --out for `train mean`.
    #[arg(help_heading = "Machine", long, value_name = "I/N")]
    shard: Option<Shard>,
    /// The .value file; with --shard the learner.
    #[arg(help_heading = "Files", long, value_name = "FILE")]
    out: PathBuf,
    /// Write down here every minute how far it is; where there is such a file, go on from there.
    #[arg(help_heading = "Files", long, value_name = "FILE")]
    checkpoint: Option<PathBuf>,
    #[command(flatten)]
    overwrite: Overwrite,
}

/// Options of `train mean`.
#[derive(clap::Args)]
pub struct MeanArgs {
    /// What the shards wrote.
    #[arg(required = true)]
    parts: Vec<PathBuf>,
    /// The .value file.
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
    #[command(flatten)]
    overwrite: Overwrite,
}

fn share(text: &str) -> Result<f32, String> {
    text.parse().ok().filter(|share| *share > 0.0 && *share < 1.0).ok_or_else(|| "give a number between 0 and 1".into())
}

/// Learns, and writes what comes of it.
///
/// # Errors
/// When the options contradict each other or an older checkpoint, or a file cannot be written.
pub fn run(args: &Args) -> anyhow::Result<ExitCode> {
    if args.game.game != GameSpec::Nes {
        return Err(Misuse(
            "values are learned for the console's field of 10 columns and 20 rows; leave out --game".into(),
        )
        .into());
    }
    if args.games_of_one + args.games_of_two == 0 {
        return Err(Misuse("no game is left to learn from; give --games-of-one or --games-of-two".into()).into());
    }
    if args.checkpoint.as_ref() == Some(&args.out) {
        return Err(Misuse("--checkpoint and --out name the same file; give two".into()).into());
    }
    // Before the work, not after it.
    file::check(&args.out, args.overwrite.existing())?;
    let contest = args.game.contest()?;
    let subject = args.subject();
    let mut learner = args.begun(&subject)?;
    args.learn(&mut learner, &Reach::of(&contest), &subject)?;
    if args.shard.is_some() {
        file::save(&args.out, &learner.to_bytes(&subject)?, args.overwrite.existing())?;
        say!("{}: {} games; join all shards by `stackhand train mean`", args.out.display(), learner.games)?;
    } else {
        save(&args.out, &learner, &subject, args.overwrite.existing())?;
    }
    Ok(ExitCode::SUCCESS)
}

/// Joins shards.
///
/// # Errors
/// When they do not go together, or a file cannot be read or written.
pub fn run_mean(args: &MeanArgs) -> anyhow::Result<ExitCode> {
    let mut learners = Vec::new();
    let mut first: Option<Subject> = None;
    for part in &args.parts {
        let (learner, subject) = read(part)?;
        let seedless = Subject { course: Course { seed: 0, ..subject.course }, ..subject.clone() };
        let wanted = first.get_or_insert_with(|| seedless.clone());
        check_same(part, &seedless, wanted)?;
        learners.push(learner);
    }
    let mean = Learner::mean(&learners).zip(first);
    let (mean, subject) = mean.ok_or_else(|| Misuse("there is nothing to join; name what the shards wrote".into()))?;
    save(&args.out, &mean, &subject, args.overwrite.existing())?;
    Ok(ExitCode::SUCCESS)
}

impl Args {
    fn subject(&self) -> Subject {
        let shard = self.shard.map_or(0, Shard::index);
        let course = Course {
            seed: self.seed.wrapping_add(shard.wrapping_mul(SHARD_SEEDS)),
            games_of_one: self.games_of_one,
            games_of_two: self.games_of_two,
            discount: self.discount,
            rate_max: self.rate,
        };
        let from = self.from.clone().unwrap_or_else(|| "nothing".into());
        Subject { game: self.game.to_string(), from, course }
    }

    /// The learner as it was written down, or a new one.
    fn begun(&self, subject: &Subject) -> anyhow::Result<Learner> {
        if let Some(path) = &self.checkpoint {
            if path.try_exists().unwrap_or(true) {
                let (learner, found) = read(path)?;
                check_same(path, &found, subject)?;
                let games = self.games_of_one + self.games_of_two;
                out::note(format_args!("{}: going on after {} of {games} games", path.display(), learner.games));
                return Ok(learner);
            }
            file::check(path, Existing::Keep)?;
        }
        let Some(from) = &self.from else { return Ok(Learner::default()) };
        let value = ai::load_value(from)?;
        Ok(Learner::from_weights(value.weights()))
    }

    fn learn(&self, learner: &mut Learner, reach: &Reach<'_>, subject: &Subject) -> anyhow::Result<()> {
        let mut progress = Progress::new("Learning; Ctrl-C ends");
        let (clock, games) = (SystemClock::new(), self.games_of_one + self.games_of_two);
        let (begin, mut written) = (learner.games, clock.now());
        let (mut lately, mut over) = (Lesson::default(), 0);
        while learner.games < games {
            let lesson = learner.play(reach, &subject.course);
            lately += lesson;
            over += u64::from(lesson.is_over);
            if learner.games.is_multiple_of(GAMES_TOLD) {
                let share = (learner.games - begin) as f64 / (games - begin).max(1) as f64;
                progress.show(Some(share), || told(learner.games, games, &lately, over));
                (lately, over) = (Lesson::default(), 0);
            }
            let now = clock.now();
            if let Some(path) = self.checkpoint.as_ref().filter(|_| now.ms_since(written) > WRITTEN_EVERY_MS) {
                write_down(learner, subject, path)?;
                written = now;
            }
        }
        self.checkpoint.as_ref().map_or(Ok(()), |path| write_down(learner, subject, path))
    }
}

/// How it goes: what a line was worth of the 100 % that it is in a four, and how many games were lost.
fn told(done: u64, games: u64, lately: &Lesson, over: u64) -> String {
    let worth = 100.0 * lately.worth / lately.lines.max(1) as f64;
    format!("{done} of {games} games; a line is worth {worth:.0} %, {over} of {GAMES_TOLD} lost; Ctrl-C ends")
}

fn write_down(learner: &Learner, subject: &Subject, path: &Path) -> anyhow::Result<()> {
    file::save(path, &learner.to_bytes(subject)?, Existing::Replace).with_context(|| {
        format!("the training ends, for it cannot be written down; {} is as it was last written, and the same command goes on from there", path.display())
    })
}

fn read(path: &Path) -> anyhow::Result<(Learner, Subject)> {
    Ok(Learner::from_bytes(&path.display().to_string(), &file::read_bytes(path, LEARNER_BYTES_MAX)?)?)
}

fn check_same(path: &Path, found: &Subject, wanted: &Subject) -> Result<(), LearnerError> {
    if found == wanted {
        return Ok(());
    }
    let name = path.display().to_string();
    Err(LearnerError::Different { name, found: found.to_string(), wanted: wanted.to_string() })
}

fn save(path: &Path, learner: &Learner, subject: &Subject, existing: Existing) -> anyhow::Result<()> {
    let about = format!("learned by playing: {subject}; {} games played", learner.games);
    let value = Value::rounded(about, subject.course.discount, &learner.weights);
    let value = value.ok_or(BrainError::Diverged).context("what was learned is not written")?;
    file::save(path, &value.to_bytes()?, existing)?;
    say!("{}: {} games; compare it by `stackhand tournament --ai {}`", path.display(), learner.games, path.display())?;
    Ok(())
}
