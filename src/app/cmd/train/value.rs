//! `train value`: what piles are worth, learned game by game, and the mean of what several have learned.

use super::files::{Part, TrainingFiles};
use crate::app::args::contest::{GameArgs, GameSpec};
use crate::app::args::files::Overwrite;
use crate::app::args::{Misuse, ai};
use crate::app::out::{self, say};
use crate::app::progress::Progress;
use crate::file::{self, Existing};
use crate::planner::BrainError;
use crate::planner::value::patterns::FIELD;
use crate::planner::value::{LAST_LINES_MAX, count_alike};
use crate::time::{Clock, SystemClock};
use crate::train::learning::fits;
use crate::train::training::Shard;
use crate::train::{Course, EndCourse, EndLearner, Finger, Learner, LearnerError, Lesson, Measure, Reach, Subject};
use anyhow::Context;
use std::fmt;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// A learner's file is not larger, bytes.
const LEARNER_BYTES_MAX: u64 = 256 << 20;
/// How often it is written down, ms.
const WRITTEN_EVERY_MS: f64 = 60_000.0;
/// Games of which the progress tells.
const GAMES_TOLD: u64 = 100;
/// A piece has no more placements than so many.
const FINALISTS_MAX: usize = 200;
/// Seeds from one shard to the next.
const SHARD_SEEDS: u64 = 1 << 40;

/// Options of `train value`.
#[derive(clap::Args)]
pub struct Args {
    #[command(flatten)]
    game: GameArgs,
    /// Games to play.
    #[arg(help_heading = "Training", long, default_value_t = 200_000, value_parser = crate::app::args::values::count)]
    games: u64,
    /// What counts: score (in lines cleared in fours) or lines.
    #[arg(help_heading = "Game", long, default_value = "score", value_parser = parse_measure)]
    measure: Measure,
    /// What a piece later counts less: a factor.
    #[arg(help_heading = "Training", long, default_value_t = 0.996, value_parser = share)]
    discount: f32,
    /// What each placed piece counts beside its lines, in lines cleared in fours (or lines): the more, the less is risked.
    #[arg(help_heading = "Training", long, default_value_t = 0.0, value_parser = survival)]
    survival: f32,
    /// The greatest share of an error that is mended at once; at the end a fiftieth of it.
    #[arg(help_heading = "Training", long, default_value_t = 0.5, value_parser = share)]
    rate: f32,
    /// Placements of each piece after which all of the next one are looked at, before one of them is taken: learns what piles
    /// are worth to who looks so far; with 3 a game takes about twice as long.
    #[arg(help_heading = "Training", long, value_name = "N", default_value_t = 1, value_parser = finalists)]
    finalists: usize,
    /// Whose weights to begin with: a learned AI by name, or a .value file [default: none].
    #[arg(help_heading = "Training", long, value_name = "NAME|FILE")]
    from: Option<String>,
    /// Learn what so many lines before the end are worth, and nothing else: the value that it begins with is kept for what
    /// comes before.
    #[arg(
        help_heading = "Training", long, value_name = "LINES", requires = "from",
        conflicts_with_all = ["measure", "discount", "survival", "shard", "checkpoint", "finalists"],
        value_parser = clap::value_parser!(u64).range(1..=LAST_LINES_MAX as u64)
    )]
    last_lines: Option<u64>,
    /// The first game's seed.
    #[arg(help_heading = "Training", long, default_value_t = 1)]
    seed: u64,
    #[command(flatten)]
    part: Part,
    #[command(flatten)]
    files: TrainingFiles,
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

fn parse_measure(text: &str) -> Result<Measure, String> {
    let known = [Measure::Score, Measure::Lines];
    known.into_iter().find(|measure| measure.name() == text).ok_or_else(|| "use score or lines".into())
}

fn share(text: &str) -> Result<f32, String> {
    text.parse().ok().filter(|share| *share > 0.0 && *share < 1.0).ok_or_else(|| "give a number between 0 and 1".into())
}

fn finalists(text: &str) -> Result<usize, String> {
    text.parse()
        .ok()
        .filter(|count| (1..=FINALISTS_MAX).contains(count))
        .ok_or_else(|| format!("give a number from 1 to {FINALISTS_MAX}"))
}

fn survival(text: &str) -> Result<f32, String> {
    text.parse().ok().filter(|worth| (0.0..=10.0).contains(worth)).ok_or_else(|| "give a number from 0 to 10".into())
}

/// Learns, and writes what comes of it.
///
/// # Errors
/// When the options contradict each other or an older checkpoint, or a file cannot be written.
pub fn run(args: &Args) -> anyhow::Result<ExitCode> {
    args.check_game()?;
    if args.game.to_pieces.is_some() || args.game.reaction_frames > 0 {
        let words = "a lesson ends by its lines, and its player knows the next piece at once; leave out --to-pieces and \
                     --reaction-frames";
        return Err(Misuse(words.into()).into());
    }
    if args.game.has_junk() {
        return Err(Misuse("a lesson begins with an empty field; leave out --junk-rows and --junk-rises".into()).into());
    }
    args.files.check()?;
    let contest = args.game.contest()?;
    if args.finalists > 1 && contest.finger == Finger::Dropping {
        let words = "in simple games nobody sees the next piece; leave out --finalists, or learn in the console's game";
        return Err(Misuse(words.into()).into());
    }
    let subject = args.subject();
    let reach = Reach::of(&contest);
    if let (Some(from), Some(last_lines)) = (&args.from, args.last_lines) {
        return args.learn_the_end(from, last_lines, &reach);
    }
    let mut learner = args.begun(&reach, &subject)?;
    args.learn(&mut learner, &reach, &subject)?;
    let out = &args.files.out;
    if args.part.shard.is_some() {
        file::save(out, &learner.to_bytes(&subject)?, args.files.existing())?;
        say!("{}: {} games; join all shards by `stackhand train mean`", out.display(), learner.games)?;
    } else {
        save(out, &learner, &subject, args.files.existing())?;
    }
    Ok(ExitCode::SUCCESS)
}

/// Joins shards.
///
/// # Errors
/// When they do not go together, or a file cannot be read or written.
pub fn run_mean(args: &MeanArgs) -> anyhow::Result<ExitCode> {
    let mut learners = Vec::new();
    let mut seeds: Vec<u64> = Vec::new();
    let mut first: Option<Subject> = None;
    for part in &args.parts {
        let (learner, subject) = read(part)?;
        let Course { seed, games, .. } = subject.course;
        if learner.games < games {
            let (part, done) = (part.display(), learner.games);
            return Err(
                Misuse(format!("{part} has played {done} of {games} games; let it go on to its end first")).into()
            );
        }
        if seeds.contains(&seed) {
            return Err(
                Misuse(format!("{} played the same games as another; name each shard once", part.display())).into()
            );
        }
        seeds.push(seed);
        let seedless = |subject: &Subject| Subject { course: Course { seed: 0, ..subject.course }, ..subject.clone() };
        let wanted = first.get_or_insert_with(|| subject.clone());
        check_same(part, &seedless(&subject), &seedless(wanted))?;
        learners.push(learner);
    }
    let mean = Learner::mean(&learners).zip(first);
    let (mean, subject) = mean.ok_or_else(|| Misuse("there is nothing to join; name what the shards wrote".into()))?;
    save(&args.out, &mean, &subject, args.overwrite.existing())?;
    Ok(ExitCode::SUCCESS)
}

impl Args {
    /// Values look at ten columns, and at no more rows than the console has.
    fn check_game(&self) -> Result<(), Misuse> {
        match self.game.game {
            GameSpec::Nes => Ok(()),
            GameSpec::Simple { columns, rows } if columns == FIELD[0] && rows <= FIELD[1] => Ok(()),
            GameSpec::Simple { .. } | GameSpec::Standard { .. } | GameSpec::BType(_) => Err(Misuse(
                "values are learned in the console's game, or in the simple one on a field of 10 columns and at most 20 rows; \
                 leave out --game, or give one such as simple:10x10"
                    .into(),
            )),
        }
    }

    /// Learns what the last lines are worth by a value, and writes it with that.
    fn learn_the_end(&self, from: &str, last_lines: u64, reach: &Reach<'_>) -> anyhow::Result<ExitCode> {
        let value = ai::load_value(from)?;
        if !fits(reach, &value) {
            return Err(other_patterns(from).into());
        }
        let to_lines = reach.contest().to_lines;
        if last_lines >= to_lines {
            let words = format!("games of {to_lines} lines have no {last_lines} last ones; give fewer --last-lines");
            return Err(Misuse(words).into());
        }
        let course = EndCourse { seed: self.seed, games: self.games, last_lines, rate_max: self.rate };
        let mut learner = EndLearner::new(&value, course);
        let mut progress = Progress::new("Learning; Ctrl-C ends");
        let mut lately = Lately::default();
        while learner.games() < self.games {
            lately.hear(learner.play(reach));
            if lately.games == GAMES_TOLD {
                let share = learner.games() as f64 / self.games.max(1) as f64;
                progress.show(Some(share), || {
                    format!("{} of {} games; {lately}; Ctrl-C ends", learner.games(), self.games)
                });
                lately = Lately::default();
            }
        }
        drop(progress);
        if learner.is_untaught() {
            let words = "games were lost before their last lines, so nothing is known of some of these; take --from a value for \
                         this --finger, or more --games";
            return Err(Misuse(words.into()).into());
        }
        let learned = learner.value().ok_or(BrainError::Diverged).context("what was learned is not written")?;
        let out = &self.files.out;
        file::save(out, &learned.to_bytes()?, self.files.existing())?;
        let out = out.display();
        say!("{out}: {} games; compare it by `stackhand tournament --ai {out}`", self.games)?;
        Ok(ExitCode::SUCCESS)
    }

    fn subject(&self) -> Subject {
        let shard = self.part.shard.map_or(0, Shard::index);
        let course = Course {
            seed: self.seed.wrapping_add(shard.wrapping_mul(SHARD_SEEDS)),
            games: self.games,
            measure: self.measure,
            discount: self.discount,
            survival: self.survival,
            rate_max: self.rate,
            finalists: self.finalists,
        };
        let from = self.from.clone().unwrap_or_else(|| "nothing".into());
        Subject { game: self.game.to_string(), from, course }
    }

    /// The learner as it was written down, or a new one.
    fn begun(&self, reach: &Reach<'_>, subject: &Subject) -> anyhow::Result<Learner> {
        if let Some(path) = self.files.begun()? {
            let (learner, found) = read(path)?;
            check_same(path, &found, subject)?;
            out::note(format_args!("{}: going on after {} of {} games", path.display(), learner.games, self.games));
            return Ok(learner);
        }
        let Some(from) = &self.from else { return Ok(Learner::new(reach, &subject.course)) };
        let value = ai::load_value(from)?;
        if !count_alike(&value.about().gains, &subject.course.gains()) {
            let words = format!(
                "{from} counts something else than --measure says; begin --from another value, or from nothing"
            );
            return Err(Misuse(words).into());
        }
        Ok(Learner::from_value(reach, &value, &subject.course).ok_or_else(|| other_patterns(from))?)
    }

    fn learn(&self, learner: &mut Learner, reach: &Reach<'_>, subject: &Subject) -> anyhow::Result<()> {
        let mut progress = Progress::new("Learning; Ctrl-C ends");
        let (clock, games, begin) = (SystemClock::new(), self.games, learner.games);
        let mut written = clock.now();
        let (mut lately, mut last) = (Lately::default(), Lately::default());
        while learner.games < games {
            lately.hear(learner.play(reach, &subject.course));
            if lately.games == GAMES_TOLD {
                let share = (learner.games - begin) as f64 / (games - begin).max(1) as f64;
                progress.show(Some(share), || format!("{} of {games} games; {lately}; Ctrl-C ends", learner.games));
                last = std::mem::take(&mut lately);
            }
            let now = clock.now();
            if now.ms_since(written) > WRITTEN_EVERY_MS {
                self.files.write_down(|| Ok(learner.to_bytes(subject)?))?;
                written = now;
            }
        }
        drop(progress);
        let (played, lost) = (last.games + lately.games, last.lost + lately.lost);
        if played > 0 && lost == played {
            let words = "all of the last games were lost: nothing worth using was learned. Begin --from a learned AI, or with \
                         more --games";
            out::note(format_args!("{words}"));
        }
        self.files.write_down(|| Ok(learner.to_bytes(subject)?))
    }
}

/// Why it is not begun with a value.
fn other_patterns(from: &str) -> Misuse {
    Misuse(format!(
        "{from} looks at another field, or at other patterns than are learned with this --finger; begin --from another value"
    ))
}

/// How it went lately.
#[derive(Default)]
struct Lately {
    games: u64,
    lost: u64,
    lesson: Lesson,
}

impl Lately {
    fn hear(&mut self, lesson: Lesson) {
        self.games += 1;
        self.lost += u64::from(lesson.is_over);
        self.lesson += lesson;
    }
}

impl fmt::Display for Lately {
    /// Lines of a game, what each was worth of the 100 % that it is in a four, and how many games were lost.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let worth = 100.0 * self.lesson.worth / self.lesson.lines.max(1) as f64;
        let lines = self.lesson.lines as f64 / self.games.max(1) as f64;
        write!(f, "{lines:.1} lines a game, each worth {worth:.0} %, {} of {} lost", self.lost, self.games)
    }
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
    let value = learner.value(about, &subject.course);
    let value = value.ok_or(BrainError::Diverged).context("what was learned is not written")?;
    file::save(path, &value.to_bytes()?, existing)?;
    say!("{}: {} games; compare it by `stackhand tournament --ai {}`", path.display(), learner.games, path.display())?;
    Ok(())
}
