//! `console`: the simulated console by itself, without a camera.

use crate::game::nes::vectors::Case;
use crate::game::nes::{Console, Event};
use crate::message::Buttons;
use anyhow::{Context, bail};
use serde::Serialize;
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Options of `console`.
#[derive(clap::Args)]
#[group(required = true, multiple = true)]
pub struct Args {
    /// Check a file of test vectors (JSON lines), and say where the first difference is.
    #[arg(long, value_name = "FILE", conflicts_with = "trace")]
    vectors: Option<PathBuf>,
    /// Play from power-on without a player and write the state after every frame to a new file (JSON lines).
    #[arg(long, value_name = "FILE")]
    trace: Option<PathBuf>,
    /// Frames to trace.
    #[arg(long, default_value_t = 3600, requires = "trace")]
    frames: u32,
    /// Level at which the traced game starts.
    #[arg(long, default_value_t = 0, requires = "trace", value_parser = clap::value_parser!(u8).range(0..=29))]
    level: u8,
}

/// Runs it.
pub fn run(args: &Args) -> anyhow::Result<ExitCode> {
    match (&args.vectors, &args.trace) {
        (Some(path), _) => check_vectors(path),
        (None, Some(path)) => trace(path, args),
        (None, None) => bail!("give --vectors FILE or --trace FILE"),
    }
}

fn check_vectors(path: &Path) -> anyhow::Result<ExitCode> {
    let name = path.display();
    let text = std::fs::read_to_string(path).with_context(|| format!("cannot read the test vectors {name}"))?;
    let (mut cases, mut different) = (0, 0);
    for (i, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
        let at = || format!("{name}, line {}", i + 1);
        cases += 1;
        if let Some(difference) = Case::parse(line).with_context(at)?.check().with_context(at)? {
            different += 1;
            if different == 1 {
                println!("{}: first difference in {difference}", at());
            }
        }
    }
    if cases == 0 {
        bail!("there is no test vector in {name}; give a file with one JSON object a line");
    }
    println!("{} of {cases} cases agree in every frame.", cases - different);
    Ok(if different == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// The state after a frame.
#[derive(Serialize)]
struct State {
    frame: i64,
    held: u8,
    phase: String,
    x: i8,
    y: i8,
    orientation: u8,
    autorepeat_x: u8,
    autorepeat_y: i8,
    fall_timer: u8,
    next: crate::game::Piece,
    lines: u32,
    level: u8,
    score: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    event: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    board: Option<Vec<String>>,
}

fn trace(path: &Path, args: &Args) -> anyhow::Result<ExitCode> {
    let cannot = || format!("cannot write the trace {}; choose a file that does not exist yet", path.display());
    let mut out = BufWriter::new(File::create_new(path).with_context(cannot)?);
    let mut console = Console::new(args.level, 0);
    for frame in 0..args.frames {
        // Start begins the game in the second frame; nobody plays.
        let held = if frame == 1 { Buttons::START } else { Buttons::NONE };
        let event = console.frame(held);
        serde_json::to_writer(&mut out, &state(&console, held, event)).with_context(cannot)?;
        out.write_all(b"\n").with_context(cannot)?;
    }
    out.flush().with_context(cannot)?;
    println!("{} frames written to {}.", args.frames, path.display());
    Ok(ExitCode::SUCCESS)
}

fn state(console: &Console, held: Buttons, event: Option<Event>) -> State {
    let control = &console.control;
    State {
        frame: console.frame.0,
        held: held.0,
        phase: format!("{:?}", console.phase).to_lowercase(),
        x: control.pose.x,
        y: control.pose.y,
        orientation: control.pose.orientation.id(),
        autorepeat_x: control.autorepeat_x,
        autorepeat_y: control.autorepeat_y,
        fall_timer: control.fall_timer,
        next: console.next,
        lines: console.counters.lines,
        level: console.counters.level,
        score: console.counters.score,
        event: event.map(|e| format!("{e:?}")),
        board: matches!(event, Some(Event::Spawned(..))).then(|| console.board.to_lines()),
    }
}
