//! The presses: a row a button, the newest at the right edge, each closed from then to then.

use super::canvas::{Area, Canvas};
use super::colours::{BAD, EMPTY, GOOD, INK, LINE, SOFT, WARN, mixed};
use super::letters::{Letters, Style};
use super::scene::{Key, Presses};
use super::text::{self, CAPTION};

/// So much of the past is shown, ms.
pub const SHOWN_MS: f64 = 6000.0;
/// The names' room, px.
const NAMES_PX: i32 = 62;
/// The highest row, px.
const ROW_PX_MAX: i32 = 18;

/// Where a strip's rows are.
#[derive(Debug, Clone, Copy)]
pub struct Rows {
    area: Area,
    step_px: i32,
}

impl Rows {
    /// Of so many buttons.
    pub fn within(room: Area, keys: usize) -> Self {
        let inner = Area::new(room.x + 14 + NAMES_PX, room.y + 30, room.width - 28 - NAMES_PX, room.height - 40);
        Self { area: inner, step_px: (inner.height / keys.max(1) as i32).min(ROW_PX_MAX) }
    }

    /// The bar's room of a button.
    pub fn row(self, index: usize) -> Area {
        Area { y: self.area.y + index as i32 * self.step_px, height: (self.step_px - 4).max(2), ..self.area }
    }

    /// Where a time stands, px.
    pub fn x(self, at_ms: f64, now_ms: f64) -> i32 {
        let share = 1.0 - (now_ms - at_ms) / SHOWN_MS;
        self.area.x + (share.clamp(0.0, 1.0) * f64::from(self.area.width)).round() as i32
    }
}

/// Draws it.
pub fn draw(canvas: &mut Canvas, letters: &mut Letters, room: Area, presses: &Presses, now_ms: f64) {
    text::titled(canvas, letters, room, "presses");
    let caption = format!("the last {:.0} s", SHOWN_MS / 1000.0);
    letters.write_left_of(canvas, &caption, [room.right() - 14, room.y + 12], CAPTION);
    let rows = Rows::within(room, presses.keys.len());
    for (index, key) in presses.keys.iter().enumerate() {
        let row = rows.row(index);
        canvas.fill(row, EMPTY);
        let is_closed = key.is_closed(now_ms);
        let style = Style { colour: if is_closed { INK } else { SOFT }, ..CAPTION };
        letters.write(canvas, &key.name, [room.x + 14, row.y + (row.height - 9) / 2], style);
    }
    ticks(canvas, rows, presses.keys.len(), now_ms);
    for (index, key) in presses.keys.iter().enumerate() {
        spans(canvas, rows, index, key, now_ms);
    }
    let shown = |at_ms: &&f64| (now_ms - SHOWN_MS..=now_ms).contains(*at_ms);
    for at_ms in presses.stops_ms.iter().filter(shown) {
        let x = rows.x(*at_ms, now_ms);
        canvas.fill(Area::new(x - 1, rows.area.y, 2, presses.keys.len() as i32 * rows.step_px - 4), BAD);
        let middle = x.clamp(rows.area.x + 20, rows.area.right() - 110);
        text::draw_badge(canvas, letters, "STOP", [middle, room.y + 8], BAD);
    }
}

/// A line a second, which moves with the time.
fn ticks(canvas: &mut Canvas, rows: Rows, keys: usize, now_ms: f64) {
    let last = (now_ms / 1000.0).floor() as i64;
    for second in last - (SHOWN_MS / 1000.0) as i64 + 1..=last {
        let x = rows.x(second as f64 * 1000.0, now_ms);
        for row in (0..keys).map(|index| rows.row(index)) {
            canvas.fill(Area::new(x, row.y, 1, row.height).within(rows.area), LINE);
        }
    }
}

fn spans(canvas: &mut Canvas, rows: Rows, index: usize, key: &Key, now_ms: f64) {
    let row = rows.row(index);
    let since = key.spans.partition_point(|span| span.to_ms < now_ms - SHOWN_MS);
    for span in key.spans[since..].iter().take_while(|span| span.from_ms <= now_ms) {
        let [left, right] = [span.from_ms, span.to_ms.min(now_ms)].map(|at_ms| rows.x(at_ms, now_ms));
        let colour = if span.is_late { WARN } else { GOOD };
        let colour = if span.to_ms > now_ms { mixed(colour, INK, 0.35) } else { colour };
        canvas.fill(Area { x: left, width: (right - left).max(2), ..row }.within(row), colour);
    }
    for at_ms in key.missed_ms.iter().filter(|at_ms| (now_ms - SHOWN_MS..=now_ms).contains(*at_ms)) {
        let [x, y] = [rows.x(*at_ms, now_ms) as f32, row.y as f32 + row.height as f32 / 2.0];
        for slope in [-1.0, 1.0] {
            canvas.stroke(
                &[[x - 4.0, y - 4.0 * slope], [x + 4.0, y + 4.0 * slope]],
                2.0,
                (BAD, 1.0),
                rows.area.inset(-4),
            );
        }
    }
}
