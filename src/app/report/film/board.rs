//! The board that the robot believes, and the next piece.

use super::canvas::{Area, Canvas};
use super::colours::{self, Colour, EMPTY, GROUND, INK, PANEL, UNNAMED, mixed};
use super::letters::Letters;
use super::pile::Block;
use super::scene::Scene;
use super::text::{self, CAPTION};
use crate::game::Piece;
use crate::game::orientation::{Orientation, Pose};

/// Room around the cells, px.
const EDGE_PX: i32 = 2;
/// A cell of the next piece, px.
const NEXT_CELL_PX: i32 = 24;

/// Where the cells of a board of this many columns and rows stand.
#[derive(Debug, Clone, Copy)]
pub struct Cells {
    area: Area,
    side_px: i32,
}

impl Cells {
    /// As large as there is room.
    pub fn within(room: Area, columns: usize, rows: usize) -> Self {
        let [columns, rows] = [columns.max(1) as i32, rows.max(1) as i32];
        let inner = room.inset(EDGE_PX);
        let side_px = (inner.width / columns).min(inner.height / rows).max(1);
        Self { area: room.middle(side_px * columns, side_px * rows), side_px }
    }

    /// One of them.
    pub fn cell(self, column: i32, row: i32) -> Area {
        Area::new(self.area.x + column * self.side_px, self.area.y + row * self.side_px, self.side_px, self.side_px)
    }

    fn has(self, column: i32, row: i32) -> bool {
        let cell = self.cell(column, row);
        cell.within(self.area) == cell
    }
}

/// Draws pile, falling piece and, as an outline, where it is meant to lock.
pub fn draw(canvas: &mut Canvas, room: Area, scene: &Scene) {
    let (columns, rows) = (scene.pile.columns(), scene.pile.rows());
    let cells = Cells::within(room, columns, rows);
    let frame = cells.area.inset(-EDGE_PX);
    canvas.fill(frame, PANEL);
    for y in 0..rows {
        for x in 0..columns {
            let area = cells.cell(x as i32, y as i32).inset(1);
            match scene.pile.block(x, y) {
                Some(Block::Of(piece)) => block(canvas, area, colours::of(piece)),
                Some(Block::Unnamed) => block(canvas, area, UNNAMED),
                None => canvas.fill(area, EMPTY),
            }
        }
    }
    if let Some(planned) = scene.planned {
        ghost(canvas, cells, planned);
    }
    if let Some(falling) = scene.falling {
        let colour = mixed(colours::of(falling.piece), INK, 0.25);
        for area in areas(cells, falling.cells) {
            block(canvas, area.inset(1), colour);
        }
    }
}

/// Draws the next piece, with what it is.
pub fn draw_next(canvas: &mut Canvas, letters: &mut Letters, room: Area, next: Option<Piece>) {
    let inner = text::titled(canvas, letters, room, "next");
    let Some(piece) = next else {
        letters.write(canvas, "?", [inner.x + inner.width / 2 - 3, inner.y + inner.height / 2 - 6], CAPTION);
        return;
    };
    let shape = Orientation::spawn(piece).cells();
    let [columns, rows] = [shape.map(|(x, _)| i32::from(x)), shape.map(|(_, y)| i32::from(y))];
    let span = |of: [i32; 4]| {
        let (least, most) = of.iter().fold((i32::MAX, i32::MIN), |(a, b), v| (a.min(*v), b.max(*v)));
        (least, most - least + 1)
    };
    let ((left, width), (top, height)) = (span(columns), span(rows));
    let place = inner.middle(width * NEXT_CELL_PX, height * NEXT_CELL_PX);
    for (x, y) in columns.into_iter().zip(rows) {
        let [x, y] = [place.x + (x - left) * NEXT_CELL_PX, place.y + (y - top) * NEXT_CELL_PX];
        block(canvas, Area::new(x, y, NEXT_CELL_PX, NEXT_CELL_PX).inset(1), colours::of(piece));
    }
}

fn areas(cells: Cells, places: [(i8, i8); 4]) -> impl Iterator<Item = Area> {
    let places = places.map(|(x, y)| (i32::from(x), i32::from(y)));
    places.into_iter().filter(move |&(x, y)| cells.has(x, y)).map(move |(x, y)| cells.cell(x, y))
}

fn block(canvas: &mut Canvas, area: Area, colour: Colour) {
    canvas.fill(area, colour);
    let rim = (area.height / 9).max(1);
    canvas.fill(Area { height: rim, ..area }, mixed(colour, INK, 0.35));
    canvas.fill(Area { y: area.bottom() - rim, height: rim, ..area }, mixed(colour, GROUND, 0.3));
}

fn ghost(canvas: &mut Canvas, cells: Cells, pose: Pose) {
    let colour = colours::of(pose.orientation.piece());
    for area in areas(cells, pose.cells()) {
        let inner = area.inset(2);
        canvas.veil(inner, colour, 0.16);
        canvas.frame(inner, 2, mixed(EMPTY, colour, 0.8));
    }
}
