//! Whole games straight on the model, without time, camera or finger:
//! `cargo run --release --example games -- --games 300 --seed 1 [--ai NAME|FILE.toml] [--filter no-rotation|well|pattern:F.png]...
//! [--level 19] [--lines 230]`.
//!
//! Prints lines, the share of them cleared in fours, the score, and rows of a picture drawn right.

use anyhow::Context;
use clap::Parser;
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use stackhand::app::ai::load;
use stackhand::app::filters::{FilterSpec, load_all};
use stackhand::game::Board;
use stackhand::game::Counters;
use stackhand::game::Movement;
use stackhand::game::movement::place;
use stackhand::game::nes::random::Random;
use stackhand::planner::{Brain, Filters, Manner, Moves, two_piece};
use stackhand::profile::layout::Layout;

/// What to play.
#[derive(Parser)]
struct Args {
    /// Games.
    #[arg(long, default_value_t = 100)]
    games: u64,
    /// The first game's seed; each further game has the next.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Games end after this many lines.
    #[arg(long, default_value_t = 1000)]
    lines: u32,
    /// Games end after this many pieces.
    #[arg(long, default_value_t = 10_000)]
    pieces: u32,
    /// Level at which games start, for the score.
    #[arg(long, default_value_t = 0)]
    level: u8,
    /// Who decides: a name, or a file of weights (.toml) or of a learned value (.value) [default: the robot's].
    #[arg(long)]
    ai: Option<String>,
    /// Filters.
    #[arg(long)]
    filter: Vec<FilterSpec>,
    /// Draw the last board of the first game.
    #[arg(long)]
    show: bool,
}

/// What a game came to.
struct Outcome {
    lines: u32,
    in_fours: u32,
    score: u32,
    pieces: u32,
    is_over: bool,
    /// Most rows of the picture that were right at once.
    drawn: usize,
    board: Board,
}

fn main() -> anyhow::Result<()> {
    let args = Args::parse();
    let movement = Layout::load("nes")?.movement().context("the NES spawns known pieces")?;
    let filters = load_all(&args.filter)?;
    let brain = args.ai.as_deref().map_or_else(|| Ok(Brain::default()), load)?;
    let outcome = |i| play(&args, &movement, &brain, &filters, args.seed + i);
    let outcomes: Vec<Outcome> = (0..args.games).map(outcome).collect();
    let column = |of: fn(&Outcome) -> u32| outcomes.iter().map(of).collect::<Vec<_>>();
    print("lines", column(|o| o.lines));
    print("score", column(|o| o.score));
    print("pieces", column(|o| o.pieces));
    let (lines, fours) = (column(|o| o.lines).iter().sum::<u32>(), column(|o| o.in_fours).iter().sum::<u32>());
    println!("{:.1} % of all lines in fours", 100.0 * f64::from(fours) / f64::from(lines.max(1)));
    println!("{} of {} games over", outcomes.iter().filter(|o| o.is_over).count(), outcomes.len());
    if let Some(pattern) = filters.pattern {
        print(&format!("rows drawn of {}", pattern.len()), column(|o| o.drawn as u32));
    }
    if let Some(first) = outcomes.first().filter(|_| args.show) {
        println!("{:?}", first.board);
    }
    Ok(())
}

fn play(args: &Args, movement: &Movement, brain: &Brain, filters: &Filters, seed: u64) -> Outcome {
    let mut dice = Xoshiro256PlusPlus::seed_from_u64(seed);
    // A hand's irregular pace decides which pieces come.
    let mut random = Random::new(dice.random_range(1..=u16::MAX));
    let mut draw = move || {
        (0..dice.random_range(20..300)).for_each(|_| random.step());
        random.pick()
    };
    let mut counters = Counters::new(args.level);
    let (mut board, mut piece, mut next) = (Board::default(), draw(), draw());
    let (mut in_fours, mut pieces, mut drawn, mut is_over) = (0, 0, 0, false);
    while counters.lines < args.lines && pieces < args.pieces {
        let from = movement.spawn(piece);
        let manner = if filters.no_rotation { Manner::Unturned } else { Manner::Freely };
        let moves = Moves { movement, manner };
        let ranked = two_piece(&board, from, Some(next), &moves, &filters.over(&board, brain.evaluator.as_ref()));
        let Some(best) = ranked.first() else {
            is_over = true;
            break;
        };
        let (after, lines) = place(&board, best.pose);
        counters.lock(lines, 0);
        in_fours += if lines == 4 { 4 } else { 0 };
        board = after;
        pieces += 1;
        drawn = drawn.max(filters.pattern.map_or(0, |pattern| pattern.finished_rows(&board)));
        if filters.pattern.is_some_and(|pattern| drawn == pattern.len()) {
            break;
        }
        (piece, next) = (next, draw());
    }
    let Counters { lines, score, .. } = counters;
    Outcome { lines, in_fours, score, pieces, is_over, drawn, board }
}

fn print(what: &str, mut values: Vec<u32>) {
    values.sort_unstable();
    let n = values.len().max(1);
    let mean = values.iter().map(|&v| f64::from(v)).sum::<f64>() / n as f64;
    let spread = (values.iter().map(|&v| (f64::from(v) - mean).powi(2)).sum::<f64>() / n as f64 / n as f64).sqrt();
    let at = |q: f64| values.get(((n - 1) as f64 * q).round() as usize).copied().unwrap_or(0);
    println!("{what}: mean {mean:.2} ± {spread:.2}, median {}, {} to {}", at(0.5), at(0.0), at(1.0));
}
