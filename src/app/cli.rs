//! Parse, run, report once, exit.

use super::{out, terminal};
use crate::app::args::Misuse;
use crate::app::args::find::Stopped;
use crate::app::cmd::{
    benchmark, bot, calibrate, completions, console, doctor, dry_run, film, first, game, help, play, replay,
    tournament, train, versus, watchdog,
};
use crate::file;
use clap::{CommandFactory, FromArgMatches, Parser, Subcommand};
use std::io::{self, IsTerminal};
use std::process::ExitCode;
use tracing::level_filters::LevelFilter;
use tracing_subscriber::filter::Targets;
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::util::SubscriberInitExt;

/// A robot hand for falling-block games: a webcam watches the screen, a relay board presses the buttons.
#[derive(Parser)]
#[command(version, max_term_width = 100, disable_help_subcommand = true, after_help = NEXT)]
struct Cli {
    #[command(subcommand)]
    command: Option<Command>,
    /// Say more on standard error (-v: what the robot decides, -vv: every picture).
    #[arg(short, long, global = true, display_order = 900, action = clap::ArgAction::Count)]
    verbose: u8,
}

const NEXT: &str = "First steps:
  stackhand dry-run --realtime --ui     see it play, without hardware
  stackhand doctor                      what works on this computer, and what to mend
  stackhand help boards                 also: sources, games, fingers";

#[derive(Subcommand)]
enum Command {
    /// Play at the built-in simulated table: console, camera and relay board, without hardware.
    #[command(after_help = "Examples:
  stackhand dry-run --realtime --ui                   watch it on a page, in real time
  stackhand dry-run --pieces 1000 --hard 0.5          as fast as may be, through a worse camera
  stackhand dry-run --level 18 --finger solid         a faster game, quicker contacts
  stackhand dry-run --game standard --junk 3          Standard Tetris, the first game for the PC, three rows of junk
  stackhand dry-run --fault dead:left@20              break something: who is blamed, and how soon?
  stackhand dry-run --record evening.shs              record it for `stackhand replay`")]
    DryRun(Box<dry_run::Args>),
    /// Say what works on this computer and at this table, and what to mend: cameras, ports, boards, permissions, timing.
    #[command(after_help = "Examples:
  stackhand doctor                                         all that can be told without touching relays
  stackhand doctor --relay adr2200:/dev/ttyUSB0 --click    each relay closed and opened once
  stackhand doctor --profile stackhand.toml --wiring       each button pressed in a running game
  stackhand doctor --relay adr2200:/dev/ttyUSB0 --open-relays")]
    Doctor(doctor::Args),
    /// Find the field in the picture and write the calibration file.
    #[command(after_help = "Examples:
  stackhand calibrate --source sim --layout nes                  practise on the simulated table
  stackhand calibrate --source camera:0 --layout nes --relay adr2200:/dev/ttyUSB0
  stackhand calibrate --latency                                  measure the rig's times, in a running game
  stackhand calibrate --source camera:0 --layout nes --no-ui     without a page")]
    Calibrate(calibrate::Args),
    /// Play on real hardware: camera and relay board.
    #[command(after_help = "Examples:
  stackhand play --profile stackhand.toml --ui                   with a page to watch, pause and stop
  stackhand play --profile stackhand.toml --record evening.shs   record it for `stackhand replay`
  stackhand play --profile stackhand.toml --relay none           only watch")]
    Play(play::Args),
    /// Say what happened in a recording: spawns, locks, boards.
    #[command(after_help = "Examples:
  stackhand replay evening.shs --ui                   scrub through it, export a part as a test case
  stackhand replay film.mkv --layout nes --auto       find the field in any video
  stackhand replay film.mkv --report report.html      a page with a picture of every mistake
  stackhand replay evening.shs --annotate film.mp4    the pictures with what was read in them")]
    Replay(replay::Args),
    /// Make a film of a recording, to look at and to show: the picture, the board, the presses.
    #[command(after_help = "Examples:
  stackhand film evening.shs                          evening-film.mp4: the whole run, in real time
  stackhand film evening.shs best.mp4 --from-s 60 --to-s 80
  stackhand film evening.shs fast.mp4 --speed 4       four times as fast
  stackhand film game.mkv film.webm --layout vitetris --auto")]
    Film(film::Args),
    /// Film simulated games with ever worse cameras, and count what replay would see of them.
    #[command(after_help = "Example:
  stackhand benchmark --hard 0,0.5,1 --clips 10")]
    Benchmark(benchmark::Args),
    /// Let AIs play the same games on the model alone, and compare them.
    #[command(after_help = "Examples:
  stackhand tournament --ai list                                 who can play
  stackhand tournament --ai birken-2019,birken-2014 --level 19 --games 30
  stackhand tournament --ai birken-2019 --finger hz:12 --report hz12.html
  stackhand tournament --ai dellacherie,bcts,dt-10 --game simple:10x10")]
    Tournament(tournament::Args),
    /// Find weights for the robot's placements by playing thousands of games on the model alone.
    #[command(after_help = "Examples:
  stackhand train swarm --features ms3 --out ms3.toml --checkpoint ms3.run    an hour; may be interrupted
  stackhand train cma --features holes,lines,well_cells --game nes --runs 2 --games 10 --out mine.toml
  stackhand train swarm --features ms3 --shard 2/4 --out part-2.toml          a quarter of the runs
  stackhand train merge part-1.toml part-2.toml part-3.toml part-4.toml --out ms3.toml
  stackhand train versus --out versus.toml                                    the modern game's brain, by self-play")]
    Train(train::Args),
    /// The brain of the modern game for other programs, by the Tetris Bot Protocol.
    #[command(after_help = "Examples:
  stackhand bot                                        messages on standard input, answers on standard output
  stackhand bot --nodes 10000                          the same moves on any computer")]
    Bot(bot::Args),
    /// Let two programs play the modern game against each other, by the Tetris Bot Protocol.
    #[command(after_help = "Examples:
  stackhand versus cold-clear-2 --games 10 --move-ms 5         this program's bot against another
  stackhand versus cold-clear-2 cold-clear --seed 7 --json     two others")]
    Versus(versus::Args),
    /// The simulated machine by itself: a window to play in and to film, of the console also movies, traces, test vectors.
    #[command(after_help = "Examples:
  stackhand console                                    arrows, X/Z, Enter, Shift; Esc closes it
  stackhand console --reference                        pictures to aim a camera at
  stackhand console --game standard                    Standard Tetris; its keys are said as the window opens
  stackhand console --game standard --board 100x60 --shadow   on a large board
  stackhand console --game mine.toml --level 3         a game that a file describes
  stackhand console --movie run.fm2 --trace run.jsonl  a movie, frame by frame")]
    Console(console::Args),
    /// How games play: those that come with the program, and files that describe others.
    #[command(after_help = "Examples:
  stackhand game list
  stackhand game show vitetris                         its file, to begin an own one with
  stackhand game show vitetris --pictures              its pieces: where each appears, and what each turn makes of it
  stackhand game import Standard.rul --out mine.toml   a rule of NullpoMino, and what of it a game file cannot say
  stackhand game check mine.toml                       what is wrong in it, or what was understood")]
    Game(game::Args),
    /// Print a script that completes commands: `stackhand completions bash > /etc/bash_completion.d/stackhand`.
    Completions(completions::Args),
    /// Print the manual page, or write those of all commands.
    Man(completions::ManArgs),
    /// A command's options; boards, sources, games or fingers: what may be given for them.
    Help(help::Args),
    /// Opens the relays when the process that started it was killed.
    #[command(name = crate::edge::relay::WATCHDOG, hide = true)]
    Watchdog(watchdog::Args),
}

/// Runs the program.
pub fn main() -> ExitCode {
    let parsed = command().try_get_matches().and_then(|given| Cli::from_arg_matches(&given));
    let cli = match parsed {
        Ok(cli) => cli,
        Err(asked) => return said(&asked),
    };
    let told = match cli.verbose {
        0 => Targets::new().with_default(LevelFilter::WARN),
        1 => Targets::new().with_target("stackhand", LevelFilter::DEBUG),
        _ => Targets::new().with_target("stackhand", LevelFilter::TRACE),
    };
    let lines = tracing_subscriber::fmt::layer()
        .with_writer(|| out::Messages)
        .with_ansi(terminal::has_colours(&io::stderr()))
        .without_time()
        .with_target(false);
    tracing_subscriber::registry().with(lines).with(told).init();
    if let Err(error) = file::outlive_size_limits() {
        tracing::debug!("a file that reaches the system's limit would end the program: {error}");
    }
    let Some(command) = cli.command else { return ended(without_a_command()) };
    ended(match command {
        Command::DryRun(args) => dry_run::run(&args),
        Command::Calibrate(args) => calibrate::run(&args),
        Command::Play(args) => play::run(&args),
        Command::Benchmark(args) => benchmark::run(&args),
        Command::Tournament(args) => tournament::run(&args),
        Command::Bot(args) => bot::run(&args),
        Command::Versus(args) => versus::run(&args),
        Command::Console(args) => console::run(&args),
        Command::Replay(args) => replay::run(&args),
        Command::Film(args) => film::run(&args),
        Command::Train(args) => train::run(&args),
        Command::Doctor(args) => doctor::run(&args),
        Command::Game(args) => game::run(&args),
        Command::Completions(args) => completions::run::<Cli>(&args),
        Command::Man(args) => completions::man::<Cli>(&args),
        Command::Help(args) => help::run::<Cli>(&args),
        Command::Watchdog(args) => watchdog::run(&args),
    })
}

/// What to do next, for a person; a script has forgotten something.
fn without_a_command() -> anyhow::Result<ExitCode> {
    if io::stdout().is_terminal() {
        return first::run();
    }
    out::note(Cli::command().render_help());
    Ok(ExitCode::from(2))
}

/// Tells an error once.
fn ended(result: anyhow::Result<ExitCode>) -> ExitCode {
    match result {
        Ok(code) => code,
        // Whoever reads our output has seen enough.
        Err(error) if is_closed(&error) => ExitCode::SUCCESS,
        // Who ended the program knows why.
        Err(error) if error.is::<Stopped>() => {
            let status = error.downcast_ref().map_or(1, |Stopped(cause)| cause.exit_status());
            ExitCode::from(status as u8)
        }
        Err(error) => {
            out::complain(&error);
            if error.chain().any(|cause| cause.is::<Misuse>()) { ExitCode::from(2) } else { ExitCode::FAILURE }
        }
    }
}

/// Whether these words are a command line of this program; what is wrong with them if they are not.
///
/// # Errors
/// When they are none.
pub fn check(words: &[String]) -> Result<(), String> {
    let parsed = command().try_get_matches_from(words).and_then(|given| Cli::from_arg_matches(&given));
    parsed.map(|_| ()).map_err(|error| error.to_string())
}

/// The command line; -5 is a number, though perhaps a wrong one, and no option.
fn command() -> clap::Command {
    let numbers = |arg: clap::Arg| {
        let takes_values = arg.get_action().takes_values();
        arg.allow_negative_numbers(takes_values)
    };
    Cli::command().mut_subcommands(|command| command.mut_args(numbers))
}

/// Help and version on standard output, or what is wrong with the command line on standard error.
fn said(asked: &clap::Error) -> ExitCode {
    let status = ExitCode::from(asked.exit_code() as u8);
    match asked.print() {
        Err(error) if !asked.use_stderr() && error.kind() != io::ErrorKind::BrokenPipe => {
            out::note(format_args!("stackhand: cannot write to standard output: {error}"));
            ExitCode::FAILURE
        }
        _ => status,
    }
}

/// Whether standard output was closed. A relay board that was unplugged says "broken pipe" too, and must be told of.
fn is_closed(error: &anyhow::Error) -> bool {
    error.chain().any(|cause| cause.downcast_ref::<io::Error>().is_some_and(out::is_closed))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::app::live::RunError;
    use crate::edge::relay::RelayError;

    /// Each is followed by two spaces and what it does, or by nothing.
    #[test]
    fn the_examples_under_each_command_are_command_lines() {
        let cli = command();
        let texts = cli.get_subcommands().chain([&cli]).filter_map(|c| c.get_after_help().map(ToString::to_string));
        let texts: Vec<String> = texts.collect();
        let examples: Vec<&str> = texts.iter().flat_map(|t| t.lines()).filter_map(|l| l.strip_prefix("  ")).collect();
        assert!(examples.len() > 20, "{examples:?}");
        for example in examples {
            let typed = example.split("  ").next().unwrap_or_default();
            let words: Vec<String> = typed.split(' ').map(String::from).collect();
            assert_eq!(check(&words), Ok(()), "{example}");
        }
    }

    #[test]
    fn an_unplugged_board_is_no_closed_output() {
        let pipe = || io::Error::from(io::ErrorKind::BrokenPipe);
        let board = RelayError::Write { path: "/dev/ttyUSB0".into(), source: pipe() };
        assert!(!is_closed(&RunError::from(board).into()));
        assert!(!is_closed(&RunError::from(pipe()).into()));
        assert!(is_closed(&RunError::from(out::closed()).into()));
        assert!(is_closed(&anyhow::Error::from(out::closed()).context("while it was printed")));
    }
}
