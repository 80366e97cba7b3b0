//! What a person sees in the terminal while the robot plays; plain lines when the output is no terminal.

use super::report::Summary;
use crate::message::Cell;
use crate::robot::{Look, Robot};
use indicatif::{ProgressBar, ProgressStyle};
use std::fmt::Write as _;
use std::io::{IsTerminal, Write};

/// Pieces between two plain lines.
const PIECES_PER_LINE: u64 = 10;

/// The view.
pub enum Screen {
    /// Nothing (standard output carries JSON).
    Silent,
    /// The board, drawn over itself.
    Drawn {
        /// Whether it has been drawn before.
        begun: bool,
    },
    /// A bar on standard error, for a simulated clock: it runs too fast to watch.
    Bar(ProgressBar),
    /// A line now and then.
    Plain {
        /// Pieces at which the last line was written.
        pieces: u64,
    },
}

impl Screen {
    /// The view that fits where the output goes.
    pub fn new(json: bool) -> Self {
        match (json, std::io::stdout().is_terminal()) {
            (true, _) => Self::Silent,
            (false, true) => Self::Drawn { begun: false },
            (false, false) => Self::Plain { pieces: 0 },
        }
    }

    /// The view of a simulated clock's run of so many pieces.
    pub fn simulated(json: bool, pieces: u64) -> Self {
        match (json, std::io::stderr().is_terminal()) {
            (false, true) => Self::Bar(ProgressBar::new(pieces).with_style(bar_style())),
            (false, false) => Self::Plain { pieces: 0 },
            (true, _) => Self::Silent,
        }
    }

    /// Shows what was just seen.
    pub fn show(&mut self, robot: &Robot, summary: &Summary, look: &Look) {
        match self {
            Self::Silent => {}
            Self::Drawn { begun } => {
                let text = drawing(robot, summary, look, *begun);
                *begun = true;
                put(&text);
            }
            Self::Bar(bar) => {
                bar.set_position(summary.pieces);
                bar.set_message(status(robot, summary));
            }
            Self::Plain { pieces } => {
                if summary.pieces >= *pieces + PIECES_PER_LINE {
                    *pieces = summary.pieces;
                    put(&format!("{}\n", status(robot, summary)));
                }
            }
        }
    }

    /// Leaves the cursor below the drawing, or clears the bar.
    pub fn finish(&mut self) {
        match self {
            Self::Drawn { begun: true } => put("\n"),
            Self::Bar(bar) => bar.finish_and_clear(),
            _ => {}
        }
    }
}

/// A spinner on standard error that counts pictures; nothing where that is no terminal.
pub fn picture_counter() -> ProgressBar {
    let style = ProgressStyle::with_template("{spinner} {pos} pictures, {per_sec}");
    ProgressBar::new_spinner().with_style(style.unwrap_or_else(|_| ProgressStyle::default_spinner()))
}

fn bar_style() -> ProgressStyle {
    let style = ProgressStyle::with_template("{wide_bar} {pos}/{len} {msg}");
    style.unwrap_or_else(|_| ProgressStyle::default_bar())
}

/// A view that cannot be written harms nothing: the run goes on.
fn put(text: &str) {
    let mut out = std::io::stdout().lock();
    let _ = out.write_all(text.as_bytes()).and_then(|()| out.flush());
}

fn status(robot: &Robot, summary: &Summary) -> String {
    let counters = robot.watcher.belief.counters();
    format!(
        "{:>5.1} s  {} pieces, {} lines, level {}, {} points for lines, {} misplaced",
        summary.duration_ms / 1000.0,
        summary.pieces,
        summary.lines,
        counters.level,
        summary.score,
        summary.misplaced
    )
}

/// The board as seen; a further drawing goes over the one before.
fn drawing(robot: &Robot, summary: &Summary, look: &Look, again: bool) -> String {
    let grid = &look.observation.grid;
    let pile = robot.watcher.belief.pile();
    let mut text = String::new();
    if again {
        let _ = write!(text, "\x1b[{}A\r", grid.rows() + 2);
    }
    let next = look.observation.next.piece().map_or(' ', |p| p.letter());
    for y in 0..grid.rows() {
        text.push_str("  |");
        for x in 0..grid.columns() {
            text.push_str(match (grid.cell(x, y), pile.is_full(x, y)) {
                (Cell::Full, true) => "\x1b[37m[]\x1b[0m",
                (Cell::Full, false) => "\x1b[1;33m[]\x1b[0m",
                (Cell::Unknown, _) => "\x1b[31m??\x1b[0m",
                (Cell::Empty, _) => " .",
            });
        }
        text.push('|');
        if y == 1 {
            let _ = write!(text, "  next {next}");
        }
        text.push_str("\x1b[K\n");
    }
    let _ = write!(text, "  +{}+\x1b[K\n  {}\x1b[K\n", "-".repeat(2 * grid.columns()), status(robot, summary));
    text
}
