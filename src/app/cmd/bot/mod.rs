//! `bot`: the brain of the modern game for other programs, by the Tetris Bot Protocol.

mod dialogue;
pub mod location;
pub mod protocol;

use crate::app::args::values::count;
use crate::app::out::{self, say};
use crate::file;
use crate::game::guideline;
use crate::planner::modern::Weights;
use crossbeam_channel::{Receiver, RecvError, Sender, TryRecvError, bounded};
use dialogue::{Dialogue, Heard};
use std::io::{self, BufRead, Read};
use std::path::PathBuf;
use std::process::ExitCode;

/// The most that is read as one line: a position is about 2 kB.
const LINE_BYTES_MAX: u64 = 1 << 20;
/// Lines that wait while it thinks.
const LINES_MAX: usize = 64;
/// The most that is read of a file of weights.
const WEIGHTS_BYTES_MAX: u64 = 1 << 20;

/// Options of `bot`.
///
/// Messages of the Tetris Bot Protocol (https://github.com/tetris-bot-protocol/tbp-spec), JSON lines, come on standard input, and
/// answers go to standard output; what is wrong with a message is told on standard error. It thinks from each position on until
/// it is asked, on one core.
#[derive(clap::Args)]
pub struct Args {
    /// Piles to rate for each move: no fewer, however soon it is asked, and no more. The same positions then give the same moves
    /// on any computer [default: as many as there is time for].
    #[arg(long, value_name = "N", value_parser = count)]
    nodes: Option<u64>,
    /// A file of weights (.toml) to play with [default: those that come with the program].
    #[arg(long, value_name = "FILE")]
    weights: Option<PathBuf>,
}

/// Runs it.
pub fn run(args: &Args) -> anyhow::Result<ExitCode> {
    let weights = load(args.weights.as_ref())?;
    let moves = guideline::moves();
    let mut dialogue = Dialogue::new(&moves, &weights, args.nodes);
    let (to_us, lines) = bounded(LINES_MAX);
    std::thread::Builder::new().name("front end's lines".into()).spawn(move || listen(&to_us))?;
    answer(&Dialogue::info())?;
    while let Some(line) = next_line(&lines, &mut dialogue)? {
        match dialogue.hear(&line) {
            Ok(Heard::Nothing) => {}
            Ok(Heard::Answer(said)) => answer(&said)?,
            Ok(Heard::Quit) => break,
            Err(trouble) => out::note(format_args!("stackhand: {trouble}")),
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// Weights from a file, or those that come with the program.
pub fn load(path: Option<&PathBuf>) -> anyhow::Result<Weights> {
    let Some(path) = path else { return Ok(Weights::default()) };
    Ok(Weights::parse(&path.display().to_string(), &file::read_text(path, WEIGHTS_BYTES_MAX)?)?)
}

fn answer(said: &impl serde::Serialize) -> anyhow::Result<()> {
    Ok(say!("{}", serde_json::to_string(said)?)?)
}

/// The next line that holds anything; none after the last. Until it comes, it thinks.
fn next_line(lines: &Receiver<io::Result<String>>, dialogue: &mut Dialogue<'_>) -> io::Result<Option<String>> {
    loop {
        let line = if dialogue.is_thinking() {
            match lines.try_recv() {
                Ok(line) => line?,
                Err(TryRecvError::Disconnected) => return Ok(None),
                Err(TryRecvError::Empty) => {
                    dialogue.think();
                    continue;
                }
            }
        } else {
            match lines.recv() {
                Ok(line) => line?,
                Err(RecvError) => return Ok(None),
            }
        };
        if !line.trim().is_empty() {
            return Ok(Some(line));
        }
    }
}

/// Sends every line on, until the input ends or nobody listens any more.
fn listen(to: &Sender<io::Result<String>>) {
    let mut input = io::stdin().lock();
    loop {
        let mut bytes = Vec::new();
        let line = match input.by_ref().take(LINE_BYTES_MAX).read_until(b'\n', &mut bytes) {
            Ok(0) => return,
            Ok(_) => Ok(String::from_utf8_lossy(&bytes).into_owned()),
            Err(error) => Err(error),
        };
        let is_over = line.is_err();
        if to.send(line).is_err() || is_over {
            return;
        }
    }
}
