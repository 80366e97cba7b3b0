//! The wall behind everything but the endings, and the boxes in it.

use super::canvas::{BLACK, GREY, HEIGHT_PX, PALE, Picture, WIDTH_PX};

/// A black box with a frame: a line of `light` of a colour, a dark gap and a grey line around it.
pub(super) struct Frame {
    /// Outer edge of the light line: left, top, right, bottom (the last two inclusive).
    pub edge: [usize; 4],
    pub light_px: usize,
    pub colour: u8,
}

pub(super) fn draw_frame(frame: &Frame, into: &mut Picture) {
    let [left, top, right, bottom] = frame.edge;
    let mut ring = |grow: usize, colour: u8| {
        let size = [right + 1 - left + 2 * grow, bottom + 1 - top + 2 * grow];
        into.fill([left - grow, top - grow], size, colour);
    };
    ring(5, BLACK);
    ring(3, GREY);
    ring(1, BLACK);
    ring(0, frame.colour);
    let light = frame.light_px;
    into.fill([left + light, top + light], [right + 1 - left - 2 * light, bottom + 1 - top - 2 * light], BLACK);
}

/// Parquet of planks, 16 × 8 and 8 × 16 in turn, each with a light and a dark edge.
pub(super) fn draw_wall(into: &mut Picture) {
    for y in 0..HEIGHT_PX {
        for x in 0..WIDTH_PX {
            let upright = (x / 16 + y / 16) % 2 == 1;
            let (along, across) = if upright { (y % 16, x % 8) } else { (x % 16, y % 8) };
            let colour = match (along, across) {
                (15, _) | (_, 7) => BLACK,
                (0, _) | (_, 0) => PALE,
                _ => GREY,
            };
            into.set(x, y, colour);
        }
    }
}
