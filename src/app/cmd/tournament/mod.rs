//! `tournament`: AIs compared on the model alone, with the same pieces.

mod page;
mod summary;

use crate::app::args::contest::{GameArgs, GameSpec};
use crate::app::args::files::Overwrite;
use crate::app::args::filters::{FilterSpec, load_all};
use crate::app::args::search::SearchSpec;
use crate::app::args::values::count;
use crate::app::args::{Misuse, ai};
use crate::app::out;
use crate::app::progress::Progress;
use crate::app::terminal::wrapped;
use crate::file;
use crate::planner::timed::Style;
use crate::planner::{Brain, Budget, Filters, pattern};
use crate::time::SystemClock;
use crate::train::contest::{Contest, Ending, Finger, Outcome};
use crate::train::tournament::Game;
use crate::train::{Look, Rising, Searcher, Standing, Start, Tournament};
use anyhow::{Context, bail};
use page::Page;
use serde::Serialize;
use std::ops::Range;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Mutex;
use summary::Summary;

/// Pairs of placements for which the third piece is looked at, where an AI has no number of its own.
const PAIRS: usize = 40;
/// Piles that a search through drawn futures rates for a move.
const NODES: u64 = 20_000;
/// Characters in a line below the table at most.
const COLUMNS_MAX: usize = 100;

/// Options of `tournament`.
///
/// No camera, no relays: whole games on the model of the game. All play the same seeds, which means the same pieces; the same
/// seeds give the same figures, but for the times of moves, whatever the number of threads. Scores are counted past 999,999.
#[derive(clap::Args)]
pub struct Args {
    /// Who plays: names, or files of weights (.toml), such as birken-2019,mine.toml; `list` names those that come with the
    /// program.
    #[arg(help_heading = "Players", long, value_name = "NAME|FILE", value_delimiter = ',', required = true)]
    ai: Vec<String>,
    /// Pieces that a player looks at: the falling one (1), the next one too (2), or also all that may come after it (3); with
    /// pairs it looks at two, places both, and only then looks at the next two [default: on the console 3 for learned values
    /// and 2 for weights, else 1].
    #[arg(help_heading = "Players", long, value_name = "1|2|3|pairs", value_parser = parse_pieces)]
    pieces: Option<Look>,
    /// Look into futures that are drawn as the generator draws, instead of at all that may come: beam:WIDTHxPIECES follows the
    /// WIDTH best piles for so many pieces after the falling one, rollouts:PLACESxPIECES plays on from the best PLACES.
    #[arg(help_heading = "Players", long, value_name = "SEARCH", conflicts_with = "pieces")]
    search: Option<SearchSpec>,
    /// Piles that such a search may rate for a move; it ends with the future in which they are spent [default: 20000].
    #[arg(help_heading = "Players", long, value_name = "N", value_parser = count, requires = "search")]
    nodes: Option<u64>,
    /// Which placements are chosen among, as in dry-run: well, or pattern:FILE.png [default: all]. May be given more than once.
    #[arg(help_heading = "Players", long, value_name = "FILTER")]
    filter: Vec<FilterSpec>,
    #[command(flatten)]
    game: GameArgs,
    /// From this level on pieces fall two rows in the time of one: how people make games end that fall no faster by
    /// themselves. Only for fingers of 10 taps a second or more, without --reaction-frames.
    #[arg(help_heading = "Players", long, value_name = "LEVEL")]
    double_speed_from: Option<u8>,
    /// Games that each plays.
    #[arg(help_heading = "Games", long, default_value_t = 100, value_parser = count)]
    games: u64,
    /// Seed of the first game; the others follow.
    #[arg(help_heading = "Games", long, default_value_t = 1)]
    seed: u64,
    /// Games that are played at once [default: one for each core].
    #[arg(help_heading = "Games", long, value_parser = clap::value_parser!(u16).range(1..=1024))]
    threads: Option<u16>,
    /// Write a page (HTML) with tables, histograms and curves.
    #[arg(help_heading = "Files", long, value_name = "FILE")]
    report: Option<PathBuf>,
    #[command(flatten)]
    overwrite: Overwrite,
    /// Write JSON lines to standard output: one a game, and at the end one a player.
    #[arg(help_heading = "Output", long)]
    json: bool,
}

/// A line of JSON.
#[derive(Serialize)]
#[serde(tag = "event", rename_all = "snake_case")]
enum Line<'a> {
    Game(GameLine<'a>),
    Summary(&'a Summary),
}

/// What one game came to.
#[derive(Serialize)]
struct GameLine<'a> {
    ai: &'a str,
    seed: u64,
    score: u64,
    lines: u64,
    lines_by: [u64; 4],
    pieces: u64,
    level: u8,
    /// Rows of junk that there were at the start or rose since; where there is junk.
    #[serde(skip_serializing_if = "Option::is_none")]
    junk_rows: Option<u64>,
    /// Rows of the picture that are right at the end; where one is drawn.
    #[serde(skip_serializing_if = "Option::is_none")]
    picture_rows: Option<usize>,
    /// It ended because it was lost, not because it was long enough.
    lost: bool,
}

impl<'a> GameLine<'a> {
    fn of(ai: &'a str, seed: u64, outcome: &Outcome, filters: &Filters) -> Self {
        let Outcome { score, lines, lines_by, pieces, level, junk_rows, field, ending } = *outcome;
        let picture_rows = filters.pattern.map(|picture| picture.finished_rows(&field));
        let (junk_rows, lost) = ((junk_rows > 0).then_some(junk_rows), ending == Ending::ToppedOut);
        Self { ai, seed, score, lines, lines_by, pieces, level, junk_rows, picture_rows, lost }
    }
}

/// Runs it.
pub fn run(args: &Args) -> anyhow::Result<ExitCode> {
    if args.ai.iter().any(|name| name == ai::LIST) {
        ai::print_list()?;
        return Ok(ExitCode::SUCCESS);
    }
    let brains = args.ai.iter().map(|spec| ai::load(spec)).collect::<Result<Vec<_>, _>>()?;
    let contest = Contest { double_speed_from: args.double_speed_from, ..args.game.contest()? };
    args.check_speed(&contest)?;
    let field = [contest.field.width(), contest.field.height()];
    let filters = args.filters(field)?;
    brains.iter().try_for_each(|brain| brain.check(field, &filters))?;
    if brains.iter().any(|brain| brain.modern.is_some()) {
        bail!(
            "the AI modern plays no tournament, whose games have neither hold nor kicks; use `stackhand versus`, or another --ai"
        );
    }
    if args.pieces == Some(Look::Pairs) {
        if args.game.reaction_frames > 0 {
            let words = "who places two pieces at once knows both from the start; leave out --reaction-frames or --pieces pairs";
            return Err(Misuse(words.into()).into());
        }
        // What a learned value expects of a pile depends on the piece that falls next, which the second of a pair would not see.
        if let Some((name, _)) = args.ai.iter().zip(&brains).find(|(_, brain)| brain.evaluator.by_next().is_some()) {
            return Err(Misuse(format!(
                "{name} is a learned value and looks on with every piece; leave out --pieces pairs"
            ))
            .into());
        }
    }
    let existing = args.overwrite.existing();
    args.report.as_deref().map_or(Ok(()), |path| file::check(path, existing))?;
    let standings = args.play(&contest, &brains, filters)?;
    let summary = |(name, standing): (&String, &Standing)| Summary::of(name, &contest, standing);
    let summaries: Vec<Summary> = args.ai.iter().zip(&standings).map(summary).collect();
    if let Some(path) = &args.report {
        let page = Page { settings: args.settings(&contest), summaries: &summaries, standings: &standings };
        file::save(path, page.to_html().into_string().as_bytes(), existing)?;
    }
    if args.json {
        summaries.iter().try_for_each(|summary| print_json(&Line::Summary(summary)))?;
    } else {
        print_table(&summaries)?;
    }
    Ok(ExitCode::SUCCESS)
}

impl Args {
    /// How far this AI looks.
    fn look(&self, brain: &Brain) -> Look {
        if let Some(search) = self.search {
            let budget = Budget { nodes: self.nodes.unwrap_or(NODES), seed: self.seed };
            return search.beam_or_rollouts(budget, Look::Beam, Look::Rollouts);
        }
        self.pieces.unwrap_or(match self.game.game {
            GameSpec::Simple { .. } | GameSpec::Standard { .. } => Look::One,
            _ if brain.evaluator.by_next().is_some() => Look::Beyond { pairs: PAIRS },
            _ => Look::Two,
        })
    }

    /// What is chosen among.
    fn filters(&self, field: [usize; 2]) -> anyhow::Result<Filters> {
        let filters = load_all(&self.filter)?;
        if filters.no_rotation {
            return Err(
                Misuse("who never turns a piece has a finger that does not; give --finger unturned".into()).into()
            );
        }
        if filters.pattern.is_some() && field != [pattern::COLUMNS, pattern::ROWS] {
            let [columns, rows] = [pattern::COLUMNS, pattern::ROWS];
            let words = format!("a picture has {columns} × {rows} cells; give a --game with such a field");
            return Err(Misuse(words).into());
        }
        Ok(filters)
    }

    /// Only single taps are known at double speed.
    fn check_speed(&self, contest: &Contest) -> Result<(), Misuse> {
        let is_known = matches!(contest.finger, Finger::Timed { style: Style::Taps, reaction_frames: 0, .. });
        if self.double_speed_from.is_some() && !is_known {
            let words = "--double-speed-from is known only of fingers of 10 taps a second or more that react at once; give \
                         --finger such as hz:12, and leave out --reaction-frames";
            return Err(Misuse(words.into()));
        }
        Ok(())
    }

    fn seeds(&self) -> Result<Range<u64>, Misuse> {
        let end = self.seed.checked_add(self.games);
        let end = end.ok_or_else(|| {
            Misuse(format!("there are no {} seeds from --seed {} on; give a smaller one", self.games, self.seed))
        })?;
        Ok(self.seed..end)
    }

    fn play(&self, contest: &Contest, brains: &[Brain], filters: Filters) -> anyhow::Result<Vec<Standing>> {
        let players: Vec<Searcher<'_>> = brains
            .iter()
            .map(|brain| Searcher::new(brain.evaluator.as_ref(), self.look(brain), contest.generator).filtered(filters))
            .collect();
        let games = self.games.saturating_mul(players.len() as u64);
        let progress = Mutex::new(Progress::new("Playing; Ctrl-C ends"));
        let hear = |share: f64| {
            // Who draws at the moment draws nearly the same.
            if let Ok(mut progress) = progress.try_lock() {
                progress.show(Some(share), || format!("{:.1} of {games} games; Ctrl-C ends", share * games as f64));
            }
        };
        let clock = SystemClock::new();
        let tournament =
            Tournament { contest, players: &players, seeds: self.seeds()?, clock_ns: &|| clock.ns(), hear: &hear };
        let see = |game: &Game| match self.json {
            true => print_json(&Line::Game(GameLine::of(&self.ai[game.player], game.seed, &game.outcome, &filters))),
            false => Ok(()),
        };
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(self.threads.map_or(0, usize::from))
            .build()
            .context("cannot start threads; give fewer with --threads")?;
        pool.install(|| tournament.play(see))
    }

    /// What was played, in words.
    fn settings(&self, contest: &Contest) -> Vec<String> {
        let finger = self.game.finger.map_or_else(|| "free".into(), |finger| finger.to_string());
        let is_simple = matches!(self.game.game, GameSpec::Simple { .. } | GameSpec::Standard { .. });
        let finger = if is_simple { "straight drops".into() } else { format!("finger {finger}") };
        let end = |count: u64, what: &str| (count < u64::MAX).then(|| format!("to {count} {what}"));
        let fixed = [
            Some(format!("game {}", self.game.game)),
            Some(format!("pieces by the generator {:?}", contest.generator).to_lowercase()),
            Some(finger),
            Some(format!("level {}", contest.start_level)),
            contest.double_speed_from.map(|level| format!("double speed from level {level}")),
            end(contest.to_lines, "lines"),
            end(contest.to_pieces, "pieces"),
            self.search.map(|search| format!("search {search} of {} piles", self.nodes.unwrap_or(NODES))),
            self.search.is_none().then(|| {
                let named = LOOKS.into_iter().find(|(_, look)| Some(*look) == self.pieces);
                named.map_or("as many pieces looked at as is usual".into(), |(name, _)| {
                    format!("pieces looked at: {name}")
                })
            }),
            (contest.start != Start::Field).then(|| format!("at the start {:?}", contest.start).to_lowercase()),
            (contest.rising != Rising::Never).then(|| format!("junk rises {:?}", contest.rising).to_lowercase()),
            (!self.filter.is_empty()).then(|| {
                let all = self.filter.iter().map(ToString::to_string).collect::<Vec<_>>();
                format!("filters {}", all.join(", "))
            }),
            Some(format!("seeds {} to {}", self.seed, self.seed + (self.games - 1))),
        ];
        fixed.into_iter().flatten().collect()
    }
}

/// What may be looked at, by name.
const LOOKS: [(&str, Look); 4] =
    [("1", Look::One), ("2", Look::Two), ("3", Look::Beyond { pairs: PAIRS }), ("pairs", Look::Pairs)];

fn parse_pieces(text: &str) -> Result<Look, String> {
    let found = LOOKS.into_iter().find(|(name, _)| *name == text);
    found.map(|(_, look)| look).ok_or_else(|| "use 1, 2, 3 or pairs".into())
}

fn print_table(summaries: &[Summary]) -> anyhow::Result<()> {
    out::line(Summary::HEAD)?;
    summaries.iter().try_for_each(|summary| out::line(summary.to_line()))?;
    for summary in summaries {
        let words = format!("{}: {}", summary.ai, summary.sentences().join(" "));
        out::line("")?;
        wrapped(&words, COLUMNS_MAX).into_iter().try_for_each(out::line)?;
    }
    Ok(())
}

fn print_json(line: &Line<'_>) -> anyhow::Result<()> {
    Ok(out::line(serde_json::to_string(line)?)?)
}
