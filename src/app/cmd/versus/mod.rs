//! `versus`: two programs that speak the Tetris Bot Protocol play the modern game against each other.

mod program;
mod referee;
mod summary;

use crate::app::args::Misuse;
use crate::app::args::values::{count, in_range};
use crate::app::out;
use crate::app::progress::Progress;
use crate::edge::words::split_words;
use crate::game::guideline;
use crate::time::SystemClock;
use anyhow::Context;
use program::Program;
use referee::{Game, Loss, Referee};
use serde::Serialize;
use std::process::ExitCode;
use summary::Summary;

/// Options of `versus`.
///
/// Two programs that speak the Tetris Bot Protocol lock a piece each in turn, both think as long and at the same time. Both get
/// the same pieces and the same gaps in the rows that are sent. Attack, counter-attack and ends are those of the guideline of
/// 2009. Who suggests nothing that can be played, or answers late, loses the game.
#[derive(clap::Args)]
pub struct Args {
    /// How the players are started, such as cold-clear-2 or "stackhand bot --nodes 5000": blanks part words as in a shell. If
    /// only one is given, this program's own bot plays against it.
    #[arg(value_name = "PROGRAM", value_parser = split_program, num_args = 1..=2, required = true)]
    programs: Vec<Words>,
    /// Games.
    #[arg(long, default_value_t = 100, value_parser = count)]
    games: u64,
    /// Seed of the first game's pieces and gaps; the others follow.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// How long both think about each piece before they are asked, ms.
    #[arg(long, value_name = "MS", default_value_t = 5.0, value_parser = milliseconds)]
    move_ms: f64,
    /// Who takes longer to answer then has lost the game, ms.
    #[arg(long, value_name = "MS", default_value_t = 200.0, value_parser = milliseconds)]
    late_ms: f64,
    /// Write JSON lines to standard output: one a game, and at the end one for the match.
    #[arg(long)]
    json: bool,
}

/// A program and its arguments.
#[derive(Debug, Clone)]
struct Words(Vec<String>);

fn split_program(text: &str) -> Result<Words, String> {
    let words = split_words(text)?;
    if words.is_empty() { Err("give a program to start".into()) } else { Ok(Words(words)) }
}

fn milliseconds(text: &str) -> Result<f64, String> {
    in_range(text, 0.0..=60_000.0, "a time from 0 to 60000 ms")
}

/// A line of JSON.
#[derive(Serialize)]
#[serde(tag = "event", rename_all = "snake_case")]
enum Line<'a> {
    Game(GameLine),
    Match(&'a Summary),
}

/// A game; what there is two of is the first's and the second's.
#[derive(Serialize)]
struct GameLine {
    seed: u64,
    /// 1 or 2; null if it was drawn.
    winner: Option<usize>,
    pieces: u64,
    sent: [u64; 2],
    attack: [u64; 2],
    loss: [Option<Loss>; 2],
}

impl GameLine {
    fn of(game: &Game) -> Self {
        let each = game.played.each_ref();
        Self {
            seed: game.seed,
            winner: game.winner.map(|player| player + 1),
            pieces: game.pieces,
            sent: each.map(|played| played.sent),
            attack: each.map(|played| played.attack),
            loss: each.map(|played| played.loss),
        }
    }
}

/// Runs it.
pub fn run(args: &Args) -> anyhow::Result<ExitCode> {
    let last = args.seed.checked_add(args.games - 1);
    let last = last.ok_or_else(|| Misuse("there are not so many seeds; give a smaller --seed".into()))?;
    let (clock, moves) = (SystemClock::new(), guideline::moves());
    let own = own_bot()?;
    let [first, second] = match &args.programs[..] {
        [first, second, ..] => [first, second],
        [second] => [&own, second],
        [] => [&own, &own],
    };
    let mut programs = [Program::start(&first.0, clock)?, Program::start(&second.0, clock)?];
    let referee = Referee { moves: &moves, clock, think_ms: args.move_ms, late_ms: args.late_ms };
    let mut summary = Summary::new(programs.each_ref().map(|program| program.name.clone()), args.move_ms);
    let mut progress = Progress::new("Playing; Ctrl-C ends");
    for seed in args.seed..=last {
        let game = referee.play(&mut programs, seed);
        summary.add(&game);
        if args.json {
            out::line(serde_json::to_string(&Line::Game(GameLine::of(&game)))?)?;
        }
        programs = again(programs, &game)?;
        let share = summary.games as f64 / args.games as f64;
        progress.show(Some(share), || format!("{}; Ctrl-C ends", summary.score()));
    }
    drop(progress);
    if args.json {
        out::line(serde_json::to_string(&Line::Match(&summary.finished()))?)?;
    } else {
        out::line(summary.finished().to_words())?;
    }
    Ok(ExitCode::SUCCESS)
}

/// This program's own bot.
fn own_bot() -> anyhow::Result<Words> {
    let own = std::env::current_exe().context("the system does not say where this program is; name both programs")?;
    Ok(Words(vec![own.to_string_lossy().into_owned(), "bot".into()]))
}

/// Whoever was late or ended is started anew, and that is said.
fn again(programs: [Program; 2], game: &Game) -> anyhow::Result<[Program; 2]> {
    let [first, second] = programs;
    let restart = |program: Program, player: usize| {
        let name = program.name.clone();
        let why = match game.played[player].loss {
            Some(Loss::Late) => "answered too late",
            Some(Loss::Ended) => "ended",
            Some(Loss::Illegal) => {
                out::note(format_args!(
                    "Game {}: {name} suggested nothing that can be played; it has lost.",
                    game.seed
                ));
                return Ok(program);
            }
            Some(Loss::ToppedOut) | None => return Ok(program),
        };
        out::note(format_args!("Game {}: {name} {why}; it has lost, and is started anew.", game.seed));
        program.restarted()
    };
    Ok([restart(first, 0)?, restart(second, 1)?])
}
