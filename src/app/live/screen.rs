//! What a person sees in the terminal while the robot plays: the board in as many lines as there is room for; plain lines
//! when the output is no terminal, or one that takes nothing else.

use super::Until;
use super::board_text::{BoardText, Lines, Square, Style};
use crate::app::out;
use crate::app::progress::Progress;
use crate::app::report::many;
use crate::app::terminal::{self, wrapped};
use crate::message::{Observation, Summary};
use crate::robot::{Look, Robot};
use std::io::{self, IsTerminal};

/// Pieces between two plain lines.
const PIECES_PER_LINE: u64 = 10;
/// Where a terminal does not say how large it is.
const USUAL_SIZE: Size = Size { columns: 80, rows: 24 };
/// The last message stands beside the board if it can have lines of this many characters.
const MESSAGE_COLUMNS_MIN: usize = 20;
/// Row of the board beside which the next piece's name stands, and from which on the last message does.
const NEXT_ROW: usize = 1;
const MESSAGE_ROW: usize = 3;

/// Stands behind the legend where messages will.
const HINT: &str =
    "Ctrl-C opens all relays and ends. With --ui a page shows the camera's picture and what is read in it.";

/// A terminal's size, characters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Size {
    columns: usize,
    rows: usize,
}

/// The view.
pub enum Screen {
    /// Nothing (standard output carries JSON, or takes no more).
    Silent,
    /// The board, drawn over itself, in a terminal of this size.
    Drawn(Option<Size>),
    /// A bar on standard error, for a simulated clock: it runs too fast to watch.
    Bar(Progress, Until),
    /// A line now and then.
    Plain {
        /// Pieces at which the last line was written.
        pieces: u64,
    },
}

impl Screen {
    /// The view that fits where the output goes.
    pub fn new(json: bool) -> Self {
        match (json, io::stdout().is_terminal() && !terminal::is_dumb()) {
            (true, _) => Self::Silent,
            (false, true) => Self::Drawn(None),
            (false, false) => Self::Plain { pieces: 0 },
        }
    }

    /// The view of a simulated clock's run that ends there.
    pub fn simulated(json: bool, until: Until) -> Self {
        if json {
            return Self::Silent;
        }
        let progress = Progress::new("Playing");
        if progress.is_shown() { Self::Bar(progress, until) } else { Self::Plain { pieces: 0 } }
    }

    /// Shows what was just seen.
    ///
    /// # Errors
    /// When standard output was closed. A full one is told, and nothing more is shown: the run goes on.
    pub fn show(&mut self, robot: &Robot, summary: &Summary, look: &Look) -> io::Result<()> {
        let shown = match self {
            Self::Silent => Ok(()),
            Self::Drawn(known) => {
                let size = terminal_size();
                // Drawn for another size it stands elsewhere than it was put.
                let is_new = known.replace(size) != Some(size);
                out::draw(&drawing(robot, summary, &look.observation, size), is_new)
            }
            Self::Bar(progress, until) => {
                progress.show(until.share(summary), || fitted(&done(summary), usize::MAX));
                Ok(())
            }
            Self::Plain { pieces } if summary.pieces >= *pieces + PIECES_PER_LINE => {
                *pieces = summary.pieces;
                out::line(fitted(&status(robot, summary), usize::MAX))
            }
            Self::Plain { .. } => Ok(()),
        };
        self.go_on(shown)
    }

    /// Leaves the cursor below the drawing, or clears the bar.
    ///
    /// # Errors
    /// As [`Self::show`].
    pub fn finish(&mut self) -> io::Result<()> {
        if let Self::Bar(..) = self {
            *self = Self::Silent;
        }
        let ended = out::end_drawing();
        self.go_on(ended)
    }

    fn go_on(&mut self, shown: io::Result<()>) -> io::Result<()> {
        match shown {
            Err(error) if !out::is_closed(&error) => {
                out::tell_unwritten(&error);
                *self = Self::Silent;
                Ok(())
            }
            other => other,
        }
    }
}

fn terminal_size() -> Size {
    let known = terminal_size::terminal_size_of(io::stdout());
    let size = known.map(|(columns, rows)| Size { columns: columns.0.into(), rows: rows.0.into() });
    size.filter(|size| size.columns > 0 && size.rows > 0).unwrap_or(USUAL_SIZE)
}

/// The sums, the most telling first.
fn status(robot: &Robot, summary: &Summary) -> Vec<String> {
    let counters = robot.belief().counters();
    vec![
        format!("{:>5.1} s  {}", summary.duration_ms / 1000.0, many(summary.pieces, "piece")),
        format!("{} misplaced", summary.misplaced),
        many(summary.lines, "line"),
        format!("level {}", counters.level),
        format!("{} points for lines", summary.score),
    ]
}

/// The sums of a run that is watched by its end, not by its board.
fn done(summary: &Summary) -> Vec<String> {
    vec![many(summary.pieces, "piece"), format!("{} misplaced", summary.misplaced), many(summary.lines, "line")]
}

/// As many of these as have room in a line; of the first what has.
fn fitted(parts: &[String], columns: usize) -> String {
    let mut line = String::new();
    for part in parts {
        let longer = if line.is_empty() { part.clone() } else { format!("{line}, {part}") };
        if longer.chars().count() > columns {
            break;
        }
        line = longer;
    }
    match (line.is_empty(), parts.first()) {
        (true, Some(first)) => first.chars().take(columns).collect(),
        _ => line,
    }
}

/// The board as seen, the last message beside it, and the sums; where the terminal is too small only the sums.
fn drawing(robot: &Robot, summary: &Summary, seen: &Observation, size: Size) -> String {
    let (grid, belief) = (&seen.grid, robot.belief());
    let pile = belief.pile();
    let planned = belief.intended().map(|pose| pose.cells());
    let is_planned = |x: usize, y: usize| planned.is_some_and(|cells| cells.contains(&(x as i8, y as i8)));
    let style = Style { has_colours: terminal::has_colours(&io::stdout()), is_unicode: terminal::is_unicode() };
    let board = BoardText::new(grid, belief.falling().map(|(piece, _)| piece), style, |x, y| {
        Square::of(grid.cell(x, y), pile.is_full(x, y), is_planned(x, y))
    });
    let next = seen.next.piece().map_or(' ', |p| p.letter());
    let beside = (format!("  next {next}"), out::last_message());
    composed(&[board.full(), board.compact()], &beside, &status(robot, summary), size)
}

/// The first of these boards that has room, what stands beside it (the next piece; the last message, or what is to be known
/// before there is one), and the sums.
fn composed(boards: &[Lines], beside: &(String, String), status: &[String], size: Size) -> String {
    // Behind a line's last character some terminals go to the next line.
    let columns = size.columns - 1;
    let fits = |board: &&Lines| size.rows >= board.rows.len() + 2 && columns >= board.width + 4;
    let Some(board) = boards.iter().find(fits) else { return fitted(status, columns) };
    let room = columns - board.width - 4;
    let (next, message) = beside;
    let message = if message.is_empty() { format!("{} {HINT}", board.legend) } else { message.clone() };
    let message = if room > MESSAGE_COLUMNS_MIN { wrapped(&message, room - 2) } else { Vec::new() };
    let mut text = String::new();
    for (y, row) in board.rows.iter().enumerate() {
        let note = match y {
            NEXT_ROW if next.chars().count() <= room => next.clone(),
            MESSAGE_ROW.. => message.get(y - MESSAGE_ROW).map(|line| format!("  {line}")).unwrap_or_default(),
            _ => String::new(),
        };
        text += &format!("  |{row}|{note}\n");
    }
    text + &format!("  +{}+\n  {}", "-".repeat(board.width), fitted(status, columns - 2))
}

#[cfg(test)]
mod tests {
    use super::*;

    const MESSAGE: &str = "WARN relay 3 (down) has had no effect 12 times: press it by hand, then look at \
                           /dev/serial/by-id/usb-A_very_long_name_of_a_board_that_no_terminal_has_room_for-if00-port0";

    fn shown(columns: usize, rows: usize) -> Vec<String> {
        let board = |row: &str, count, width| Lines { rows: vec![row.into(); count], width, legend: "" };
        let boards = [board(&(" .".repeat(9) + "[]"), 20, 20), board("#........#", 10, 10)];
        let beside = ("  next T".to_string(), MESSAGE.to_string());
        let status = ["12.0 s  3 pieces", "0 misplaced", "1 lines"].map(String::from);
        let text = composed(&boards, &beside, &status, Size { columns, rows });
        text.lines().map(String::from).collect()
    }

    #[test]
    fn no_terminal_is_too_small_for_what_is_drawn_in_it() {
        for columns in 1..140 {
            for rows in 1..60 {
                let lines = shown(columns, rows);
                assert!(lines.len() <= rows, "{columns} x {rows}: {} lines", lines.len());
                let widest = lines.iter().map(|line| line.chars().count()).max().unwrap_or(0);
                assert!(widest < columns.max(2), "{columns} x {rows}: {widest} characters");
                let is_full = lines.iter().any(|line| line.contains("[]"));
                assert_eq!(is_full, rows >= 22 && columns >= 25, "{columns} x {rows}");
                let is_compact = lines.iter().any(|line| line.contains("|#........#|"));
                assert_eq!(is_compact, !is_full && rows >= 12 && columns >= 15, "{columns} x {rows}");
            }
        }
    }

    #[test]
    fn the_last_message_stands_beside_the_board_to_its_last_word() {
        for (columns, rows) in [(80, 24), (60, 22), (200, 50), (80, 20)] {
            let lines = shown(columns, rows);
            let beside: Vec<&str> = lines.iter().filter_map(|line| line.split("|  ").nth(1)).collect();
            let said = beside.concat().replace(' ', "");
            assert!(said.ends_with(&MESSAGE.replace(' ', "")), "{columns} x {rows}: {said}");
        }
        assert_eq!(shown(30, 24).iter().filter(|line| line.contains("WARN")).count(), 0);
    }

    #[test]
    fn the_sums_alone_are_shown_where_the_board_has_no_room() {
        assert_eq!(shown(80, 11), ["12.0 s  3 pieces, 0 misplaced, 1 lines"]);
        assert_eq!(shown(30, 11), ["12.0 s  3 pieces, 0 misplaced"]);
        assert_eq!(shown(10, 50), ["12.0 s  3"]);
    }
}
