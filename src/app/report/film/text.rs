//! The boxes with text: title, numbers, log.

use super::canvas::{Area, Canvas};
use super::colours::{self, BAD, Colour, GOOD, GROUND, INK, PANEL, SOFT, WARN, mixed};
use super::letters::{Letters, Style, fitted, width_px};
use super::scene::{Said, Tone};

/// What explains a box.
pub const CAPTION: Style = Style { capital_px: 9.0, pen_px: 1.25, colour: SOFT };
const TITLE: Style = Style { capital_px: 15.0, pen_px: 2.0, colour: INK };
const SUBTITLE: Style = Style { capital_px: 11.0, pen_px: 1.4, colour: SOFT };
const NUMBER: Style = Style { capital_px: 17.0, pen_px: 2.0, colour: INK };
const LINE: Style = Style { capital_px: 9.5, pen_px: 1.35, colour: INK };
/// From line to line of the log, px.
const LINE_STEP_PX: i32 = 21;
/// A number's box, px.
const NUMBER_PX: [i32; 2] = [112, 56];
/// Where the words of the log begin, px from its left edge.
const WORDS_PX: i32 = 62;
const INSET_PX: i32 = 14;

/// What the film is of.
#[derive(Debug, Clone, Default)]
pub struct Title {
    /// The recording.
    pub name: String,
    /// What else is to be known.
    pub about: String,
}

/// A box with a caption; the room that is left in it.
pub fn titled(canvas: &mut Canvas, letters: &mut Letters, room: Area, caption: &str) -> Area {
    canvas.round(room, 6, PANEL, 1.0);
    letters.write(canvas, caption, [room.x + INSET_PX, room.y + 12], CAPTION);
    Area::new(room.x + INSET_PX, room.y + 30, room.width - 2 * INSET_PX, room.height - 40)
}

/// Draws the title's line, without the time.
pub fn draw_title(canvas: &mut Canvas, letters: &mut Letters, room: Area, title: &Title) {
    let end = letters.write(canvas, "stackhand", [room.x, room.y + 6], TITLE);
    let name = fitted(&title.name, SUBTITLE, 420);
    let end = letters.write(canvas, &name, [end + 14, room.y + 10], SUBTITLE);
    let about = fitted(&title.about, SUBTITLE, room.right() - 140 - end);
    letters.write(canvas, &about, [end + 16, room.y + 10], SUBTITLE);
}

/// Draws the time: minutes, seconds and tenths.
pub fn draw_time(canvas: &mut Canvas, letters: &mut Letters, room: Area, time_ms: f64) {
    let tenths = (time_ms.max(0.0) / 100.0 + 1e-6) as u64;
    let text = format!("{}:{:02}.{}", tenths / 600, tenths / 10 % 60, tenths % 10);
    letters.write_left_of(canvas, &text, [room.right(), room.y + 6], TITLE);
}

/// Draws the numbers, two in a row.
pub fn draw_numbers(canvas: &mut Canvas, letters: &mut Letters, room: Area, numbers: &[(&str, String)]) {
    canvas.round(room, 6, PANEL, 1.0);
    for (i, (name, value)) in numbers.iter().enumerate() {
        let x = room.x + INSET_PX + (i % 2) as i32 * NUMBER_PX[0];
        let y = room.y + 14 + (i / 2) as i32 * NUMBER_PX[1];
        letters.write(canvas, name, [x, y], CAPTION);
        letters.write(canvas, &fitted(value, NUMBER, NUMBER_PX[0] - INSET_PX), [x, y + 18], NUMBER);
    }
}

/// Draws the log, the newest line at the top, older ones paler.
pub fn draw_log(canvas: &mut Canvas, letters: &mut Letters, room: Area, said: &[Said]) {
    let inner = titled(canvas, letters, room, "events");
    let lines = (inner.height / LINE_STEP_PX).max(0) as usize;
    for (i, line) in said.iter().rev().take(lines).enumerate() {
        let y = inner.y + i as i32 * LINE_STEP_PX + 4;
        let pale = 0.6 * i as f32 / lines as f32;
        let style = |colour: Colour| Style { colour: mixed(colour, PANEL, pale), ..LINE };
        let time = format!("{:.1}", line.t_ms.max(0.0) / 1000.0);
        letters.write_left_of(canvas, &time, [inner.x + WORDS_PX - 26, y], style(SOFT));
        if let Some(piece) = line.piece {
            canvas.round(Area::new(inner.x + WORDS_PX - 17, y, 10, 10), 2, mixed(colours::of(piece), PANEL, pale), 1.0);
        }
        let words = fitted(&line.words, LINE, inner.width - WORDS_PX);
        letters.write(canvas, &words, [inner.x + WORDS_PX, y], style(of(line.tone)));
    }
}

fn of(tone: Tone) -> Colour {
    match tone {
        Tone::Usual => mixed(INK, SOFT, 0.45),
        Tone::Good => GOOD,
        Tone::Warning => WARN,
        Tone::Bad => BAD,
    }
}

/// A word on a ground of its own, its middle here.
pub fn draw_badge(canvas: &mut Canvas, letters: &mut Letters, word: &str, [middle, y]: [i32; 2], colour: Colour) {
    let style = Style { colour: GROUND, ..CAPTION };
    let width = width_px(word, style) + 10;
    canvas.round(Area::new(middle - width / 2, y, width, 16), 4, colour, 1.0);
    letters.write(canvas, word, [middle - width / 2 + 5, y + 4], style);
}
