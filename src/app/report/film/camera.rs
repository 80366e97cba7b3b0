//! The camera's picture with what was read in it: thin lines around the field, the falling piece, and cells that
//! cannot be told.

use super::canvas::{Area, Canvas};
use super::colours::{self, GOOD, GROUND, INK, PANEL, WARN};
use super::letters::{Letters, Style, width_px};
use super::scene::Scene;
use image::RgbImage;
use image::imageops::{self, FilterType};

const OUTLINE_PX: f32 = 1.6;
const CELL_PX: f32 = 1.4;
const NOTICE: Style = Style { capital_px: 11.0, pen_px: 1.5, colour: INK };

/// Draws it, as large as there is room.
pub fn draw(canvas: &mut Canvas, letters: &mut Letters, room: Area, scene: &Scene) {
    let picture = &*scene.picture;
    let place = fitted([picture.width(), picture.height()], room);
    canvas.fill(room, PANEL);
    canvas.put(&scaled(picture, place), [place.x, place.y]);
    let scale = place.width as f32 / picture.width().max(1) as f32;
    let at = |[x, y]: [f32; 2]| [place.x as f32 + x * scale, place.y as f32 + y * scale];
    let traces = &scene.traces;
    let falling = scene.falling.map_or(INK, |falling| colours::of(falling.piece));
    for (cells, colour) in [(&traces.falling, falling), (&traces.unclear, WARN)] {
        for cell in cells {
            let corners: Vec<_> = cell.iter().chain(cell.first()).map(|corner| at(*corner)).collect();
            canvas.stroke(&corners, CELL_PX, (colour, 0.8), place);
        }
    }
    let outline: Vec<_> = traces.outline.iter().map(|point| at(*point)).collect();
    let (colour, opacity) = if traces.is_seen { (GOOD, 0.9) } else { (WARN, 0.6) };
    canvas.stroke(&outline, OUTLINE_PX, (colour, opacity), place);
    if let Some(words) = scene.notice {
        let chip = Area::new(place.x + 12, place.bottom() - 40, width_px(words, NOTICE) + 24, 28);
        canvas.round(chip, 6, GROUND, 0.85);
        letters.write(canvas, words, [chip.x + 12, chip.y + 8], NOTICE);
    }
}

/// The largest area of a picture's shape within a room, in its middle.
pub fn fitted([width, height]: [u32; 2], room: Area) -> Area {
    let scale = (room.width as f32 / width.max(1) as f32).min(room.height as f32 / height.max(1) as f32);
    let side = |px: u32, most: i32| ((px as f32 * scale).round() as i32).clamp(1, most);
    room.middle(side(width, room.width), side(height, room.height))
}

fn scaled(picture: &RgbImage, place: Area) -> RgbImage {
    let [width, height] = [place.width as u32, place.height as u32];
    match picture.width() {
        same if same == width && picture.height() == height => picture.clone(),
        larger if larger > width => imageops::thumbnail(picture, width, height),
        _ => imageops::resize(picture, width, height, FilterType::Triangle),
    }
}
