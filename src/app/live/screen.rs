//! What a person sees in the terminal while the robot plays; plain lines when the output is no terminal.

use crate::app::out;
use crate::game::Piece;
use crate::message::{Cell, Observation, Summary};
use crate::robot::{Look, Robot};
use indicatif::{ProgressBar, ProgressStyle};
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

/// The colour of what lies.
const WHITE: &str = "37";
/// Stands where messages will.
const HINT: &str = "[] seen, :: where it is going, ?? cannot be told. Ctrl-C opens all relays and ends. With --ui a page shows \
                    the camera's picture and what is read in it.";

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
        match (json, io::stdout().is_terminal()) {
            (true, _) => Self::Silent,
            (false, true) => Self::Drawn(None),
            (false, false) => Self::Plain { pieces: 0 },
        }
    }

    /// The view of a simulated clock's run of this many pieces.
    pub fn simulated(json: bool, pieces: u64) -> Self {
        match (json, io::stderr().is_terminal()) {
            (false, true) => {
                let bar = ProgressBar::new(pieces).with_style(bar_style());
                out::draw_bar(&bar);
                Self::Bar(bar)
            }
            (false, false) => Self::Plain { pieces: 0 },
            (true, _) => Self::Silent,
        }
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
            Self::Bar(bar) => {
                bar.set_position(summary.pieces);
                bar.set_message(status(robot, summary));
                Ok(())
            }
            Self::Plain { pieces } if summary.pieces >= *pieces + PIECES_PER_LINE => {
                *pieces = summary.pieces;
                out::line(status(robot, summary))
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

/// A spinner on standard error that counts pictures, until [`out::end_drawing`]; nothing where that is no terminal.
pub fn picture_counter() -> ProgressBar {
    let style = ProgressStyle::with_template("{spinner} {pos} pictures, {per_sec}");
    let counter = ProgressBar::new_spinner().with_style(style.unwrap_or_else(|_| ProgressStyle::default_spinner()));
    out::draw_bar(&counter);
    counter
}

fn bar_style() -> ProgressStyle {
    let style = ProgressStyle::with_template("{wide_bar} {pos}/{len} {msg}");
    style.unwrap_or_else(|_| ProgressStyle::default_bar())
}

fn terminal_size() -> Size {
    let known = terminal_size::terminal_size_of(io::stdout());
    let size = known.map(|(columns, rows)| Size { columns: columns.0.into(), rows: rows.0.into() });
    size.filter(|size| size.columns > 0 && size.rows > 0).unwrap_or(USUAL_SIZE)
}

fn status(robot: &Robot, summary: &Summary) -> String {
    let counters = robot.belief().counters();
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

/// The number of a terminal's colour: that in which most games show the piece.
fn colour(piece: Piece) -> &'static str {
    match piece {
        Piece::I => "36",
        Piece::O => "33",
        Piece::T => "35",
        Piece::S => "32",
        Piece::Z => "31",
        Piece::J => "34",
        Piece::L => "38;5;208",
    }
}

/// The board as seen, the last message beside it, and the sums; where the terminal is too small only the sums.
fn drawing(robot: &Robot, summary: &Summary, seen: &Observation, size: Size) -> String {
    let (grid, belief) = (&seen.grid, robot.belief());
    let pile = belief.pile();
    let falling = belief.falling().map_or(WHITE, |(piece, _)| colour(piece));
    let planned = belief.intended().map(|pose| pose.cells());
    let is_planned = |x: usize, y: usize| planned.is_some_and(|cells| cells.contains(&(x as i8, y as i8)));
    let cell = |x, y| match (grid.cell(x, y), pile.is_full(x, y)) {
        (Cell::Full, true) => format!("\x1b[{WHITE}m[]\x1b[0m"),
        (Cell::Full, false) => format!("\x1b[1;{falling}m[]\x1b[0m"),
        (Cell::Unknown, _) => "\x1b[2m??\x1b[0m".into(),
        (Cell::Empty, _) if is_planned(x, y) => format!("\x1b[{falling}m::\x1b[0m"),
        (Cell::Empty, _) => " .".into(),
    };
    let rows: Vec<String> =
        (0..grid.rows()).map(|y| (0..grid.columns()).map(|x| cell(x, y)).collect::<String>()).collect();
    let next = seen.next.piece().map_or(' ', |p| p.letter());
    let message = out::last_message();
    let message = if message.is_empty() { HINT.into() } else { message };
    let beside = (format!("  next {next}"), message);
    composed(&rows, 2 * grid.columns(), &beside, &status(robot, summary), size)
}

/// Rows of the board of this many characters, what stands beside them (the next piece, the last message), and the sums.
fn composed(board: &[String], width: usize, beside: &(String, String), status: &str, size: Size) -> String {
    // Behind a line's last character some terminals go to the next line.
    let columns = size.columns - 1;
    let status: String = format!("  {status}").chars().take(columns).collect();
    let framed = width + 4;
    if size.rows < board.len() + 2 || columns < framed {
        return status.trim().into();
    }
    let room = columns - framed;
    let (next, message) = beside;
    let message = if room > MESSAGE_COLUMNS_MIN { wrapped(message, room - 2) } else { Vec::new() };
    let mut text = String::new();
    for (y, row) in board.iter().enumerate() {
        let note = match y {
            NEXT_ROW if next.chars().count() <= room => next.clone(),
            MESSAGE_ROW.. => message.get(y - MESSAGE_ROW).map(|line| format!("  {line}")).unwrap_or_default(),
            _ => String::new(),
        };
        text += &format!("  |{row}|{note}\n");
    }
    text + &format!("  +{}+\n{status}", "-".repeat(width))
}

/// The words in lines of at most this many characters; words that are longer are broken.
fn wrapped(text: &str, columns: usize) -> Vec<String> {
    let mut lines = vec![String::new()];
    for word in text.split_whitespace() {
        let letters: Vec<char> = word.chars().collect();
        for part in letters.chunks(columns) {
            let part: String = part.iter().collect();
            match lines.last_mut() {
                Some(line) if line.is_empty() => *line = part,
                Some(line) if line.chars().count() + 1 + part.chars().count() <= columns => {
                    line.push(' ');
                    line.push_str(&part);
                }
                _ => lines.push(part),
            }
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    const MESSAGE: &str = "WARN relay 3 (down) has had no effect 12 times: press it by hand, then look at \
                           /dev/serial/by-id/usb-A_very_long_name_of_a_board_that_no_terminal_has_room_for-if00-port0";

    fn shown(columns: usize, rows: usize) -> Vec<String> {
        let board = vec![" .".repeat(9) + "[]"; 20];
        let beside = ("  next T".to_string(), MESSAGE.to_string());
        let text = composed(&board, 20, &beside, "12.0 s  3 pieces, 0 lines", Size { columns, rows });
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
                let has_board = lines.iter().any(|line| line.contains("[]"));
                assert_eq!(has_board, rows >= 22 && columns >= 25, "{columns} x {rows}");
            }
        }
    }

    #[test]
    fn the_last_message_stands_beside_the_board_to_its_last_word() {
        for (columns, rows) in [(80, 24), (60, 22), (200, 50)] {
            let lines = shown(columns, rows);
            let beside: Vec<&str> = lines.iter().filter_map(|line| line.split("|  ").nth(1)).collect();
            let said = beside.concat().replace(' ', "");
            assert!(said.ends_with(&MESSAGE.replace(' ', "")), "{columns} x {rows}: {said}");
        }
        assert_eq!(shown(30, 24).iter().filter(|line| line.contains("WARN")).count(), 0);
    }

    #[test]
    fn the_sums_alone_are_shown_where_the_board_has_no_room() {
        assert_eq!(shown(80, 21), ["12.0 s  3 pieces, 0 lines"]);
        assert_eq!(shown(10, 50), ["12.0 s"]);
    }
}
