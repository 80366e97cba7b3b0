//! How the simulated table's screen shows boards of Standard Tetris, and of games that a file describes, as layouts.

use super::Misuse;
use crate::game::board::{MAX_COLUMNS, MAX_ROWS};
use crate::game::standard::SIZE;
use crate::profile::layout::{Layout, LayoutError, NextBox};
use crate::twin::picture::CELL_PX;
use crate::twin::plain;

/// Refuses boards that no robot's belief and plans can hold.
///
/// # Errors
/// When it is one of those.
pub fn check([columns, rows]: [usize; 2]) -> Result<(), Misuse> {
    if columns <= MAX_COLUMNS && rows <= MAX_ROWS {
        return Ok(());
    }
    Err(Misuse(format!(
        "the robot plays on boards of 4 to {MAX_COLUMNS} columns and 4 to {MAX_ROWS} rows, and this one has {columns} × {rows}: choose \
         another, or play on it by hand with `stackhand console --game standard`"
    )))
}

/// The layout of a board of this size, with a shadow of the falling piece or without.
///
/// # Errors
/// When it contradicts itself.
pub fn layout(size: [usize; 2], has_shadow: bool) -> Result<Layout, LayoutError> {
    of_size(Layout { ghost: has_shadow, ..Layout::load("standard")? }, size)
}

/// The same of a game with hold, where there is room for its boxes: they are those of the modern game.
///
/// # Errors
/// When it contradicts itself.
pub fn layout_with_hold(size: [usize; 2]) -> Result<Layout, LayoutError> {
    of_size(Layout { ghost: false, ..Layout::load("guideline")? }, size)
}

fn of_size(mut layout: Layout, size: [usize; 2]) -> Result<Layout, LayoutError> {
    let scale = CELL_PX as f64 / plain::cell_px(size) as f64;
    // What lies beyond the field's right or lower side moves with that, and all of it is measured in cells.
    let moved = |v: f64, side: usize| {
        let usual = SIZE[side] as f64;
        if v > usual { size[side] as f64 + (v - usual) * scale } else { v * scale }
    };
    for frame in &mut layout.locate.frames {
        let [left, top, right, bottom] = frame.rect;
        let is_around_field = left < 0.0 && right > SIZE[0] as f64;
        frame.rect = match is_around_field {
            true => [moved(left, 0), moved(top, 1), moved(right, 0), moved(bottom, 1)],
            // The boxes stay where they are.
            false => frame.rect.map(|v| v * scale),
        };
    }
    for NextBox { center, size, cell } in layout.next.iter_mut().chain(&mut layout.queue).chain(&mut layout.hold) {
        [center, size, cell].into_iter().for_each(|of| *of = of.map(|v| v * scale));
    }
    for shape in layout.spawn.values_mut() {
        shape.column = shape.column + size[0] / 2 - SIZE[0] / 2;
    }
    [layout.field.columns, layout.field.rows] = size;
    Ok(layout)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::simple::{Settings, SimpleMachine};
    use crate::game::standard::{Looks, Pile, Place};
    use crate::game::{Buttons, Piece};
    use crate::profile::game_file::GameFile;
    use crate::profile::layout::{Outward, Side};
    use crate::twin::picture::{COLOURS, FIELD_PX, Picture};
    use crate::twin::plain::Plain;

    const SIZES: [[usize; 2]; 8] = [[4, 4], [4, 20], [7, 11], SIZE, [10, 22], [16, 20], [10, 40], [16, 40]];

    /// How bright the picture is at a place in the layout's units, moved by pixels.
    fn light(picture: &Picture, size: [usize; 2], at: [f64; 2], by_px: [f64; 2]) -> u32 {
        let px = [0, 1].map(|i| FIELD_PX[i] as f64 + at[i] * plain::cell_px(size) as f64 + by_px[i]);
        let number = picture.pixels()[px[1] as usize * picture.size()[0] + px[0] as usize];
        COLOURS[usize::from(number)].iter().map(|v| u32::from(*v)).sum()
    }

    /// Every edge that the field is found by is drawn.
    fn check_edges(layout: &Layout, size: [usize; 2], picture: &Picture) {
        for frame in &layout.locate.frames {
            let [left, top, right, bottom] = frame.rect;
            let middle = [left + right, top + bottom].map(|sum| sum / 2.0);
            for side in &frame.sides {
                // The middle of the side, and the way out of the frame.
                let (at, out) = match side {
                    Side::Left => ([left, middle[1]], [-1.0, 0.0]),
                    Side::Right => ([right, middle[1]], [1.0, 0.0]),
                    Side::Top => ([middle[0], top], [0.0, -1.0]),
                    Side::Bottom => ([middle[0], bottom], [0.0, 1.0]),
                };
                let beside = |sign: f64| light(picture, size, at, out.map(|v| sign * v * 0.5 + 0.01));
                let (inside, outside) = (beside(-1.0), beside(1.0));
                let is_so = if frame.outward == Outward::Brighter { inside < outside } else { inside > outside };
                assert!(is_so, "{size:?} {frame:?} {side:?}: {inside} inside, {outside} outside");
            }
        }
    }

    #[test]
    fn every_edge_that_the_field_is_found_by_is_drawn_there() {
        for size in SIZES {
            let mut picture = Picture::new();
            Plain::of_reference(Pile::new(size), None, 1, Looks::default()).draw(0, &mut picture);
            check_edges(&layout(size, false).unwrap(), size, &picture);
        }
    }

    /// One that was put aside, and the next six.
    #[test]
    fn boxes_of_a_game_with_hold_are_where_the_layout_says() {
        let settings = GameFile::load("tetris-tui").unwrap().machine(1).unwrap();
        for size in [SIZE, [10, 24], [10, 40], [8, 18]] {
            let mut machine = SimpleMachine::new(Settings { size, ..settings.clone() }, 1, 3);
            let key = machine.hold_key().unwrap();
            (0..5).for_each(|frame| _ = machine.frame(if frame == 0 { Buttons::START } else { Buttons::NONE }));
            machine.frame(key);
            assert!(machine.aside().is_some() && plain::has_room_for_hold(size), "{size:?}");
            let layout = layout_with_hold(size).unwrap();
            let mut picture = Picture::new();
            Plain::of_simple(&machine).draw(0, &mut picture);
            check_edges(&layout, size, &picture);
            let boxes: Vec<&NextBox> = layout.next.iter().chain(&layout.queue).chain(&layout.hold).collect();
            assert_eq!(boxes.len(), 7);
            for NextBox { center, size: area, cell } in boxes {
                let lit = (0..80).flat_map(|y| (0..80).map(move |x| [f64::from(x), f64::from(y)])).filter(|at| {
                    let corner = [0, 1].map(|i| center[i] + (at[i] / 79.0 - 0.5) * area[i]);
                    light(&picture, size, corner, [0.0; 2]) > 0
                });
                let share = 4.0 * cell[0] * cell[1] / (area[0] * area[1]);
                let lit = lit.count() as f64 / 6400.0;
                assert!((0.6 * share..share).contains(&lit), "{size:?} {center:?}: {lit} of {share}");
            }
        }
        assert!(!plain::has_room_for_hold([12, 20]) && !plain::has_room_for_hold([16, 20]));
    }

    #[test]
    fn pieces_appear_and_are_announced_where_the_layout_says() {
        for size in SIZES {
            let layout = layout(size, true).unwrap();
            assert!(layout.ghost && layout.movement().is_some(), "{size:?}");
            assert_eq!([layout.field.columns, layout.field.rows], size);
            let next = layout.next.clone().unwrap();
            for piece in Piece::ALL {
                let place = Place::of_spawn(piece, size[0]);
                let mut cells: Vec<(usize, usize)> = place.cells().map(|(x, y)| (x as usize, y as usize)).to_vec();
                let mut told = layout.spawn_cells(piece);
                cells.sort_unstable();
                told.sort_unstable();
                assert_eq!(told, cells, "{size:?} {piece}");
                let mut picture = Picture::new();
                Plain::of_reference(Pile::new(size), Some(place), 1, Looks::default()).draw(0, &mut picture);
                let in_field = |(x, y): &(usize, usize)| [*x as f64 + 0.4, *y as f64 + 0.4];
                assert!(
                    cells.iter().all(|cell| light(&picture, size, in_field(cell), [0.0; 2]) > 0),
                    "{size:?} {piece}"
                );
                let lit = (0..80).flat_map(|y| (0..80).map(move |x| [f64::from(x), f64::from(y)])).filter(|at| {
                    let corner = [0, 1].map(|i| next.center[i] + (at[i] / 79.0 - 0.5) * next.size[i]);
                    light(&picture, size, corner, [0.0; 2]) > 0
                });
                // Four cells of those that the box has room for.
                let share = 4.0 * next.cell[0] * next.cell[1] / (next.size[0] * next.size[1]);
                let lit = lit.count() as f64 / 6400.0;
                assert!((0.6 * share..share).contains(&lit), "{size:?} {piece}: {lit} of {share}");
            }
        }
    }

    #[test]
    fn boards_that_the_robot_does_not_know_are_refused() {
        for (size, is_fine) in [(SIZE, true), ([4, 4], true), ([MAX_COLUMNS, MAX_ROWS], true), ([17, 20], false)] {
            assert_eq!(check(size).is_ok(), is_fine, "{size:?}");
        }
        assert!(check([10, MAX_ROWS + 1]).unwrap_err().to_string().contains("console --game standard"));
    }
}
